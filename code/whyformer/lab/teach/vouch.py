"""``vouch("0.071", value)``: the number printed in the text is the number that was computed.

Prose holds plain numbers, so that it reads the same on a page, in a notebook and on paper. Each decimal number and each
percentage in a chapter has to be vouched for by a cell of the same chapter; the build refuses a chapter in which one
is not (``whyformer.book.prose``).
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

_NUMBER = re.compile(r"^([+-]?\d+(?:\.\d+)?)(?:e([+-]?\d+))?( ?%)?$")


def vouch(text: str, value: float, *, within: float = 0.5) -> None:
    """Raise ``AssertionError`` unless ``value`` rounds to ``text``.

    text: a number as printed, such as ``"0.071"``, ``"2.78e-8"``, ``"28 %"``. value: what was computed (0.28 for
    "28 %"). within: how many units of the last printed digit it may lie off; 0.5 is rounding, more is for prose that
    says "about". Raises ``ValueError`` if ``text`` is no number.
    """
    match = _NUMBER.match(text.replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}", " ").replace(" ", " "))
    if not match:
        raise ValueError(f"vouch: {text!r} is not a number as printed in prose, such as '0.071', '2.8e-8' or '28 %'")
    mantissa, exponent, percent = match.groups()
    scale = Decimal(10) ** int(exponent or 0) / (100 if percent else 1)
    last_digit = Decimal(10) ** -len(mantissa.partition(".")[2]) * scale
    if not math.isfinite(value):
        raise AssertionError(f"the text says {text}, the computation says {float(value)!r}")
    off = abs(Decimal(float(value)) - Decimal(mantissa) * scale)
    if not off <= last_digit * Decimal(str(within)) * Decimal("1.000001"):
        raise AssertionError(f"the text says {text}, the computation says {float(value)!r}")
