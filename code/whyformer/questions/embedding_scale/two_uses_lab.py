"""The two-uses lab: one table is looked up at the input and multiplied with at the output; each use has its wish.

Twin: ``two_uses_lab.ts``.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, log_softmax

VOCABULARY, DRAWS = 1000, 8
WIDTHS = [64, 128, 256, 384, 512, 768, 1024]
SPREADS = {"small": "0.02", "root": "1 / √d_model", "one": "1"}
STDS = 2.0 ** np.arange(-6, 6)  # of the logits, along the curve


@cache
def unit_logits(seed: int) -> Array:
    """Logits of standard deviation 1 for each draw: (8, 1000)."""
    return normal(seed, np.arange(DRAWS)[:, None], np.arange(VOCABULARY))


def losses(unit: Array, std: float) -> Array:
    """Cross-entropy of each draw (8,), the mean over all words as the target."""
    return -log_softmax(std * unit).mean(1)


@cache
def curve(seed: int) -> Array:
    """The median loss of the draws at each of ``STDS``: (12,)."""
    unit = unit_logits(seed)
    return np.array([np.median(losses(unit, std)) for std in STDS])


def compute(*, spread: str, into: str, out: str, d_model: int, seed: int) -> Series:
    r"""What one table gives to its two uses, by the spread :math:`\sigma` of its entries.

    At the input a word is :math:`m\sigma\sqrt{d}` long, a position of sines :math:`\sqrt{d/2}`; at the output a state
    of length :math:`\sqrt d`, as a LayerNorm leaves it, times a row of the table gives a logit of standard deviation
    :math:`o\,\sigma\sqrt d`. Here d is ``d_model``; m is 1 or its root (``into``); o is 1 or one over its root
    (``out``); ``spread`` is :math:`\sigma`, with "root" for :math:`1/\sqrt d`. The loss is that of a vocabulary of
    1000 words, in 8 draws by ``seed``.

    * ``sigma``: the spread; ``ratio``: a word's length over a position's; ``std``: standard deviation of the logits
    * ``curve_std``, ``curve_loss`` (12,): the median loss of the draws by the standard deviation of the logits
    * ``loss`` (8,): of each draw now; ``first_loss``: their median; ``uniform``: ln 1000, the loss of equal logits;
      ``above``: how far the median lies above it
    """
    d = float(d_model)
    sigma = {"small": 0.02, "root": d**-0.5, "one": 1.0}[spread]
    m = np.sqrt(d) if into == "root" else 1.0
    o = d**-0.5 if out == "root" else 1.0
    loss = losses(unit_logits(seed), o * sigma * np.sqrt(d))
    uniform = np.log(VOCABULARY)
    return {
        "curve_std": STDS.copy(),
        "curve_loss": curve(seed).copy(),
        "loss": loss,
        "sigma": sigma,
        "ratio": m * sigma * np.sqrt(2),
        "std": o * sigma * np.sqrt(d),
        "first_loss": np.median(loss),
        "uniform": uniform,
        "above": np.median(loss) - uniform,
    }


class TwoUsesLab(Lab):
    """One table, two uses: words beside positions at the input, logits at the output."""

    title = "Two-uses lab"
    hint = ""
    sentence = (
        "At spread {sigma:.3g} a word is {ratio:.3g} positions of sines long, logits have standard deviation "
        "{std:.3g}: first loss {first_loss:.1f} nats."
    )
    columns = ("loss",)
    row = "draw"
    compute = staticmethod(compute)

    steps = (
        Step(
            "A word is {ratio:.2g} positions long, logits have a standard deviation of {std:.2g}, and the first loss "
            "is {first_loss:.1f} nats. A larger spread makes the word longer and the logits wider.",
            asks="Logits have standard deviation 1, but a word is far shorter than its position. Take spread 1. What "
            "becomes of the word, and of the first loss?",
            moved=("spread == 'one'",),
            told_at={"spread": "one"},
            cases=(
                (
                    ("spread == 'one'",),
                    "The word is {ratio:.2g} positions long, but the first loss is {first_loss:.0f} nats: equal logits "
                    "would have {uniform:.1f}. The output uses the same table.",
                ),
            ),
            shows=("ends", "loss"),
            narrow=2,
            controls=("spread",),
            when=("ratio < 1",),
        ),
        Step(
            "The spread moves both bars, and a factor at one end moves only one of them. So a factor can serve both "
            "ends.",
            asks="Bring both bars into the grey: a word at least as long as its position, and logits with a standard "
            "deviation of at most 2. Which control does it?",
            moved=("ratio >= 1", "std <= 2"),
            told_at={"into": "root"},
            cases=(
                (
                    ("ratio < 1",),
                    "A word is only {ratio:.2g} positions long here. The spread moves both bars, and a factor at one "
                    "end moves only one.",
                ),
                (
                    ("std > 2",),
                    "Logits have a standard deviation of {std:.2g} here, which is too wide. The spread moves both "
                    "bars, and a factor at one end moves only one.",
                ),
            ),
            shows=("ends", "loss"),
            narrow=2,
            controls=("spread", "into", "out"),
            when=("ratio >= 1", "std <= 2"),
        ),
        Step(
            "It does not: a word is {ratio:.2f} positions long at every width, and logits have a standard deviation of "
            "{std:.0f}.",
            asks="This is the way of 2017, with √d_model on the way in. Change d_model. Does a bar move?",
            state={"into": "root"},
            told_at={"d_model": 1024},
            shows=("ends", "loss"),
            narrow=2,
            controls=("d_model",),
            when=("ratio > 1.4", "ratio < 1.43", "std >= 0.999", "std <= 1.001"),
        ),
        Step(
            "Logits then start with a standard deviation of {std:.0f}, as with the factor of 2017. But T5 adds no "
            "positions to its words, so the upper bar says nothing about T5.",
            asks="T5 draws its table with spread 1. Divide by √d_model on the way out, as it does. What becomes of the "
            "logits?",
            state={"spread": "one"},
            moved=("out == 'root'",),
            told_at={"out": "root"},
            cases=(
                (
                    ("out == 'one'",),
                    "If nothing is divided on the way out, logits start with a standard deviation of {std:.0f}.",
                ),
            ),
            shows=("ends", "loss"),
            narrow=2,
            controls=("out",),
            when=("out == 'root'", "std >= 0.999", "std <= 1.001"),
        ),
    )

    spread: Choice = Choice(
        default="root", options=SPREADS, label="spread of the table", help="standard deviation of its entries"
    )
    into: Choice = Choice(default="one", options={"one": "× 1", "root": "× √d_model"}, label="on the way in")
    out: Choice = Choice(default="one", options={"one": "× 1", "root": "÷ √d_model"}, label="on the way out")
    d_model: Listed = Listed(default=512, values=WIDTHS, label="d_model")
    seed: Seed = Seed(default=3, label="draw", help="which random logits")
