"""The gap lab: three ways to make logits large, of which only the gaps count.

Twin: ``gap_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Lab, Number, Over, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import Array, softmax, softmax_jacobian

A_MAX = 12.0
GRID = np.arange(121) * 0.1


def family_logits(a: Array) -> Array:
    """The three logits of each family for each a: shape (3 families, len(a), 3 logits)."""
    a = np.asarray(a, float)
    return np.stack(
        [
            np.stack([a, a, 2 * a], 1),
            np.stack([a, 2 * a, 2 * a], 1),
            np.stack([np.full_like(a, 1000), np.full_like(a, 1000), 1000 + a], 1),
        ]
    )


def third_weight(a: Array) -> tuple[Array, Array]:
    """y3 and its derivative with respect to its own logit, y3 (1 - y3), for each family: shape (3, len(a))."""
    z = family_logits(a)
    return softmax(z)[..., 2], softmax_jacobian(z)[..., 2, 2]


def compute(*, a: float) -> Series:
    r"""The third weight and its derivative along a grid of a, and at the chosen ``a``.

    For the logits z = (a, a, 2a), (a, 2a, 2a) and (1000, 1000, 1000 + a), in this order:
    :math:`y_3 = \operatorname{softmax}(z)_3` and :math:`\partial y_3 / \partial z_3 = y_3 (1 - y_3)`.

    * ``curve``, ``slope`` (3, 121): weight and derivative for a = 0, 0.1, ... 12
    * ``y3``, ``derivative`` (3,): at the chosen a; ``y3_gap``, ``derivative_gap``: of the first family; ``y3_tied``,
      ``derivative_tied``: of the second; ``derivative_shifted``: of the third
    """
    curve, slope = third_weight(GRID)
    here, slope_here = third_weight(np.array([a]))
    return {
        "curve": curve,
        "slope": slope,
        "y3": here[:, 0],
        "derivative": slope_here[:, 0],
        "y3_gap": here[0, 0],
        "y3_tied": here[1, 0],
        "derivative_gap": slope_here[0, 0],
        "derivative_tied": slope_here[1, 0],
        "derivative_shifted": slope_here[2, 0],
    }


class GapLab(Lab):
    """y3 and its derivative for (a, a, 2a), (a, 2a, 2a) and (1000, 1000, 1000 + a)."""

    title = "Gap lab"
    hint = "Drag a. In the middle the logits grow just as large, and the derivative does not vanish."
    sentence = (
        "At a = {a:.2f} the third weight is {y3_gap:.5f} in (a, a, 2a), with derivative {derivative_gap:.2g}; "
        "in (a, 2a, 2a) it is {y3_tied:.5f}, with derivative {derivative_tied:.2g}."
    )
    columns = ("y3", "derivative")
    row = "vector"
    compute = staticmethod(compute)
    steps = (
        Step(
            "At a = 8 the third logit is 8 ahead of the others. Its weight is {y3_gap:.4f}, and its derivative "
            "{derivative_gap:.2g}.",
            shows=("(a, a, 2a)",),
            controls=("a",),
            when=("y3_gap > 0.999", "derivative_gap < 0.001"),
        ),
        Step(
            "Go left. Find the a at which the derivative is largest, a quarter.",
            shows=("(a, a, 2a)",),
            controls=("a",),
            goal=("derivative_gap > 0.2499",),
            solution={"a": 0.7},
            learned="The derivative y(1 − y) is largest, a quarter, where the weight is one half: at a = ln 2.",
        ),
        Step(
            "With a second logit level with it the numbers grow just as large, the weight stays at {y3_tied:.2f}, "
            "and the derivative at {derivative_tied:.2f}.",
            shows=("(a, 2a, 2a)",),
            controls=("a",),
            when=("y3_tied < 0.5", "y3_tied > 0.49", "derivative_tied > 0.2499"),
            over=Over(near=({"a": 5}, {"a": 12})),
        ),
        Step(
            "These are (0, 0, a) with 1000 more on each, and the curves are those of the first picture: the gaps are "
            "the same. At a = 8 the derivative is {derivative_shifted:.2g}.",
            shows=("(1000, 1000, 1000 + a)",),
            controls=("a",),
            when=("derivative_shifted >= 0.999 * derivative_gap", "derivative_gap >= 0.999 * derivative_shifted"),
            over=Over(near=({"a": 0}, {"a": 2}, {"a": 12})),
        ),
    )

    a: Number = Number(default=8.0, min=0.0, max=A_MAX, step=0.05, label="a")
