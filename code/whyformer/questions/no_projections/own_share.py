r"""How often a row's largest score is its own, for random tokens: exact, by quadrature.

Token i is :math:`x_i = a_i u_i` with :math:`u_i` standard normal of length d and :math:`a_i = e^{\sigma z_i}`, all
independent. Given token i, every other score is normal: it exceeds the own one with a probability that depends only on
:math:`t`, the own score over the standard deviation of the score of a token with :math:`a = 1`. So

.. math:: P(\text{own is largest}) = E\,F(t)^{n-1},\qquad F(t) = E\,\Phi(t / a).

Without projections :math:`t = a_i\,|u_i|`. With one matrix for both, :math:`W_Q = W_K = W` (d x d, independent normal
entries), rotating :math:`x_i` onto an axis shows :math:`t = a_i\,|u_i| \sin\theta`, where :math:`\sin^2\theta` has the
distribution Beta(d/2, (d-1)/2); its mean is close to one half. With different matrices the share is 1/n, for any
tokens. Own computation; tests compare it with SciPy and with plain sampling.
"""

from __future__ import annotations

from functools import cache
from math import erf

import numpy as np

from whyformer.maths.softmax import Array

LAW_D = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
Z = np.linspace(-6, 6, 49)  # nodes for a standard normal
LOG_T = np.linspace(-6, 9, 301)  # where F is tabled
LENGTHS = (np.arange(200) + 0.5) / 12  # nodes for |u|, and for theta
THETA = (np.arange(64) + 0.5) * np.pi / 128


def _phi(t: Array) -> Array:
    return 0.5 + 0.5 * np.array([erf(v) for v in (t / np.sqrt(2)).ravel()]).reshape(t.shape)


def _between(table: Array, log_t: Array) -> Array:
    """``table`` at log_t: cubic through the four nearest entries, the second from either end outside."""
    at = np.clip((log_t + 6) / 0.05, 1, len(table) - 3)
    i = at.astype(int)
    f = at - i
    a, b, c, d = (table[i + k] for k in (-1, 0, 1, 2))
    return (
        -f * (f - 1) * (f - 2) / 6 * a
        + (f * f - 1) * (f - 2) / 2 * b
        - f * (f + 1) * (f - 2) / 2 * c
        + f * (f * f - 1) / 6 * d
    )


def _weights(density: Array) -> Array:
    """In proportion to the density at the nodes, sum 1."""
    return density / density.sum()


@cache
def own_shares(n: int, spread: float) -> tuple[Array, Array]:
    """Expected share of rows whose largest score is their own, for each d of LAW_D.

    Without projections, and with W_Q = W_K. n: tokens; spread: standard deviation of the logarithm of their lengths.
    """
    if spread:
        weight, moved = _weights(np.exp(-Z * Z / 2)), LOG_T + spread * Z[:, None]  # minus is plus: Z is symmetric
        others = weight @ _phi(np.exp(moved))
        won = weight @ np.exp((n - 1) * _between(np.log(others), moved))
    else:
        won = _phi(np.exp(LOG_T)) ** (n - 1)
    at_length, at_both = _between(won, np.log(LENGTHS)), _between(won, np.log(LENGTHS[:, None] * np.sin(THETA)))
    none, same = np.empty(len(LAW_D)), np.empty(len(LAW_D))
    for i, d in enumerate(LAW_D):
        length = _weights(LENGTHS ** (d - 1) * np.exp(-LENGTHS * LENGTHS / 2))
        none[i] = length @ at_length
        if d == 1:  # the sine is 1
            same[i] = none[i]
        else:
            same[i] = length @ at_both @ _weights(np.sin(THETA) ** (d - 1) * np.cos(THETA) ** (d - 2))
    return none, same
