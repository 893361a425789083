"""The many-token lab: random tokens in d dimensions, raw or projected; how many rows look at themselves?

Twin: ``many_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Listed, Number, Seed
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, softmax
from whyformer.questions.no_projections.own_share import LAW_D, own_shares

LENGTH_STREAM, W_Q, W_K, W_V = 100, 1000, 2000, 3000  # streams of the generator; token i is stream i
PROJECTIONS = {"none": "x·x", "same": "W_Q = W_K", "q": "W_Q alone", "qk": "W_Q and W_K"}


def matrix(seed: int, stream: int, d: int) -> Array:
    """Independent normal entries of variance 1/d, (d, d); a larger d keeps the draws and extends them."""
    return normal(seed, stream + np.arange(d)[:, None], np.arange(d)) / np.sqrt(d)


def compute(*, projections: str, values: str, d: int, n_tokens: int, spread: float, divisor: str, seed: int) -> Series:
    r"""Attention of n random tokens (rows of X) on themselves, and the law of the share of own rows over d.

    Token i is a standard normal vector of length ``d`` times :math:`e^{\sigma z_i}`, :math:`\sigma` being ``spread``
    and :math:`z_i` standard normal; ``n_tokens`` is n. ``projections``: which of Q and K are projected, or both by one
    matrix; ``values="w"``: V is projected, too; ``divisor``: 1 or ``"sqrt"``, the root of d. All matrices are d x d,
    with entries of variance 1/d; ``seed`` chooses tokens and matrices.

    * ``weights`` (n, n); ``best`` (n,): where each row has its largest weight, from 0; ``own_weight`` (n,): each row's
      weight on itself; ``mean_own``: its mean
    * ``n_own``, ``share``: rows whose largest weight is their own, as a number and in percent; ``expected``: the same
      in percent on average over draws
    * ``law_none``, ``law_same``, ``law`` (14,): that average for each d of ``LAW_D``: without projections, with W_Q =
      W_K, and for the chosen projections
    * ``outside``: coordinates of the outputs that leave the range which this coordinate has in the inputs, in percent
    """
    tokens = np.arange(n_tokens)
    length = np.exp(spread * normal(seed, LENGTH_STREAM, tokens))
    x = length[:, None] * normal(seed, tokens[:, None], np.arange(d))
    q = x if projections == "none" else x @ matrix(seed, W_Q, d)
    k = {"none": lambda: x, "same": lambda: q, "q": lambda: x, "qk": lambda: x @ matrix(seed, W_K, d)}[projections]()
    v = x @ matrix(seed, W_V, d) if values == "w" else x
    weights = softmax(q @ k.T / (np.sqrt(d) if divisor == "sqrt" else 1))
    best = weights.argmax(1)
    out = weights @ v
    low, high = x.min(0), x.max(0)
    margin = 1e-9 * (high - low)
    outside = (out < low - margin) | (out > high + margin)
    none, same = own_shares(n_tokens, spread)
    curve = {"none": none, "same": same}.get(projections, np.full(len(LAW_D), 1 / n_tokens))
    return {
        "weights": weights,
        "best": best.astype(float),
        "own_weight": np.diag(weights).copy(),
        "law_none": 100 * none,
        "law_same": 100 * same,
        "law": 100 * curve,
        "n_own": float((best == tokens).sum()),
        "share": 100 * (best == tokens).mean(),
        "expected": 100 * curve[LAW_D.index(d)],
        "mean_own": np.diag(weights).mean(),
        "outside": 100 * outside.mean(),
    }


class ManyLab(Lab):
    """Random tokens, raw or projected: which rows have their largest weight on themselves?"""

    title = "Many-token lab"
    hint = "Add W_Q alone and the mirror breaks. Then go back to x·x and spread the lengths."
    sentence = (
        "With d = {d} and scores from {projections}, {n_own:.0f} of {n_tokens} rows {n_own:has its|have their} largest "
        "weight on {n_own:itself|themselves}, expected {expected:.1f} %. The mean weight of a token on itself "
        "is {mean_own:.3f}."
    )
    columns = ("best", "own_weight")
    row = "token"
    places = ("best",)
    compute = staticmethod(compute)

    projections = Choice("none", options=PROJECTIONS, label="scores from")
    values = Choice("x", options={"x": "x", "w": "W_V"}, label="values from")
    divisor = Choice("sqrt", options={"1": "1", "sqrt": "√d"}, label="divide the scores by")
    d = Listed(64, values=LAW_D, label="d", help="numbers in each token's vector")
    n_tokens = Integer(16, min=2, max=32, label="tokens")
    spread = Number(
        0.0, min=0.0, max=1.0, step=0.05, label="spread of the lengths", help="standard deviation of their logarithm"
    )
    seed = Seed(5, label="draw", help="which random tokens and matrices")
