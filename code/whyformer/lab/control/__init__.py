"""The controls of a lab: each a trait, so that a bad value is refused, and a declaration, so that a page can draw it.

A control is declared once, in the class body of its lab::

    class ScaleLab(Lab):
        d_k: Listed = Listed(default=512, values=D_K, label="d_k", help="size of a query")

The trait checks what Python sets; ``declaration`` is what the front end receives, so no range stands in two places.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any, Literal, TypeVar

import numpy as np
from ipywidgets import Widget
from traitlets import TraitError, TraitType, directional_link, link

Value = TypeVar("Value")  # the plain JSON value that a control holds


class Control(TraitType[Value, Value]):
    """What all controls share. ``label``, ``unit`` and ``help`` are English texts, translated where they are shown.

    A control is a trait: set to a value that it does not allow, it raises ``TraitError`` that says what is allowed. A
    value that comes through a link, from a slider of another range, becomes the nearest that is allowed, there too.
    """

    kind: str

    def __init__(self, default: Value, *, label: str, help: str = "", unit: str = "", **kwargs: Any) -> None:
        self.label, self.unit, self.help_text = label, unit, help
        super().__init__(default, help=f"{self.about()}: {self.explained()}.", **kwargs)
        self.tag(sync=True)

    def about(self) -> str:
        """What the control is, in words."""
        unit = f" ({self.unit})" if self.unit else ""
        return f"{self.label}{unit}, {self.help_text}" if self.help_text else f"{self.label}{unit}"

    def annotation(self) -> Any:
        """The type of its values, for signatures."""
        raise NotImplementedError

    def allowed(self) -> str:
        """What values are allowed, in words, for error messages."""
        raise NotImplementedError

    def explained(self) -> str:
        """What values are allowed, in words, for help."""
        return self.allowed()

    def coerce(self, value: Any) -> Value:
        """``value`` as the plain JSON value it stands for; raises ``ValueError`` or ``TypeError`` if it is none."""
        raise NotImplementedError

    def validate(self, obj: Any, value: Any) -> Value:
        """What :meth:`coerce` makes of ``value``; raises ``TraitError`` that names the lab and what is allowed."""
        try:
            return self.coerce(value)
        except (ValueError, TypeError):
            owner = type(obj).__name__ if obj is not None else "this lab"
            told = f"{owner}: {self.name} must be {self.allowed()}; got {value!r}"
        try:
            nearest = self.nearest(value)
        except (ValueError, TypeError):
            raise TraitError(told) from None
        if (frame := _link_that_sets()) is not None:
            obj._clamp(self.name, f"{told}, so it is {nearest!r}. This is said once.")
            _tell_other_side(frame, (obj, str(self.name)), nearest)
            return nearest
        raise TraitError(f"{told} (the nearest allowed value is {nearest!r})")

    def nearest(self, value: Any) -> Value:
        """The allowed value nearest to ``value``; raises ``ValueError`` or ``TypeError`` where there is none."""
        raise ValueError

    def details(self) -> dict[str, Any]:
        """What a kind of control declares beside what all do."""
        return {}

    def declaration(self) -> dict[str, Any]:
        """What the front end is told of the control, as JSON values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "default": self.default_value,
            "label": self.label,
            "unit": self.unit,
            "help": self.help_text,
            **self.details(),
        }

    def sample(self, rng: np.random.Generator) -> Value:
        """A random allowed value, for tests that compare the two computations of a lab."""
        raise NotImplementedError


def _link_that_sets() -> FrameType | None:
    """Where ``traitlets.link`` or a front end sets the value: there an error would reach nobody who could mend it."""
    both = (link.link, link._update_target, link._update_source)
    ways = (*both, directional_link.link, directional_link._update, Widget.set_state)
    linked = {way.__code__ for way in ways}
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code in linked:
            return frame
    return None


def _tell_other_side(frame: FrameType, end: tuple[Any, str], value: Any) -> None:
    """Give the other end of the ``traitlets.link`` that runs in ``frame`` the value that this ``end`` takes.

    The link is busy, so nothing comes back; and it compares the other end with the change that it handles, which
    therefore gets the value too.
    """
    tie = frame.f_locals.get("self")
    if type(tie) is not link or end not in (tie.source, tie.target):
        return
    (other, name), turned = (tie.source, tie._transform_inv) if end == tie.target else (tie.target, tie._transform)
    setattr(other, name, turned(value))
    if change := frame.f_locals.get("change"):
        change["new"] = getattr(other, name)


def _real(value: Any) -> float:
    is_one = np.isscalar(value)
    if isinstance(value, (bool, np.bool_, str)) or not is_one:
        raise TypeError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _whole(value: Any) -> int:
    number = _real(value)
    if number != int(number):
        raise ValueError
    return int(number)


class Number(Control[float]):
    """A real number from ``min`` to ``max``; ``step`` is the step of the slider, finer values are allowed."""

    kind = "number"

    def __init__(self, default: float, *, min: float, max: float, step: float, **kwargs: Any) -> None:
        self.min, self.max, self.step = min, max, step
        super().__init__(default, **kwargs)

    def allowed(self) -> str:
        """The range in words."""
        return f"a number from {self.min} to {self.max}"

    def annotation(self) -> Any:
        """``float``."""
        return float

    def coerce(self, value: Any) -> float:
        """A finite number in the range, of Python or NumPy, as a ``float``."""
        number = _real(value)
        if not self.min <= number <= self.max:
            raise ValueError
        return number

    def nearest(self, value: Any) -> float:
        """The number, or the end of the range on its side."""
        return min(max(_real(value), self.min), self.max)

    def details(self) -> dict[str, Any]:
        """Range and step."""
        return {"min": self.min, "max": self.max, "step": self.step}

    def sample(self, rng: np.random.Generator) -> float:
        """One end with probability 0.1, the other likewise, else uniform between them."""
        return float(rng.choice([self.min, self.max, rng.uniform(self.min, self.max)], p=[0.1, 0.1, 0.8]))


class Integer(Number):
    """A whole number from ``min`` to ``max``."""

    kind = "integer"
    min: int
    max: int

    def __init__(self, default: int, *, min: int, max: int, **kwargs: Any) -> None:
        super().__init__(default, min=min, max=max, step=1, **kwargs)

    def allowed(self) -> str:
        """The range in words."""
        return f"a whole number from {self.min} to {self.max}"

    def annotation(self) -> Any:
        """``int``."""
        return int

    def coerce(self, value: Any) -> int:
        """A whole number in the range, written 3 or 3.0, as an ``int``."""
        return int(super().coerce(_whole(value)))

    def nearest(self, value: Any) -> int:
        """The whole number nearest to it, or the end of the range on its side."""
        return round(super().nearest(value))

    def sample(self, rng: np.random.Generator) -> int:
        """Uniform over the range."""
        return int(rng.integers(self.min, self.max + 1))


class Seed(Integer):
    """Which draw: a whole number, shown with a button that draws again."""

    kind = "seed"

    def __init__(self, default: int, *, max: int = 9999, again: str = "draw again", **kwargs: Any) -> None:
        self.again = again
        super().__init__(default, min=0, max=max, **kwargs)

    def details(self) -> dict[str, Any]:
        """Range, step, and what the button says."""
        return super().details() | {"again": self.again}


class Listed(Control[int]):
    """One of an increasing list of whole numbers, spaced as one likes (by octaves, say)."""

    kind = "listed"

    def __init__(self, default: int, *, values: Sequence[int], **kwargs: Any) -> None:
        self.values = list(values)
        super().__init__(default, **kwargs)

    def allowed(self) -> str:
        """The numbers, or of a long list its beginning and its end, and where all of it stands."""
        owner = self.this_class if len(self.values) > 12 else None
        return f"{self.explained()}; {owner.__name__}.{self.name}.values has all" if owner else self.explained()

    def explained(self) -> str:
        """The numbers, or of a long list its beginning and its end."""
        if len(self.values) <= 12:
            return f"one of {', '.join(map(str, self.values))}"
        shown = ", ".join(map(str, self.values[:3]))
        return f"one of the {len(self.values)} whole numbers {shown}, ... {self.values[-1]}"

    def annotation(self) -> Any:
        """``int``."""
        return int

    def coerce(self, value: Any) -> int:
        """A number of the list, as an ``int``."""
        number = _whole(value)
        if number not in self.values:
            raise ValueError
        return number

    def nearest(self, value: Any) -> int:
        """The nearest number of the list."""
        number = _real(value)
        return min(self.values, key=lambda one: abs(one - number))

    def details(self) -> dict[str, Any]:
        """The list."""
        return {"values": self.values}

    def sample(self, rng: np.random.Generator) -> int:
        """Uniform over the list."""
        return int(rng.choice(self.values))


class Choice(Control[str]):
    """One of a few named options, ``{value: label}``."""

    kind = "choice"

    def __init__(self, default: str, *, options: Mapping[str, str], **kwargs: Any) -> None:
        self.options = dict(options)
        super().__init__(default, **kwargs)

    def allowed(self) -> str:
        """The values that can be chosen, without their labels."""
        return f"one of {', '.join(map(repr, self.options))}"

    def explained(self) -> str:
        """The values that can be chosen, each with what it means."""
        return "one of " + ", ".join(f"{value!r} ({label})" for value, label in self.options.items())

    def annotation(self) -> Any:
        """The values, as a ``Literal``."""
        return Literal[tuple(self.options)]

    def coerce(self, value: Any) -> str:
        """A value that can be chosen, as it is."""
        if not isinstance(value, str) or value not in self.options:
            raise ValueError
        return value

    def details(self) -> dict[str, Any]:
        """Values and labels, in order."""
        return {"options": [{"value": value, "label": label} for value, label in self.options.items()]}

    def sample(self, rng: np.random.Generator) -> str:
        """Uniform over the values."""
        return str(rng.choice(list(self.options)))


class Vector(Control[list[float]]):
    """A list of ``min_length`` to ``max_length`` numbers from ``min`` to ``max``; one slider each."""

    kind = "vector"

    def __init__(
        self,
        default: Sequence[float],
        *,
        min: float,
        max: float,
        step: float,
        min_length: int,
        max_length: int,
        **kwargs: Any,
    ) -> None:
        self.min, self.max, self.step = min, max, step
        self.min_length, self.max_length = min_length, max_length
        super().__init__(list(default), **kwargs)

    def allowed(self) -> str:
        """Length and range in words."""
        return f"a list of {self.min_length} to {self.max_length} numbers from {self.min} to {self.max}"

    def annotation(self) -> Any:
        """A list of ``float``."""
        return list[float]

    def coerce(self, value: Any) -> list[float]:
        """Any iterable of allowed numbers but a text, as a list of ``float``."""
        if isinstance(value, (str, bytes)):
            raise TypeError
        numbers = [_real(v) for v in value]
        if not self.min_length <= len(numbers) <= self.max_length or any(
            not self.min <= v <= self.max for v in numbers
        ):
            raise ValueError
        return numbers

    def nearest(self, value: Any) -> list[float]:
        """Each number in the range; raises ``ValueError`` if there are too few or too many."""
        return self.coerce([min(max(_real(v), self.min), self.max) for v in value])

    def details(self) -> dict[str, Any]:
        """Range, step, shortest and longest."""
        names = ("min", "max", "step", "min_length", "max_length")
        return {name: getattr(self, name) for name in names}

    def sample(self, rng: np.random.Generator) -> list[float]:
        """Length and numbers uniform over what is allowed."""
        length = int(rng.integers(self.min_length, self.max_length + 1))
        return [float(v) for v in rng.uniform(self.min, self.max, length)]
