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
from whyformer.lab import Choice, Lab, Listed, Over, Step
from whyformer.lab.lab import Series

QUANTITIES = {"loss": "loss", "gradient": "gradient at W_Q", "entropy": "entropy of the rows"}
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
    ``quantity`` is the running loss in nats, the length of the gradient at W_Q, or the mean entropy of the rows in
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
        "not divided, {seeds_scaled:.0f} divided by √dₖ, {seeds_overscaled:.0f} divided by dₖ. The median seed needs "
        "{step_unscaled:.0f}, {step_scaled:.0f} and {step_overscaled:.0f} steps, where 1500 stands for never."
    )
    columns = ("step", "median_unscaled", "median_scaled", "median_overscaled")
    compute = staticmethod(compute)
    data = staticmethod(data)

    steps = (
        Step(
            "Divided by √dₖ a head learns first: at learning rate 0.001 the median seed brings its loss below 1 in "
            "{step_scaled:.0f} steps. Divided by dₖ it takes {step_overscaled:.0f}, not divided {step_unscaled:.0f}.",
            shows=("curves", "how to read"),
            controls=("d_k",),
            when=("step_scaled < step_overscaled", "step_overscaled < step_unscaled", "step_unscaled < 1500"),
            over=Over(near=({"d_k": 16}, {"d_k": 256}, {"d_k": 512})),
        ),
        Step(
            "Not divided, a head learns last, though at step 1 its gradient at W_Q is the largest: "
            "{first_unscaled:.2g} against {first_scaled:.2g} and {first_overscaled:.2g}.",
            state={"quantity": "gradient"},
            shows=("curves", "arrivals", "how to read"),
            narrow=2,
            controls=("d_k",),
            when=(
                "step_unscaled > step_scaled",
                "step_unscaled > step_overscaled",
                "first_unscaled > 4 * first_scaled",
                "first_scaled > 4 * first_overscaled",
            ),
            over=Over(near=({"d_k": 16}, {"d_k": 256}, {"d_k": 512})),
        ),
        Step(
            "At the largest learning rate, from dₖ = 64 on, no seed arrives within 1500 steps if scores are not "
            "divided. Divided by √dₖ all five do, here after {step_scaled:.0f} in the median.",
            state={"rate": "0.01"},
            shows=("arrivals",),
            controls=("d_k", "rate"),
            when=("seeds_unscaled == 0", "seeds_scaled == 5"),
            over=Over(near=({"d_k": 256}, {"d_k": 512})),
        ),
        Step(
            "Find a dₖ and a learning rate at which luck decides: not divided, some seeds arrive and others never do.",
            shows=("arrivals",),
            controls=("d_k", "rate"),
            goal=("seeds_unscaled > 0", "seeds_unscaled < 5"),
            solution={"d_k": 256, "rate": "0.0003"},
            learned="Not divided, the seed can decide: at one setting some runs arrive and others do not.",
        ),
        Step(
            "Is √dₖ always the best? At the largest learning rate dividing by dₖ is faster: {step_overscaled:.0f} "
            "steps against {step_scaled:.0f} at dₖ = 512.",
            state={"d_k": 512, "rate": "0.01"},
            shows=("arrivals",),
            controls=("d_k", "rate"),
            when=("step_overscaled < step_scaled",),
            over=Over(near=({"d_k": 16}, {"d_k": 64}, {"d_k": 256})),
        ),
    )

    d_k: Listed = Listed(default=64, values=D_K, label="dₖ")
    rate: Choice = Choice(default="0.001", options={name: name for name in RATE_NAMES}, label="learning rate")
    quantity: Choice = Choice(default="loss", options=QUANTITIES, label="show")
