"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.relative_positions.clocks_lab import ClocksLab


def predict_shift() -> Predict:
    """Does the score of a pair stay when both words move, with sinusoids added at the input?"""
    return Predict(
        "relative_positions/clocks",
        "Sinusoids are added to the words; W_Q and W_K are random. You move two words on together. Their score …",
        [
            Option(
                "changes, as with any other vectors",
                "Random matrices mix the clocks. And the words make cross terms, which change even if the matrices "
                "keep clocks apart. With rotary positions the score would stay.",
                right=True,
                number=1,
            ),
            Option(
                "stays: sinusoids make it a function of the distance",
                "That holds for two position vectors alone. Between them stands W_Q W_Kᵀ, which mixes the clocks, and "
                "beside them stand the words.",
                number=0,
            ),
            Option(
                "stays: attention without a mask sees no order",
                "That is attention without positions. Here each position has a vector, and scores see it.",
            ),
            Option(
                "changes by the same amount for every pair",
                "The term of position with position does. The two cross terms, word with position, differ from word "
                "to word.",
            ),
        ],
        lab=ClocksLab,
        step=2,
    )
