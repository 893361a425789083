"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.relative_positions.clocks_lab import ClocksLab


def predict_shift() -> Predict:
    """Does the score of a pair stay when both words move, with sinusoids added at the input?"""
    return Predict(
        "relative_positions/clocks",
        "Sinusoids are added to the words, and W_Q and W_K are drawn at random. Two words stand 3 apart. You move "
        "both 10 places further on. What happens to their score in the first layer?",
        [
            Option(
                "It stays: sinusoids make the score a function of the distance",
                "So it is for two position vectors alone: their dot product depends on the distance. Between them "
                "stands W_Q W_Kᵀ, which mixes the clocks, and beside them stand the words.",
            ),
            Option(
                "It changes, with the sinusoids as with any other vectors",
                "So it is, for random matrices. The sinusoids make a score by distance possible, for matrices that "
                "keep the clocks apart. Rotary positions make it certain.",
                right=True,
            ),
            Option(
                "It stays, because attention without a mask does not see the order at all",
                "That is attention without positions. Here each position has a vector of its own, and scores see it.",
            ),
            Option(
                "It changes by the same amount for every pair of words",
                "One of the four terms would: position with position is the same for all words at these places. The "
                "two cross terms, word with position, are others for other words.",
            ),
        ],
        lab=ClocksLab,
        step=1,
    )
