"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.no_projections.plane_lab import PlaneLab


def predict_short() -> Predict:
    """Does every token look mostly at itself when nothing is projected?"""
    return Predict(
        "no_projections/short",
        "Four word vectors are queries, keys and values at once. Vector 1 is short (length 0.7). Vector 2 is long "
        "(2.6) and points 25° away from it. The other two have lengths 1.2 and 1.0. Where is the "
        "largest weight of token 1?",
        [
            Option(
                "On itself: nothing is more like a vector than the vector itself",
                "In direction, yes. But a dot product counts length, too: 0.49 with itself, 0.7 · 2.6 · cos 25° = 1.65 "
                "with token 2.",
            ),
            Option(
                "On token 2, the long one",
                "Token 2 gives 1.65, token 1 itself 0.49. “A token prefers itself” is safe only if no other token is "
                "longer.",
                right=True,
            ),
            Option(
                "On all four about equally, since nothing has been learned",
                "Raw scores are far from equal: 1.65 with token 2, 0.49 with itself, at most 0.84 with the others.",
            ),
            Option(
                "On itself: for a fixed sum a product is largest when both factors are equal",
                "The rule holds for vectors, too, but here the sums are not fixed. What counts is Cauchy and Schwarz: "
                "a token prefers itself if no other is longer.",
            ),
        ],
        lab=PlaneLab,
        step=1,
    )
