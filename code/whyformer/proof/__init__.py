"""Checks: named functions that try a sentence out and return what the text prints.

A question's ``checks.py`` is made of these. The text names the check:
``[At most one half.]{check=norm_at_most_a_half}``; the build runs it and
compares what it returns with what is printed (``whyformer_book.proof.marks``).
"""

from whyformer.proof.check import Check, Numbers, Result, check, reporter
from whyformer.proof.helpers import always_close, always_larger, clearly_larger, draws, holds, same

__all__ = [
    "Check",
    "Numbers",
    "Result",
    "always_close",
    "always_larger",
    "check",
    "clearly_larger",
    "draws",
    "holds",
    "reporter",
    "same",
]
