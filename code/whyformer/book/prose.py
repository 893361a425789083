"""No number in the text without a computation: each decimal and each percentage needs a ``vouch`` or a ``claim``.

Exempt are code, formulas, addresses, citations, numbers of sections and versions. ``whyformer.lab.teach.vouch`` is
what a cell calls; it compares the printed number with the computed one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from markdown_it.token import Token
from sphinx.application import Sphinx
from sphinx.util import logging

from whyformer.book import myst

logger = logging.getLogger(__name__)
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
ITSELF = (
    "{0} compares a number with itself: compute it, name the bound that the computation uses, "
    "or mark what others report with {{cited}}"
)
_TARGETS = {"figure", "include", "solution", "solution-start", "div", "container", "grid"}  # their argument is no prose


def normal(number: str) -> str:
    """One spelling for a number: plain minus, no plus, no space before the percent sign."""
    return re.sub(r"\s", "", number).replace("\N{MINUS SIGN}", "-").removeprefix("+")


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


def calls(text: str, name: str) -> Iterator[tuple[int, ast.Call]]:
    """Every call of a function of this name in the cells of a chapter, with its line, from 1."""
    for cell in myst.cells(text):
        try:
            nodes = list(ast.walk(ast.parse(cell.source)))
        except SyntaxError:
            continue  # running the cell says it better
        for node in nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == name:
                yield cell.source_line + node.lineno, node


def vouched(text: str) -> set[str]:
    """The numbers that cells vouch for: string literals that are the first argument of ``vouch``."""
    firsts = [call.args[0] for _, call in calls(text, "vouch") if call.args]
    return {normal(first.value) for first in firsts if isinstance(first, ast.Constant) and isinstance(first.value, str)}


def is_literal(value: ast.expr) -> bool:
    """Whether a value is written down and not computed: ``0.13``, ``-0.13``, ``+1e-3``, ``float("0.13")``."""
    if isinstance(value, ast.UnaryOp):
        return is_literal(value.operand)
    if isinstance(value, ast.Call):
        plain = isinstance(value.func, ast.Name) and value.func.id in {"float", "int", "abs"}
        return plain and all(map(is_literal, value.args))
    return isinstance(value, ast.Constant)


def unproven(text: str) -> list[tuple[int, str]]:
    """The numbers vouched for by a literal, which proves nothing, each with its line, from 1."""
    found = []
    for line, call in calls(text, "vouch"):
        values = call.args[1:2] + [keyword.value for keyword in call.keywords if keyword.arg == "value"]
        found += [(line, ast.unparse(call)) for value in values if is_literal(value)]
    return found


def numbers(words: str) -> list[str]:
    """The decimal numbers and percentages in these words."""
    return [found[0] for found in _NUMBER.finditer(NAME.sub(lambda match: " " * len(match[0]), words))]


def unvouched(text: str, prepare: Prepare = as_it_is) -> list[tuple[int, str]]:
    """The numbers in the prose of a chapter that no cell of it vouches for, each with its line, from 1."""
    known = vouched(text)
    found = [(line + 1, number) for line, words in prose(text, prepare) for number in numbers(words)]
    return [(line, number) for line, number in found if normal(number) not in known]


def _check(app: Sphinx, docname: str, source: list[str]) -> None:
    for line, call in unproven(source[0]):
        logger.warning(ITSELF.format(call), location=(docname, line), type="whyformer", subtype="number")


def setup(app: Sphinx) -> None:
    """Each source is checked before it is read."""
    app.connect("source-read", _check)
