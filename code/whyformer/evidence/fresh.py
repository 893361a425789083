"""What attention starts with, before any training: how hard its rows are, and which gradients it gets.

Components of queries and keys are standard normal and independent, and so are the entries of the gradient u that
arrives at the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.maths import attention_gradients, softmax, softmax_vjp
from whyformer.maths.softmax import Array

SEEDS = (0, 1, 2)
D_K = (16, 64, 128, 256, 512)
#: number of keys, and the queries drawn for each seed
QUERIES = {4: 8000, 16: 4000, 64: 8000, 512: 4000, 4096: 300, 16384: 200}
FEW, FEW_D_K, FEW_QUERIES = 8, (1, 2, 4, 8, 16, 32, 64, 128, 256, 512), 6000
D_MODEL, TOKENS, HEADS, LAYER_SEEDS = 512, (4, 16, 128, 512), (32, 8, 1), (0, 1, 2, 3, 4)
SURE = 0.9  # a row with a weight above is called hard
#: What the variance of the entries of q and k is at the start behind a norm, width times the variance of a weight, and
#: d_k. A normal distribution that is cut off at two standard deviations keeps 0.774 of its variance.
STARTS = {
    "this book": (1.0, 64),
    "GPT-2": (768 * 0.02**2, 64),
    "BERT": (768 * 0.02**2 * 0.7737413, 64),
    "nn.Linear": (1 / 3, 64),
    "nn.MultiheadAttention": (1 / 2, 64),
    "0.02 at width 4096": (4096 * 0.02**2, 128),
}
#: number of keys, and the queries drawn: for each start, and for the typical query at variance 1 and each d_k
START_QUERIES = {8: 20_000, 64: 10_000, 512: 8_000}
TYPICAL_QUERIES = {8: 200_000, 64: 40_000, 512: 12_000}


def rows(n_keys: int, d_k: int, queries: int, seed: int) -> dict[str, dict[str, Any]]:
    """Rows of many queries, not divided ("1") and divided by sqrt(d_k) ("sqrt"), from the same draws.

    Given a query, its undivided scores are its length times standard normal numbers, and the keys' part orthogonal to
    it has nothing to do with them: so no key is drawn whole.

    ``hard``: share of rows with a weight above SURE; medians of the ``largest`` weight, of that of the ``first`` key
    (one chosen blindly), of the largest ``entry`` of the softmax Jacobian, and of its ``trace`` over that at equal
    weights. Of the length of the gradient at a query, K^T J u over the divisor: ``median``, root of the
    ``mean_square`` (what W_Q adds up), and ``span``, its 90 % quantile over its 10 % quantile. For "1" only: at which
    share of the queries it is ``larger`` than divided, at which less than a tenth (``tenth``), and which share of the
    sum of squares comes from hard rows (``from_hard``).
    """
    generator = np.random.default_rng([seed, n_keys, d_k])
    length = np.sqrt(generator.chisquare(d_k, (queries, 1)))
    along, u = generator.standard_normal((2, queries, n_keys))
    orthogonal = 2 * generator.standard_gamma((d_k - 1) / 2, queries)
    found, at_query, hard = {}, {}, {}
    for name, divisor in (("1", 1.0), ("sqrt", np.sqrt(d_k))):
        scores = length * along / divisor
        weights, passed = softmax(scores), softmax_vjp(scores, u)
        at_query[name] = np.sqrt(np.vecdot(passed, along) ** 2 + np.vecdot(passed, passed) * orthogonal) / divisor
        found[name] = of_weights(weights) | of_lengths(at_query[name])
        hard[name] = weights.max(-1) > SURE
    ratio, squares = at_query["1"] / at_query["sqrt"], at_query["1"] ** 2
    found["1"] |= {
        "larger": (ratio > 1).mean(),
        "tenth": (ratio < 0.1).mean(),
        "from_hard": squares[hard["1"]].sum() / squares.sum(),
    }
    return found


def of_weights(weights: Array) -> dict[str, Any]:
    """How hard rows (..., n) are."""
    spread = 1 - np.vecdot(weights, weights)
    return {
        "hard": (weights.max(-1) > SURE).mean(),
        "largest": np.median(weights.max(-1)),
        "first": np.median(weights[..., 0]),
        "entry": np.median((weights * (1 - weights)).max(-1)),
        "trace": np.median(spread) / (1 - 1 / weights.shape[-1]),
    }


def of_lengths(lengths: Array) -> dict[str, Any]:
    """Median, root mean square and span of lengths."""
    low, high = np.quantile(lengths, (0.1, 0.9))
    return {"median": np.median(lengths), "mean_square": np.sqrt((lengths**2).mean()), "span": high / low}


def start(variance: float, d_k: int, n_keys: int, queries: int) -> dict[str, float]:
    """Rows whose queries and keys have entries of this variance, not divided and divided by sqrt(d_k), keys whole.

    ``hard``, ``hard_divided``: share of rows with a weight above SURE. Of the gradient at the query, ||K^T J|| over the
    divisor: ``divided``, the median if divided; ``median`` and root of the ``mean_square``, not divided, as multiples
    of divided.
    """
    generator, left = np.random.default_rng([n_keys, d_k]), queries
    lengths: dict[str, list[Array]] = {"1": [], "sqrt": []}
    largest: dict[str, list[Array]] = {"1": [], "sqrt": []}
    while left:
        now = min(left, 2**22 // (n_keys * d_k))
        left -= now
        q, k = generator.standard_normal((now, 1, d_k)), generator.standard_normal((now, n_keys, d_k))
        dots, squares = variance * np.vecdot(k, q), np.vecdot(k, k)
        for name, divisor in (("1", 1.0), ("sqrt", np.sqrt(d_k))):
            weights = softmax(dots / divisor)
            mean = (weights[:, None] @ k)[:, 0]
            apart = squares - 2 * np.vecdot(k, mean[:, None]) + np.vecdot(mean, mean)[:, None]
            lengths[name].append(np.sqrt((weights**2 * np.maximum(apart, 0)).sum(1) * variance) / divisor)
            largest[name].append(weights.max(1))
    bare, divided = (np.concatenate(found) for found in lengths.values())
    hard, soft = (float((np.concatenate(found) > SURE).mean()) for found in largest.values())
    return {
        "hard": hard,
        "hard_divided": soft,
        "divided": float(np.median(divided)),
        "median": float(np.median(bare) / np.median(divided)),
        "mean_square": float(np.sqrt((bare**2).mean() / (divided**2).mean())),
    }


def layer(tokens: int, heads: int, seed: int) -> dict[str, Any]:
    """Gradients of one self-attention layer, as multiples of those divided by sqrt(d_k): of W_Q, W_K, W_V.

    Glorot weights (uniform, variance 1/D_MODEL), normalised random input, a random gradient from above.
    """
    generator = np.random.default_rng([seed, tokens, heads])
    x = generator.standard_normal((tokens, D_MODEL))
    x = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    limit = np.sqrt(3 / D_MODEL)
    w_q, w_k, w_v, w_o = generator.uniform(-limit, limit, (4, D_MODEL, D_MODEL))
    q, k, v = (split(x @ w, heads) for w in (w_q, w_k, w_v))
    above = split(generator.standard_normal((tokens, D_MODEL)) @ w_o.T, heads)
    lengths = {}
    for name, divisor in (("1", 1.0), ("sqrt", np.sqrt(q.shape[-1])), ("d_k", float(q.shape[-1]))):
        parts = attention_gradients(q, k, v, above, divisor=divisor)
        lengths[name] = {w: np.linalg.norm(x.T @ merge(part)) for w, part in parts._asdict().items()}
    return {name: {w: lengths[name][w] / of for w, of in lengths["sqrt"].items()} for name in ("1", "d_k")}


def split(x: Array, heads: int) -> Array:
    """(tokens, D_MODEL) as (heads, tokens, d_k)."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def merge(x: Array) -> Array:
    """(heads, tokens, d_k) as (tokens, D_MODEL)."""
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)


def cells() -> list[tuple[int, int, int]]:
    """Number of keys, d_k, queries: all that rows are drawn for."""
    return [(n, d, m) for n, m in QUERIES.items() for d in D_K] + [(FEW, d, FEW_QUERIES) for d in FEW_D_K]
