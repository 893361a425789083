"""Checks of the answers to exercises."""

from __future__ import annotations

import numpy as np

from whyformer.maths import softmax
from whyformer.proof import Numbers, check, holds
from whyformer.questions.relative_positions.exercises import check_fade, check_rotary, check_table, check_turn


@check
def the_table(heads: int = 12 * 12, kappa: int = 16, d_k: int = 64) -> Numbers:
    """We counted the entries of one table for each head, and those of 512 absolute positions."""
    numbers = sum(np.zeros((2 * kappa + 1, d_k)).size for _ in range(heads))
    holds(bool(check_table(numbers)))
    return {"304,128": numbers, "512": 512, "393,216": np.zeros((512, 768)).size}


@check
def the_slowest_hand(d_k: int = 64) -> Numbers:
    """We divided a full turn by the speed of the last clock."""
    turn, larger = (2 * np.pi / base ** (-(d_k - 2) / d_k) for base in (10_000.0, 500_000.0))
    holds(bool(check_turn(turn)) and turn > 10 * 4096, turn=turn)
    return {"47,117": turn, "2,084,765": larger}


@check
def how_far_a_slope_sees(slope: float = 1 / 16) -> Numbers:
    """We put 400 equal scores with the slope into a softmax and looked for a hundredth of the first weight."""
    far = np.log(100) / slope
    weights = softmax(-slope * np.arange(400))
    holds(bool(check_fade(far)) and abs(weights[round(far)] / weights[0] - 0.01) < 3e-4)
    return {"74": far, "16": 256 * slope, "1,179": 256 * np.log(100)}


@check
def turned_right() -> Numbers:
    """We ran the two versions through the exercise's check."""

    def scores(q: np.ndarray, k: np.ndarray, speed: np.ndarray, sign: int) -> np.ndarray:
        angle = np.outer(np.arange(len(q)), 10_000.0 ** (-speed / q.shape[1]))
        cos, sin = np.cos(angle), np.sin(angle)

        def turn(rows: np.ndarray) -> np.ndarray:
            one, other = rows[:, 0::2], rows[:, 1::2]
            return np.stack([cos * one - sin * other, sin * one + sign * cos * other], -1).reshape(rows.shape)

        return turn(q) @ turn(k).T / np.sqrt(q.shape[1])

    holds(bool(check_rotary(lambda q, k: scores(q, k, np.arange(0, q.shape[1], 2), 1))))
    for step, sign in ((2, -1), (1, 1), (1, -1)):
        wrong = check_rotary(
            lambda q, k, step=step, sign=sign: scores(q, k, np.arange(0, q.shape[1] * step // 2, step), sign)
        )
        holds(not wrong)
    return {}
