"""The roles lab: a word of the running sentence asks, with the matrices of a trained head and without any.

Twin: ``roles_lab.ts``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.lab import Choice, Integer, Lab, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import softmax

#: The running sentence of the book; [CLS] stands before it and [SEP] after it.
WORDS = ("The", "cat", "sat", "because", "it", "was", "tired", ".")
INSIDE = slice(1, 1 + len(WORDS))
HEADS = {"who": "layer 4, head 2", "how": "layer 3, head 2", "before": "layer 1, head 3"}


@cache
def data() -> dict[str, Any]:
    """By head its scores over all ten tokens, and those of the layer's input with itself."""
    return evidence.read("roles")["heads"]


def compute(*, head: str, asks: int) -> Series:
    r"""Weights and scores of the running sentence in all-MiniLM-L6-v2, in one head, with its matrices and without.

    ``asks`` is the word that asks, counted from 1. With its W_Q and W_K the head's scores are divided by
    :math:`\sqrt{32}`. Without, the vectors of 384 numbers that enter the layer are queries and keys themselves, and
    their scores are divided by :math:`\sqrt{384}`. The softmax is over ten tokens, [CLS] and [SEP] among them.

    * ``weights``, ``weights_without`` (8,): of the asking word on the eight words, with the matrices and without
    * ``scores``, ``scores_without`` (8,): the asking word's score with each word; ``back``, ``back_without`` (8,): the
      score of each word with the asking one
    * ``winner``: the word with the largest weight with the matrices, counted from 0; ``largest``: that weight;
      ``winner_without``: the same without
    * ``asker``: the asking word, counted from 0; ``own``, ``own_without``: the weight that it gives to itself
    * ``partner``: the other word with the largest weight, counted from 0; ``there``, ``return``, ``there_without``: the
      asking word's score with it, its score with the asking word, and without matrices, where both are one
    * ``rest``: what [CLS] and [SEP] get, with the matrices
    """
    found = data()[head]
    tables = {kind: np.array(found[kind]) for kind in ("with", "without")}
    all_weights = {kind: softmax(table)[asks] for kind, table in tables.items()}
    weights, without = (all_weights[kind][INSIDE] for kind in ("with", "without"))
    there = {kind: table[asks, INSIDE] for kind, table in tables.items()}
    back = {kind: table[INSIDE, asks] for kind, table in tables.items()}
    asker, winner = asks - 1, int(weights.argmax())
    partner = int(np.where(np.arange(len(WORDS)) == asker, -1, weights).argmax())
    return {
        "weights": weights,
        "weights_without": without,
        "scores": there["with"],
        "back": back["with"],
        "scores_without": there["without"],
        "back_without": back["without"],
        "winner": winner,
        "largest": weights[winner],
        "winner_without": int(without.argmax()),
        "asker": asker,
        "own": weights[asker],
        "own_without": without[asker],
        "partner": partner,
        "there": there["with"][partner],
        "return": back["with"][partner],
        "there_without": there["without"][partner],
        "rest": all_weights["with"][0] + all_weights["with"][-1],
    }


class RolesLab(Lab):
    """A word asks: whom does it look at with three learned roles, and whom with one vector in all of them?"""

    title = "Three roles or one: where does a word look?"
    hint = ""
    sentence = (
        "With its matrices “{asker}” looks most at “{winner}”: {largest:.0%}. Without them it keeps {own_without:.0%} "
        "for itself."
    )
    names = {"asker": WORDS, "winner": WORDS, "winner_without": WORDS, "partner": WORDS}
    columns = ("weights", "weights_without", "scores", "scores_without")
    row = "word"
    data = staticmethod(data)
    compute = staticmethod(compute)

    steps = (
        Step(
            "With its matrices “{asker}” looks most at “{winner}”: {largest:.0%}. Without them one vector has all "
            "three roles, and “{asker}” keeps {own_without:.0%} for itself.",
            asks="Let “it” ask. Where does it look with the matrices of this head, and where without them?",
            moved=("asks == 5",),
            told_at={"asks": 5},
            shows=("weights", "roles", "rest"),
            narrow=3,
            controls=("asks",),
            when=("own_without > 0.5",),
        ),
        Step(
            "With the matrices of this head “{asker}” looks most at “{winner}”: {largest:.0%}. Without matrices it "
            "keeps {own_without:.0%} for itself.",
            asks="Choose the head of layer 3. Where does “it” look there, and where without matrices?",
            state={"asks": 5},
            moved=("head == 'how'",),
            told_at={"head": "how"},
            shows=("weights", "roles", "rest"),
            narrow=3,
            controls=("head", "asks"),
            when=("own_without > 0.4",),
        ),
        Step(
            "Without matrices “{asker}” and “{partner}” score each other {there_without:.2f}, both ways. With them the "
            "scores are {there:.2f} and {return:.2f}.",
            asks="Let “it” ask. Are the scores the same both ways, with the matrices and without?",
            moved=("asks == 5",),
            told_at={"asks": 5},
            shows=("scores", "scores without", "both ways"),
            narrow=3,
            controls=("asks",),
            when=("there != return",),
        ),
        Step(
            "It is “{asker}” in layer 1: it keeps {own_without:.0%}, and even that is its largest weight.",
            asks="Without matrices, one word in one of the three heads keeps less than half of its weight. Find it.",
            moved=("own_without < 0.5",),
            told_at={"head": "before", "asks": 1},
            cases=(
                (
                    ("own_without >= 0.5",),
                    "“{asker}” keeps {own_without:.0%} here. Only “The” in layer 1 keeps less than half, and even that "
                    "is its largest weight.",
                ),
            ),
            shows=("weights",),
            controls=("asks", "head"),
            when=("own_without < 0.5",),
        ),
    )

    asks: Integer = Integer(default=2, min=1, max=len(WORDS), label="asking word", help="1: The, 8: the full stop")
    head: Choice = Choice(default="who", options=HEADS, label="trained head")
