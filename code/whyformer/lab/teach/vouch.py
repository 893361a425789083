"""``vouch("0.071", value)``: the number printed in the text is the number that was computed.

Prose holds plain numbers, so that it reads the same on a page, in a notebook and on paper. Each decimal number and each
percentage in a chapter has to be vouched for by a cell of the same chapter; the build refuses a chapter in which one
is not (``whyformer.book.prose``).
"""

from __future__ import annotations

import math

from whyformer.proof.judge import rounds


def vouch(text: str, value: float, *, within: float = 0.5) -> None:
    """Raise ``AssertionError`` unless ``value`` rounds to ``text``.

    text: a number as printed, such as ``"0.071"``, ``"2.78e-8"``, ``"28 %"``. value: what was computed (0.28 for
    "28 %"). within: how many units of the last printed digit it may lie off; 0.5 is rounding, more is for prose that
    says "about". Raises ``ValueError`` if ``text`` is no number.
    """
    if not rounds(text, value, within) or not math.isfinite(value):
        raise AssertionError(f"the text says {text}, the computation says {float(value)!r}")
