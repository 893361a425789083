r"""The parts that every Transformer is made of: small immutable objects that hold parameters and can be called.

Names and formulas: Vaswani et al. 2017, "Attention Is All You Need", sections 3.1 to 3.5. Everything works on arrays
(..., n, d_model): one row for one token, leading axes are batch axes. A mask is boolean, broadcastable to
(..., n_queries, n_keys), and True where a query may look, as in :mod:`whyformer.maths`.

Bad shapes raise ``ValueError`` where they are first met. The backward passes are in ``backward.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths import attention_weights
from whyformer.maths.softmax import Array, Booleans

_T = TypeVar("_T")

SITES = ("embedding", "attention", "hidden", "residual")


class Dropout(NamedTuple):
    r"""Inverted dropout at named sites: an entry is 0 with probability p, else divided by 1 - p.

    Sites: ``embedding`` (sum of embedding and position), ``residual`` (output of each sub-layer, before it is added),
    ``attention`` (attention weights), ``hidden`` (inside the feed-forward network). Section 5.4 of the paper names the
    first two, with p = 0.1. Without a generator nothing is dropped: that is evaluation.
    Raises ``ValueError`` for an unknown site or a rate outside [0, 1).
    """

    generator: np.random.Generator | None = None
    rates: Mapping[str, float] = {"embedding": 0.1, "residual": 0.1}

    def __call__(self, site: str, x: Array) -> Array:
        """The array ``x`` with entries dropped as ``site`` has it; ``x`` itself in evaluation."""
        for name, rate in self.rates.items():
            if name not in SITES or not 0 <= rate < 1:
                raise ValueError(f"dropout takes sites {', '.join(SITES)} with rates in [0, 1); got {name!r}: {rate!r}")
        p = self.rates.get(site, 0.0)
        if self.generator is None or p == 0:
            return x
        return np.where(self.generator.random(x.shape) < p, 0, x / (1 - p)).astype(x.dtype)


KEEP = Dropout()


def for_each_row(parameter: Array, x: Array) -> Array:
    """A parameter (..., d) of models side by side, with axes of size 1 where x (..., rows, d) has its rows."""
    if parameter.ndim == 1:
        return parameter
    return parameter.reshape(*parameter.shape[:-1], *(1,) * (x.ndim - parameter.ndim), parameter.shape[-1])


class Linear(NamedTuple):
    """x W + b. The weight is (d_in, d_out), the transpose of PyTorch's; the bias (d_out,) may be missing.

    Both may have more axes in front, for models side by side; ``x`` then begins with the same axes.
    """

    weight: Array
    bias: Array | None = None

    def __call__(self, x: Array) -> Array:
        """From (..., d_in) to (..., d_out)."""
        rows = x.reshape(*self.weight.shape[:-2], -1, x.shape[-1]) @ self.weight  # one product for the whole batch
        y = rows.reshape(*x.shape[:-1], self.weight.shape[-1])
        return y if self.bias is None else y + for_each_row(self.bias, x)


class LayerNorm(NamedTuple):
    r"""Ba, Kiros and Hinton 2016: :math:`g \odot (x - \mu) / \sqrt{\sigma^2 + \varepsilon} + b`, over the last axis.

    Mean :math:`\mu` and variance :math:`\sigma^2` (mean square deviation, not divided by n - 1) are those of one
    token's features. ``gain`` g and ``bias`` b have shape (d_model,), or more axes in front, as in :class:`Linear`.
    """

    gain: Array
    bias: Array
    epsilon: float = 1e-5

    def __call__(self, x: Array) -> Array:
        """From (..., d_model) to the same shape."""
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred * centred).mean(-1, keepdims=True)
        unit = centred / np.sqrt(variance + self.epsilon)
        return for_each_row(self.gain, x) * unit + for_each_row(self.bias, x)


def relu(x: Array) -> Array:
    """max(x, 0)."""
    return np.maximum(x, 0)


def gelu(x: Array) -> Array:
    r"""Hendrycks and Gimpel 2016: :math:`x\, \Phi(x)`, with the exact normal distribution function, as in BERT."""
    from scipy.special import ndtr  # SciPy comes with the extra "model"

    return x * ndtr(x)


class FeedForward(NamedTuple):
    """Section 3.3: activation(x W_1 + b_1) W_2 + b_2, for each position alone.

    ``up`` is W_1 (d_model, d_ff) with b_1, ``down`` W_2 (d_ff, d_model) with b_2.
    """

    up: Linear
    down: Linear
    activation: Callable[[Array], Array] = relu

    def __call__(self, x: Array, drop: Dropout = KEEP) -> Array:
        """From (..., n, d_model) to the same shape; dropout at the site ``hidden``."""
        return self.down(drop("hidden", self.activation(self.up(x))))


class Heads(NamedTuple):
    """What one multi-head attention computes on the way; leading axes of the batch come first."""

    q: Array  #: (..., n_heads, n_queries, d_k)
    k: Array  #: (..., n_heads, n_keys, d_k)
    v: Array  #: (..., n_heads, n_keys, d_v)
    weights: Array  #: (..., n_heads, n_queries, n_keys)
    output: Array  #: (..., n_heads, n_queries, d_v)


def every_head(mask: ArrayLike | None) -> Booleans | None:
    """(..., n_queries, n_keys) to (..., 1, n_queries, n_keys): one mask serves all heads."""
    return None if mask is None else np.expand_dims(np.atleast_2d(mask), -3)


class MultiHead(NamedTuple):
    r"""Section 3.2.2: attention in h heads at once, :math:`\operatorname{Concat}(head_1, \ldots, head_h)\, W^O`.

    The h projections of the paper stand side by side in one matrix: columns i d_k to (i + 1) d_k of ``q.weight`` are
    W_i^Q, and likewise ``k`` and ``v``; ``o`` is W^O. Weights: q and k (d_model, h d_k), v (d_model, h d_v), o (h d_v,
    d_model). ``divisor`` is what scores are divided by, sqrt(d_k) if None.
    """

    n_heads: int
    q: Linear
    k: Linear
    v: Linear
    o: Linear
    divisor: float | None = None

    def split(self, x: Array) -> Array:
        """(..., n, h d_k) to (..., h, n, d_k)."""
        *rows, d = x.shape
        if d % self.n_heads:
            raise ValueError(f"d_model must be a multiple of n_heads = {self.n_heads}; got width {d}")
        return np.swapaxes(x.reshape(*rows, self.n_heads, d // self.n_heads), -3, -2)

    def merge(self, x: Array) -> Array:
        """(..., h, n, d_k) to (..., n, h d_k), the inverse of :meth:`split`."""
        *leading, h, n, d_k = x.shape
        return np.swapaxes(x, -3, -2).reshape(*leading, n, h * d_k)

    def heads(self, x: Array, memory: Array, mask: ArrayLike | None = None, drop: Dropout = KEEP) -> Heads:
        """What each head computes, with dropout at the site ``attention``.

        Queries come from ``x`` (..., n_queries, d_model), keys and values from ``memory`` (..., n_keys, d_model).
        Raises ``ValueError`` if a width is no multiple of h or the mask does not fit.
        """
        q, k, v = self.split(self.q(x)), self.split(self.k(memory)), self.split(self.v(memory))
        weights = attention_weights(q, k, mask=every_head(mask), divisor=self.divisor)
        return Heads(q, k, v, weights, drop("attention", weights) @ v)

    def __call__(self, x: Array, memory: Array, mask: ArrayLike | None = None, drop: Dropout = KEEP) -> Array:
        """From ``x`` (..., n_queries, d_model) to the same shape; other arguments as in :meth:`heads`."""
        return self.joined(self.heads(x, memory, mask, drop))  # (..., n_queries, d_model)

    def joined(self, heads: Heads) -> Array:
        """The outputs of all heads side by side, times W^O: (..., n_queries, d_model)."""
        return self.o(self.merge(heads.output))

    def without_head(self, head: int) -> MultiHead:
        """The same with zeros in those rows of W^O that read one head, counted from 1."""
        return self._replace(o=deaf_to(self.o, self.n_heads, head))


def deaf_to(o: Linear, n_heads: int, head: int) -> Linear:
    """W^O (h d_v, d_model) with zeros where it reads one head, counted from 1. ``IndexError`` if there is no such."""
    if head not in range(1, n_heads + 1):
        raise IndexError(f"head must be a whole number from 1 to {n_heads}; got {head!r}")
    weight = o.weight.copy()
    weight.reshape(n_heads, -1, weight.shape[-1])[head - 1] = 0
    return o._replace(weight=weight)


def residual(x: Array, norm: LayerNorm, sublayer: Callable[[Array], Array], pre: bool, drop: Dropout) -> Array:
    """Section 5.4: LayerNorm(x + Sublayer(x)) after the sum (post); x + Sublayer(LayerNorm(x)) before it (pre)."""
    return x + drop("residual", sublayer(norm(x))) if pre else norm(x + drop("residual", sublayer(x)))


class EncoderLayer(NamedTuple):
    """Section 3.1: self-attention, then feed-forward, each with a residual path and a LayerNorm."""

    attention: MultiHead
    norm1: LayerNorm
    feed: FeedForward
    norm2: LayerNorm

    def __call__(self, x: Array, mask: ArrayLike | None = None, pre: bool = False, drop: Dropout = KEEP) -> Array:
        """From (..., n, d_model) to the same shape; ``pre`` chooses pre-norm, as in :func:`residual`."""
        return self.seen(x, mask, pre, drop)[0]

    def seen(
        self, x: Array, mask: ArrayLike | None = None, pre: bool = False, drop: Dropout = KEEP
    ) -> tuple[Array, Heads]:
        """What a call returns, and what each head has computed for it."""
        z = self.norm1(x) if pre else x
        heads = self.attention.heads(z, z, mask, drop)
        x = residual(x, self.norm1, lambda _: self.attention.joined(heads), pre, drop)
        return residual(x, self.norm2, lambda z: self.feed(z, drop), pre, drop), heads  # (..., n, d_model)


class DecoderLayer(NamedTuple):
    """Section 3.1: masked self-attention, attention to the encoder's output, then feed-forward."""

    attention: MultiHead
    norm1: LayerNorm
    cross: MultiHead
    norm2: LayerNorm
    feed: FeedForward
    norm3: LayerNorm

    def __call__(
        self, x: Array, memory: Array, mask: ArrayLike | None, memory_mask: ArrayLike | None = None,
        pre: bool = False, drop: Dropout = KEEP,
    ) -> Array:  # fmt: skip
        """From ``x`` (..., n_target, d_model) to the same shape.

        ``memory`` (..., n_source, d_model): the encoder's output; ``mask``: where the target may look in itself,
        usually :func:`causal`; ``memory_mask``: where in the source; ``pre`` as in :func:`residual`.
        """
        x = residual(x, self.norm1, lambda z: self.attention(z, z, mask, drop), pre, drop)
        x = residual(x, self.norm2, lambda z: self.cross(z, memory, memory_mask, drop), pre, drop)
        return residual(x, self.norm3, lambda z: self.feed(z, drop), pre, drop)  # (..., n_target, d_model)


def positions(n: int, d_model: int) -> Array:
    r"""Section 3.5: :math:`\sin(t / 10000^{2i/d})` in column 2i, the cosine in column 2i + 1. Returns (n, d_model)."""
    odd = np.arange(d_model) % 2
    angle = np.arange(n)[:, None] / 10000.0 ** ((np.arange(d_model) - odd) / d_model)
    return np.where(odd, np.cos(angle), np.sin(angle))


def causal(n: int) -> Booleans:
    """Mask of the decoder, (n, n): position i may look at positions 0 to i."""
    return np.tri(n, dtype=bool)


def one_of(layers: tuple[_T, ...], layer: int) -> _T:
    """A layer by its number from 1. ``IndexError`` that says which there are."""
    if layer not in range(1, len(layers) + 1):
        raise IndexError(f"layer must be a whole number from 1 to {len(layers)}; got {layer!r}")
    return layers[layer - 1]


def taken(tensors: Mapping[str, Array], name: str, *shape: int) -> Array:
    """The tensor of a file of weights; ``ValueError`` if it is missing or has another shape."""
    if name not in tensors:
        raise ValueError(f"the weights lack {name}")
    if tensors[name].shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {tensors[name].shape}")
    return tensors[name]
