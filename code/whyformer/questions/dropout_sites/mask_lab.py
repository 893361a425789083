"""The mask lab: what one dropped row, many of them, and none at all make of a reading downstream.

Twin: ``mask_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Number, Over, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import uniform
from whyformer.maths.softmax import Array, softmax

N, PASSES, SHOWN = 8, 500, 16
NEAR = 0.01  # a reading that differs by less from evaluation counts as unchanged
EPSILON = 1e-5
SHAPE = np.array([1.6, 0.4, -0.2, 0.9, -1.1, -0.6, 0.1, -1.3])  # times the spread: what arrives
READ = np.array([0.25, -0.2, 0.3, 0.15, -0.25, 0.2, -0.15, 0.3])  # one column of the next matrix
PASSED_BY = np.array([0.3, -0.8, 1.2, -0.4, 0.7, -1.1, 0.5, -0.2])  # x, what the residual path carries
BINS = {"attention": (-0.025, 0.05, 42), "hidden": (-5.1, 0.2, 51), "embedding": (-5.1, 0.2, 51),
        "residual": (-2.75, 0.1, 55)}  # low end, width, number  # fmt: skip
SITES = {
    "attention": "attention weights",
    "hidden": "ReLU outputs",
    "embedding": "embedding sum",
    "residual": "sub-layer output",
}
SCALING = {"train": "÷ (1 − p) in training", "test": "× (1 − p) in evaluation", "none": "nowhere"}
EVERY_MASK = (np.arange(2**N)[:, None] >> np.arange(N) & 1).astype(float)  # (256, N)


def entries(site: str, spread: float) -> Array:
    """(N,): what stands at the site before dropout."""
    arriving = spread * SHAPE
    if site == "attention":
        return softmax(arriving)
    return np.maximum(arriving, 0) if site == "hidden" else arriving


def reading(site: str, row: Array) -> Array:
    """One number from the entries (..., N): their sum, a linear map of them, or an entry after add and LayerNorm."""
    if site == "residual":
        x = PASSED_BY + row
        centred = x - (total(x) / N)[..., None]
        return centred[..., 0] / np.sqrt(total(centred * centred) / N + EPSILON)
    return total(row if site == "attention" else READ * row)


def total(row: Array) -> Array:
    """Sum over the last axis from left to right, as the twin adds."""
    return np.cumsum(row, axis=-1)[..., -1]


def shares(values: Array, probability: Array, site: str) -> Array:
    """The probability of each bin; a value on an edge belongs to the upper one, ends take what lies beyond."""
    low, width, count = BINS[site]
    at = np.clip(np.floor((values - low) / width + 1e-9), 0, count - 1).astype(int)
    return np.bincount(at, probability, count)  # type: ignore[return-value]  # NumPy's type is that without weights


def compute(*, site: str, p: float, spread: float, scaling: str, seed: int) -> Series:
    r"""One site with N = 8 entries :math:`a_j`: masks, what they make of the entries, and of a reading of them.

    ``site`` says what the entries are, ``spread`` how far apart; each is dropped with probability ``p``. ``scaling``:
    those kept are divided by 1 - p (``"train"``), or entries are multiplied by 1 - p in evaluation (``"test"``), or
    neither. The reading is one number: :math:`\sum_j a_j` for attention weights; a fixed linear map of the a_j inside
    the feed-forward network and at the embedding; one feature of LayerNorm(x + a) for the output of a sub-layer.

    * ``kept`` (16, 8): masks of the first 16 of 500 passes drawn by ``seed``, 1 kept, 0 dropped
    * ``before``, ``after`` (8,): the entries without dropout, and in the first pass; ``sum_squares``:
      :math:`\sum_j a_j^2`
    * ``readings`` (16,): of the first passes; ``now``: of the first; ``evaluation``: without masks
    * ``mean``, ``sd``: of the reading over 500 passes; ``mean_exact``, ``sd_exact``: over all 256 masks, of which one
      that keeps k entries has probability :math:`(1 - p)^k p^{8 - k}`
    * ``edges`` (bins + 1,): of a histogram of the reading; ``share``, ``expected`` (bins,): of the 500 passes, and of
      all masks with their probabilities
    * ``unchanged``: the probability of a mask that leaves the reading within 0.01 of evaluation
    * ``largest``: the largest entry; ``alone``, ``without``: the sum of the row if only that entry is kept, and if only
      it is dropped; ``sd_least``, ``sd_most``: :math:`\sqrt{p/((1-p)N)}` and :math:`\sqrt{p/(1-p)}`, between which
      the standard deviation of the sum of any N weights lies when those kept are divided by 1 - p
    """
    before = entries(site, spread)
    factor = 1 / (1 - p) if scaling == "train" else 1.0
    kept = (uniform(seed, np.arange(PASSES)[:, None], np.arange(N)) >= p).astype(float)
    rows = kept * (factor * before)
    evaluation = reading(site, before * (1 - p) if scaling == "test" else before)
    readings = reading(site, rows)
    off = readings - evaluation  # differences: exactly 0 where nothing is dropped
    mean_off = off.sum() / PASSES
    every = reading(site, EVERY_MASK * (factor * before)) - evaluation
    n_kept = EVERY_MASK.sum(1)
    probability = (1 - p) ** n_kept * p ** (N - n_kept)
    every_mean = (probability * every).sum()
    low, width, count = BINS[site]
    largest = before.max()
    return {
        "kept": kept[:SHOWN],
        "before": before,
        "after": rows[0],
        "edges": low + width * np.arange(count + 1),
        "share": shares(readings, np.full(PASSES, 1 / PASSES), site),
        "expected": shares(every + evaluation, probability, site),
        "readings": readings[:SHOWN],
        "now": readings[0],
        "evaluation": evaluation,
        "mean": evaluation + mean_off,
        "sd": np.sqrt(((off - mean_off) ** 2).sum() / PASSES),
        "mean_exact": evaluation + every_mean,
        "sd_exact": np.sqrt((probability * (every - every_mean) ** 2).sum()),
        "sum_squares": total(before * before),
        "unchanged": (probability * (abs(every) < NEAR)).sum(),
        "largest": largest,
        "alone": factor * largest,
        "without": factor * (total(before) - largest),
        "sd_least": np.sqrt(p / (1 - p) / N),
    }


BOTH = ("readings", "entries")
DRAWN = ("spread", "p", "seed")


class MaskLab(Lab):
    """Masks at one site, what they make of a reading downstream, over passes and over all masks there are."""

    title = "Mask lab"
    hint = ""
    sentence = (
        "Dropout on {site}, p = {p:.2f}: {now:.2f} in this pass, {mean_exact:.2f} ± {sd_exact:.2f} over all masks, "
        "{evaluation:.2f} in evaluation."
    )
    columns = ("before", "after")
    row = "entry"
    compute = staticmethod(compute)

    steps = (
        Step(
            "A softmax gives a row whose sum is 1. This pass leaves {now:.2f}; fewer than 10 % of masks leave about 1.",
            shows=("entries", "readings"),
            narrow=2,
            controls=("seed",),
            when=("unchanged < 0.1", "site == 'attention'"),
            over=Over(
                seeds=5,
                near=({"spread": 0}, {"spread": 1}, {"spread": 2}, {"spread": 3}, {"p": 0.05}, {"p": 0.2}, {"p": 0.4}),
            ),
        ),
        Step(
            "Equal weights are shaken least: at this rate the sum has a standard deviation of {sd_exact:.2f}.",
            state={"spread": 0},
            shows=BOTH,
            controls=DRAWN,
            when=("sd_exact < 1.000001 * sd_least", "p > 0"),
            over=Over(seeds=5, near=({"p": 0.05}, {"p": 0.3}, {"p": 0.5})),
        ),
        Step(
            "Key 1 has {largest:.0%} of the weight. Dropped, it leaves at most {without:.2f}: the head is off or on.",
            state={"spread": 3},
            shows=BOTH,
            narrow=2,
            controls=DRAWN,
            when=("without < 0.2", "alone > 0.9"),
            over=Over(seeds=5, near=({"p": 0.05}, {"p": 0.2})),
        ),
        Step(
            "Keep p at 0.1, and bring the standard deviation of the sum, after ±, above 0.25.",
            state={"spread": 0.5},
            shows=BOTH,
            controls=("spread", "seed"),
            goal=("sd_exact > 0.25", "p == 0.1", "site == 'attention'", "scaling == 'train'"),
            solution={"spread": 3},
            learned=(
                "The more uneven the weights, the more dropout shakes their sum: its "
                "variance grows with their sum of squares."
            ),
        ),
        Step(
            "Without the division by 1 − p the mean slips to {mean_exact:.2f}; evaluation still has {evaluation:.2f}.",
            state={"scaling": "none"},
            shows=("readings", "lines"),
            controls=("scaling", "p"),
            when=("mean_exact < 0.96 * evaluation", "mean_exact > 0.49 * evaluation", "scaling == 'none'"),
            over=Over(seeds=5, near=({"p": 0.05}, {"p": 0.5}, {"spread": 0}, {"spread": 3})),
        ),
        Step(
            "Behind a LayerNorm the division is not enough: mean {mean_exact:.2f} in training, {evaluation:.2f} in "
            "evaluation.",
            state={"site": "residual"},
            shows=("readings", "lines"),
            controls=("site", "p"),
            when=("mean_exact < 0.99 * evaluation", "scaling == 'train'"),
            over=Over(seeds=5, near=({"p": 0.05}, {"p": 0.5}, {"spread": 0.5}, {"spread": 3})),
        ),
    )

    site: Choice = Choice(default="attention", options=SITES, label="dropout on")
    p: Number = Number(
        default=0.1, min=0.0, max=0.5, step=0.05, label="rate p", help="the probability of each entry to be dropped"
    )
    spread: Number = Number(
        default=1.5,
        min=0.0,
        max=3.0,
        step=0.1,
        label="spread",
        help="of the numbers that arrive; 0: all scores are equal",
    )
    scaling: Choice = Choice(default="train", options=SCALING, label="scaled")
    seed: Seed = Seed(default=44, label="draw", help="which masks")
