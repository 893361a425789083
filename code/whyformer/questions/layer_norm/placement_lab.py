r"""The placement lab: a norm after the sum, before the sub-layer, or nowhere, in stacks of up to 32 layers.

Twin: ``placement_lab.ts``. Each layer adds a small network, :math:`\max(0, u W_1) W_2`, to a stream of width 16.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from whyformer.lab import Choice, Lab, Listed, Seed
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, softmax

D, TOKENS, DRAWS = 16, 8, 5  # width of the stream and of the hidden layer and number of classes; tokens; stacks drawn
DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
MOST = DEPTHS[-1]
PLACES = ("post", "pre", "none")
QUANTITIES = {"matrix": "at the second matrix of each layer", "stream": "at what enters each layer"}
EPSILON = 1e-5
STREAMS = 2 * MOST + 2  # of one draw: input, readout, then W_1 and W_2 of each layer


class Drawn(NamedTuple):
    """The weights of five stacks of 32 layers, and what enters them."""

    x: Array  # (draws, tokens, d): the stream's input, entries of variance 1
    readout: Array  # (draws, d, d): to the logits of d classes; entries of all matrices have variance 1/d
    w1: Array  # (draws, layers, d, d)
    w2: Array  # (draws, layers, d, d)


def weights(seed: int) -> Drawn:
    """Standard normal numbers, one stream for each matrix of each draw, divided by sqrt(d) in matrices."""
    streams = STREAMS * np.arange(DRAWS)[:, None] + np.arange(STREAMS)
    numbers = normal(seed, streams[..., None], np.arange(D * D))
    x = numbers[:, 0, : TOKENS * D].reshape(DRAWS, TOKENS, D)
    matrices = (numbers[:, 1:] / np.sqrt(D)).reshape(DRAWS, STREAMS - 1, D, D)
    return Drawn(x, matrices[:, 0], matrices[:, 1::2], matrices[:, 2::2])


def layer_norm(x: Array) -> tuple[Array, Array]:
    """Rows with mean 0 and variance 1, and the standard deviations they had."""
    centred = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt((centred * centred).mean(-1, keepdims=True) + EPSILON)
    return centred / sigma, sigma


def layer_norm_backward(unit: Array, sigma: Array, upstream: Array) -> Array:
    r"""(u - mean(u) - x̂ mean(u x̂)) / sigma, means over the features of a token."""
    mean = upstream.mean(-1, keepdims=True)
    return (upstream - mean - unit * (upstream * unit).mean(-1, keepdims=True)) / sigma


def transposed(x: Array) -> Array:
    """The last two axes exchanged."""
    return np.swapaxes(x, -1, -2)


def length(x: Array) -> Array:
    """Root of the sum of squares over the last two axes."""
    return np.sqrt((x * x).sum((-2, -1)))


class Layer(NamedTuple):
    """What one layer leaves for the backward pass; each (draws, tokens, d), sigmas (draws, tokens, 1) or None."""

    u: Array  # what enters W_1
    sigma_in: Array | None  # what the norm before it divided by
    hidden: Array
    x: Array  # what leaves the layer
    sigma_out: Array | None  # what the norm after the sum divided by


def forward(place: str, drawn: Drawn) -> tuple[list[Layer], Array]:
    """All 32 layers, and the root mean square of the stream from its input on, (draws, 33).

    A stack of L layers is the first L of them.
    """
    x, _, w1, w2 = drawn
    layers, scale = [], [np.sqrt((x * x).mean((-2, -1)))]
    for i in range(MOST):
        u, sigma_in = layer_norm(x) if place == "pre" else (x, None)
        hidden = np.maximum(u @ w1[:, i], 0)
        x = x + hidden @ w2[:, i]
        x, sigma_out = layer_norm(x) if place == "post" else (x, None)
        layers.append(Layer(u, sigma_in, hidden, x, sigma_out))
        scale.append(np.sqrt((x * x).mean((-2, -1))))
    return layers, np.stack(scale, 1)


def backward(place: str, drawn: Drawn, layers: list[Layer], down_to: int = 0) -> tuple[Array, Array]:
    """Lengths of gradients in the stack made of ``layers``: at its matrices, and at its stream.

    At W_2 of each layer from ``down_to`` (counted from 0) on, (draws, L - down_to); at the stream that enters each of
    them and that leaves the last, one more. The loss is the mean cross-entropy if token i is to be class i. Pre-norm
    has one more norm before the readout.
    """
    _, readout, w1, w2 = drawn
    last, sigma = layer_norm(layers[-1].x) if place == "pre" else (layers[-1].x, None)
    g: Array = (softmax(last @ readout) - np.eye(TOKENS, D)) @ transposed(readout) / TOKENS
    g = g if sigma is None else layer_norm_backward(last, sigma, g)
    at_matrix, at_stream = [], [length(g)]
    for i in reversed(range(down_to, len(layers))):
        u, sigma_in, hidden, x, sigma_out = layers[i]
        g = g if sigma_out is None else layer_norm_backward(x, sigma_out, g)
        at_matrix.append(length(transposed(hidden) @ g))
        through = (g @ transposed(w2[:, i]) * (hidden > 0)) @ transposed(w1[:, i])
        g = g + (through if sigma_in is None else layer_norm_backward(u, sigma_in, through))
        at_stream.append(length(g))
    return np.stack(at_matrix[::-1], 1), np.stack(at_stream[::-1], 1)


def compute(*, n_layers: int, quantity: str, seed: int) -> Series:
    r"""Post-norm, pre-norm and no norm, on the same five draws of weights.

    A stack of ``n_layers`` = L layers, each adding :math:`\max(0, u W_1) W_2` to a stream of 8 tokens of width 16.
    Post: :math:`x \leftarrow \operatorname{norm}(x + f(x))`; pre: :math:`x \leftarrow x + f(\operatorname{norm}(x))`,
    with one more norm before the readout. All matrices are normal with variance 1/16, drawn by ``seed``; the loss is a
    mean cross-entropy in nats. ``quantity`` chooses the gradient: at each W_2 (``"matrix"``), or at the stream that
    enters each layer (``"stream"``). The star stands for post, pre and none.

    * ``layers`` (L + 1,): 0 to L; ``scale_*`` (5, L + 1): root mean square of the stream, by draw and layer
    * ``gradient_*`` (5, L), or (5, L + 1) at the stream: length of the chosen gradient, by draw and layer
    * ``depths`` (10,): 1 to 32; ``last_*`` (5, 10): length of the gradient at the last W_2, by draw and depth of the
      stack
    * ``end_*``, ``first_*``, ``output_*``: medians over the draws of the last ``scale_*`` and of the gradients at the
      first and the last W_2
    """
    drawn = weights(seed)
    series: Series = {"layers": np.arange(n_layers + 1.0), "depths": np.array(DEPTHS, float)}
    for place in PLACES:
        layers, scale = forward(place, drawn)
        scale = scale[:, : n_layers + 1]
        at_matrix, at_stream = backward(place, drawn, layers[:n_layers])
        last = [backward(place, drawn, layers[:depth], depth - 1)[0] for depth in DEPTHS]
        series[f"scale_{place}"] = scale
        series[f"gradient_{place}"] = at_matrix if quantity == "matrix" else at_stream
        series[f"last_{place}"] = np.concatenate(last, 1)
        series[f"end_{place}"] = float(np.median(scale[:, -1]))
        series[f"first_{place}"] = float(np.median(at_matrix[:, 0]))
        series[f"output_{place}"] = float(np.median(at_matrix[:, -1]))
    return series


class PlacementLab(Lab):
    """Scale of the stream and gradients by depth, at initialisation, for post-norm, pre-norm and no norm."""

    formerly = ("where",)
    title = "Placement lab"
    hint = "Slide the depth from 1 to 32. Which curve stays flat, and at which end do post-norm and pre-norm part?"
    sentence = (
        "At depth {n_layers} the gradient at the last matrix is {output_post:.2f} in post-norm and {output_pre:.2f} "
        "in pre-norm, at the first layer {first_post:.2f} and {first_pre:.2f}; the stream ends at {end_post:.2f}, "
        "{end_pre:.2f} and, without norm, {end_none:.0f}."
    )
    columns = ("gradient_post", "gradient_pre", "gradient_none")
    row = "layer"
    compute = staticmethod(compute)

    n_layers = Listed(32, values=DEPTHS, label="layers L")
    quantity = Choice("matrix", options=QUANTITIES, label="show the gradient")
    seed = Seed(1, label="draw", help="which random weights")

    def table(self) -> pd.DataFrame:
        """The chosen gradient by layer, median over the draws; at the stream layer 0 is what enters the first layer."""
        table = super().table()
        if self.quantity == "stream":
            table.index = pd.RangeIndex(0, len(table), name=self.row)
        return table
