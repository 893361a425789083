"""The gap lab: three ways to make logits large, of which only the gaps count.

Twin: ``gap_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Lab, Number, Step
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
    hint = "Drag a. In the middle picture the logits grow as large, and the derivative does not vanish."
    sentence = (
        "At a = {a:.2f} the third weight is {y3_gap:.5f} in (a, a, 2a), with derivative {derivative_gap:.2g}; "
        "in (a, 2a, 2a) it is {y3_tied:.5f}, with derivative {derivative_tied:.2g}."
    )
    columns = ("y3", "derivative")
    row = "vector"
    compute = staticmethod(compute)
    steps = (
        Step(
            "At a = {a:.4g} the third logit is {a:.4g} ahead of the others. Its weight is {y3_gap:.4f}, and the "
            "derivative is {derivative_gap:.2g}.",
            asks="Drag a to 8. What becomes of the weight, and of its derivative?",
            moved=("a >= 6",),
            told_at={"a": 8},
            when=("derivative_gap <= 0.25",),
            shows=("(a, a, 2a)",),
            controls=("a",),
        ),
        Step(
            "The derivative y(1 − y) is largest, a quarter, where the weight y is one half: at a = ln 2. Here, at "
            "a = {a:.4g}, it is {derivative_gap:.2g}.",
            asks="Find the a at which the derivative is largest.",
            state={"a": 8},
            moved=("derivative_gap > 0.248",),
            told_at={"a": 0.7},
            when=("derivative_gap <= 0.25",),
            shows=("(a, a, 2a)",),
            controls=("a",),
        ),
        Step(
            "The logits are as large as before, but two are level at the top: at a = {a:.4g} the third weight is "
            "{y3_tied:.2f}, and its derivative is {derivative_tied:.2f}.",
            asks="Now a second logit is level with the third. Drag a to 8. Does the derivative vanish?",
            moved=("a >= 6",),
            told_at={"a": 8},
            when=("derivative_tied > 0.22",),
            shows=("(a, 2a, 2a)",),
            controls=("a",),
        ),
        Step(
            "Both pictures are the same, since the gaps are the same: at a = {a:.4g} the derivative is "
            "{derivative_shifted:.2g} in both. If one number is added to all logits, nothing changes.",
            asks="In the second picture 1000 is added to each of (0, 0, a). Drag a to 8. Do the pictures differ?",
            moved=("a >= 6",),
            told_at={"a": 8},
            when=("derivative_shifted >= 0.999 * derivative_gap", "derivative_gap >= 0.999 * derivative_shifted"),
            shows=("(a, a, 2a)", "(1000, 1000, 1000 + a)"),
            narrow=2,
            controls=("a",),
        ),
    )

    a: Number = Number(default=1.0, min=0.0, max=A_MAX, step=0.05, label="a")
