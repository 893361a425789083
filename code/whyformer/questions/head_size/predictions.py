"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.head_size.budget_lab import BudgetLab


def predict_budget() -> Predict:
    """What changes when the same width is cut into more heads?"""
    return Predict(
        "head_size/budget",
        "An attention has d_model = 512 and 8 heads of dₖ = 64. You make it 16 heads of dₖ = 32 and train anew. What "
        "has changed before training begins?",
        [
            Option(
                "Nothing but the number of patterns it can hold: more heads are free",
                "Parameters and products stay, so it looks free. Two things moved: there are twice as many weights to "
                "compute and to keep, and the scores of one head have rank 32 at most, no longer 64.",
            ),
            Option(
                "It has twice as many parameters",
                "So it would be if each head kept dₖ = 64. The 16 heads share the same 512 columns of each matrix.",
            ),
            Option(
                "As many parameters and products, twice as many weights, and half the limit on the rank of each head's "
                "scores",
                "So it is. Whether the lower limit hurts depends on the number of tokens, on the pattern that a head "
                "wants, and on how long its queries and keys may be. That is what the lab is for.",
                right=True,
            ),
            Option(
                "It computes half as much",
                "One head costs half, and there are twice as many. The products for the scores stay n² · d_model. "
                "Splitting saves only against heads that are all as wide as the model.",
            ),
        ],
        lab=BudgetLab,
        step=1,
    )
