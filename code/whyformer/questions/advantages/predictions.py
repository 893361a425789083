"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.advantages.layers_lab import LayersLab
from whyformer.questions.advantages.path_lab import PathLab


def predict_work() -> Predict:
    """What attention saves against a recurrent layer on a long text."""
    return Predict(
        "advantages/work",
        "4096 tokens, width 512. What does self-attention do better than a recurrent layer?",
        [
            Option(
                "It multiplies less",
                "Here it multiplies 8 times as much: the paper's table has n²d against nd². It multiplies less only "
                "below 512 tokens.",
            ),
            Option(
                "It needs a constant number of operations",
                "The paper says so of relating two positions. A layer's work grows with the square of the length.",
            ),
            Option(
                "It multiplies more, but no step waits, and any two tokens are one hop apart",
                "Yes. A recurrent layer has 4096 steps, each of which waits for the one before.",
                right=True,
            ),
            Option(
                "It generates its output in one step",
                "Training takes one pass. Generating is one token at a time, as in a recurrent network.",
            ),
        ],
        lab=LayersLab,
        step=1,
    )


def predict_path() -> Predict:
    """What comes back through 49 steps."""
    return Predict(
        "advantages/path",
        "An RNN with 12 tanh units has a random matrix that keeps lengths on average, and inputs of size 0.5. How much "
        "of a gradient of 1 comes back through 49 steps?",
        [
            Option(
                "About 1: the matrix keeps lengths",
                "The matrix does. But the slope of tanh is below 1 where its input is not 0, and 49 slopes multiply.",
            ),
            Option(
                "About one fiftieth",
                "That is what attention with equal weights brings back in its one hop. A product of 49 factors falls "
                "far faster.",
            ),
            Option("It explodes", "It can, with a larger matrix. Here the slopes of tanh work against it.", number=3),
            Option(
                "Less than a ten-thousandth",
                "Yes, in each of 40 draws. But it depends on the inputs: at size 0.1 it is about a hundredth.",
                right=True,
                number=2,
            ),
        ],
        lab=PathLab,
        step=1,
    )
