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


def many_starts(d_k: int, n_keys: int) -> np.ndarray:
    """200,000 rows of scores: given the query they are its length times standard normal numbers."""
    rng = np.random.default_rng(0)
    return np.sqrt(rng.chisquare(d_k, (200_000, 1))) * rng.standard_normal((200_000, n_keys))


@check
def the_median_start(d_k: int = 64, n_keys: int = 8) -> Numbers:
    """We drew 200,000 queries, each with eight keys, and took the trace of the softmax Jacobian, divided and not."""
    scores = many_starts(d_k, n_keys)
    return {
        "8 %": np.median(gradient_back(scores)),
        "90 %": np.median(gradient_back(scores / np.sqrt(d_k))),
    }


@check
def for_each_dot_product(d_k: int = 64, n_keys: int = 8) -> Numbers:
    """We took the same 200,000 starts, and multiplied the trace of the divided ones by 1/√d_k, for the chain rule."""
    scores, root = many_starts(d_k, n_keys), np.sqrt(d_k)
    return {"8 %": np.median(gradient_back(scores)), "11 %": np.median(gradient_back(scores / root)) / root}


@check
def divided_has_never_less(sizes: tuple[int, ...] = (2, 4, 16, 64, 256, 512), n_keys: int = 8) -> Numbers:
    """We drew 12,000 starts, 2,000 at each of six sizes from 2 to 512, and compared the two traces of each."""
    for d_k in sizes:
        for rng in draws(2):
            scores = starts(rng, d_k, n_keys)
            always_larger(gradient_back(scores / np.sqrt(d_k)) - gradient_back(scores) + 1e-12, 0)
    return {}
