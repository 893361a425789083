"""What ``view`` returns, as text that a person has approved; and the pictures of some labs as SVG.

``tests/approved`` has a file for each lab: its blocks, axes and marks at a few states, a line for each. A run of
numbers that stands in a series is written by its name, so that a difference can be read. ``make approve LAB=room/lab``
shows what changed, and writes the file anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from lab_cases import LABS, State
from whyformer.lab import Choice, Lab
from whyformer.lab.host import still

FOLDER = Path(__file__).parent / "approved"

#: Labs whose pictures have among them every kind of panel, mark, axis and look (``lab/test_approved`` says so).
DRAWN = (
    *("why_sqrt_dk/start", "why_sqrt_dk/scale", "why_sqrt_dk/sampling", "weight_tying/rows", "embedding_scale/balance"),
    *("embedding_scale/two_uses", "qk_weights/each_other", "softmax_saturation/saturation"),
    "relative_positions/clocks",
)


def states_of(lab: type[Lab]) -> list[State]:
    """The default state; and others, at least two, among which each option of each choice is seen."""
    rng = np.random.default_rng(1706)
    choices = {name: list(one.options) for name, one in lab.controls().items() if isinstance(one, Choice)}
    found = [{name: one.default_value for name, one in lab.controls().items()}]
    for i in range(1, max(3, *map(len, choices.values()), 0)):
        drawn = {name: one.sample(rng) for name, one in lab.controls().items()}
        turned = {name: all[(all.index(found[0][name]) + i) % len(all)] for name, all in choices.items()}
        found.append(drawn | turned)
    return found


class Runs:
    """Runs of numbers in a short form: by the name of a series, from its first entry on; as a grid; or in full."""

    def __init__(self, series: dict[str, Any]) -> None:
        self.series = {name: np.ravel(value) for name, value in series.items() if isinstance(value, list)}

    def short(self, numbers: list[float]) -> Any:
        run = np.array(numbers, float)
        if len(run) > 2 and len(set(numbers)) > 1:
            for name, values in self.series.items():
                for start in np.flatnonzero(values[: len(values) - len(run) + 1] == run[0]):
                    if np.array_equal(values[start : start + len(run)], run):
                        return f"series {name}[{start}:{start + len(run)}]"
            if len(run) > 4 and np.allclose(np.diff(run), run[1] - run[0], rtol=1e-9, atol=0):
                return f"{len(run)} numbers from {run[0]:.6g} to {run[-1]:.6g}"
        size = float(np.abs(run[np.isfinite(run)]).max(initial=0.0))
        return [_digits(number, size) for number in run]


def _digits(number: float, size: float) -> float:
    """Six digits, and nothing that is rounding beside the largest of the run."""
    return 0.0 if abs(number) < 1e-12 * size else float(f"{number:.6g}")


def _value(value: Any, runs: Runs) -> Any:
    if isinstance(value, list):
        is_run = value and all(isinstance(one, int | float) and not isinstance(one, bool) for one in value)
        return runs.short(value) if is_run else [_value(one, runs) for one in value]
    if isinstance(value, dict):
        return {key: _value(one, runs) for key, one in value.items()}
    return _digits(value, abs(value)) if isinstance(value, float) else value


def _lines(block: dict[str, Any], runs: Runs, indent: str = "  ") -> list[str]:
    """A block on a line of its own, and below it a line for each block, axis, mark or row of cells inside."""
    below = {
        key: inside
        for key, inside in block.items()
        if key in {"blocks", "marks", "rows", "cells", "boxes", "wires", "labels", "buttons", "items", "x", "y"}
        and block.get("kind")
        and isinstance(inside, list | dict)
    }
    head = {key: value for key, value in block.items() if key not in below and key not in {"kind", "mark"}}
    kind = block.get("kind") or block.get("mark") or ""
    found = [f"{indent}{kind} {json.dumps(_value(head, runs), ensure_ascii=False)}".replace("  {", " {")]
    for key, inside in below.items():
        for one in inside if isinstance(inside, list) else [inside]:
            if isinstance(one, dict) and ("kind" in one or "mark" in one):
                found += _lines(one, runs, indent + "  ")
            else:
                found.append(f"{indent}  {key}: {json.dumps(_value(one, runs), ensure_ascii=False)}")
    return found


def text_of(lab: type[Lab]) -> str:
    """The picture of a lab at each of its states, as text."""
    declaration, found = lab.declaration(), [f"# {lab.slug}, as approved: make approve LAB={lab.slug}"]
    states = states_of(lab)
    for state, answer in zip(states, still.computed(declaration, states), strict=True):
        found += ["", f"at {json.dumps(state)}", f"  says {answer['words']}"]
        runs = Runs(answer["series"])
        for block in still.picture({"declaration": declaration, "state": state, "size": "full"}):
            found += _lines(block, runs)
    return "\n".join(found) + "\n"


def svg_of(lab: type[Lab], state: State | None = None) -> str:
    """The picture of a lab as SVG, 700 pixels wide, an element to a line; by default at its default state."""
    asked = {"declaration": lab.declaration(), "state": state or states_of(lab)[0], "size": "full"}
    return still.draw(still.picture(asked), asked, "").replace("><", ">\n<") + "\n"


def files_of(lab: type[Lab]) -> dict[Path, str]:
    """What has to stand in ``tests/approved`` for a lab."""
    name = lab.slug.replace("/", ".")
    drawn = {FOLDER / f"{name}.svg": svg_of(lab)} if lab.slug in DRAWN else {}
    return {FOLDER / f"{name}.txt": text_of(lab), **drawn}


def stray() -> list[str]:
    """Approved files of labs that are gone."""
    names = {slug.replace("/", ".") for slug in LABS}
    return sorted(file.name for file in FOLDER.iterdir() if file.stem not in names)
