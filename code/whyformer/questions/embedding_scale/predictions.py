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
                "They have as many entries, and the entries differ in size. Those of the word have mean square 1/512, "
                "those of the sines have 1/2.",
            ),
            Option(
                "About two thirds",
                "That is the share with the factor: 512 against 256. Without it the word's 512 becomes 1.",
            ),
            Option(
                "Less than one hundredth",
                "So it is: squared lengths of 1 and 256. To the first layer two different words at neighbouring places "
                "look nearly the same. The lab shows what that does to a sentence.",
                right=True,
            ),
            Option(
                "It makes no difference: a LayerNorm brings everything to one size",
                "A LayerNorm takes off the mean and divides both parts by the same length. The balance hardly "
                "changes. The model of 2017 has no norm before its first attention, either.",
            ),
        ],
        lab=BalanceLab,
        step=1,
    )
