"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.framework.assembly_lab import AssemblyLab
from whyformer.questions.framework.wiring_lab import WiringLab


def predict_parameters() -> Predict:
    """Where are the parameters of the base model?"""
    return Predict(
        "framework/parameters",
        "The base Transformer of 2017 has 6 + 6 layers, 8 heads, d_model = 512, d_ff = 2048 and 40 960 tokens. "
        "Which kind of block holds the most of its 65 million parameters?",
        [
            Option(
                "Attention: 18 blocks with four matrices each",
                "Together they hold 18.9 million, 29 %.",
            ),
            Option(
                "Feed-forward: 12 networks, one in each layer",
                "They hold 25.2 million, 39 %. One has twice the parameters of one attention: 2 · d_model · d_ff is "
                "8 d², and four matrices are 4 d².",
                right=True,
            ),
            Option(
                "The embedding: 40 960 rows",
                "It has 21.0 million, 32 %, because one table serves the source, the target and the output. With "
                "three tables this answer would be right.",
            ),
            Option(
                "Positions: every place needs a vector",
                "The sinusoids of 2017 are computed, not learned: they have no parameters.",
            ),
        ],
        lab=AssemblyLab,
        step=1,
    )


def predict_mask() -> Predict:
    """Does the training loss show a mask that looks one word too far?"""
    return Predict(
        "framework/mask",
        "By a slip, the mask of a decoder lets each position see one word too many: the very word that it has to "
        "predict. What can the training loss do?",
        [
            Option(
                "Fall lower than with the right mask",
                "The model can copy its answer. So the loss looks better, and in writing, where there is no next word "
                "to copy, the model fails.",
                right=True,
            ),
            Option(
                "Stay high: the task has become harder",
                "The task has become easier, since the answer is among the inputs.",
            ),
            Option(
                "Nothing new: one word more makes no difference",
                "It does, because this one word is the answer.",
            ),
            Option(
                "Become infinite: a probability is 0",
                "A softmax gives no word the probability 0, and this model is right nearly always.",
            ),
        ],
        lab=WiringLab,
        step=1,
    )
