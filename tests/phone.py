"""What a step speaks of, by names, and what a reader sees of it: the tables of pictures say which panel shows what.

A sentence speaks of numbers (``largest``, ``ratio``) that sum up a series; ``READ_OFF`` in ``pictures.py`` says which
series a reader reads each number off. A name: that series is seen. A tuple: all of these. A list: any of these. A
function of the controls gives one of these. "panel x": that panel is seen. A number without an entry is a series of its
own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from picture_checks import Panel
from pictures import Mark, Plot
from whyformer.lab import Lab, Step
from whyformer.lab.step import parsed
from whyformer.lab.words import gaps_of

CELLS = ((0, 0), (0, 1), (1, 0))


class Noted(dict[str, Any]):
    """A mapping that notes which of its entries were asked for."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)


def shown_by(panel: Panel, series: Mapping[str, Any], state: Mapping[str, Any]) -> set[str]:
    """The series and controls that the words and marks of a panel show at a state; its axes show nothing."""
    noted, controls = Noted(series), Noted(state)
    if panel.when is None or panel.when(noted, controls):
        _ask([panel.title, panel.marks] if isinstance(panel, Plot) else _parts(panel), noted, controls)
    return noted.asked | controls.asked


def _parts(one: Any) -> list[Any]:
    return [getattr(one, field.name) for field in fields(one) if field.name != "when"]


def _ask(part: Any, series: Noted, state: Noted) -> None:
    if isinstance(part, Mark) and part.when is not None and not part.when(series, state):
        return
    if is_dataclass(part):
        part = _parts(part)
    if isinstance(part, Mapping):
        part = list(part.values())
    if isinstance(part, (list, tuple)):
        for each in part:
            _ask(each, series, state)
    elif callable(part):
        _evaluate(part, series, state)


def _evaluate(channel: Callable[..., Any], series: Noted, state: Noted) -> None:
    parameters = inspect.signature(channel).parameters.values()
    cell = sum(each.default is each.empty for each in parameters) - 2  # of series and state there are always two
    for place in CELLS if cell > 0 else ((),):
        channel(series, state, *place[:cell])


def spoken_of(lab: type[Lab], step: Step) -> tuple[set[str], set[str]]:
    """The numbers and the controls that a step's sentence, conditions and goal name.

    What they say of a control that is off stage says where it stays.
    """
    conditions = [parsed(condition) for condition in (*step.when, *step.goal)]
    judged = {each["left"] for each in conditions} | {
        each["right"]["name"] for each in conditions if isinstance(each["right"], dict)
    }
    controls = set(lab.controls())
    gaps = gaps_of(step.says)
    return (gaps | judged) - controls, (gaps & controls) | (judged & set(step.controls))


def is_seen(number: str, read_off: Mapping[str, Any], shown: Iterable[str], state: Mapping[str, Any]) -> bool:
    """Whether what a number is read off is among the series that are ``shown``."""
    return _all_in(read_off.get(number, number), set(shown), state)


def _all_in(wanted: Any, shown: set[str], state: Mapping[str, Any]) -> bool:
    if callable(wanted):
        return _all_in(wanted(state), shown, state)
    if isinstance(wanted, list):
        return any(_all_in(each, shown, state) for each in wanted)
    if isinstance(wanted, tuple):
        return all(_all_in(each, shown, state) for each in wanted)
    return wanted in shown
