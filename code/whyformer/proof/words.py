"""What words say of numbers: one table, by which a word that a check returns is judged.

``{"higher loss": (tied, untied)}`` is judged by *higher*: a pair, the first above the second. ``{"two": heads}`` is
judged by *two*, ``{"half of the rows": share}`` by *half*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: By how much of the larger one two numbers have to differ before one is called larger: never by rounding.
MARGIN = 1e-6
COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
NUMBERS = {word: n for n, word in enumerate(COUNTS)} | {"hundred": 100, "thousand": 1e3, "million": 1e6}
#: Words for a ratio, each with the bounds within which it is fair. The value is the ratio, or the pair of which it is.
RATIOS = {
    **dict.fromkeys(("half", "halves", "halved"), (0.45, 0.55)),
    "a third": (0.3, 0.367),
    "two thirds": (0.633, 0.7),
    "a quarter": (0.225, 0.275),
    "three quarters": (0.725, 0.775),
    "a fifth": (0.18, 0.22),
    "a tenth": (0.09, 0.11),
    **dict.fromkeys(("twice", "doubles", "doubled"), (1.8, 2.2)),
    **dict.fromkeys(("triples", "tripled"), (2.7, 3.3)),
}
#: Words for a share of cases, each with the bounds of the share. The value is the share, or whether it holds in each.
SHARES = {
    **dict.fromkeys(("all", "every", "each", "always", "everything", "both"), (1.0, 1.0)),
    **dict.fromkeys(("no", "none", "never", "nothing", "cannot", "neither"), (0.0, 0.0)),
    "nearly all": (0.95, 1.0),
    "most": (0.5 + MARGIN, 1.0),
    "some": (MARGIN, 1 - MARGIN),
    "few": (MARGIN, 0.25),
}
GREATER = "larger greater more higher longer wider deeper above later slower sharper stronger".split()
LESS = "smaller less fewer lower shorter narrower below earlier faster weaker cheaper loses".split()
#: This one against each of the others; itself is not among them.
LARGEST = "largest highest longest widest slowest strongest".split()
SMALLEST = "smallest fewest lowest shortest fastest weakest cheapest".split()
UP = "grows grow growing rises rise rising".split()
DOWN = "falls fall falling shrinks shrink fades fade".split()
EQUAL = "equal same alike equally unchanged".split()
DIFFERENT = "different differ differs".split()


def _numbers(value: Any) -> np.ndarray:
    numbers = np.asarray(value, float)
    if not numbers.size:
        raise ValueError("has nothing to judge: no numbers are given")
    return numbers


def _pair(value: Any) -> tuple[np.ndarray, np.ndarray]:
    try:
        a, b = value
    except (TypeError, ValueError):
        raise ValueError("compares a pair: (this, that), numbers or arrays of one shape") from None
    return _numbers(a), _numbers(b)


def _greater(value: Any) -> bool:
    a, b = _pair(value)
    return bool((a - b > MARGIN * np.maximum(abs(a), abs(b))).all())


def _less(value: Any) -> bool:
    a, b = _pair(value)
    return _greater((b, a))


def _steps(value: Any) -> np.ndarray:
    values = _numbers(value)
    if values.ndim < 1 or values.shape[-1] < 2:
        raise ValueError("is about a course: two numbers at least, in their order along the last axis")
    scale = np.maximum(abs(values[..., 1:]), abs(values[..., :-1]))
    change = np.diff(values)
    return np.where(abs(change) > MARGIN * scale, change, 0.0)


def _same(value: Any) -> np.ndarray:
    a, b = _pair(value)
    if np.isnan(a).any() or np.isnan(b).any():
        raise ValueError("compares numbers, and one of them is not a number")
    return np.asarray(np.isclose(a, b, rtol=MARGIN, atol=1e-12))


def _between(low: float, high: float) -> Callable[[Any], bool]:
    return lambda value: bool(((_numbers(value) >= low) & (_numbers(value) <= high)).all())


def _ratio(low: float, high: float) -> Callable[[Any], bool]:
    def fair(value: Any) -> bool:
        above, below = _pair(value) if isinstance(value, tuple) else (_numbers(value), np.ones(()))
        return _between(low, high)(above / below)

    return fair


def _share(low: float, high: float) -> Callable[[Any], bool]:
    def fair(value: Any) -> bool:
        held = np.asarray(value)
        return _between(low, high)(held.mean() if held.dtype == bool and held.size else held)

    return fair


#: What each word means: whether it is true of a value. Comparisons take a pair, courses a row, shares a number.
WORDS: dict[str, Callable[[Any], bool]] = {
    **{word: _between(n, n) for word, n in NUMBERS.items()},
    **{word: _ratio(*bounds) for word, bounds in RATIOS.items()},
    **{word: _share(*bounds) for word, bounds in SHARES.items()},
    **dict.fromkeys([*GREATER, *LARGEST], _greater),
    **dict.fromkeys([*LESS, *SMALLEST], _less),
    "at most": lambda value: bool((_same(value) | np.less(*_pair(value))).all()),
    "at least": lambda value: bool((_same(value) | np.greater(*_pair(value))).all()),
    **dict.fromkeys(UP, lambda value: bool((_steps(value) > 0).all())),
    **dict.fromkeys(DOWN, lambda value: bool((_steps(value) < 0).all())),
    **dict.fromkeys(EQUAL, lambda value: bool(_same(value).all())),
    **dict.fromkeys(DIFFERENT, lambda value: not _same(value).any()),
}
