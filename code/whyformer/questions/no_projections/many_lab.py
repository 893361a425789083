"""The many-token lab: random tokens in d dimensions, raw or projected; how many rows look at themselves?

Twin: ``many_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Listed, Number, Over, Seed, Step
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

    * ``weights_none``, ``weights_same``, ``weights_q``, ``weights_qk`` (n, n): for each kind of ``projections``;
      ``n_own_none``, ``n_own_same``, ``n_own_q``, ``n_own_qk``: rows whose largest weight is their own
    * for the chosen kind: ``weights`` (n, n); ``best`` (n,): where each row has its largest weight, from 0;
      ``own_weight`` (n,): each row's weight on itself; ``mean_own``: its mean; ``n_own``, ``share``: rows whose largest
      weight is their own, as a number and in percent; ``expected``: the same in percent on average over draws
    * ``law_none``, ``law_same``, ``law`` (14,): that average for each d of ``LAW_D``: without projections, with W_Q =
      W_K, and for the chosen projections
    * ``outside``: coordinates of the outputs that leave the range which this coordinate has in the inputs, in percent
    """
    tokens = np.arange(n_tokens)
    length = np.exp(spread * normal(seed, LENGTH_STREAM, tokens))
    x = length[:, None] * normal(seed, tokens[:, None], np.arange(d))
    q, k = x @ matrix(seed, W_Q, d), x @ matrix(seed, W_K, d)
    v = x @ matrix(seed, W_V, d) if values == "w" else x
    by = np.sqrt(d) if divisor == "sqrt" else 1
    pairs = {"none": (x, x), "same": (q, q), "q": (q, x), "qk": (q, k)}
    weights = {kind: softmax(left @ right.T / by) for kind, (left, right) in pairs.items()}
    at_home = {kind: float((each.argmax(1) == tokens).sum()) for kind, each in weights.items()}
    chosen = weights[projections]
    out = chosen @ v
    low, high = x.min(0), x.max(0)
    margin = 1e-9 * (high - low)
    outside = (out < low - margin) | (out > high + margin)
    none, same = own_shares(n_tokens, spread)
    curve = {"none": none, "same": same}.get(projections, np.full(len(LAW_D), 1 / n_tokens))
    return {
        **{f"weights_{kind}": each for kind, each in weights.items()},
        "weights": chosen.copy(),
        "best": chosen.argmax(1).astype(float),
        "own_weight": np.diag(chosen).copy(),
        "law_none": 100 * none,
        "law_same": 100 * same,
        "law": 100 * curve,
        **{f"n_own_{kind}": count for kind, count in at_home.items()},
        "n_own": at_home[projections],
        "share": 100 * at_home[projections] / n_tokens,
        "expected": 100 * curve[LAW_D.index(d)],
        "mean_own": np.diag(chosen).mean(),
        "outside": 100 * outside.mean(),
    }


class ManyLab(Lab):
    """Random tokens, raw or projected: which rows have their largest weight on themselves?"""

    title = "Many-token lab"
    hint = ""
    sentence = (
        "With d = {d} and scores from {projections}, {n_own:.0f} of {n_tokens} rows {n_own:has its|have their} largest "
        "weight on {n_own:itself|themselves}, expected {expected:.1f} %. The mean weight of a token on itself "
        "is {mean_own:.3f}."
    )
    columns = ("best", "own_weight")
    row = "token"
    places = ("best",)
    compute = staticmethod(compute)

    steps = (
        Step(
            "Without matrices {n_own_none:.0f} of 16 random tokens prefer themselves. With a random W_Q "
            "{n_own_q:.0f} {n_own_q:does|do}; by chance it is 1.",
            shows=("weights none", "weights q", "rings"),
            narrow=2,
            controls=("d", "seed"),
            when=("n_own_none == 16", "n_own_q <= 5"),
            over=Over(seeds=100, near=({"d": 48}, {"d": 96}, {"d": 128})),
        ),
        Step(
            "One matrix for both does not help: {n_own_same:.0f} of 16 prefer themselves. With two it is "
            "{n_own_qk:.0f}.",
            shows=("weights same", "weights qk", "rings"),
            narrow=2,
            controls=("d", "seed"),
            when=("n_own_same >= 15", "n_own_qk <= 5"),
            over=Over(seeds=100, near=({"d": 96}, {"d": 128})),
        ),
        Step(
            "Without any matrix, bring the tokens that prefer themselves to 7 of 16 or fewer.",
            shows=("weights none", "rings"),
            controls=("d", "spread"),
            goal=("n_own_none < 7.5", "n_tokens == 16"),
            solution={"d": 2},
            learned="In few dimensions a longer token in a near direction often beats the token itself.",
        ),
        Step(
            "With 2 numbers a token, {expected:.0f} % of 16 random tokens prefer themselves, on average. Slide d.",
            state={"d": 2},
            shows=("law", "weights none"),
            controls=("d", "seed"),
            when=("expected < 35", "share < 50"),
            over=Over(seeds=100, near=({"d": 1},)),
        ),
        Step(
            "With lengths spread, {n_own_none:.0f} of 16 prefer themselves. In at least 90 % of draws, not all do.",
            state={"spread": 1.0},
            shows=("weights none", "law"),
            narrow=2,
            controls=("spread", "seed"),
            when=("n_own_none < 16", "expected < 80"),
            over=Over(seeds=100, near=({"d": 16}, {"d": 32}), share=0.9),
        ),
    )

    projections: Choice = Choice(default="none", options=PROJECTIONS, label="scores from")
    values: Choice = Choice(default="x", options={"x": "x", "w": "W_V"}, label="values from")
    divisor: Choice = Choice(default="sqrt", options={"1": "not divided", "sqrt": "÷ √d"}, label="scores are")
    d: Listed = Listed(default=64, values=LAW_D, label="d", help="numbers in each token's vector")
    n_tokens: Integer = Integer(default=16, min=2, max=32, label="tokens")
    spread: Number = Number(
        default=0.0,
        min=0.0,
        max=1.0,
        step=0.05,
        label="spread of the lengths",
        help="standard deviation of their logarithm",
    )
    seed: Seed = Seed(default=5, label="draw", help="which random tokens and matrices")
