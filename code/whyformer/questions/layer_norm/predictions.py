"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.layer_norm.normalisation_lab import NormalisationLab
from whyformer.questions.layer_norm.placement_lab import PlacementLab


def predict_moved() -> Predict:
    """How far does a change in another sentence reach under BatchNorm?"""
    return Predict(
        "layer_norm/moved",
        "Four sentences of unequal length stand in one batch. BatchNorm is in training mode, and padding is carefully "
        "left out of its statistics. You replace one word of sentence B. Sentence A, three tokens of four features, is "
        "not touched. How many of A's 12 normalised numbers change?",
        [
            Option(
                "None: padding was the only way in which sentences disturbed each other",
                "Padding is left out here, and still A moves. The mean of a feature runs over the tokens of all "
                "sentences, and the new word is one of them.",
            ),
            Option(
                "4: those of the token at the same position as the new word",
                "That would need statistics for each position apart. BatchNorm on sequences pools all positions: one "
                "mean for each feature.",
            ),
            Option(
                "All 12",
                "So it is. The new word changes the mean and the variance of each of the four features, and each "
                "number of A is normalised with one of them.",
                right=True,
            ),
            Option(
                "3: one feature of each token",
                "A word has all four features, so all four means change, and not one.",
            ),
        ],
        lab=NormalisationLab,
        step=1,
    )


def predict_place() -> Predict:
    """Where do post-norm and pre-norm differ at initialisation?"""
    return Predict(
        "layer_norm/place",
        "Two fresh stacks of 32 residual layers, each layer a small feed-forward network whose weights are not scaled "
        "down for depth. One has the norm after each sum (post-norm), one before each sub-layer (pre-norm). Same "
        "weights, same loss. Compare the gradients at the weights.",
        [
            Option(
                "Post-norm's gradient has vanished at the first layers, far from the loss",
                "It has not, in this stack: the typical one is about the same in all layers. With attention in them "
                "it does fall, as step 4 of the lab shows. But the two differ more at the other end.",
            ),
            Option(
                "At the first layers they are alike, and at the last layer post-norm's is about three times as large",
                "So it is measured here. Pre-norm's stream grows on its way up, and its last norm divides the gradient "
                "by what it has grown to. Post-norm has nothing that shrinks the gradient near the loss.",
                right=True,
            ),
            Option(
                "They are alike everywhere: a norm is a norm",
                "In shallow stacks nearly so. With 32 layers there is a factor of three at the last layer.",
            ),
            Option(
                "Pre-norm's gradient explodes at the first layers, since its stream is never normalised",
                "That is the stack without any norm. In pre-norm each sub-layer sees a normalised input, and the fresh "
                "stream grows like the root of the depth, not exponentially.",
            ),
        ],
        lab=PlacementLab,
        step=1,
    )
