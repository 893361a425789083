"""The smallest model with the table at both ends: it reads a word at a place, and says the word's successor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whyformer.maths import log_softmax
from whyformer.model.layers import positions

STEPS, PLACES, BATCH = 90, 20, 64
#: The rates among which every start has its best: a factor of √10 apart.
RATES = (0.003, 0.01, 0.03, 0.1, 0.3)


class Start(NamedTuple):
    """Factors on the way in and out, the spread of the table, and by what its rate is multiplied."""

    into: float
    out: float
    spread: float
    own_rate: float = 1


def starts(d: int) -> dict[str, Start]:
    """The four starts that the chapter compares."""
    root = d**0.5
    return {
        "as in 2017": Start(root, 1, 1 / root),
        "as in T5": Start(1, 1 / root, 1),
        "long rows, no factor": Start(1, 1, 1),
        "short rows, no factor": Start(1, 1, 1 / root),
    }


def losses(
    start: Start,
    rate: float,
    seed: int,
    d: int = 64,
    vocabulary: int = 50,
    places: int = PLACES,
    until: float = -1.0,
    decay: float = 0.0,
) -> list[float]:
    """Cross-entropy at each of 90 steps of Adam, or up to the first that is at most ``until``.

    With 0 ``places`` no position is added. With ``decay`` the optimiser is AdamW: in each step the table also shrinks
    by its rate times ``decay``.
    """
    rng = np.random.default_rng(seed)
    table = start.spread * rng.standard_normal((vocabulary, d))
    matrix = rng.standard_normal((d, d)) / np.sqrt(d)
    successor, row, hot = rng.permutation(vocabulary), np.arange(BATCH), np.eye(vocabulary)
    sines = positions(places, d) if places else np.zeros((1, d))
    means, squares = ([np.zeros_like(table), np.zeros_like(matrix)] for _ in range(2))
    found: list[float] = []
    for step in range(1, STEPS + 1):
        word, place = rng.integers(0, vocabulary, BATCH), rng.integers(0, len(sines), BATCH)
        x = start.into * table[word] + sines[place]
        u = x @ matrix
        length = np.linalg.norm(u, axis=1, keepdims=True)
        h = np.sqrt(d) * u / length
        log_y = log_softmax(start.out * h @ table.T)
        found.append(float(-log_y[row, successor[word]].mean()))
        if found[-1] <= until:
            break
        at_logits = start.out * (np.exp(log_y) - hot[successor[word]]) / BATCH
        at_h = at_logits @ table
        at_u = np.sqrt(d) / length * (at_h - (at_h * u).sum(1, keepdims=True) * u / length**2)
        slopes = [at_logits.T @ h + start.into * hot[word].T @ (at_u @ matrix.T), x.T @ at_u]
        for mean, square, slope in zip(means, squares, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
        moves = [
            mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-100)
            for mean, square in zip(means, squares, strict=True)
        ]
        table = table - start.own_rate * rate * (moves[0] + decay * table)
        matrix = matrix - rate * moves[1]
    return found


def steps_to_one(start: Start, rate: float, seed: int, **sizes: int) -> int:
    """The number of the first step with a loss of at most 1; one more than all steps if there is none."""
    found = losses(start, rate, seed, until=1.0, **sizes)
    return len(found) if found[-1] <= 1 else STEPS + 1


def at_its_best_rate(
    start: Start, seeds: range = range(3), own_rates: tuple[float, ...] = (1,), **sizes: int
) -> list[int]:
    """Steps to a loss of 1 of each seed, at the rates with the smallest median."""
    tried = [
        [steps_to_one(start._replace(own_rate=own), rate, seed, **sizes) for seed in seeds]
        for rate in RATES
        for own in own_rates
    ]
    return min(tried, key=lambda steps: (float(np.median(steps)), sum(steps)))
