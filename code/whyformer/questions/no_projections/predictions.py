"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.no_projections.plane_lab import PlaneLab


def predict_short() -> Predict:
    """Does every token look mostly at itself when nothing is projected?"""
    return Predict(
        "no_projections/short",
        "Four vectors are queries, keys and values at once. Token 1 is short (length 0.7), token 2 long (2.6) and 25° "
        "away; the others have lengths 1.2 and 1.0. Where is the largest weight of token 1?",
        [
            Option(
                "On itself: nothing is more like it",
                "That is true of direction. But a dot product counts length, too: it is 0.49 with itself, and "
                "0.7 · 2.6 · cos 25° = 1.65 with token 2.",
            ),
            Option(
                "On token 2, the long one",
                "The score is 1.65 with token 2 and 0.49 with itself. “A token prefers itself” is safe only if no "
                "other token is longer.",
                right=True,
            ),
            Option(
                "On all four about equally",
                "Raw scores are far from equal: 1.65 with token 2, 0.49 with itself, at most 0.84 with the others.",
            ),
            Option(
                "On itself: for a fixed sum, equal factors win",
                "The rule holds for vectors, too, but here the sums are not fixed. What counts is Cauchy and Schwarz: "
                "a token prefers itself if no other is longer.",
            ),
        ],
        lab=PlaneLab,
        step=1,
        spoilers=("long token 2", "1.65 with token 2"),
    )
