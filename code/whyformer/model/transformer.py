r"""The encoder-decoder of Vaswani et al. 2017, "Attention Is All You Need", whole.

Our names: ``source`` and ``target`` are token ids, ``memory`` is the encoder's output. Where the paper leaves a choice,
we take what its code did from November 2017 on: no biases in the attention projections (the first release had them);
biases in the feed-forward network.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths.softmax import Array, Booleans, Integers
from whyformer.model.layers import (
    KEEP,
    DecoderLayer,
    Dropout,
    EncoderLayer,
    FeedForward,
    LayerNorm,
    Linear,
    MultiHead,
    causal,
    positions,
)  # fmt: skip


class Config(NamedTuple):
    """Sizes and choices of a :class:`Transformer`; the defaults are the base model of table 3.

    ``norm`` is "post" (the paper) or "pre"; ``tied`` shares one matrix between both embeddings and the output (section
    3.4). The paper's letters: N is ``n_layers`` (of each stack), h is ``n_heads``.
    """

    d_model: int = 512
    n_heads: int = 8
    d_ff: int = 2048
    n_layers: int = 6
    vocabulary: int = 37000
    norm: str = "post"
    tied: bool = True

    def checked(self) -> Config:
        """Itself, or a ``ValueError`` that names the field and what is allowed."""
        for name in ("d_model", "n_heads", "d_ff", "n_layers", "vocabulary"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} must be a whole number, 1 or more; got {value!r}")
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model must be a multiple of n_heads; got {self.d_model} and {self.n_heads}")
        if self.norm not in ("post", "pre"):
            raise ValueError(f'norm must be "post" or "pre"; got {self.norm!r}')
        return self

    def n_parameters(self) -> int:
        r"""By formula: :math:`N (12 d^2 + 2 (2 d\, d_{ff} + d_{ff} + d) + 10 d) + V d`, for post-norm and tied.

        An encoder layer has 4 d² in attention, a decoder layer 8 d²; each has one feed-forward network; their 2 and 3
        LayerNorms have 2 d each. Untied there are three matrices V d; pre-norm ends each stack with one LayerNorm more.
        """
        d, f = self.d_model, self.d_ff
        layers = self.n_layers * (12 * d * d + 2 * (2 * d * f + f + d) + 10 * d)
        return layers + (1 if self.tied else 3) * self.vocabulary * d + (4 * d if self.norm == "pre" else 0)


class Transformer(NamedTuple):
    """The encoder-decoder of Vaswani et al. 2017, section 3: token ids to logits of each next token.

    Made by :func:`initial`; ``_replace`` makes a variant. Raises ``ValueError`` for ids that are no integers from 0 to
    vocabulary - 1. ``drop`` drops entries in training (:class:`whyformer.model.layers.Dropout`).
    """

    config: Config
    source: Array  #: embedding of the source, (vocabulary, d_model); the three are one array when tied
    target: Array  #: embedding of the target, (vocabulary, d_model)
    output: Array  #: what the output is multiplied by, transposed, (vocabulary, d_model)
    encoder: tuple[EncoderLayer, ...]
    decoder: tuple[DecoderLayer, ...]
    encoder_end: LayerNorm | None  #: pre-norm only: nothing else would bound what leaves the stack
    decoder_end: LayerNorm | None

    def embed(self, table: Array, ids: ArrayLike, drop: Dropout = KEEP) -> Array:
        r"""Section 3.4: :math:`\sqrt{d_{model}}` times rows of the table, plus positions.

        ``table`` (vocabulary, d_model), ids (..., n); returns (..., n, d_model).
        """
        ids = checked_ids(ids, len(table))
        d = self.config.d_model
        x = table[ids] * table.dtype.type(np.sqrt(d)) + positions(ids.shape[-1], d).astype(table.dtype)
        return drop("embedding", x)

    def encode(self, source: ArrayLike, source_mask: ArrayLike | None = None, drop: Dropout = KEEP) -> Array:
        """Memory (..., n_source, d_model). ``source_mask`` (..., n_source) is True for tokens, False for padding."""
        x = self.embed(self.source, source, drop)
        mask = looks_at(source_mask)
        for layer in self.encoder:
            x = layer(x, mask, self.config.norm == "pre", drop)
        return x if self.encoder_end is None else self.encoder_end(x)

    def decode(
        self, target: ArrayLike, memory: Array, source_mask: ArrayLike | None = None, drop: Dropout = KEEP
    ) -> Array:
        """Logits (..., n_target, vocabulary) for the token after each of ``target`` (..., n_target)."""
        x = self.embed(self.target, target, drop)
        for layer in self.decoder:
            x = layer(x, memory, causal(x.shape[-2]), looks_at(source_mask), self.config.norm == "pre", drop)
        x = x if self.decoder_end is None else self.decoder_end(x)
        return x @ self.output.T

    def __call__(
        self, source: ArrayLike, target: ArrayLike, source_mask: ArrayLike | None = None, drop: Dropout = KEEP
    ) -> Array:
        """Logits (..., n_target, vocabulary): :meth:`encode`, then :meth:`decode`."""
        return self.decode(target, self.encode(source, source_mask, drop), source_mask, drop)

    def greedy(self, source: ArrayLike, start: int, end: int, most: int = 50) -> list[int]:
        """Tokens for one sentence of ids: each time the most probable next one, until ``end`` or ``most`` of them."""
        memory, out = self.encode(source), [start]
        while len(out) <= most and (len(out) == 1 or out[-1] != end):
            out.append(int(self.decode(out, memory)[-1].argmax()))
        return out[1:]


def checked_ids(ids: ArrayLike, vocabulary: int) -> Integers:
    """Token ids as an integer array, or a ``ValueError`` that says what is allowed."""
    ids = np.asarray(ids)
    if ids.ndim < 1 or ids.size == 0:
        raise ValueError(f"token ids must be a row of at least one; got shape {ids.shape}")
    if ids.dtype.kind not in "iu" or ids.min() < 0 or ids.max() >= vocabulary:
        raise ValueError(f"token ids must be integers from 0 to {vocabulary - 1}; got {ids.reshape(-1)[:8].tolist()}")
    return ids


def looks_at(token_mask: ArrayLike | None) -> Booleans | None:
    """(..., n) True for tokens to a mask (..., 1, n): no query looks at padding."""
    return None if token_mask is None else np.asarray(token_mask)[..., None, :]


def initial(config: Config, generator: np.random.Generator, dtype: type = np.float64) -> Transformer:
    """A fresh model. Raises ``ValueError`` for a config that cannot be (:meth:`Config.checked`).

    Matrices after Glorot and Bengio 2010 (uniform), biases 0, gains 1, embeddings normal with variance 1/d_model; of
    the type ``dtype``.
    """
    c = config.checked()
    d = c.d_model

    def matrix(d_in: int, d_out: int) -> Array:
        limit = np.sqrt(6 / (d_in + d_out))
        return generator.uniform(-limit, limit, (d_in, d_out)).astype(dtype, copy=False)

    def table() -> Array:
        return (generator.standard_normal((c.vocabulary, d)) / np.sqrt(d)).astype(dtype)

    def norm() -> LayerNorm:
        return LayerNorm(np.ones(d, dtype), np.zeros(d, dtype))

    def heads() -> MultiHead:
        q, k, v, o = (Linear(matrix(d, d)) for _ in range(4))
        return MultiHead(c.n_heads, q, k, v, o)

    def feed() -> FeedForward:
        up, down = matrix(d, c.d_ff), matrix(c.d_ff, d)
        return FeedForward(Linear(up, np.zeros(c.d_ff, dtype)), Linear(down, np.zeros(d, dtype)))

    source = table()
    target, output = (source, source) if c.tied else (table(), table())
    end = [norm(), norm()] if c.norm == "pre" else [None, None]
    encoder = tuple(EncoderLayer(heads(), norm(), feed(), norm()) for _ in range(c.n_layers))
    decoder = tuple(DecoderLayer(heads(), norm(), heads(), norm(), feed(), norm()) for _ in range(c.n_layers))
    return Transformer(c, source, target, output, encoder, decoder, *end)


def count_parameters(model: object) -> int:
    """By array: the sizes of all arrays in a model or a part of it, each array once."""
    found: dict[int, int] = {}

    def visit(part: object) -> None:
        if isinstance(part, np.ndarray):
            found[id(part)] = part.size
        elif isinstance(part, tuple):
            for child in part:
                visit(child)

    visit(model)
    return sum(found.values())
