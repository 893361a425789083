"""The trained-scores lab: the divisor changed in any head of a trained model.

Twin: ``trained_scores_lab.ts``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.lab import Choice, Integer, Lab, Number
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

    * ``divisor``: :math:`32^p`; ``spread``: standard deviation of all scores after it
    * ``weights``, ``weights_trained`` (n, n): with this divisor, and as trained
    * ``entropy``, ``entropy_trained`` (n,): of each row, in nats; ``entropy_mean``: mean of the first; ``log_n``: ln n
    * ``jacobian_norm``, ``jacobian_norm_trained``: Frobenius norm of the softmax Jacobian, mean over the rows
    * ``value_length`` (n,): for each key; ``output``, ``moved`` (n,): for each query the length of the trained output,
      and how far the divisor moves it; ``moved_percent``: root mean square of ``moved`` over that of ``output``
    """
    found = evidence.opened()[TEXTS.index(text)]
    raw, lower = found.scores[layer - 1, head - 1], found.values[layer - 1, head - 1]
    divisor = float(D_K) ** power
    logits, trained_logits = raw / divisor, raw / float(D_K) ** 0.5
    weights, trained = softmax(logits), softmax(trained_logits)
    unit = np.median(_length(lower))
    output, moved = _length(trained @ lower) / unit, _length((weights - trained) @ lower) / unit
    entropy, trained_entropy = softmax_entropy(logits), softmax_entropy(trained_logits)
    return {
        "divisor": divisor,
        "spread": logits.std(),
        "weights": weights,
        "weights_trained": trained,
        "entropy": entropy,
        "entropy_trained": trained_entropy,
        "entropy_mean": entropy.mean(),
        "log_n": np.log(len(raw)),
        "jacobian_norm": softmax_jacobian_norm(logits).mean(),
        "jacobian_norm_trained": softmax_jacobian_norm(trained_logits).mean(),
        "value_length": _length(lower) / unit,
        "output": output,
        "moved": moved,
        "moved_percent": 100 * _length(moved) / _length(output),
    }


def _length(rows: Array) -> Array:
    return np.sqrt((rows * rows).sum(-1))


class TrainedScoresLab(Lab):
    """Attention of a trained model (all-MiniLM-L6-v2, d_k = 32) with another divisor in one head."""

    title = "Trained-scores lab"
    hint = (
        "Undivided, nearly every row falls onto one key, [CLS]. Slide the power up to 1: the rows flatten, "
        "and the output moves even further. The lengths of the values say why."
    )
    sentence = (
        "In layer {layer}, head {head} divided by {divisor:.3g}, the scores have standard deviation {spread:.3g}, "
        "a row has {entropy_mean:.2f} of {log_n:.2f} nats, and the output moves by {moved_percent:.0f} % of its length."
    )
    columns = ("entropy_trained", "entropy", "value_length", "output", "moved")
    row = "token"
    compute = staticmethod(compute)
    data = staticmethod(data)

    text = Choice(
        "tired",
        options={
            "tired": "The animal didn't cross the street because it was too tired.",
            "boy": "I am a boy.",
            "root": "Why divide by the root?",
        },
        label="sentence",
    )
    layer = Integer(2, min=1, max=N_LAYERS, label="layer", help="1 is next to the embedding")
    head = Integer(1, min=1, max=N_HEADS, label="head")
    power = Number(
        0.0, min=0.0, max=1.0, step=0.05, label="divide by dₖ to the power", help="0: by 1; 0.5: by √dₖ, as in training"
    )
