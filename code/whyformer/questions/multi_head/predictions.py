"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.multi_head.two_places_lab import TwoPlacesLab


def predict_two_places() -> Predict:
    """Can one head read two places apart if its weights differ?"""
    return Predict(
        "multi_head/two_places",
        "One head, weight ½ on box A and ½ on box B; all numbers in them are independent, with the same variance. A "
        "matrix reads two slots from its output: slot 1 should hold the content of A, slot 2 that of B. At best each "
        "slot misses 50 % of the variance, 100 % together. Now the weights become 0.9 and 0.1, and the matrix is "
        "chosen anew. Together the slots miss",
        [
            Option(
                "less than 100 %: unequal weights can be told apart",
                "Slot 1 sees A better now, and slot 2 sees B worse by exactly as much. Telling the sums apart takes "
                "contents from a short list and a read-out that is not linear; the chapter shows such a case.",
            ),
            Option(
                "more than 100 %: half and half is the best balance",
                "It is the fairest, and no better. Now slot 1 misses 1 %, slot 2 99 %.",
            ),
            Option(
                "100 %, however the weight is split between A and B",
                "So it is. There is one blend, and what it says about A it does not say about B. Drag the bars: the "
                "dot slides along the dashed line and never crosses it.",
                right=True,
            ),
            Option(
                "nearly 0 %, if the head is wide enough",
                "A wider head gives each box more numbers, and blends all of them with the same two weights.",
            ),
        ],
        lab=TwoPlacesLab,
        step=1,
        state={"first": [0, 8, 0, 5.8, 0]},
    )
