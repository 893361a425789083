"""The lookup task of ``retrieval`` at the best learning rates, and from flat starts.

``training`` has one rate for all three matrices, and its largest is the best for some divisors. Here W_V has a rate of
its own, on a grid round the best pair of each divisor and size. World, first weights and batches are those of
``training`` at the same seed and d_k. Runs stop where they arrive.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from whyformer.evidence import retrieval
from whyformer.evidence.retrieval import SEEDS

D_K = (16, 64, 256)
ALLOWED = {"sqrt": 120, "d_k": 120, "1": 500}  # steps
SHARED = (0.005, 0.02, 0.04, 0.08)  # one rate for all three, beside those of ``training``, for the divided heads
#: for each divisor and d_k: rates of W_Q and W_K, and the rates of W_V that each is combined with
GRIDS = {
    ("sqrt", 16): ((0.005, 0.01, 0.02), (0.02, 0.04, 0.08, 0.16)),
    ("sqrt", 64): ((0.0025, 0.005, 0.01, 0.02), (0.02, 0.04, 0.08, 0.16)),
    ("sqrt", 256): ((0.0025, 0.005, 0.01), (0.02, 0.04, 0.08, 0.16)),
    ("d_k", 16): ((0.01, 0.02, 0.04), (0.02, 0.04, 0.08, 0.16)),
    ("d_k", 64): ((0.01, 0.02, 0.04), (0.02, 0.04, 0.08, 0.16)),
    ("d_k", 256): ((0.01, 0.02, 0.04, 0.08), (0.02, 0.04, 0.08, 0.16)),
    ("1", 16): ((0.002, 0.004, 0.008), (0.01, 0.02, 0.04, 0.08)),
    ("1", 64): ((0.001, 0.002, 0.004), (0.005, 0.01, 0.02)),
    ("1", 256): ((0.0005, 0.001, 0.002), (0.005, 0.01, 0.02)),
}
HALF = len(SEEDS) // 2 + 1  # so many runs that do not arrive, and neither does the median

FLAT_RATES, FLAT_ALLOWED = (0.001, 0.003, 0.01), 500
FLAT = ("W_Q", "both")  # what starts smaller: W_Q, sqrt(d_k) times, or W_Q and W_K, each by the root of that


def pairs() -> list[tuple[int, str, float, float]]:
    """d_k, divisor, rate of W_Q and W_K, rate of W_V: all that are run."""
    own = [(d, v, rate, rate_v) for (v, d), (rates, rates_v) in GRIDS.items() for rate in rates for rate_v in rates_v]
    shared = [(d, v, rate, rate) for v in ("sqrt", "d_k") for d in D_K for rate in SHARED]
    return list(dict.fromkeys(own + shared))


def arrivals(job: tuple[int, str, float, float]) -> tuple[str, list[int | None]]:
    """When the runs of a pair of rates arrive, by seed, under the name "d_k divisor rate rate_of_W_V".

    None: not in the steps allowed. After ``HALF`` of these the seeds that are left are not run.
    """
    d_k, divisor, rate, rate_v = job
    found: list[int | None] = []
    for seed in SEEDS:
        if found.count(None) < HALF:
            faster = (1, 1, rate_v / rate)
            found.append(
                retrieval.train(d_k, divisor, rate, seed, ALLOWED[divisor], faster=faster, until_arrived=True).arrived
            )
    return f"{d_k} {divisor} {rate:g} {rate_v:g}", found


def flat_arrivals(job: tuple[int, str, float]) -> tuple[str, list[int | None]]:
    """When runs arrive that start with scores of spread 1/sqrt(d_k), by seed, under the name "d_k flat rate".

    "W_Q": divided by d_k, with a rate for W_Q that is sqrt(d_k) times larger. Under Adam that is to divide by sqrt(d_k)
    and to start W_Q sqrt(d_k) times smaller. "both": divided by sqrt(d_k), W_Q and W_K start smaller alike.
    """
    d_k, flat, rate = job
    root = float(np.sqrt(d_k))
    start = {
        "W_Q": partial(retrieval.train, d_k, "d_k", faster=(root, 1, 1)),
        "both": partial(retrieval.train, d_k, "sqrt", spread=1 / root),
    }[flat]
    runs = (start(rate=rate, seed=seed, steps=FLAT_ALLOWED, until_arrived=True) for seed in SEEDS)
    return f"{d_k} {flat} {rate:g}", [run.arrived for run in runs]
