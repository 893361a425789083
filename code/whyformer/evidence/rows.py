"""Rows of attention weights of the trained model: how much of a row one key has, by the length of the sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.evidence.trained import activations
from whyformer.maths.softmax import Array
from whyformer.model.weights import MiniLM

SHARP = 0.9  # a row with a larger weight than this on one key counts as sharp


def measured(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """Over all heads and queries of the sentences, with [CLS] and [SEP] as tokens.

    * ``rows``: how many; ``squares``: least, median and largest sum of a row's squared weights; ``sharp``: the share of
      rows with more than 0.9 on one key
    * ``tokens``, ``sentences``, ``squares_of``, ``least_of``, ``sharp_of``: numbers of tokens, how many sentences have
      them, and median and least sum of squares and share of sharp rows of these
    * ``least_largest`` (6, 12): by layer and head, the least over its rows of their largest weight
    """
    weights = [np.stack([head.weights for head in layers]).astype(float) for _, layers in activations(mini, texts)]
    tokens = np.array([one.shape[-1] for one in weights])
    squares: list[Array] = [(one**2).sum(-1).ravel() for one in weights]
    largest: list[Array] = [one.max(-1) for one in weights]

    def of(n: int | None, parts: list[Array]) -> Array:
        return np.concatenate([part.ravel() for part, m in zip(parts, tokens, strict=True) if n in (None, m)])

    lengths = [int(n) for n in np.unique(tokens)]
    every = of(None, squares)
    return {
        "rows": every.size,
        "squares": [every.min(), np.median(every), every.max()],
        "sharp": (of(None, largest) > SHARP).mean(),
        "tokens": lengths,
        "sentences": [int((tokens == n).sum()) for n in lengths],
        "squares_of": [np.median(of(n, squares)) for n in lengths],
        "least_of": [of(n, squares).min() for n in lengths],
        "sharp_of": [(of(n, largest) > SHARP).mean() for n in lengths],
        "least_largest": np.min([one.min(-1) for one in largest], axis=0),
    }
