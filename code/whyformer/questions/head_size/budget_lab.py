"""The budget lab: fix d_model, slide the heads; what stays, what grows, and what one head can still point at.

Twin: ``budget_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths import softmax
from whyformer.maths.random import bits
from whyformer.maths.softmax import Array, Booleans, Integers

N, D_MODEL, HEIGHT = 24, 64, 6.0  # tokens, width, and how far the wanted scores stand above the others
HEADS = [1, 2, 4, 8, 16, 32, 64]
GAINS = [2**i for i in range(11)]
PATTERNS = {
    "itself": "itself",
    "previous": "the one before",
    "blocks": "its block of 4",
    "shuffled": "one key each, shuffled",
    "three": "three keys each",
}
WIDTHS = {"split": "d_model / h", "full": "d_model, every head"}
_OFFSETS = {"previous": (-1,), "three": (0, 2, 8)}


def labels(pattern: str, seed: int) -> tuple[int, Integers, Integers, tuple[int, ...]]:
    """A pattern as numbers on a ring: size m of the ring, label of each query, of each key, and the wanted distances.

    Query i wants key j when (label of key - label of query) modulo m is a wanted distance. So all patterns are one
    circulant matrix, with rows and columns repeated (blocks) or in another order (shuffled).
    """
    at = np.arange(N)
    if pattern == "blocks":
        return N // 4, at // 4, at // 4, (0,)
    keys = np.argsort(bits(seed, 0, at), kind="stable") if pattern == "shuffled" else at
    return N, at, keys, _OFFSETS.get(pattern, (0,))


def wants(pattern: str, seed: int) -> Booleans:
    """(n, n): whether query i wants key j."""
    m, queries, keys, distances = labels(pattern, seed)
    return np.isin((keys - queries[:, None]) % m, [o % m for o in distances])


def wanted_scores(pattern: str, seed: int) -> Array:
    """(n, n): HEIGHT where a query wants a key and 0 elsewhere, minus the mean of the row, which softmax ignores."""
    scores = HEIGHT * wants(pattern, seed)
    return scores - scores.mean(1, keepdims=True)


def waves(m: int, distances: tuple[int, ...]) -> list[tuple[int, float, float]]:
    """Frequency, cosine part and sine part of each wave of the ring, the strongest first, of equals the slower first.

    A wave and its mirror image make two equal singular values; for one wanted distance all waves are equally strong,
    and the best approximation is one of many.
    """
    found = []
    for f in range(1, m // 2 + 1):
        angle = 2 * np.pi * np.array([f * o % m for o in distances]) / m
        found.append((f, float(np.cos(angle).sum()), float(np.sin(angle).sum())))
    return sorted(found, key=lambda wave: -round(1e6 * (wave[1] ** 2 + wave[2] ** 2)))


def fitted_scores(pattern: str, seed: int, rank: int) -> Array:
    """(n, n): a nearest matrix to :func:`wanted_scores` among those of that rank, in the sum of squares.

    The first ``rank`` singular pairs, which for a ring are cosines and sines (Eckart and Young).
    """
    m, queries, keys, distances = labels(pattern, seed)
    if rank >= m - 1:
        return wanted_scores(pattern, seed)
    out = np.zeros((N, N))
    for f, even, odd in waves(m, distances):
        at_q, at_k = 2 * np.pi * (f * queries % m) / m, 2 * np.pi * (f * keys % m) / m
        size = HEIGHT * (1 if 2 * f == m else 2) / m
        if rank > 0:
            out += size * np.outer(even * np.cos(at_q) - odd * np.sin(at_q), np.cos(at_k))
        if rank > 1:  # the fastest wave has no sine: it is 0 at all labels
            out += size * np.outer(even * np.sin(at_q) + odd * np.cos(at_q), np.sin(at_k))
        rank -= 1 if 2 * f == m else 2
    return out


def distance(target: Array, weights: Array) -> float:
    """Mean over the queries of the total variation: the share of the weight that lies in the wrong place, 0 to 1."""
    return float(np.abs(target - weights).sum() / 2 / N)


def compute(*, heads: int, width: str, pattern: str, gain: int, seed: int) -> Series:
    r"""The bill of one attention, and the weights of one head whose scores have rank at most d_k.

    n = 24 tokens, d_model = 64; d_k is 64 / ``heads`` (``width="split"``) or 64 (``"full"``). The bill:
    :math:`4 h\, d_{model} d_k` parameters, :math:`h n^2 d_k` products for the scores, :math:`h n^2` weights. The head
    wants the weights of ``pattern`` (``seed`` chooses the shuffled order), and gets the nearest scores of rank d_k
    (Eckart and Young), times ``gain``. An error is the total variation between wanted and fitted weights, mean over the
    queries.

    * ``h``, ``d_k_of``, ``parameters_of``, ``products_of``, ``weights_of`` (7,): for 1, 2, 4, ... 64 heads; ``d_k``,
      ``parameters``, ``products``, ``weights``: for the chosen number
    * ``target``, ``fitted`` (24, 24): wanted weights, fitted weights; ``error``: in percent; ``error_plain``,
      ``error_now``, ``error_best`` (7,): from 0 to 1, by number of heads, with gain 1, this gain, and the best on the
      slider
    * ``rank``: of the fitted scores; ``needed``: rank that no pattern of this kind exceeds; ``hits``: queries whose
      largest weight stands alone on a wanted key
    * ``largest_score``: by size; ``length``: the least length that some query or key must have, since
      :math:`|q^\top k| \le |q|\,|k|` and scores are divided by :math:`\sqrt{d_k}`
    """
    sizes = [D_MODEL if width == "full" else D_MODEL // h for h in HEADS]
    now = HEADS.index(heads)
    d_k = sizes[now]
    wanted = wants(pattern, seed)
    target = softmax(wanted_scores(pattern, seed))
    found = {size: fitted_scores(pattern, seed, size) for size in set(sizes)}
    errors = {size: [distance(target, softmax(g * scores)) for g in GAINS] for size, scores in found.items()}
    scores = gain * found[d_k]
    fitted = softmax(scores)
    largest = np.abs(scores).max()
    inside = np.where(wanted, fitted, 0).max(1)
    outside = np.where(wanted, 0, fitted).max(1)
    m = labels(pattern, seed)[0]
    at = GAINS.index(gain)
    h = np.array(HEADS, float)
    return {
        "h": h,
        "d_k_of": np.array(sizes, float),
        "parameters_of": 4 * h * D_MODEL * sizes,
        "products_of": h * N**2 * sizes,
        "weights_of": h * N**2,
        "target": target,
        "fitted": fitted,
        "error_plain": np.array([errors[size][0] for size in sizes]),
        "error_now": np.array([errors[size][at] for size in sizes]),
        "error_best": np.array([min(errors[size]) for size in sizes]),
        "d_k": float(d_k),
        "rank": float(min(d_k, m - 1)),
        "needed": float(m - 1),
        "parameters": 4.0 * heads * D_MODEL * d_k,
        "products": float(heads * N**2 * d_k),
        "weights": float(heads * N**2),
        "error": 100 * errors[d_k][at],
        "hits": float((inside > (1 + 1e-9) * outside).sum()),
        "largest_score": largest,
        "length": np.sqrt(largest * np.sqrt(d_k)),
    }


class BudgetLab(Lab):
    """Fix d_model and slide the heads: parameters and products stay, weights grow, the limit on the rank falls."""

    title = "Budget lab"
    hint = ""
    sentence = (
        "{heads} {heads:head|heads} of dₖ = {d_k:.0f}: {parameters:,.0f} parameters, {products:,.0f} multiplications "
        "for the scores, {weights:,.0f} weights. Scores of rank {rank:.0f} at gain {gain} misplace {error:.1f} % of "
        "the weight; the largest weight is right for {hits:.0f} of 24 queries."
    )
    columns = ("h", "d_k_of", "parameters_of", "products_of", "weights_of", "error_plain", "error_now", "error_best")
    compute = staticmethod(compute)

    steps = (
        Step(
            "With {heads} heads parameters and multiplications stay as they were, and there are {heads} times as many "
            "weights. Each head has dₖ = {d_k:.0f}: its fitted scores have rank {rank:.0f} and misplace {error:.0f} %.",
            asks="One head has all 64 numbers. Drag heads to 32. What happens to the bill, and to the fitted weights?",
            moved=("heads >= 16",),
            told_at={"heads": 32},
            cases=(
                (
                    ("heads == 1",),
                    "One head of full width has dₖ = {d_k:.0f}, and its fit misplaces nothing.",
                ),
            ),
            when=("parameters == 16384", "products == 36864", "width == 'split'", "heads >= 2"),
            shows=("fitted", "wanted", "bill"),
            narrow=3,
            controls=("heads",),
        ),
        Step(
            "24 tokens need rank {needed:.0f} here. A head of dₖ = {d_k:.0f} has it, and nothing is misplaced.",
            asks="32 heads misplace most of the weight. Drag heads back until nothing is misplaced. Which dₖ is "
            "enough?",
            state={"heads": 32},
            moved=("error < 0.000001",),
            told_at={"heads": 2},
            cases=(
                (
                    ("error >= 0.000001",),
                    "24 tokens need rank {needed:.0f} here. At dₖ = {d_k:.0f} the fitted scores have rank "
                    "{rank:.0f} and misplace {error:.0f} %.",
                ),
            ),
            when=("needed == 23", "rank == 23"),
            shows=("fitted", "wanted", "bill"),
            narrow=3,
            controls=("heads",),
        ),
        Step(
            "Scores of rank {rank:.0f} now point at the right key for all queries, with {error:.1f} % misplaced. The "
            "price is length: some query or key has to be at least {length:.0f} long.",
            asks="Keep 32 heads. Raise the gain until less than 10 % is misplaced. How long must some query or key "
            "then be?",
            state={"heads": 32},
            moved=("error < 10",),
            told_at={"gain": 256},
            cases=(
                (
                    ("error >= 10",),
                    "At a gain of {gain} scores of rank {rank:.0f} misplace {error:.0f} %, and some query or key is "
                    "at least {length:.0f} long. Larger scores are sharper.",
                ),
            ),
            when=("hits == 24", "rank == 2", "pattern == 'shuffled'"),
            shows=("fitted", "wanted", "facts"),
            narrow=3,
            controls=("gain",),
        ),
        Step(
            "It does not help: the least-squares fit misplaces {error:.0f} % here, and more than half at every gain. "
            "Other scores of rank 2 come nearer, as the text says.",
            asks="Now each query wants three scattered keys. Raise the gain again. Does it help?",
            state={"heads": 32, "pattern": "three"},
            moved=("gain >= 64",),
            told_at={"gain": 256},
            when=("error > 50", "rank == 2"),
            shows=("fitted", "wanted"),
            narrow=2,
            controls=("gain",),
        ),
        Step(
            "Heads of full width fit every one of these patterns. They cost {heads} {heads:time|times} the parameters "
            "and multiplications of one such head.",
            asks="Give every head the full width. What do 32 heads cost then?",
            state={"heads": 32},
            moved=("width == 'full'",),
            told_at={"width": "full"},
            cases=(
                (
                    ("width == 'split'",),
                    "If the width is split, all heads cost as much as one head of full width, and this fit misplaces "
                    "{error:.0f} %.",
                ),
            ),
            when=("error < 0.000001", "parameters == 16384 * heads", "products == 36864 * heads"),
            shows=("fitted", "wanted", "bill"),
            narrow=3,
            controls=("width", "heads"),
        ),
    )

    pattern: Choice = Choice(default="shuffled", options=PATTERNS, label="each query wants")
    width: Choice = Choice(default="split", options=WIDTHS, label="size of a head dₖ")
    heads: Listed = Listed(default=1, values=HEADS, label="heads h")
    gain: Listed = Listed(default=1, values=GAINS, label="gain", help="the fitted scores are multiplied by it")
    seed: Seed = Seed(default=3, label="draw", help="which shuffled order")
