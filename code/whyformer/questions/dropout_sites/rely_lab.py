"""The relying lab: how an output learns to read eight units, with dropout on the units, with ridge, and with neither.

Twin: ``rely_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Number, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

UNITS = 8
RATES = np.arange(17) * 0.05
EXAMPLES = {"10": "10, again and again", "30": "30, again and again", "100": "100, again and again",
            "fresh": "new ones at every step"}  # fmt: skip
NOISES = {"much": "as strong as the signal", "little": "a tenth of the signal"}
SIZES = {"much": 1.0, "little": 0.1}
WAYS = {"dropout": "dropout", "ridge": "ridge, a penalty"}


def moments(examples: str, noise: float, seed: int) -> tuple[Array, Array, float]:
    """Of units x and target y over the examples: the mean of x xᵀ (8, 8), of x y (8,), of y²."""
    if examples == "fresh":
        return np.ones((UNITS, UNITS)) + noise**2 * np.eye(UNITS), np.ones(UNITS), 1.0
    at = np.arange(int(examples))
    signal = normal(seed, 0, at)
    units = signal[:, None] + noise * normal(seed, 1 + np.arange(UNITS), at[:, None])
    return units.T @ units / len(at), units.T @ signal / len(at), float(signal @ signal / len(at))


def learned(second: Array, cross: Array, p: float, way: str) -> Array:
    """(8,): the weights with the least squared error plus a penalty on the squares of the weights.

    ``"dropout"``: averaged over all masks of inverted dropout with rate p, which is the penalty p/(1 - p) times the
    mean square of each unit; ``"ridge"``: one penalty for all weights, the mean of those.
    """
    squares = np.diag(second)
    penalty = squares if way == "dropout" else np.full(UNITS, squares.mean())
    return np.linalg.solve(second + p / (1 - p) * np.diag(penalty), cross)


def errors(second: Array, cross: Array, power: float, noise: float, weights: Array) -> tuple[float, float]:
    """Without masks, as shares of the target's mean square: the error on the examples, and on new ones."""
    on_examples = (power - 2 * weights @ cross + weights @ second @ weights) / power
    on_new = (1 - weights.sum()) ** 2 + noise**2 * (weights**2).sum()
    return float(on_examples), float(on_new)


def compute(*, p: float, examples: str, noise: str, way: str, seed: int) -> Series:
    r"""One output :math:`\sum_j w_j x_j` that reads 8 units, trained until nothing changes.

    Unit :math:`x_j = y + e_j` has the signal y, which is the target, and ``noise`` :math:`e_j` of its own, all normal
    and independent; y has standard deviation 1, :math:`e_j` 1 or 0.1. The weights minimise the squared error over the
    ``examples``, averaged over all masks of inverted dropout with rate ``p``, or (``way="ridge"``) with a penalty of
    the same strength on the squares of the weights; ``"fresh"``: over all examples there could be; ``seed`` draws them.
    Errors are without masks, as shares of the mean square of y: 1 is what a constant 0 would get.

    * ``weights``, ``bare`` (8,): as trained, and with neither; ``negative``: how many weights are negative;
      ``negative_bare``: how many of those with neither
    * ``on_learned``, ``on_new``: the error on the examples, and on new ones; ``on_learned_bare``, ``on_new_bare``:
      with neither; ``new_dropout``, ``new_ridge``: on new ones, either way at this rate
    * ``rates`` (17,): 0, 0.05, ... 0.8; ``learned_at``, ``new_at`` (17,): both errors there; ``best``, ``best_new``:
      the rate with the least error on new examples, and this error
    """
    size = SIZES[noise]
    second, cross, power = moments(examples, size, seed)

    def trained(rate: float, way: str) -> tuple[Array, float, float]:
        weights = learned(second, cross, rate, way)
        return weights, *errors(second, cross, power, size, weights)

    weights, on_learned, on_new = trained(p, way)
    at_rates = [trained(rate, way) for rate in RATES]
    bare, on_learned_bare, on_new_bare = at_rates[0]
    learned_at, new_at = (np.array([one[which] for one in at_rates]) for which in (1, 2))
    at = int(np.argmin(new_at))
    return {
        "weights": weights,
        "bare": bare,
        "negative": float((weights < 0).sum()),
        "negative_bare": float((bare < 0).sum()),
        "on_learned": on_learned,
        "on_new": on_new,
        "on_learned_bare": on_learned_bare,
        "on_new_bare": on_new_bare,
        "new_dropout": trained(p, "dropout")[2],
        "new_ridge": trained(p, "ridge")[2],
        "rates": RATES.copy(),
        "learned_at": learned_at,
        "new_at": new_at,
        "best": RATES[at],
        "best_new": new_at[at],
    }


BOTH = ("errors", "weights")


class RelyLab(Lab):
    """One output reads eight units that carry one signal; dropout on the units or ridge, few examples or many."""

    title = "Relying lab"
    hint = ""
    sentence = (
        "Trained with {way} at rate {p:.2f}: an error of {on_learned:.1%} on the examples, {on_new:.1%} on new ones; "
        "{negative:.0f} of 8 weights are negative."
    )
    columns = ("weights", "bare")
    row = "unit"
    compute = staticmethod(compute)

    steps = (
        Step(
            "The error on its ten examples goes from {on_learned_bare:.0%} to {on_learned:.0%}, and on new ones from "
            "{on_new_bare:.0%} to {on_new:.0%}. Weights that cancel each other's noise, with both signs, now cost too "
            "much.",
            asks="One output has learned from ten examples without dropout. Drag the rate to 0.3. What becomes of its "
            "two errors?",
            moved=("p >= 0.2",),
            told_at={"p": 0.3},
            cases=(
                (
                    ("p == 0",),
                    "Without dropout {negative:.0f} of 8 weights are negative, although every unit carries the signal. "
                    "They cancel each other's noise in these ten examples, and only there.",
                ),
            ),
            when=("on_learned > on_learned_bare", "on_new < on_new_bare", "negative_bare > 0"),
            shows=BOTH,
            narrow=2,
            controls=("p",),
        ),
        Step(
            "Not clearly: on new examples the error is {new_dropout:.1%} with dropout and {new_ridge:.1%} with ridge "
            "of the same strength. In this toy, whose units are alike, dropout helps as a penalty on large weights.",
            asks="Ridge has no masks, only a penalty on the squares of the weights. Take it in place of dropout. Does "
            "it do worse?",
            state={"p": 0.3},
            moved=("way == 'ridge'",),
            told_at={"way": "ridge"},
            cases=((("p == 0",), "At rate 0 there are no masks and no penalty, so both are the same."),),
            when=("new_ridge < 1.1 * new_dropout", "new_dropout < 1.1 * new_ridge"),
            shows=BOTH,
            narrow=2,
            controls=("way", "p"),
        ),
        Step(
            "It does not: the error on new examples goes from {on_new_bare:.2%} to {on_new:.2%}. There is little noise "
            "to average out, and the penalty makes the weights too small.",
            asks="Now each unit has little noise, and there are 30 examples. Drag the rate to 0.3. Does dropout help "
            "here?",
            state={"examples": "30", "noise": "little"},
            moved=("p >= 0.2",),
            told_at={"p": 0.3},
            cases=(
                (
                    ("on_new <= on_new_bare",),
                    "The error on new examples is {on_new:.2%} at this rate, and {on_new_bare:.2%} without dropout.",
                ),
            ),
            when=("on_new > on_new_bare",),
            shows=BOTH,
            narrow=2,
            controls=("p",),
        ),
        Step(
            "At rate 0: if every example is new, the error is {best_new:.0%} there and {on_new:.0%} at rate {p:.2f}. "
            "Nothing can be overfitted, and a penalty only costs.",
            asks="Ten examples come again and again. Take new ones at every step, as in one pass over a large text. At "
            "which rate is the error on new examples least then?",
            state={"p": 0.3},
            moved=("examples == 'fresh'",),
            told_at={"examples": "fresh"},
            cases=(
                (
                    ("examples != 'fresh'",),
                    "With these examples, again and again, the error on new ones is least at rate {best:.2f}: "
                    "{best_new:.0%}.",
                ),
                (
                    ("p == 0",),
                    "At rate 0: if every example is new, the error is {best_new:.0%} there, and larger at each other "
                    "rate.",
                ),
            ),
            when=("best == 0", "on_new > best_new"),
            shows=("curve", "errors"),
            narrow=2,
            controls=("examples", "p"),
        ),
    )

    p: Number = Number(
        default=0.0, min=0.0, max=0.8, step=0.05, label="rate p",
        help="the probability of each unit to be dropped; the strength of ridge is p/(1 − p)",
    )  # fmt: skip
    way: Choice = Choice(default="dropout", options=WAYS, label="trained with")
    examples: Choice = Choice(default="10", options=EXAMPLES, label="examples")
    noise: Choice = Choice(default="much", options=NOISES, label="noise of each unit")
    seed: Seed = Seed(default=235, label="draw", help="which examples")
