"""The wiring lab: which input words can move which output, in a tiny encoder-decoder wired rightly or wrongly.

Twin: ``wiring_lab.ts``.
"""

from __future__ import annotations

from functools import cache
from itertools import count

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, Booleans, softmax
from whyformer.model.layers import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    LayerNorm,
    Linear,
    MultiHead,
    causal,
)  # fmt: skip
from whyformer.model.transformer import Config, Transformer

D_MODEL, N_HEADS, D_FF = 16, 2, 32
WORDS = ("ich", "bin", "sehr", "müde", "‹s›", "I", "am", "very", "tired", "hungry", "hungrig", "‹/s›")
SOURCE, TARGET = (0, 1, 2, 3), (4, 5, 6, 7, 8)
CHANGED = {**dict.fromkeys(SOURCE, 10), **dict.fromkeys(TARGET, 9)}  # the word that takes the place of a word
INPUTS = (*SOURCE, *TARGET)


def mask_of(name: str, n: int) -> Booleans:
    """The mask by its name, (n, n), True where a position may look."""
    return {"causal": causal(n), "late": np.tri(n, k=1, dtype=bool), "none": np.ones((n, n), dtype=bool)}[name]


@cache
def model(seed: int) -> Transformer:
    """One layer in each stack, post-norm, drawn by ``seed``.

    Matrices are normal with variance 2/d_in; the output table is three times the embedding, so that words matter.
    """
    d, streams = D_MODEL, count()

    def matrix(rows: int, columns: int, variance: float) -> Array:
        return np.sqrt(variance) * normal(seed, next(streams), np.arange(rows * columns)).reshape(rows, columns)

    def heads() -> MultiHead:
        q, k, v, o = (Linear(matrix(d, d, 2 / d)) for _ in range(4))
        return MultiHead(N_HEADS, q, k, v, o)

    def feed() -> FeedForward:
        return FeedForward(Linear(matrix(d, D_FF, 2 / d)), Linear(matrix(D_FF, d, 2 / D_FF)))

    norm = LayerNorm(np.ones(d), np.zeros(d))
    table = matrix(len(WORDS), d, 1 / d)
    encoder = EncoderLayer(heads(), norm, feed(), norm)
    decoder = DecoderLayer(heads(), norm, heads(), norm, feed(), norm)
    config = Config(d_model=d, n_heads=N_HEADS, d_ff=D_FF, n_layers=1, vocabulary=len(WORDS))
    return Transformer(config, table, table, 3 * table, (encoder,), (decoder,), None, None)


def probabilities(built: Transformer, words: tuple[int, ...], mask: str, memory: str) -> Array:
    """(5, 12): for each target position the probability of each next word. ``words``: 4 of the source, 5 so far."""
    source, target = words[: len(SOURCE)], words[len(SOURCE) :]
    encoded, looks = built.encode(source), mask_of(mask, len(target))
    (layer,) = built.decoder

    def cross(x: Array) -> Array:
        # The fault in question: keys and values from the decoder. A causal mask keeps it from leaking too.
        return layer.cross(x, x, causal(len(x))) if memory == "decoder" else layer.cross(x, encoded)

    x = built.embed(built.target, target)
    x = layer.norm1(x + layer.attention(x, x, looks))
    x = layer.norm2(x + cross(x))
    x = layer.norm3(x + layer.feed(x))
    return softmax(x @ built.output.T)


def compute(*, mask: str, memory: str, position: int, changed: int, seed: int) -> Series:
    """Exchange each input word in turn and see how far each output distribution moves (total variation, 0 to 1).

    A model of one layer in each stack, drawn by ``seed``, with ``mask`` in the masked self-attention, and keys and
    values of cross-attention from ``memory``. Inputs 1 to 4 are the source, 5 to 9 the target so far; outputs 1 to 5
    are the next word after each of these. ``position`` is an output, ``changed`` an input.

    * ``reach`` (5, 9): by output and input exchanged; ``chosen``: place of the chosen entry, from 0, row by row;
      ``moved``: that entry, in percent
    * ``before``, ``after`` (12,): probabilities of the 12 words at the output, with the words as they are and with the
      input exchanged
    * ``leak``: the largest reach of a later word for an earlier output, in percent; ``from_source``: of a source word
    """
    built = model(seed)
    before = probabilities(built, INPUTS, mask, memory)
    after = []
    for i, word in enumerate(INPUTS):
        words = (*INPUTS[:i], CHANGED[word], *INPUTS[i + 1 :])
        after.append(probabilities(built, words, mask, memory))
    reach = np.stack([np.abs(one - before).sum(1) / 2 for one in after], axis=1)
    n = len(TARGET)
    future = ~causal(n)
    return {
        "reach": reach,
        "before": before[position - 1],
        "after": after[changed - 1][position - 1],
        "chosen": float(len(INPUTS) * (position - 1) + changed - 1),
        "moved": 100 * reach[position - 1, changed - 1],
        "leak": 100 * np.where(future, reach[:, len(SOURCE) :], 0).max(),
        "from_source": 100 * reach[:, : len(SOURCE)].max(),
    }


class WiringLab(Lab):
    """Exchange a word and see which outputs move: a wrong mask leaks the future, a wrong wire ignores the source."""

    title = "Wiring lab"
    hint = ""
    sentence = (
        "A later word moves an earlier output by up to {leak:.0f} %, a source word moves an output by up to "
        "{from_source:.0f} %."
    )
    columns = ("before", "after")
    row = "word"
    compute = staticmethod(compute)

    steps = (
        Step(
            "The framed numbers show it. An output moves, by up to {leak:.0f} %, if the word after it is exchanged: it "
            "sees the very word that it has to predict, and in training the model can copy this word.",
            asks="Here each word looks up to itself. Let it look one word too far. Which numbers show the slip?",
            moved=("mask != 'causal'",),
            told_at={"mask": "late"},
            cases=(
                (
                    ("mask == 'causal'",),
                    "Each word looks up to itself again. No output moves if a later word is exchanged: right of the "
                    "staircase each number is 0.",
                ),
                (
                    ("mask == 'none'",),
                    "The framed numbers show it. Without a mask an output moves if any later word is exchanged, by up "
                    "to {leak:.0f} %.",
                ),
            ),
            when=("mask == 'late'", "leak > 0.1"),
            shows=("reach",),
            controls=("mask",),
        ),
        Step(
            "Every output can move, here by up to {from_source:.0f} %. Cross-attention lets the whole source in at "
            "each position, and no mask hides it.",
            asks="The mask is right. Exchange a word of the source: choose a number in one of its columns. Which "
            "outputs move?",
            moved=("changed <= 4",),
            told_at={"changed": 1},
            cases=(
                (
                    ("changed > 4",),
                    "This word belongs to the target. It moves its own output and all later outputs, and none before.",
                ),
            ),
            when=("mask == 'causal'", "memory == 'encoder'", "from_source > 1", "leak < 0.001"),
            shows=("reach",),
            controls=("changed",),
        ),
        Step(
            "The columns of the source are 0. If keys and values come from the decoder, the source has no way in, and "
            "the model translates without reading.",
            asks="Let cross-attention take its keys and values from the decoder. Which numbers become 0?",
            moved=("memory == 'decoder'",),
            told_at={"memory": "decoder"},
            cases=(
                (
                    ("memory == 'encoder'",),
                    "With keys and values from the encoder, an output moves by up to {from_source:.0f} % if a word of "
                    "the source is exchanged.",
                ),
            ),
            when=("memory == 'decoder'", "from_source < 0.001", "leak < 0.001"),
            shows=("reach",),
            controls=("memory",),
        ),
        Step(
            "The mask keeps later words out; keys and values from the encoder let the source in.",
            asks="Here are both slips at once. Correct them: every word of the source should count, and no later word.",
            state={"mask": "late", "memory": "decoder"},
            moved=("leak < 0.001", "from_source > 1"),
            told_at={"mask": "causal", "memory": "encoder"},
            cases=(
                (
                    ("leak > 0.001", "from_source < 0.001"),
                    "An output still moves if a later word is exchanged, and none moves if a word of the source is.",
                ),
                (("leak > 0.001",), "An output still moves if a later word is exchanged, by up to {leak:.0f} %."),
                (("from_source < 0.001",), "No output moves if a word of the source is exchanged."),
            ),
            when=("leak < 0.001", "from_source > 1"),
            shows=("reach",),
            controls=("mask", "memory"),
        ),
    )

    mask: Choice = Choice(
        default="causal",
        options={"causal": "up to itself", "late": "one too far", "none": "no mask"},
        label="masked self-attention looks",
    )
    memory: Choice = Choice(
        default="encoder",
        options={"encoder": "the encoder", "decoder": "the decoder"},
        label="cross-attention: K and V from",
    )
    position: Integer = Integer(default=1, min=1, max=5, label="output", help="which row")
    changed: Integer = Integer(default=6, min=1, max=9, label="word exchanged", help="which column")
    seed: Seed = Seed(default=9, label="draw", help="which random parameters")
