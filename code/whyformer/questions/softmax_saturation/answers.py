"""The checks of the exercises' answers. The students' edition does not have this file."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from whyformer.maths import softmax, softmax_jacobian, softmax_jacobian_norm
from whyformer.proof import Numbers, always_close, check, holds
from whyformer.questions.softmax_saturation.exercises import check_derivative, check_gap, check_largest_norm, check_norm


@check
def the_derivative() -> Numbers:
    """We computed the third weight of (0, 0, 3) and its derivative."""
    y = softmax([0.0, 0.0, 3.0])[2]
    holds(check_derivative.judge(y * (1 - y)).right)
    return {"0.909": y, "0.0824": y * (1 - y)}


@check
def the_gap() -> Numbers:
    """We solved ε(1 − ε) = 0.01 for the gap and put it into the Jacobian of 100 logits."""
    epsilon = (1 - np.sqrt(1 - 0.04)) / 2
    gap = np.log(99 * (1 - epsilon) / epsilon)
    always_close(softmax_jacobian(np.r_[gap, np.zeros(99)]).max(), 0.01, within=1e-9)
    holds(check_gap.judge(gap).right)
    return {"9.180": gap, "half": (np.log(99), gap)}


def norm_of_positive_terms(logits: np.ndarray) -> float:
    """The norm as the solution adds it up."""
    y = softmax(logits)
    total = 0.0
    for i in range(len(y)):
        others = np.delete(y, i)
        total += y[i] ** 2 * (others.sum() ** 2 + (others**2).sum())
    return float(np.sqrt(total))


@check
def the_norm() -> Numbers:
    """We gave the function of the solution to the check of the exercise."""
    with redirect_stdout(StringIO()):
        holds(check_norm(norm_of_positive_terms))
    return {}


@check
def the_largest_norm() -> Numbers:
    """We drew 20,000 rows of weights for 2, 3, 10 and 100 keys and looked at each inequality of the proof."""
    rng = np.random.default_rng(0)
    for n in (2, 3, 10, 100):
        y = softmax(6 * rng.standard_normal((20_000, n)))
        p2, p3 = (y**2).sum(1), (y**3).sum(1)
        holds((p2**2 <= p3 + 1e-15).all() and (p2 - p3 <= 1 / 4 + 1e-15).all())
        holds((softmax_jacobian_norm(np.log(y)) <= 1 / 2 + 1e-12).all())
    holds(check_largest_norm.judge(np.linalg.norm(softmax_jacobian([0.0, 0.0, -np.inf]))).right)
    return {}
