"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckRange
from whyformer.maths import product_variance

_one = product_variance(1, 1, 1, 1)
check_shifted_variance = Check(
    64 * _one,
    {
        "That is the answer for mean 0. With mean 1 two cross terms join.": 64,
        "That is one product. A score adds up 64 of them.": _one,
        "You used E(q)²E(k)² where E(q²)E(k²) belongs: E(q²) is 2 here, not 1.": 128,
        "That is the standard deviation.": np.sqrt(64 * _one),
    },
)

check_divisor = Check(
    np.sqrt(64 * 3 / 16),
    {
        "That brings the variance to 1 for components of variance 1. Here each product has variance 3/16, not 1.": 8.0,
        "That is the variance. Divide by the standard deviation.": 64 * 3 / 16,
        "You used the variance of one component. The product of two 0-1 variables is 1 with probability 1/4, "
        "so its variance is 1/4 times 3/4.": np.sqrt(64 / 16),
    },
    rtol=5e-3,
)
check_context = Check(
    np.log(131071) - np.log(511),
    {
        "That is the whole gap needed at 131 072 keys. The question asks for the difference.": np.log(131071) + 0.5,
        "That is the whole gap without the noise term; and the question asks for the difference.": np.log(131071),
        "You took the logarithm to base 2.": np.log2(131071 / 511),
    },
    rtol=2e-3,
)

check_crossing = CheckRange(256, 512, hint="That is about where 16 keys cross. Set the keys to 64.", hinted=(64, 128))
