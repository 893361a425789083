"""The picture of a run: every seed as a thin line, their mean as a thick one, and the line of chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from whyformer.lab.theme import PEN, SOFT, StillFigure, figure_style

if TYPE_CHECKING:
    from whyformer.workbench.run import Run

#: The line says the condition, as everywhere in the book: with the part solid, without it dashed, the second switch
#: between them. A hue would say a role, and right answers have none.
LINES = ({"color": PEN, "ls": "-"}, {"color": PEN, "ls": "--"}, {"color": SOFT, "ls": "-."})

WORDS = {"accuracy": "right answers", "loss": "loss, in nats", "largest": "largest weight"}


def curves(run: Run, column: str = "accuracy") -> StillFigure:
    """One column of ``run.curves`` over the steps. Raises ``ValueError`` for a column that there is not."""
    if column not in WORDS:
        raise ValueError(f"column must be one of {', '.join(WORDS)}; got {column!r}")
    with figure_style():
        figure = StillFigure(figsize=(5.4, 3.1), layout="constrained")
        axis = figure.subplots()
        for (arm, _), line in zip(run.experiment.arms(), LINES, strict=False):
            of_arm = run.curves[run.curves["arm"] == arm.name]
            if of_arm.empty:  # training was interrupted before it
                continue
            table = of_arm.pivot(index="step", columns="seed", values=column)
            for seed in table:
                axis.plot(table.index, table[seed], lw=0.7, alpha=0.45, color=line["color"], ls=line["ls"])
            axis.plot(table.index, table.mean(axis=1), lw=2.2, label=arm.name, color=line["color"], ls=line["ls"])
        chance = run.experiment.chance
        guess = {"accuracy": chance, "loss": -math.log(chance)}.get(column)
        if guess is not None:
            axis.axhline(guess, color=SOFT, ls=":", lw=1.2, label="chance")
        axis.set(xlabel="step", xlim=(0, run.experiment.steps), ylim=(0, None if column == "loss" else 1.04))
        axis.set_title(f"{run.experiment.name}: {WORDS[column]}, {len(run.seeds)} seeds and their mean")
        figure.legend(loc="outside lower center", ncols=4)
        figure.canvas.draw()
    return figure
