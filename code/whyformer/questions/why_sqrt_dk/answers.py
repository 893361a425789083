"""The checks of the exercises' answers. The students' edition does not have this file."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from whyformer.maths import needle_gap
from whyformer.proof import Numbers, always_close, always_larger, check, draws, holds
from whyformer.questions.why_sqrt_dk import ScaleLab, many_draws
from whyformer.questions.why_sqrt_dk.exercises import (
    check_attention,
    check_context,
    check_crossing,
    check_divisor,
    check_largest_score,
    check_multiplier,
    check_shifted_variance,
)


@check
def means_that_are_not_zero() -> Numbers:
    """We drew 50,000 pairs, and 3,000 queries with 8 keys each, with mean 2 and variance 1."""
    rng = np.random.default_rng(9)
    pairs = np.asarray(sum(rng.normal(2, 1, 50_000) * rng.normal(2, 1, 50_000) for _ in range(64)))
    q, k = rng.normal(2, 1, (3000, 1, 64)), rng.normal(2, 1, (3000, 8, 64))
    pair, row = 64 * 9, 64 * 5
    always_close([pairs.var() / pair, np.vecdot(q, k).var(1, ddof=1).mean() / row], 1, within=0.05)
    holds(check_shifted_variance.judge(pair).right)
    return {"576": pair}


def coins(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers that are 1 with probability 1/4, else 0."""
    return np.where(rng.random(shape) < 1 / 4, 1.0, 0.0)


@check
def another_distribution() -> Numbers:
    """We drew 60,000 pairs, and 3,000 queries with 8 keys each, of such zeros and ones."""
    rng = np.random.default_rng(9)
    pair, row = 64 * 1 / 16 * 15 / 16, 64 * 1 / 4 * 3 / 16
    pairs = np.asarray(sum(coins(rng, 60_000) * coins(rng, 60_000) for _ in range(64)))
    rows = np.vecdot(coins(rng, 3000, 1, 64), coins(rng, 3000, 8, 64))
    always_close([pairs.var() / pair, rows.var(1, ddof=1).mean() / row], 1, within=0.06)
    holds(check_divisor.judge(np.sqrt(pair)).right)
    return {"3.75": pair, "1.94": np.sqrt(pair), "1.73": np.sqrt(row)}


def lead_drawn(rng: np.random.Generator, n: int, spread: float, times: int) -> float:
    """The mean score, over draws of the rivals, that holds half of the weight among n keys."""
    rivals = spread * rng.standard_normal((times, n - 1))
    return float(np.log(np.exp(rivals).sum(1)).mean())


@check
def a_longer_context() -> Numbers:
    """We took the lead of the formula at both lengths, and drew rivals with standard deviations 1 and 8."""
    difference = needle_gap(64_000, 1) - needle_gap(1000, 1)
    for rng in draws(3):
        short, long = lead_drawn(rng, 1000, 1, times=400), lead_drawn(rng, 64_000, 1, times=40)
        always_close(long - short, difference, within=0.05)
        always_larger(needle_gap(1000, 8), lead_drawn(rng, 1000, 8, times=200) + 8)  # there the formula fails
    holds(check_context.judge(difference).right)
    return {"4.16": difference}


@check
def qk_norm_at_256() -> Numbers:
    """We drew 1,000 queries and 1,000 keys of size 256, and brought them to RMS 1, and to length 1."""
    drawn = np.random.default_rng(5).standard_normal((2, 1000, 256))
    q, k = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    root, cosines = np.sqrt(256), q @ k.T
    always_close(cosines.std() * root, 1, within=0.02)
    largest = np.vecdot(root * q, root * q)  # of RMS 1, and in one direction
    always_close([largest.min(), largest.max()], 256, within=1e-9)
    holds(check_largest_score.judge(256 / root).right and check_multiplier.judge(root).right)
    return {"16": root, "256": largest.max(), "1": 1, "0.0625": 1 / root}


@check
def the_crossing() -> Numbers:
    """We read the medians of the lab at both numbers of keys, before and after the crossing."""
    for n_keys, before, after in ((16, 128, 256), (64, 256, 512)):
        medians = ScaleLab(n_keys=n_keys, quantity="gradient_q").series["law_mid"]
        bare, divided = (dict(zip(many_draws.LAW_D_K, medians[i], strict=True)) for i in (0, 1))
        always_larger([bare[before], divided[after]], [divided[before], bare[after]])
    holds(check_crossing.judge(300).right and not check_crossing.judge(64).right)
    return {"16": 16, "64": 64, "128": 128, "256": 256, "512": 512}


def mended(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The attention of the solution."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: np.ndarray = weights / weights.sum(axis=1, keepdims=True) @ v
    return result


@check
def the_wrong_root() -> Numbers:
    """We gave the mended function to the check of the exercise."""
    with redirect_stdout(StringIO()):
        holds(check_attention(mended))
    return {}
