"""Checks for the exercises of the chapter."""

from math import cos, log, pi

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths import softmax
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

check_full_width = Check(
    4 * 12 * 768 * 768,
    {
        "That is the usual price, with heads of 64. Here every head has 768 columns.": 4 * 768 * 768,
        "That is one of the four matrices.": 12 * 768 * 768,
        "W_O counts too: it takes the 12 · 768 numbers of all heads back to 768.": 3 * 12 * 768 * 768,
        "There are 12 heads, and each has its own matrices; do not square their number.": 4 * 144 * 768 * 768,
    },
)

check_rows_b = Check(
    18 * 2 * 512 * 256,
    {
        "The values keep their size, and so does W_O.": 18 * 4 * 512 * 256,
        "That is one of two matrices: queries and keys.": 18 * 512 * 256,
        "That is one layer. There are 18: the decoder has two in each of its layers.": 2 * 512 * 256,
        "Count the decoder, too: it has two attention layers in each of its 6.": 6 * 2 * 512 * 256,
        "That is for d_k = 16. Here it is 32.": 18 * 2 * 512 * 384,
    },
)


def weights_of_heads(x: ArrayLike, w_q: ArrayLike, w_k: ArrayLike, h: int) -> Array:
    """The reference: the weights (h, n, n) of ``h`` heads, each with its own columns of ``x @ w_q`` and ``x @ w_k``."""
    x = np.asarray(x, float)
    d_k = x.shape[1] // h
    q, k = (np.swapaxes((x @ np.asarray(w)).reshape(len(x), h, d_k), 0, 1) for w in (w_q, w_k))
    return softmax(q @ np.swapaxes(k, 1, 2) / np.sqrt(d_k))


def _case(n: int, d_model: int, h: int) -> tuple[object, ...]:
    """Tokens, both matrices, the number of heads."""
    x, w_q, w_k = (
        normal(3, stream, np.arange(rows * d_model)).reshape(rows, d_model)
        for stream, rows in enumerate((n, d_model, d_model))
    )
    return x, w_q, w_k, h


check_split = CheckFunction(
    weights_of_heads,
    {
        "It is wrong already for one head: what is one score divided by?": _case(5, 8, 1),
        "It is right for one head. With two heads and one token there is one weight, and it is 1.": _case(1, 8, 2),
        "It is wrong for two heads: does each head see all tokens, and its own columns? And how many products does a "
        "score add up?": _case(5, 8, 2),
        "It is wrong for four heads.": _case(3, 8, 4),
    },
)

check_blocks = Check(
    5,
    {
        "That is nearly right: softmax ignores a shift of each row, and that saves one.": 6,
        "That is the size of a block, not the number of different rows.": 4,
        "That is enough for any pattern. Rows of one block are equal, so fewer suffice.": 24,
        "That is enough for any pattern of 24 tokens. Rows of one block are equal, so fewer suffice.": 23,
    },
)

_step = 2 * pi / 24
check_gain = Check(
    log(100) / (1 - cos(_step)),
    {
        "You compared with the key on the far side. The nearest rival is one step away.": log(100) / 2,
        "You used 24 degrees as the step. It is 360 / 24 = 15 degrees.": log(100) / (1 - cos(24 * pi / 180)),
        "That is 1 / (1 - cos 15°), which gives a factor of e and not of 100.": 1 / (1 - cos(_step)),
        "You set the score of the rival alone. What counts is the gap to the top score, g (1 - cos 15°).": log(100)
        / cos(_step),
    },
    rtol=5e-3,
)
