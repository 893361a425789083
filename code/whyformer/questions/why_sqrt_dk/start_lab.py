"""The start lab, the picture of the book: before any training, whom one word looks at, and what gradient gets back.

Twin: ``start_lab.ts``.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from whyformer import evidence
from whyformer.evidence import fresh
from whyformer.lab import Choice, Lab, Listed, Seed
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, softmax

#: The running sentence of the book, and which of its words asks.
WORDS = ("The", "cat", "sat", "because", "it", "was", "tired", ".")
ASKS = WORDS.index("it")
#: Two steps to an octave.
D_K = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
DIVISORS = {"1": "not divided", "sqrt": "÷ √dₖ"}


@cache
def data() -> dict[str, list[float]]:
    """By divisor the typical start at d_k = 1, 2, 4, ... 512: the median gradient that gets back, of 18,000 starts."""
    rows = evidence.read("fresh")["rows"]
    return {by: [float(np.mean(rows[f"{len(WORDS)} {d_k}"][by]["trace"])) for d_k in fresh.FEW_D_K] for by in DIVISORS}


def gradient_back(weights: Array) -> float:
    r"""The trace of the softmax Jacobian, :math:`\sum_j y_j (1 - y_j)`, over its maximum 1 - 1/n at equal weights."""
    return float((1 - weights @ weights) / (1 - 1 / len(weights)))


def compute(*, d_k: int, divisor: str, seed: int) -> Series:
    r"""One query and the keys of eight words, as a head starts: independent N(0, 1) components, nothing learned.

    Components come from the counter-based generator at ``seed`` (query: stream 0; key j: stream j), so a larger d_k
    extends the same vectors. Scores are divided by 1 or, if ``divisor`` is ``"sqrt"``, by sqrt(d_k).

    * ``scores`` (8,): dot products, not divided
    * ``weights_raw``, ``weights_divided``, ``weights`` (8,): softmax of the scores as they are, divided by sqrt(d_k),
      and as chosen
    * ``largest_raw``, ``largest``: the largest weight, not divided and as chosen; ``winner``: the word that has it, as
      chosen, counted from 0
    * ``gradient_raw``, ``gradient_divided``, ``gradient``: the trace of the softmax Jacobian over its maximum 7/8
    * ``typical``: the same, the median of 18,000 starts; between measured sizes interpolated over log d_k
    * ``root``: sqrt(d_k)
    """
    component = np.arange(d_k)
    query = normal(seed, 0, component)
    keys = normal(seed, 1 + np.arange(len(WORDS))[:, None], component)
    scores = keys @ query
    by = {"1": softmax(scores), "sqrt": softmax(scores / np.sqrt(d_k))}
    weights = by[divisor]
    return {
        "scores": scores,
        "weights_raw": by["1"],
        "weights_divided": by["sqrt"],
        "weights": weights,
        "largest_raw": by["1"].max(),
        "largest": weights.max(),
        "winner": int(weights.argmax()),
        "gradient_raw": gradient_back(by["1"]),
        "gradient_divided": gradient_back(by["sqrt"]),
        "gradient": gradient_back(weights),
        "typical": float(np.interp(np.log2(d_k), np.arange(len(fresh.FEW_D_K)), data()[divisor])),
        "root": float(np.sqrt(d_k)),
    }


class StartLab(Lab):
    """Weights of one word over a sentence before training, and how much gradient gets back through the softmax."""

    title = "Before any training: where does “it” look?"
    hint = ""
    sentence = "Divided by {root:.3g}, no word gets more than {largest:.0%}. Gradient: {gradient:.0%}."
    cases = (
        (
            ("d_k == 1",),
            "At dₖ = 1 dividing changes nothing. “{winner}” gets {largest:.0%}. Gradient: {gradient:.0%}. Raise dₖ.",
        ),
        (
            ("divisor == '1'", "largest >= 0.5", "gradient < 0.005"),
            "By luck, “{winner}” gets {largest:.0%}. Almost no gradient gets back. Now divide.",
        ),
        (
            ("divisor == '1'", "largest >= 0.5", "gradient < 0.2"),
            "By luck, “{winner}” gets {largest:.0%}. Little gradient gets back: {gradient:.0%}. Now divide.",
        ),
        (
            ("divisor == '1'", "d_k >= 64"),
            "“{winner}” gets {largest:.0%}, others still share. Gradient: {gradient:.0%}. Try another start.",
        ),
        (
            ("divisor == '1'", "largest >= 0.5"),
            "By luck, “{winner}” gets {largest:.0%}. Gradient: {gradient:.0%}. Now raise dₖ.",
        ),
        (("divisor == '1'",), "No word gets more than {largest:.0%}. Gradient: {gradient:.0%}. Now raise dₖ."),
        (
            ("largest > 0.5",),
            "One start in eight: “{winner}” gets {largest:.0%}, even divided by {root:.3g}. Gradient: {gradient:.0%}.",
        ),
    )
    names = {"winner": WORDS, "asks": (WORDS[ASKS],)}
    columns = ("scores", "weights_raw", "weights_divided")
    row = "word"
    data = staticmethod(data)
    compute = staticmethod(compute)

    d_k: Listed = Listed(default=64, values=D_K, label="Vector length dₖ", help="numbers in the query and in each key")
    divisor: Choice = Choice(default="1", options=DIVISORS, label="divide the scores")
    # A typical start: at dₖ = 64 the gradient is the median one, and sliding makes it rise by no more than 13 points.
    seed: Seed = Seed(default=1385, label="start", again="Another start", help="which random query and keys")
