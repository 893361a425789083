"""The each-other lab: how much two words look at each other, with one matrix for queries and keys, or with two.

Twin: ``each_other_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Number, Step
from whyformer.lab.lab import Series
from whyformer.maths.softmax import softmax

WORDS = ("it", "cat")
#: The other words of the running sentence; their queries and keys are at right angles to those of the two.
OTHERS = 6


def compute(*, matrices: str, length_it: float, length_cat: float, angle: float) -> Series:
    """Weights of two words for each other; six other words have the score 0.

    The queries of "it" and "cat" are two vectors with the lengths ``length_it`` and ``length_cat`` and the ``angle`` in
    degrees between them; each length is divided by the fourth root of d_k, so a product of two is divided by the root.
    With ``matrices`` = "one" each key is the word's own query.
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
    """With one matrix two words look mostly at themselves, and their weights for each other add up to at most 1."""

    formerly = ("two_questions",)
    title = "Each other"
    hint = ""
    sentence = (
        "“it” gives “cat” {weight_there:.0%} and “cat” gives “it” {weight_back:.0%}, together {weight_sum:.0%}. "
        "They give themselves {own_it:.0%} and {own_cat:.0%}."
    )
    names = {"words": WORDS}
    columns = ("own", "other", "rest")
    row = "word"
    compute = staticmethod(compute)

    steps = (
        Step(
            "With one matrix a word's key is its own query, so “it” finds itself: it gives itself {own_it:.0%} and "
            "“cat” {weight_there:.0%}.",
            asks="Here the key of each word is what the other looks for. Choose one matrix for queries and keys. Where "
            "does “it” look then?",
            moved=("matrices == 'one'",),
            told_at={"matrices": "one"},
            cases=(
                (
                    ("matrices == 'two'",),
                    "With two matrices a word's key can be what the other looks for: “it” gives “cat” "
                    "{weight_there:.0%} and itself {own_it:.0%}.",
                ),
            ),
            shows=("arrows", "rows"),
            narrow=2,
            controls=("matrices", "angle"),
            when=("matrices == 'one'", "own_it > weight_there"),
        ),
        Step(
            "With one matrix both scores are the same dot product, {score_there:.1f}. The weights are "
            "{weight_there:.0%} and {weight_back:.0%}, since each row is divided by its own sum.",
            asks="Here the two scores between the words differ. Choose one matrix. Which numbers become equal, the "
            "scores or the weights?",
            state={"length_it": 1.5, "length_cat": 2.5, "angle": 25},
            moved=("matrices == 'one'",),
            told_at={"matrices": "one"},
            cases=(
                (
                    ("matrices == 'two'",),
                    "With two matrices these are two different dot products: “it” scores “cat” {score_there:.1f}, and "
                    "“cat” scores “it” {score_back:.1f}.",
                ),
                (
                    ("length_cat > 1.35", "length_cat < 1.65"),
                    "With one matrix both scores are the same dot product. Here both queries are about equally long, "
                    "so the weights are about equal too.",
                ),
            ),
            shows=("arrows", "rows"),
            narrow=2,
            controls=("matrices", "length_cat"),
            when=("matrices == 'one'", "score_there == score_back"),
        ),
        Step(
            "With one matrix both weights together are never more than 100 %. They come near it if both words look for "
            "the same thing: here {weight_sum:.0%}.",
            asks="With one matrix, change the angle until both weights, added, are above 90 %. Can their sum go above "
            "100 %?",
            state={"matrices": "one", "length_it": 2.0, "length_cat": 2.0},
            moved=("weight_sum > 0.9",),
            told_at={"angle": 0},
            cases=(
                (
                    ("weight_sum <= 0.9",),
                    "With one matrix both weights together are never more than 100 %. Here they are {weight_sum:.0%}.",
                ),
            ),
            shows=("arrows", "sum"),
            narrow=2,
            controls=("angle",),
            when=("matrices == 'one'", "weight_sum > 0.9"),
        ),
        Step(
            "With two matrices a word can offer what the other looks for: both weights together are {weight_sum:.0%}.",
            asks="Now give the keys a matrix of their own. Can the sum go above 100 %?",
            state={"matrices": "one", "length_it": 2.0, "length_cat": 2.0},
            moved=("weight_sum > 1",),
            told_at={"matrices": "two"},
            cases=(
                (
                    ("matrices == 'one'",),
                    "With one matrix both weights together are {weight_sum:.0%}. With a matrix of its own for the keys "
                    "a word can offer what the other looks for.",
                ),
            ),
            shows=("arrows", "sum"),
            narrow=2,
            controls=("matrices",),
            when=("weight_sum > 1",),
        ),
    )

    matrices: Choice = Choice(
        default="two",
        options={"one": "one matrix", "two": "two matrices"},
        label="for queries and keys",
        help="with two, each word offers what the other looks for",
    )
    angle: Number = Number(
        default=60, min=0, max=120, step=5, label="angle between the queries, °", help="0: both look for the same"
    )
    length_it: Number = Number(
        default=2.2, min=0.0, max=4.0, step=0.1, label="length of the query of “it”",
        help="divided by the fourth root of dₖ: a score is a product of two of these lengths",
    )  # fmt: skip
    length_cat: Number = Number(
        default=1.8, min=0.0, max=4.0, step=0.1, label="length of the query of “cat”",
        help="divided by the fourth root of dₖ: a score is a product of two of these lengths",
    )  # fmt: skip
