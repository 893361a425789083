"""What must hold for every row, however extreme, drawn by hypothesis; values and derivatives are in test_golden."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal
from whyformer import maths

pytestmark = pytest.mark.filterwarnings("error")
settings.register_profile("maths", deadline=None, derandomize=True, database=None, max_examples=150)
settings.load_profile("maths")

EPS = np.finfo(float).eps
FROM_LOGITS = (
    maths.softmax,
    maths.log_softmax,
    maths.softmax_jacobian,
    maths.softmax_jacobian_max,
    maths.softmax_jacobian_norm,
    maths.softmax_entropy,
)


def numbers(size, masks=False):
    """Floats up to ``size``, on a grid of 1/64 so that ties are frequent; perhaps -inf, a masked entry."""
    limit = int(size * 64)
    values = st.integers(-limit, limit).map(lambda i: i / 64)
    return values | st.just(-np.inf) if masks else values


def rows(size=30, masks=False, min_n=1, max_n=9):
    return arrays(float, st.integers(min_n, max_n), elements=numbers(size, masks))


def batches(size=30, masks=False):
    shapes = array_shapes(min_dims=2, max_dims=4, max_side=4)
    return arrays(float, shapes, elements=numbers(size, masks))


WILD_ROW = arrays(float, st.integers(1, 6), elements=st.floats(-1e308, 1e308))
ANY_ROW = rows() | rows(700) | rows(30, masks=True) | WILD_ROW


@given(ANY_ROW)
def test_weights_are_a_distribution(z):
    y = maths.softmax(z)
    wholly_masked = np.isneginf(z).all()
    assert (y >= 0).all() and (y <= 1).all()
    assert_allclose(y.sum(), 0 if wholly_masked else 1, rtol=4 * EPS)
    assert (y[np.isneginf(z)] == 0).all()
    in_order = y[np.argsort(z)]  # the order of the logits; of neighbours in the last bit, exp may swap the last bit
    assert (np.diff(in_order) >= -2 * EPS * in_order[1:]).all()


@given(rows(30, masks=True), st.integers(0, 9))
def test_masked_entry_is_an_absent_entry(z, place):
    assume(np.isfinite(z).any())
    place = min(place, len(z))
    masked, kept = np.insert(z, place, -np.inf), np.arange(len(z) + 1) != place
    assert_allclose(maths.softmax(masked)[kept], maths.softmax(z), rtol=1e-14)
    assert maths.softmax(masked)[place] == 0 and np.isneginf(maths.log_softmax(masked)[place])
    jacobian = maths.softmax_jacobian(masked)
    assert_allclose(jacobian[np.ix_(kept, kept)], maths.softmax_jacobian(z), rtol=1e-14)
    assert (jacobian[place] == 0).all() and (jacobian[:, place] == 0).all()
    for f in (maths.softmax_jacobian_max, maths.softmax_jacobian_norm, maths.softmax_entropy):
        assert_allclose(f(masked), f(z), rtol=1e-13)


@given(batches(30, masks=True), st.data())
def test_leading_axes_are_a_loop(z, data):
    u = data.draw(arrays(float, z.shape, elements=numbers(9)))
    for f in (*FROM_LOGITS, lambda z: maths.entropy(maths.softmax(z))):
        looped = np.array([f(row) for row in z.reshape(-1, z.shape[-1])])
        assert_allclose(f(z), looped.reshape(z.shape[:-1] + looped.shape[1:]), rtol=1e-13)
    looped = np.array([maths.softmax_vjp(z[i], u[i]) for i in np.ndindex(z.shape[:-1])])
    assert_allclose(maths.softmax_vjp(z, u), looped.reshape(z.shape), rtol=1e-12, atol=1e-14)
    shared = u[..., :1, :]
    assert_array_equal(maths.softmax_vjp(z, shared), maths.softmax_vjp(z, np.broadcast_to(shared, z.shape)))


@given(rows(30, masks=True, max_n=7), st.data())
def test_vjp_is_the_transposed_jacobian_times_upstream(z, data):
    u, w = (data.draw(arrays(float, z.shape, elements=numbers(50))) for _ in range(2))
    jacobian, gradient = maths.softmax_jacobian(z), maths.softmax_vjp(z, u)
    scale = np.abs(jacobian).max() * np.abs(u).max()
    assert_allclose(gradient, jacobian.T @ u, rtol=1e-12, atol=16 * EPS * scale)
    assert_allclose(gradient.sum(), 0, atol=16 * EPS * scale)
    assert_allclose(maths.softmax_vjp(z, u + 3), gradient, rtol=1e-12, atol=16 * EPS * scale)  # constants do not matter
    assert_allclose(gradient @ w, maths.softmax_vjp(z, w) @ u, rtol=1e-11, atol=1e-12)  # symmetric


@given(ANY_ROW, st.data())
def test_extreme_inputs_give_finite_answers_in_range(z, data):
    """Warnings are errors here, so overflow anywhere fails too."""
    u = data.draw(arrays(float, z.shape, elements=st.floats(-1e300, 1e300)))
    gradient = maths.softmax_vjp(z, u)
    assert np.isfinite(gradient).all()
    assert (np.abs(gradient) <= np.abs(u).max() / 2 * (1 + 8 * EPS) + 1e-320).all()  # infinity norm of J at most 1/2
    for f in FROM_LOGITS:
        assert not np.isnan(f(z)).any()


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint64, bool, np.longdouble])
def test_other_real_types_are_computed_in_float64(dtype):
    z = np.array([1, 0, 1, 1]).astype(dtype)
    for f in FROM_LOGITS:
        assert f(z).dtype == np.float64
        assert_array_equal(f(z), f(z.astype(float)))
        assert_array_equal(f(z.tolist()), f(z.astype(float)))


def test_inputs_are_left_as_they_were():
    z, u = np.array([[0.5, -np.inf, 2.0]]), np.array([1.0, 2.0, 3.0])
    before = z.copy(), u.copy()
    for f in FROM_LOGITS:
        f(z)
    maths.softmax_vjp(z, u)
    assert_array_equal(z, before[0])
    assert_array_equal(u, before[1])


def test_empty_batches_stay_empty():
    z = np.zeros((0, 3))
    shapes = [f(z).shape for f in FROM_LOGITS]
    assert shapes == [(0, 3), (0, 3), (0, 3, 3), (0,), (0,), (0,)]
    assert maths.softmax_vjp(z, np.zeros(3)).shape == (0, 3)
