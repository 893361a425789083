"""The training lab: the same retrieval task learned with three divisors, every seed shown.

Twin: ``training_lab.ts``. The runs are those of ``whyformer.evidence.retrieval``, measured once and kept.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.evidence.packing import packed, unpacked
from whyformer.evidence.retrieval import D_K, DIVISORS, RATES, SEEDS, STEPS
from whyformer.lab import Choice, Lab, Listed, Step
from whyformer.lab.lab import Series

QUANTITIES = {"loss": "loss", "gradient": "gradient of W_Q", "entropy": "entropy of the rows"}
RATE_NAMES = [f"{rate:g}" for rate in RATES]
_RECORDED = {"loss": "loss", "gradient": "gradient_q", "entropy": "entropy"}
NAMES = ("unscaled", "scaled", "overscaled")
_NEVER = STEPS  # stands for "not within the steps allowed" where a median is taken


@cache
def data() -> dict[str, Any]:
    """Every run as rows (d_k and divisor, rate and seed) of packed numbers; the gradient as its logarithm."""
    runs = evidence.read("training")["runs"]
    found: dict[str, Any] = {}
    names = [[f"{d} {v} {r} {s}" for r in RATE_NAMES for s in SEEDS] for d in D_K for v in DIVISORS]
    for quantity, recorded in _RECORDED.items():
        curves = np.array([[runs[name][recorded] for name in row] for row in names])
        found[quantity] = packed(np.log(curves) if quantity == "gradient" else curves, "<i2")
    found["arrived"] = [[runs[name]["arrived"] or 0 for name in row] for row in names]
    return {"steps": evidence.read("training")["steps"], **found}


def compute(*, d_k: int, rate: str, quantity: str) -> Series:
    """The curves of five seeds and their median for each divisor, and when each run of this d_k arrives.

    Measured, not computed: 240 runs of ``whyformer.evidence.retrieval``, with ``d_k`` and ``rate`` (of Adam) as chosen.
    ``quantity`` is the running loss in nats, the length of the gradient of W_Q, or the mean entropy of the rows in
    nats. Names that end in unscaled, scaled and overscaled belong to the divisors 1, sqrt(d_k), d_k, in this order.

    * ``step`` (19,): the training steps, 1 to 1500, at which curves were recorded
    * ``curves`` (3, 5, 19): by divisor, seed and step; ``median_*`` (19,): over the seeds, for one divisor;
      ``first_*``: its value at step 1
    * ``arrived`` (3, 4, 5), by divisor, learning rate and seed: first step at which the running loss is below 1, or 0
      for never; ``arrival`` (3, 4): median over the seeds, never counted as 1500
    * ``seeds_*``: how many of the five arrive at the chosen rate; ``step_*``: ``arrival`` there
    """
    rows, n_seeds = slice(3 * D_K.index(d_k), 3 * D_K.index(d_k) + 3), len(SEEDS)
    at = RATE_NAMES.index(rate)
    curves = unpacked(data()[quantity], "<i2")[rows, n_seeds * at : n_seeds * (at + 1)]
    curves = np.exp(curves) if quantity == "gradient" else curves
    medians = np.median(curves, axis=1)
    arrived = np.array(data()["arrived"], float)[rows].reshape(3, len(RATES), n_seeds)
    arrival = np.median(np.where(arrived == 0, _NEVER, arrived), axis=2)
    seeds = np.count_nonzero(arrived[:, at], axis=1)
    return {
        "step": np.array(data()["steps"], float),
        "curves": curves,
        **{f"median_{name}": median for name, median in zip(NAMES, medians, strict=True)},
        **{f"first_{name}": start for name, start in zip(NAMES, medians[:, 0], strict=True)},
        "arrived": arrived,
        "arrival": arrival,
        **{f"seeds_{name}": count for name, count in zip(NAMES, seeds, strict=True)},
        **{f"step_{name}": when for name, when in zip(NAMES, arrival[:, at], strict=True)},
    }


class TrainingLab(Lab):
    """Learning curves of one attention head for three divisors, four sizes, four learning rates and five seeds."""

    title = "Training lab"
    hint = ""
    sentence = (
        "With dₖ = {d_k} and learning rate {rate} the loss falls below 1 for {seeds_unscaled:.0f} of 5 seeds "
        "if we do not divide, for {seeds_scaled:.0f} if we divide by √dₖ, and for {seeds_overscaled:.0f} if by dₖ. The "
        "median seed needs {step_unscaled:.0f}, {step_scaled:.0f} and {step_overscaled:.0f} steps, where 1500 stands "
        "for never."
    )
    columns = ("step", "median_unscaled", "median_scaled", "median_overscaled")
    compute = staticmethod(compute)
    data = staticmethod(data)

    steps = (
        Step(
            "At dₖ = {d_k} the loss of the median seed falls below 1 after {step_scaled:.0f} steps if we divide by "
            "√dₖ, after {step_overscaled:.0f} if by dₖ, and after {step_unscaled:.0f} if we do not divide: only "
            "without the division a larger head learns later.",
            asks="Drag dₖ to 512. Which of the three heads now needs more steps than before?",
            moved=("d_k >= 256",),
            told_at={"d_k": 512},
            cases=(
                (
                    ("d_k < 256",),
                    "At dₖ = {d_k} the loss of the median seed falls below 1 after {step_scaled:.0f} steps if we "
                    "divide by √dₖ, after {step_overscaled:.0f} if by dₖ, "
                    "and after {step_unscaled:.0f} if we do not divide.",
                ),
            ),
            when=("d_k >= 256", "step_scaled < step_overscaled", "step_overscaled < step_unscaled"),
            shows=("curves", "how to read"),
            controls=("d_k",),
        ),
        Step(
            "No, it is the largest: at step 1 the gradient of W_Q is {first_unscaled:.2g} if we do not divide, "
            "{first_scaled:.2g} if we divide by √dₖ, and {first_overscaled:.2g} if we divide by dₖ.",
            asks="The head that is not divided learns last. Show the gradient of W_Q. Is it the smallest at step 1?",
            moved=("quantity == 'gradient'",),
            told_at={"quantity": "gradient"},
            cases=(
                (
                    ("quantity != 'gradient'",),
                    "Show the gradient of W_Q: at step 1 it is the largest for the head that is not divided.",
                ),
            ),
            when=("quantity == 'gradient'", "first_unscaled > 4 * first_scaled", "first_scaled > 4 * first_overscaled"),
            shows=("curves", "how to read"),
            controls=("quantity", "d_k"),
        ),
        Step(
            "No. At a learning rate of {rate} and dₖ = {d_k} none of the five seeds learns within 1500 steps if we do "
            "not divide. If we divide by √dₖ all five do, the median seed after {step_scaled:.0f} steps.",
            asks="Raise the learning rate to 0.01. Do all three heads still learn?",
            moved=("rate == '0.01'",),
            told_at={"rate": "0.01"},
            cases=(
                (
                    ("seeds_unscaled > 0",),
                    "At a learning rate of {rate} and dₖ = {d_k}, {seeds_unscaled:.0f} of five seeds learn within 1500 "
                    "steps if we do not divide, and {seeds_scaled:.0f} if we divide by √dₖ.",
                ),
            ),
            when=("seeds_unscaled == 0", "seeds_scaled == 5"),
            shows=("arrivals",),
            controls=("rate", "d_k"),
        ),
        Step(
            "At dₖ = {d_k} and a learning rate of {rate}, {seeds_unscaled:.0f} of five seeds learn if we do not "
            "divide: the random start decides.",
            asks="Find a dₖ and a learning rate at which luck decides: if we do not divide, some seeds learn within "
            "1500 steps, and others do not.",
            moved=("seeds_unscaled > 0", "seeds_unscaled < 5"),
            told_at={"d_k": 256, "rate": "0.0003"},
            cases=(
                (
                    ("seeds_unscaled == 0",),
                    "At dₖ = {d_k} and a learning rate of {rate} no seed learns if we do not divide.",
                ),
                (
                    ("seeds_unscaled == 5",),
                    "At dₖ = {d_k} and a learning rate of {rate} all five seeds learn, even if we do not divide.",
                ),
            ),
            when=("seeds_unscaled > 0", "seeds_unscaled < 5"),
            shows=("arrivals",),
            controls=("d_k", "rate"),
        ),
        Step(
            "No: at a learning rate of {rate} the median seed needs {step_scaled:.0f} steps if we divide by √dₖ, and "
            "{step_overscaled:.0f} if we divide by dₖ. A larger rate makes up for a larger divisor.",
            asks="Here dₖ is 512. Raise the learning rate to 0.01. Is √dₖ still the best divisor?",
            state={"d_k": 512},
            moved=("rate == '0.01'",),
            told_at={"rate": "0.01"},
            cases=(
                (
                    ("step_overscaled >= step_scaled",),
                    "At a learning rate of {rate} the median seed needs {step_scaled:.0f} steps if we divide by √dₖ, "
                    "and {step_overscaled:.0f} if we divide by dₖ: here the root is faster.",
                ),
            ),
            when=("step_overscaled < step_scaled",),
            shows=("arrivals",),
            controls=("rate",),
        ),
    )

    d_k: Listed = Listed(default=64, values=D_K, label="dₖ")
    rate: Choice = Choice(default="0.001", options={name: name for name in RATE_NAMES}, label="learning rate")
    quantity: Choice = Choice(default="loss", options=QUANTITIES, label="show")
