"""A lab in a browser and in Python, on the same states: where series, sentence or state differ."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor

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

# Answers come back as one string of bytes: as JSON they would take longer than the computation.
RUN = """([name, states]) => {
  const lab = WhyformerLabs.labs.get(name), element = document.querySelector(`whyformer-lab[name="${name}"]`);
  const parts = [], answers = [];
  for (const state of states) {
    const series = lab.compute(structuredClone(state), element.data);
    const shape = Object.entries(series).map(([key, value]) => {
      const plain = typeof value === "number";
      parts.push(plain ? Float64Array.of(value) : Float64Array.from(value));
      return [key, plain ? "number" : value.constructor.name, plain ? 1 : value.length];
    });
    element.set(state);
    const shown = Object.values(element.series).every((v, i) => {
      const mine = Object.values(series)[i];
      return typeof v === "number" ? v === mine : v.every((x, k) => x === mine[k]);
    });
    answers.push({shape, words: element.description, state: element.state, shown});
  }
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  const bytes = new Uint8Array(all.buffer);
  let text = "";
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return {answers, numbers: btoa(text)};
}"""


def python_side(lab: type[Lab], states: list[State]) -> list[tuple[dict, str]]:
    out = []
    for state in states:
        series = lab.compute(**state)

        class Computed(lab):  # the same lab, spared from computing once more for its sentence
            compute = staticmethod(lambda series=series, **state: series)

        out.append((series, Computed(**state).description))
    return out


def differences(page: Page, lab: type[Lab], states: list[State]) -> list[str]:
    """Where the bundle on ``page`` and Python disagree; one line for each state and series, with the worst entry."""
    with ThreadPoolExecutor(1) as pool:  # Python computes while the browser does
        expected = pool.submit(python_side, lab, states)
        got = page.evaluate(RUN, [lab.slug, states])
        found = []
        numbers = np.frombuffer(base64.b64decode(got["numbers"]))
        at = 0
        for state, (series, words), answer in zip(states, expected.result(), got["answers"], strict=True):
            shape = [(name, np.ndim(value) == 0, np.size(value)) for name, value in series.items()]
            if shape != [(name, kind == "number", size) for name, kind, size in answer["shape"]]:
                return [*found, f"{state}: series {shape} in Python, {answer['shape']} in the browser"]
            if any(kind not in ("number", "Float64Array") for _, kind, _ in answer["shape"]):
                found.append(f"{state}: {answer['shape']} holds other things than numbers and Float64Array")
            if answer["words"] != words:
                found.append(f"{state}: {words!r} in Python, {answer['words']!r} in the browser")
            if answer["state"] != state or not answer["shown"]:
                found.append(f"{state}: the element shows {answer['state']}, or other series than compute gave")
            for name, value in series.items():
                one, other = np.ravel(value), numbers[at : at + np.size(value)]
                at += np.size(value)
                cancels = CANCELS.get((lab.slug, name), lambda _: 0.0)(series)
                allowed = RELATIVE * np.abs(one) + ROUNDING * cancels + FLOOR
                worst = int(np.argmax(np.abs(one - other) / allowed))
                if not abs(one[worst] - other[worst]) <= allowed[worst]:  # NaN is a difference too
                    found.append(f"{state}: {name}[{worst}]: {one[worst]} in Python, {other[worst]} in the browser")
    return found
