"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.multi_head.two_wishes_lab import TwoWishesLab


def predict_two_places() -> Predict:
    """Can one head read two places apart if its weights differ?"""
    return Predict(
        "multi_head/two_places",
        "“it” needs the values of “cat” and of “tired”, whose numbers are independent with one variance. One head "
        "gives each half of its weight. At best, the output matrix misses half of both. Now the weights become 90 % "
        "and 10 %. It misses",
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
                "A wider head passes on more numbers, and blends all of them with the same two weights.",
            ),
        ],
        lab=TwoWishesLab,
        step=1,
        state={"first": 10},
        spoilers=("never more", "however the weight"),
    )


def predict_halves() -> Predict:
    """What do two heads of half size miss, asked for half of each word?"""
    return Predict(
        "multi_head/halves",
        "“it” needs the first half of the numbers of “cat” and the second half of those of “tired”. One head misses "
        "half of that. What do two heads of half size miss at best?",
        [
            Option(
                "Nothing",
                "One head gives all its weight to “cat”, the other one to “tired”, and each passes on the half that is "
                "wanted.",
                right=True,
            ),
            Option(
                "Half, like one head",
                "One head has one blend for all its numbers. Two heads have two.",
            ),
            Option(
                "A quarter: each head misses half of its half",
                "A head that gives all its weight to one word misses nothing of the half that it passes on.",
            ),
            Option(
                "More than half: narrow heads pass on fewer numbers",
                "Each passes on half as many numbers. Together these are as many as are wanted.",
            ),
        ],
        lab=TwoWishesLab,
        step=3,
    )
