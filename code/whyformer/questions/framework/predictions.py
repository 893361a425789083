"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.framework.assembly_lab import AssemblyLab


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
