"""Checks for the exercises of the chapter."""

from math import log, pi

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

check_table = Check(
    12 * 12 * (2 * 16 + 1) * 64,
    {
        "That is one head. There are 12 in each of 12 layers.": 33 * 64,
        "The distances go both ways, and 0 is one of them.": 12 * 12 * 16 * 64,
        "Distance 0 has a vector too.": 12 * 12 * 32 * 64,
        "Values were left out here: one table for each head.": 2 * 12 * 12 * 33 * 64,
        "Each layer has tables of its own.": 12 * 33 * 64,
    },
)

check_turn = Check(
    2 * pi * 10000 ** (62 / 64),
    {
        "That would be a clock one slower: t goes from 0 to 31.": 2 * pi * 10000,
        "Radians: a turn has 2π of them.": 10000 ** (62 / 64),
        "The exponent is 2t/dₖ, and t counts pairs.": 2 * pi * 10000 ** (31 / 64),
        "That is the paper's width of 512. Here a head has 64.": 2 * pi * 10000 ** (510 / 512),
    },
    rtol=5e-3,
)

check_fade = Check(
    16 * log(100),
    {
        "The weight falls by e in 16 distances. You want 100.": 16.0,
        "You took the logarithm to base 2.": 16 * log(100) / log(2),
        "You took the logarithm to base 10.": 32.0,
        "That is a fall to a tenth.": 16 * log(10),
    },
    rtol=1e-2,
)


def rotary_scores(queries: ArrayLike, keys: ArrayLike) -> Array:
    """The reference: scores (n, n) of queries and keys (n, d_k) that are turned, pair of neighbours by pair."""
    rows = [np.asarray(one, float) for one in (queries, keys)]
    n, d_k = rows[0].shape
    angles = np.outer(np.arange(n), 10000.0 ** (-np.arange(0, d_k, 2) / d_k))
    turned = [(one[:, 0::2] + 1j * one[:, 1::2]) * np.exp(1j * angles) for one in rows]
    found: Array = (turned[0] @ turned[1].conj().T).real / np.sqrt(d_k)
    return found


def _case(n: int, d_k: int) -> tuple[object, ...]:
    """Queries and keys."""
    return tuple(normal(5, stream, np.arange(n * d_k)).reshape(n, d_k) for stream in (0, 1))


check_rotary = CheckFunction(
    rotary_scores,
    {
        "Wrong already at position 0, where nothing is turned.": _case(1, 4),
        "Right at position 0. With one clock and five positions: does a turn keep the length of a vector?": _case(5, 2),
        "Right with one clock. With four: how fast is each?": _case(5, 8),
        "Wrong for 20 positions.": _case(20, 16),
    },
)
