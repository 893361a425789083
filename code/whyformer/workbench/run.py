"""Train the arms of an experiment, and what a run leaves: curves, maps, a summary and a plot."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from whyformer.lab.theme import StillFigure
from whyformer.maths.softmax import Array, Integers
from whyformer.progress import Bar
from whyformer.workbench.adam import Adam, cross_entropy
from whyformer.workbench.engine import Model, build, side_by_side
from whyformer.workbench.experiment import Arm, Experiment
from whyformer.workbench.tasks import TASKS, Batch

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Run:
    """What training left. ``curves`` is a table with a row for each arm, seed and measured step.

    Its columns: arm, seed, step (0 is before the first), loss (of examples that no batch has, in nats), accuracy (share
    of right answers to them, 0 to 1), largest (largest weight of a query that answers, in the last layer, mean over
    heads). A run whose numbers overflow stops, and has NaN from there. Of training that was interrupted it has the rows
    up to there, and ``finished`` is False.
    """

    experiment: Experiment
    seeds: tuple[int, ...]
    curves: pd.DataFrame = field(repr=False)
    maps: dict[str, Array] = field(repr=False)  #: arm to weights (layers, heads, n, n), first seed, one example
    example: dict[str, Integers] = field(repr=False)  #: arm to the tokens (n, parts) that its maps are of
    finished: bool = True

    def __repr__(self) -> str:
        told = "; ".join(f"{arm} {mean:.2f}" for arm, mean in self.summary()["mean"].items())
        stopped = "" if self.finished else ", interrupted"
        return f"Run({self.experiment.name!r}, {len(self.seeds)} seeds{stopped}: accuracy {told})"

    def steps_to(self, accuracy: float = 0.9) -> pd.DataFrame:
        """The first measured step with that accuracy: a row for each arm, a column for each seed, NaN for never.

        Raises ``ValueError`` for an accuracy outside (0, 1].
        """
        if not 0 < accuracy <= 1:
            raise ValueError(f"accuracy must be above 0 and at most 1; got {accuracy!r}")
        reached = self.curves[self.curves["accuracy"] >= accuracy]
        first = reached.pivot_table(index="arm", columns="seed", values="step", aggfunc="min")
        return first.reindex(index=self._names(), columns=list(self.seeds))

    def summary(self) -> pd.DataFrame:
        """Accuracy after the last step that was measured, a row for each arm: mean, least and most over the seeds.

        Then "to 90 %", the median of the steps to there (NaN if half of the seeds never get there), and "diverged", how
        many seeds overflowed; means and ranges leave those out.
        """
        last = self.curves.groupby(["arm", "seed"]).tail(1).groupby("arm")["accuracy"]
        found = pd.DataFrame({"mean": last.mean(), "least": last.min(), "most": last.max()}).reindex(self._names())
        steps = self.steps_to(0.9).fillna(math.inf).median(axis=1)
        found["to 90 %"] = steps.replace(math.inf, math.nan)
        found["diverged"] = last.size() - last.count()
        return found

    def plot(self, column: str = "accuracy") -> StillFigure:
        """Curves of one column ("accuracy", "loss" or "largest"): each seed thin, the mean thick, chance dotted."""
        from whyformer.workbench.picture import curves

        return curves(self, column)

    def _names(self) -> list[str]:
        return [arm.name for arm, _ in self.experiment.arms()]


def train(experiment: Experiment, seeds: int | Iterable[int] | None = None, progress: bool = True) -> Run:
    """Train every arm of an experiment from several seeds; each seed has the same examples in every arm.

    ``seeds``: how many (from 0 on), or which ones; as many as the experiment says if None. ``progress`` shows a bar in
    a notebook and in a terminal if it takes more than two seconds. Interrupted (by the stop button or Ctrl+C), it warns
    and returns what has been measured. Raises ``ValueError`` for anything else.
    """
    if not isinstance(experiment, Experiment):
        raise ValueError(f'experiment must be an Experiment, such as EXPERIMENTS["divisor"]; got {experiment!r}')
    chosen = _seeds(experiment.seeds if seeds is None else seeds)
    arms = experiment.arms()
    tables: list[pd.DataFrame] = []
    maps: dict[str, Array] = {}
    example: dict[str, Integers] = {}
    finished = True
    with Bar(len(arms) * len(chosen) * experiment.steps, progress) as bar:
        try:
            for arm, task in arms:
                before, measured = bar.done, len(tables)
                example[arm.name] = TASKS[task].held_out(chosen[0], 1).tokens[0]
                try:
                    _train(experiment, arm, task, chosen, bar, tables, maps)
                except Overflow:  # each alone then, so that those that do not overflow arrive
                    bar.done = before
                    del tables[measured:]
                    for seed in chosen:
                        seen = maps if seed == chosen[0] else {}
                        _train(experiment, arm, task, (seed,), bar, tables, seen, alone=True)
        except KeyboardInterrupt:
            if not tables:
                raise
            finished = False
            warnings.warn(f"training was interrupted at {bar.words}: the run has what was measured.", stacklevel=2)
    curves = pd.concat(tables).sort_values("seed", kind="stable", key=lambda column: column.map(chosen.index))
    order = curves["arm"].map([arm.name for arm, _ in arms].index)
    curves = curves.iloc[order.argsort(kind="stable")].reset_index(drop=True)
    return Run(experiment, chosen, curves, maps, example, finished)


class Overflow(ArithmeticError):
    """Numbers of some seed are not finite any more."""


def _finite(work: Callable[[], T], alone: bool) -> T | None:
    """What ``work`` returns; if its numbers overflow, None for a seed that is alone, else an :class:`Overflow`."""
    with np.errstate(all="ignore"):
        try:
            return work()
        except ValueError:  # scores and logits that are not finite are refused by the maths
            if alone:
                return None
            raise Overflow from None


def _train(
    experiment: Experiment, arm: Arm, task_name: str, seeds: tuple[int, ...], bar: Bar, tables: list[pd.DataFrame],
    maps: dict[str, Array], alone: bool = False,
) -> None:  # fmt: skip
    """One arm from seeds side by side: puts rows of the curves into ``tables``, the first seed's maps into ``maps``.

    Raises :class:`Overflow`; for a seed that is ``alone`` the rest of its rows, and the maps, are NaN instead.
    """
    task = TASKS[task_name]
    training = TASKS[task.trains_on or task_name]
    adam = Adam(side_by_side(arm, task, seeds))
    model = build(arm, task, adam.parameters)
    test = task.side_by_side(seeds, None, experiment.tested)
    nothing: Array = np.full((arm.layers, arm.heads, task.length, task.length), math.nan)
    alive = True
    for step in range(experiment.steps + 1):  # before step 0, 1, …, and after the last
        if step % experiment.every == 0 or step == experiment.steps:
            found = _finite(partial(_measured, model, test), alone) if alive else None
            alive = found is not None
            maps[arm.name] = nothing if found is None else found.pop("maps")
            row = found or {name: np.full(len(seeds), math.nan) for name in ("loss", "accuracy", "largest")}
            tables.append(pd.DataFrame({"arm": arm.name, "seed": seeds, "step": step, **row}))
        if step < experiment.steps:
            if alive:
                batch = training.side_by_side(seeds, step, experiment.batch)
                alive = bool(_finite(partial(_stepped, adam, model, batch, _rate(experiment, arm, step)), alone))
            bar.step(f"{arm.name}, step {step + 1}", len(seeds))
    if not alive:
        maps[arm.name] = nothing


def _rate(experiment: Experiment, arm: Arm, step: int) -> float:
    return experiment.rate * min(1.0, (step + 1) / arm.warm_up) if arm.warm_up else experiment.rate


def _stepped(adam: Adam, model: Model, batch: Batch, rate: float) -> bool:
    found = model.forward(batch.tokens)
    _, gradient = cross_entropy(found.logits, batch.answers)
    adam.step(model.backward(found, gradient), rate)
    return True


def _measured(model: Model, test: Batch) -> dict[str, Array]:
    """Loss, accuracy and largest weight of each seed, and the maps of the first one on its first example."""
    found = model.forward(test.tokens)
    loss, _ = cross_entropy(found.logits, test.answers)
    right = found.logits.argmax(-1) == test.answers
    largest = found.weights[-1][..., model.task.asked, :].max(-1)  # (seeds, batch, heads, asked)
    maps = np.stack([weights[0, 0] for weights in found.weights])  # (layers, heads, n, n)
    return {"loss": loss, "accuracy": right.mean((-1, -2)), "largest": largest.mean((-1, -2, -3)), "maps": maps}


def _seeds(seeds: Any) -> tuple[int, ...]:
    chosen = range(int(seeds)) if isinstance(seeds, int | np.integer) and not isinstance(seeds, bool) else seeds
    listed = tuple(chosen) if isinstance(chosen, Iterable) and not isinstance(chosen, str) else ()
    whole = all(isinstance(s, int | np.integer) and not isinstance(s, bool) and 0 <= s < 2**32 for s in listed)
    if not listed or not whole or len(set(listed)) < len(listed):
        raise ValueError(f"seeds must be a number, 1 or more, or different whole numbers from 0 on; got {seeds!r}")
    return tuple(map(int, listed))
