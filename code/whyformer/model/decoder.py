r"""A decoder of today, of the Llama kind, from small parts: what has changed since 2017, in one sitting.

Against the decoder of 2017: RMSNorm before each sub-layer in place of LayerNorm after it, rotated queries and keys in
place of added positions, several queries for one key head, a gated feed-forward network, no bias, no attention to an
encoder, and one table for input and output. Touvron et al. 2023 (LLaMA) put most of these together.

Arrays are (n, d_model), one row for one token. As in :mod:`whyformer.model.layers` bad shapes raise ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths import attention_weights
from whyformer.maths.softmax import Array, softmax
from whyformer.model.layers import Heads, Linear, deaf_to, one_of
from whyformer.model.transformer import checked_ids


class RMSNorm(NamedTuple):
    r"""Zhang and Sennrich 2019: :math:`g \odot x / \sqrt{\overline{x^2} + \varepsilon}`: no mean is taken away."""

    gain: Array  #: (d_model,)
    epsilon: float = 1e-5

    def __call__(self, x: Array) -> Array:
        """From (..., d_model) to the same shape."""
        return self.gain * (x / np.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon))


def rotated(x: Array, places: ArrayLike, base: float) -> Array:
    r"""Su et al. 2021: entries 2i and 2i + 1 of a head turn by the angle :math:`t / b^{2i/d_k}` at place t.

    ``x`` (..., n, d_k), ``places`` (n,). The product of a rotated query and key depends on the distance of their
    places alone. Which entries make a pair is a convention: here neighbours, in other files the halves.
    """
    d_k = x.shape[-1]
    angle = np.asarray(places, float)[:, None] / base ** (np.arange(0, d_k, 2) / d_k)
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


class Kept(NamedTuple):
    """The cache of one layer: rotated keys and values of the tokens so far, (n_groups, n, d_k) each."""

    k: Array
    v: Array


class GroupedAttention(NamedTuple):
    r"""Ainslie et al. 2023: h query heads share g key and value heads, h / g of them one each.

    Weights: ``q`` (d_model, h d_k), ``k`` and ``v`` (d_model, g d_k), ``o`` (h d_k, d_model), all without bias. A token
    looks at itself and at earlier ones. Scores are divided by ``divisor``, :math:`\sqrt{d_k}` if None.
    """

    n_heads: int
    n_groups: int
    q: Linear
    k: Linear
    v: Linear
    o: Linear
    base: float
    divisor: float | None = None

    def heads(self, x: Array, kept: Kept | None = None) -> tuple[Heads, Kept]:
        """What each head computes for the tokens ``x`` (n, d_model), after those in ``kept``; and the cache with them.

        Queries and keys are rotated; keys and values are shown once for each query head, (h, n, d_k).
        """

        def split(rows: Array, count: int) -> Array:
            return rows.reshape(len(x), count, -1).swapaxes(0, 1)

        before = 0 if kept is None else kept.k.shape[1]
        places = before + np.arange(len(x))
        q = rotated(split(self.q(x), self.n_heads), places, self.base)
        k, v = rotated(split(self.k(x), self.n_groups), places, self.base), split(self.v(x), self.n_groups)
        if kept is not None:
            k, v = np.concatenate([kept.k, k], axis=1), np.concatenate([kept.v, v], axis=1)
        now = Kept(k, v)
        k, v = (np.repeat(one, self.n_heads // self.n_groups, axis=0) for one in (k, v))
        mask = np.arange(k.shape[1]) <= places[:, None]
        weights = attention_weights(q, k, mask=mask, divisor=self.divisor)
        return Heads(q, k, v, weights, weights @ v), now

    def __call__(self, x: Array, kept: Kept | None = None) -> tuple[Array, Kept]:
        """From (n, d_model) to the same shape, and the cache with the new tokens."""
        heads, now = self.heads(x, kept)
        return self.joined(heads), now

    def joined(self, heads: Heads) -> Array:
        """The outputs of all heads side by side, times W^O: (n, d_model)."""
        return self.o(heads.output.swapaxes(0, 1).reshape(heads.output.shape[1], -1))


def silu(x: Array) -> Array:
    r"""Elfwing et al. 2018: :math:`x / (1 + e^{-x})`."""
    return x * (0.5 * (1 + np.tanh(0.5 * x)))  # nothing overflows


class GatedFeedForward(NamedTuple):
    r"""Shazeer 2020, SwiGLU: :math:`(\operatorname{silu}(x W_1) \odot x W_3)\, W_2`."""

    gate: Linear  #: W_1 (d_model, d_ff)
    up: Linear  #: W_3 (d_model, d_ff)
    down: Linear  #: W_2 (d_ff, d_model)

    def __call__(self, x: Array) -> Array:
        """From (..., d_model) to the same shape."""
        return self.down(silu(self.gate(x)) * self.up(x))


class Block(NamedTuple):
    """Attention, then feed-forward, each behind a norm and beside a residual path (pre-norm)."""

    norm1: RMSNorm
    attention: GroupedAttention
    norm2: RMSNorm
    feed: GatedFeedForward

    def __call__(self, x: Array, kept: Kept | None = None) -> tuple[Array, Kept]:
        """From (n, d_model) to the same shape, and the cache with the new tokens."""
        return self.seen(x, kept)[:2]

    def seen(self, x: Array, kept: Kept | None = None) -> tuple[Array, Kept, Heads]:
        """What a call returns, and what each head has computed for it."""
        heads, now = self.attention.heads(self.norm1(x), kept)
        x = x + self.attention.joined(heads)
        return x + self.feed(self.norm2(x)), now, heads


class Decoder(NamedTuple):
    r"""Token ids (n,) to the logits of what comes next, (n, vocabulary).

    :math:`x_0 = E[\text{ids}]`; the blocks; then :math:`\operatorname{RMSNorm}(x_N)\, E^\top` with the same table E.
    """

    table: Array  #: (vocabulary, d_model)
    blocks: tuple[Block, ...]
    norm: RMSNorm

    def hidden(self, ids: ArrayLike) -> list[Array]:
        """The rows of the table and the output of each block: n_blocks + 1 arrays (n, d_model)."""
        return [x for x, _ in self.seen(ids)]

    def seen(self, ids: ArrayLike) -> Iterator[tuple[Array, Heads | None]]:
        """Block by block what leaves it, (n, d_model), and what its heads computed; first rows of the table, None."""
        x = self.table[checked_ids(ids, len(self.table))]
        yield x, None
        for block in self.blocks:
            x, _, heads = block.seen(x)
            yield x, heads

    def step(self, ids: ArrayLike, kept: tuple[Kept, ...] | None = None) -> tuple[Array, tuple[Kept, ...]]:
        """Logits (n, vocabulary) of the tokens ``ids`` after those in the cache ``kept``, and the cache with them."""
        x = self.table[checked_ids(ids, len(self.table))]
        now = []
        for block, before in zip(self.blocks, kept or [None] * len(self.blocks), strict=True):
            x, cache = block(x, before)
            now.append(cache)
        return self.norm(x) @ self.table.T, tuple(now)

    def loss(self, ids: ArrayLike) -> Array:
        """For each token but the first, minus the log of the probability that it had, in nats: (n - 1,)."""
        *_, (last, _) = self.seen(ids)
        return self.loss_at(last, ids)

    def loss_at(self, last: Array, ids: ArrayLike) -> Array:
        """The same, where the output of the last block, (n, d_model), is known."""
        costs = [np.zeros(0)]
        for start in range(0, len(last) - 1, 64):  # all logits of a long text would take a gigabyte
            wanted = np.asarray(ids)[start + 1 : start + 65]
            logits = (self.norm(last[start : start + len(wanted)]) @ self.table.T).astype(float)
            top = logits.max(-1, keepdims=True)
            total = np.log(np.exp(logits - top).sum(-1)) + top[:, 0]
            costs.append(total - logits[np.arange(len(wanted)), wanted])
        return np.concatenate(costs)

    def generate(
        self, ids: ArrayLike, count: int, temperature: float = 0.0, generator: np.random.Generator | None = None
    ) -> Iterator[int]:
        """``count`` tokens after ``ids``, one by one: the likeliest at temperature 0, else drawn with ``generator``.

        Raises ``ValueError`` for a negative temperature, and for a positive one without a generator.
        """
        if temperature < 0 or (temperature > 0 and generator is None):
            raise ValueError(f"temperature must be 0, or above it with a generator; got {temperature!r}")
        logits, kept = self.step(ids)
        for _ in range(count):
            last = logits[-1].astype(float)
            if temperature == 0 or generator is None:
                token = int(last.argmax())
            else:
                token = int(generator.choice(len(last), p=softmax(last / temperature)))
            yield token
            logits, kept = self.step([token], kept)

    def with_divisor(self, divisor: float | None) -> Decoder:
        """The same weights, with every score divided by ``divisor`` (None: sqrt(d_k))."""
        blocks = (one._replace(attention=one.attention._replace(divisor=divisor)) for one in self.blocks)
        return self._replace(blocks=tuple(blocks))

    def without_head(self, layer: int, head: int) -> Decoder:
        """The same weights, but nothing reads what one head hands on; both count from 1. ``IndexError`` if not there.

        The head still looks somewhere, and that is still shown: zeros stand in the rows of W^O that read it.
        """
        block = one_of(self.blocks, layer)
        attention = block.attention._replace(o=deaf_to(block.attention.o, block.attention.n_heads, head))
        changed = block._replace(attention=attention)
        return self._replace(blocks=(*self.blocks[: layer - 1], changed, *self.blocks[layer:]))
