"""Scaled dot-product attention and its gradient, written out by hand.

Vaswani et al. 2017, section 3.2.1, equation (1): Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V. Our names: ``q``,
``k``, ``v`` for the matrices (one row for one token), ``scores`` for what goes into the softmax and ``weights`` for
what comes out; ``divisor`` is the number that the dot products are divided by, sqrt(d_k) unless said otherwise.
"""

from __future__ import annotations

from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths.softmax import Array, as_floats, common_leading, softmax, softmax_vjp


class AttentionGradients(NamedTuple):
    """Gradients of a scalar loss: at q (..., n_q, d_k), at k (..., n_k, d_k), at v (..., n_k, d_v)."""

    q: Array
    k: Array
    v: Array


def _divisor(divisor: float | None, d_k: int) -> float:
    if divisor is None:
        return float(np.sqrt(d_k))
    if not (isinstance(divisor, Real) and np.isfinite(divisor) and divisor > 0) or isinstance(divisor, bool):
        raise ValueError(f"divisor must be one positive number (None means sqrt(d_k)); got {divisor!r}")
    return float(divisor)


def _finite(values: ArrayLike, name: str) -> Array:
    return as_floats(values, name, dimensions=2, finite=True)


def scores(q: ArrayLike, k: ArrayLike, *, divisor: float | None = None) -> Array:
    r"""Scores :math:`s_{ij} = q_i^\top k_j / \text{divisor}`.

    q: queries, shape (..., n_q, d_k); k: keys, shape (..., n_k, d_k); divisor: :math:`\sqrt{d_k}` if None.
    Returns shape (..., n_q, n_k). Raises ``ValueError`` if the shapes do not fit or a score overflows.
    """
    q, k = _finite(q, "q"), _finite(k, "k")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k must share their last axis, d_k; got q {q.shape} and k {k.shape}")
    common_leading(q=q.shape[:-2], k=k.shape[:-2])
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        s = (q @ np.swapaxes(k, -1, -2)) / _divisor(divisor, q.shape[-1])
    if not np.isfinite(s).all():
        raise ValueError(f"q and k must be small enough for finite scores in {s.dtype}; a score overflows")
    return s


def _masked(raw: Array, mask: ArrayLike | None) -> Array:
    if mask is None:
        return raw
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise ValueError(f"mask must be boolean, True where a query may look; got type {mask.dtype}")
    try:
        return np.where(np.broadcast_to(mask, raw.shape), raw, raw.dtype.type(-np.inf))
    except ValueError:
        raise ValueError(f"mask must broadcast to the scores {raw.shape}; got shape {mask.shape}") from None


def attention_weights(
    q: ArrayLike, k: ArrayLike, *, mask: ArrayLike | None = None, divisor: float | None = None
) -> Array:
    r"""Attention weights :math:`A = \operatorname{softmax}(q k^\top / \text{divisor})`, one row for one query.

    mask: boolean, broadcastable to (..., n_q, n_k), True where the query may look (as in PyTorch's
    ``scaled_dot_product_attention``). A query that may look nowhere gets a row of zeros. Other arguments as in
    :func:`scores`. Returns shape (..., n_q, n_k).
    """
    return softmax(_masked(scores(q, k, divisor=divisor), mask))


def attention(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, *, mask: ArrayLike | None = None, divisor: float | None = None
) -> Array:
    r"""Attention output :math:`A v`, Vaswani et al. 2017, equation (1).

    v: values, shape (..., n_k, d_v); d_v is free. Other arguments as in :func:`attention_weights`.
    Returns shape (..., n_q, d_v). Raises ``ValueError`` if k and v differ in n_k.
    """
    weights = attention_weights(q, k, mask=mask, divisor=divisor)
    return weights @ _values(v, weights)


def _values(v: ArrayLike, weights: Array) -> Array:
    v = _finite(v, "v")
    if v.shape[-2] != weights.shape[-1]:
        raise ValueError(f"k and v must have one row per token; got {weights.shape[-1]} keys and v {v.shape}")
    common_leading(weights=weights.shape[:-2], v=v.shape[:-2])
    return v


def attention_gradients(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    upstream: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    divisor: float | None = None,
) -> AttentionGradients:
    r"""Gradients of a scalar loss L at q, k and v, given the gradient at the output of :func:`attention`.

    With weights A, upstream G = dL/d(Av) of shape (..., n_q, d_v) and c = 1/divisor:

    .. math:: dV = A^\top G,\quad dS = J^\top (G V^\top)\ \text{row by row}

    .. math:: dQ = c\, dS\, K,\quad dK = c\, dS^\top Q

    J is the softmax Jacobian of each row. Only dQ and dK pass through it; dV does not. An input that was broadcast
    over leading axes gets the sum of the gradients of its uses, so that each gradient has the shape of its input.
    """
    raw = _masked(scores(q, k, divisor=divisor), mask)
    weights = softmax(raw)
    q, k, v, upstream = _finite(q, "q"), _finite(k, "k"), _values(v, weights), _finite(upstream, "upstream")
    leading = np.broadcast_shapes(weights.shape[:-2], v.shape[:-2])
    expected = (*leading, weights.shape[-2], v.shape[-1])
    if upstream.shape != expected:
        raise ValueError(f"upstream must have the shape of the output, {expected}; got {upstream.shape}")
    c = 1 / _divisor(divisor, q.shape[-1])
    d_scores = softmax_vjp(raw, upstream @ np.swapaxes(v, -1, -2))
    return AttentionGradients(
        q=_summed_to(c * (d_scores @ k), q.shape),
        k=_summed_to(c * (np.swapaxes(d_scores, -1, -2) @ q), k.shape),
        v=_summed_to(np.swapaxes(weights, -1, -2) @ upstream, v.shape),
    )


def _summed_to(gradient: Array, shape: tuple[int, ...]) -> Array:
    """An input that served several batches (by broadcasting) gets the sum of their gradients."""
    added = gradient.ndim - len(shape)
    stretched = [added + i for i, size in enumerate(shape) if size == 1 and gradient.shape[added + i] != 1]
    return gradient.sum((*range(added), *stretched)).reshape(shape)
