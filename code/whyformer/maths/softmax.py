"""Softmax, its derivative, and the size of that derivative, from the logits.

Everything here takes *logits* and works along the last axis; leading axes are batch axes. Working from the logits
and not from the weights keeps what a saturated row still has: when the largest weight y is 1 - 1e-20, ``1 - y`` from
the rounded weight is 0, while the sum of the other weights is 1e-20 to full precision.

Common to all functions

* ``-inf`` marks a masked entry: its weight is exactly 0 and so are its row and column of the Jacobian.
* A wholly masked row has no distribution. Its weights are all 0 (PyTorch returns NaN there), its Jacobian is 0.
* ``NaN``, ``+inf``, an empty last axis and a scalar raise ``ValueError``.
* float32 in gives float32 out; every other real type is computed in float64.

Twin: ``softmax.ts``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating]
Integers = NDArray[np.integer]
Booleans = NDArray[np.bool_]


def as_floats(values: ArrayLike, name: str, dimensions: int = 1, *, finite: bool = False) -> Array:
    """``values`` as float32 (if they are) or float64, or a ``ValueError`` that names ``name`` and what is allowed."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers; got an array of type {array.dtype}")
    if array.dtype != np.float32:
        array = array.astype(np.float64, copy=False)
    if array.ndim < dimensions:
        raise ValueError(f"{name} must have at least {dimensions} dimension(s); got shape {array.shape}")
    if 0 in array.shape[array.ndim - dimensions :]:
        raise ValueError(f"{name} must not be empty; got shape {array.shape}")
    if np.isnan(array).any():
        raise ValueError(f"{name} must not contain NaN")
    if finite and np.isinf(array).any():
        raise ValueError(f"{name} must be finite; got an infinite entry")
    return array


def common_leading(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Leading axes that arrays of these shapes broadcast to, or a ``ValueError`` that names the arrays."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"leading axes must be equal or 1; got {told}") from None


def _as_logits(logits: ArrayLike) -> Array:
    z = as_floats(logits, "logits")
    if (z == np.inf).any():
        raise ValueError("logits must be finite, or -inf for a masked entry; got +inf")
    return z


def _weights(z: Array) -> tuple[Array, Integers, Integers, Array]:
    """Softmax, and what of it the weights do not tell when it saturates.

    Returns ``(y, top, places, tail)``: the weights; the position of the largest logit in its row and, for ``np.take``
    and ``np.put``, in the whole array; the sum of ``exp(z - max)`` over all other positions. All with a kept axis.
    """
    z = np.ascontiguousarray(z)
    top = z.argmax(-1, keepdims=True)
    places = top + np.arange(0, z.size, z.shape[-1]).reshape(top.shape)
    largest = np.take(z, places)
    alive = np.isfinite(largest)
    with np.errstate(over="ignore"):  # -1e308 - 1e308 is -inf, and exp(-inf) is the right answer, 0
        e = z - np.where(alive, largest, 0)
    np.exp(e, out=e)
    np.put(e, places, 0)
    tail = e.sum(-1, keepdims=True)
    np.put(e, places, alive)  # exp(0) is 1
    e /= 1 + tail
    return e, top, places, tail


def _split(z: Array) -> tuple[Array, Array, Integers, Array]:
    """The row in a form that loses nothing when it saturates.

    Returns ``(y, rest, top, tail)``: the weights, ``1 - y`` to full relative precision, the position of the largest
    logit (with a kept axis), and the sum of ``exp(z - max)`` over all other positions. In a row that is wholly masked
    weights are 0, and so is ``rest`` at that position.
    """
    y, top, places, tail = _weights(z)
    rest = 1 - y
    np.put(rest, places, tail / (1 + tail))
    return y, rest, top, tail


def softmax(logits: ArrayLike) -> Array:
    r"""Softmax weights :math:`y_i = e^{z_i} / \sum_j e^{z_j}`, stable for any finite input.

    logits: shape (..., n). Returns the weights, shape (..., n), in [0, 1], each row with sum 1 (0 if wholly masked).
    """
    return _weights(_as_logits(logits))[0]


def log_softmax(logits: ArrayLike) -> Array:
    r"""Logarithm of the softmax, :math:`\ln y_i = z_i - \max z - \ln \sum_j e^{z_j - \max z}`, in nats.

    logits: shape (..., n). Returns shape (..., n), at most 0; masked entries and wholly masked rows are ``-inf``.
    """
    z = _as_logits(logits)
    _, _, top, tail = _split(z)
    largest = np.take_along_axis(z, top, -1)
    with np.errstate(over="ignore"):
        return z - np.where(np.isfinite(largest), largest, 0) - np.log1p(tail)


def softmax_jacobian(logits: ArrayLike) -> Array:
    r"""Jacobian :math:`J_{ij} = \partial y_i / \partial z_j`, that is :math:`\operatorname{diag}(y) - y y^\top`.

    logits: shape (..., n). Returns shape (..., n, n): symmetric, positive semidefinite, rows with sum 0,
    entries in [-1/4, 1/4], spectral norm at most 1/2 (Nair 2025).
    """
    y, rest, _, _ = _split(_as_logits(logits))
    jacobian = -(y[..., :, None] * y[..., None, :])
    i = np.arange(y.shape[-1])
    jacobian[..., i, i] = y * rest
    return jacobian


def softmax_vjp(logits: ArrayLike, upstream: ArrayLike) -> Array:
    r"""Pull a gradient back through the softmax: :math:`(J^\top u)_i = y_i (u_i - \sum_j y_j u_j)`.

    logits: shape (..., n); upstream: the gradient at the weights, shape broadcastable to it. Returns the gradient at
    the logits, shape (..., n), with sum 0. J is symmetric, so this is also the forward derivative along ``upstream``.
    Raises ``ValueError`` if the shapes do not fit or differences within ``upstream`` overflow.
    """
    z, u = _as_logits(logits), as_floats(upstream, "upstream", finite=True)
    if u.shape[-1] not in (1, z.shape[-1]):
        raise ValueError(f"upstream must end in {z.shape[-1]} entries like logits {z.shape}; got shape {u.shape}")
    leading = common_leading(logits=z.shape[:-1], upstream=u.shape[:-1])
    z, u = (np.broadcast_to(array, (*leading, z.shape[-1])) for array in (z, u))
    y, _, top, _ = _split(z)
    with np.errstate(over="ignore"):
        behind = np.take_along_axis(u, top, -1) - u  # u at the largest logit, minus u: 0 there, so no digits cancel
    if np.isinf(behind).any():
        raise ValueError(f"upstream must span less than the largest {u.dtype}, {np.finfo(u.dtype).max:.2g}")
    mean_behind = (y * behind).sum(-1, keepdims=True)
    return y * (mean_behind - behind)


def softmax_jacobian_max(logits: ArrayLike) -> Array:
    r"""Largest entry of the Jacobian by size, :math:`\max_i y_i (1 - y_i) \le 1/4`, without building it.

    It always lies on the diagonal, since :math:`y_i y_j \le y_i (1 - y_i)` for j other than i.
    logits: shape (..., n). Returns shape (...).
    """
    y, rest, _, _ = _split(_as_logits(logits))
    return (y * rest).max(-1)


def softmax_jacobian_norm(logits: ArrayLike) -> Array:
    r"""Frobenius norm of the Jacobian without building it; at most 1/2, and :math:`\sqrt{n-1}/n` for equal logits.

    The textbook form :math:`\sum y^2 - 2 \sum y^3 + (\sum y^2)^2` cancels to nothing near one-hot, and its squares
    underflow. So :math:`\varepsilon = 1 - y_{\max}` is taken out. With :math:`p_j = y_j / \varepsilon` for the others,
    which add up to 1, and :math:`P = \sum p_j^2`, the norm is :math:`\varepsilon` times the root of
    :math:`y_{\max}^2 (1 + P) + \sum_j p_j^2 [(1 - y_j)^2 + y_{\max}^2 + \varepsilon^2 (P - p_j^2)]`.
    logits: shape (..., n). Returns shape (...).
    """
    y, rest, top, _ = _split(_as_logits(logits))
    largest, epsilon = np.take_along_axis(y, top, -1), np.take_along_axis(rest, top, -1)
    others = y.copy()
    np.put_along_axis(others, top, 0, -1)
    share = others / np.where(epsilon > 0, epsilon, 1)
    share2 = share * share
    total = share2.sum(-1, keepdims=True)
    rows = share2 * (rest * rest + largest**2 + epsilon**2 * (total - share2))
    return (epsilon * np.sqrt(largest**2 * (1 + total) + rows.sum(-1, keepdims=True)))[..., 0]


def softmax_entropy(logits: ArrayLike) -> Array:
    r"""Entropy of ``softmax(logits)`` in nats, :math:`\ln \sum_j e^{z_j - \max z} + \sum_i y_i (\max z - z_i)`.

    Both terms are non-negative, so a nearly one-hot row keeps all its digits. Between 0 and ln n; 0 if wholly masked.
    logits: shape (..., n). Returns shape (...).
    """
    z = _as_logits(logits)
    y, _, top, tail = _split(z)
    with np.errstate(over="ignore", invalid="ignore"):
        gap = np.take_along_axis(z, top, -1) - z
        return np.log1p(tail[..., 0]) + np.where(y > 0, y * gap, 0).sum(-1)


def entropy(weights: ArrayLike) -> Array:
    r"""Shannon entropy :math:`-\sum_i p_i \ln p_i` of given probabilities, in nats, with :math:`0 \ln 0 = 0`.

    weights: shape (..., n), non-negative, each row with sum 1 (or all 0, the wholly masked row, whose entropy is 0);
    anything else raises ``ValueError``. From logits, :func:`softmax_entropy` keeps more digits. Returns shape (...).
    """
    p = as_floats(weights, "weights")
    with np.errstate(over="ignore"):  # a sum that overflows is not 1 either
        total = p.sum(-1)
    tolerance = 1e-4 if p.dtype == np.float32 else 1e-8
    if (p < 0).any() or not (np.isclose(total, 1, rtol=0, atol=tolerance) | (total == 0)).all():
        raise ValueError("weights must be probabilities: not negative, each row with sum 1 (or wholly 0)")
    return np.abs((p * np.log(np.where(p > 0, p, 1))).sum(-1))
