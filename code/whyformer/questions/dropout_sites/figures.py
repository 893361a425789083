"""Still figures of the chapter: pure functions from numbers to Matplotlib figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab.theme import PEN, SCORE, SOFT, StillFigure, figure_style


def spread_by_concentration(largest: ArrayLike, spread: ArrayLike, marked: ArrayLike, p: float) -> StillFigure:
    """Standard deviation of the row sum after dropout against the largest weight of the row, one dot for one row."""
    largest, spread, marked = np.asarray(largest), np.asarray(spread), np.asarray(marked, bool)
    with figure_style():
        figure = StillFigure(figsize=(5.4, 2.9), layout="constrained")
        axis = figure.subplots()
        axis.plot(largest[~marked], spread[~marked], ".", ms=3, color=SCORE, alpha=0.5)
        axis.plot(largest[marked], spread[marked], ".", ms=5, color=PEN)
        axis.axhline(np.sqrt(p / (1 - p)), color=SOFT, ls="--")
        axis.annotate("one key holds all: √(p/(1 − p))", (0.02, np.sqrt(p / (1 - p)) + 0.01), color=SOFT)
        axis.annotate("layer 1, head 3", (1.0, 0.25), ha="right", color=PEN)
        axis.set(xlim=(0, 1.02), ylim=(0, 0.38), xlabel="largest weight of the row", ylabel="sd of the row sum")
        figure.canvas.draw()
    return figure
