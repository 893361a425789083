"""Checks for the exercises of the chapter."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

check_factor = Check(
    sqrt(768 / 2),
    {
        "With that the word is longer than the position, by √2. The question asks for equal lengths.": sqrt(768),
        "That is the squared length of a position.": 768 / 2,
        "You took the position to be √(2 · 768) long. Each pair of sine and cosine adds 1, and there are 384 pairs.": (
            sqrt(2 * 768)
        ),
        "That is how long the word would be in units of the position, without a factor. Turn it over.": sqrt(2 / 768),
    },
    rtol=5e-3,
)


def tied_logits(table: ArrayLike, ids: ArrayLike, places: ArrayLike) -> Array:
    """The reference: logits (vocabulary,) of one table (vocabulary, d) that is looked up and multiplied with.

    Words ``ids`` (n,), times √d, plus ``places`` (n, d); their mean, brought to length √d, times each row.
    """
    rows = np.asarray(table, float)
    root = np.sqrt(rows.shape[1])
    state = (root * rows[np.asarray(ids)] + np.asarray(places)).mean(0)
    return rows @ (root * state / np.linalg.norm(state))


def _case(words: int, d: int, ids: list[int], *, places: bool) -> tuple[object, ...]:
    """Table, words, places."""
    table = normal(5, 0, np.arange(words * d)).reshape(words, d) / np.sqrt(d)
    drawn = normal(5, 1, np.arange(len(ids) * d)).reshape(len(ids), d)
    return table, ids, drawn if places else 0 * drawn


check_tied = CheckFunction(
    tied_logits,
    {
        "Wrong without positions: one table has two uses. Which of them is the factor for?": _case(
            7, 16, [2, 5, 2], places=False
        ),
        "Right without positions. With them: which part of the sum is the factor for?": _case(
            7, 16, [2, 5, 2], places=True
        ),
        "Wrong for one word and another width.": _case(5, 64, [4], places=True),
    },
)

check_step = Check(
    0.001 * 1024,
    {
        "So far moves the row of the table, and so does one entry after the factor. You need both roots.": 0.001 * 32,
        "That is one entry of the row. There are 1024, and the factor.": 0.001,
        "Nearly: the factor is √1024, and lengths add by squares, which gives √1024 once more.": 0.001 * 32 * 1024,
    },
    rtol=5e-3,
)
