"""What a step speaks of, by names, and what a reader sees of it: a panel shows what changes it.

A sentence speaks of numbers (``largest``, ``ratio``) that sum up a series; ``READ_OFF`` in a question's ``read_off.py``
says which series a reader reads each number off. A name: that series is seen. A tuple: all of these. A list: any of
these. A function of the controls gives one of these. "panel x": that panel is seen. A number without an entry is a
series of its own.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from whyformer.lab import Choice, Lab, Step
from whyformer.lab.host import still
from whyformer.lab.step import parsed
from whyformer.lab.words import gaps_of


def panels_in(blocks: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """The name of each panel, and all of it as text."""
    for block in blocks:
        if "blocks" in block:
            yield from panels_in(block["blocks"])
        elif "name" in block:
            yield block["name"], json.dumps(block)


def shown_by(lab: Lab) -> dict[str, set[str]]:
    """By panel: the series and controls of which another value changes it, at the present state of a lab."""
    asked = {"declaration": lab.declaration(), "state": lab.state, "size": "full"}
    (answer,) = still.computed(asked["declaration"], [lab.state])
    series = answer["series"]

    def drawn(**changed: Any) -> dict[str, str]:
        return dict(panels_in(still.picture({**asked, "series": series, **changed})))

    before = drawn()
    found: dict[str, set[str]] = {panel: set() for panel in before}
    changes = [(name, {"series": {**series, name: other}}) for name in series for other in _others(series[name])]
    for name, control in lab.controls().items():
        values = control.options if isinstance(control, Choice) else [control.sample(np.random.default_rng(3))]
        changes += [(name, {"state": {**lab.state, name: value}}) for value in values]
    for name, changed in changes:
        try:
            after = drawn(**changed)
        except Exception:  # noqa: BLE001, S112  # no picture of such numbers: another change of this name will tell
            continue
        for panel, text in before.items():
            if after.get(panel) != text:
                found[panel].add(name)
    return found


def _others(value: Any) -> list[Any]:
    """Other values of a series: a little larger, and, where it counts or names places, the next ones."""
    if not isinstance(value, list):
        return [value * 1.3 + 0.1, value + 1, max(0, value - 1)] if isinstance(value, int | float) else []
    numbers = [one for one in value if isinstance(one, int | float)]
    if len(numbers) < len(value):
        return []
    return [[one * 1.3 + 0.05 for one in value], value[1:] + value[:1], [1 - one for one in value]]


def read_off_of(lab: type[Lab]) -> Mapping[str, Any]:
    """Where the numbers of a lab's sentences are read off."""
    question, name = lab.slug.split("/")
    file = Path(__file__).parent / f"questions/{question}/read_off.py"
    return runpy.run_path(str(file))["READ_OFF"].get(name, {}) if file.is_file() else {}


def spoken_of(lab: type[Lab], step: Step) -> tuple[set[str], set[str]]:
    """The numbers and the controls that a step's sentence and conditions name.

    What they say of a control that is off stage says where it stays.
    """
    conditions = [parsed(condition) for condition in step.when]
    judged = {each["left"] for each in conditions} | {
        each["right"]["name"] for each in conditions if isinstance(each["right"], dict)
    }
    controls = set(lab.controls())
    gaps = gaps_of(step.says)
    return (gaps | judged) - controls, (gaps & controls) | (judged & set(step.controls))


def is_seen(number: str, read_off: Mapping[str, Any], shown: Iterable[str], state: Mapping[str, Any]) -> bool:
    """Whether a number itself, or what it is read off, is among the series that are ``shown``."""
    return number in shown or _all_in(read_off.get(number, number), set(shown), state)


def _all_in(wanted: Any, shown: set[str], state: Mapping[str, Any]) -> bool:
    if callable(wanted):
        return _all_in(wanted(state), shown, state)
    if isinstance(wanted, list):
        return any(_all_in(each, shown, state) for each in wanted)
    if isinstance(wanted, tuple):
        return all(_all_in(each, shown, state) for each in wanted)
    return wanted in shown
