"""Small jobs that a small Transformer learns in a few hundred steps, each with a right answer.

Every batch is a function of (seed, step) alone, drawn with ``whyformer.maths.random``: nothing is hidden, each step has
examples of its own, and another language can draw the same. A token is one number or several whose rows of the table
are added: in ``kv`` a token is a pair, a key and a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from whyformer.maths.random import uniform
from whyformer.maths.softmax import Array, Integers

LENGTH, SYMBOLS = 10, 10  # of reverse, previous and copy
LONG = 20  # digits of longer and twenty
PAIRS, KEYS, VALUES = 8, 16, 10  # of kv
FEW_PAIRS, FEW_KEYS = 6, 8  # of two_values

DATA = 1 << 20  #: first stream of the data: no stream of first weights is as high
HELD_OUT = DATA - 1  #: the stream of the examples that accuracy is measured on; no batch uses it


class Batch(NamedTuple):
    """Examples with their right answers."""

    tokens: Integers  #: (batch, length, parts): the rows of the table that are added for each token
    answers: Integers  #: (batch, asked × replies): the right ones of each position that is asked


class Task(NamedTuple):
    """A job: what its tokens are, which positions have to answer, and what the right answers are."""

    name: str
    says: str  #: the job in one sentence
    vocabulary: int  #: rows of the table
    length: int  #: tokens of an example
    asked: slice  #: the positions that answer
    answers: int  #: how many answers there are to choose from
    make: Callable[[Array], Batch]  #: from uniform numbers (batch, draws) to a batch
    draws: int  #: how many numbers an example takes
    replies: int = 1  #: how many answers each of these positions gives, from one vector
    keys: int = 0  #: how many keys there are, where tokens are pairs: rows from 0 on, then values, then keys asked for
    trains_on: str = ""  #: the task whose batches train it, if not its own

    @property
    def chance(self) -> float:
        """Share of right answers of one who guesses: 1 / answers."""
        return 1 / self.answers

    def batch(self, seed: int, step: int, size: int) -> Batch:
        """Batch number ``step`` (from 0) of ``size`` examples: tokens (size, length, parts), answers as in a Batch."""
        return self._drawn(seed, DATA + step, size)

    def held_out(self, seed: int, size: int) -> Batch:
        """``size`` examples to measure on, apart from every batch."""
        return self._drawn(seed, HELD_OUT, size)

    def side_by_side(self, seeds: Sequence[int], step: int | None, size: int) -> Batch:
        """The batches of several seeds, stacked on a first axis; held-out examples if ``step`` is None."""
        made = [self.held_out(seed, size) if step is None else self.batch(seed, step, size) for seed in seeds]
        return Batch(np.stack([one.tokens for one in made]), np.stack([one.answers for one in made]))

    def _drawn(self, seed: int, stream: int, size: int) -> Batch:
        return self.make(uniform(seed, stream, np.arange(size * self.draws)).reshape(size, self.draws))


def _symbols(u: Array) -> Integers:
    return (u * SYMBOLS).astype(np.int64)


def _reverse(u: Array) -> Batch:
    row = _symbols(u)
    return Batch(row[..., None], row[:, ::-1])


def _previous(u: Array) -> Batch:
    row = _symbols(u)
    return Batch(row[..., None], row[:, :-1])


def _copy(u: Array) -> Batch:
    row = _symbols(u)
    return Batch(row[..., None], row)


def _kv(u: Array) -> Batch:
    # the order of 16 random numbers is a random order of the keys, so that no key comes twice
    keys = np.argsort(u[:, :KEYS], axis=-1, kind="stable")[:, :PAIRS]
    values = (u[:, KEYS : KEYS + PAIRS] * VALUES).astype(np.int64)
    which = (u[:, -1:] * PAIRS).astype(np.int64)
    # rows of the table: keys of pairs, then values, then the keys as they are asked for, then the question mark
    pairs = np.stack([keys, KEYS + values], -1)
    asked = KEYS + VALUES + np.take_along_axis(keys, which, -1)
    query = np.stack([asked, np.full_like(asked, 2 * KEYS + VALUES)], -1)
    return Batch(np.concatenate([pairs, query], 1), np.take_along_axis(values, which, -1))


def _two_values(u: Array) -> Batch:
    keys = np.argsort(u[:, :FEW_KEYS], axis=-1, kind="stable")[:, :FEW_PAIRS]
    values = (u[:, FEW_KEYS : FEW_KEYS + FEW_PAIRS] * VALUES).astype(np.int64)
    # two different pairs: the second is counted on from the first, and never comes round to it
    first = (u[:, -2:-1] * FEW_PAIRS).astype(np.int64)
    second = (first + 1 + (u[:, -1:] * (FEW_PAIRS - 1)).astype(np.int64)) % FEW_PAIRS
    which = np.concatenate([first, second], -1)
    # rows of the table: keys of pairs, then values, then keys as the first that is asked for, then as the second
    pairs = np.stack([keys, FEW_KEYS + values], -1)
    query = np.take_along_axis(keys, which, -1) + FEW_KEYS + VALUES + np.array([0, FEW_KEYS])
    return Batch(np.concatenate([pairs, query[:, None]], 1), np.take_along_axis(values, which, -1))


_ALL, _LATER, _LONG = slice(0, LENGTH), slice(1, LENGTH), slice(1, LONG)

#: tasks by name: kv, reverse, previous, copy, two_values, longer, twenty
TASKS = {
    task.name: task
    for task in (
        Task(
            "kv", "You read eight pairs of a key and a value, and then one of the keys. Say its value.",
            2 * KEYS + VALUES + 1, PAIRS + 1, slice(PAIRS, PAIRS + 1), VALUES, _kv, KEYS + PAIRS + 1,
            keys=KEYS,
        ),
        Task("reverse", "You read ten digits. Say them backwards.", SYMBOLS, LENGTH, _ALL, SYMBOLS, _reverse, LENGTH),
        Task(
            "previous", "You read ten digits. At each but the first, say the one before it.",
            SYMBOLS, LENGTH, _LATER, SYMBOLS, _previous, LENGTH,
        ),
        Task("copy", "You read ten digits. Say each in its place.", SYMBOLS, LENGTH, _ALL, SYMBOLS, _copy, LENGTH),
        Task(
            "two_values", "You read six pairs of a key and a value, and then two of the keys. Say the value of each.",
            3 * FEW_KEYS + VALUES, FEW_PAIRS + 1, slice(FEW_PAIRS, FEW_PAIRS + 1), VALUES, _two_values,
            FEW_KEYS + FEW_PAIRS + 2, replies=2, keys=FEW_KEYS,
        ),
        Task(
            "longer",
            "At each digit but the first, say the one before. The model trains on ten digits; the test has twenty.",
            SYMBOLS, LONG, _LONG, SYMBOLS, _previous, LONG, trains_on="previous",
        ),
        Task(
            "twenty", "You read twenty digits. At each but the first, say the one before it.",
            SYMBOLS, LONG, _LONG, SYMBOLS, _previous, LONG,
        ),
    )
}  # fmt: skip
