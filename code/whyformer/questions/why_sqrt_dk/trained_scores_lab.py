"""The trained-scores lab: the divisor changed in any head of a trained model.

Twin: ``trained_scores_lab.ts``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.lab import Choice, Integer, Lab, Number, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import Array, softmax, softmax_entropy, softmax_jacobian_norm

D_K, N_LAYERS, N_HEADS = 32, 6, 12
TEXTS = ("tired", "boy", "root")


@cache
def data() -> dict[str, Any]:
    """The opened sentences by the value of their choice."""
    return dict(zip(TEXTS, evidence.read("trained")["opened"], strict=True))


def compute(*, text: str, layer: int, head: int, power: float) -> Series:
    """One head of the trained model with its scores divided by :math:`d_k^p` in place of :math:`d_k^{1/2}`.

    ``text`` is one of three sentences of n tokens, ``layer`` and ``head`` count from 1, ``power`` is p; d_k = 32. What
    enters the head is what the trained model computes, and nothing else in the model changes. Lengths are in units of
    the median length of the head's values.

    * ``divisor``: :math:`32^p`; ``spread``: standard deviation of all scores after it; ``head_spread`` (72,): that of
      all heads, layer after layer; ``least_spread``, ``most_spread``: the smallest and the largest of them
    * ``weights``, ``weights_trained`` (n, n): with this divisor, and as trained; ``first_weight``: of the first key,
      [CLS], mean over the rows; ``least_largest``: the smallest of the rows' largest weights
    * ``entropy``, ``entropy_trained`` (n,): of each row, in nats; ``entropy_mean``: mean of the first; ``log_n``: ln n
    * ``jacobian_norm``, ``jacobian_norm_trained``: Frobenius norm of the softmax Jacobian, mean over the rows
    * ``value_length`` (n,): for each key; ``first_length``: for [CLS]
    * ``output``, ``moved`` (n,): for each query the length of the trained output, and how far the divisor moves it;
      ``output_length``: root mean square of the first; ``moved_percent``: that of the second, in percent of it
    """
    found = evidence.opened()[TEXTS.index(text)]
    raw, lower = found.scores[layer - 1, head - 1], found.values[layer - 1, head - 1]
    divisor = float(D_K) ** power
    logits, trained_logits = raw / divisor, raw / float(D_K) ** 0.5
    weights, trained = softmax(logits), softmax(trained_logits)
    unit = np.median(_length(lower))
    output, moved = _length(trained @ lower) / unit, _length((weights - trained) @ lower) / unit
    spreads = found.scores.std((2, 3)).ravel() / divisor
    lengths = _length(lower) / unit
    entropy, trained_entropy = softmax_entropy(logits), softmax_entropy(trained_logits)
    return {
        "divisor": divisor,
        "spread": logits.std(),
        "head_spread": spreads,
        "least_spread": spreads.min(),
        "most_spread": spreads.max(),
        "weights": weights,
        "weights_trained": trained,
        "first_weight": weights[:, 0].mean(),
        "least_largest": weights.max(1).min(),
        "entropy": entropy,
        "entropy_trained": trained_entropy,
        "entropy_mean": entropy.mean(),
        "log_n": np.log(len(raw)),
        "jacobian_norm": softmax_jacobian_norm(logits).mean(),
        "jacobian_norm_trained": softmax_jacobian_norm(trained_logits).mean(),
        "value_length": lengths,
        "first_length": lengths[0],
        "output": output,
        "moved": moved,
        "output_length": np.sqrt((output**2).mean()),
        "moved_percent": 100 * _length(moved) / _length(output),
    }


def _length(rows: Array) -> Array:
    return np.sqrt((rows * rows).sum(-1))


class TrainedScoresLab(Lab):
    """Attention of a trained model (all-MiniLM-L6-v2, d_k = 32) with another divisor in one head."""

    title = "Trained-scores lab"
    hint = ""
    sentence = (
        "In layer {layer}, head {head} divided by {divisor:.3g}, the scores have standard deviation {spread:.3g}, "
        "a row has an entropy of {entropy_mean:.2f} nats (at most {log_n:.2f}), and the output moves by "
        "{moved_percent:.0f} % of its length."
    )
    columns = ("entropy_trained", "entropy", "value_length", "output", "moved")
    row = "token"
    compute = staticmethod(compute)
    data = staticmethod(data)

    steps = (
        Step(
            "No: over this sentence the 72 heads have {least_spread:.2f} to {most_spread:.1f}, and this one has "
            "{spread:.2g}. Training changes what the division set at the start.",
            asks="This model was trained with the division by √dₖ. Choose other heads. Do their scores have standard "
            "deviation 1?",
            told_at={"layer": 1, "head": 3},
            when=("least_spread < 0.9", "most_spread > 9"),
            shows=("heads", "now"),
            controls=("layer", "head"),
        ),
        Step(
            "If we do not divide, [CLS] gets {first_weight:.0%} of the weight and the output moves by "
            "{moved_percent:.0f} % of its length.",
            asks="Take the division away from this head: power 0. What becomes of its output?",
            moved=("power == 0",),
            told_at={"power": 0.0},
            cases=(
                (
                    ("power > 0",),
                    "If we divide by {divisor:.3g}, [CLS] gets {first_weight:.0%} of the weight and the output moves "
                    "by {moved_percent:.0f} % of its length.",
                ),
            ),
            when=("power == 0",),
            shows=("output", "now"),
            narrow=2,
            controls=("power",),
        ),
        Step(
            "The output of layer {layer}, head {head} moves by less than 1 %: each row gives one key over 99 % of its "
            "weight, so larger scores change nothing.",
            asks="Find a head that does not need the division: its output moves by less than 1 %.",
            state={"power": 0.0},
            moved=("moved_percent < 1",),
            told_at={"layer": 1, "head": 3},
            cases=(
                (
                    ("moved_percent >= 1",),
                    "If we do not divide, the output of layer {layer}, head {head} moves by {moved_percent:.0f} % of "
                    "its length.",
                ),
            ),
            when=("moved_percent < 1", "least_largest > 0.99"),
            shows=("output", "now"),
            narrow=2,
            controls=("layer", "head"),
        ),
        Step(
            "If we divide by {divisor:.3g}, [CLS] has less than half of the weight. Its value is short, "
            "{first_length:.0%} of the median one, so the output becomes longer when other keys get its weight.",
            asks="As trained, this head gives [CLS] most of its weight. Raise the power until it has less than half.",
            moved=("first_weight < 0.5",),
            told_at={"power": 0.75},
            cases=(
                (
                    ("first_weight >= 0.5",),
                    "If we divide by {divisor:.3g}, [CLS] has {first_weight:.0%} of the weight. Its value is short, "
                    "{first_length:.0%} of the median one.",
                ),
            ),
            when=("first_weight < 0.5",),
            shows=("now", "values"),
            narrow=2,
            controls=("power",),
        ),
        Step(
            "If we divide by dₖ, rows are nearly flat, with an entropy of {entropy_mean:.2f} nats (at most "
            "{log_n:.2f}): the head averages all values, and its output moves by {moved_percent:.0f} % of its length.",
            asks="Now divide by dₖ: power 1. Does the output move more than without the division?",
            moved=("power == 1",),
            told_at={"power": 1.0},
            cases=(
                (
                    ("power < 1",),
                    "If we divide by {divisor:.3g}, rows have an entropy of {entropy_mean:.2f} nats (at most "
                    "{log_n:.2f}), and the output moves by {moved_percent:.0f} % of its length.",
                ),
            ),
            when=("power == 1", "entropy_mean > 0.95 * log_n"),
            shows=("output", "now"),
            narrow=2,
            controls=("power",),
        ),
    )

    text: Choice = Choice(
        default="root",
        options={
            "tired": "The animal didn't cross the street because it was too tired.",
            "boy": "I am a boy.",
            "root": "Why divide by the root?",
        },
        label="sentence",
    )
    layer: Integer = Integer(default=5, min=1, max=N_LAYERS, label="layer", help="1 is next to the embedding")
    head: Integer = Integer(default=6, min=1, max=N_HEADS, label="head")
    power: Number = Number(
        default=0.5,
        min=0.0,
        max=1.0,
        step=0.05,
        label="divide by dₖ to the power",
        help="0: not divided; 0.5: by √dₖ, as in training",
    )
