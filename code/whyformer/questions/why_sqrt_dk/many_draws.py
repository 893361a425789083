r"""What happens on average: the law over many draws, without drawing a single d_k-dimensional vector.

Given a query q of length r, the score of a key with correlation rho to it is r a with
:math:`a = \rho r + \sqrt{1 - \rho^2}\, g` and g standard normal; so a row of scores needs one squared length,
chi-square with d_k degrees of freedom, and n normals. The part of the keys orthogonal to q enters the gradient at q
only through its length, one more chi-square, with d_k - 1 degrees. All of this is exact, not approximate.

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
    softmax_vjp,
)

LAW_D_K = [2**i for i in range(13)]
N_DRAWS = 200
N_QUERIES = 32  # in the batch whose gradients W_Q adds up
N_ROWS_OF_BATCHES = 800  # 25 batches side by side, 800 when their windows overlap
MAX_KEYS = 64
LAW_SEED = 1706
STREAMS_PER_ROW = 8


class Rows(NamedTuple):
    """Rows of scores before their correlation and divisor are known: one row for one query."""

    length2: Array  # (..., 1) squared length of q, chi-square with d_k degrees of freedom
    orthogonal2: Array  # (..., 1) squared length orthogonal to q, chi-square with d_k - 1
    noise: Array  # (..., n) standard normal part of each key along q
    upstream: Array  # (..., n) gradient arriving at the weights


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
        orthogonal2=_chi_square(seed, streams + 2, [d - 1 for d in d_k])[:, :, None],
        noise=normal(seed, streams[:, None] + 4, keys)[:, None, :],
        upstream=normal(seed, streams[:, None] + 5, keys)[:, None, :],
    )


def correlations(rho: float, related: str, n_keys: int) -> Array:
    """Correlation of each key with q: ``rho`` for every key, or for the first alone."""
    return np.full(n_keys, rho) if related == "all" else np.where(np.arange(n_keys) == 0, rho, 0.0)


def query_gradient(row: Rows, correlation: Array, divisor: Array) -> Array:
    r"""Length of the gradient at q, :math:`\|K^\top J u\| / \text{divisor}`, for rows of the law."""
    length = np.sqrt(row.length2)
    along = correlation * length + np.sqrt(1 - correlation**2) * row.noise
    arriving = softmax_vjp(length * along / divisor, row.upstream)
    across = (arriving**2 * (1 - correlation**2)).sum(-1, keepdims=True) * row.orthogonal2
    return np.sqrt((arriving * along).sum(-1) ** 2 + across[..., 0]) / divisor[..., 0]


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

    For ``gradient_w_q`` one draw is a batch of N_QUERIES rows, the root mean square of their gradients at q; batches
    are overlapping windows over N_ROWS_OF_BATCHES rows.
    """
    n_rows = N_ROWS_OF_BATCHES if quantity == "gradient_w_q" else N_DRAWS
    full = _law_rows(n_rows)
    row = full._replace(noise=full.noise[..., :n_keys], upstream=full.upstream[..., :n_keys])
    correlation = correlations(rho, related, n_keys)
    values = []
    for divisor in divisors(LAW_D_K):
        divisor = divisor[None, :, None]
        if quantity.startswith("gradient"):
            value = query_gradient(row, correlation, divisor)
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
