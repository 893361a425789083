"""How long the scores of n queries for n keys take, computed in six ways; on one machine, in one thread.

Times are of that machine and that library. What they are for is their ratios, and those differ elsewhere too.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Single = NDArray[np.float32]

N = (32, 64, 128, 256, 512)
D_K = (16, 32, 64)
LEAST, SECONDS = 9, 0.6  # each is timed at least so often and for so long, and the shortest counts


def dot_product(q: Single, k: Single, a: Single) -> Single:
    """All dot products as one product of matrices."""
    return q @ k.T


def dot_by_query(q: Single, k: Single, a: Single) -> Single:
    """The dot products of one query at a time, as a decoder does that writes word by word."""
    return np.stack([k @ one for one in q])


def dot_by_pair(q: Single, k: Single, a: Single) -> Single:
    """The same products pair by pair: (n, n, d_k) products first, then their sums."""
    products = q[:, None] * k
    return products.sum(-1, dtype=np.float32)


def additive(q: Single, k: Single, a: Single) -> Single:
    """Tanh of each sum, an (n, n, d_k) array, then its products with a."""
    sums = q[:, None] + k
    return np.tanh(sums, out=sums) @ a


def additive_relu(q: Single, k: Single, a: Single) -> Single:
    """The same with a ReLU in the place of tanh."""
    sums = q[:, None] + k
    return np.maximum(sums, 0, out=sums) @ a


def additive_by_query(q: Single, k: Single, a: Single) -> Single:
    """The additive scores of one query at a time: only (n, d_k) numbers at once."""
    return np.stack([np.tanh(one + k) @ a for one in q])


WAYS: dict[str, Callable[[Single, Single, Single], Single]] = {
    "dot": dot_product,
    "dot_by_query": dot_by_query,
    "dot_by_pair": dot_by_pair,
    "additive": additive,
    "additive_relu": additive_relu,
    "additive_by_query": additive_by_query,
}


def drawn(n: int, d_k: int, seed: int = 0) -> tuple[Single, Single, Single]:
    """Standard normal queries (n, d_k), keys (n, d_k) and vector a (d_k,), in single precision."""
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, n, d_k), dtype=np.float32)
    return q, k, rng.standard_normal(d_k, dtype=np.float32)


def milliseconds(way: str, n: int, d_k: int, *, least: int = LEAST, seconds: float = SECONDS) -> float:
    """The shortest of many times that one way takes: what is longer was disturbed."""
    given, times = drawn(n, d_k), list[float]()
    WAYS[way](*given)  # the first call also finds its memory
    begun = time.perf_counter()
    while len(times) < least or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        WAYS[way](*given)
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def measured() -> dict[str, list[list[float]]]:
    """For each way the milliseconds by d_k (rows) and n (columns)."""
    return {way: [[milliseconds(way, n, d_k) for n in N] for d_k in D_K] for way in WAYS}
