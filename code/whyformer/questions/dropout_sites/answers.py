"""The checks of the answers to the exercises."""

from __future__ import annotations

import numpy as np

from whyformer.maths.softmax import Array
from whyformer.proof import Numbers, always_close, check, draws, holds
from whyformer.questions.dropout_sites.checks import every_mask
from whyformer.questions.dropout_sites.exercises import check_exactly, check_keys, check_rate, check_residual


@check
def how_many_keys(p: float = 0.2) -> Numbers:
    """We solved for the number of keys and dropped weights of 100 keys, ten thousand times."""
    keys = p / (1 - p) / 0.05**2
    kept = np.random.default_rng(0).random((10_000, round(keys))) >= p
    always_close((kept.mean(1) / (1 - p)).std(), 0.05, within=0.002)
    holds(check_keys(100), keys=keys)
    return {"100": keys}


@check
def exactly_one(p: float = 0.25) -> Numbers:
    """We went through the four masks of two keys."""
    masks, chance = every_mask(2, p)
    sums = masks @ [3 / 4, 1 / 4] / (1 - p)
    found = float(chance[abs(sums - 1) < 1e-9].sum())
    holds(check_exactly(found), found=found)
    always_close(sums[chance.argmax()], 4 / 3, within=1e-9)
    return {"0.1875": found}


@check
def the_wrong_place() -> Numbers:
    """We tried the function as printed and mended on the exercise's cases."""

    def mended(x: Array, says: Array, p: float, u: Array, training: bool) -> Array:
        return x + np.where(u < p, 0, says / (1 - p)) if training else x + says

    def printed(x: Array, says: Array, p: float, u: Array, training: bool) -> Array:
        return (u >= p) * (x + says) * (1 - p)

    holds(bool(check_residual(mended)) and not check_residual(printed))
    return {}


@check
def half_of_the_path(sums: int = 24) -> Numbers:
    """We dropped 100,000 entries at 24 sums with the rate of the answer and counted those that are left."""
    p = 1 - 2 ** (-1 / sums)
    holds(check_rate(p), p=p)
    for rng in draws(2):
        always_close((rng.random((sums, 100_000)) >= p).all(0).mean(), 0.5, within=0.01)
    return {"0.0285": p}
