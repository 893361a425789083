"""The checks of the first page: what its sentences say, tried out."""

from __future__ import annotations

import numpy as np

from whyformer.maths import softmax
from whyformer.proof import Numbers, always_larger, check, draws, reporter

report = reporter(__name__)


def starts(rng: np.random.Generator, d_k: int, n_keys: int, count: int = 1000) -> np.ndarray:
    """Dot products of random queries, each with keys of its own: (count, n_keys)."""
    query, keys = rng.standard_normal((count, d_k)), rng.standard_normal((n_keys, count, d_k))
    return np.vecdot(keys, query).T


def gradient_back(scores: np.ndarray) -> np.ndarray:
    """The trace of the softmax Jacobian over its largest possible value, for each row of scores."""
    weights = softmax(scores)
    return (1 - np.vecdot(weights, weights)) / (1 - 1 / scores.shape[-1])


@check
def the_median_start(d_k: int = 64, n_keys: int = 8) -> Numbers:
    """We drew 20,000 queries, each with eight keys, and took the trace of the softmax Jacobian, divided and not."""
    rows = [starts(rng, d_k, n_keys) for rng in draws(20)]
    return {
        "less than 10 %": (np.median([gradient_back(scores) for scores in rows]), 0.10),
        "more than 89 %": (np.median([gradient_back(scores / np.sqrt(d_k)) for scores in rows]), 0.89),
    }


@check
def divided_has_never_less(sizes: tuple[int, ...] = (2, 4, 16, 64, 256, 512), n_keys: int = 8) -> Numbers:
    """We drew 12,000 starts, 2,000 at each of six sizes from 2 to 512, and compared the two traces of each."""
    for d_k in sizes:
        for rng in draws(2):
            scores = starts(rng, d_k, n_keys)
            always_larger(gradient_back(scores / np.sqrt(d_k)) - gradient_back(scores) + 1e-12, 0)
    return {}
