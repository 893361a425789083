"""Still figure of the chapter: a pure function from the evidence to a Matplotlib figure."""

from __future__ import annotations

import numpy as np

from whyformer import evidence
from whyformer.lab.theme import SCORE, SOFT, StillFigure, figure_style
from whyformer.lab.words import t
from whyformer.questions.relative_positions.profile import two_clocks


def trained_profile() -> StillFigure:
    """Mean score of position with position in head 3 of layer 1, by distance, and two clocks fitted to it."""
    profile = np.array(evidence.read("positions")["positions"]["profile"])[2]
    reach = len(profile) // 2
    distances, fine = np.arange(-reach, reach + 1.0), np.linspace(-reach, reach, 241)
    with figure_style():
        figure = StillFigure(figsize=(5.4, 2.8), layout="constrained")
        axis = figure.subplots()
        axis.plot(fine, two_clocks(profile, distances, fine), color=SOFT, lw=1.2)
        axis.plot(distances, profile, "o", color=SCORE, ms=6, mec="none")
        axis.text(-reach, 36, t("dots: measured; line: two clocks"), color=SOFT, ha="left", va="center")
        axis.set(xlim=(-reach - 0.6, reach + 0.6), ylim=(-15, 40), xticks=[-12, -7, -1, 5, 10])
        axis.set_xlabel(t("distance: key minus query"))
        axis.set_title(t("head 3 of layer 1: position with position, mean score"))
        figure.canvas.draw()
    return figure
