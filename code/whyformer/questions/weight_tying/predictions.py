"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.weight_tying.rows_lab import RowsLab


def predict_nearest() -> Predict:
    """Does the word whose row is nearest to the hidden state win?"""
    return Predict(
        "weight_tying/nearest",
        "The row of “cat” is nearest to the hidden state h: 0.99 away, and 1.3 long. The row of “sat” is 1.84 "
        "away, and 2.5 long. Which word gets the higher probability?",
        [
            Option(
                "“cat”: its row is nearest",
                "It would if all rows had one length. Here the row of “cat” has the product 0.96 and the row of “sat” "
                "has 2.04: it is farther away because it is long, and for the same reason its product is large.",
            ),
            Option(
                "“sat”: its product is larger",
                "The softmax sees products: nearness plus half the squared length of the row. Here the length decides.",
                right=True,
            ),
            Option(
                "both the same: softmax normalises",
                "Softmax makes the weights add up to 1. It does nothing to the rows of the table.",
            ),
            Option(
                "that depends on the length of h",
                "Its length multiplies all products by one factor: a longer h picks the same word with more "
                "confidence.",
            ),
        ],
        lab=RowsLab,
        step=3,
        spoilers=("“sat” wins", "“sat” has the larger"),
    )
