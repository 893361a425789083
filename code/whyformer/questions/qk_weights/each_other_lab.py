"""The each-other lab: how much two words look at each other, with one matrix for queries and keys, or with two.

Twin: ``each_other_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Number, Over, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import softmax

WORDS = ("it", "cat")
#: The other words of the running sentence; their queries and keys are at right angles to those of the two.
OTHERS = 6


def compute(*, matrices: str, length_it: float, length_cat: float, angle: float) -> Series:
    """Weights of two words for each other; six other words have the score 0.

    The queries of "it" and "cat" are two vectors with the lengths ``length_it`` and ``length_cat`` and the ``angle`` in
    degrees between them; the root of d_k is in the lengths. With ``matrices`` = "one" each key is the word's own query.
    With "two" each key is the query of the other word: a word offers what the other looks for.

    * ``scores`` (2, 2): rows ask, "it" first; ``own``, ``other``, ``rest`` (2,): what each of the two gives itself,
      gives the other, and gives the six others together
    * ``score_there``, ``weight_there``: of "it" for "cat"; ``score_back``, ``weight_back``: of "cat" for "it"
    * ``own_it``, ``own_cat``: the weight of each word for itself; ``weight_sum``: both weights for each other, added
    """
    product = length_it * length_cat * np.cos(np.pi * angle / 180)
    own = np.array([length_it**2, length_cat**2])
    own_scores, scores_for_other = (own, np.full(2, product)) if matrices == "one" else (np.full(2, product), own)
    rows = np.column_stack([own_scores, scores_for_other, np.zeros((2, OTHERS))])
    weights = softmax(rows)
    own_weights, other = weights[:, 0], weights[:, 1]
    return {
        "scores": np.array([rows[0, :2], rows[1, 1::-1]]),
        "own": own_weights,
        "other": other,
        "rest": weights[:, 2:].sum(1),
        "score_there": rows[0, 1],
        "score_back": rows[1, 1],
        "weight_there": other[0],
        "weight_back": other[1],
        "own_it": own_weights[0],
        "own_cat": own_weights[1],
        "weight_sum": other.sum(),
    }


class EachOtherLab(Lab):
    """With one matrix two words look mostly at themselves, and their weights for each other never pass 1 together."""

    formerly = ("two_questions",)
    title = "Each other"
    hint = ""
    sentence = (
        "“it” gives “cat” {weight_there:.0%}, “cat” gives “it” {weight_back:.0%}. Together: {weight_sum:.0%}. "
        "For themselves: {own_it:.0%} and {own_cat:.0%}."
    )
    names = {"words": WORDS}
    columns = ("own", "other", "rest")
    row = "word"
    compute = staticmethod(compute)

    steps = (
        Step(
            "One matrix: what a word looks for, it also offers. So “it” finds itself: {own_it:.0%}.",
            shows=("arrows", "rows"),
            narrow=2,
            controls=("angle",),
            when=("matrices == 'one'", "own_it > 0.7", "own_cat > 0.7"),
            over=Over(near=({"angle": 75}, {"angle": 90}, {"angle": 120})),
        ),
        Step(
            "Equal scores, unequal weights: “it” gives “cat” {weight_there:.0%}, “cat” gives “it” {weight_back:.0%}. "
            "Each row has its own sum.",
            state={"length_it": 1.5, "length_cat": 2.5, "angle": 25},
            shows=("arrows", "rows"),
            narrow=2,
            controls=("length_cat",),
            when=("score_there == score_back", "weight_there > 10 * weight_back"),
            over=Over(near=({"length_cat": 2.6}, {"length_cat": 2.8}, {"length_cat": 3.0})),
        ),
        Step(
            "One matrix. Bring the two weights, added, above 90 %. Can you pass the wall?",
            shows=("arrows", "sum"),
            narrow=2,
            controls=("angle",),
            goal=("matrices == 'one'", "weight_sum > 0.9"),
            solution={"angle": 0},
            learned="Words that look for the same come near 100 %. With one matrix none passes it.",
        ),
        Step(
            "Now pass the wall: give the keys a matrix of their own.",
            shows=("arrows", "sum"),
            narrow=2,
            controls=("matrices",),
            goal=("weight_sum > 1",),
            solution={"matrices": "two"},
            learned="With two matrices a word can offer what the other looks for.",
        ),
    )

    matrices: Choice = Choice(
        default="one",
        options={"one": "one matrix", "two": "two matrices"},
        label="for queries and keys",
        help="with two, each word offers what the other looks for",
    )
    angle: Number = Number(
        default=60, min=0, max=120, step=5, label="angle between the queries, °", help="0: both look for the same"
    )
    length_it: Number = Number(
        default=2.0, min=0.0, max=4.0, step=0.1, label="length of the query of “it”", help="already divided by √dₖ"
    )
    length_cat: Number = Number(
        default=2.0, min=0.0, max=4.0, step=0.1, label="length of the query of “cat”", help="already divided by √dₖ"
    )
