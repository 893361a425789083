"""The first token of a text in the decoder: the weight on it, its one massive entry, its value, and what they are for.

The entry is number ``FEATURE``, from 1, in the output of block ``WRITER``. ``whole`` and ``start`` as in
:mod:`whyformer.evidence.decoder_reading`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from whyformer.evidence.decoder_reading import (
    START,
    Inside,
    Intact,
    Texts,
    compared,
    cost,
    given,
    intact,
    last,
    layers,
    losses,
    over,
    random_texts,
    source,
    tokens_of,
)
from whyformer.maths.softmax import Array
from whyformer.model.decoder import Decoder
from whyformer.model.smollm import SmolLM

FEATURE, WRITER = 508, 12  # the largest entry of all: a test looks for it again
SEED, SINGLES, PAIRS, SIXTH = 35, 300, 12, 5


def parts(smol: SmolLM) -> dict[str, Callable[[], Any]]:
    """The measurements, by the name under which they are kept."""
    decoder, texts = smol.decoder, tokens_of(smol)
    whole, start = (intact(decoder, one) for one in (texts, texts.cut(START)))
    (mark,) = smol.pieces("<|endoftext|>")
    return {
        **given(source(whole, start)),
        "attention": lambda: attention(decoder, whole),
        "massive": lambda: massive(whole),
        "written": lambda: written(decoder, start),
        "single_tokens": lambda: single_tokens(decoder),
        "repeated": lambda: repeated(decoder),
        "without_entry": lambda: without_entry(decoder, start),
        "changed": lambda: changed(decoder, start),
        "mark_in_front": lambda: mark_in_front(decoder, whole, mark),
    }


def attention(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The weight on the first token, and its value.

    Its own row, which has no choice, is left out. ``weight``: [layer][head], mean over all rows of all texts;
    ``weight_of_texts``: mean over all heads, by text; ``weight_from_13``: the same in layers 13 to 30;
    ``value_length``: the length of its value over the median of the text's, by key and value head of layers 13 to 30,
    median over texts, then over heads. ``value_cosine``: for the same heads, the median cosine of its values in two
    texts; ``value_cosine_least``: the least; ``value_cosine_early``: the median in layers 1 to 12.
    """
    weight: list[Any] = []
    values: list[Any] = []
    lengths: list[Any] = []
    share = decoder.blocks[0].attention.n_heads // decoder.blocks[0].attention.n_groups
    for layer in layers(decoder, base.texts):
        weight.append([one.weights[:, 1:, 0].mean(-1) for one in layer.heads])
        v = [one.v[::share] for one in layer.heads]  # once for each group
        length = [np.linalg.norm(one, axis=-1) for one in v]
        lengths.append([one[:, 0] / np.median(one, axis=-1) for one in length])
        values.append([one[:, 0] for one in v])
    w = np.array(weight, float)  # (layer, text, head)
    rows = np.array([len(one) - 1 for one in base.texts.ids])
    unit = np.array(values, float).swapaxes(1, 2)  # (layer, group, text, d_k)
    unit = unit / np.linalg.norm(unit, axis=-1, keepdims=True)
    cosine = unit @ unit.swapaxes(-1, -2)  # of each two texts
    by_head = np.average(w, axis=1, weights=rows)
    return {
        "weight": by_head,
        "heads_above_half": int((by_head > 0.5).sum()),
        "weight_of_texts": over(w.mean((0, 2))),
        "weight_from_13": over(w[WRITER:].mean((0, 2))),
        "value_length": over(np.median(np.array(lengths, float)[WRITER:], axis=1)),
        "value_cosine": over(np.median(cosine[WRITER:], axis=(-1, -2))),
        "value_cosine_least": over(cosine[WRITER:].min((-1, -2))),
        "value_cosine_early": over(np.median(cosine[:WRITER], axis=(-1, -2))),
    }


def massive(base: Intact) -> dict[str, Any]:
    """The largest entry of the first token after block 12: nothing but that token moves it, since it sees no other.

    ``at_feature``: in how many texts it is the entry FEATURE; ``entry``: its value there, ``elsewhere``: the largest
    size of that entry at any other token, by text; ``length``: [the table, then each block], the first token's and the
    median of the others, median over texts; ``entry_after``: the entry by block, median over texts.
    """
    firsts = base.texts.firsts()
    after = base.states[WRITER]
    others = [after[at.start + 1 : at.stop] for at in base.texts.slices()]
    lengths = [np.linalg.norm(x, axis=-1) for x in base.states]
    return {
        "feature": FEATURE,
        "after_block": WRITER,
        "texts": len(firsts),
        "different_first_tokens": len({one[0] for one in base.texts.ids}),
        "at_feature": int((np.abs(after[firsts]).argmax(-1) + 1 == FEATURE).sum()),
        "entry": over(after[firsts, FEATURE - 1]),
        "elsewhere": over([np.abs(one[:, FEATURE - 1]).max() for one in others]),
        "length_first": over(lengths[WRITER][firsts]),
        "length_others": over([np.median(np.linalg.norm(one, axis=-1)) for one in others]),
        "length": {
            "first": [np.median(one[firsts]) for one in lengths],
            "others": [
                np.median([np.median(one[at.start + 1 : at.stop]) for at in base.texts.slices()]) for one in lengths
            ],
        },
        "entry_after": [np.median(x[firsts, FEATURE - 1]) for x in base.states],
    }


def written(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """What attention and feed-forward of each block add to the entry of the first token, median over texts."""
    firsts = base.texts.firsts()
    added: dict[str, list[Any]] = {"attention": [], "feed_forward": []}
    for layer in layers(decoder, base.texts):
        added["attention"].append(np.median(layer.seen[firsts, FEATURE - 1]))
        added["feed_forward"].append(np.median(layer.fed[firsts, FEATURE - 1]))
    return added


def after_writer(decoder: Decoder, texts: Texts) -> Array:
    """The output of block 12."""
    return last(layers(decoder._replace(blocks=decoder.blocks[:WRITER]), texts))


def single_tokens(decoder: Decoder) -> dict[str, Any]:
    """The entry of tokens drawn at random, each read alone."""
    x = after_writer(decoder, random_texts(decoder, np.random.default_rng(SEED), SINGLES, 1))
    largest = np.abs(x).argmax(-1) + 1 == FEATURE
    return {"tokens": SINGLES, "at_feature": int(largest.sum()), "entry": over(x[:, FEATURE - 1])}


def repeated(decoder: Decoder) -> dict[str, Any]:
    """The entry at the five places of "x x x x y", for pairs of tokens drawn at random: least and largest.

    ``apart``: how far the states of the four x differ after block 12, at most, over their largest entry. Equal values
    have one average, whatever the weights: so it is 0, but for rounding.
    """
    drawn = random_texts(decoder, np.random.default_rng([SEED, 1]), PAIRS, 2)
    x = after_writer(decoder, Texts(tuple((a, a, a, a, b) for a, b in drawn.ids))).reshape(PAIRS, 5, -1)
    entry, same = x[..., FEATURE - 1], x[:, :4]
    return {
        "pairs": PAIRS,
        "least": entry.min(0),
        "largest": entry.max(0),
        "apart": float(np.abs(same - same[:, :1]).max() / np.abs(same).max()),
    }


def without_entry(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The cost of the entry set to 0 after block 12: at the first token, and at the sixth."""
    out = {}
    for name, place in (("first", 0), ("sixth", SIXTH)):
        x = base.states[WRITER].copy()
        x[[at + place for at in base.texts.firsts()], FEATURE - 1] = 0
        out[name] = cost(decoder, base, begin=WRITER, x=x)
    return out


def changed(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The cost of other values of the first token, and of other weights on it, in all heads.

    ``value_zero``: its value is 0. ``value_of_another``: it has the value of the next text's first token, of the last
    that of the first; with ``_from_13``: in layers 13 to 30 alone. ``forbidden``: no later token looks at
    it, and the other weights are divided by their sum; ``forbidden_not_renormalised``: they are not. With ``_sixth``:
    the same at the sixth token, for comparison.
    """

    def value(replaced: Callable[[list[Array]], list[Array]], begin: int = 0, place: int = 0) -> dict[str, Any]:
        def values(layer: int, v: list[Array]) -> list[Array]:
            here = replaced([one[:, place : place + 1] for one in v])
            return [
                np.concatenate([one[:, :place], now, one[:, place + 1 :]], axis=1)
                for now, one in zip(here, v, strict=True)
            ]

        return cost(decoder, base, Inside(values=values), begin)

    def weight(renormalised: bool, place: int = 0) -> dict[str, Any]:
        def weights(layer: int, w: Array) -> Array:
            w = w.copy()
            w[:, place + 1 :, place] = 0
            return w / np.maximum(w.sum(-1, keepdims=True), 1e-30) if renormalised else w

        return cost(decoder, base, Inside(weights=weights))

    def zero(v: list[Array]) -> list[Array]:
        return [0 * one for one in v]

    def another(v: list[Array]) -> list[Array]:
        return [*v[1:], v[0]]

    return {
        "value_zero": value(zero),
        "value_zero_from_13": value(zero, WRITER),
        "value_zero_sixth": value(zero, place=SIXTH),
        "value_of_another": value(another),
        "value_of_another_from_13": value(another, WRITER),
        "forbidden": weight(True),
        "forbidden_not_renormalised": weight(False),
        "forbidden_sixth": weight(True, place=SIXTH),
    }


def mark_in_front(decoder: Decoder, base: Intact, mark: int) -> dict[str, Any]:
    """The cost of a mark of a text's end in front of each text, of the same tokens: below 0, it helps."""
    texts = Texts(tuple((mark, *one) for one in base.texts.ids))
    return compared(losses(decoder, last(layers(decoder, texts)), texts, skip=1), base.losses)
