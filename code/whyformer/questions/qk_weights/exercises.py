"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckFunction

_aa, _ab, _bb = np.exp([1.0, 1.5, 4.0])

check_back = Check(
    _ab / (_ab + _bb),
    {
        "That is the weight that A gives B. B's row has another sum.": _ab / (_aa + _ab),
        "That is what A gives itself. The question is about B's row.": _aa / (_aa + _ab),
        "That is what B gives itself.": _bb / (_ab + _bb),
        "That is the score. Put B's row through the softmax.": 1.5,
    },
    rtol=5e-3,
)

check_lead = Check(
    2 * np.log(9),
    {
        "That is the lead of A's score for B over A's score with itself. How far must B's score with itself be above "
        "A's score for B?": np.log(9),
        "Nine is the ratio of the weights. The scores differ by its logarithm.": 9.0,
        "Line 4 goes the other way: the two own scores together are at least twice the score of A for B.": np.log(9)
        / 2,
        "Two leads of ln 9 each add up; they are not multiplied.": np.log(9) ** 2,
    },
    rtol=5e-3,
)

check_superfluous = Check(
    64 * 64,
    {
        "That is all of W_Q and W_K.": 2 * 512 * 64,
        "Those are the numbers that matter. How many do not?": 2 * 512 * 64 - 64 * 64,
        "That is the whole of W_Q W_Kᵀ, most of which is bound by its rank.": 512 * 512,
        "R needs to be invertible, and not orthogonal.": 64 * 63 // 2,
        "That is one whole matrix of this head. R has fewer numbers.": 512 * 64,
    },
)


def _triangle(scores: np.ndarray) -> float:
    s = np.asarray(scores, float)
    return s[0, 1] + s[1, 2] + s[2, 0] - s[0, 2] - s[2, 1] - s[1, 0]


check_triangle = CheckFunction(
    _triangle,
    {
        "Go round once, 0 to 1 to 2 to 0, and take off the way round in the other sense.": (
            np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [4.0, 0.0, 0.0]]),
        ),
        "The other sense counts with a minus.": (np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]),),
        "Scores of words with themselves are on neither way round.": (
            np.array([[9.0, 1.0, 0.5], [0.25, 7.0, 2.0], [4.0, 0.125, 5.0]]),
        ),
    },
)
