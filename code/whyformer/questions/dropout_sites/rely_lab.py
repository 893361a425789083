"""The relying lab: how an output learns to read eight units, with dropout on the units and without.

Twin: ``rely_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Number, Over, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

UNITS = 8
RATES = np.arange(17) * 0.05
EXAMPLES = {"10": "10, again and again", "30": "30, again and again", "100": "100, again and again",
            "fresh": "new ones at every step"}  # fmt: skip


def moments(examples: str, seed: int) -> tuple[Array, Array, float]:
    """Of units x and target y over the examples: the mean of x xᵀ (8, 8), of x y (8,), of y²."""
    if examples == "fresh":
        return np.ones((UNITS, UNITS)) + np.eye(UNITS), np.ones(UNITS), 1.0
    at = np.arange(int(examples))
    signal = normal(seed, 0, at)
    units = signal[:, None] + normal(seed, 1 + np.arange(UNITS), at[:, None])
    return units.T @ units / len(at), units.T @ signal / len(at), float(signal @ signal / len(at))


def learned(second: Array, cross: Array, p: float) -> Array:
    """(8,): the weights with the least squared error, averaged over all masks of inverted dropout with rate p."""
    return np.linalg.solve(second + p / (1 - p) * np.diag(np.diag(second)), cross)


def errors(second: Array, cross: Array, power: float, weights: Array) -> tuple[float, float]:
    """Without masks, as shares of the target's mean square: the error on the examples, and on new ones."""
    on_examples = (power - 2 * weights @ cross + weights @ second @ weights) / power
    on_new = (1 - weights.sum()) ** 2 + (weights**2).sum()
    return float(on_examples), float(on_new)


def compute(*, p: float, examples: str, seed: int) -> Series:
    r"""One output :math:`\sum_j w_j x_j` that reads 8 units, trained until nothing changes, dropout on the units.

    Unit :math:`x_j = y + e_j` has the signal y, which is the target, and noise :math:`e_j` of its own, all standard
    normal and independent. The weights minimise the squared error over the ``examples``, averaged over all masks of
    inverted dropout with rate ``p``; ``"fresh"``: over all examples there could be; ``seed`` draws them. Errors are
    without masks, as shares of the mean square of y: 1 is what a constant 0 would get.

    * ``weights``, ``bare`` (8,): with dropout, and without; ``smallest``, ``negative``: the smallest of the weights,
      and how many are negative; ``largest``: the largest in size
    * ``on_learned``, ``on_new``: the error on the examples, and on new ones; ``on_learned_bare``, ``on_new_bare``:
      without dropout
    * ``rates`` (17,): 0, 0.05, ... 0.8; ``learned_at``, ``new_at`` (17,): both errors there; ``best``, ``best_new``:
      the rate with the least error on new examples, and this error
    """
    second, cross, power = moments(examples, seed)
    weights, bare = (learned(second, cross, rate) for rate in (p, 0.0))
    on_learned, on_new = errors(second, cross, power, weights)
    learned_at, new_at = np.array(
        [errors(second, cross, power, learned(second, cross, rate)) for rate in RATES]
    ).T.copy()
    at = int(np.argmin(new_at))
    on_learned_bare, on_new_bare = learned_at[0], new_at[0]
    return {
        "weights": weights,
        "bare": bare,
        "smallest": weights.min(),
        "largest": abs(weights).max(),
        "negative": float((weights < 0).sum()),
        "on_learned": on_learned,
        "on_new": on_new,
        "on_learned_bare": on_learned_bare,
        "on_new_bare": on_new_bare,
        "rates": RATES.copy(),
        "learned_at": learned_at,
        "new_at": new_at,
        "best": RATES[at],
        "best_new": new_at[at],
    }


BOTH = ("weights", "errors")


class RelyLab(Lab):
    """One output reads eight units that carry one signal; dropout on the units, few examples or many."""

    title = "Relying lab"
    hint = ""
    sentence = (
        "Dropout with p = {p:.2f}: an error of {on_learned:.0%} on the examples, {on_new:.0%} on new ones; "
        "{negative:.0f} of 8 weights are negative."
    )
    columns = ("weights", "bare")
    row = "unit"
    compute = staticmethod(compute)

    steps = (
        Step(
            "No dropout: {on_learned:.0%} error on ten examples, {on_new:.0%} on new ones. Weights lean on each other "
            "to cancel noise.",
            shows=BOTH,
            narrow=2,
            controls=("p",),
            when=("on_new > 4 * on_learned", "negative > 0", "p == 0"),
            over=Over(seeds=5),
        ),
        Step(
            "Raise the rate until new examples have less than half of that error.",
            shows=BOTH,
            narrow=2,
            controls=("p",),
            goal=("on_new < 0.5 * on_new_bare", "examples == '10'"),
            solution={"p": 0.3},
            learned="With units missing at random, no weight can count on another: all take a share.",
        ),
        Step(
            "At rate 0.3 the error is {on_learned:.0%} on its examples, a little more, and {on_new:.0%} on new ones.",
            state={"p": 0.3},
            shows=BOTH,
            narrow=2,
            controls=("p",),
            when=("on_learned > on_learned_bare", "on_new < on_new_bare", "p == 0.3"),
            over=Over(seeds=5),
        ),
        Step(
            "Too much: at rate 0.8 all weights are too small, and new examples have {on_new:.0%} again.",
            state={"p": 0.8},
            shows=("curve", "weights"),
            narrow=2,
            controls=("p",),
            when=("on_new > 1.25 * best_new", "p == 0.8", "largest < 0.2"),
            over=Over(seeds=5),
        ),
        Step(
            "New examples at every step, as in one pass over the data: the least error, {best_new:.0%}, is at rate "
            "{best:.0f}.",
            state={"examples": "fresh"},
            shows=("curve", "errors"),
            narrow=2,
            controls=("p", "examples"),
            when=("best == 0", "on_new > 0.9999 * best_new"),
            over=Over(seeds=0),
        ),
    )

    p: Number = Number(
        default=0.0, min=0.0, max=0.8, step=0.05, label="rate p", help="the probability of each unit to be dropped"
    )
    examples: Choice = Choice(default="10", options=EXAMPLES, label="examples")
    seed: Seed = Seed(default=235, label="draw", help="which examples")
