"""Blocks of the decoder: what removing, exchanging and running side by side cost; streams and their norms.

``whole``, ``start`` and ``short`` as in :mod:`whyformer.evidence.decoder_reading`. Lists by layer begin with layer 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from whyformer.evidence.decoder_reading import (
    SHORT,
    SINGLE,
    START,
    Inside,
    Intact,
    compared,
    cost,
    given,
    intact,
    losses,
    numbers,
    over,
    source,
    tokens_of,
    with_blocks,
    without_attention,
    without_feed,
)
from whyformer.maths.softmax import Array
from whyformer.model.decoder import Block, Decoder, RMSNorm
from whyformer.model.smollm import SmolLM

PARALLEL = tuple(range(4, 29))
REMOVED: dict[str, Callable[[Block], Block]] = {
    "attention": without_attention,
    "feed_forward": without_feed,
    "block": lambda block: without_feed(without_attention(block)),
}


class Undivided(RMSNorm):
    """The gain alone."""

    def __call__(self, x: Array) -> Array:
        """From (..., d_model) to the same shape."""
        return self.gain * x


class Centred(RMSNorm):
    """The mean is taken away first, as LayerNorm does."""

    def __call__(self, x: Array) -> Array:
        """From (..., d_model) to the same shape."""
        return super().__call__(x - x.mean(-1, keepdims=True))


def parts(smol: SmolLM) -> dict[str, Callable[[], Any]]:
    """The measurements, by the name under which they are kept."""
    decoder, texts = smol.decoder, tokens_of(smol)
    start, short = (intact(decoder, texts.cut(n)) for n in (START, SHORT))
    return {
        **given(source(start, short)),
        "streams": lambda: streams(decoder, start),
        "norms": lambda: norms(decoder, start),
        "parallel": lambda: {"layers": PARALLEL, "cost": cost(decoder, start, Inside(parallel=PARALLEL))},
        "one_norm_off": lambda: one_norm_off(decoder, short),
        **{f"without_{name}": partial(removed, decoder, short, change) for name, change in REMOVED.items()},
        "exchanged": lambda: exchanged(decoder, short),
    }


def streams(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """Lengths of the residual stream: median of all tokens but the first, [the table, then each block], by text.

    ``gain_attention`` and ``gain_feed_forward``: the root mean square of each norm's gains; ``gain_final``: the last's.
    """
    slices = base.texts.slices()
    found = [[np.median(np.linalg.norm(x[at], axis=-1)[1:]) for at in slices] for x in base.states]
    every = [over(one) for one in found]
    return {
        **{name: [one[name] for one in every] for name in ("median", "least", "largest")},
        "gain_attention": [size(block.norm1.gain) for block in decoder.blocks],
        "gain_feed_forward": [size(block.norm2.gain) for block in decoder.blocks],
        "gain_final": size(decoder.norm.gain),
    }


def size(x: Array) -> float:
    """Root mean square."""
    return float(np.sqrt((x.astype(float) ** 2).mean()))


def norms(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The cost of no division in the last norm, and of taking the mean away too, in all norms."""
    undivided = decoder._replace(norm=Undivided(*decoder.norm))

    def centred(block: Block) -> Block:
        return block._replace(norm1=Centred(*block.norm1), norm2=Centred(*block.norm2))

    layer_norms = with_blocks(decoder, numbers(decoder), centred)
    return {
        "final_undivided": compared(losses(undivided, base.states[-1], base.texts), base.losses),
        "mean_removed": cost(layer_norms._replace(norm=Centred(*decoder.norm)), base),
    }


def one_norm_off(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The cost of one norm that only multiplies by its gains, by layer."""

    def off(name: str, i: int) -> dict[str, Any]:
        def change(block: Block) -> Block:
            if name == "norm1":
                return block._replace(norm1=Undivided(*block.norm1))
            return block._replace(norm2=Undivided(*block.norm2))

        return cost(with_blocks(decoder, [i], change), base, begin=i - 1)

    return {
        name: {str(i): off(field, i) for i in SINGLE}
        for name, field in (("attention", "norm1"), ("feed_forward", "norm2"))
    }


def removed(decoder: Decoder, base: Intact, change: Callable[[Block], Block]) -> dict[str, Any]:
    """The cost of a change to one block, for each block: mean, median, least and largest over texts."""
    return by_layer([cost(with_blocks(decoder, [i], change), base, begin=i - 1) for i in numbers(decoder)])


def exchanged(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The cost of a block exchanged with the next, for each block but the last."""

    def swapped(i: int) -> Decoder:
        b = decoder.blocks
        return decoder._replace(blocks=(*b[: i - 1], b[i], b[i - 1], *b[i + 1 :]))

    return by_layer([cost(swapped(i), base, begin=i - 1) for i in numbers(decoder)[:-1]])


def by_layer(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Lists over layers; ``of_layers``: least, median and largest of the medians over texts."""
    lists = {name: [one[name] for one in found] for name in found[0]}
    return {**lists, "of_layers": over(lists["median"])}
