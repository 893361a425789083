"""Still figures of the chapter: pure functions from the evidence to a Matplotlib figure."""

from __future__ import annotations

import numpy as np

from whyformer import evidence
from whyformer.lab.theme import SCORE, SOFT, StillFigure, figure_style
from whyformer.lab.words import t


def trained_shares() -> StillFigure:
    """Symmetric share of W_Q W_K^T in each head of the trained model, layer by layer."""
    share = np.array(evidence.read("trained")["symmetry"]["weights_share"])
    layers = np.arange(1, len(share) + 1)
    with figure_style():
        figure = StillFigure(figsize=(5.4, 2.8), layout="constrained")
        axis = figure.subplots()
        for layer, row in zip(layers, share, strict=True):
            axis.plot(np.full(len(row), layer), row, "o", color=SCORE, alpha=0.6, ms=6, mec="none")
        axis.axhline(0.5, color=SOFT, ls="--", lw=1)
        axis.axhline(1, color=SOFT, ls=":", lw=1)
        axis.text(6.45, 0.485, t("random matrices"), color=SOFT, ha="right", va="top")
        axis.text(6.45, 0.985, t("one matrix for both"), color=SOFT, ha="right", va="top")
        axis.set(xlim=(0.5, 6.5), ylim=(0, 1.04), xticks=layers, xlabel=t("layer"))
        axis.set_title(t("symmetric share of W_Q W_Kᵀ, one dot for each head"))
        figure.canvas.draw()
    return figure
