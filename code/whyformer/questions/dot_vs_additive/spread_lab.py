"""The spread lab: one query and 16 keys, scored by a dot product and by an additive score, over the length d_k.

Twin: ``spread_lab.ts``.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Number, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, softmax

N_KEYS, A_STREAM = 16, 100  # streams of the generator: the query is 0, key j is 1 + j, the vector a is A_STREAM
D = [16, 32, 64, 128, 256, 512, 1024]
STARTS = {"one": "variance 1", "fan_in": "variance 1/dₖ"}
NAMES = ("raw", "divided", "additive")
SPREADS = 2.0 ** (0.5 * np.arange(-14, 21))  # where sharpness is drawn: 1/128, ... 1024
N_ROWS, ROWS_SEED = 200, 7  # rows of standard normals that show how sharp scores of one spread are
GRID = np.linspace(-6, 6, 121)  # standard normals as a grid of points with the density as weights
DENSITY = np.exp(-GRID * GRID / 2) / np.exp(-GRID * GRID / 2).sum()


@cache
def tanh_variance(query: float, keys: float) -> float:
    r"""Variance of :math:`\tanh(q + k)` over k at fixed q, mean over q; both normal, of these standard deviations."""
    terms = np.tanh(query * GRID[:, None] + keys * GRID)
    return float(DENSITY @ (terms**2 @ DENSITY - (terms @ DENSITY) ** 2))


@cache
def drawn(seed: int) -> tuple[Array, Array, Array]:
    """Standard normal query (1024,), keys (16, 1024) and vector a (1024,)."""
    entries = np.arange(D[-1])
    keys = normal(seed, 1 + np.arange(N_KEYS)[:, None], entries)
    return normal(seed, 0, entries), keys, normal(seed, A_STREAM, entries)


@cache
def sharpness() -> tuple[Array, Array, Array]:
    """For each of SPREADS: the largest of 16 weights whose scores are normal and of just this spread.

    Median, and the bounds between which nine of ten of 200 rows lie.
    """
    rows = normal(ROWS_SEED, np.arange(N_ROWS)[:, None], np.arange(N_KEYS))
    rows = rows / rows.std(1, ddof=1, keepdims=True)
    largest = np.sort(softmax(SPREADS[:, None, None] * rows).max(-1), axis=1)
    return (largest[:, 99] + largest[:, 100]) / 2, largest[:, 10].copy(), largest[:, 189].copy()


def compute(*, d_k: int, start: str, size_q: float, size_k: float, seed: int) -> Series:
    r"""Scores of 16 keys for one query: :math:`q^\top k`, :math:`q^\top k / \sqrt{d_k}`, :math:`a^\top \tanh(q + k)`.

    q and each k have ``d_k`` independent normal entries with standard deviations ``size_q`` and ``size_k``; the entries
    of a are normal with variance 1 (``start="one"``) or :math:`1/d_k` (``"fan_in"``); ``seed`` chooses all of them, and
    a larger d_k extends them. A *spread* is the standard deviation of one query's scores over its keys (divisor 15).
    Names end in raw, divided and additive for the three scores, in this order.

    * ``weights_raw``, ``weights_divided``, ``weights_additive`` (16,): softmax of the scores
    * ``draw_raw``, ``draw_divided``, ``draw_additive`` (7,): spread of this draw at each d_k of 16, 32, ... 1024
    * ``law_raw``, ``law_divided``, ``law_additive`` (7,): root of the mean squared spread over all draws
    * ``spread_of``, ``sharp``, ``sharp_low``, ``sharp_high`` (35,): for scores of a given spread, normal otherwise, the
      largest of 16 weights: median of 200 rows, and bounds that hold nine of ten
    * ``spread_raw``, ``spread_divided``, ``spread_additive``, ``largest_raw``, ``largest_divided``,
      ``largest_additive``, ``expected_raw``, ``expected_divided``, ``expected_additive``: spread and largest weight of
      this draw, and the law, at the chosen d_k
    * ``times_dot``, ``times_additive``: by how much the law is larger than for queries and keys of size 1
    """
    q, k, a = drawn(seed)
    q, k = size_q * q, size_k * k
    at, now, roots = np.array(D) - 1, D.index(d_k), np.sqrt(D)
    by = roots if start == "fan_in" else np.ones(len(D))
    raw = np.cumsum(q * k, axis=1)[:, at]
    additive = np.cumsum(a * np.tanh(q + k), axis=1)[:, at] / by
    scores = dict(zip(NAMES, (raw, raw / roots, additive), strict=True))
    spread = {name: each.std(0, ddof=1) for name, each in scores.items()}
    weights = {name: softmax(each[:, now]) for name, each in scores.items()}
    each_term = np.sqrt(tanh_variance(size_q, size_k))
    dot = size_q * size_k * roots
    law = dict(zip(NAMES, (dot, dot / roots, each_term * roots / by), strict=True))
    middle, low, high = sharpness()
    return {
        **{f"weights_{name}": weights[name] for name in NAMES},
        **{f"draw_{name}": spread[name] for name in NAMES},
        **{f"law_{name}": law[name] for name in NAMES},
        "spread_of": SPREADS.copy(),
        "sharp": middle.copy(),
        "sharp_low": low.copy(),
        "sharp_high": high.copy(),
        **{f"spread_{name}": spread[name][now] for name in NAMES},
        **{f"largest_{name}": weights[name].max() for name in NAMES},
        **{f"expected_{name}": law[name][now] for name in NAMES},
        "times_dot": size_q * size_k,
        "times_additive": each_term / np.sqrt(tanh_variance(1.0, 1.0)),
    }


class SpreadLab(Lab):
    """Spread and sharpness of dot products and additive scores over d_k, for the same draws."""

    title = "Spread lab"
    hint = ""
    sentence = (
        "At dₖ = {d_k} the scores of 16 keys spread by {spread_raw:.2f} as q·k, {spread_divided:.2f} as q·k / √dₖ, "
        "{spread_additive:.2f} as additive scores. Largest weights: {largest_raw:.2f}, {largest_divided:.2f}, "
        "{largest_additive:.2f}."
    )
    columns = ("weights_raw", "weights_divided", "weights_additive")
    row = "key"
    compute = staticmethod(compute)

    steps = (
        Step(
            "Additive scores spread by {spread_additive:.1f}, and dot products, if we do not divide, by "
            "{spread_raw:.0f}. No tanh exceeds 1, but a score adds up {d_k} of them: one of 16 keys has "
            "{largest_additive:.0%} of the weight.",
            asks="No tanh exceeds 1. Drag dₖ to 1024. Do the additive scores stay small?",
            moved=("d_k >= 512",),
            told_at={"d_k": 1024},
            cases=(
                (
                    ("d_k < 256",),
                    "At dₖ = {d_k} additive scores spread by {spread_additive:.1f}, and dot products, if we do not "
                    "divide, by {spread_raw:.1f}. At a larger dₖ both spread further.",
                ),
            ),
            when=("spread_additive > 5", "spread_raw > spread_additive", "largest_additive > 0.3"),
            shows=("spread", "sharp", "shapes"),
            narrow=2,
            controls=("d_k",),
        ),
        Step(
            "If the entries of a have variance 1/dₖ, the largest weight is {largest_additive:.2f}. The start of a does "
            "for additive scores what √dₖ does for dot products.",
            asks="Make the weights of the additive score softer at dₖ = 1024: bring the largest below 0.3.",
            state={"d_k": 1024},
            moved=("largest_additive < 0.3", "d_k == 1024", "size_q == 1", "size_k == 1"),
            told_at={"start": "fan_in"},
            cases=(
                (
                    ("start == 'one'",),
                    "If the entries of a have variance 1, one key has {largest_additive:.0%} of the weight.",
                ),
            ),
            when=("start == 'fan_in'", "largest_additive < 0.3"),
            shows=("weights additive", "weights raw", "weights divided"),
            controls=("start", "seed"),
        ),
        Step(
            "Hardly: over all draws q·k / √dₖ spreads by {expected_divided:.0f} and the additive score by "
            "{expected_additive:.2f}, at every dₖ.",
            asks="Now the entries of a have variance 1/dₖ. Drag dₖ to 1024. Do the scaled scores spread further?",
            state={"start": "fan_in"},
            moved=("d_k >= 512",),
            told_at={"d_k": 1024},
            cases=(
                (
                    ("start == 'one'",),
                    "If the entries of a have variance 1, additive scores spread by {expected_additive:.1f} at "
                    "dₖ = {d_k}, over all draws, and further at a larger dₖ.",
                ),
            ),
            when=("start == 'fan_in'", "expected_divided == 1", "expected_additive > 0.53", "expected_additive < 0.54"),
            shows=("spread", "sharp", "shapes"),
            controls=("d_k", "start"),
        ),
        Step(
            "Dot products spread {times_dot:.0f} times as far as at size 1, and additive scores {times_additive:.1f} "
            "times, because no tanh exceeds 1, however large q and k are.",
            asks="Make queries and keys four times as large. Which score spreads further?",
            state={"start": "fan_in", "d_k": 256},
            moved=("size_q >= 3", "size_k >= 3"),
            told_at={"size_q": 4.0, "size_k": 4.0},
            cases=(
                (
                    ("times_dot < 4",),
                    "Dot products spread {times_dot:.2f} times as far as at size 1, and additive scores "
                    "{times_additive:.2f} times.",
                ),
                (
                    ("times_additive < 1",),
                    "Dot products spread {times_dot:.0f} times as far as at size 1, and additive scores only "
                    "{times_additive:.2f} times: if q is much longer than k, it saturates most tanh.",
                ),
            ),
            when=("times_dot >= 4", "times_additive >= 1", "times_additive < 2"),
            shows=("spread", "sharp", "shapes"),
            controls=("size_q", "size_k"),
        ),
        Step(
            "Only dot products do: they spread {times_dot:.1f} times as far. The spread of additive scores shrinks to "
            "{times_additive:.0%}, because a long query saturates most tanh, whatever the key is.",
            asks="Make only the query longer, three times or more. Do both scores spread further?",
            state={"start": "fan_in", "d_k": 256},
            moved=("size_q >= 3", "size_k <= 1"),
            told_at={"size_q": 4.0},
            cases=(
                (
                    ("times_additive >= 0.95",),
                    "Dot products spread {times_dot:.2f} times as far as at size 1, and additive scores "
                    "{times_additive:.2f} times.",
                ),
                (
                    ("times_dot <= 1.05",),
                    "Dot products spread {times_dot:.2f} times as far as at size 1, and additive scores "
                    "{times_additive:.2f} times: if entries are smaller, both spread less.",
                ),
            ),
            when=("times_dot > 1", "times_additive < 1"),
            shows=("spread", "weights divided", "weights additive"),
            controls=("size_q", "size_k"),
        ),
    )

    d_k: Listed = Listed(default=16, values=D, label="dₖ")
    start: Choice = Choice(default="one", options=STARTS, label="entries of a")
    size_q: Number = Number(
        default=1.0,
        min=0.25,
        max=4.0,
        step=0.25,
        label="size of q",
        help="standard deviation of the entries of the query",
    )
    size_k: Number = Number(
        default=1.0,
        min=0.25,
        max=4.0,
        step=0.25,
        label="size of k",
        help="standard deviation of the entries of each key",
    )
    #: A draw whose spreads are within 23 % of the law at every d_k.
    seed: Seed = Seed(default=154, label="draw", help="which query, keys and vector a")
