"""Whether what a text prints is what a check found: a number rounds from its value, a word is true of its values."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import numpy as np

from whyformer.lab.words import t
from whyformer.proof.words import WORDS

#: A number as it is printed: 0.071, 2.78e-8, 28 %, 2,000.
NUMBER = re.compile(r"([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:e([+-]?\d+))?( ?%)?")

#: What a value that is 0 but for rounding stays below; its digits differ between processors.
ROUNDING = 1e-12


def plain_number(text: str) -> str:
    """One spelling: a plain minus, a plain space."""
    return re.sub(r"\s", " ", text.replace("\N{MINUS SIGN}", "-"))


def rounds(text: str, value: float, within: float = 0.5) -> bool:
    """Whether ``value`` rounds to a number as printed; 0.28 is printed as "28 %". ``ValueError`` if it is no number.

    within: how many units of the last printed digit it may lie off.
    """
    match = NUMBER.fullmatch(plain_number(text))
    if not match:
        raise ValueError(f"{text!r} is not a number as printed in prose, such as '0.071', '2.8e-8', '28 %' or '2,000'")
    mantissa, exponent, percent = match.groups()
    mantissa = mantissa.replace(",", "")
    scale = Decimal(10) ** int(exponent or 0) / (100 if percent else 1)
    last_digit = Decimal(10) ** -len(mantissa.partition(".")[2]) * scale
    if not math.isfinite(value):
        return False
    return abs(Decimal(float(value)) - Decimal(mantissa) * scale) <= last_digit * Decimal(str(within * 1.000001))


def is_number(key: str) -> bool:
    """Whether what the text prints is a number, and no word."""
    return bool(NUMBER.fullmatch(plain_number(key)))


def exactly(key: str, value: Any) -> bool:
    """Whether a printed number is the value itself, so that nobody learns more from the value: "10 %" of 0.1."""
    return is_number(key) and np.ndim(value) == 0 and rounds(key, float(value), within=1e-6)


def word_of(key: str) -> str | None:
    """The word of the table by which a key is judged: the longest at its beginning; None if there is none."""
    words = re.findall(r"[\w-]+", key.lower())
    starts = (" ".join(words[:length]) for length in range(len(words), 0, -1))
    return next((start for start in starts if start in WORDS), None)


def judge(key: str, value: Any) -> None:
    """Raise ``AssertionError`` unless what is printed is so; ``ValueError`` for what cannot be judged."""
    if is_number(key):
        number = np.asarray(value)
        if number.ndim or number.dtype.kind not in "iuf":
            raise ValueError(f"{key!r} is a number, so its value has to be one; got {value!r}")
        if not rounds(key, number.item()):
            raise AssertionError(f"the text says {key}, the check finds {number.item():.6g}")
        return
    word = word_of(key)
    if word is None:
        raise ValueError(f"{key!r} begins neither with a number nor with a word of whyformer.proof.words")
    try:
        true = WORDS[word](value)
    except ValueError as error:
        raise ValueError(f"{key!r}: the word {word!r} {error}") from None
    if not true:
        raise AssertionError(f"{key!r} is not true of {shown(value)}")


def shown(value: Any) -> str:
    """A value for a reader, to four digits, since later ones differ between processors; what is rounding alone is 0."""
    if isinstance(value, tuple) and len(value) == 2:
        return t("{this} against {that}", this=shown(value[0]), that=shown(value[1]))
    numbers = np.asarray(value)
    if numbers.dtype == bool:
        return t("{count} of {all} cases", count=int(numbers.sum()), all=numbers.size)
    if numbers.ndim == 0:
        return four_digits(numbers.item()) if numbers.dtype.kind == "f" else str(numbers.item())
    if numbers.size > 6:
        low, high = four_digits(numbers.min()), four_digits(numbers.max())
        return t("{count} numbers from {low} to {high}", count=numbers.size, low=low, high=high)
    return ", ".join(four_digits(number) for number in numbers.ravel())


def setting(value: Any) -> str:
    """A setting for a reader, as exactly as it was given."""
    rows = value if isinstance(value, tuple | list) else (value,)
    return " / ".join(f"{one:,}" if isinstance(one, int) else str(one) for one in rows)


def four_digits(number: float) -> str:
    return f"{0 if abs(number) < ROUNDING else number:.4g}"
