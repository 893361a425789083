"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.qk_weights.two_questions_lab import TwoQuestionsLab


def predict_score() -> Predict:
    """One matrix or two: what does one score say about the score back?"""
    return Predict(
        "qk_weights/score",
        "First the scores, before the softmax. A's query meets B's key, and the score is 1.2. Then B's query meets A's "
        "key. What is the score back, once with two matrices drawn independently, and once with W_K = W_Q?",
        [
            Option(
                "1.2 in both cases: a dot product does not care about the order",
                "It does not, but these are two different dot products. The first is A's query with B's key, the "
                "second B's query with A's key. Only with W_K = W_Q are a word's query and key the same vector.",
            ),
            Option(
                "Two matrices: it can be anything. One matrix: 1.2",
                "Right. With one matrix both scores are the dot product of the same two vectors. With two, the score "
                "back asks another question, and knowing one answer says nothing about the other.",
                right=True,
            ),
            Option(
                "It can be anything in both cases",
                "With W_K = W_Q a word's key is its query, and then both scores are one and the same dot product.",
            ),
            Option(
                "Two matrices: −1.2. One matrix: 1.2",
                "−1.2 would need W_Q W_Kᵀ to be antisymmetric. Independent matrices give a mixture, half and half on "
                "average. Watch the symmetric share in the lab.",
            ),
        ],
        covers=[TwoQuestionsLab],
    )


def predict_weight() -> Predict:
    """With one matrix: what does one weight say about the weight back?"""
    return Predict(
        "qk_weights/weight",
        "Now the weights, after the softmax. With W_K = W_Q, word A gives word B the weight 0.6. Which weight does B "
        "give A?",
        [
            Option(
                "0.6: the scores are symmetric, so attention is too",
                "The scores are. But A's weights are A's scores through a softmax over A's row, and B's row has "
                "another sum. In the lab the two scores are 1.93, and the weights 0.49 and 0.05.",
            ),
            Option(
                "0.4: the two weights share 1",
                "A row sums to 1: the weights that A gives. The weight that B gives stands in another row.",
            ),
            Option(
                "It cannot be known from this",
                "Right. The scores are equal, and the weights differ by the ratio of the two row sums, which can be "
                "any positive number. What holds is a balance: row sum of A times A's weight for B equals row sum of B "
                "times B's weight for A.",
                right=True,
            ),
            Option(
                "Less than 0.6, because B will look at itself",
                "Often, and not by necessity. B's score with itself cannot be negative, but a B with a short query "
                "gives itself little. Draw again in the lab.",
            ),
        ],
        covers=[TwoQuestionsLab],
    )
