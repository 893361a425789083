"""Checks for exercises: say whether an answer is right, and if it is a known slip, which one.

Called with an answer, a check prints what it thinks of it. A check of a number or of a choice also makes a form for a
page or a notebook, ``check.field()``, which needs no kernel: it carries what there is to say, veiled. Both judge by the
same spans and say the same words. Twin: ``judge.ts``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from whyformer.lab.teach.field import Field
from whyformer.lab.teach.number import DIGITS, value_of
from whyformer.lab.teach.predict import Option
from whyformer.lab.teach.veil import veil
from whyformer.lab.words import t

_NUMBER = re.compile(rf"[+-]?{DIGITS}")
_COMMA = re.compile(r"[+-]?[0-9.,]*,[0-9.,]*([eE][+-]?[0-9]+)?")
_BLANKS = " \t\r\n\N{NO-BREAK SPACE}"

# What is said whatever the exercise; the form is told, so that it repeats no words.
NUMBER_WORDS = {
    "right": "Right.",
    "larger": "Not yet. The answer is larger.",
    "smaller": "Not yet. The answer is smaller.",
    "empty": "No answer yet: write a number.",
    "comma": "Write the decimal mark as a point, and nothing between thousands: 1234.5.",
    "nonsense": "The answer should be one number, such as 0.25, 2e-5, 1/8 or sqrt(3).",
    "endless": "That number is larger than any computer number.",
}
CHOICE_WORDS = {"empty": "No answer yet: choose one.", "nonsense": "The answer should be one of the options."}


class _Judgement(NamedTuple):
    """What to say to an answer, and whether it is right."""

    says: str
    right: bool


class _Span(NamedTuple):
    """Numbers from ``low`` to ``high``, both included, and what to say to them."""

    low: float
    high: float
    says: str
    right: bool = False


class _OneAnswer:
    """What checks of one number or one choice share."""

    def judge(self, answer: Any) -> _Judgement:
        """What to say to an answer as code or a form gives it, and whether it is right."""
        raise NotImplementedError

    def declaration(self) -> dict[str, Any]:
        """What a form is told."""
        raise NotImplementedError

    def field(self, label: str = "Your answer") -> Field:
        """A form that checks an answer on a page, without a kernel; in a notebook it is a widget."""
        return Field(self.declaration(), label)

    def __call__(self, answer: Any) -> bool:
        """Whether ``answer`` is right; prints what to think about. ``...`` means that there is none yet."""
        if answer is ...:
            return _say("No answer yet: put yours in place of the dots.", False)
        says, right = self.judge(answer)
        print(says)
        return right


class _Spans(_OneAnswer):
    """A check of one number: the first span that holds it speaks, the first of all is right."""

    spans: list[_Span]

    def judge(self, answer: Any) -> _Judgement:
        """What to say to a number, or to the text of one, and whether it is right."""
        number = _read(answer)
        if isinstance(number, str):
            return _Judgement(t(NUMBER_WORDS[number]), False)
        for low, high, says, right in self.spans:
            if low <= number <= high:
                return _Judgement(t(says), right)
        return _Judgement(t(NUMBER_WORDS["larger" if number < self.spans[0].low else "smaller"]), False)

    def declaration(self) -> dict[str, Any]:
        """What a form is told: words for all numbers, and the spans, veiled."""
        return {"check": "number", "words": NUMBER_WORDS, "veiled": veil(self.spans)}


class Check(_Spans):
    """A check for one number. ``check(answer)`` prints what to think about, and returns whether the answer is right.

    right: the right number. hints: what to say to known slips, feedback to wrong number. rtol: how near an answer has
    to come to one of these; where two are nearer to each other than that, the nearest counts.
    ``...`` in place of an answer means that there is none yet.
    """

    def __init__(self, right: float, hints: Mapping[str, float], *, rtol: float = 1e-3) -> None:
        self.right, self.hints, self.rtol = right, hints, rtol
        self.spans = [self._near(right, NUMBER_WORDS["right"], True)]
        self.spans += [self._near(slip, hint) for hint, slip in hints.items()]

    def _near(self, target: float, says: str, right: bool = False) -> _Span:
        reach, gaps = self.rtol * abs(target), [(other - target) / 2 for other in (self.right, *self.hints.values())]
        down = min([reach, *(-gap for gap in gaps if gap < 0)])
        up = min([reach, *(gap for gap in gaps if gap > 0)])
        return _Span(float(target - down), float(target + up), says, right)


class CheckRange(_Spans):
    """A check for a number that is read off: right between two bounds, with one known slip between two others."""

    def __init__(self, low: float, high: float, *, hint: str, hinted: tuple[float, float]) -> None:
        self.low, self.high, self.hint, self.hinted = low, high, hint, hinted
        self.spans = [_Span(float(low), float(high), NUMBER_WORDS["right"], True)]
        self.spans.append(_Span(float(hinted[0]), float(hinted[1]), hint))


class CheckChoice(_OneAnswer):
    """A check for one choice out of two to six, each with what to say to it; exactly one is right.

    ``check(2)`` or ``check("its text")`` chooses the second option.
    """

    def __init__(self, options: Sequence[Option]) -> None:
        self.options = list(options)
        if not 2 <= len(self.options) <= 6 or sum(option.right for option in self.options) != 1:
            raise ValueError(
                f"CheckChoice needs 2 to 6 options, exactly one of them right; got {len(self.options)} options"
            )

    def judge(self, answer: Any) -> _Judgement:
        """What to say to the number of an option, counted from 1, or to its text, and whether it is right."""
        text = str(answer).strip(_BLANKS)
        numbered = {str(i): option for i, option in enumerate(self.options, 1)}
        option = (numbered | {option.text: option for option in self.options}).get(text)
        if option is None:
            return _Judgement(t(CHOICE_WORDS["nonsense" if text else "empty"]), False)
        return _Judgement(t(option.feedback), option.right)

    def declaration(self) -> dict[str, Any]:
        """What a form is told: the options, and what to say to each, veiled."""
        return {
            "check": "choice",
            "words": CHOICE_WORDS,
            "options": [option.text for option in self.options],
            "veiled": veil([_Judgement(option.feedback, option.right) for option in self.options]),
        }


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


def _read(answer: Any) -> float | str:
    """The number of an answer, or the name of what to say since it is none."""
    if isinstance(answer, str):
        text = answer.strip(_BLANKS).replace("\N{MINUS SIGN}", "-")
        if not _NUMBER.fullmatch(text):
            value = value_of(text)
            if value is None:
                return "empty" if not text else "comma" if _COMMA.fullmatch(text) else "nonsense"
            return value
        answer = text
    try:
        number = float(answer)
    except OverflowError:  # a whole number of Python has no largest
        return "endless"
    except (TypeError, ValueError):
        return "nonsense"
    if math.isnan(number):
        return "nonsense"
    return number if math.isfinite(number) else "endless"


def _say(text: str, right: bool, **gaps: object) -> bool:
    print(t(text, **gaps))
    return right
