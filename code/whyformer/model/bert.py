"""An encoder of the BERT kind (Devlin et al. 2019) from the parts of :mod:`whyformer.model.layers`.

Against the encoder of 2017: learned positions and a table of segments, a LayerNorm on the embedding, biases in the
attention, GELU in place of ReLU. The order is the same: post-norm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths.softmax import Array
from whyformer.model.layers import EncoderLayer, FeedForward, Heads, LayerNorm, Linear, MultiHead, gelu, one_of, taken
from whyformer.model.transformer import checked_ids, looks_at


class Bert(NamedTuple):
    r"""An encoder of the BERT kind: token ids (..., n) to hidden states (..., n, d_model).

    :math:`x_0 = \operatorname{LayerNorm}(E + P + S)`, the sum of a token's, a position's and a segment's row; then the
    layers, post-norm. Devlin et al. 2019, section 3, write L for the number of ``layers``, H for d_model and A for the
    heads. ``token_mask`` (..., n) is True for tokens, False for padding. Raises ``ValueError`` for ids outside the
    vocabulary and for more tokens than there are positions.
    """

    tokens: Array  #: (vocabulary, d_model)
    positions: Array  #: (longest, d_model)
    segments: Array  #: (2, d_model); only the first is used here
    norm: LayerNorm
    layers: tuple[EncoderLayer, ...]

    def embed(self, ids: ArrayLike) -> Array:
        """Token ids (..., n) to (..., n, d_model)."""
        ids = checked_ids(ids, len(self.tokens))
        n = ids.shape[-1]
        if n > len(self.positions):
            raise ValueError(f"at most {len(self.positions)} tokens have a position; got {n}")
        return self.norm(self.tokens[ids] + self.positions[:n] + self.segments[0])

    def hidden(self, ids: ArrayLike, token_mask: ArrayLike | None = None) -> list[Array]:
        """The embedding and the output of each layer: n_layers + 1 arrays (..., n, d_model)."""
        out = [self.embed(ids)]
        for layer in self.layers:
            out.append(layer(out[-1], looks_at(token_mask)))
        return out

    def seen(self, ids: ArrayLike) -> Iterator[tuple[Array, Heads | None]]:
        """Layer by layer what leaves it, (..., n, d_model), and what its heads computed; first the embedding, None."""
        x = self.embed(ids)
        yield x, None
        for layer in self.layers:
            x, heads = layer.seen(x)
            yield x, heads

    def sentence(self, ids: ArrayLike, token_mask: ArrayLike | None = None) -> Array:
        """One vector of length 1 for each row of ids, (..., d_model): the mean over its tokens, normalised.

        Reimers and Gurevych 2019, with mean pooling.
        """
        return pooled(self.hidden(ids, token_mask)[-1], token_mask)

    def with_divisor(self, divisor: float | None) -> Bert:
        """The same weights, with every score divided by ``divisor`` (None: sqrt(d_k))."""
        layers = (layer._replace(attention=layer.attention._replace(divisor=divisor)) for layer in self.layers)
        return self._replace(layers=tuple(layers))

    def without_head(self, layer: int, head: int) -> Bert:
        """The same weights, but nothing reads what one head hands on; both count from 1. ``IndexError`` if not there.

        The head still looks somewhere, and that is still shown: zeros stand in the rows of W^O that read it.
        """
        attention = one_of(self.layers, layer).attention.without_head(head)
        changed = one_of(self.layers, layer)._replace(attention=attention)
        return self._replace(layers=(*self.layers[: layer - 1], changed, *self.layers[layer:]))


def pooled(hidden: Array, token_mask: ArrayLike | None = None) -> Array:
    """Mean over the tokens that ``token_mask`` (..., n) keeps, divided by its length: (..., d_model)."""
    keep = np.ones(hidden.shape[:-1]) if token_mask is None else np.asarray(token_mask)
    keep = keep.astype(hidden.dtype)[..., None]
    mean = (hidden * keep).sum(-2) / keep.sum(-2)
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def from_tensors(tensors: Mapping[str, Array], config: Mapping[str, Any]) -> Bert:
    """The model in a published BERT file: ``tensors`` by their names there, ``config`` the file config.json.

    Raises ``ValueError`` that names a tensor which is missing or has another shape than ``config`` says, and for a
    config that this code does not compute (another activation, relative positions).
    """
    for field, only in (("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
        if config.get(field, only) != only:
            raise ValueError(f"config.json: {field} must be {only!r}; got {config[field]!r}")
    d, f, n_heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
    epsilon = config["layer_norm_eps"]

    take = partial(taken, tensors)

    def linear(name: str, d_in: int, d_out: int) -> Linear:
        weight = take(f"{name}.weight", d_out, d_in)  # PyTorch computes x W^T
        return Linear(np.ascontiguousarray(weight.T), take(f"{name}.bias", d_out))

    def norm(name: str) -> LayerNorm:
        return LayerNorm(take(f"{name}.weight", d), take(f"{name}.bias", d), epsilon)

    def layer(name: str) -> EncoderLayer:
        q, k, v = (linear(f"{name}.attention.self.{which}", d, d) for which in ("query", "key", "value"))
        attention = MultiHead(n_heads, q, k, v, linear(f"{name}.attention.output.dense", d, d))
        feed = FeedForward(linear(f"{name}.intermediate.dense", d, f), linear(f"{name}.output.dense", f, d), gelu)
        return EncoderLayer(
            attention, norm(f"{name}.attention.output.LayerNorm"), feed, norm(f"{name}.output.LayerNorm")
        )  # fmt: skip

    return Bert(
        take("embeddings.word_embeddings.weight", config["vocab_size"], d),
        take("embeddings.position_embeddings.weight", config["max_position_embeddings"], d),
        take("embeddings.token_type_embeddings.weight", config["type_vocab_size"], d),
        norm("embeddings.LayerNorm"),
        tuple(layer(f"encoder.layer.{i}") for i in range(config["num_hidden_layers"])),
    )
