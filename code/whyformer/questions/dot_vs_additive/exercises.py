"""Checks for the exercises of the chapter."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths import softmax
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array
from whyformer.questions.dot_vs_additive.spread_lab import tanh_variance

_MIB = 4 / 2**20
check_memory = Check(
    8 * 1024 * 1024 * 64 * _MIB,
    {
        "That is one head. There are 8.": 1024 * 1024 * 64 * _MIB,
        "Those are the scores. There are 64 values of tanh for each pair before the product with a.": 8
        * 1024
        * 1024
        * _MIB,
        "A number in single precision takes 4 bytes.": 8 * 1024 * 1024 * 64 / 2**20,
        "That is one array of 1024 tokens by 64 entries for each head. There is one for each query.": 8
        * 1024
        * 64
        * _MIB,
    },
)

_TERM = sqrt(tanh_variance(1.0, 1.0))
check_start = Check(
    1 / (16 * _TERM),
    {
        "With that standard deviation the spread is 0.53, as in the lab. You want 1.": 1 / 16,
        "That is the variance. The question asks for the standard deviation.": 1 / (256 * _TERM**2),
        "Variances add up over 256 entries, so the standard deviation goes with the root of 256.": 1 / (256 * _TERM),
        "That is the other way round: if the tanh vary less, a has to be larger.": _TERM / 16,
    },
    rtol=1e-2,
)


def additive_weights(q: ArrayLike, k: ArrayLike, a: ArrayLike) -> Array:
    """The reference: weights (n_q, n_k) of additive attention; q is (n_q, d_k), k is (n_k, d_k), a is (d_k,)."""
    q, k, a = np.asarray(q, float), np.asarray(k, float), np.asarray(a, float)
    return softmax(np.tanh(q[:, None] + k) @ a)


def _case(n_q: int, n_k: int, d_k: int) -> tuple[Array, Array, Array]:
    q, k, a = (normal(9, stream, np.arange(rows * d_k)).reshape(rows, d_k) for stream, rows in enumerate((n_q, n_k, 1)))
    return q, k, a[0]


check_additive = CheckFunction(
    additive_weights,
    {
        "It is wrong already for one query: does tanh come before the product with a? Does the row add up to 1?": _case(
            1, 4, 3
        ),
        "It is right for one query. With three queries and three keys there are nine scores: does each query meet "
        "each key?": _case(3, 3, 4),
        "It is wrong for two queries and five keys: over which axis does the softmax run?": _case(2, 5, 4),
    },
)
