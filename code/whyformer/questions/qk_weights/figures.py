"""Still figures of the chapter: pure functions from the evidence to a Matplotlib figure."""

from __future__ import annotations

import numpy as np

from whyformer import evidence
from whyformer.evidence.packing import unpacked
from whyformer.lab.theme import SCORE, SOFT, StillFigure, figure_style
from whyformer.lab.words import t
from whyformer.maths import softmax


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


def two_heads() -> StillFigure:
    """Weights of two trained heads over the running sentence; the area of a square is the weight."""
    found = evidence.read("directions")["running"]
    tokens = found["tokens"]
    n = len(tokens)
    scores = unpacked(found["scores"], "<i2").reshape(6, 12, n, n) / np.sqrt(32)
    row, column = np.indices((n, n))
    with figure_style():
        figure = StillFigure(figsize=(7.2, 3.7), layout="constrained")
        for axis, (layer, head) in zip(figure.subplots(1, 2), ((4, 2), (1, 3)), strict=True):
            weights = softmax(scores[layer - 1, head - 1])
            axis.scatter(column, row, s=130 * weights, marker="s", color=SCORE, lw=0)
            axis.set(xlim=(-0.6, n - 0.4), ylim=(n - 0.4, -0.6), aspect="equal")
            axis.set_xticks(range(n), tokens, rotation=90)
            axis.set_yticks(range(n), tokens)
            axis.tick_params(length=0)
            axis.set_title(t("layer {layer}, head {head}: rows ask", layer=layer, head=head))
        figure.canvas.draw()
    return figure
