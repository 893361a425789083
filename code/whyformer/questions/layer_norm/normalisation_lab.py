"""The normalisation lab: which numbers share a mean and a variance, and which of sentence A move when B changes.

Twin: ``normalisation_lab.ts``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Listed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, Booleans

SENTENCES = (
    ("the", "cat", "sleeps"),
    ("dogs", "bark", "loudly", "outside"),
    ("rain", "fell", "all", "night"),
    ("hurry",),
)
FIRST = ("dogs", "wolves", "owls", "children")  # what sentence B may begin with
VOCABULARY = (*SENTENCES[0], *SENTENCES[1], *SENTENCES[2], *SENTENCES[3], *FIRST[1:])
NAMES = ("A", "B", "C", "D")
NORMS = {
    "batch": "BatchNorm, training",
    "eval": "BatchNorm, inference",
    "layer": "LayerNorm",
    "rms": "RMSNorm",
    "none": "no norm",
}
N_SENTENCES, N_POSITIONS, N_FEATURES = 4, 6, 4
EPSILON = 1e-5
THRESHOLD = 1e-9
SEED = 29
MEAN, STD = np.array([0.0, 1.0, -0.5, 0.0]), np.array([1.0, 0.5, 1.5, 0.8])  # of the words each feature is drawn from
VECTORS = MEAN + STD * normal(SEED, np.arange(len(VOCABULARY))[:, None], np.arange(N_FEATURES))


class Batch(NamedTuple):
    """``x`` (sentence, position, feature), 0 at padding; ``is_token`` and ``exists`` (sentence, position)."""

    x: Array
    is_token: Booleans
    exists: Booleans


def batch_of(first: str, length: int, batch: int, padded_to: int) -> Batch:
    """The sentences that are in the batch, filled up to ``padded_to`` positions with padding."""
    x = np.zeros((N_SENTENCES, N_POSITIONS, N_FEATURES))
    is_token = np.zeros((N_SENTENCES, N_POSITIONS), bool)
    exists = np.zeros_like(is_token)
    exists[:batch, :padded_to] = True
    for i, words in enumerate(SENTENCES[:batch]):
        shown = (first, *words[1:length]) if i == 1 else words
        x[i, : len(shown)] = VECTORS[[VOCABULARY.index(word) for word in shown]]
        is_token[i, : len(shown)] = True
    return Batch(x, is_token, exists)


REFERENCE = batch_of("dogs", 3, 4, 4)


def normalised(norm: str, padding: str, given: Batch) -> Array:
    """(sentence, position, feature) without gain and bias; 0 where nothing exists.

    BatchNorm, training: mean and variance of each feature over all tokens of the batch, padding with them or not.
    Inference: fixed mean and variance, those the words were drawn with. LayerNorm: of each token over its features.
    """
    x, is_token, exists = given
    if norm == "batch":
        members = x[exists if padding == "counted" else is_token]
        y = (x - members.mean(0)) / np.sqrt(members.var(0) + EPSILON)
    elif norm == "eval":
        y = (x - MEAN) / np.sqrt(STD**2 + EPSILON)
    elif norm == "layer":
        y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON)
    elif norm == "rms":
        y = x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
    else:
        y = x
    return np.where(exists[..., None], y, 0)


def sharing(norm: str, padding: str, given: Batch, cell: tuple[int, int, int]) -> Array:
    """1 for each cell whose value enters the mean or the variance that ``cell`` is normalised with."""
    sentence, position, feature = cell
    shared = np.zeros(given.x.shape)
    if given.exists[sentence, position]:
        if norm == "batch":
            shared[..., feature] = given.exists if padding == "counted" else given.is_token
        elif norm in ("layer", "rms"):
            shared[sentence, position] = 1
    return shared


def compute(
    *, norm: str, padding: str, first: str, length: int, batch: int, padded_to: int,
    which: str, position: int, feature: int,
) -> Series:  # fmt: skip
    """The batch as it was and as it is now, normalised: which numbers share a mean, and which have moved.

    It was: 4 sentences, 4 positions, B "dogs bark loudly". It is: B begins with ``first`` and has ``length`` words,
    there are ``batch`` sentences, filled up to ``padded_to`` positions. ``norm`` is the norm, with epsilon = 1e-5,
    without gain and bias; ``padding``: whether BatchNorm counts padding. ``which``, ``position`` and ``feature`` choose
    a cell, from 1.

    * ``before``, ``after`` (4, 6, 4): by sentence, position and feature, then and now
    * ``moved`` (4, 6, 4): 1 where a place holds a word in both batches and the number changed by more than 1e-9;
      ``moved_a``, ``moved_others``: how many, in sentence A and elsewhere, of ``cells_a`` in A; ``largest_a``: the
      largest change in A
    * ``shared`` (4, 6, 4): 1 for each cell whose value enters the mean or the variance that the chosen cell is
      normalised with; ``n_shared``: how many
    * ``training`` (4, 6, 4): what BatchNorm in training makes of this batch
    * ``present`` (4, 6): 1 a token, 2 padding, 0 nothing
    * ``moved_by_norm``, ``largest_by_norm`` (5,): ``moved_a`` and ``largest_a`` under each norm
    * ``apart``: the largest difference in A between BatchNorm at inference and in training, now;
      ``moved_left_out``: how many numbers of A would have moved under BatchNorm if padding were left out
    * ``chosen``: the cell's place in these arrays, flattened; ``chosen_before``, ``chosen_after``: its numbers
    """
    given = batch_of(first, length, batch, padded_to)
    both = (given.is_token & REFERENCE.is_token)[..., None]
    change = {n: np.abs(normalised(n, padding, given) - normalised(n, padding, REFERENCE)) * both for n in NORMS}
    cell = (NAMES.index(which), position - 1, feature - 1)
    moved = change[norm] > THRESHOLD
    shared = sharing(norm, padding, given, cell)
    apart = np.abs(normalised("eval", padding, given) - normalised("batch", padding, given))[0, given.is_token[0]]
    without = np.abs(normalised("batch", "left_out", given) - normalised("batch", "left_out", REFERENCE)) * both
    before, after = normalised(norm, padding, REFERENCE), normalised(norm, padding, given)
    return {
        "before": before,
        "after": after,
        "moved": moved.astype(float),
        "shared": shared,
        "training": normalised("batch", padding, given),
        "present": np.where(given.is_token, 1.0, np.where(given.exists, 2.0, 0.0)),
        "moved_by_norm": np.array([(one[0] > THRESHOLD).sum() for one in change.values()], float),
        "largest_by_norm": np.array([one[0].max() for one in change.values()]),
        "apart": float(apart.max()),
        "moved_left_out": float((without[0] > THRESHOLD).sum()),
        "chosen": float(np.ravel_multi_index(cell, moved.shape)),
        "chosen_before": float(before[cell]),
        "chosen_after": float(after[cell]),
        "n_shared": float(shared.sum()),
        "moved_a": float(moved[0].sum()),
        "moved_others": float(moved[1:].sum()),
        "cells_a": float(N_FEATURES * len(SENTENCES[0])),
        "largest_a": float(change[norm][0].max()),
    }


class NormalisationLab(Lab):
    """Four short sentences in one batch: choose a norm, change sentence B, and see which numbers of A move."""

    title = "Normalisation lab"
    hint = ""
    sentence = (
        "{norm}, padding {padding}: {moved_a:.0f} of the {cells_a:.0f} numbers of A {moved_a:has|have} changed, "
        "by up to {largest_a:.2f}; the chosen cell is normalised with {n_shared:.0f} {n_shared:cell|cells} of this "
        "batch."
    )
    columns = ("moved_by_norm", "largest_by_norm")
    row = "norm"
    compute = staticmethod(compute)

    steps = (
        Step(
            "All {moved_a:.0f} numbers of A have changed. In training, BatchNorm takes the mean and variance of a "
            "feature over all words of all sentences: one such row is framed.",
            asks="Choose another first word for sentence B. Which numbers of sentence A change?",
            told_at={"first": "children"},
            cases=(
                (
                    ("first == 'dogs'",),
                    "B begins as it did before, so nothing has changed. With any other first word all numbers of A "
                    "change.",
                ),
            ),
            when=("norm == 'batch'", "moved_a == cells_a", "largest_a > 0.1"),
            shows=("sentence A", "sentence B", "batch", "how to read"),
            narrow=3,
            controls=("first",),
        ),
        Step(
            "A stays as it is, whatever word B begins with. LayerNorm takes the mean and variance of each word over "
            "its own features: one such column is framed.",
            asks="Now the norm is LayerNorm. Choose another first word for B. Does A change again?",
            state={"norm": "layer"},
            told_at={"first": "children"},
            when=("norm == 'layer'", "moved_a == 0"),
            shows=("sentence A", "sentence B", "batch", "how to read"),
            narrow=3,
            controls=("first",),
        ),
        Step(
            "A stays as it is, since mean and variance are fixed. But it differs by up to {apart:.2f} from what "
            "BatchNorm made of the same batch in training: the small numbers.",
            asks="At inference BatchNorm uses a fixed mean and variance. Choose another first word for B. Does A "
            "change?",
            state={"norm": "eval"},
            told_at={"first": "children"},
            when=("norm == 'eval'", "moved_a == 0", "apart > 0.5"),
            shows=("sentence A", "sentence B", "batch", "how to read"),
            narrow=3,
            controls=("first",),
        ),
        Step(
            "The earlier words of B have changed too: in training, BatchNorm takes mean and variance over all words.",
            asks="A decoder writes B word by word. Let B grow to four words. Do its earlier words change?",
            moved=("length == 4",),
            told_at={"length": 4},
            cases=(
                (
                    ("first != 'dogs'", "moved_a == cells_a"),
                    "B begins with another word, which changes all numbers by itself. Let it begin with “dogs” again.",
                ),
                (
                    ("length == 3",),
                    "B has three words again, so nothing has changed. A fourth word changes the earlier ones too.",
                ),
                (
                    ("length < 3", "moved_a == cells_a", "moved_others > 20"),
                    "B is shorter now, and what is left of it has changed too.",
                ),
            ),
            when=("length == 4", "moved_others == 32", "moved_a == cells_a"),
            shows=("sentence B", "batch", "how to read"),
            narrow=2,
            controls=("length", "first"),
        ),
        Step(
            "All {moved_a:.0f} numbers of A have changed, although no word has. If padding is left out, none changes.",
            asks="Here padding counts. Fill all sentences up to five places or six. Does A change?",
            state={"padding": "counted"},
            moved=("padded_to > 4",),
            told_at={"padded_to": 5},
            cases=(
                (
                    ("padded_to == 4",),
                    "The sentences have four places as before, so nothing has changed. If padding counts, more of it "
                    "changes all numbers of A.",
                ),
            ),
            when=("padding == 'counted'", "moved_a == cells_a", "moved_left_out == 0"),
            shows=("sentence A", "batch", "how to read"),
            narrow=2,
            controls=("padded_to",),
        ),
        Step(
            "All {moved_a:.0f} numbers of A have changed: it is enough that another sentence leaves the batch.",
            asks="Padding is left out again, and sentence B stays as it is. Change the numbers of A all the same.",
            moved=("moved_a > 0",),
            told_at={"batch": 3},
            cases=(
                (
                    ("batch == 4", "moved_a == 0"),
                    "All four sentences are in the batch again, so A is as it was.",
                ),
            ),
            when=("batch < 4", "moved_a == cells_a", "padding == 'left_out'"),
            shows=("sentence A", "batch", "how to read"),
            narrow=2,
            controls=("batch",),
        ),
    )

    norm: Choice = Choice(default="batch", options=NORMS, label="norm")
    padding: Choice = Choice(
        default="left_out", options={"left_out": "left out of the statistics", "counted": "counted"}, label="padding is"
    )
    first: Choice = Choice(
        default="dogs", options={word: word for word in FIRST}, label="sentence B begins with", help="it was dogs"
    )
    length: Listed = Listed(default=3, values=[1, 2, 3, 4], label="length of B", help="it was 3")
    batch: Listed = Listed(default=4, values=[1, 2, 3, 4], label="sentences in the batch", help="it was 4")
    padded_to: Listed = Listed(default=4, values=[4, 5, 6], label="positions with padding", help="it was 4")
    which: Choice = Choice(default="A", options={name: name for name in NAMES}, label="cell in sentence")
    position: Integer = Integer(default=2, min=1, max=6, label="position of the cell")
    feature: Listed = Listed(default=2, values=[1, 2, 3, 4], label="feature of the cell")
