"""Checks for the exercises of the chapter."""

import numpy as np
from numpy.typing import ArrayLike

from whyformer.lab import Option
from whyformer.lab.teach.exercise import Check, CheckChoice, CheckFunction
from whyformer.maths import softmax
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

check_saved = Check(
    2 * 32_000 * 1024,
    {
        "That is one table. Three tables become one.": 32_000 * 1024,
        "That is what three tables have. One of them stays.": 3 * 32_000 * 1024,
        "That is with the 37,000 tokens of the paper.": 2 * 37_000 * 1024,
    },
)

check_border = Check(
    0.5,
    {
        "That is where the two rows are equally far from h. What are the two products there?": 1.75,
        "There B has twice the weight of A already. Where are they equal?": 0.5 + np.log(2) / 2,
        "You set the product with B to zero.": -1 / 3,
    },
)

check_longest = CheckChoice(
    [
        Option(
            "Yes: the longest row has the largest product with some h, but another row can be the winner at every h",
            "Take h along the longest row itself. Which row could have a larger product with it?",
        ),
        Option(
            "Yes: at h along its own row its product is the square of its length, and no other row reaches that",
            "Right. By Cauchy and Schwarz no other product exceeds the product of the two lengths.",
            right=True,
        ),
        Option(
            "No: it may lie inside the hull of the others",
            "A point inside a hull is an average of the corners, and an average is no longer than the longest of them.",
        ),
    ]
)


def tied_gradient(table: ArrayLike, read: ArrayLike, answer: ArrayLike) -> Array:
    """The reference: gradient (V, d) of the mean cross-entropy at the one table, read at ``read``, logits e . table."""
    e = np.asarray(table, float)
    read, answer = np.asarray(read), np.asarray(answer)
    states = e[read]
    at_logits = softmax(states @ e.T)
    at_logits[np.arange(len(read)), answer] -= 1
    at_logits /= len(read)
    gradient = at_logits.T @ states
    np.add.at(gradient, read, at_logits @ e)
    return gradient


def _case(vocabulary: int, d: int, read: list[int], answer: list[int]) -> tuple[object, ...]:
    """A table, what is read, what would be right."""
    return normal(4, vocabulary, np.arange(vocabulary * d)).reshape(vocabulary, d), np.array(read), np.array(answer)


check_tied = CheckFunction(
    tied_gradient,
    {
        "Wrong for one position. The table is used twice: where does the gradient arrive?": _case(4, 3, [2], [0]),
        "Right for one position. Two positions: is the loss their mean?": _case(4, 3, [2, 1], [0, 3]),
        "Wrong where a word is read twice: its row gets a part from each position.": _case(5, 3, [2, 1, 2], [0, 2, 4]),
    },
)
