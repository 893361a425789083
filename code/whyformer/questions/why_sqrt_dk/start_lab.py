"""The start lab, the picture of the book: whom one word looks at before any training, and the gradient at its query.

Twin: ``start_lab.ts``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.lab import Choice, Lab, Listed, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, softmax

#: The running sentence of the book, and which of its words asks.
WORDS = ("The", "cat", "sat", "because", "it", "was", "tired", ".")
ASKS = WORDS.index("it")
#: Two steps to an octave.
D_K = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
DIVISORS = {"1": "not divided", "sqrt": "÷ √dₖ"}
N_KEYS = {"8": "8 words", "64": "64 keys", "512": "512 keys"}
#: A gradient below this lies on the floor of the chart, and is called "under 0.001".
FLOOR = 0.001


@cache
def data() -> dict[str, Any]:
    """``others``: thirty other starts as levels of the chart; ``typical``: medians. Both by keys, divisor and d_k."""
    measured = evidence.read("picture")
    return {name: measured[name] for name in ("others", "typical")}


def gradient_at_query(keys: Array, weights: Array, divisor: float) -> float:
    r"""The gradient at a query with keys (n, d_k) and weights (n,): :math:`\lVert K^\top J \rVert / c`, Frobenius.

    J is the Jacobian of the softmax. If the gradient that arrives at the weights has independent entries with mean 0
    and variance 1, this is the root mean square length of what arrives at the query. Its square is
    :math:`\sum_i y_i^2 \lVert k_i - \bar k \rVert^2 / c^2` with :math:`\bar k = \sum_j y_j k_j`.
    """
    keys = keys - keys[weights.argmax()]  # or their differences would be lost where one weight is near 1
    apart = keys - weights @ keys
    return float(np.sqrt(weights**2 @ (apart**2).sum(1)) / divisor)


@lru_cache(maxsize=8)
def vectors(seed: int, n_keys: int) -> tuple[Array, Array]:
    """Query (512,) and keys (n_keys, 512) of a start. More keys, or a larger d_k, go on with the same vectors."""
    component = np.arange(D_K[-1])
    return normal(seed, 0, component), normal(seed, 1 + np.arange(n_keys)[:, None], component)


@lru_cache(maxsize=8)
def trails(seed: int, n_keys: int) -> Array:
    """The gradient at the query of one start (2, 18): not divided and divided, at each d_k."""
    query, keys = vectors(seed, n_keys)
    found = np.empty((2, len(D_K)))
    for at, d_k in enumerate(D_K):
        scores = keys[:, :d_k] @ query[:d_k]
        for i, divisor in enumerate((1.0, np.sqrt(d_k))):
            found[i, at] = gradient_at_query(keys[:, :d_k], softmax(scores / divisor), divisor)
    return found


def compute(*, d_k: int, divisor: str, n_keys: str, seed: int) -> Series:
    r"""One query and its ``n_keys`` keys, as a head starts: independent N(0, 1) components, nothing learned.

    Components come from the counter-based generator at ``seed`` (query: stream 0; key j: stream j), so a larger d_k
    extends the same vectors. Scores are divided by 1 or, if ``divisor`` is ``"sqrt"``, by sqrt(d_k).

    * ``scores`` (n,): dot products, not divided
    * ``weights_raw``, ``weights_divided``, ``weights`` (n,): softmax of the scores as they are, divided by sqrt(d_k),
      and as chosen
    * ``largest_raw``, ``largest``: the largest weight, not divided and as chosen; ``winner``: which of the eight words
      has most of it, as chosen, counted from 0
    * ``trail_raw``, ``trail_divided`` (18,): the gradient at the query (``gradient_at_query``) at each d_k of the lab
    * ``gradient_raw``, ``gradient_divided``, ``gradient``: the same at this d_k; ``times``: the first over the second
    * ``least_raw``, ``most_raw``, ``least_divided``, ``most_divided``: ends of the trails
    * ``typical_raw``, ``typical_divided``: the median gradient of many starts at this d_k
    """
    query, keys = vectors(seed, int(n_keys))
    scores = keys[:, :d_k] @ query[:d_k]
    by = {"1": softmax(scores), "sqrt": softmax(scores / np.sqrt(d_k))}
    weights = by[divisor]
    raw, divided = trails(seed, int(n_keys)).copy()
    at = D_K.index(d_k)
    typical = data()["typical"][n_keys]
    return {
        "scores": scores,
        "weights_raw": by["1"],
        "weights_divided": by["sqrt"],
        "weights": weights,
        "largest_raw": by["1"].max(),
        "largest": weights.max(),
        "winner": int(weights[: len(WORDS)].argmax()),
        "trail_raw": raw,
        "trail_divided": divided,
        "gradient_raw": raw[at],
        "gradient_divided": divided[at],
        "gradient": (raw if divisor == "1" else divided)[at],
        "times": raw[at] / divided[at],
        "least_raw": raw.min(),
        "most_raw": raw.max(),
        "least_divided": divided.min(),
        "most_divided": divided.max(),
        "typical_raw": typical["1"][at],
        "typical_divided": typical["sqrt"][at],
    }


class StartLab(Lab):
    """Weights of one word over a sentence before training, and the gradient at its query over the length dₖ."""

    title = "Before any training: where does “it” look?"
    hint = ""
    sentence = (
        "“{winner}” has {largest:.0%}. The gradient at the query is {gradient:.2g}; if we divide, it is "
        "{gradient_divided:.2g}."
    )
    cases = (
        (
            ("n_keys != '8'", "gradient < 0.001"),
            "With {n_keys} at dₖ = {d_k}, a typical query gets a gradient of about {typical_raw:.1g} if we do not "
            "divide, and {typical_divided:.1g} if we divide. This one gets under 0.001.",
        ),
        (
            ("n_keys != '8'",),
            "With {n_keys} at dₖ = {d_k}, a typical query gets a gradient of about {typical_raw:.1g} if we do not "
            "divide, and {typical_divided:.1g} if we divide. This one gets {gradient:.2g}.",
        ),
        (
            ("d_k == 1",),
            "At dₖ = 1 the division changes nothing: the gradient at the query is {gradient:.2g}.",
        ),
        # The ends of its trails say what a start does over all dₖ, whichever start it is.
        (
            ("divisor == 'sqrt'", "least_raw < 0.001"),
            "If we divide, the gradient at this query is {least_divided:.2g} to {most_divided:.2g} at every dₖ. If we "
            "do not, it is under 0.001 to {most_raw:.2g}.",
        ),
        (
            ("divisor == 'sqrt'",),
            "If we divide, the gradient at this query is {least_divided:.2g} to {most_divided:.2g} at every dₖ. If we "
            "do not, it is {least_raw:.2g} to {most_raw:.2g}.",
        ),
        (
            ("gradient < 0.001",),
            "By luck “{winner}” has over 99 %, and the gradient at the query is under 0.001. At other dₖ it is up to "
            "{most_raw:.2g}.",
        ),
        (
            ("times < 0.3333", "largest >= 0.995"),
            "By luck “{winner}” has over 99 %, and the gradient at the query is only {gradient:.2g}. At other dₖ it is "
            "up to {most_raw:.2g}.",
        ),
        (
            ("times < 0.3333",),
            "By luck “{winner}” has {largest:.0%}, and the gradient at the query is only {gradient:.2g}. At other dₖ "
            "it is up to {most_raw:.2g}.",
        ),
        (
            ("times >= 1.5",),
            "“{winner}” has {largest:.0%}. The gradient at the query is {gradient:.2g}: {times:.2g} times as large as "
            "if we divide.",
        ),
        (
            ("largest >= 0.995",),
            "“{winner}” has over 99 %. The gradient at the query is {gradient:.2g}; if we divide, it is "
            "{gradient_divided:.2g}.",
        ),
    )
    steps = (
        Step(
            "",
            asks="Drag dₖ to 512. Does the gradient at the query grow or fade?",
            moved=("d_k >= 256",),
            told_at={"d_k": 512},
            shows=("weights", "gradient"),
            narrow=2,
            controls=("d_k", "divisor", "seed"),
        ),
        Step(
            "",
            asks="Now divide by √dₖ. What becomes of the gradient's line?",
            state={"d_k": 512},
            moved=("divisor == 'sqrt'",),
            told_at={"divisor": "sqrt"},
            shows=("weights", "gradient"),
            narrow=2,
            controls=("d_k", "divisor", "seed"),
        ),
        Step(
            "",
            asks="Now take 64 keys, then 512, and do not divide. Does a typical query still lose its gradient?",
            state={"d_k": 512},
            moved=("n_keys != '8'", "divisor == '1'"),
            told_at={"n_keys": "512"},
            shows=("gradient",),
            controls=("d_k", "divisor", "n_keys", "seed"),
        ),
    )
    names = {"winner": WORDS, "asks": (WORDS[ASKS],)}
    columns = ("scores", "weights_raw", "weights_divided")
    row = "word"
    data = staticmethod(data)
    compute = staticmethod(compute)

    # At dₖ = 16 it is not yet to be seen whether the gradient grows or fades. Both trails of this start stay near the
    # medians: of the seeds 1 to 3,000 it is the sixth by the largest distance from them, in logarithms above FLOOR.
    d_k: Listed = Listed(default=16, values=D_K, label="Vector length dₖ", help="numbers in the query and in each key")
    divisor: Choice = Choice(default="1", options=DIVISORS, label="divide the scores")
    n_keys: Choice = Choice(default="8", options=N_KEYS, label="number of keys")
    seed: Seed = Seed(default=203, label="start", again="Another start", help="which random query and keys")
