"""Checks for the exercises of the chapter."""

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths import attention_weights
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

_D = 1024
check_crossing = Check(
    (6 - 2.25) / 2 * _D,
    {
        "That is with four whole projections. Here W_K and W_V are an eighth as wide.": _D,
        "You counted only the scores: the sums of values cost as much again.": (6 - 2.25) * _D,
        "You left out the projections.": 3 * _D,
        "W_O is a whole matrix too.": (6 - 1.25) / 2 * _D,
    },
)

check_leak = Check(
    0.5 ** (1 / 1000),
    {
        "That keeps half in one step, and next to nothing in 1000.": 0.5,
        "That is near, but 0.999 to the power of 1000 is 0.37.": 0.999,
        "That is near, but 0.9995 to the power of 1000 is 0.61.": 0.9995,
        "With f = 1 all of it is kept, for any number of steps.": 1.0,
    },
    rtol=5e-5,
)


def written(x: ArrayLike, w_q: ArrayLike, w_k: ArrayLike, w_v: ArrayLike) -> Array:
    """The reference: rows (n, d_v) of one head that reads ``x`` (n, d), each with itself and the tokens before it."""
    x = np.asarray(x, float)
    q, k, v = (x @ np.asarray(w, float) for w in (w_q, w_k, w_v))
    return np.array([attention_weights(q[t : t + 1], k[: t + 1])[0] @ v[: t + 1] for t in range(len(x))])


def _case(n: int) -> tuple[object, ...]:
    """Tokens and three matrices, of width 4, d_k = 3, d_v = 2."""
    sizes = ((n, 4), (4, 3), (4, 3), (4, 2))
    return tuple(
        normal(5, stream, np.arange(rows * columns)).reshape(rows, columns)
        for stream, (rows, columns) in enumerate(sizes)
    )


check_cache = CheckFunction(
    written,
    {
        "It is wrong already for one token. It has one key, its own, of weight 1. What else has a share?": _case(1),
        "It is right for one token, where every score is alone. For two tokens, what is a score divided by?": _case(2),
        "It is wrong for six tokens.": _case(6),
    },
)
