"""What a check asks of its numbers. Each raises ``AssertionError`` with the values, and none hangs on rounding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from whyformer.proof.words import MARGIN


def draws(count: int, seed: int = 0) -> Iterator[np.random.Generator]:
    """``count`` independent random generators; the first few are the same whatever the count."""
    return (np.random.default_rng([seed, number]) for number in range(count))


def _worst(values: np.ndarray, at: int) -> str:
    where = f", at number {at} of {values.size}" if values.size > 1 else ""
    return f"{values.ravel()[at].item():.6g}{where}"


def always_larger(values: Any, bound: Any, by: float = MARGIN) -> None:
    """Raise unless every value is larger than the bound, by more than the share ``by`` of the larger of the two.

    values, bound: numbers or arrays of one shape.
    """
    found, least = np.broadcast_arrays(np.asarray(values, float), np.asarray(bound, float))
    if not found.size:
        raise ValueError("always_larger: no values are given")
    ahead = found - least - by * np.maximum(abs(found), abs(least))
    if not (ahead > 0).all():
        at = int(np.nanargmin(ahead)) if not np.isnan(ahead).all() else 0
        raise AssertionError(f"{_worst(found, at)}, is not larger than {least.ravel()[at]:.6g}")


def clearly_larger(this: Any, that: Any) -> None:
    """Raise unless ``this`` is larger than ``that`` by more than a twentieth of the larger one, each of them."""
    always_larger(this, that, by=0.05)


def always_close(values: Any, expected: Any, within: float) -> None:
    """Raise unless every value is at most ``within`` from what is expected."""
    found, wanted = np.broadcast_arrays(np.asarray(values, float), np.asarray(expected, float))
    if not found.size:
        raise ValueError("always_close: no values are given")
    off = abs(found - wanted)
    if not (off <= within).all():
        at = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
        raise AssertionError(f"{_worst(found, at)}, is not within {within:g} of {wanted.ravel()[at]:.6g}")


def same(this: Any, that: Any) -> None:
    """Raise unless two numbers or arrays are the same but for rounding: to 1e-9 of the largest of them."""
    largest = max(np.abs(np.asarray(this, float)).max(initial=0), np.abs(np.asarray(that, float)).max(initial=0))
    always_close(this, that, within=1e-9 * float(largest))


def holds(condition: Any, **values: Any) -> None:
    """Raise, with the values, unless the condition is true, everywhere."""
    held = np.asarray(condition)
    if not held.size or held.dtype != bool or not held.all():
        told = ", ".join(f"{name} = {value!r}" for name, value in values.items())
        raise AssertionError(f"it does not hold{f' for {told}' if told else ''}")
