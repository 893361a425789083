"""Still figures of the chapter: pure functions from numbers to Matplotlib figures."""

from __future__ import annotations

import numpy as np

from whyformer.lab.theme import OVERSCALED, SCALED, THEORY, UNSCALED, StillFigure, figure_style
from whyformer.maths import critical_std, needle_weight, softmax_jacobian_norm


def typical_and_average(n_draws: int = 800, seed: int = 0) -> StillFigure:
    """Jacobian norm of n independent normal scores over their standard deviation: median and mean over many rows."""
    s = 2.0 ** np.arange(-2, 6.01, 0.25)
    normals = np.random.default_rng(seed).standard_normal((n_draws, 512)).astype(np.float32)  # enough for a picture
    with figure_style():
        figure = StillFigure(figsize=(5.4, 2.7), layout="constrained")
        for axis, n in zip(figure.subplots(1, 3, sharey=True), (10, 64, 512), strict=True):
            norms = np.stack([softmax_jacobian_norm(std * normals[:, :n]) for std in s.tolist()])
            axis.fill_between(s, *np.quantile(norms, [0.1, 0.9], axis=1), color=UNSCALED, alpha=0.15, lw=0)
            axis.plot(s, np.median(norms, 1), color=UNSCALED)
            axis.plot(s, norms.mean(1), color=UNSCALED, ls=":")
            axis.axvline(1, color=SCALED, lw=1.2)
            axis.axvline(critical_std(n), color=THEORY, lw=1, ls="--")
            axis.set(xscale="log", title=f"{n} keys", ylim=(0, 0.5))
            axis.set_xticks([0.5, 2, 8, 32], ["½", "2", "8", "32"])
            axis.minorticks_off()
        figure.supxlabel("standard deviation s of the scores", size="medium")
        figure.axes[0].set_ylabel("‖J‖ (Frobenius)")
        figure.canvas.draw()
    return figure


def needle(gap: float = 5.0, s: float = 0.43) -> StillFigure:
    """Weight of one key that leads by a fixed gap, over the number of keys: softmax, and scores times s ln n."""
    n = np.unique(np.geomspace(10, 1e6, 60).astype(int))
    plain = [needle_weight(k, gap) for k in n]
    scalable = [needle_weight(k, s * np.log(k) * gap) for k in n]
    with figure_style():
        figure = StillFigure(figsize=(5.4, 2.6), layout="constrained")
        axis = figure.subplots()
        axis.plot(n, plain, color=UNSCALED)
        axis.plot(n, scalable, color=OVERSCALED)
        axis.annotate(
            "scores as they are", (n[20], plain[20]), xytext=(8, 4), textcoords="offset points", color=UNSCALED
        )
        axis.annotate(
            "scores times 0.43 ln n",
            (n[-1], 1),
            xytext=(-4, -14),
            textcoords="offset points",
            ha="right",
            color=OVERSCALED,
        )
        axis.set(xscale="log", xlabel="number of keys n", ylabel="weight of the leading key", ylim=(0, 1.03))
        figure.canvas.draw()
    return figure
