"""Steps of a lab: something to do and to look for, then a sentence, with the conditions that make it true.

A step is declared in the class of its lab::

    Step(
        "If we do not divide, “{winner}” has {largest:.0%} by luck.",
        asks="Drag dₖ to 512. Do the words still share?",
        state={"d_k": 8},
        moved=("d_k >= 256",),
        told_at={"d_k": 512},
        cases=((("d_k < 16",), "Here the words still share: the largest weight is {largest:.0%}."),),
        when=("largest > 0.5",),
        shows=("walks", "weights"),
        controls=("d_k",),
    )

The reader sees the setting and what is asked. Once the reader's change makes ``moved`` true, or on *Tell me*, the
sentence is told; its gaps are filled at the present state. So it must hold at every value of the controls on stage, or
have cases.

Conditions are data, so that Python and the page judge alike: a control or a number in the series, compared with a
number, with a word in quotes, or with another control or number, which may be multiplied.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whyformer.lab.control import Choice, Listed, Seed, Vector

if TYPE_CHECKING:
    from whyformer.lab.lab import Lab

NUMBER = r"-?[\d.]+(?:e-?\d+)?"
CONDITION = re.compile(rf"(\w+) (<=|>=|==|!=|<|>) (?:({NUMBER}) \* )?(?:({NUMBER})|'([\w.]*)'|([a-z]\w*))")
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def parsed(condition: str) -> dict[str, Any]:
    """A condition as data: ``left``, ``compare`` and ``right``, a value or ``{"times": factor, "name": name}``.

    Raises ``ValueError`` if it is not one comparison.
    """
    found = CONDITION.fullmatch(condition)
    if not found or (found[3] and not found[6]):
        raise ValueError(f'{condition!r} is not a condition such as "largest > 0.9" or "spread > 2 * other"')
    left, compare, times, number, word, name = found.groups()
    right: Any = {"times": float(times or 1), "name": name}
    if number is not None:
        right = float(number)
    elif word is not None:
        right = word
    return {"left": left, "compare": compare, "right": right}


def holds(conditions: tuple[str, ...], state: Mapping[str, Any], series: Mapping[str, Any]) -> bool:
    """Whether all ``conditions`` are true. Raises ``KeyError`` if one names neither a control nor a number."""
    values = {name: value for name, value in series.items() if np.ndim(value) == 0} | dict(state)
    for condition in map(parsed, conditions):
        right = condition["right"]
        if isinstance(right, dict):
            right = right["times"] * values[right["name"]]
        if not COMPARE[condition["compare"]](values[condition["left"]], right):
            return False
    return True


Conditions = tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """Something that is asked, and then told.

    * ``says``: what is told, one or two sentences; the gaps are filled with the numbers of the series at the present
      state. A step that says nothing tells the lab's sentence
    * ``asks``: what to do and what to look for
    * ``state``: what differs from the lab's default in the setting, the state before the surprise; the first step
      starts at the default
    * ``shows``: the panels on stage, the most important first; a narrow screen shows the first alone, or the first
      ``narrow``; ``controls``: those on stage, at most four
    * ``when``: what makes the sentence true; ``cases``: what is told instead where conditions hold, the first counts
    * ``moved``: what the reader has to reach, by default any control on stage but a draw differs from the setting, one
      with a range by at least a tenth of it; ``told_at``: what differs from the setting in a state where ``moved``
      holds, for *Tell me* and for paper
    """

    says: str
    asks: str
    shows: tuple[str, ...]
    controls: tuple[str, ...]
    state: Mapping[str, Any] | None = None
    when: Conditions = ()
    narrow: int = 1
    cases: tuple[tuple[Conditions, str], ...] = ()
    moved: Conditions = ()
    told_at: Mapping[str, Any] | None = None

    def declaration(self) -> dict[str, Any]:
        """What the front end is told of the step, as JSON values."""
        return {
            "says": self.says,
            "asks": self.asks,
            "state": dict(self.state or {}),
            "shows": list(self.shows),
            "narrow": self.narrow,
            "controls": list(self.controls),
            "when": [parsed(condition) for condition in self.when],
            "cases": [{"when": [*map(parsed, when)], "says": says} for when, says in self.cases],
            "moved": [parsed(condition) for condition in self.moved],
            "told_at": dict(self.told_at or {}),
        }


def setting_of(lab: type[Lab], step: Step) -> dict[str, Any]:
    """The state in which a step begins, in full."""
    return {name: control.default_value for name, control in lab.controls().items()} | dict(step.state or {})


def told_of(lab: type[Lab], step: Step) -> dict[str, Any]:
    """The state in which the sentence of a step is told without the reader, in full."""
    return setting_of(lab, step) | dict(step.told_at or {})


def has_moved(lab: type[Lab], step: Step, state: Mapping[str, Any], series: Mapping[str, Any]) -> bool:
    """Whether the reader has done what a step asks for."""
    if step.moved:
        return holds(step.moved, state, series)
    setting, controls = setting_of(lab, step), lab.controls()
    return any(_differs(controls[name], setting[name], state[name]) for name in step.controls)


def _differs(control: Any, before: Any, now: Any) -> bool:
    """By at least a tenth of the range if there is one: a twitch is no try. Another draw is none either."""
    if isinstance(control, Seed):
        return False
    if isinstance(control, Choice):
        return bool(before != now)
    if isinstance(control, Listed):
        values = list(control.values)
        return 10 * abs(values.index(now) - values.index(before)) >= len(values) - 1
    if isinstance(control, Vector):
        apart = [abs(a - b) for a, b in zip(before, now, strict=False)]
        return len(before) != len(now) or 10 * max(apart) >= control.max - control.min
    return bool(10 * abs(now - before) >= control.max - control.min)


def told(step: Step, state: Mapping[str, Any], series: Mapping[str, Any]) -> str | None:
    """What a step tells at a state: its first case that holds, or its sentence; else nothing, the lab's does it."""
    found = next((says for when, says in step.cases if holds(when, state, series)), None)
    return found or (step.says if step.says and holds(step.when, state, series) else None)


#: So many states are tried at most, all together or a few controls at a time.
MOST = 300


def states_on_stage(lab: type[Lab], step: Step) -> Iterator[dict[str, Any]]:
    """Where the controls on stage can stand: all values, together if they are few, else one control at a time from
    the setting and from where the step is told, and many drawn ones. Of a draw 40 values, of a vector drawn ones."""
    controls = {name: lab.controls()[name] for name in step.controls}
    values = {name: _values(control) for name, control in controls.items()}
    setting, end = setting_of(lab, step), told_of(lab, step)
    yield setting
    yield end
    yield end | {name: all_of[-1] for name, all_of in values.items()}
    if np.prod([len(all_of) for all_of in values.values()]) <= MOST:
        for chosen in itertools.product(*values.values()):
            yield setting | dict(zip(values, chosen, strict=True))
        return
    for start in (setting, end):
        for name, all_of in values.items():
            for value in all_of:
                yield start | {name: value}
    rng = np.random.default_rng(50)
    for _ in range(MOST // 4):
        yield setting | {name: all_of[rng.integers(len(all_of))] for name, all_of in values.items()}


def _values(control: Any) -> list[Any]:
    if isinstance(control, Seed):
        return [control.default_value, *range(40)]
    if isinstance(control, Choice):
        return list(control.options)
    if isinstance(control, Listed):
        return list(control.values)
    if isinstance(control, Vector):
        rng = np.random.default_rng(50)
        return [control.sample(rng) for _ in range(200)]
    count = round((control.max - control.min) / control.step)
    return [control.min + control.step * i for i in range(count)] + [control.max]


def faults(lab: type[Lab], step: Step) -> list[str]:
    """What is wrong with a step, in words; nothing if it is right.

    Its sentence is tried at three states: the setting, where it is told, and with the controls on stage at their ends.
    :func:`lies` tries all.
    """
    found, start = [], setting_of(lab, step)
    if has_moved(lab, step, start, lab.compute(**start)):
        found.append("what it asks for is reached before the reader moves")
    end = told_of(lab, step)
    if not has_moved(lab, step, end, lab.compute(**end)):
        found.append(f"told at {dict(step.told_at or {})}, what it asks for is not reached")
    return found + lies(lab, step, most=3)


def lies(lab: type[Lab], step: Step, most: int | None = None) -> list[str]:
    """Where the sentence of a step, and all its cases, are false: among the states on stage, the first."""
    if not step.says:
        return []
    for state in itertools.islice(states_on_stage(lab, step), most):
        if told(step, state, lab.compute(**state)) is None:
            where = {name: state[name] for name in step.controls}
            return [f"what it tells is not true at {where}, and no case is"]
    return []
