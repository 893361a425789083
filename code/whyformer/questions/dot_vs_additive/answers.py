"""Checks of the answers to exercises."""

from __future__ import annotations

import numpy as np

from whyformer.maths import softmax
from whyformer.proof import Numbers, check, holds
from whyformer.questions.dot_vs_additive.checks import tau
from whyformer.questions.dot_vs_additive.exercises import check_additive, check_memory, check_start


@check
def room_for_all_pairs(heads: int = 8, n: int = 1024, d_k: int = 64) -> Numbers:
    """We counted the bytes of all heads' arrays, in single precision."""
    mib = np.dtype(np.float32).itemsize / 2**20
    holds(bool(check_memory(heads * n * n * d_k * mib)))
    return {"4": np.dtype(np.float32).itemsize, "2048": heads * n * n * d_k * mib, "32": heads * n * n * mib}


@check
def additive_weights_mended() -> Numbers:
    """We ran the mended function, and it with either slip, through the exercise's check."""

    def mended(q: np.ndarray, k: np.ndarray, a: np.ndarray) -> np.ndarray:
        return softmax(np.tanh(q[:, None] + k) @ a)

    def late(q: np.ndarray, k: np.ndarray, a: np.ndarray) -> np.ndarray:
        return softmax(np.tanh((q[:, None] + k) @ a))

    def turned(q: np.ndarray, k: np.ndarray, a: np.ndarray) -> np.ndarray:
        return softmax(np.tanh(q[None] + k[:, None]) @ a)

    holds(bool(check_additive(mended)) and not check_additive(late) and not check_additive(turned))
    return {}


@check
def a_start_for_a(d_k: int = 256) -> Numbers:
    """We divided 1 by the root of 256 and by the standard deviation of one tanh."""
    sigma = 1 / (np.sqrt(d_k) * tau())
    holds(bool(check_start(sigma)))
    return {"0.117": sigma}
