"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths import softmax_jacobian_norm

_y3 = 1 / (1 + 2 * np.exp(-3))
check_derivative = Check(
    _y3 * (1 - _y3),
    {
        "That is y₃ itself. The derivative is y₃ (1 − y₃).": _y3,
        "That is 1 − y₃, one of the two factors.": 1 - _y3,
        "That is the derivative of another weight by z₃: −y₁ y₃. The question asks for i = j.": -_y3 * (1 - _y3) / 2,
    },
)

_epsilon = (1 - np.sqrt(1 - 4 * 0.01)) / 2
check_gap = Check(
    np.log(99 * (1 - _epsilon) / _epsilon),
    {
        "You forgot that 99 keys share the rest: the gap has to grow by ln 99.": np.log((1 - _epsilon) / _epsilon),
        "You used 100 keys for the rest; there are 99 beside the leader.": np.log(100 * (1 - _epsilon) / _epsilon),
    },
    rtol=1e-3,
)

check_norm = CheckFunction(
    softmax_jacobian_norm,
    {
        "It is wrong already for (0, 1, 2): compare with the definition, the root of the sum of all squared entries.": (
            [0.0, 1.0, 2.0],
        ),
        "It is right for small logits, but for (0, 0, 40) the digits cancel: subtract nothing from 1.": (
            [0.0, 0.0, 40.0],
        ),
        "It is not yet right for (0, 5, 300): is 1 − y formed from the rounded y somewhere?": ([0.0, 5.0, 300.0],),
        "It overflows or fails for (1000, 1000, 0): subtract the largest logit first.": ([1000.0, 1000.0, 0.0],),
    },
)

check_largest_norm = Check(
    0.5,
    {
        "That is the norm at equal weights, √2/3; some other y has more.": np.sqrt(2) / 3,
        "That is the largest single entry. The norm adds the squares of all of them.": 0.25,
    },
)
