"""Checks for the exercises of the chapter."""

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths.softmax import Array

check_spread = Check(
    1 / 12,
    {
        "That is the variance. The standard deviation is its root.": 1 / 144,
        "You forgot the factor p/(1 − p) = 1/9.": 1 / 4,
        "You took p(1 − p) = 0.09, the variance without the division by 1 − p.": np.sqrt(0.09 / 16),
        "You took p in place of p/(1 − p).": np.sqrt(0.1 / 16),
    },
)

check_untouched = Check(
    0.9**8,
    {
        "That is one key kept. All eight have to be.": 0.9,
        "That is the chance that at least one is dropped.": 1 - 0.9**8,
        "That is the chance that all are dropped.": 0.1**8,
        "Eight chances of 0.1 do not add up: they can happen together.": 0.2,
    },
)


def dropped(x: ArrayLike, p: float, u: ArrayLike) -> Array:
    """The reference: inverted dropout of ``x`` with the uniform numbers ``u``."""
    return np.where(np.asarray(u) < p, 0, np.asarray(x, float) / (1 - p))


check_dropout = CheckFunction(
    dropped,
    {
        "With p = 0 nothing should change.": (np.array([1.0, -2.0]), 0.0, np.array([0.3, 0.9])),
        "Entries whose number is below p should be 0, and the others divided by 1 − p, not by p.": (
            np.array([1.0, -2.0, 3.0, 4.0]),
            0.25,
            np.array([0.1, 0.5, 0.2, 0.99]),
        ),
        "It should work for a matrix.": (np.ones((2, 3)), 0.5, np.array([[0.1, 0.6, 0.7], [0.8, 0.2, 0.3]])),
    },
)

check_depth = Check(
    0.9**12,
    {
        "That is for 6 sums. Each layer of the encoder has two.": 0.9**6,
        "That is one sum.": 0.9,
        "That is the share that was dropped at least once.": 1 - 0.9**12,
        "Each sum drops a tenth of what is left, not of what was there at the start.": -0.2,
    },
)
