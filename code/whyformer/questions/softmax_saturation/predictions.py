"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.softmax_saturation.saturation_lab import SaturationLab


def predict_tie() -> Predict:
    """Two logits tied far ahead of the rest: does the softmax saturate?"""
    return Predict(
        "softmax_saturation/tie",
        "Two of five logits tie far ahead of the others: (8, 8, 1, −1, 0). How large is the largest derivative of the "
        "softmax, compared with five equal logits?",
        [
            Option(
                "nearly 0",
                "The logits are large, but between the two leaders there is no gap, and softmax sees only gaps. "
                "Each leader has weight one half, where a weight is most easily moved.",
            ),
            Option(
                "somewhat smaller",
                "The entry y(1 − y) is largest if y is one half, and here two weights are one half.",
            ),
            Option(
                "exactly 0",
                "Look again: two logits are tied. The output is close to (½, ½, 0, 0, 0), which is not one-hot.",
                number=3,
            ),
            Option(
                "larger",
                "With equal logits the entry is one fifth times four fifths, 0.16. In the tie it is one half "
                "times one half, 0.25, the largest value there is. Large logits do no harm; a large lead would.",
                right=True,
                number=2,
            ),
        ],
        lab=SaturationLab,
        step=5,
    )
