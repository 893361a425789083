"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.dot_vs_additive.cost_lab import CostLab
from whyformer.questions.dot_vs_additive.spread_lab import SpreadLab


def predict_cost() -> Predict:
    """Which score takes fewer multiplications?"""
    return Predict(
        "dot_vs_additive/cost",
        "For n queries and n keys with dₖ entries each: which takes fewer multiplications, q · k or a · tanh(q + k)?",
        [
            Option("the dot product", "It is cheaper, but not because of multiplications: both take n²dₖ."),
            Option("that depends on dₖ", "Both numbers grow in proportion to dₖ, and to n².", number=3),
            Option(
                "the additive score",
                "It adds q and k, and then multiplies each entry by an entry of a: this takes n²dₖ again.",
            ),
            Option(
                "both take as many",
                "Yes, n²dₖ. What differs is that dot products are one matrix product.",
                right=True,
                number=1,
            ),
        ],
        lab=CostLab,
        step=1,
        spoilers=("each score takes", "both scores take"),
    )


def predict_spread() -> Predict:
    """What becomes of additive scores when d_k grows?"""
    return Predict(
        "dot_vs_additive/spread",
        "The entries of q, k and a are drawn with variance 1. You raise dₖ from 16 to 1024. What do the "
        "additive scores of one query do?",
        [
            Option(
                "stay small: tanh is bounded",
                "Each tanh is bounded by 1. A score adds up 1024 of them, and the sum is not bounded by 1.",
            ),
            Option(
                "spread like √dₖ, at half the size of dot products",
                "tanh does not undo a sum over dₖ terms. The start of a can: if its entries have variance 1/dₖ, "
                "the spread is the same at every dₖ.",
                right=True,
            ),
            Option(
                "spread like dₖ, faster than dot products",
                "This would need terms that agree in sign. Here signs are mixed, so variances add up.",
            ),
            Option(
                "shrink: more terms average out",
                "A mean would shrink. A score is a sum, and nothing divides it, unless a starts smaller.",
            ),
        ],
        lab=SpreadLab,
        step=1,
    )
