"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.embedding_scale.balance_lab import BalanceLab


def predict_share() -> Predict:
    """Without the factor: how much of the sum of word and position is the word?"""
    return Predict(
        "embedding_scale/share",
        "Entries of a table have standard deviation 1/√512 (d_model = 512), sines are added, and somebody forgets the "
        "factor √512. How much of the sum's squared length is the word?",
        [
            Option(
                "About half: both have 512 entries",
                "Their entries differ in size: those of the word have mean square 1/512, those of the sines 1/2.",
            ),
            Option(
                "About two thirds",
                "That is with the factor: 512 of the word against 256 of the position. Without it the word has 1.",
            ),
            Option(
                "Less than one hundredth",
                "1 of the word against 256 of the position. To the first layer, different words at neighbouring places "
                "look nearly the same.",
                right=True,
            ),
            Option(
                "No difference: a LayerNorm brings all to one size",
                "A LayerNorm divides both by the same number, so their balance hardly changes.",
            ),
        ],
        lab=BalanceLab,
        step=1,
        spoilers=("99.6 %", "word 0.4 %"),
    )
