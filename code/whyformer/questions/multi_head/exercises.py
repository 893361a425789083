"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckFunction

check_missed = Check(
    1 - 0.36 / 0.46,
    {
        "That is one minus the weight. Let the read-out choose the factor in front of the blend.": 0.4,
        "You forgot to divide by the sum of the squared weights.": 0.64,
        "That is the error of the blend itself, with the factor 1.": 0.4**2 + 0.3**2 + 0.1**2,
        "That is the share that is read, not the share that is missed.": 0.36 / 0.46,
        "That uses the correlation 0.6/√0.46. The share of the variance that is read is its square.": 1
        - 0.6 / 0.46**0.5,
    },
    rtol=3e-3,
)

check_factor = Check(
    2.0,
    {
        "That would take 0.3 of the other box along. Let head 2 cancel it.": 1 / 0.7,
        "With 1 you get the blend of head 1 as it is.": 1.0,
        "That is the factor in front of head 2.": -1.0,
    },
)

check_least = Check(
    2.0,
    {
        "Three heads can read three places exactly. What of the others?": 0.0,
        "That is the number of heads. Each can save at most one variance.": 3.0,
        "That is what is missed without any head.": 5.0,
        "One head fewer than places is not enough, but more heads than one help.": 4.0,
    },
)


def total_missed(rows: np.ndarray, places: list[int]) -> float:
    """What the best linear read-out misses of these places, in variances of one content."""
    return float(sum(1 - (np.linalg.pinv(rows) @ rows)[i, i] for i in places))


check_total = CheckFunction(
    total_missed,
    {
        "One head, half and half: the answer is 1.": (np.array([[0.0, 0.5, 0.0, 0.5]]), [1, 3]),
        "One head with weight on other places too: more than 1.": (np.array([[0.1, 0.5, 0.2, 0.2]]), [1, 3]),
        "Two heads that both blend still miss nothing.": (np.array([[0.7, 0.3, 0.0], [0.3, 0.7, 0.0]]), [0, 1]),
        "Two equal heads are one head. Did you invert a matrix that has no inverse?": (
            np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]),
            [0, 1],
        ),
        "Three heads, four places.": (np.eye(5)[:3] * 0.9 + 0.02, [0, 1, 2, 4]),
    },
    rtol=1e-6,
)
