"""Positions of the decoder, which are rotations, and heads that find what followed an earlier token (induction).

``start`` and ``short`` as in :mod:`whyformer.evidence.decoder_reading`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from whyformer.evidence.decoder_reading import (
    SHORT,
    SINGLE,
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
    loss_of,
    losses,
    numbers,
    random_texts,
    source,
    tokens_of,
    with_blocks,
    without_heads,
)
from whyformer.maths.softmax import Array
from whyformer.model.decoder import Decoder
from whyformer.model.smollm import SmolLM

SHIFTS, BASES = (1000, 100_000), (1e3, 1e4, 2e5)
GAPS = (100, 1000, 8000, 16_000)
HALF, FOUND_IN, SEQUENCES, HEADS, OTHERS, SEED = 40, 6, 12, 5, 4, 37


def parts(smol: SmolLM) -> dict[str, Callable[[], Any]]:
    """The measurements, by the name under which they are kept."""
    decoder, texts = smol.decoder, tokens_of(smol)
    start, short = (intact(decoder, texts.cut(n)) for n in (START, SHORT))
    return {
        **given(source(start, short)),
        "moved": lambda: moved(decoder, start),
        "without_rotation": lambda: without_rotation(decoder, start, short),
        "base": lambda: bases(decoder, start),
        "gap": lambda: gaps(decoder, start),
        "induction": lambda: induction(decoder, start),
    }


def moved(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The cost of other places: all shifted by a number, halved, doubled."""

    def at(places: Callable[[Array], Array]) -> dict[str, Any]:
        return cost(decoder, base, Inside(places=lambda layer, n: places(np.arange(n, dtype=float))))

    shifted = {f"shifted_{by}": at(partial(np.add, by)) for by in SHIFTS}
    return {**shifted, "halved": at(lambda p: p / 2), "doubled": at(lambda p: p * 2)}


def without_rotation(decoder: Decoder, start: Intact, short: Intact) -> dict[str, Any]:
    """The cost of no rotation at all: in all layers (start), and in one alone (short)."""

    def none(only: int | None = None) -> Inside:
        return Inside(places=lambda layer, n: np.arange(n) * (only is not None and layer != only))

    single = {str(i): cost(decoder, short, none(i), begin=i - 1) for i in SINGLE}
    return {"all": cost(decoder, start, none()), "layer": single}


def bases(decoder: Decoder, start: Intact) -> dict[str, Any]:
    """The cost of angles with another base than the model's."""
    everywhere, own = numbers(decoder), decoder.blocks[0].attention.base

    def based(base: float) -> Decoder:
        return with_blocks(decoder, everywhere, lambda b: b._replace(attention=b.attention._replace(base=base)))

    return {"own": own, **{f"{base:g}": cost(based(base), start) for base in BASES}}


def gaps(decoder: Decoder, start: Intact) -> dict[str, Any]:
    """The cost to each text's second half of places left empty before it, and of no first half at all."""
    texts = start.texts
    halves = [len(one) // 2 for one in texts.ids]
    before = [loss[half:] for loss, half in zip(start.losses, halves, strict=True)]

    def gap(size: int) -> dict[str, Any]:
        inside = Inside(places=lambda layer, n: np.arange(n) + size * (np.arange(n) >= n // 2))
        found = losses(decoder, last(layers(decoder, texts, inside)), texts)
        return compared([loss[half:] for loss, half in zip(found, halves, strict=True)], before)

    seconds = Texts(tuple(one[half:] for one, half in zip(texts.ids, halves, strict=True)))
    alone = losses(decoder, last(layers(decoder, seconds)), seconds)
    return {
        "tokens": sum(map(len, before)),
        **{str(size): gap(size) for size in GAPS},
        "no_first_half": compared(alone, before),
    }


def induction(decoder: Decoder, start: Intact) -> dict[str, Any]:
    """Tokens drawn at random, written twice: the loss of the second time, and without some heads.

    ``alone``: the second time without the first. Heads are chosen on other sequences than those measured: five with
    the most weight on the token after the earlier copy (``induction``), and five with the most on the token before
    (``previous``); ``others``: five drawn from the rest, several times. ``weight``: of the least of the five, and the
    median of all heads. ``ordinary``: the cost to the texts of removing each five. By sequence, or by text.
    """
    rng = np.random.default_rng(SEED)
    found_in, halves = (random_texts(decoder, rng, count, HALF) for count in (FOUND_IN, SEQUENCES))
    chosen, weight = choose(decoder, twice(found_in))
    taken = {*chosen["induction"], *chosen["previous"]}
    rest = [
        one for one in product(numbers(decoder), range(1, decoder.blocks[0].attention.n_heads + 1)) if one not in taken
    ]
    drawn = [[rest[i] for i in rng.choice(len(rest), HEADS, replace=False)] for _ in range(OTHERS)]

    def loss(changed: Decoder) -> dict[str, Any]:
        texts = twice(halves)
        return loss_of(losses(changed, last(layers(changed, texts)), texts, skip=HALF))

    without = {name: without_heads(decoder, heads) for name, heads in chosen.items()}
    return {
        "tokens": HALF,
        "sequences": SEQUENCES,
        "heads": HEADS,
        "weight": weight,
        "alone": loss_of(losses(decoder, last(layers(decoder, halves)), halves)),
        "twice": loss(decoder),
        "without": {name: loss(changed) for name, changed in without.items()},
        "without_others": [loss(without_heads(decoder, heads)) for heads in drawn],
        "ordinary": {name: cost(changed, start) for name, changed in without.items()},
    }


def twice(texts: Texts) -> Texts:
    """Each text, and at once the same again."""
    return Texts(tuple((*one, *one) for one in texts.ids))


def choose(decoder: Decoder, texts: Texts) -> tuple[dict[str, list[tuple[int, int]]], dict[str, Any]]:
    """The heads with the most weight on the token after the earlier copy, and on the token before; these weights."""
    n = len(texts.ids[0]) // 2
    rows = np.arange(n, 2 * n)
    columns = {"induction": rows - n + 1, "previous": rows - 1}
    found: dict[str, list[Array]] = {name: [] for name in columns}
    for layer in layers(decoder, texts):
        for name, at in columns.items():
            found[name].append(np.mean([one.weights[:, rows, at].mean(-1) for one in layer.heads], axis=0))
    chosen, weight = {}, {}
    for name, by_layer in found.items():
        every = np.array(by_layer, float)
        top = np.argsort(-every, axis=None)[:HEADS]
        chosen[name] = [(int(i) // every.shape[1] + 1, int(i) % every.shape[1] + 1) for i in top]
        weight[name] = {"least_of_chosen": every.ravel()[top].min(), "median_of_all": np.median(every)}
    return chosen, weight
