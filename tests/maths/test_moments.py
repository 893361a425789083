"""Moments and expectations: identities, order, and the ends of the allowed range."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from whyformer import maths

pytestmark = pytest.mark.filterwarnings("error")
SETTINGS = settings(deadline=None, derandomize=True, database=None, max_examples=80)
SMALL = st.floats(-10, 10)


@SETTINGS
@given(st.integers(1, 5), st.data())
def test_dot_variance_of_independent_components_is_a_sum_of_products(d, data):
    mean_q, mean_k = (data.draw(arrays(float, d, elements=SMALL)) for _ in range(2))
    var_q, var_k = (data.draw(arrays(float, d, elements=st.floats(0, 10))) for _ in range(2))
    wanted = sum(maths.product_variance(*one) for one in zip(mean_q, var_q, mean_k, var_k, strict=True))
    result = maths.dot_variance(mean_q, np.diag(var_q), mean_k, np.diag(var_k))
    assert isinstance(result, float)
    assert_allclose(result, wanted, rtol=1e-13)


@SETTINGS
@given(st.integers(1, 5), st.data())
def test_dot_variance_symmetries(d, data):
    mean_q, mean_k = (data.draw(arrays(float, d, elements=SMALL)) for _ in range(2))
    a, b = (data.draw(arrays(float, (d, d), elements=SMALL)) for _ in range(2))
    cov_q, cov_k = a @ a.T, b @ b.T
    result = maths.dot_variance(mean_q, cov_q, mean_k, cov_k)
    scale = 1 + abs(result)
    assert result >= -1e-10 * scale
    assert_allclose(maths.dot_variance(mean_k, cov_k, mean_q, cov_q), result, rtol=1e-11, atol=1e-9)
    order = np.arange(d)[::-1]
    turned = (mean_q[order], cov_q[np.ix_(order, order)], mean_k[order], cov_k[np.ix_(order, order)])
    assert_allclose(maths.dot_variance(*turned), result, rtol=1e-11, atol=1e-9)
    assert_allclose(maths.dot_variance(2 * mean_q, 4 * cov_q, mean_k, cov_k), 4 * result, rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("d", [1, 16, 64, 512])
def test_unit_components_give_d_k(d):
    zero, eye = np.zeros(d), np.eye(d)
    assert maths.dot_variance(zero, eye, zero, eye) == d
    assert maths.dot_excess_kurtosis(d) == 6 / d


def test_moments_of_samples():
    """Correlated normal vectors with means, against the sample variance (five standard errors)."""
    draws = np.random.RandomState(3)
    a, b = draws.standard_normal((2, 4, 4))
    mean_q, mean_k = draws.standard_normal((2, 4))
    x, y = draws.standard_normal((2, 200_000, 4))
    dots = ((mean_q + x @ a.T) * (mean_k + y @ b.T)).sum(-1)
    squares = (dots - dots.mean()) ** 2
    wanted = maths.dot_variance(mean_q, a @ a.T, mean_k, b @ b.T)
    assert abs(squares.mean() - wanted) < 5 * squares.std() / np.sqrt(len(dots))


def test_expected_maximum_of_two_three_and_more():
    assert_allclose(maths.expected_maximum(2), 1 / np.sqrt(np.pi), rtol=1e-12)
    assert_allclose(maths.expected_maximum(3), 1.5 / np.sqrt(np.pi), rtol=1e-12)
    values = [maths.expected_maximum(n) for n in (2, 3, 5, 10, 100, 1000, 10**6)]
    assert values == sorted(values)
    assert all(m < maths.critical_std(n) for m, n in zip(values, (2, 3, 5, 10, 100, 1000, 10**6), strict=True))
    assert maths.expected_maximum(10.0) == maths.expected_maximum(np.int64(10)) == values[3]


@SETTINGS
@given(st.integers(2, 10**7), st.floats(0, 6), st.floats(-50, 50))
def test_needle_weight_and_gap(n, s, gap):
    weight = maths.needle_weight(n, gap, s)
    assert 0 < weight <= 1
    assert maths.needle_weight(n, gap + 1, s) >= weight >= maths.needle_weight(n + 1, gap, s)
    assert_allclose(maths.needle_weight(n, maths.needle_gap(n, s), s), 0.5, rtol=1e-13)
    assert_allclose(weight, maths.softmax([gap - s * s / 2 - np.log(n - 1), 0])[0], rtol=1e-13)


@pytest.mark.parametrize("n, s", [(2, 0.01), (64, 1.0), (100_000, 5.0)])
def test_limits_are_in_range(n, s):
    sharp, flat = maths.sharp_limits(n, s), maths.flat_limits(n, s)
    assert_allclose(np.array(sharp) * s, maths.sharp_limits(n, 1), rtol=1e-14)
    assert_allclose(sharp.spectral_norm * s, maths.expected_maximum(n), rtol=1e-14)
    assert flat.entropy < np.log(n) and 0 < flat.effective_keys < n
    assert_allclose(flat.sum_of_squares * flat.effective_keys**2, n, rtol=1e-13)


@pytest.mark.parametrize("gap, wanted", [(-800, 0), (800, 1), (-1e308, 0), (1e308, 1), (-705, np.exp(-705) / 9)])
def test_needle_weight_at_extreme_gaps(gap, wanted):
    assert_allclose(maths.needle_weight(10, gap), wanted, rtol=1e-12)


@pytest.mark.parametrize("s", [1e-150, 26.0, 27.0, 1e100])
def test_limits_at_extreme_standard_deviations(s):
    assert not np.isnan(maths.sharp_limits(10, s)).any()
    assert not np.isnan(maths.flat_limits(10, s)).any()
