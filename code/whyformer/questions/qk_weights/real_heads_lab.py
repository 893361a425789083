"""The real-heads lab: the scores of a trained head both ways, and what would be left without directions.

Twin: ``real_heads_lab.ts``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.evidence.packing import unpacked
from whyformer.lab import Choice, Integer, Lab, Number, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import Array, softmax

D_K, N_LAYERS, N_HEADS = 32, 6, 12
TEXTS = {"boy": 1, "root": 2}  # which of the opened sentences


@cache
def data() -> dict[str, Any]:
    """Tokens and packed raw scores of two sentences."""
    opened = evidence.read("trained")["opened"]
    return {name: {key: opened[at][key] for key in ("tokens", "scores")} for name, at in TEXTS.items()}


@cache
def trained_scores(text: str) -> Array:
    """Scores of all heads, divided by sqrt(d_k): (6, 12, n, n)."""
    one = data()[text]
    n = len(one["tokens"])
    return unpacked(one["scores"], "<i2").reshape(N_LAYERS, N_HEADS, n, n) / D_K**0.5


def centred(scores: Array) -> Array:
    """Scores without what a whole row or a whole column shares: row means and column means are 0."""
    return scores - scores.mean(1, keepdims=True) - scores.mean(0) + scores.mean()


def compute(*, text: str, layer: int, head: int, blend: float) -> Series:
    r"""Scores S of one trained head less b times the antisymmetric part of its core C, the centred scores.

    ``text`` is one of two sentences of n tokens, ``layer`` and ``head`` count from 1, ``blend`` is b; S is divided by
    :math:`\sqrt{d_k}`, d_k = 32. A number that is added to a row changes no weight. If a number is added to a column (a
    token that all like), the balance :math:`w_i A_{ij} = w_j A_{ji}` can still hold; so it holds at b = 1.

    * ``there``, ``back`` (n (n - 1) / 2,): the core of the new scores for every pair of tokens, i before j, and back
    * ``weights_trained``, ``weights`` (n, n): softmax of S, and of the new scores
    * ``largest``: the largest size in the trained core; ``symmetric_percent``: share of the squared norm of the new
      core that is symmetric
    * ``moved_percent``: how far a row of weights lies from the trained one, total variation in percent, mean over the
      rows
    * ``before_percent``, ``own_percent``: of the new weights, how much goes to the token before, mean over the tokens
      from the second on, and how much to the token itself, mean over all
    """
    trained = trained_scores(text)[layer - 1, head - 1]
    core = centred(trained)
    turned = blend * (core - core.T) / 2
    now = core - turned
    weights, before = softmax(trained - turned), softmax(trained)
    pairs = np.triu_indices(len(core), 1)
    return {
        "there": now[pairs],
        "back": now.T[pairs],
        "weights_trained": before,
        "weights": weights,
        "largest": np.abs(core).max(),
        "symmetric_percent": 100 * (((now + now.T) / 2) ** 2).sum() / (now**2).sum(),
        "moved_percent": 50 * np.abs(weights - before).sum(1).mean(),
        "before_percent": 100 * weights.diagonal(-1).mean(),
        "own_percent": 100 * weights.diagonal().mean(),
    }


class RealHeadsLab(Lab):
    """A trained head's scores both ways, and its weights when the scores are made symmetric."""

    title = "Real-heads lab"
    hint = ""
    sentence = (
        "Layer {layer}, head {head}: {symmetric_percent:.0f} % of the centred scores is symmetric; "
        "{moved_percent:.0f} % of the weight has moved."
    )
    columns = ("there", "back")
    row = "pair"
    compute = staticmethod(compute)
    data = staticmethod(data)

    steps = (
        Step(
            "In this sentence, too, the head gives the word before more than 99 % of its weight. Many dots lie far "
            "from the line: the scores have a direction.",
            asks="A dot is a pair of words; on the dashed line both score each other equally. Choose the other "
            "sentence. Where does each word look?",
            moved=("text == 'root'",),
            told_at={"text": "root"},
            cases=(
                (
                    ("text == 'boy'",),
                    "The head gives the word before more than 99 % of its weight. Many dots lie far from the line: the "
                    "scores have a direction.",
                ),
            ),
            shows=("both ways", "now"),
            narrow=2,
            controls=("text",),
            when=("before_percent > 99", "symmetric_percent < 50"),
        ),
        Step(
            "Now the dots lie on the line, and {moved_percent:.0f} % of the weight has moved. The word before now "
            "gets {before_percent:.0f} %, and the asking word itself {own_percent:.0f} %.",
            asks="Drag the slider to 1, so that both scores of a pair become equal. Does the word before keep its "
            "weight?",
            moved=("blend >= 0.95",),
            told_at={"blend": 1.0},
            cases=(
                (
                    ("blend < 1",),
                    "So far the word before still gets {before_percent:.0f} % of the weight. At 1 both scores of each "
                    "pair are equal.",
                ),
            ),
            shows=("both ways", "now"),
            narrow=2,
            controls=("blend", "text"),
            when=(
                "symmetric_percent > 99.9999",
                "moved_percent > 50",
                "before_percent < 40",
                "own_percent > before_percent",
            ),
        ),
        Step(
            "This head hardly changes: {moved_percent:.0f} % of its weight moves. Its dots lay near the line already.",
            asks="In another head the dots lie near the line. Drag the slider to 1. Does much of its weight move?",
            state={"layer": 3, "head": 10},
            moved=("blend >= 0.95",),
            told_at={"blend": 1.0},
            cases=(
                (
                    ("blend < 1",),
                    "So far {moved_percent:.1f} % of its weight has moved. At 1 both scores of each pair are equal.",
                ),
            ),
            shows=("both ways", "now"),
            narrow=2,
            controls=("blend", "text"),
            when=("symmetric_percent > 99.9999", "moved_percent < 4"),
        ),
        Step(
            "In this head {moved_percent:.0f} % of the weight moves. The farther the dots lie from the line, the more "
            "of a head's weight tends to move.",
            asks="Find a head in another layer that needs its directions, and choose it from the dots alone. If you "
            "drag the slider to 1, more than 40 % of its weight has to move.",
            state={"layer": 2, "head": 1},
            moved=("layer > 1", "moved_percent > 40"),
            told_at={"layer": 2, "head": 9, "blend": 1.0},
            cases=(
                (
                    ("blend < 1",),
                    "The farther the dots lie from the line, the more of a head's weight tends to move if both scores "
                    "of each pair become equal.",
                ),
            ),
            shows=("both ways", "now"),
            controls=("head", "layer", "blend"),
            when=("symmetric_percent > 99.9999",),
        ),
    )

    blend: Number = Number(
        default=0.0,
        min=0.0,
        max=1.0,
        step=0.05,
        label="from trained to symmetric",
        help="1: the centred scores are symmetric",
    )
    layer: Integer = Integer(default=1, min=1, max=N_LAYERS, label="layer", help="1 is next to the embedding")
    head: Integer = Integer(default=3, min=1, max=N_HEADS, label="head")
    text: Choice = Choice(
        default="boy",
        options={"boy": "I am a boy.", "root": "Why divide by the root?"},
        label="sentence",
    )
