r"""Fresh residual stacks, many at once: forward, and the gradients at the second matrix of each feed-forward network.

A layer is attention and then a feed-forward network, or the network alone. Each adds to a stream, with the norm after
the sum (``"post"``), before the sub-layer (``"pre"``) or nowhere (``"none"``); no gains, no biases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whyformer.maths.softmax import Array, softmax

PLACES = ("post", "pre", "none")
EPSILON = 1e-5


class Stacks(NamedTuple):
    """The weights of many stacks, and what enters them. The first axis is that of the stacks."""

    x: Array  # (stacks, tokens, d): the stream's input
    readout: Array  # (stacks, d, classes): to the logits
    w1: Array  # (stacks, layers, d, d_ff)
    w2: Array  # (stacks, layers, d_ff, d)
    attention: Array | None = None  # (stacks, layers, 4, d, d): W_Q, W_K, W_V, W_O
    n_heads: int = 1


def drawn(
    n_layers: int, attention: bool = True, stacks: int = 100, d: int = 32, n: int = 16, n_heads: int = 4, seed: int = 0
) -> Stacks:
    """Fresh stacks: entries of ``x`` have variance 1, those of a matrix 1 over its rows; d classes, d_ff = 4d."""
    rng = np.random.default_rng(seed)

    def matrices(*shape: int) -> Array:
        numbers = rng.standard_normal((stacks, *shape))
        numbers /= np.sqrt(shape[-2])  # in place: these are the large arrays
        return numbers

    x, readout = rng.standard_normal((stacks, n, d)), matrices(d, d)
    w1, w2 = matrices(n_layers, d, 4 * d), matrices(n_layers, 4 * d, d)
    return Stacks(x, readout, w1, w2, matrices(n_layers, 4, d, d) if attention else None, n_heads)


def layer_norm(x: Array) -> tuple[Array, Array]:
    """Rows with mean 0 and variance 1, and the standard deviations they had."""
    centred = x - x.mean(-1, keepdims=True)
    sigma = np.sqrt((centred * centred).mean(-1, keepdims=True) + EPSILON)
    return centred / sigma, sigma


def layer_norm_backward(unit: Array, sigma: Array, upstream: Array) -> Array:
    r"""(u - mean(u) - x̂ mean(u x̂)) / sigma, means over the features of a token."""
    mean = upstream.mean(-1, keepdims=True)
    return (upstream - mean - unit * (upstream * unit).mean(-1, keepdims=True)) / sigma


def length(x: Array) -> Array:
    """Root of the sum of squares over the last two axes."""
    flat = x.reshape(*x.shape[:-2], -1)
    return np.asarray(np.sqrt(np.vecdot(flat, flat)))


class Sub(NamedTuple):
    """What a sub-layer leaves for the backward pass; sigmas are (stacks, tokens, 1), or None where no norm stands."""

    u: Array  # what enters it
    sigma_in: Array | None  # what the norm before it divided by
    kept: tuple[Array, ...]  # of attention q, k, v, the weights and the merged output; of the network, what W_2 gets
    x: Array  # the stream that leaves it
    sigma_out: Array | None  # what the norm after the sum divided by


def _split(x: Array, heads: int) -> Array:
    stacks, tokens, d = x.shape
    return x.reshape(stacks, tokens, heads, d // heads).swapaxes(1, 2)


def _merge(x: Array) -> Array:
    stacks, heads, tokens, d_k = x.shape
    return x.swapaxes(1, 2).reshape(stacks, tokens, heads * d_k)


def attend(u: Array, w: Array, heads: int) -> tuple[Array, tuple[Array, ...]]:
    """Multi-head self-attention of (stacks, tokens, d) by ``w`` (stacks, 4, d, d), and what its gradient needs."""
    q, k, v = (_split(u @ w[:, i], heads) for i in range(3))
    weights = softmax(q @ k.mT / np.sqrt(q.shape[-1]))
    merged = _merge(weights @ v)
    return merged @ w[:, 3], (q, k, v, weights, merged)


def attend_backward(kept: tuple[Array, ...], w: Array, heads: int, upstream: Array) -> Array:
    """The gradient at what entered the attention."""
    q, k, v, weights, _ = kept
    at_output = _split(upstream @ w[:, 3].mT, heads)
    at_weights = at_output @ v.mT
    at_scores = weights * (at_weights - (at_weights * weights).sum(-1, keepdims=True)) / np.sqrt(q.shape[-1])
    parts = at_scores @ k, at_scores.mT @ q, weights.mT @ at_output
    return sum((_merge(part) @ w[:, i].mT for i, part in enumerate(parts)), np.zeros_like(upstream))


def forward(place: str, stacks: Stacks) -> tuple[list[Sub], Array]:
    """All sub-layers, and the root mean square of the stream from its input on, by layer, (stacks, layers + 1)."""
    w1, w2, attention, heads = stacks.w1, stacks.w2, stacks.attention, stacks.n_heads
    x: Array = stacks.x
    subs = []
    scale: list[Array] = [np.sqrt((x * x).mean((-2, -1)))]
    for i in range(w1.shape[1]):
        for kind in ("feed",) if attention is None else ("attention", "feed"):
            u, sigma_in = layer_norm(x) if place == "pre" else (x, None)
            if kind == "attention" and attention is not None:
                added, kept = attend(u, attention[:, i], heads)
            else:
                hidden = np.maximum(u @ w1[:, i], 0)
                added, kept = hidden @ w2[:, i], (hidden,)
            x = x + added
            x, sigma_out = layer_norm(x) if place == "post" else (x, None)
            subs.append(Sub(u, sigma_in, kept, x, sigma_out))
        scale.append(np.sqrt((x * x).mean((-2, -1))))
    return subs, np.stack(scale, 1)


def backward(place: str, stacks: Stacks, subs: list[Sub], down_to: int = 0) -> tuple[Array, Array]:
    """Lengths of gradients in the stack made of ``subs``: at its second matrices, and at its stream.

    At W_2 of each layer from ``down_to`` (counted from 0) on, (stacks, L - down_to); at the stream that enters each of
    these layers and that leaves the last, one more. The loss is the mean cross-entropy if token i is to be class i.
    Pre-norm has one more norm before the readout.
    """
    _, readout, w1, w2, attention, heads = stacks
    per_layer = 1 if attention is None else 2
    last, sigma = layer_norm(subs[-1].x) if place == "pre" else (subs[-1].x, None)
    tokens, classes = last.shape[-2], readout.shape[-1]
    g: Array = (softmax(last @ readout) - np.eye(tokens, classes)) @ readout.mT / tokens
    g = g if sigma is None else layer_norm_backward(last, sigma, g)
    at_matrix: list[Array] = []
    at_stream = [length(g)]
    for number in reversed(range(per_layer * down_to, len(subs))):
        u, sigma_in, kept, x, sigma_out = subs[number]
        through: Array
        i, is_feed = number // per_layer, (number + 1) % per_layer == 0
        g = g if sigma_out is None else layer_norm_backward(x, sigma_out, g)
        if is_feed or attention is None:
            at_matrix.append(length(kept[0].mT @ g))
            through = (g @ w2[:, i].mT * (kept[0] > 0)) @ w1[:, i].mT
        else:
            through = attend_backward(kept, attention[:, i], heads, g)
        g = g + (through if sigma_in is None else layer_norm_backward(u, sigma_in, through))
        if number % per_layer == 0:
            at_stream.append(length(g))
    return np.stack(at_matrix[::-1], 1), np.stack(at_stream[::-1], 1)


def gradients(place: str, stacks: Stacks) -> Array:
    """Length of the gradient at W_2, by stack and layer, (stacks, layers)."""
    return backward(place, stacks, forward(place, stacks)[0])[0]
