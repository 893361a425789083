"""Train the arms of an experiment, and what a run leaves: curves, maps, a summary and a plot."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from whyformer.lab.theme import StillFigure
from whyformer.maths.softmax import Array, Integers
from whyformer.workbench.adam import Adam, cross_entropy
from whyformer.workbench.engine import Model, build, initial
from whyformer.workbench.experiment import Arm, Experiment
from whyformer.workbench.progress import Bar
from whyformer.workbench.tasks import TASKS


@dataclass(frozen=True)
class Run:
    """What training left. ``curves`` is a table with a row for each arm, seed and measured step.

    Its columns: arm, seed, step (0 is before the first), loss (of examples that no batch has, in nats), accuracy (share
    of right answers to them, 0 to 1), largest (largest weight of a query that answers, in the last layer, mean over
    heads). A run whose numbers overflow stops, and has NaN from there.
    """

    experiment: Experiment
    seeds: tuple[int, ...]
    curves: pd.DataFrame = field(repr=False)
    maps: dict[str, Array] = field(repr=False)  #: arm to weights (layers, heads, n, n), first seed, one example
    example: dict[str, Integers] = field(repr=False)  #: arm to the tokens (n, parts) that its maps are of

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
        """Accuracy after the last step, a row for each arm: mean, least and most over the seeds.

        Then "to 90 %", the median of the steps to there (NaN if half of the seeds never get there), and "diverged", how
        many seeds overflowed; means and ranges leave those out.
        """
        last = self.curves[self.curves["step"] == self.experiment.steps].groupby("arm")["accuracy"]
        found = pd.DataFrame({"mean": last.mean(), "least": last.min(), "most": last.max()}).reindex(self._names())
        steps = self.steps_to(0.9).fillna(math.inf).median(axis=1)
        found["to 90 %"] = steps.replace(math.inf, math.nan)
        found["diverged"] = len(self.seeds) - last.count()
        return found

    def plot(self, column: str = "accuracy") -> StillFigure:
        """Curves of one column ("accuracy", "loss" or "largest"): each seed thin, the mean thick, chance dotted."""
        from whyformer.workbench.picture import curves

        return curves(self, column)

    def _names(self) -> list[str]:
        return [arm.name for arm, _ in self.experiment.arms()]


def train(experiment: Experiment, seeds: int | Sequence[int] | None = None, progress: bool = True) -> Run:
    """Train every arm of an experiment from several seeds; each seed has the same examples in every arm.

    ``seeds``: how many (from 0 on), or which ones; as many as the experiment says if None. ``progress`` shows a bar in
    a notebook and in a terminal if it takes more than two seconds. Raises ``ValueError`` for anything else.
    """
    if not isinstance(experiment, Experiment):
        raise ValueError(f'experiment must be an Experiment, such as EXPERIMENTS["divisor"]; got {experiment!r}')
    chosen = _seeds(experiment.seeds if seeds is None else seeds)
    rows: list[tuple[str, int, int, float, float, float]] = []
    maps: dict[str, Array] = {}
    example: dict[str, Integers] = {}
    arms = experiment.arms()
    with Bar(len(arms) * len(chosen) * experiment.steps, progress) as bar:
        for arm, task in arms:
            for number, seed in enumerate(chosen, 1):
                words = f"{arm.name}, seed {number} of {len(chosen)}"
                model, measured = _trained(experiment, arm, task, seed, partial(bar.step, words))
                rows += [(arm.name, seed, *row) for row in measured]
                if number == 1:
                    tokens = TASKS[task].held_out(seed, 1).tokens
                    example[arm.name] = tokens[0]
                    maps[arm.name] = np.stack([weights[0] for weights in model.forward(tokens).weights])
    columns = ["arm", "seed", "step", "loss", "accuracy", "largest"]
    return Run(experiment, chosen, pd.DataFrame(rows, columns=columns), maps, example)


def _trained(
    experiment: Experiment, arm: Arm, task_name: str, seed: int, tick: Callable[[], None]
) -> tuple[Model, list[tuple[int, float, float, float]]]:
    """One arm from one seed: the model, and (step, loss, accuracy, largest weight) at each measured step."""
    task = TASKS[task_name]
    adam = Adam(initial(arm, task, seed))
    model = build(arm, task, adam.parameters)
    test = task.held_out(seed, experiment.tested)
    measured: list[tuple[int, float, float, float]] = []
    alive = True
    for step in range(experiment.steps + 1):  # before step 0, 1, …, and after the last
        if step % experiment.every == 0 or step == experiment.steps:
            alive = alive and bool(np.isfinite(adam.vector).all())
            measured.append((step, *(_measured(model, test.tokens, test.answers) if alive else (math.nan,) * 3)))
        if step < experiment.steps:
            batch = task.batch(seed, step, experiment.batch)
            alive = alive and _stepped(adam, model, *batch, _rate(experiment, arm, step))
            tick()
    return model, measured


def _rate(experiment: Experiment, arm: Arm, step: int) -> float:
    return experiment.rate * min(1.0, (step + 1) / arm.warm_up) if arm.warm_up else experiment.rate


def _stepped(adam: Adam, model: Model, tokens: Integers, answers: Integers, rate: float) -> bool:
    """One step of training; False if numbers overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            found = model.forward(tokens)
            _, gradient = cross_entropy(found.logits, answers)
            gradients = model.backward(found, gradient)
        except ValueError:  # a score or a logit that is not finite is refused by the maths
            return False
        adam.step(gradients, rate)
    return bool(np.isfinite(adam.vector).all())


def _measured(model: Model, tokens: Integers, answers: Integers) -> tuple[float, float, float]:
    found = model.forward(tokens)
    loss, _ = cross_entropy(found.logits, answers)
    largest = found.weights[-1][..., model.task.asked, :].max(-1).mean()
    return loss, float((found.logits.argmax(-1) == answers).mean()), float(largest)


def _seeds(seeds: int | Sequence[int]) -> tuple[int, ...]:
    chosen = range(seeds) if isinstance(seeds, int) and not isinstance(seeds, bool) else seeds
    listed = tuple(chosen) if isinstance(chosen, Sequence) and not isinstance(chosen, str) else ()
    whole = all(isinstance(s, int) and not isinstance(s, bool) and 0 <= s < 2**32 for s in listed)
    if not listed or not whole or len(set(listed)) < len(listed):
        raise ValueError(f"seeds must be a number, 1 or more, or different whole numbers from 0 on; got {seeds!r}")
    return listed
