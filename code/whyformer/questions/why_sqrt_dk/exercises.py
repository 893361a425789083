"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckFunction, CheckRange
from whyformer.maths import attention, product_variance
from whyformer.maths.random import normal

_one = product_variance(2, 1, 2, 1)
check_shifted_variance = Check(
    64 * _one,
    {
        "That is the answer for mean 0. With mean 2 there are two more terms.": 64,
        "That is one product. A score adds up 64 of them.": _one,
        "That is the variance within a row, what a softmax sees. The question asks for random pairs.": 64 * (1 + 4),
        "That is the mean square of a product, 64 times. Its squared mean has to be taken away.": 64 * 25,
        "That is the standard deviation.": np.sqrt(64 * _one),
    },
)

check_divisor = Check(
    np.sqrt(64 * 15 / 256),
    {
        "That brings the variance to 1 for components of variance 1. Here a product has variance 15/256, not 1.": 8.0,
        "That is the variance. Divide by the standard deviation.": 64 * 15 / 256,
        "You used the variance of one component. The product of two of them is 1 with probability 1/16, "
        "so its variance is 1/16 times 15/16.": np.sqrt(64 * 3 / 16),
        "That is the standard deviation within a row. The question asks for random pairs.": np.sqrt(3),
    },
    rtol=5e-3,
)
check_context = Check(
    np.log(63_999) - np.log(999),
    {
        "That is the whole gap needed at 64 000 keys. The question asks for the difference.": np.log(63_999) + 0.5,
        "That is the whole gap without the noise term; and the question asks for the difference.": np.log(63_999),
        "You took the logarithm to base 2.": np.log2(63_999 / 999),
    },
    rtol=2e-3,
)

check_largest_score = Check(
    16.0,
    {
        "That is before the division: two vectors of length 16 that point the same way. Now divide by √256.": 256.0,
        "That is the standard deviation of random directions. The largest score has q and k in one direction.": 1.0,
        "Both vectors are 16 long, not 1: RMSNorm makes the mean square 1, not the length.": 1 / 16,
    },
)
check_multiplier = Check(
    16.0,
    {
        "That is the standard deviation of the cosines. Multiply by its inverse.": 1 / 16,
        "That would make the standard deviation 16, as before the division. It should be 1.": 256.0,
        "Scores of unit vectors are cosines, with standard deviation 1/16. They are too flat as they are.": 1.0,
    },
)

check_crossing = CheckRange(256, 512, hint="That is about where 16 keys cross. Set the keys to 64.", hinted=(128, 256))


def _case(n_queries: int, n_keys: int, d_k: int, size: float = 1.0) -> tuple[object, ...]:
    """Queries, keys and values of these shapes, three numbers in a value."""
    shapes = ((n_queries, d_k), (n_keys, d_k), (n_keys, 3))
    q, k, v = (
        normal(1, stream, np.arange(rows * columns)).reshape(rows, columns)
        for stream, (rows, columns) in enumerate(shapes)
    )
    return size * q, k, v


check_attention = CheckFunction(
    attention,
    {
        "It is wrong already for 4 queries, 4 keys and dₖ = 4: is each row of weights divided by its own sum?": _case(
            4, 4, 4
        ),
        "It is right if there are as many queries as dₖ, and wrong for 4 queries and dₖ = 16: whose root is it?": _case(
            4, 4, 16
        ),
        "It is wrong for 2 queries and 5 keys: along which axis do you sum, and what shape has the sum?": _case(
            2, 5, 4
        ),
        "It overflows for queries that are 1000 times as long: subtract the largest score first.": _case(
            3, 5, 4, 1000.0
        ),
    },
)
