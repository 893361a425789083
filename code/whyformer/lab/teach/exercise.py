"""Checks for exercises: say whether an answer is right, and if it is a known slip, which one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from whyformer.lab.words import t


class Check:
    """A check for one number. ``check(answer)`` prints what to think about, and returns whether the answer is right.

    right: the right number. hints: what to say to known slips, feedback to wrong number. rtol: how near is right.
    ``...`` in place of an answer means that there is none yet.
    """

    def __init__(self, right: float, hints: Mapping[str, float], *, rtol: float = 1e-3) -> None:
        self.right, self.hints, self.rtol = right, hints, rtol

    def __call__(self, answer: Any) -> bool:
        """Whether ``answer`` is right; prints what to think about."""
        if answer is ...:
            return _say("No answer yet: put yours in place of the dots.", False)
        try:
            number = float(answer)
        except (TypeError, ValueError):
            return _say("The answer should be one number.", False)
        if self._near(number, self.right):
            return _say("Right.", True)
        for hint, slip in self.hints.items():
            if self._near(number, slip):
                return _say(hint, False)
        return _say(
            "Not yet. The answer is larger." if number < self.right else "Not yet. The answer is smaller.", False
        )

    def _near(self, number: float, target: float) -> bool:
        return bool(np.isclose(number, target, rtol=self.rtol, atol=0))


class CheckRange:
    """A check for a number that is read off: right between two bounds, with one known slip between two others."""

    def __init__(self, low: float, high: float, *, hint: str, hinted: tuple[float, float]) -> None:
        self.low, self.high, self.hint, self.hinted = low, high, hint, hinted

    def __call__(self, answer: Any) -> bool:
        """Whether ``answer`` is right; prints what to think about."""
        if answer is ...:
            return _say("No answer yet: put yours in place of the dots.", False)
        try:
            number = float(answer)
        except (TypeError, ValueError):
            return _say("The answer should be one number.", False)
        if self.low <= number <= self.high:
            return _say("Right.", True)
        if self.hinted[0] <= number <= self.hinted[1]:
            return _say(self.hint, False)
        return _say("Not yet. The answer is larger." if number < self.low else "Not yet. The answer is smaller.", False)


class CheckFunction:
    """A check for a function: tried on cases, each with what to say when it fails there."""

    def __init__(
        self, reference: Callable[..., Any], cases: Mapping[str, tuple[Any, ...]], *, rtol: float = 1e-9
    ) -> None:
        self.reference, self.cases, self.rtol = reference, cases, rtol

    def __call__(self, function: Any) -> bool:
        """Whether ``function`` is right in every case; prints what to think about, also when it raises."""
        if function is ...:
            return _say("No answer yet: put your function in place of the dots.", False)
        for hint, arguments in self.cases.items():
            expected = self.reference(*arguments)
            try:
                got = np.asarray(function(*arguments), float)
            except Exception as error:  # whatever a reader's code raises is feedback, not a crash
                return _say(
                    "Your function raised {error} for {arguments}.", False, error=repr(error), arguments=arguments
                )
            if got.shape != np.shape(expected) or not np.allclose(got, expected, rtol=self.rtol, atol=0):
                return _say(hint, False)
        return _say("Right, in every case tried.", True)


def _say(text: str, right: bool, **gaps: object) -> bool:
    print(t(text, **gaps))
    return right
