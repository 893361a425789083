"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.weight_tying.rows_lab import RowsLab


def predict_nearest() -> Predict:
    """Does the word whose row is nearest to the hidden state win?"""
    return Predict(
        "weight_tying/nearest",
        "A decoder ends with a hidden state h, and the logit of a word is the product of h with the word's row. Row 1 "
        "is the nearest to h: 0.99 away, and 1.3 long. Row 2 is 1.84 away, and 2.5 long. Which of the two words is "
        "more probable?",
        [
            Option(
                "Word 1: the nearest row gets the largest probability",
                "So it would be if all rows had one length. Here the product with row 1 is 0.96, and with row 2 it is "
                "2.04: row 2 is farther away because it is long, and for the same reason its product is large.",
            ),
            Option(
                "Word 2: its product is larger",
                "A product is length times length times cosine, and the softmax sees products alone. Distance does not "
                "enter it.",
                right=True,
            ),
            Option(
                "Equally probable: softmax normalises the rows",
                "The softmax normalises the weights, so that they add up to 1. It does nothing to the rows of the "
                "table.",
            ),
            Option(
                "Neither can be said without the length of h",
                "The length of h multiplies all products by one factor. It says how sure the choice is, and not which "
                "word wins.",
            ),
        ],
        lab=RowsLab,
        step=1,
    )
