"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.why_sqrt_dk.scale_lab import ScaleLab


def predict_gradient() -> Predict:
    """Without the division, what happens to the gradient of the query matrix at initialisation?"""
    return Predict(
        "why_sqrt_dk/gradient",
        "A fresh attention layer has 8 heads, dₖ = 64, 128 tokens and random parameters. "
        "You take the division by √dₖ away. What happens to the gradient of the query matrix, summed over all tokens?",
        [
            Option(
                "It vanishes: the softmax is saturated, so next to nothing comes through",
                "That happens to the gradient at a typical query if dₖ is large compared with the number of keys. Here "
                "128 keys compete and dₖ is 64: even a typical query gets more, since its gradient is no longer "
                "divided by 8.",
            ),
            Option(
                "It stays about the same: Adam and the initialisation compensate",
                "Nothing can compensate before the first step. The gradient at initialisation is a fixed number, "
                "and it changes a great deal. Step 6 of the scale lab shows it with 8 keys and dₖ = 512.",
            ),
            Option(
                "It becomes several times larger",
                "In this layer it is about 15 times as large. What does harm is not the length of this gradient: rows "
                "start as hard choices by chance, and the gradients at single queries differ by orders of magnitude.",
                right=True,
            ),
            Option(
                "It becomes exactly zero",
                "Only an exact one-hot row has gradient zero, and only on this path. With random parameters no row is "
                "exactly one-hot. Step 6 of the scale lab shows it with 8 keys and dₖ = 512.",
            ),
        ],
        lab=ScaleLab,
        step=6,
        spoilers=("query matrix gets more",),
    )
