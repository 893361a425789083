"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckFunction, CheckRange
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

_cosine = np.cos(np.radians(60))
check_length = Check(
    1 / _cosine,
    {
        "That is the cosine. Token 1's product with itself is 1, and with token 2 the length times it.": _cosine,
        "At length 1 token 1's product with itself, 1, is still twice its product with token 2.": 1.0,
        "You took the sine. A dot product has the cosine.": 1 / np.sin(np.radians(60)),
        "You squared: the length of token 2 enters the product once.": 1 / _cosine**2,
    },
)

check_self_weight = Check(
    1 / (1 + 99 * np.exp(-8)),
    {
        "You counted one other token. There are 99.": 1 / (1 + np.exp(-8)),
        "Without the division it would be nearly 1. The score with itself is 64/8.": 1.0,
        "You counted 100 others; the token itself is one of the 100.": 1 / (1 + 100 * np.exp(-8)),
    },
    rtol=3e-4,
)

_step = 1 / np.cos(np.radians(45))
check_chain = Check(
    _step**3,
    {
        "That is token 2. Two more steps follow, each by the same factor.": _step,
        "That is token 3. One more step follows.": _step**2,
        "You took one step too many: token 1 has length 1 already.": _step**4,
        "You took the cosine as the factor. The next token has to be longer.": 1 / _step**3,
        "Lengths are multiplied from step to step, not added.": 1 + 3 * (_step - 1),
        "That would be steps of 60°.": 8.0,
    },
    rtol=5e-3,
)

check_d = CheckRange(
    7.5,
    11.0,
    hint="That is the d without a matrix. Read the column of W_Q = W_K.",
    hinted=(3.0, 6.5),
)


def _share_at_home(X: Array) -> float:
    """Share of the rows of X (n, d) whose largest dot product is with themselves; a tie counts."""
    scores = X @ X.T
    largest = scores.max(axis=1)
    return float((scores.diagonal() >= largest - 1e-9 * abs(largest)).mean())


def _tokens(n: int, d: int, spread: float = 0.0) -> Array:
    """Random tokens, whose lengths differ by the factor 1 + spread from one to the next."""
    return (1 + spread) ** np.arange(n)[:, None] * normal(2, np.arange(n)[:, None], np.arange(d))


_twice = _tokens(5, 16)[[0, 1, 2, 0, 3, 1, 4, 0]]
check_share = CheckFunction(
    _share_at_home,
    {
        "It is wrong for six tokens of unequal length: which score of a row has to be the largest?": (
            _tokens(6, 2, 0.9),
        ),
        "It is wrong for a sentence in which two words stand twice or more: copies tie, and a tie counts.": (_twice,),
        "It is wrong for the same sentence with vectors a million times as long: a margin must grow with the scores.": (
            1e6 / 3 * _twice,
        ),
        "It is wrong for vectors a million times as short: a margin has to shrink with the scores.": (
            1e-6 / 3 * _tokens(6, 2, 0.9),
        ),
    },
)
