"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.no_projections.plane_lab import PlaneLab


def predict_short() -> Predict:
    """Does every token look mostly at itself when nothing is projected?"""
    return Predict(
        "no_projections/short",
        "Four word vectors are used directly as queries, keys and values: scores are plain dot products. Vector 1 is "
        "short (length 0.7); vector 2 is long (2.6) and points in a similar direction, 25 degrees away. The other two "
        "have lengths 1.2 and 1.0. Where is the largest weight of token 1?",
        [
            Option(
                "On itself: nothing is more like a vector than the vector itself",
                "In direction, yes. But a dot product also counts length. With itself token 1 gets 0.49; with token 2 "
                "0.7 · 2.6 · cos 25° = 1.65.",
            ),
            Option(
                "On token 2, the long one",
                "A dot product is length times length times cosine. The long neighbour gives 1.65, token 1 itself "
                "0.49. “A token prefers itself” is safe only if no other token is longer.",
                right=True,
            ),
            Option(
                "On all four about equally, since nothing has been learned",
                "Raw dot products are far from equal: 1.65 with token 2, 0.49 with itself, and at most 0.7 · 1.2 = "
                "0.84 with the others. Nothing has been learned of what they should mean.",
            ),
            Option(
                "On itself, because for a fixed sum a product is largest when both factors are equal",
                "The rule holds for vectors too, but here the sums are not fixed: token 1 and token 2 have a "
                "longer sum than token 1 and itself. The rule that applies is that of Cauchy and Schwarz, and it "
                "needs that no other token is longer.",
            ),
        ],
        lab=PlaneLab,
        step=1,
    )
