"""A lab in TypeScript and in Python, on the same states: where series or sentence differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from lab_cases import CANCELS, State
from playwright.sync_api import Page
from whyformer.lab import Lab

RELATIVE = 1e-9
# The square of a number below this is no longer a normal double, so a length that is summed up from squares has lost
# its digits (in both languages); a weight that small is 0 for every purpose of a picture.
FLOOR = 1e-150
# A sum of n terms may differ by n times 1.1e-16 of their size; the longest here has 10^5 terms.
ROUNDING = 1e-11

#: What the element of a lab shows at each state; series as pairs, since WebKit's driver sorts the keys of an object. A
#: number that is not finite would come as null, and differ.
SHOWN = """([name, states]) => {
  const element = document.querySelector(`whyformer-lab[name="${name}"]`);
  const plain = (value) => (typeof value === "number" ? value : Array.from(value));
  return states.map((state) => {
    element.set(state);
    const series = Object.entries(element.series).map(([key, value]) => [key, plain(value)]);
    return { series, words: element.description, state: element.state };
  });
}"""


def differences_on(page: Page, lab: type[Lab], states: list[State]) -> list[str]:
    """Where the element on a page shows another state, sentence or series than Python has."""
    answers = page.evaluate(SHOWN, [lab.slug, states])
    for answer in answers:
        answer["series"] = dict(answer["series"])
    other = [answer["state"] for answer, state in zip(answers, states, strict=True) if answer["state"] != state]
    return [*(f"the element shows {state}" for state in other), *differences(lab, states, answers)]


def differences(lab: type[Lab], states: list[State], answers: Iterable[dict[str, Any]]) -> list[str]:
    """Where ``answers``, the ``series`` and ``words`` of the front end, disagree with Python; the worst entry of each.

    A number that is not finite comes as its name, such as "NaN".
    """
    found = []
    for state, answer in zip(states, answers, strict=True):
        series = lab.compute(**state)

        class Computed(lab):  # the same lab, spared from computing once more for its sentence
            compute = staticmethod(lambda series=series, **state: series)

        words = Computed(**state).description
        if answer["words"] != words:
            found.append(f"{state}: {words!r} in Python, {answer['words']!r} in TypeScript")
        if list(answer["series"]) != list(series):
            return [*found, f"{state}: series {list(series)} in Python, {list(answer['series'])} in TypeScript"]
        for name, value in series.items():
            one, other = np.ravel(value), np.ravel(np.array(answer["series"][name], float))
            if (np.ndim(value) == 0) != (not isinstance(answer["series"][name], list)) or one.size != other.size:
                found.append(f"{state}: {name} has {one.size} numbers in Python, {other.size} in TypeScript")
                continue
            cancels = CANCELS.get((lab.slug, name), lambda _: 0.0)(series)
            allowed = RELATIVE * np.abs(one) + ROUNDING * cancels + FLOOR
            worst = int(np.argmax(np.abs(one - other) / allowed)) if one.size else 0
            if one.size and not abs(one[worst] - other[worst]) <= allowed[worst]:  # NaN is a difference too
                found.append(f"{state}: {name}[{worst}]: {one[worst]} in Python, {other[worst]} in TypeScript")
    return found
