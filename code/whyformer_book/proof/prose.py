"""The numbers among the words that a reader reads.

A decimal number or a percentage has to be found by a check (``marks``). Numbers in code, formulas, addresses,
citations, and those of sections and versions are none of these.
"""

from __future__ import annotations

import re

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


def numbers(words: str) -> list[str]:
    """The decimal numbers and percentages in these words."""
    return [found[0] for found in _NUMBER.finditer(NAME.sub(lambda match: " " * len(match[0]), words))]
