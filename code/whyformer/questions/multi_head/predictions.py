"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.multi_head.two_wishes_lab import TwoWishesLab


def predict_two_places() -> Predict:
    """Can one head read two places apart if its weights differ?"""
    return Predict(
        "multi_head/two_places",
        "“it” needs the independent values of “cat” and of “tired”. One head gives each half of its weight. At best, "
        "the output matrix misses half of both. Now the weights become 90 % and 10 %. It misses",
        [
            Option(
                "less: unequal weights can be told apart",
                "“cat” comes through better now, and “tired” worse by exactly as much: 1 % and 99 % are missed.",
            ),
            Option(
                "more: half and half is the best balance",
                "It is the fairest split, and no better. Now 1 % of “cat” is missed, and 99 % of “tired”: half.",
            ),
            Option(
                "the same, however the weight is split",
                "So it is. What one blend says about “cat” it cannot say about “tired”: 1 % and 99 %, together half.",
                right=True,
            ),
            Option(
                "nearly nothing, if the head is wide enough",
                "A wider head hands on more numbers, and blends all of them with the same two weights.",
            ),
        ],
        lab=TwoWishesLab,
        step=1,
        state={"first": 10},
    )
