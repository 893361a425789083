"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.qk_weights.each_other_lab import EachOtherLab


def predict_own() -> Predict:
    """One matrix, before training: where does a word look most?"""
    return Predict(
        "qk_weights/own",
        "One random matrix for queries and keys, ten random words, dₖ = 64, before any training. Where does a word "
        "look most?",
        [
            Option(
                "At itself",
                "Its key is its query. So its score with itself is a squared length, and other scores have mean 0.",
                right=True,
                number=1,
            ),
            Option(
                "Nowhere in particular: all is chance",
                "That is so with two matrices. With one, the word's own key is its own query, and that is no chance.",
                number=0,
            ),
            Option(
                "At the word most like it",
                "No word is more like it than the word itself, and it may look at itself.",
            ),
            Option(
                "At itself and at the nine others equally",
                "Random scores already differ, and the word's score with itself is never negative.",
            ),
        ],
        lab=EachOtherLab,
        step=1,
        spoilers=("finds itself", "mostly at itself", "squared length", "gives itself 0.71"),
    )


def predict_score() -> Predict:
    """One matrix or two: what does one score say about the score the other way?"""
    return Predict(
        "qk_weights/score",
        "A's query meets B's key: the score is 1.2. What is the score of B's query with A's key, with two independent "
        "matrices, and with one?",
        [
            Option(
                "1.2 in both cases: a dot product does not care about the order",
                "These are two different dot products: A's query with B's key, and B's query with A's key. Only with "
                "one matrix are a word's query and key the same vector.",
            ),
            Option(
                "Two matrices: −1.2. One matrix: 1.2",
                "That can happen for one pair. To be so for all pairs, W_Q W_Kᵀ would have to be antisymmetric.",
                number=3,
            ),
            Option(
                "It can be anything in both cases",
                "With one matrix a word's key is its query, so both scores are one and the same dot product.",
            ),
            Option(
                "Two matrices: it can be anything. One matrix: 1.2",
                "With one matrix both scores are the dot product of the same two vectors. With two they are not.",
                right=True,
                number=1,
            ),
        ],
        lab=EachOtherLab,
        step=2,
        spoilers=("equal scores", "scores are symmetric", "same dot product"),
    )


def predict_weight() -> Predict:
    """With one matrix: what does one weight say about the weight the other way?"""
    return Predict(
        "qk_weights/weight",
        "One matrix, and every word may look at itself. Word A gives word B the weight 0.6. What do you know about the "
        "weight that B gives A?",
        [
            Option(
                "It is 0.6: the scores are symmetric, so attention is too",
                "The scores are symmetric. But each word divides by the sum of its own row. Here 0.6 is even "
                "impossible: the two weights add up to at most 1.",
            ),
            Option(
                "It is 0.4: the two weights share 1",
                "A row sums to 1, and the weight that B gives stands in another row. 0.4 is the most that it can be.",
            ),
            Option(
                "Nothing: it can be anything between 0 and 1",
                "It can be close to 0, but not 0.5: the scores of A and B with themselves are together at least twice "
                "their score with each other.",
            ),
            Option(
                "It is at most 0.4",
                "The scores of A and B with themselves are together at least twice their score with each other. So "
                "the two weights add up to at most 1.",
                right=True,
            ),
        ],
        lab=EachOtherLab,
        step=3,
        spoilers=("at most 1", "pass the wall", "never more than 100"),
    )
