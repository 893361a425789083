"""What the chapter asks before it tells."""

from whyformer.lab import Option, Predict
from whyformer.questions.advantages.layers_lab import LayersLab
from whyformer.questions.advantages.path_lab import PathLab


def predict_work() -> Predict:
    """What attention saves against a recurrent layer on a long text."""
    return Predict(
        "advantages/work",
        "A text of 4096 tokens goes through one layer of width 512. What does self-attention do better than a "
        "recurrent layer of the same width?",
        [
            Option(
                "It multiplies less",
                "Not here. In the paper's own table it has n²d products against nd², which is 8 times as many. It "
                "multiplies less only for texts shorter than d, here 512 tokens.",
            ),
            Option(
                "It needs a constant number of operations, whatever the length",
                "Constant are the hops between two tokens and the steps that wait for each other. The work is the part "
                "that grows fastest: twice the text, four times the products.",
            ),
            Option(
                "It multiplies more, but no step waits for another, and any two tokens are one hop apart",
                "So it is. A recurrent layer has 4096 steps, each of which waits for the one before, and 4095 hops "
                "from the first token to the last. See what a hop is worth in the second lab.",
                right=True,
            ),
            Option(
                "It writes its output in one step",
                "It reads in one step, and so it trains on all positions of a text at once. While it writes, each "
                "token waits for the one before, as in a recurrent network.",
            ),
        ],
        lab=LayersLab,
        step=1,
    )


def predict_path() -> Predict:
    """What comes back through 49 steps."""
    return Predict(
        "advantages/path",
        "A simple RNN with tanh has a random matrix that keeps lengths on average. A gradient of 1 goes back through "
        "49 steps. How much comes back?",
        [
            Option(
                "About 1: the matrix neither shrinks nor stretches",
                "The matrix does not, but tanh has a slope below 1 wherever its input is not 0, and 49 slopes are "
                "multiplied.",
            ),
            Option(
                "About one fiftieth",
                "That is what attention with equal weights brings back in its one hop. A product of 49 factors "
                "falls far faster than that.",
            ),
            Option(
                "Less than a ten-thousandth",
                "So it is: the median of 21 runs was, in each of 40 draws. In the lab you can take the causes "
                "away one by one.",
                right=True,
            ),
            Option(
                "It explodes",
                "It can, with a larger matrix, and with tanh too. Yet tanh works against it: where states are large "
                "its slope is small.",
            ),
        ],
        lab=PathLab,
        step=1,
    )
