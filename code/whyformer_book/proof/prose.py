"""The words of a page as a reader reads them, and the numbers among them.

A decimal number or a percentage in them has to be found by a check (``marks``). Numbers in code, formulas, addresses,
citations, and those of sections and versions are none of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from markdown_it.token import Token

from whyformer_book import myst

Prepare = Callable[[Token], None]

_NUMBER = re.compile(
    r"(?<![\w.])(?<![A-Za-z]-)[+\-\N{MINUS SIGN}]?"
    r"(?:\d+(?:\.\d+)?\s?%"  # 28 %, 60.7 %
    r"|\d+\.\d+(?:e[+\-\N{MINUS SIGN}]?\d+)?(?!\.?\d)"  # 0.071, 2.78e-8, but not 1.2.3
    r"|\d+e[\-\N{MINUS SIGN}]\d+)"  # 3e-8
)
_NUMBERED = (  # what a number may name rather than measure
    r"[Ss]ections?|[Ss]ec\.|[Cc]hapters?|[Ff]ig(?:ure)?s?\.?|[Tt]ables?|[Ee]q(?:uation)?s?\.?|[Tt]heorem|[Ll]emma"
    r"|[Aa]ppendix|[Vv]ersions?|Python|NumPy|Matplotlib|PyTorch|JupyterLab|CC BY|arXiv"
)
NAME = re.compile(
    r"https?://\S+"
    rf"|(?:§+|\b(?:{_NUMBERED}))[\s:]*[A-Z]?\d+(?:\.\d+)*(?:(?:,|,? and|,? to|[-–])\s*§?\d+(?:\.\d+)+)*"
)
_TARGETS = {"figure", "include", "solution", "solution-start", "div", "container", "grid"}  # their argument is no prose


def as_it_is(_: Token) -> None:
    """Leave a paragraph as it is."""


def inlines(text: str) -> Iterator[tuple[int, Token]]:
    """Every run of words that is read as one (a paragraph, a heading, a cell of a table), with its line from 0."""
    for token, line, directive in myst.walk(text):
        inline = [token]
        if directive and directive.name not in _TARGETS | myst.NOT_PROSE:
            inline = myst.parse(directive.argument)  # a title, or the first words of a note
        yield from ((line, part) for part in inline if part.children)


def prose(text: str, prepare: Prepare = as_it_is) -> Iterator[tuple[int, str]]:
    """The words that a reader reads, in runs without code, formulas and addresses, each with its line from 0.

    prepare: called with a copy of each paragraph first; it may blank what is proven otherwise.
    """
    for line, whole in inlines(text):
        part = whole.copy(children=[child.copy() for child in whole.children or ()])
        prepare(part)
        for child in part.children or ():
            if child.type == "text":
                yield line, child.content
            line += child.type in {"softbreak", "hardbreak"}


def numbers(words: str) -> list[str]:
    """The decimal numbers and percentages in these words."""
    return [found[0] for found in _NUMBER.finditer(NAME.sub(lambda match: " " * len(match[0]), words))]
