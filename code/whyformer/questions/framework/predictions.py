"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.framework.assembly_lab import AssemblyLab


def predict_parameters() -> Predict:
    """Where are the parameters of the base model?"""
    return Predict(
        "framework/parameters",
        "The base Transformer of 2017 has 6 + 6 layers, 8 heads, d_model = 512, d_ff = 2048 and a vocabulary of "
        "37 000. It is famous for its attention. Which kind of block holds the most of its 63 million parameters?",
        [
            Option(
                "Attention: 18 attention blocks with four matrices each",
                "They hold 18.9 million together, 30 %. In the lab, add the three rows with attention.",
            ),
            Option(
                "Feed-forward: 12 small networks, one in each layer",
                "So it is: 25.2 million, 40 %. One of them has twice the parameters of one attention block, since "
                "2 · d_model · d_ff is 8 d² and four matrices are 4 d². Attention moves information; most of the "
                "numbers sit where nothing moves.",
                right=True,
            ),
            Option(
                "The embedding: 37 000 words",
                "18.9 million, 30 %, because one table serves the source, the target and the output. Untied it would "
                "be 56.8 million, and this answer right.",
            ),
            Option(
                "Positions: every place needs a vector",
                "The sines of 2017 are computed, not learned: no parameters at all.",
            ),
        ],
        lab=AssemblyLab,
        step=1,
    )
