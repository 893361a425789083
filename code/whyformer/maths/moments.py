"""Mean, variance and tails of a dot product of random vectors. Elementary; checked in the chapter ``why_sqrt_dk``."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from whyformer.maths.softmax import as_floats


def dot_variance(mean_q: ArrayLike, cov_q: ArrayLike, mean_k: ArrayLike, cov_k: ArrayLike) -> float:
    r"""Exact variance of :math:`q^\top k` for independent random vectors q and k of any distribution.

    .. math:: \operatorname{Var}(q^\top k) =
       \operatorname{tr}(\Sigma_q \Sigma_k) + \mu_q^\top \Sigma_k \mu_q + \mu_k^\top \Sigma_q \mu_k

    mean_q, mean_k: shape (d_k,); cov_q, cov_k: covariances, shape (d_k, d_k). It is d_k when both means are 0 and
    both covariances the identity. Raises ``ValueError`` if the shapes do not fit.
    """
    mq, mk = as_floats(mean_q, "mean_q"), as_floats(mean_k, "mean_k")
    sq, sk = as_floats(cov_q, "cov_q", 2), as_floats(cov_k, "cov_k", 2)
    d = mq.shape[-1]
    for name, array, shape in (
        ("mean_q", mq, (d,)),
        ("mean_k", mk, (d,)),
        ("cov_q", sq, (d, d)),
        ("cov_k", sk, (d, d)),
    ):
        if array.shape != shape:
            raise ValueError(f"{name} must have shape {shape} to go with mean_q of length {d}; got {array.shape}")
    return float(np.trace(sq @ sk) + mq @ sk @ mq + mk @ sq @ mk)


def product_variance(mean_q: float, var_q: float, mean_k: float, var_k: float) -> float:
    r"""Variance of one product of independent numbers.

    .. math:: \operatorname{Var}(q k) = \sigma_q^2\sigma_k^2 + \sigma_q^2\mu_k^2 + \sigma_k^2\mu_q^2

    All finite, variances not negative, else ``ValueError``.
    """
    if not np.isfinite([mean_q, var_q, mean_k, var_k]).all() or var_q < 0 or var_k < 0:
        raise ValueError(
            "means must be finite, variances finite and not negative; "
            f"got mean_q={mean_q!r}, var_q={var_q!r}, mean_k={mean_k!r}, var_k={var_k!r}"
        )
    return float(var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2)


def dot_excess_kurtosis(d_k: int, kurtosis_q: float = 3.0, kurtosis_k: float = 3.0) -> float:
    r"""Excess kurtosis of :math:`q^\top k` for independent components of mean 0: :math:`(\kappa_q \kappa_k - 3) / d_k`.

    kurtosis_q, kurtosis_k: E x^4 / (E x^2)^2 of one component (normal 3, uniform 9/5, plus or minus one 1; all at
    least 1). For normal components it is 6 / d_k. Raises ``ValueError`` for d_k below 1 or a kurtosis below 1.
    """
    if isinstance(d_k, bool) or not isinstance(d_k, Integral) or d_k < 1:
        raise ValueError(f"d_k must be a whole number, 1 or more; got {d_k!r}")
    if not (1 <= kurtosis_q < np.inf and 1 <= kurtosis_k < np.inf):
        raise ValueError(f"a kurtosis is finite and at least 1; got {kurtosis_q!r} and {kurtosis_k!r}")
    return float((kurtosis_q * kurtosis_k - 3) / d_k)
