"""The decoder of today reads many texts in one pass, with one thing changed inside: the other modules measure with it.

The model is :func:`whyformer.model.smollm.load`'s, the texts are 30 written for these measurements. Nothing is put in
front of a text: its first token is its first word's. Layers, heads and entries of a vector count from 1.

``whole``: each text to its end. ``start``: its first 24 tokens. ``short``: its first 12. A loss is the mean over a
text's tokens but the first, in nats; a cost is the loss with a change minus the loss without.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths import attention_weights
from whyformer.maths.softmax import Array
from whyformer.model.decoder import Block, Decoder, rotated
from whyformer.model.layers import Heads, Linear
from whyformer.model.smollm import FILE, SHA256, SmolLM

START, SHORT = 24, 12
SINGLE = (1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30)  # layers that are changed alone
CHUNK = 256  # so many rows of logits at a time


class Texts(NamedTuple):
    """Token ids of several texts."""

    ids: tuple[tuple[int, ...], ...]

    def cut(self, n: int) -> Texts:
        """The first ``n`` tokens of each."""
        return Texts(tuple(one[:n] for one in self.ids))

    def slices(self) -> list[slice]:
        """Where each stands when they are written one after the other."""
        ends = np.cumsum([len(one) for one in self.ids])
        return [slice(int(end) - len(one), int(end)) for one, end in zip(self.ids, ends, strict=True)]

    def firsts(self) -> list[int]:
        """The rows of their first tokens."""
        return [at.start for at in self.slices()]

    def flat(self) -> list[int]:
        """All ids, one text after the other."""
        return [i for one in self.ids for i in one]


@cache
def texts_by_kind() -> dict[str, str]:
    """The 30 texts, by what kind of text each is."""
    whole = (files(__package__) / "decoder_texts.txt").read_text(encoding="utf-8")
    parts = re.split(r"^=== (.*)\n", whole, flags=re.MULTILINE)[1:]
    return {kind: text.removesuffix("\n") for kind, text in zip(parts[::2], parts[1::2], strict=True)}


def tokens_of(smol: SmolLM) -> Texts:
    """The 30 texts as tokens."""
    return Texts(tuple(tuple(smol.pieces(text)) for text in texts_by_kind().values()))


def random_texts(decoder: Decoder, rng: np.random.Generator, count: int, n: int) -> Texts:
    """Texts of ``n`` tokens drawn evenly from those that stand for text (the first 17 mark the turns of a talk)."""
    drawn = rng.integers(17, len(decoder.table), (count, n))
    return Texts(tuple(tuple(int(i) for i in row) for row in drawn))


class Inside(NamedTuple):
    """What is changed while the decoder reads; each function gets the layer, and what it may replace."""

    places: Callable[[int, int], ArrayLike] = lambda layer, n: np.arange(n)  #: of a text of n tokens
    values: Callable[[int, list[Array]], list[Array]] = lambda layer, v: v  #: of each text, (n_groups, n, d_k)
    weights: Callable[[int, Array], Array] = lambda layer, weights: weights  #: of a text, (n_heads, n, n)
    parallel: tuple[int, ...] = ()  #: layers whose two networks read the same input


UNCHANGED = Inside()


class Layer(NamedTuple):
    """What one block computed for all texts, one after the other: (n_rows, d_model) each."""

    number: int
    seen: Array  #: what attention adds
    fed: Array  #: what the feed-forward network adds
    x: Array  #: the output
    heads: list[Heads]  #: of each text; keys and values are shown once for each query head


def layers(
    decoder: Decoder, texts: Texts, inside: Inside = UNCHANGED, begin: int = 0, x: Array | None = None
) -> Iterator[Layer]:
    """Each block's work in turn, from block ``begin`` + 1 on, which reads ``x``; the same sums as ``Decoder.step``."""
    x = decoder.table[texts.flat()] if x is None else x
    for number, block in enumerate(decoder.blocks[begin:], begin + 1):
        z = block.norm1(x)
        heads = _heads(block, z, texts, number, inside)
        out = np.concatenate([one.output.swapaxes(0, 1).reshape(one.q.shape[1], -1) for one in heads])
        seen = block.attention.o(out)
        fed = block.feed(block.norm2(x if number in inside.parallel else x + seen))
        x = x + seen + fed
        yield Layer(number, seen, fed, x, heads)


def _heads(block: Block, z: Array, texts: Texts, number: int, inside: Inside) -> list[Heads]:
    a = block.attention

    def split(rows: Array, count: int) -> list[Array]:
        return [rows[at].reshape(at.stop - at.start, count, -1).swapaxes(0, 1) for at in texts.slices()]

    values = inside.values(number, split(a.v(z), a.n_groups))
    out = []
    for q, k, v in zip(split(a.q(z), a.n_heads), split(a.k(z), a.n_groups), values, strict=True):
        places = inside.places(number, q.shape[1])
        q, k = rotated(q, places, a.base), rotated(k, places, a.base)
        k, v = (np.repeat(one, a.n_heads // a.n_groups, axis=0) for one in (k, v))
        mask = np.tri(q.shape[1], dtype=bool)
        weights = inside.weights(number, attention_weights(q, k, mask=mask, divisor=a.divisor))
        out.append(Heads(q, k, v, weights, weights @ v))
    return out


def last(found: Iterable[Layer]) -> Array:
    """The output of the last block."""
    *_, end = found
    return end.x


def losses(decoder: Decoder, x: Array, texts: Texts, output: Array | None = None, skip: int = 0) -> list[Array]:
    """For each text the loss of its tokens but the first ``skip`` + 1, given the last block's output.

    ``output`` (vocabulary, d_model) is the table of the logits, the decoder's own if None.
    """
    table = decoder.table if output is None else output
    rows = [np.arange(at.start + skip, at.stop - 1) for at in texts.slices()]
    wanted = np.concatenate([np.asarray(one[skip + 1 :], int) for one in texts.ids])
    out = []
    for at in range(0, len(wanted), CHUNK):
        logits = decoder.norm(x[np.concatenate(rows)[at : at + CHUNK]]) @ table.T
        top = logits.max(-1, keepdims=True)
        total = np.log(np.exp(logits - top).sum(-1, dtype=float)) + top[:, 0]
        out.append(total - logits[np.arange(len(logits)), wanted[at : at + CHUNK]])
    return np.split(np.concatenate(out), np.cumsum([len(one) for one in rows])[:-1])


class Intact(NamedTuple):
    """What the decoder computes for texts when nothing is changed."""

    texts: Texts
    states: list[Array]  #: the rows of the table, then the output of each block, (n_rows, d_model)
    losses: list[Array]  #: of each text, (n - 1,)


def intact(decoder: Decoder, texts: Texts) -> Intact:
    """The reading that changes are compared with."""
    states = [decoder.table[texts.flat()], *(layer.x for layer in layers(decoder, texts))]
    return Intact(texts, states, losses(decoder, states[-1], texts))


def cost(
    decoder: Decoder, base: Intact, inside: Inside = UNCHANGED, begin: int = 0, x: Array | None = None
) -> dict[str, Any]:
    """What a change costs: in the ``decoder``, ``inside`` of it, or in what block ``begin`` + 1 reads, ``x``."""
    x = base.states[begin] if x is None else x
    return compared(losses(decoder, last(layers(decoder, base.texts, inside, begin, x)), base.texts), base.losses)


def compared(changed: list[Array], before: list[Array]) -> dict[str, Any]:
    """The cost in the mean over all tokens, and over texts: median, least, largest, in how many texts it is above 0."""
    by_text = np.array([now.mean() - then.mean() for now, then in zip(changed, before, strict=True)])
    mean = np.concatenate(changed).mean() - np.concatenate(before).mean()
    return {"mean": mean, **over(by_text), "worse": int((by_text > 0).sum())}


def over(values: ArrayLike) -> dict[str, Any]:
    """Median, least and largest."""
    values = np.asarray(values, float)
    return {"median": np.median(values), "least": values.min(), "largest": values.max()}


def loss_of(found: list[Array]) -> dict[str, Any]:
    """Losses over all tokens: the mean; over texts: median, least, largest."""
    return {"mean": np.concatenate(found).mean(), **over([one.mean() for one in found])}


def source(*read: Intact) -> dict[str, Any]:
    """The model, and for each set of texts that was read how many, of how many tokens, and their loss."""
    names = {START: "start", SHORT: "short"}
    found = {}
    for one in read:
        lengths = [len(ids) for ids in one.texts.ids]
        found[names.get(max(lengths), "whole")] = {
            **{"texts": len(lengths), "tokens": sum(lengths), "shortest": min(lengths), "longest": max(lengths)},
            "loss": loss_of(one.losses),
        }
    return {"model": FILE, "sha256": SHA256, "in_front": "nothing", "read": found}


def given(found: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """What is known already, in the form of what is still to be measured."""
    return {name: partial(found.__getitem__, name) for name in found}


# ---- changed weights


def numbers(decoder: Decoder) -> range:
    """Those of its blocks, from 1."""
    return range(1, len(decoder.blocks) + 1)


def with_blocks(decoder: Decoder, which: Iterable[int], change: Callable[[Block], Block]) -> Decoder:
    """The decoder with ``change`` done to the blocks of these numbers, from 1."""
    there = set(which)
    return decoder._replace(
        blocks=tuple(change(one) if i in there else one for i, one in enumerate(decoder.blocks, start=1))
    )


def without_attention(block: Block) -> Block:
    """The block whose attention adds nothing."""
    return block._replace(attention=block.attention._replace(o=Linear(np.zeros_like(block.attention.o.weight))))


def without_feed(block: Block) -> Block:
    """The block whose feed-forward network adds nothing."""
    return block._replace(feed=block.feed._replace(down=Linear(np.zeros_like(block.feed.down.weight))))


def without_heads(decoder: Decoder, heads: Iterable[tuple[int, int]]) -> Decoder:
    """The decoder without some heads, (layer, head) from 1: their rows of W_O are zero."""
    for layer, head in heads:

        def change(block: Block, head: int = head) -> Block:
            o = block.attention.o.weight.copy()
            width = len(o) // block.attention.n_heads
            o[(head - 1) * width : head * width] = 0
            return block._replace(attention=block.attention._replace(o=Linear(o)))

        decoder = with_blocks(decoder, [layer], change)
    return decoder
