"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.embedding_scale.balance_lab import BalanceLab


def predict_share() -> Predict:
    """Without the factor: how much of the sum of word and position is the word?"""
    return Predict(
        "embedding_scale/share",
        "A table of words has d_model = 512 and entries with standard deviation 1/√512. Sines are added as positions, "
        "and somebody forgets the factor √512. How much of the sum's squared length is the word, before training?",
        [
            Option(
                "About half: both vectors have 512 entries",
                "Their entries differ in size: those of the word have mean square 1/512, those of the sines 1/2.",
            ),
            Option(
                "About two thirds",
                "That is with the factor: 512 of the word against 256 of the position. Without it the word has 1.",
            ),
            Option(
                "Less than one hundredth",
                "1 of the word against 256 of the position. To the first layer, different words at neighboring places "
                "look nearly the same.",
                right=True,
            ),
            Option(
                "It makes no difference: a LayerNorm brings everything to one size",
                "A LayerNorm divides both by the same number, so their balance hardly changes.",
            ),
        ],
        lab=BalanceLab,
        step=1,
    )
