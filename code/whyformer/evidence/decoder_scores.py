"""Queries and keys of the decoder: what they are divided by, how far they are symmetric, what a group of them shares.

``whole`` and ``start`` as in :mod:`whyformer.evidence.decoder_reading`. What stands by head is
[layer][head].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from whyformer.evidence.decoder_reading import (
    START,
    Intact,
    compared,
    cost,
    given,
    intact,
    layers,
    loss_of,
    losses,
    numbers,
    over,
    source,
    tokens_of,
    with_blocks,
)
from whyformer.maths.softmax import Array
from whyformer.model.decoder import Block, Decoder, GroupedAttention
from whyformer.model.layers import Heads, Linear
from whyformer.model.smollm import SmolLM

DIVISORS = (1, 2, 4, 8, 10, 16, 64)
LEAST_KEYS = 8  # rows with fewer keys have no spread worth the name
SEED = 36


def parts(smol: SmolLM) -> dict[str, Callable[[], Any]]:
    """The measurements, by the name under which they are kept."""
    decoder, texts = smol.decoder, tokens_of(smol)
    whole, start = intact(decoder, texts), intact(decoder, texts.cut(START))
    return {
        **given(source(whole, start)),
        "symmetry": lambda: symmetry(decoder),
        "groups": lambda: groups(decoder, start),
        "spread": lambda: spread(decoder, whole),
        **{f"divisor_{d}": partial(divided, decoder, whole, d) for d in DIVISORS},
    }


# ---- the divisor


def divided(decoder: Decoder, base: Intact, divisor: float) -> dict[str, Any]:
    """All scores of all heads divided by another number: the loss and its cost, and rows with 2 keys or more.

    ``entropy`` in nats and ``largest_weight``: the mean over all rows and heads, by text; ``log_n``: of the largest
    entropy that the rows allow. ``largest_weight_of_heads``: the mean over all rows, by head.
    """
    entropy, largest = [], []
    for layer in layers(decoder.with_divisor(divisor), base.texts):
        entropy.append([entropies(one.weights[:, 1:]).mean(-1) for one in layer.heads])
        largest.append([one.weights[:, 1:].max(-1).mean(-1) for one in layer.heads])
    found = losses(decoder, layer.x, base.texts)
    rows = [len(one) - 1 for one in base.texts.ids]
    h, top = np.array(entropy, float), np.array(largest, float)  # (layer, text, head)
    possible = [np.log(np.arange(2, len(one) + 1)).mean() for one in base.texts.ids]
    return {
        "loss": loss_of(found),
        "cost": compared(found, base.losses),
        "entropy": {"mean": np.average(h.mean((0, 2)), weights=rows), **over(h.mean((0, 2)))},
        "log_n": {"mean": np.average(possible, weights=rows), **over(possible)},
        "largest_weight": {"mean": np.average(top.mean((0, 2)), weights=rows), **over(top.mean((0, 2)))},
        "largest_weight_of_heads": over(np.average(top, axis=1, weights=rows)),
    }


def entropies(weights: Array) -> Array:
    """Of each row (..., n), in nats."""
    return -(weights * np.log(np.maximum(weights, 1e-30))).sum(-1)


def spread(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """Standard deviations of the raw scores q.k within a row of 8 keys or more, in the mean over all rows, by head.

    ``divided``: over 8, the root of d_k. ``above_1``: heads whose divided deviation is. ``without_first``: the first
    token's score left out. ``of_heads``: least, median, largest.
    """
    every: list[Array] = []
    later: list[Array] = []
    for layer in layers(decoder, base.texts):
        for kept, begin in ((every, 0), (later, 1)):
            found = [deviations(one, begin) for one in layer.heads]
            kept.append(np.concatenate(found, axis=-1).mean(-1))
    raw, without = np.array(every), np.array(later)
    root = np.sqrt(decoder.blocks[0].attention.q.weight.shape[1] / decoder.blocks[0].attention.n_heads)
    return {
        "raw": raw,
        "raw_of_heads": over(raw),
        "divided_of_heads": over(raw / root),
        "above_1": int((raw / root > 1).sum()),
        "raw_without_first_of_heads": over(without),
        "above_1_without_first": int((without / root > 1).sum()),
    }


def deviations(heads: Heads, begin: int) -> Array:
    """Of the raw scores from key ``begin`` on, in each row with LEAST_KEYS keys or more: (n_heads, n_rows)."""
    raw = (heads.q @ heads.k.swapaxes(-1, -2)).astype(float)[..., begin:]
    shown = np.tri(raw.shape[-2], dtype=float)[:, begin:]
    n = np.maximum(shown.sum(-1), 1)
    mean = (raw * shown).sum(-1) / n
    square = ((raw - mean[..., None]) ** 2 * shown).sum(-1) / n
    return np.sqrt(square[:, LEAST_KEYS - 1 :])


# ---- symmetry


def by_head(linear: Linear, count: int) -> Array:
    """(d_model, count d_k) to (count, d_model, d_k), in double precision."""
    return linear.weight.astype(float).reshape(len(linear.weight), count, -1).swapaxes(0, 1)


def shares(q: Array, k: Array) -> Array:
    """The share of the squared norm of M = Q K^T that is symmetric, from (..., d_model, d_k) each.

    1/2 + tr(M M) / (2 |M|^2), by products of d_k rows alone.
    """
    inner = k.mT @ q
    twice = (inner * inner.mT).sum((-1, -2))
    whole = ((q.mT @ q) * (k.mT @ k)).sum((-1, -2))
    return 0.5 + twice / (2 * whole)


def symmetry(decoder: Decoder) -> dict[str, Any]:
    """How much of W_Q W_K^T is symmetric, before anything is rotated, by head; 1/2 for random matrices on average.

    ``share``: with the gain of the norm before both, as the input meets it; ``share_without_gain``: of the matrices
    alone; ``random``: as many matrices of independent normal entries.
    """
    with_gain, alone = [], []
    for block in decoder.blocks:
        a = block.attention
        q, k = by_head(a.q, a.n_heads), np.repeat(by_head(a.k, a.n_groups), a.n_heads // a.n_groups, axis=0)
        gain = block.norm1.gain.astype(float)[:, None]
        with_gain.append(shares(gain * q, gain * k))
        alone.append(shares(q, k))
    rng = np.random.default_rng(SEED)
    drawn = [shares(*rng.standard_normal((2, *q.shape[1:]))) for _ in range(np.size(alone))]
    return {
        "share": np.array(with_gain),
        "share_of_heads": over(with_gain),
        "below_half": int((np.array(with_gain) < 0.5).sum()),
        "share_without_gain_of_heads": over(alone),
        "below_half_without_gain": int((np.array(alone) < 0.5).sum()),
        "random_of_heads": over(drawn),
    }


# ---- groups


def one_key_head(block: Block) -> Block:
    """The block whose key heads are all their mean, and whose value heads are too."""

    def mean(linear: Linear, count: int) -> Linear:
        split = linear.weight.reshape(len(linear.weight), count, -1)
        return Linear(np.broadcast_to(split.mean(1, keepdims=True), split.shape).reshape(linear.weight.shape))

    a = block.attention
    return block._replace(attention=a._replace(k=mean(a.k, a.n_groups), v=mean(a.v, a.n_groups)))


def exchanged(block: Block) -> Block:
    """The block whose head h reads key and value head h mod 3, in place of h // 3 (from 0): its heads in that order."""
    a = block.attention
    order = np.argsort(np.arange(a.n_heads) % a.n_groups, kind="stable")
    q = a.q.weight.reshape(len(a.q.weight), a.n_heads, -1)[:, order].reshape(a.q.weight.shape)
    o = a.o.weight.reshape(a.n_heads, -1, a.o.weight.shape[1])[order].reshape(a.o.weight.shape)
    return block._replace(attention=GroupedAttention(a.n_heads, a.n_groups, Linear(q), a.k, a.v, Linear(o), a.base))


def groups(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """Three queries on one key and value head.

    ``cache``: numbers kept for each token, and if each head had keys and values of its own. ``within``, ``across``:
    the mean total variation between the maps of two heads of a layer that share keys and of two that do not, the first
    token left out and the rest divided by its sum, over all layers, by text. ``one_head`` and ``exchanged``: the cost
    of one mean key and value head for all, and of queries that read another group's.
    """
    a = decoder.blocks[0].attention
    width = len(decoder.blocks) * 2 * a.q.weight.shape[1] // a.n_heads
    same = np.arange(a.n_heads) // (a.n_heads // a.n_groups)
    pairs = np.triu_indices(a.n_heads, 1)
    shared = (same[:, None] == same)[pairs]
    found = [[distances(one.weights)[pairs] for one in layer.heads] for layer in layers(decoder, base.texts)]
    d = np.array(found).mean(0)  # (text, pair)
    everywhere = numbers(decoder)
    return {
        "cache": {"shared": width * a.n_groups, "own": width * a.n_heads},
        "within": over(d[:, shared].mean(1)),
        "across": over(d[:, ~shared].mean(1)),
        "within_is_closer_in": int((d[:, shared].mean(1) < d[:, ~shared].mean(1)).sum()),
        "one_head": cost(with_blocks(decoder, everywhere, one_key_head), base),
        "exchanged": cost(with_blocks(decoder, everywhere, exchanged), base),
    }


def distances(weights: Array) -> Array:
    """The mean total variation between the rows of two heads without the first key: (n_heads, n_heads).

    Of ``weights`` (n_heads, n, n) the first two rows are left out: they have one key besides the first, or none.
    """
    w = weights[:, 2:, 1:].astype(float)
    w = w / np.maximum(w.sum(-1, keepdims=True), 1e-30)
    return np.abs(w[:, None] - w[None]).sum(-1).mean(-1) / 2
