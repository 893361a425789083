r"""How often a row's largest score is its own, for random tokens: exact, by quadrature.

Token i is :math:`x_i = a_i u_i` with :math:`u_i` standard normal of length d and :math:`a_i = e^{\sigma z_i}`, all
independent. Given token i, every other score is normal: it exceeds the own one with a probability that depends only on
:math:`t`, the own score over the standard deviation of the score of a token with :math:`a = 1`. So

.. math:: P(\text{own is largest}) = E\,F(t)^{n-1},\qquad F(t) = E\,\Phi(t / a).

Without projections :math:`t = a_i\,|u_i|`. With one matrix for both, :math:`W_Q = W_K = W` (d x d, independent normal
entries), rotating :math:`x_i` onto an axis shows :math:`t = a_i\,|u_i| \sin\theta`, where :math:`\sin^2\theta` has the
distribution Beta(d/2, (d-1)/2); its mean is close to one half. With different matrices the share is 1/n, for any
tokens. Own computation; tests compare it with SciPy and with plain sampling.

Twin: ``own_share.ts``.
"""

from __future__ import annotations

from functools import cache
from math import erf

import numpy as np

from whyformer.maths.softmax import Array

LAW_D = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
Z = np.arange(-24, 25) * 0.25  # nodes for a standard normal, and their weights
_Z_WEIGHT = np.exp(-Z * Z / 2) / np.exp(-Z * Z / 2).sum()
LOG_T = np.arange(-120, 181) * 0.05  # where F is tabled
N_R, N_THETA = 80, 24


def _phi(t: Array) -> Array:
    return 0.5 + 0.5 * np.array([erf(v) for v in (t / np.sqrt(2)).ravel()]).reshape(t.shape)


def _between(table: Array, log_t: Array) -> Array:
    """``table`` at log_t: cubic through the four nearest entries, the end entries outside."""
    at = np.clip((log_t + 6) / 0.05, 0, len(table) - 1)
    i = np.clip(np.floor(at).astype(int), 1, len(table) - 3)
    f = at - i
    a, b, c, d = (table[i + k] for k in (-1, 0, 1, 2))
    return (
        -f * (f - 1) * (f - 2) / 6 * a
        + (f * f - 1) * (f - 2) / 2 * b
        - f * (f + 1) * (f - 2) / 2 * c
        + f * (f * f - 1) / 6 * d
    )


def _lengths(d: int) -> tuple[Array, Array]:
    """Nodes and weights for the length of a standard normal vector."""
    low, high = max(0.0, np.sqrt(d) - 6), np.sqrt(d) + 6
    r = low + (np.arange(N_R) + 0.5) * (high - low) / N_R
    log_density = (d - 1) * np.log(r) - r * r / 2
    weight = np.exp(log_density - log_density.max())
    return r, weight / weight.sum()


def _sines(d: int) -> tuple[Array, Array]:
    """Nodes and weights for the sine whose square is Beta(d/2, (d-1)/2)."""
    if d == 1:
        return np.ones(1), np.ones(1)
    middle, half = np.arctan(np.sqrt((d - 1) / max(d - 2, 1e-9))), 4 / np.sqrt(d)
    low, high = max(0.0, middle - half), min(np.pi / 2, middle + half)
    theta = low + (np.arange(N_THETA) + 0.5) * (high - low) / N_THETA
    log_density = (d - 1) * np.log(np.sin(theta)) + (d - 2) * np.log(np.cos(theta))
    weight = np.exp(log_density - log_density.max())
    return np.sin(theta), weight / weight.sum()


@cache
def own_shares(n: int, spread: float) -> tuple[Array, Array]:
    """Expected share of rows whose largest score is their own, for each d of LAW_D.

    Without projections, and with W_Q = W_K. n: tokens; spread: standard deviation of the logarithm of their lengths.
    """
    if spread:
        others = (_Z_WEIGHT[:, None] * _phi(np.exp(LOG_T - spread * Z[:, None]))).sum(0)
        given = np.exp((n - 1) * _between(np.log(others), LOG_T + spread * Z[:, None]))
        won = (_Z_WEIGHT[:, None] * given).sum(0)
    else:
        won = _phi(np.exp(LOG_T)) ** (n - 1)
    none, same = np.empty(len(LAW_D)), np.empty(len(LAW_D))
    for i, d in enumerate(LAW_D):
        r, r_weight = _lengths(d)
        sine, sine_weight = _sines(d)
        none[i] = (r_weight * _between(won, np.log(r))).sum()
        same[i] = (r_weight[:, None] * sine_weight * _between(won, np.log(r[:, None] * sine))).sum()
    return none, same
