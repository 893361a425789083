"""Checks for the exercises of the chapter."""

from typing import Any

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckFunction
from whyformer.maths.softmax import softmax

check_missed = Check(
    1 - 0.36 / 0.46,
    {
        "That is one minus the weight. Let the read-out choose the factor in front of the blend.": 0.4,
        "You forgot to divide by the sum of the squared weights.": 0.64,
        "That is the error of the blend itself, with the factor 1.": 0.4**2 + 0.3**2 + 0.1**2,
        "That is the share that is read, not the share that is missed.": 0.36 / 0.46,
        "That uses the correlation 0.6/√0.46. The share of the variance that is read is its square.": 1
        - 0.6 / 0.46**0.5,
    },
    rtol=3e-3,
)

check_factor = Check(
    2.0,
    {
        "That leaves some of “tired” in. Let head 2 cancel it.": 1 / 0.7,
        "With 1 you get the blend of head 1 as it is.": 1.0,
        "That is the factor in front of head 2.": -1.0,
    },
)

check_least = Check(
    32.0,
    {
        "Two heads are enough for two places, but count the numbers that they pass on.": 0.0,
        "That is what the layer passes on. How many are asked for?": 64.0,
        "That is what “it” asks for, and what is missed without any head.": 96.0,
        "Count numbers here, each with variance 1, and not contents.": 0.5,
    },
)


def without(
    X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray, W_O: np.ndarray, h: int, gone: list[int]
) -> np.ndarray:
    """Self-attention of h heads, without mask and bias, when the heads in ``gone`` are left out."""
    out, width = np.zeros((len(X), W_O.shape[1])), W_Q.shape[1] // h
    for i in range(h):
        if i not in gone:
            own = slice(i * width, (i + 1) * width)
            weights = softmax((X @ W_Q[:, own]) @ (X @ W_K[:, own]).T / np.sqrt(width))
            out += weights @ (X @ W_V[:, own]) @ W_O[own]
    return out


def _case(n: int, width: int, h: int, gone: list[int], seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((n, width)), *rng.standard_normal((4, width, width)) / np.sqrt(width), h, gone)


check_without = CheckFunction(
    without,
    {
        "One head, none left out: this is plain attention with W_O after it.": _case(5, 4, 1, [], 0),
        "All heads left out: nothing is added, so the output is zeros.": _case(5, 4, 2, [0, 1], 1),
        "Two heads, none left out. The divisor is the root of the width of a head.": _case(3, 8, 2, [], 2),
        "One of three left out. The others keep their own rows of W_O.": _case(4, 12, 3, [1], 3),
        "Several left out, as many tokens as numbers in a head.": _case(4, 16, 4, [3, 0], 4),
    },
    rtol=1e-6,
)
