"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.weight_tying.rows_lab import RowsLab


def predict_nearest() -> Predict:
    """Does the word whose row is nearest to the hidden state win?"""
    return Predict(
        "weight_tying/nearest",
        "Row 1 is nearest to the hidden state h: 0.99 away, and 1.3 long. Row 2 is 1.84 away, and 2.5 long. Which word "
        "gets the higher probability?",
        [
            Option(
                "word 1: its row is nearest",
                "It would if all rows had one length. Here row 1 has the product 0.96 and row 2 has 2.04: row 2 is "
                "farther away because it is long, and for the same reason its product is large.",
            ),
            Option(
                "word 2: its product is larger",
                "The softmax sees products: nearness plus half the squared length of the row. Here the length decides.",
                right=True,
            ),
            Option(
                "both the same: softmax normalises",
                "Softmax makes the weights add up to 1. It does nothing to the rows of the table.",
            ),
            Option(
                "that depends on the length of h",
                "Its length multiplies all products by one factor: a longer h makes the choice surer, and the same "
                "word wins.",
            ),
        ],
        lab=RowsLab,
        step=1,
        spoilers=("word 2 wins", "word 2 is most", "word 2 has the largest"),
    )
