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
                "With one matrix both scores are the dot product of the same two vectors. With two, the score "
                "back is another dot product, of other vectors.",
                right=True,
            ),
            Option(
                "It can be anything in both cases",
                "With W_K = W_Q a word's key is its query, and then both scores are one and the same dot product.",
            ),
            Option(
                "Two matrices: −1.2. One matrix: 1.2",
                "It can be −1.2 for a pair. For all pairs that would need W_Q W_Kᵀ to be antisymmetric. Independent "
                "matrices give a mixture, half and half on average. Free play in the lab shows the symmetric share.",
            ),
        ],
        lab=TwoQuestionsLab,
        step=1,
    )


def predict_weight() -> Predict:
    """With one matrix: what does one weight say about the weight back?"""
    return Predict(
        "qk_weights/weight",
        "Now the weights, after the softmax. With W_K = W_Q, word A gives word B the weight 0.6, and every word may "
        "look at itself too. What do you know about the weight that B gives A?",
        [
            Option(
                "It is 0.6: the scores are symmetric, so attention is too",
                "The scores are. But each word divides by the sum of its own row. In the lab both scores are 1.94, and "
                "the weights 0.46 and 0.05. Here 0.6 is even impossible: the two weights add up to at most 1.",
            ),
            Option(
                "It is 0.4: the two weights share 1",
                "A row sums to 1: the weights that A gives. The weight that B gives stands in another row. It can be "
                "close to 0, and 0.4 is the most that it can be.",
            ),
            Option(
                "Nothing: it can be anything between 0 and 1",
                "It can be close to 0, but it cannot be 0.5. With one matrix A's score with itself and B's score with "
                "itself are together at least twice their score with each other, and that limits both weights.",
            ),
            Option(
                "It is at most 0.4",
                "With one matrix A's score with itself and B's score with itself are together at least twice "
                "their score with each other. So the weights there and back add up to at most 1.",
                right=True,
            ),
        ],
        lab=TwoQuestionsLab,
        step=2,
    )
