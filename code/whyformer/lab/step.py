"""Steps of a lab: a claim at a state, in one sentence, with the conditions that make it true.

A step is declared in the class of its lab::

    Step(
        "At d_k = 512 one key takes {largest_unscaled:.0%} of the weight.",
        state={"d_k": 512},
        shows=("weights unscaled",),
        controls=("d_k",),
        when=("largest_unscaled > 0.9",),
        over=Over(seeds=40, near=({"d_k": 256},), share=0.8),
    )

Conditions are data, so that Python and the page judge alike: a control or a number in the series, compared with a
number, with a word in quotes, or with another control or number, which may be multiplied.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whyformer.lab.control import Seed

if TYPE_CHECKING:
    from whyformer.lab.lab import Lab

NUMBER = r"-?[\d.]+(?:e-?\d+)?"
CONDITION = re.compile(rf"(\w+) (<=|>=|==|!=|<|>) (?:({NUMBER}) \* )?(?:({NUMBER})|'(\w*)'|([a-z]\w*))")
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


@dataclass(frozen=True)
class Over:
    """For what a step's sentence holds beside its own state: so many draws, at neighbouring states too.

    ``share`` is the least share of all of these in which the conditions hold. A share below 1 is said in the sentence.
    """

    seeds: int = 40
    near: tuple[Mapping[str, Any], ...] = ()
    share: float = 1.0


@dataclass(frozen=True)
class Step:
    """A claim at a state.

    * ``says``: one sentence; its gaps are filled with the numbers of the series at the step's state
    * ``state``: what differs from the lab's default; the first step starts at the default
    * ``shows``: the panels on stage, the most important first; a narrow screen shows the first alone, or the first
      ``narrow``; ``controls``: those on stage, at most four
    * ``when``: what makes the sentence true; ``over``: how generally
    * ``goal``: in a challenge, what the reader has to reach; ``solution``: a state in which it is reached; ``learned``:
      one sentence that stands there from then on; ``counts``: whether the reader's tries are counted until then
    """

    says: str
    shows: tuple[str, ...]
    controls: tuple[str, ...]
    state: Mapping[str, Any] | None = None
    when: tuple[str, ...] = ()
    over: Over = Over()
    narrow: int = 1
    goal: tuple[str, ...] = ()
    solution: Mapping[str, Any] | None = None
    learned: str = ""
    counts: bool = False

    def declaration(self) -> dict[str, Any]:
        """What the front end is told of the step, as JSON values."""
        return {
            "says": self.says,
            "state": dict(self.state or {}),
            "shows": list(self.shows),
            "narrow": self.narrow,
            "controls": list(self.controls),
            "when": [parsed(condition) for condition in self.when],
            "goal": [parsed(condition) for condition in self.goal],
            "learned": self.learned,
            "counts": self.counts,
        }


def states_of(lab: type[Lab], step: Step) -> Iterator[dict[str, Any]]:
    """The states for which a step speaks: its own, neighbours of it, each for many draws."""
    controls = lab.controls()
    start = {name: control.default_value for name, control in controls.items()} | dict(step.state or {})
    seed = next((name for name, control in controls.items() if isinstance(control, Seed)), None)
    for change in ({}, *step.over.near):
        state = start | dict(change)
        yield state
        if seed:
            for number in range(step.over.seeds):
                yield state | {seed: number}


def faults(lab: type[Lab], step: Step) -> list[str]:
    """What is wrong with a step at its own state and in its challenge, in words; nothing if it is right."""
    start = next(states_of(lab, step))
    found = (
        []
        if holds(step.when, start, lab.compute(**start))
        else [f"its sentence is not true at {dict(step.state or {})}"]
    )
    if step.goal:
        if holds(step.goal, start, lab.compute(**start)):
            found.append("its challenge is met before it begins")
        end = start | dict(step.solution or {})
        if not holds(step.goal, end, lab.compute(**end)):
            found.append(f"its solution {step.solution} does not meet its challenge")
        if not step.learned:
            found.append("its challenge ends without a sentence of what was learned")
    return found


def share_that_holds(lab: type[Lab], step: Step) -> float:
    """The share of the states for which a step speaks in which its conditions are true."""
    states = list(states_of(lab, step))
    return float(np.mean([holds(step.when, state, lab.compute(**state)) for state in states]))
