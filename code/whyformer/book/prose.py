"""No number in the text without a computation: each decimal and each percentage needs a ``vouch`` in its chapter.

Exempt are code, formulas, addresses, citations, numbers of sections and versions. ``whyformer.lab.vouch`` is what a
cell calls; it compares the printed number with the computed one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from sphinx.application import Sphinx
from sphinx.util import logging

from whyformer.book import myst

logger = logging.getLogger(__name__)

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
_NAME = re.compile(
    r"https?://\S+"
    rf"|(?:§+|\b(?:{_NUMBERED}))[\s:]*[A-Z]?\d+(?:\.\d+)*(?:(?:,|,? and|,? to|[-–])\s*§?\d+(?:\.\d+)+)*"
)
_TARGETS = {"figure", "include", "solution", "solution-start", "div", "container", "grid"}  # their argument is no prose


def normal(number: str) -> str:
    """One spelling for a number: plain minus, no plus, no space before the percent sign."""
    return re.sub(r"\s", "", number).replace("\N{MINUS SIGN}", "-").removeprefix("+")


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The words that a reader reads, in runs without code, formulas and addresses, each with its line from 0."""
    for token, line, directive in myst.walk(text):
        inline = [token]
        if directive and directive.name not in _TARGETS | myst.NOT_PROSE:
            inline = myst.parse(directive.argument)  # a title, or the first words of a note
        for part in inline:
            here = line
            for child in part.children or ():
                if child.type == "text":
                    yield here, child.content
                here += child.type in {"softbreak", "hardbreak"}


def vouched(text: str) -> set[str]:
    """The numbers that cells vouch for: string literals that are the first argument of ``vouch``."""
    found = set()
    for _, _, directive in myst.walk(text):
        if directive is None or directive.name != "code-cell":
            continue
        code = re.sub(r"^(\s*)[%!?].*$", r"\1pass", directive.body, flags=re.MULTILINE)  # commands of IPython
        try:
            calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call) and node.args]
        except SyntaxError:
            continue  # running the cell says it better
        for call in calls:
            name, first = getattr(call.func, "id", getattr(call.func, "attr", "")), call.args[0]
            if name == "vouch" and isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(normal(first.value))
    return found


def unvouched(text: str) -> list[tuple[int, str]]:
    """The numbers in the prose of a chapter that no cell of it vouches for, each with its line, from 1."""
    known = vouched(text)
    missing = []
    for line, words in prose(text):
        words = _NAME.sub(lambda match: " " * len(match[0]), words)
        missing += [(line + 1, found[0]) for found in _NUMBER.finditer(words) if normal(found[0]) not in known]
    return missing


def check(app: Sphinx, docname: str, source: list[str]) -> None:
    for line, number in unvouched(source[0]):
        text = f'the number {number} in the text is not vouched for: a cell has to call vouch("{number}", value)'
        logger.warning(text, location=(docname, line), type="whyformer", subtype="number")


def setup(app: Sphinx) -> None:
    app.connect("source-read", check)
