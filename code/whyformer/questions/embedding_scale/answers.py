"""Checks of the answers to exercises."""

from __future__ import annotations

from functools import partial

import numpy as np

from whyformer.model.layers import positions
from whyformer.proof import Numbers, always_close, check, holds
from whyformer.questions.embedding_scale.exercises import check_factor, check_step, check_tied


@check
def the_least_factor(d: int = 768) -> Numbers:
    """We divided the length of a sine position by that of a row of the given spread."""
    factor = np.linalg.norm(positions(1, d)) / np.linalg.norm(np.full(d, d**-0.5))
    holds(bool(check_factor(factor)))
    return {"19.6": factor, "27.7": np.sqrt(d)}


@check
def the_tied_model() -> Numbers:
    """We ran the mended function, and it with either slip, through the exercise's check."""

    def logits(table: np.ndarray, ids: np.ndarray, places: np.ndarray, looked_up: bool, words: bool) -> np.ndarray:
        root = np.sqrt(table.shape[1])
        rows = table if looked_up else root * table
        read = rows[ids] if words or not looked_up else root * rows[ids]
        state = (root * read + places if words else read + root * places).mean(0)
        found: np.ndarray = rows @ (root * state / np.linalg.norm(state))
        return found

    holds(bool(check_tied(partial(logits, looked_up=True, words=True))))
    for looked_up, words in ((True, False), (False, True), (False, False)):
        holds(not check_tied(partial(logits, looked_up=looked_up, words=words)))
    return {}


@check
def a_step_of_adam(rate: float = 0.001, d: int = 1024) -> Numbers:
    """We moved every entry of a row by the rate and measured the move before and after the factor."""
    row_moves = np.linalg.norm(np.full(d, rate))
    enters = np.sqrt(d) * row_moves
    holds(bool(check_step(enters)))
    always_close(np.linalg.norm(np.sqrt(d) * np.full(d, d**-0.5)), np.sqrt(d), within=1e-9)
    return {"32": np.sqrt(d), "3.2 %": enters / np.sqrt(d), "0.032": row_moves, "0.1 %": row_moves / np.sqrt(d)}
