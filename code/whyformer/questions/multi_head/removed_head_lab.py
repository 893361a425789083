"""The removed-head lab: set one of the 72 heads of a trained model to zero, and see how far its sentences move.

Twin: ``removed_head_lab.ts``. Measured by ``whyformer.evidence.trained`` on all-MiniLM-L6-v2 with 200 sentences.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.lab import Choice, Integer, Lab
from whyformer.lab.lab import Series
from whyformer.maths.softmax import Array

N_LAYERS, N_HEADS = 6, 12
QUANTITIES = {
    "entropy": "entropy of its rows, nats",
    "first": "its weight on the first token",
    "distance": "distance from its layer's other maps",
    "value": "length of the first token's value",
}


@cache
def data() -> dict[str, Any]:
    """By layer and head: what is lost when the head is zero (1 - mean cosine), and four quantities of its maps."""
    found = evidence.read("trained")
    heads = found["heads"]
    return {
        "lost": [[round(1 - c, 6) for c in row] for row in heads["cosine_without"]],
        "entropy": found["scores"]["1/sqrt(d_k)"]["entropy"],
        "first": heads["weight_on_first"],
        "distance": heads["distance_to_others"],
        "value": heads["value_of_first"],
    }


def ranks(values: Array) -> Array:
    """1 for the smallest; ties share the mean of their ranks."""
    below = (values[None] < values[:, None]).sum(1)
    equal = (values[None] == values[:, None]).sum(1)
    return below + (equal + 1) / 2


def rank_correlation(one: Array, other: Array) -> float:
    """Spearman's: the correlation of the ranks."""
    a, b = (ranks(v) - (len(v) + 1) / 2 for v in (one, other))
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def compute(*, layer: int, head: int, quantity: str) -> Series:
    """One of the 72 heads of the trained model is set to zero: what is lost, beside one quantity of its maps.

    Measured, not computed, over 200 sentences: a loss is 1000 times (1 - mean cosine of the sentence's vector to the
    intact one). ``layer`` and ``head`` count from 1; ``quantity`` is an entropy in nats, a weight, a total variation,
    or a length in units of the median one.

    * ``lost``, ``values`` (6, 12): by layer and head, losses and the quantity; ``lost_in_layer``, ``values_in_layer``
      (12,): those of the chosen layer
    * ``chosen``: which of the 72, from 0, row by row; ``lost_here``, ``value_here``: of the chosen head;
      ``cosine_here``: the mean cosine; ``place``: its place among the 72, 1 for the largest loss
    * ``median_of_layer``: of the losses; ``correlation``: of the ranks (Spearman's) of values and losses in layers 1 to
      5
    """
    lost, values = (1000 * np.array(data()["lost"]), np.array(data()[quantity]))
    here = lost[layer - 1, head - 1]
    return {
        "lost": lost,
        "values": values,
        "lost_in_layer": lost[layer - 1],
        "values_in_layer": values[layer - 1],
        "chosen": float(N_HEADS * (layer - 1) + head - 1),
        "lost_here": here,
        "cosine_here": 1 - here / 1000,
        "value_here": values[layer - 1, head - 1],
        "place": float((lost > here).sum() + 1),
        "median_of_layer": float(np.median(lost[layer - 1])),
        "correlation": rank_correlation(values[:-1].ravel(), lost[:-1].ravel()),
    }


class RemovedHeadLab(Lab):
    """Remove one of the 72 heads of a trained model."""

    title = "Removed-head lab"
    hint = "Touch a head to remove it. Could you have told from what it looks at how much it matters?"
    sentence = (
        "Without head {head} of layer {layer} the mean cosine of a sentence vector to the intact one is "
        "{cosine_here:.4f}, a loss that ranks {place:.0f} of 72, 1 being the largest. ({quantity}: {value_here:.2f})"
    )
    columns = ("lost_in_layer", "values_in_layer")
    row = "head"
    compute = staticmethod(compute)
    data = staticmethod(data)

    layer = Integer(1, min=1, max=N_LAYERS, label="layer")
    head = Integer(3, min=1, max=N_HEADS, label="head")
    quantity = Choice("distance", options=QUANTITIES, label="compare with")
