"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.dropout_sites.mask_lab import MaskLab


def predict_row_sum() -> Predict:
    """What does a row of attention weights sum to after dropout?"""
    return Predict(
        "dropout_sites/row_sum",
        "A row of attention weights comes out of the softmax and sums to 1. In training, dropout with p = 0.1 works "
        "on these weights, and the ones that are kept are divided by 0.9. What does the row sum to now?",
        [
            Option(
                "To 1: the division by 0.9 makes good for what was dropped",
                "On average over masks it does. In one pass the sum is a random number. If all keys are kept it "
                "is 1/0.9, more than 1; without the strongest key it can be far below.",
            ),
            Option(
                "To 1: the softmax comes last and normalises the row",
                "Dropout works on what the softmax has put out. Nothing normalises the row afterwards.",
            ),
            Option(
                "To 0.9: a tenth of the weight is lost",
                "That would be the mean without the division by 0.9. And it is a mean: no single pass has to "
                "lose a tenth.",
            ),
            Option(
                "To a number that changes from pass to pass and is 1 only on average",
                "So it is. Mean 1, standard deviation the root of p/(1 − p) times the sum of the squared weights: "
                "0.04 for a row of 64 equal weights, 1/3 for a row that is all one key.",
                right=True,
            ),
        ],
        lab=MaskLab,
        step=1,
    )
