"""The which-head lab: switch off one of the 72 heads of a trained model, and see how far the meaning moves.

Twin: ``which_head_lab.ts``. Measured by ``whyformer.evidence.trained`` on all-MiniLM-L6-v2 with 200 sentences.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.evidence.packing import packed, unpacked
from whyformer.lab import Integer, Lab, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import softmax

N_LAYERS, N_HEADS, D_K = 6, 12, 32
TEXT = 1  # which of the opened sentences: I am a boy.


@cache
def data() -> dict[str, Any]:
    """What is lost without each head (1 - mean cosine), by layer; the tokens of a sentence, and its maps, packed."""
    found, opened = evidence.read("trained"), evidence.opened()[TEXT]
    maps = softmax(opened.scores / D_K**0.5)
    return {
        "lost": [[round(1 - c, 6) for c in row] for row in found["heads"]["cosine_without"]],
        "boy": {"tokens": opened.tokens, "maps": packed(maps.reshape(N_LAYERS, N_HEADS, -1), "i1")},
    }


def compute(*, layer: int, head: int) -> Series:
    """One of the 72 heads of the trained model is switched off, its output set to zero: how far the meaning moves.

    Measured, not computed, over 200 sentences: the meaning of a sentence is the vector that the model makes of it, and
    it moves by 100 · (1 − cosine) percent, so that a vector at right angles has moved by 100 %. ``layer`` and ``head``
    count from 1.

    * ``lost`` (6, 12): by layer and head how far the meaning moves, percent; ``lost_in_layer`` (12,): of the layer
    * ``maps`` (6, 12, 7, 7): weights of every head for one sentence of 7 tokens; ``map`` (7, 7): the chosen head's
    * ``chosen``: which of the 72, from 0, row by row; ``moved``: without the chosen head; ``cosine``: the mean cosine
    * ``place``, ``place_in_layer``: its place among all heads and the twelve, 1 for the largest loss
    * ``before``: its mean weight on the token before, from the second token on
    * ``most_early``: the largest loss in layers 1 to 5; ``least_late``: the smallest in layer 6; ``missed``: how many
      of the 72 move the meaning by 1 % or more
    """
    lost = 100 * np.array(data()["lost"])
    opened = data()["boy"]
    n = len(opened["tokens"])
    maps = unpacked(opened["maps"], "i1").reshape(N_LAYERS, N_HEADS, n, n)
    chosen, here = maps[layer - 1, head - 1], lost[layer - 1, head - 1]
    return {
        "lost": lost,
        "lost_in_layer": lost[layer - 1],
        "maps": maps,
        "map": chosen,
        "chosen": float(N_HEADS * (layer - 1) + head - 1),
        "moved": here,
        "cosine": 1 - here / 100,
        "place": float((lost > here).sum() + 1),
        "place_in_layer": float((lost[layer - 1] > here).sum() + 1),
        "before": chosen.diagonal(-1).mean(),
        "most_early": lost[:-1].max(),
        "least_late": lost[-1].min(),
        "missed": float((lost >= 1).sum()),
    }


class WhichHeadLab(Lab):
    """Switch off one of the 72 heads of a trained model."""

    title = "Which head would you miss?"
    formerly = ("removed_head",)
    hint = ""
    sentence = "Layer {layer}, head {head} off: {moved:.2f} %, place {place:.0f} of 72."
    columns = ("lost_in_layer",)
    row = "head"
    compute = staticmethod(compute)
    data = staticmethod(data)

    steps = (
        Step(
            "Layer 1, head 3 looks at the word before. Without it the meaning moves by {moved:.2f} %. Tap others.",
            shows=("heads", "moved"),
            narrow=2,
            controls=("layer", "head"),
            when=("before > 0.99", "moved < 0.3"),
        ),
        Step(
            "Find a head whose loss moves the meaning by 1 %. How many tries?",
            state={"layer": 4, "head": 6},
            shows=("heads", "moved"),
            narrow=2,
            controls=("head", "layer"),
            when=("moved < 1", "missed < 12"),
            goal=("moved >= 1",),
            solution={"layer": 6, "head": 12},
            learned="Only heads of the last layer do: others are hardly missed.",
            counts=True,
        ),
        Step(
            "Any one head of layers 1 to 5 moves the meaning by at most {most_early:.2f} %, in layer 6 by "
            "{least_late:.2f} % or more.",
            state={"layer": 6, "head": 12},
            shows=("all", "heads"),
            controls=("layer", "head"),
            when=("most_early < least_late", "place == 1"),
        ),
    )

    layer: Integer = Integer(default=1, min=1, max=N_LAYERS, label="layer")
    head: Integer = Integer(default=3, min=1, max=N_HEADS, label="head")
