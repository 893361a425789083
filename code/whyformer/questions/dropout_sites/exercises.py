"""Checks for the exercises of the chapter."""

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths.random import normal, uniform
from whyformer.maths.softmax import Array

check_keys = Check(
    100,
    {
        "You took p in place of p/(1 − p).": 80,
        "You took p(1 − p), the variance without the division by 1 − p.": 64,
        "You compared the variance with 0.05. It is the standard deviation that is 0.05.": 5,
        "The sum has the variance p/(1 − p) · Σ w², and n equal weights have Σ w² = 1/n.": 400,
    },
)

check_exactly = Check(
    3 / 16,
    {
        "Then both are kept, and the sum is 1/(1 − p), which is 4/3.": 9 / 16,
        "That is how often the weak key is dropped. The strong one has to be kept as well.": 1 / 4,
        "It can be: which weight may be lost?": 0,
        "You took all masks to be equally likely.": 1 / 2,
    },
)


def residual(x: ArrayLike, says: ArrayLike, p: float, u: ArrayLike, training: bool) -> Array:
    """The reference: ``x`` plus what the sub-layer ``says``, dropped in training where the uniform ``u`` is below p."""
    x, says = np.asarray(x, float), np.asarray(says, float)
    return x + (np.where(np.asarray(u) < p, 0, says / (1 - p)) if training else says)


def _case(p: float, training: bool, path: float = 1.0) -> tuple[object, ...]:
    """Three rows of four entries."""
    at = np.arange(12)
    x, says, u = (draw(5, stream, at).reshape(3, 4) for stream, draw in enumerate((normal, normal, uniform)))
    return path * x, says, p, u, training


check_residual = CheckFunction(
    residual,
    {
        "With p = 0 the result should be x + says.": _case(0.0, True),
        "Wrong where x is 0: entries of says that are kept should be divided by 1 − p, the others 0.": _case(
            0.25, True, 0.0
        ),
        "Right where x is 0, wrong elsewhere: what should happen to x where says is dropped?": _case(0.25, True),
        "Right in training, wrong in evaluation: is anything dropped or scaled there?": _case(0.5, False),
    },
)

check_rate = Check(
    1 - 2 ** (-1 / 24),
    {
        "That is for 12 sums. Each layer of an encoder has two.": 1 - 2 ** (-1 / 12),
        "That is the probability that one sum keeps an entry.": 2 ** (-1 / 24),
        "Each sum drops a share of what is left, not of what was there at the start.": 0.5 / 24,
        "That is one sum.": 0.5,
    },
    rtol=5e-3,
)
