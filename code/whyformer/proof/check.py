"""A check: a named function, what it returned, and how both are told to a reader."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from whyformer.lab.words import t
from whyformer.proof.judge import exactly, is_number, judge, setting, shown

#: What a check returns: for each number or word that the text prints, the value that it stands for.
Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Result:
    """What a check found: ``values`` by what the text prints of them, and ``faults``, what is not as printed.

    ``settings`` are those it was run with, by name; ``changed`` are those of them that are not the printed ones. What
    is not as printed then is no failure of the text, and is shown as what was found beside what the text has.
    """

    name: str
    how: str
    values: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    changed: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        given = [self.told] if self.told and not self.changed else []
        return "\n    ".join([self._head(), *given, *self._rows()])

    def _head(self) -> str:
        if not self.changed:
            return f"{'✗' if self.faults else '✓'} {self.name}: {self.how}"
        settings = ", ".join(f"{name}={value!r}" for name, value in self.changed.items())
        return f"{'' if self.faults else '✓ '}{self.name} with {settings}: {self.how}"

    def _rows(self) -> list[str]:
        """What was found, where it says more than the text."""
        rows = []
        for key, value in self.values.items():
            if key not in self.faults:
                rows += [] if exactly(key, value) else [f"{key}: {shown(value)}"]
            elif self.changed and is_number(key):
                rows.append(f"{shown(value)}; the text has {key}")
            else:
                rows.append(f"{key}: {self.faults[key]}")
        other = [fault for key, fault in self.faults.items() if key not in self.values]
        return rows + [f"with this setting: {fault}" if self.changed else fault for fault in other]

    @property
    def told(self) -> str:
        """The settings that are numbers, or a few of them, for a reader; empty if there are none."""
        rows = [f"{name} = {setting(value)}" for name, value in self.settings.items() if numbers_of(value)]
        return t("With {settings}.", settings=", ".join(rows)) if rows else ""


def numbers_of(value: Any) -> tuple[float, ...]:
    """The numbers of a setting: one, or those of a tuple or a list."""
    rows = value if isinstance(value, tuple | list) else (value,)
    return tuple(float(one) for one in rows if isinstance(one, int | float) and not isinstance(one, bool))


class Check(Protocol):
    """A function that ``check`` has made: called with other settings it says what is no longer as printed."""

    __name__: str
    __wrapped__: Callable[..., Numbers]
    is_check: bool

    def __call__(self, **settings: Any) -> Result:
        """Run it, with the printed settings where none is given."""


def check(function: Callable[..., Numbers]) -> Check:
    """Make a check of a function: keyword arguments are settings, with the printed ones as defaults.

    The docstring says in one plain sentence how it was tested; the function raises ``AssertionError`` where something
    does not hold, and returns what the text prints (``judge``); a number that is a setting need not be returned.
    Calling the check gives a ``Result`` and does not raise for what does not hold.
    """
    name = function.__name__
    if not (function.__doc__ or "").strip():
        raise ValueError(f"the check {name} needs a docstring: one sentence that says how it was tested")
    defaults = {one.name: one.default for one in inspect.signature(function).parameters.values()}
    if bare := [one for one, value in defaults.items() if value is inspect.Parameter.empty]:
        raise ValueError(f"the check {name} needs a default for its setting {bare[0]!r}: the printed value")
    how = " ".join(str(function.__doc__).split())

    @functools.wraps(function)
    def run(**settings: Any) -> Result:
        changed = {one: value for one, value in settings.items() if value != defaults.get(one)}
        result = Result(name, how, settings=defaults | settings, changed=changed)
        try:
            result.values.update(function(**settings))
        except AssertionError as error:
            result.faults[""] = str(error) or "an assertion without a word failed"
        for key, value in result.values.items():
            try:
                judge(key, value)
            except AssertionError as error:
                result.faults[key] = str(error)
        return result

    run.is_check = True  # type: ignore[attr-defined]
    return run  # type: ignore[return-value]


def checks_in(module: Any) -> dict[str, Check]:
    """The checks that a module defines, by name, in its order."""
    return {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "is_check", False) and value.__module__ == module.__name__
    }


class Report(list[Result]):
    """What the checks of a chapter found."""

    def __repr__(self) -> str:
        failed = sum(bool(result.faults) for result in self)
        return "\n".join([*map(repr, self), f"{len(self) - failed} checks hold, {failed} do not"])


def report(checks: Iterable[Check]) -> Report:
    """Run checks with the printed settings."""
    return Report(one() for one in checks)


def reporter(module_name: str) -> Callable[[], Report]:
    """A function without arguments that runs the checks of a module; a question's ``checks.py`` calls it ``report``."""

    def run() -> Report:
        """Run every check of the chapter with its printed settings; what a reader's cells have changed is not read."""
        return report(checks_in(sys.modules[module_name]).values())

    return run
