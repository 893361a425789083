r"""The placement lab: a norm after the sum, before the sub-layer, or nowhere, in stacks of up to 32 layers.

Twin: ``placement_lab.ts``. Each layer adds a small network, :math:`\max(0, u W_1) W_2`, to a stream of width 16, or
attention and then the network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.questions.layer_norm.stacks import PLACES, Stacks, backward, forward

if TYPE_CHECKING:
    import pandas as pd

D, TOKENS, DRAWS = 16, 8, 5  # width of the stream and of the hidden layer and number of classes; tokens; stacks drawn
DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
MOST = DEPTHS[-1]
QUANTITIES = {"matrix": "at the second matrix of each layer", "stream": "at what enters each layer"}
INSIDE = {"feed": "feed-forward", "both": "attention and feed-forward"}
STARTS = {"fan_in": "variance 1/fan-in", "pytorch": "as in PyTorch"}
PART = {"fan_in": (1.0, 1.0, 1.0), "pytorch": (1 / 3, 1 / 2, 1 / 3)}  # of 1/fan-in: feed-forward; q, k and v; output
STREAMS = 2 * MOST + 2  # of one draw: input, readout, then W_1 and W_2 of each layer


def weights(seed: int, attention: bool = False, start: str = "fan_in") -> Stacks:
    """Five stacks of 32 layers, with attention of one head in each layer or without.

    Standard normal numbers, one stream for each matrix of each draw, divided by sqrt(d) in matrices. The streams of
    attention come after all others, so both kinds have the same feed-forward networks; ``start`` scales the same
    numbers, as PyTorch's TransformerEncoderLayer has them or not at all.
    """
    feed, of_heads, of_output = np.sqrt(PART[start])
    streams = STREAMS * np.arange(DRAWS)[:, None] + np.arange(STREAMS)
    numbers = normal(seed, streams[..., None], np.arange(D * D))
    x = numbers[:, 0, : TOKENS * D].reshape(DRAWS, TOKENS, D)
    matrices = (numbers[:, 1:] / np.sqrt(D)).reshape(DRAWS, STREAMS - 1, D, D)
    heads = None
    if attention:
        beyond = DRAWS * STREAMS + np.arange(DRAWS * MOST * 4).reshape(DRAWS, MOST, 4)
        heads = normal(seed, beyond[..., None], np.arange(D * D)).reshape(DRAWS, MOST, 4, D, D) / np.sqrt(D)
        heads = heads * np.array([of_heads, of_heads, of_heads, of_output])[:, None, None]
    return Stacks(x, matrices[:, 0], feed * matrices[:, 1::2], feed * matrices[:, 2::2], heads)


def compute(*, n_layers: int, inside: str, start: str, quantity: str, seed: int) -> Series:
    r"""Post-norm, pre-norm and no norm, on the same five draws of weights.

    A stack of ``n_layers`` = L layers, each adding :math:`\max(0, u W_1) W_2` to a stream of 8 tokens of width 16; if
    ``inside`` is ``"both"``, each layer adds attention with one head before that, with a norm of its own. The stack
    without norm has no attention: its scores would grow with the square of the stream.
    Post: :math:`x \leftarrow \operatorname{norm}(x + f(x))`; pre: :math:`x \leftarrow x + f(\operatorname{norm}(x))`,
    with one more norm before the readout. Matrices are normal, drawn by ``seed``; their variance is 1/16, or with
    ``start`` = ``"pytorch"`` 1/32 for queries, keys and values and 1/48 for all others but the readout. The loss is a
    mean cross-entropy in nats. ``quantity`` chooses the gradient: at each W_2 (``"matrix"``), or at the stream that
    enters each layer (``"stream"``). The star stands for post, pre and none.

    * ``layers`` (L + 1,): 0 to L; ``scale_*`` (5, L + 1): root mean square of the stream, by draw and layer
    * ``gradient_*`` (5, L), or (5, L + 1) at the stream: length of the chosen gradient, by draw and layer
    * ``depths`` (10,): 1 to 32; ``last_*`` (5, 10): length of the gradient at the last W_2, by draw and depth of the
      stack
    * ``end_*``, ``first_*``, ``output_*``: medians over the draws of the last ``scale_*`` and of the gradients at the
      first and the last W_2; ``spread_*``: the largest gradient at the first W_2 among the draws over the smallest
    """
    series: Series = {"layers": np.arange(n_layers + 1.0), "depths": np.array(DEPTHS, float)}
    plain = weights(seed, start=start)
    chosen = weights(seed, attention=True, start=start) if inside == "both" else plain
    for place in PLACES:
        drawn = plain if place == "none" else chosen
        per_layer = 1 if drawn.attention is None else 2
        layers, scale = forward(place, drawn)
        scale = scale[:, : n_layers + 1]
        at_matrix, at_stream = backward(place, drawn, layers[: per_layer * n_layers])
        last = [backward(place, drawn, layers[: per_layer * depth], depth - 1)[0] for depth in DEPTHS]
        series[f"scale_{place}"] = scale
        series[f"gradient_{place}"] = at_matrix if quantity == "matrix" else at_stream
        series[f"last_{place}"] = np.concatenate(last, 1)
        series[f"end_{place}"] = float(np.median(scale[:, -1]))
        series[f"first_{place}"] = float(np.median(at_matrix[:, 0]))
        series[f"output_{place}"] = float(np.median(at_matrix[:, -1]))
        series[f"spread_{place}"] = float(at_matrix[:, 0].max() / at_matrix[:, 0].min())
    return series


class PlacementLab(Lab):
    """Scale of the stream and gradients by depth, at initialisation, for post-norm, pre-norm and no norm."""

    formerly = ("where",)
    title = "Placement lab"
    hint = ""
    sentence = (
        "At depth {n_layers} the gradient at the last W₂ is {output_post:.2f} in post-norm and {output_pre:.2f} "
        "in pre-norm, at the first {first_post:.2f} and {first_pre:.2f}; the stream ends at {end_post:.2f}, "
        "{end_pre:.2f} and, without norm, {end_none:.0f}."
    )
    columns = ("gradient_post", "gradient_pre", "gradient_none")
    row = "layer"
    compute = staticmethod(compute)

    steps = (
        Step(
            "They differ most at the last layers: at the last W₂ the gradient is {output_post:.2f} in post-norm and "
            "{output_pre:.2f} in pre-norm; at the first W₂ it is {first_post:.2f} and {first_pre:.2f}.",
            asks="Make both stacks deeper, up to 32 layers. Where do their gradients differ most?",
            moved=("n_layers >= 16",),
            told_at={"n_layers": 32},
            cases=(
                (
                    ("output_post < 1.6 * output_pre", "output_pre < 1.6 * output_post"),
                    "With {n_layers} {n_layers:layer|layers} the gradients of the two stacks differ by less than a "
                    "factor of 1.6 at the last W₂. In a deep stack they differ more.",
                ),
            ),
            when=("output_post > 1.6 * output_pre", "first_post > 0.5 * first_pre"),
            shows=("gradient",),
            controls=("n_layers",),
        ),
        Step(
            "After {n_layers} {n_layers:layer|layers} the stream has size {end_pre:.1f} in pre-norm, 1 in post-norm "
            "and {end_none:.1f} without a norm. The last norm of pre-norm divides the gradient by about as much.",
            asks="Look at the streams, and make the stacks deeper again. How large does each become?",
            moved=("n_layers >= 16",),
            told_at={"n_layers": 32},
            when=("end_post > 0.99", "end_post < 1.01", "inside == 'feed'"),
            shows=("scale",),
            controls=("n_layers",),
        ),
        Step(
            "It falls towards the first layers: {output_post:.2f} at the last W₂, {first_post:.2f} at the first. That "
            "is so in this narrow stream; at width 512 it hardly falls.",
            asks="These streams have width 16. Put attention into each layer. What becomes of post-norm's gradient?",
            state={"n_layers": 32, "seed": 8},
            moved=("inside == 'both'",),
            told_at={"inside": "both"},
            cases=(
                (
                    ("inside == 'feed'", "first_post > 0.5 * output_post"),
                    "Without attention it does not fall towards the first layers: {output_post:.2f} at the last W₂, "
                    "{first_post:.2f} at the first.",
                ),
            ),
            when=("inside == 'both'", "first_post < 0.5 * output_post"),
            shows=("gradient",),
            controls=("inside",),
        ),
        Step(
            "No: it is {output_post:.2f} at the last W₂ and {first_post:.2f} at the first. What the first layers get "
            "depends on the initial scale.",
            asks="Now take the smaller matrices that PyTorch's encoder layer starts with. Does post-norm's gradient "
            "still fall?",
            state={"n_layers": 32, "inside": "both", "seed": 8},
            moved=("start == 'pytorch'",),
            told_at={"start": "pytorch"},
            cases=(
                (
                    ("start == 'fan_in'", "first_post < 0.5 * output_post"),
                    "With variance 1/fan-in it falls: {output_post:.2f} at the last W₂, {first_post:.2f} at the first.",
                ),
            ),
            when=("start == 'pytorch'", "first_post > 0.5 * output_post", "first_post < 2 * output_post"),
            shows=("gradient",),
            controls=("start",),
        ),
    )

    n_layers: Listed = Listed(default=2, values=DEPTHS, label="layers L")
    inside: Choice = Choice(default="feed", options=INSIDE, label="each layer has")
    start: Choice = Choice(default="fan_in", options=STARTS, label="initial scale")
    quantity: Choice = Choice(default="matrix", options=QUANTITIES, label="show the gradient")
    seed: Seed = Seed(default=1, label="draw", help="which random weights")

    def table(self) -> pd.DataFrame:
        """The chosen gradient by layer, median over the draws; at the stream layer 0 is what enters the first layer."""
        table = super().table()
        if self.quantity == "stream":
            table.index -= 1
        return table
