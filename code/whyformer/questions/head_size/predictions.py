"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.head_size.budget_lab import BudgetLab


def predict_budget() -> Predict:
    """What changes when the same width is cut into more heads?"""
    return Predict(
        "head_size/budget",
        "d_model = 512. You cut it into 16 heads of dₖ = 32 in place of 8 of 64, and train anew. What is different "
        "before training begins?",
        [
            Option(
                "The same parameters and multiplications, twice the weights, half the rank of a head",
                "That is right. Whether half the rank hurts depends on the number of tokens and on the pattern.",
                right=True,
                number=2,
            ),
            Option(
                "Twice as many parameters",
                "That would be so if each head kept dₖ = 64. The 16 heads share the same 512 columns.",
            ),
            Option(
                "Nothing: more heads are free",
                "Parameters and multiplications stay. But there are twice as many weights to compute, and the scores "
                "of a head have rank 32 at most, in place of 64.",
                number=0,
            ),
            Option(
                "Half the work for the scores",
                "One head does half, and there are twice as many of them.",
            ),
        ],
        lab=BudgetLab,
        step=1,
        spoilers=("cost is still", "at the cost of one", "stay as they were"),
    )
