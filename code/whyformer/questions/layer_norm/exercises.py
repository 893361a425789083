"""Checks for the exercises of the chapter."""

import numpy as np

from whyformer.lab.teach.exercise import Check, CheckFunction

check_members = Check(
    32 * 20,
    {
        "That is LayerNorm: the features of one token.": 512,
        "Positions are pooled too, and not only sentences.": 32,
        "That is one sentence. The batch has 32.": 20,
        "Each feature has its own mean.": 32 * 20 * 512,
    },
)

check_largest = Check(
    3 / np.sqrt(3.5),
    {
        "You divided by n − 1. LayerNorm takes the mean of the squares.": 3 / np.sqrt(14 / 3),
        "You divided by the variance. Take its root.": 3 / 3.5,
        "That is RMSNorm: the mean was not taken off.": 6 / np.sqrt(12.5),
        "That is only the distance from the mean.": 3,
    },
)

check_half = Check(
    10,
    {
        "With 1/√L it would be 4. The stream starts at 1: the square is 1 + L/2.": 4,
        "You left out post-norm's own divisor, √(3/2).": 6,
        "That is where the stream's mean square has doubled.": 2,
    },
)


def _layer_norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return gain * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) + bias


_ones, _zeros = np.ones(4), np.zeros(4)
_tokens = np.array([[1.0, 2.0, 3.0, 6.0], [0.0, 0.0, 10.0, 2.0], [-1.0, 1.0, -1.0, 1.0]])
check_layer_norm = CheckFunction(
    _layer_norm,
    {
        "One token is not right yet: mean 0, then divided by the root of the mean square.": (_tokens[0], _ones, _zeros),
        "Three tokens at once are not right: each row has its own mean and variance.": (_tokens, _ones, _zeros),
        "A batch of sentences is not right: the features are on the last axis.": (
            np.stack([_tokens, 2 * _tokens + 1]),
            _ones,
            _zeros,
        ),
        "A token whose features are all but equal is not right: ε is added to the variance, inside the root.": (
            np.array([1.0, 1.0, 1.0, 1.001]),
            _ones,
            _zeros,
        ),
        "Gain and bias are not right: each feature has its own, applied after the division.": (
            _tokens,
            np.array([1.0, 2.0, 0.5, -1.0]),
            np.array([0.0, 1.0, 0.0, 3.0]),
        ),
    },
    rtol=1e-3,  # a missing ε is told by the token that is all but constant
)
