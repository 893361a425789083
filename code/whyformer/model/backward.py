r"""Backward passes, written out: given the gradient of a scalar loss at an output, the gradient at every input.

A gradient of parameters has the type and the shapes of the parameters. ``x`` is what went in, ``upstream`` the gradient
at what came out. Only what the book's experiments need is here: linear layer, LayerNorm, feed-forward network with
ReLU, multi-head attention, and the encoder and decoder layers made of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths import attention_gradients
from whyformer.maths.softmax import Array
from whyformer.model.layers import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    LayerNorm,
    Linear,
    MultiHead,
    every_head,
    for_each_row,
    relu,
)


def _rows(x: Array, models: tuple[int, ...]) -> Array:
    """All tokens of a model as rows: (..., d) to (*models, rows, d)."""
    return x.reshape(*models, -1, x.shape[-1])


def linear_backward(layer: Linear, x: Array, upstream: Array) -> tuple[Array, Linear]:
    r"""Of y = x W + b: :math:`dx = g W^\top`, :math:`dW = x^\top g` and db = sum of g, over all tokens.

    g is ``upstream``, (..., d_out). Returns the gradients at x and at the parameters.
    """
    models = layer.weight.shape[:-2]
    g = _rows(upstream, models)
    weight = np.swapaxes(_rows(x, models), -1, -2) @ g
    dx = (g @ np.swapaxes(layer.weight, -1, -2)).reshape(x.shape)
    return dx, Linear(weight, None if layer.bias is None else g.sum(-2))


def layer_norm_backward(norm: LayerNorm, x: Array, upstream: Array) -> tuple[Array, LayerNorm]:
    r"""For each token alone, :math:`dx = (u - \overline{u} - \hat x\, \overline{u \hat x}) / \sigma`.

    :math:`\hat x = (x - \mu) / \sigma`, :math:`u = g \odot \text{gain}` with g ``upstream``, and bars are means over
    the features. Returns the gradients at x and at the parameters.
    """
    centred = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt((centred * centred).mean(-1, keepdims=True) + norm.epsilon)
    unit = centred / sigma
    u = upstream * for_each_row(norm.gain, x)
    dx = (u - u.mean(-1, keepdims=True) - unit * (u * unit).mean(-1, keepdims=True)) / sigma
    models = norm.gain.shape[:-1]
    return dx, LayerNorm(_rows(upstream * unit, models).sum(-2), _rows(upstream, models).sum(-2), norm.epsilon)


def feed_forward_backward(feed: FeedForward, x: Array, upstream: Array) -> tuple[Array, FeedForward]:
    """ReLU only: its derivative is 1 where its input is above 0, else 0. Raises ``ValueError`` for others."""
    if feed.activation is not relu:
        raise ValueError("the backward pass is written for ReLU only")
    hidden = feed.up(x)
    at_hidden, down = linear_backward(feed.down, relu(hidden), upstream)
    dx, up = linear_backward(feed.up, x, at_hidden * (hidden > 0))
    return dx, FeedForward(up, down, feed.activation)


def multi_head_backward(
    layer: MultiHead, x: Array, memory: Array, upstream: Array, mask: ArrayLike | None = None
) -> tuple[Array, Array, MultiHead]:
    """Gradients at ``x``, at ``memory`` and at the parameters. For self-attention add the first two."""
    heads = layer.heads(x, memory, mask)
    at_merged, o = linear_backward(layer.o, layer.merge(heads.output), upstream)
    at = attention_gradients(
        heads.q, heads.k, heads.v, layer.split(at_merged), mask=every_head(mask), divisor=layer.divisor
    )  # fmt: skip
    dx, q = linear_backward(layer.q, x, layer.merge(at.q))
    through_keys, k = linear_backward(layer.k, memory, layer.merge(at.k))
    through_values, v = linear_backward(layer.v, memory, layer.merge(at.v))
    return dx, through_keys + through_values, MultiHead(layer.n_heads, q, k, v, o, layer.divisor)


def encoder_layer_backward(
    layer: EncoderLayer, x: Array, upstream: Array, mask: ArrayLike | None = None, pre: bool = False
) -> tuple[Array, EncoderLayer]:
    """Gradients at ``x`` and at the parameters. The residual path hands ``upstream`` on as it is."""

    def attend(z: Array, g: Array) -> tuple[Array, MultiHead]:
        as_query, as_memory, parameters = multi_head_backward(layer.attention, z, z, g, mask)
        return as_query + as_memory, parameters

    def feed(z: Array, g: Array) -> tuple[Array, FeedForward]:
        return feed_forward_backward(layer.feed, z, g)

    if pre:
        inner = layer.norm1(x)
        middle: Array = x + layer.attention(inner, inner, mask)
        at_norm2, d_feed = feed(layer.norm2(middle), upstream)
        through, d_norm2 = layer_norm_backward(layer.norm2, middle, at_norm2)
        at_middle = upstream + through
        at_norm1, d_attention = attend(inner, at_middle)
        through, d_norm1 = layer_norm_backward(layer.norm1, x, at_norm1)
        return at_middle + through, EncoderLayer(d_attention, d_norm1, d_feed, d_norm2)
    sum1 = x + layer.attention(x, x, mask)
    middle = layer.norm1(sum1)
    at_sum2, d_norm2 = layer_norm_backward(layer.norm2, middle + layer.feed(middle), upstream)
    through, d_feed = feed(middle, at_sum2)
    at_sum1, d_norm1 = layer_norm_backward(layer.norm1, sum1, at_sum2 + through)
    through, d_attention = attend(x, at_sum1)
    return at_sum1 + through, EncoderLayer(d_attention, d_norm1, d_feed, d_norm2)


def decoder_layer_backward(
    layer: DecoderLayer, x: Array, memory: Array, upstream: Array, mask: ArrayLike | None = None
) -> tuple[Array, Array, DecoderLayer]:
    """Gradients at ``x``, at ``memory`` and at the parameters, for post-norm, the paper's order, alone."""
    sum1 = x + layer.attention(x, x, mask)
    first = layer.norm1(sum1)
    sum2 = first + layer.cross(first, memory)
    second = layer.norm2(sum2)
    at_sum3, d_norm3 = layer_norm_backward(layer.norm3, second + layer.feed(second), upstream)
    through, d_feed = feed_forward_backward(layer.feed, second, at_sum3)
    at_sum2, d_norm2 = layer_norm_backward(layer.norm2, sum2, at_sum3 + through)
    through, at_memory, d_cross = multi_head_backward(layer.cross, first, memory, at_sum2)
    at_sum1, d_norm1 = layer_norm_backward(layer.norm1, sum1, at_sum2 + through)
    as_query, as_memory, d_attention = multi_head_backward(layer.attention, x, x, at_sum1, mask)
    parameters = DecoderLayer(d_attention, d_norm1, d_cross, d_norm2, d_feed, d_norm3)
    return at_sum1 + as_query + as_memory, at_memory, parameters
