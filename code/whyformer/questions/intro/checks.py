"""The checks of the first page: what its sentences say, tried out."""

from __future__ import annotations

import numpy as np

from whyformer import evidence
from whyformer.maths import softmax
from whyformer.proof import Numbers, check, reporter

report = reporter(__name__)


def gradients(rng: np.random.Generator, d_k: int, n_keys: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """The gradient at 100,000 queries, not divided and divided: ||K^T J|| / c in matrices.

    Given a query its scores are its length times standard normal numbers z, and the rest of the keys has a Gram matrix
    L L^T with Bartlett's L: then ||K^T J||^2 = ||z^T J||^2 + ||L^T J||^2, and no key is drawn whole.
    """
    count, each = 100_000, np.arange(n_keys)
    z = rng.standard_normal((count, n_keys))
    length = np.sqrt(rng.chisquare(d_k, (count, 1)))
    factor = np.tril(rng.standard_normal((count, n_keys, n_keys)), -1)
    factor[:, each, each] = np.sqrt(rng.chisquare(d_k - 1 - each, (count, n_keys)))

    def at_query(divisor: float) -> np.ndarray:
        y = softmax(length * z / divisor)
        jacobian = y[:, :, None] * (np.eye(n_keys) - y[:, None, :])
        parts = np.concatenate([z[:, None], factor.swapaxes(1, 2)], axis=1) @ jacobian
        return np.sqrt((parts**2).sum((1, 2))) / divisor

    return at_query(1.0), at_query(np.sqrt(d_k))


@check
def the_typical_query(d_k: int = 256) -> Numbers:
    """We drew 100,000 queries, each with eight keys, and took the gradient at each with the whole Jacobian."""
    raw, divided = gradients(np.random.default_rng(0), d_k)
    return {"0.03": np.median(raw), "0.37": np.median(divided)}


@check
def still_larger(d_k: int = 512) -> Numbers:
    """We drew 100,000 queries, each with eight keys, and compared the two gradients at each."""
    raw, divided = gradients(np.random.default_rng(0), d_k)
    return {"27 %": np.mean(raw > divided)}


@check
def with_many_keys(n_keys: int = 512) -> Numbers:
    """We drew 3,000 starts of the picture with 512 keys, and took the median at each size; here we read it back."""
    typical = evidence.read("picture")["typical"][str(n_keys)]
    return {"0.36": typical["1"][-1], "0.07": typical["sqrt"][-1]}
