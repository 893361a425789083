"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.layer_norm.normalisation_lab import NormalisationLab
from whyformer.questions.layer_norm.placement_lab import PlacementLab


def predict_moved() -> Predict:
    """How far does a change in another sentence reach under BatchNorm?"""
    return Predict(
        "layer_norm/moved",
        "BatchNorm, in training, without padding in its statistics. You replace one word of sentence B. Sentence A of "
        "the same batch, three tokens of four features, stays. How many of A's 12 normalised numbers change?",
        [
            Option(
                "none: only padding connects sentences",
                "The mean of a feature runs over the tokens of all sentences, and the new word is one of them.",
            ),
            Option(
                "4: those at the position of the new word",
                "That would need statistics for each position. BatchNorm on sequences pools all positions.",
            ),
            Option(
                "all 12",
                "The new word changes mean and variance of each of the four features, and each number of A is "
                "normalised with one of them.",
                right=True,
            ),
            Option(
                "3: one feature of each token",
                "A word has all four features, so all four means change.",
            ),
        ],
        lab=NormalisationLab,
        step=1,
        spoilers=("12 of 12", "12 of the 12", "all 12"),
    )


def predict_place() -> Predict:
    """Where do post-norm and pre-norm differ at initialisation?"""
    return Predict(
        "layer_norm/place",
        "Two fresh stacks of 32 feed-forward layers with the same weights, not scaled down for depth: one post-norm, "
        "one pre-norm. Where do their gradients at the weights differ most?",
        [
            Option(
                "at the first layers: post-norm's has vanished",
                "Not in this stack: it is about the same in all layers. With attention it can fall if the stream is "
                "narrow, and how far depends on the initial scale.",
            ),
            Option(
                "at the last layers: post-norm's is about three times as large",
                "Pre-norm's stream grows with depth, and its last norm divides the gradient by as much. Post-norm's "
                "stream stays.",
                right=True,
            ),
            Option(
                "nowhere: a norm is a norm",
                "In shallow stacks nearly so. With 32 layers there is a factor of three at the last.",
            ),
            Option(
                "at the first layers: pre-norm's explodes",
                "That is the stack without a norm. In pre-norm each layer sees a normalised input.",
            ),
        ],
        lab=PlacementLab,
        step=1,
    )
