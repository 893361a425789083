"""The checks of the workbench's page. What its boxes say one will have seen is in ``tests/workbench``."""

from __future__ import annotations

import numpy as np

from whyformer.proof import Numbers, check, holds, reporter
from whyformer.workbench import EXPERIMENTS, TASKS

report = reporter(__name__)


@check
def settings() -> Numbers:
    """We read the settings of all boxes."""
    arms = [arm for one in EXPERIMENTS.values() for arm, _ in one.arms()]
    holds(len({arm.d_model for arm in arms}) == 2 and max(arm.layers for arm in arms) == 6)
    steps = {name: one.steps for name, one in EXPERIMENTS.items()}
    norm = steps.pop("norm")
    (most,), (rate,) = set(steps.values()), {one.rate for one in EXPERIMENTS.values()}
    widths = [arm.d_model for arm in arms]
    return {"16": min(widths), "32": max(widths), "300": most, "200": norm, "0.003": rate}


@check
def commonest_digit(examples: int = 20_000) -> Numbers:
    """In examples of the job we counted how many of the answers are the commonest digit of the ten."""
    answers = TASKS["reverse"].held_out(0, examples).answers
    commonest = (answers[:, :, None] == np.arange(10)).sum(1).max(1)
    return {"27 %": (commonest / answers.shape[1]).mean()}
