"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.dropout_sites.rely_lab import RelyLab


def predict_errors() -> Predict:
    """What does dropout do to the error on the examples, and on new ones?"""
    return Predict(
        "dropout_sites/errors",
        "An output learns from ten examples, again and again. You switch dropout on in training. What happens to its "
        "error, measured without masks?",
        [
            Option(
                "It rises on its examples and falls on new ones",
                "In the lab it goes from 1 % to 4 % on its examples, and from 67 % to 12 % on new ones.",
                right=True,
                number=2,
            ),
            Option(
                "It rises on both, since a mask is noise",
                "So it does where every example is new. These ten come again, and without masks noise is learned.",
            ),
            Option(
                "It falls on its examples, and on new ones",
                "On its examples it cannot fall: without dropout this error was all that training made small.",
                number=0,
            ),
            Option(
                "It falls on its examples and rises on new ones",
                "That is overfitting, and dropout works against it: it is the other way round.",
            ),
        ],
        lab=RelyLab,
        step=1,
        spoilers=("falls on new", "12 % on new"),
    )


def predict_row_sum() -> Predict:
    """What does a row of attention weights sum to after dropout?"""
    return Predict(
        "dropout_sites/row_sum",
        "A row of attention weights sums to 1. In training, dropout with p = 0.1 works on it, and the weights that are "
        "kept are divided by 0.9. What does the row sum to now?",
        [
            Option(
                "To 1: the division by 0.9 makes up for what was dropped",
                "On average over masks it does. If all keys are kept, the sum is 1/0.9; if the strongest key is "
                "dropped, it can be far below 1.",
            ),
            Option(
                "To 1: the softmax comes last and normalises the row",
                "Dropout works on what the softmax has put out. Nothing normalises the row afterwards.",
            ),
            Option(
                "To 0.9: a tenth of the weight is lost",
                "That would be the mean without the division. No single pass has to lose a tenth.",
            ),
            Option(
                "To a number that changes from pass to pass and is 1 only on average",
                "Its standard deviation is 0.04 for a row of 64 equal weights, and 1/3 for a row that is all one key.",
                right=True,
            ),
        ],
    )
