"""The removed-head lab: set one of the 72 heads of a trained model to zero, and see how far its sentences move.

Twin: ``removed_head_lab.ts``. Measured by ``whyformer.evidence.trained`` on all-MiniLM-L6-v2 with 200 sentences.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.lab import Choice, Integer, Lab, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import Array

N_LAYERS, N_HEADS = 6, 12
CELLS = {"maps": "what the map shows", "lost": "what is lost"}
QUANTITIES = {
    "entropy": "entropy of a row, nats",
    "first": "weight on first token",
    "largest": "largest weight in a row",
    "distance": "distance to other maps",
    "value": "length of first value",
}


@cache
def data() -> dict[str, Any]:
    """By layer and head: what is lost when the head is zero (1 - mean cosine), and five quantities of its maps."""
    found = evidence.read("trained")
    heads = found["heads"]
    return {
        "lost": [[round(1 - c, 6) for c in row] for row in heads["cosine_without"]],
        "entropy": found["scores"]["1/sqrt(d_k)"]["entropy"],
        "first": heads["weight_on_first"],
        "largest": found["scores"]["1/sqrt(d_k)"]["largest_weight"],
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


def compute(*, layer: int, head: int, quantity: str, cells: str) -> Series:
    """One of the 72 heads of the trained model is set to zero: what is lost, beside one quantity of its maps.

    Measured, not computed, over 200 sentences: a loss is 1000 times (1 - mean cosine of the sentence's vector to the
    intact one). ``layer`` and ``head`` count from 1; ``quantity`` is an entropy in nats, a weight, a total variation,
    or a length in units of the median one.

    * ``lost``, ``values`` (6, 12): by layer and head, losses and the quantity; ``shown`` (6, 12): of these, what
      ``cells`` chooses; ``lost_in_layer``, ``values_in_layer``
      (12,): those of the chosen layer
    * ``chosen``: which of the 72, from 0, row by row; ``lost_here``, ``value_here``: of the chosen head;
      ``cosine_here``: the mean cosine; ``place``: its place among the 72, 1 for the largest loss
    * ``place_in_layer``: its place among the twelve; ``place_of_value``: that of the quantity among the 72
    * ``correlation``: of the ranks (Spearman's) of values and losses in layers 1 to 5 at once; ``by_layer`` (6,): in
      each layer alone; ``within``: their mean over layers 1 to 5, that is, ranked within layers; ``highest_early``,
      ``lowest_early``: the extremes of ``by_layer`` over layers 1 to 5
    * ``most_early``: the largest loss in layers 1 to 5; ``least_late``: the smallest in layer 6
    """
    lost, values = (1000 * np.array(data()["lost"]), np.array(data()[quantity]))
    here, value = lost[layer - 1, head - 1], values[layer - 1, head - 1]
    by_layer = np.array([rank_correlation(a, b) for a, b in zip(values, lost, strict=True)])
    return {
        "lost": lost,
        "values": values,
        "shown": lost if cells == "lost" else values,
        "lost_in_layer": lost[layer - 1],
        "values_in_layer": values[layer - 1],
        "chosen": float(N_HEADS * (layer - 1) + head - 1),
        "lost_here": here,
        "cosine_here": 1 - here / 1000,
        "value_here": value,
        "place": float((lost > here).sum() + 1),
        "place_in_layer": float((lost[layer - 1] > here).sum() + 1),
        "place_of_value": float((values > value).sum() + 1),
        "correlation": rank_correlation(values[:-1].ravel(), lost[:-1].ravel()),
        "by_layer": by_layer,
        "within": by_layer[:-1].mean(),
        "highest_early": by_layer[:-1].max(),
        "lowest_early": by_layer[:-1].min(),
        "most_early": lost[:-1].max(),
        "least_late": lost[-1].min(),
    }


class RemovedHeadLab(Lab):
    """Remove one of the 72 heads of a trained model."""

    title = "Removed-head lab"
    hint = ""
    sentence = (
        "Without head {head} of layer {layer}: mean cosine {cosine_here:.4f}, place {place:.0f} of 72 by what is lost, "
        "{place_in_layer:.0f} of 12 in its layer. ({quantity}: {value_here:.2f})"
    )
    columns = ("lost_in_layer", "values_in_layer")
    row = "head"
    compute = staticmethod(compute)
    data = staticmethod(data)

    steps = (
        Step(
            "No map is odder than that of layer 1, head 3: it lies {value_here:.2f} from the others in its layer. "
            "Without it the cosine is still {cosine_here:.4f}: by what is lost, place {place_in_layer:.0f} of 12 in "
            "its layer and {place:.0f} of all 72.",
            shows=("cells",),
            controls=("head",),
            when=("place_of_value == 1", "place > 24", "cosine_here > 0.99"),
        ),
        Step(
            "Now bet. Cells show the weight on the first token. Click, in layers 1 to 5, until you have found the "
            "costliest head of a layer. How many tries does it take?",
            state={"quantity": "first"},
            shows=("cells",),
            controls=("head",),
            when=("place_in_layer > 1",),
            goal=("place_in_layer == 1", "layer < 6", "cells == 'maps'"),
            solution={"layer": 2, "head": 4},
            learned="The weight on the first token is a hint, no more: how much a head matters must be measured.",
            counts=True,
        ),
        Step(
            "What is lost without each head: 1000 · (1 − cosine) is at most {most_early:.1f} in layers 1 to 5, and at "
            "least {least_late:.1f} in layer 6, the last.",
            state={"cells": "lost", "layer": 6, "head": 12},
            shows=("cells",),
            controls=("head",),
            when=("most_early < least_late", "place == 1"),
        ),
        Step(
            "Do maps tell? Ranked within its layer, a head with much weight on the first token tends to cost less, in "
            "each of layers 1 to 5: {within:.2f} on average. The five at once blur it to {correlation:.2f}.",
            state={"cells": "lost", "quantity": "first"},
            shows=("by layer", "heads", "layers"),
            controls=("quantity",),
            when=("highest_early < 0", "within < -0.5", "within < 1.5 * correlation"),
        ),
        Step(
            "Not every number tells: the length of the first token's value goes with the loss in one layer and against "
            "it in another, from {highest_early:.2f} to {lowest_early:.2f}.",
            state={"cells": "lost", "quantity": "value"},
            shows=("by layer", "heads", "layers"),
            controls=("quantity",),
            when=("highest_early > 0.5", "lowest_early < -0.5"),
        ),
    )

    layer: Integer = Integer(default=1, min=1, max=N_LAYERS, label="layer")
    head: Integer = Integer(default=3, min=1, max=N_HEADS, label="head")
    quantity: Choice = Choice(default="distance", options=QUANTITIES, label="compare with")
    cells: Choice = Choice(default="maps", options=CELLS, label="cells show")
