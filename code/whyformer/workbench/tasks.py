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

DATA = 1 << 20  #: first stream of the data: no stream of first weights is as high
HELD_OUT = DATA - 1  #: the stream of the examples that accuracy is measured on; no batch uses it


class Batch(NamedTuple):
    """Examples with their right answers."""

    tokens: Integers  #: (batch, length, parts): the rows of the table that are added for each token
    answers: Integers  #: (batch, asked): the right one for each position that is asked


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
    trains_on: str = ""  #: the task whose batches train it, if not its own

    @property
    def chance(self) -> float:
        """Share of right answers of one who guesses: 1 / answers."""
        return 1 / self.answers

    def batch(self, seed: int, step: int, size: int) -> Batch:
        """Batch number ``step`` (from 0) of ``size`` examples: tokens (size, length, parts), answers (size, asked)."""
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


_ALL, _LATER, _LONG = slice(0, LENGTH), slice(1, LENGTH), slice(1, LONG)

#: tasks by name: kv, reverse, previous, copy, longer, twenty
TASKS = {
    task.name: task
    for task in (
        Task(
            "kv", "Eight pairs of a key and a value, then one of the keys: say its value.",
            2 * KEYS + VALUES + 1, PAIRS + 1, slice(PAIRS, PAIRS + 1), VALUES, _kv, KEYS + PAIRS + 1,
        ),
        Task("reverse", "Ten digits: say them backwards.", SYMBOLS, LENGTH, _ALL, SYMBOLS, _reverse, LENGTH),
        Task(
            "previous", "Ten digits: at each but the first, say the one before it.",
            SYMBOLS, LENGTH, _LATER, SYMBOLS, _previous, LENGTH,
        ),
        Task("copy", "Ten digits: say each where it stands.", SYMBOLS, LENGTH, _ALL, SYMBOLS, _copy, LENGTH),
        Task(
            "longer", "Trained on ten digits, tested on twenty: at each but the first, say the one before it.",
            SYMBOLS, LONG, _LONG, SYMBOLS, _previous, LONG, "previous",
        ),
        Task(
            "twenty", "Twenty digits: at each but the first, say the one before it.",
            SYMBOLS, LONG, _LONG, SYMBOLS, _previous, LONG,
        ),
    )
}  # fmt: skip
