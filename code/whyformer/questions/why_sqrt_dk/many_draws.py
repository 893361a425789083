r"""What happens on average: the law over many draws, without drawing a single d_k-dimensional vector.

Given a query q of length r, the score of a key with correlation rho to it is r a with
:math:`a = \rho r + \sqrt{1 - \rho^2}\, g` and g standard normal; so a row of scores needs one squared length,
chi-square with d_k degrees of freedom, and n normals. This is exact, not approximate. The gradient at q is a root mean
square: over the gradients that may arrive at the weights, with independent entries of mean 0 and variance 1, and over
the parts of the keys across q.

Twin: ``many_draws.ts``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths.random import normal, uniform
from whyformer.maths.softmax import (
    Array,
    Integers,
    softmax,
    softmax_entropy,
    softmax_jacobian_max,
)

LAW_D_K = [2**i for i in range(13)]
N_DRAWS = 200
N_GRADIENTS = 800  # queries whose gradients are drawn; 25 batches side by side, 800 when their windows overlap
N_QUERIES = 32  # in the batch whose gradients W_Q adds up
MAX_KEYS = 64
LAW_SEED = 1706
STREAMS_PER_ROW = 8


class Rows(NamedTuple):
    """Rows of scores before their correlation and divisor are known: one row for one query."""

    length2: Array  # (..., 1) squared length of q, chi-square with d_k degrees of freedom
    noise: Array  # (..., n) standard normal part of each key along q


def _chi_square(seed: int, streams: Integers, degrees: list[int]) -> Array:
    """Chi-square numbers that grow with the degrees of freedom: shape (streams, degrees).

    Two degrees are -2 ln u; an odd one left over is the square of a normal from the next stream.
    """
    exponentials = -2 * np.log(uniform(seed, streams[:, None], np.arange(max(degrees) // 2)))
    cumulative = np.concatenate([np.zeros((len(streams), 1)), np.cumsum(exponentials, axis=1)], axis=1)
    odd = normal(seed, streams + 1, 0)[:, None] ** 2
    halves, odds = np.array(degrees) // 2, np.array(degrees) % 2
    return cumulative[:, halves] + odds * odd


def rows(seed: int, first_row: int, n_rows: int, d_k: list[int], n_keys: int) -> Rows:
    """Rows ``first_row`` and following of a seed, for each of several d_k: arrays (n_rows, len(d_k), ...)."""
    streams = STREAMS_PER_ROW * (first_row + np.arange(n_rows))
    keys = np.arange(n_keys)
    return Rows(
        length2=_chi_square(seed, streams, d_k)[:, :, None],
        noise=normal(seed, streams[:, None] + 4, keys)[:, None, :],
    )


def correlations(rho: float, related: str, n_keys: int) -> Array:
    """Correlation of each key with q: ``rho`` for every key, or for the first alone."""
    return np.full(n_keys, rho) if related == "all" else np.where(np.arange(n_keys) == 0, rho, 0.0)


def query_gradient(row: Rows, correlation: Array, d_k: ArrayLike, divisor: Array) -> Array:
    r"""The gradient at q, for rows of the law: shape of ``row.length2`` without its last axis.

    With the parts a of the keys along q and the softmax Jacobian J it is
    :math:`\sqrt{\lVert J a \rVert^2 + (d_k - 1) \sum_j (1 - \rho_j^2) \lVert J_j \rVert^2} / \text{divisor}`, the
    root mean square of :math:`\lVert K^\top J u \rVert / \text{divisor}` over u and over what of the keys is across q.
    """
    length = np.sqrt(row.length2)
    along = correlation * length + np.sqrt(1 - correlation**2) * row.noise
    y = softmax(length * along / divisor)
    leads = np.arange(y.shape[-1]) == y.argmax(-1, keepdims=True)
    others = np.where(leads, 0, y)  # sums without the leader stay exact where its weight is near 1
    apart = along - (leads * along).sum(-1, keepdims=True)
    through = y * (apart - (others * apart).sum(-1, keepdims=True))
    rest = np.where(leads, others.sum(-1, keepdims=True), 1 - y)
    squares = (others**2).sum(-1, keepdims=True) + np.where(leads, 0, (leads * y).sum(-1, keepdims=True) ** 2 - y**2)
    lengths2 = y**2 * (rest**2 + squares)
    across = (np.asarray(d_k) - 1) * ((1 - correlation**2) * lengths2).sum(-1)
    result: Array = np.sqrt((through**2).sum(-1) + across) / divisor[..., 0]
    return result


def measure(quantity: str, logits: Array) -> Array:
    """One of the quantities that need only the logits."""
    if quantity == "largest_weight":
        return softmax(logits).max(-1)
    return softmax_entropy(logits) if quantity == "entropy" else softmax_jacobian_max(logits)


def divisors(d_k: ArrayLike) -> Array:
    """1, sqrt(d_k) and d_k: shape (3, ...)."""
    d_k = np.asarray(d_k, float)
    return np.stack([np.ones_like(d_k), np.sqrt(d_k), d_k])


@cache
def _law_rows(n_rows: int) -> Rows:
    return rows(LAW_SEED, 0, n_rows, LAW_D_K, MAX_KEYS)


@lru_cache(maxsize=8)
def law(n_keys: int, rho: float, related: str, quantity: str) -> dict[str, Array]:
    """Quantiles (10, 50 and 90 %) and mean over the draws: each of shape (3 divisors, 13 values of d_k).

    There are N_GRADIENTS draws of a gradient and N_DRAWS of what else there is. For ``gradient_w_q`` one draw is a
    batch of N_QUERIES rows, the root mean square of their gradients at q; batches are overlapping windows.
    """
    n_rows = N_GRADIENTS if quantity.startswith("gradient") else N_DRAWS
    full = _law_rows(n_rows)
    row = full._replace(noise=full.noise[..., :n_keys])
    correlation = correlations(rho, related, n_keys)
    values = []
    for divisor in divisors(LAW_D_K):
        divisor = divisor[None, :, None]
        if quantity.startswith("gradient"):
            value = query_gradient(row, correlation, LAW_D_K, divisor)
            if quantity == "gradient_w_q":
                batch = (np.arange(n_rows)[:, None] + np.arange(N_QUERIES)) % n_rows
                value = np.sqrt((value**2)[batch].mean(1))
        else:
            length = np.sqrt(row.length2)
            along = correlation * length + np.sqrt(1 - correlation**2) * row.noise
            value = measure(quantity, length * along / divisor)
        values.append(value)
    over_draws = np.stack(values)  # (3, draws, 13)
    low, mid, high = np.quantile(over_draws, [0.1, 0.5, 0.9], axis=1)
    return {"low": low, "mid": mid, "high": high, "mean": over_draws.mean(1)}
