"""How much of a matrix of scores depends on the distance alone. Twin: ``distance.ts``."""

from __future__ import annotations

import numpy as np

from whyformer.maths.softmax import Array


def by_distance(scores: Array) -> Array:
    """(n, n): each score of (n, n) replaced by the mean of its diagonal, that is of all pairs with this distance."""
    at = np.arange(len(scores))
    distance = at - at[:, None] + len(scores) - 1  # from 0 on
    sums, pairs = np.bincount(distance.ravel(), np.ravel(scores)), np.bincount(distance.ravel())
    return np.asarray((sums / pairs)[distance])


def explained_by_distance(scores: Array) -> float:
    """Share of the variance of (n, n) scores that the distance explains, 0 to 1; of random ones 2/(n + 1) on average.

    1 minus the squared distance to :func:`by_distance` over that to the mean.
    """
    scores = np.asarray(scores, float)
    left = ((scores - by_distance(scores)) ** 2).sum()
    return float(1 - left / ((scores - scores.mean()) ** 2).sum())
