"""Still figures of the chapter: pure functions from numbers to Matplotlib figures."""

from __future__ import annotations

import numpy as np

from whyformer.lab.theme import GRADIENT, SCALED, THEORY, StillFigure, figure_style
from whyformer.maths import softmax_jacobian_norm


def both_ends(n: int = 16) -> StillFigure:
    """Jacobian norm when one logit leads n - 1 equal ones by a gap: small without a gap, small with a large one."""
    gap = np.linspace(-2, 14, 321)
    logits = np.zeros((len(gap), n))
    logits[:, 0] = gap
    norm = softmax_jacobian_norm(logits)
    with figure_style():
        figure = StillFigure(figsize=(5.4, 2.7), layout="constrained")
        axis = figure.subplots()
        axis.plot(gap, norm, color=GRADIENT)
        axis.plot([0], [np.sqrt(n - 1) / n], "o", color=SCALED)
        axis.annotate(
            "all equal: √(n−1)/n",
            (0, np.sqrt(n - 1) / n),
            xytext=(0, -18),
            textcoords="offset points",
            ha="center",
            color=SCALED,
        )
        best = gap[norm.argmax()]
        weight = 1 / (1 + (n - 1) * np.exp(-best))
        axis.axvline(best, color=THEORY, ls=":")
        axis.annotate(
            f"largest at a gap of {best:.1f}:\nthe leader has weight {weight:.2f}",
            (best, 0.42),
            xytext=(6, 0),
            textcoords="offset points",
            color=THEORY,
        )
        axis.set(xlabel=f"gap of one logit over {n - 1} equal ones", ylabel="‖J‖ (Frobenius)", ylim=(0, 0.55))
        figure.canvas.draw()
    return figure
