"""Checks of the answers to exercises."""

from __future__ import annotations

from functools import partial

import numpy as np

from whyformer.maths import softmax
from whyformer.model import Config
from whyformer.proof import Numbers, check, draws, holds
from whyformer.questions.weight_tying.exercises import check_border, check_longest, check_saved, check_tied


@check
def another_bill(vocabulary: int = 32_000, d_model: int = 1024) -> Numbers:
    """We counted the parameters with one table and with three."""
    sizes = Config(vocabulary=vocabulary, d_model=d_model, n_heads=16, d_ff=4096)
    saved = sizes._replace(tied=False).n_parameters() - sizes.n_parameters()
    holds(bool(check_saved(saved)))
    return {"65,536,000": saved, "Two": saved / (vocabulary * d_model)}


@check
def where_the_winner_changes() -> Numbers:
    """We put the borders and a point between them into products and distances."""
    rows = np.array([[2.0, 1], [1, 3]])
    product, distance, between = np.array([1, 1 / 2]), np.array([1, 7 / 4]), np.array([1.0, 1.0])
    holds(np.isclose(*(rows @ product)) and np.isclose(*np.linalg.norm(rows - distance, axis=1)))
    holds((rows @ between).argmax() == 1 and np.linalg.norm(rows - between, axis=1).argmin() == 0)
    holds(bool(check_border(1 / 2)))
    return {"two": len(rows)}


@check
def the_longest_row() -> Numbers:
    """We put the hidden state on the longest of 200 rows, in 60 tables of three widths."""
    for d in (2, 8, 64):
        for rng in draws(20, seed=d):
            rows = rng.standard_normal((200, d))
            longest = np.linalg.norm(rows, axis=1).argmax()
            holds((rows @ rows[longest]).argmax() == longest)
    holds(bool(check_longest(2)))
    return {}


@check
def the_shared_gradient() -> Numbers:
    """We ran the mended function, and it with either slip, through the exercise's check."""

    def gradient(table: np.ndarray, read: np.ndarray, answer: np.ndarray, mean: bool, both: bool) -> np.ndarray:
        states = table[read]
        at_logits = softmax(states @ table.T)
        at_logits[np.arange(len(read)), answer] -= 1
        at_logits /= len(read) if mean else 1
        out: np.ndarray = at_logits.T @ states
        if both:
            np.add.at(out, read, at_logits @ table)
        else:
            out[read] += at_logits @ table
        return out

    for mean in (True, False):
        for both in (True, False):
            right = check_tied(partial(gradient, mean=mean, both=both))
            holds(bool(right) == (mean and both))
    return {}
