"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.dot_vs_additive.spread_lab import SpreadLab


def predict_spread() -> Predict:
    """What becomes of additive scores when d_k grows?"""
    return Predict(
        "dot_vs_additive/spread",
        "An additive score is a · tanh(q + k), with a learned vector a. The entries of q, k and a are drawn with "
        "variance 1. You raise dₖ from 16 to 1024. What do the scores of one query do?",
        [
            Option(
                "They stay calm: tanh keeps each term between −1 and 1",
                "Each term, yes. A score is the sum of 1024 of them, and a sum of bounded terms is not bounded by the "
                "same number. That is the usual slip, and the lab begins with it.",
            ),
            Option(
                "They spread like the root of dₖ, as dot products do, at about half their size",
                "So it is. Nothing in tanh undoes a sum over dₖ terms. What can undo it is the start of a: with "
                "entries of variance 1/dₖ the spread is the same at every dₖ, without a divisor in the formula.",
                right=True,
            ),
            Option(
                "They spread with dₖ itself, faster than dot products",
                "That would need terms that agree in sign. Here signs are mixed, so variances add up, and the spread "
                "is the root of their sum.",
            ),
            Option(
                "They shrink: more terms average out",
                "A mean of 1024 terms would. A score is a sum, and nothing divides it, unless a does.",
            ),
        ],
        lab=SpreadLab,
        step=1,
    )
