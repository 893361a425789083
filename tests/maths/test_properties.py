"""What must hold for every row: bounds, symmetries and derivatives of the softmax family, drawn by hypothesis."""

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


@given(ANY_ROW)
def test_jacobian_bounds(z):
    y, jacobian = maths.softmax(z), maths.softmax_jacobian(z)
    largest = np.abs(jacobian).max()
    assert_array_equal(jacobian, jacobian.T)
    assert_allclose(jacobian.sum(1), 0, atol=8 * EPS * largest)
    assert largest <= 0.25 + EPS and (np.diag(jacobian) >= 0).all()
    off_diagonal = jacobian[~np.eye(len(z), dtype=bool)]
    assert (off_diagonal <= 0).all()
    assert np.diag(jacobian).max() == largest  # always on the diagonal
    assert_allclose(np.trace(jacobian), y.sum() - (y * y).sum(), rtol=1e-12, atol=8 * EPS)
    assert_allclose(np.abs(jacobian).sum(1).max(), 2 * (np.diag(jacobian)).max(), rtol=1e-12, atol=1e-300)


@given(ANY_ROW)
def test_jacobian_spectrum(z):
    """Positive semidefinite, at most 1/2, and interlaced with the sorted weights."""
    eigenvalues = np.linalg.eigvalsh(maths.softmax_jacobian(z))[::-1]
    ordered = np.sort(maths.softmax(z))[::-1]
    assert eigenvalues[0] <= 0.5 + 4 * EPS
    assert abs(eigenvalues[-1]) <= 4 * EPS
    assert (ordered >= eigenvalues - 4 * EPS).all()
    assert (eigenvalues[:-1] >= ordered[1:] - 4 * EPS).all()


@given(rows() | rows(700, max_n=3) | rows(30, masks=True))
def test_sizes_without_building_equal_built_sizes(z):
    jacobian = maths.softmax_jacobian(z)
    largest, norm = maths.softmax_jacobian_max(z), maths.softmax_jacobian_norm(z)
    assert largest == np.abs(jacobian).max()
    scale = largest or 1.0  # the squares may lie below the range of float64, the norm does not
    assert_allclose(norm, np.linalg.norm(jacobian / scale) * scale, rtol=1e-14, atol=1e-320)
    assert norm <= 0.5 + EPS


@given(rows(), numbers(1000))
def test_shift_changes_nothing(z, shift):
    for f in FROM_LOGITS:  # the grid makes z + shift exact
        assert_array_equal(f(z + shift), f(z))


@given(rows(30, masks=True), st.randoms(use_true_random=False))
def test_order_of_keys_does_not_matter(z, random):
    order = random.sample(range(len(z)), len(z))
    assert_allclose(maths.softmax(z[order]), maths.softmax(z)[order], rtol=1e-14)
    assert_allclose(maths.log_softmax(z[order]), maths.log_softmax(z)[order], rtol=1e-14)
    assert_allclose(maths.softmax_jacobian(z[order]), maths.softmax_jacobian(z)[np.ix_(order, order)], rtol=1e-13)
    for f in (maths.softmax_jacobian_max, maths.softmax_jacobian_norm, maths.softmax_entropy):
        assert_allclose(f(z[order]), f(z), rtol=1e-13)


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


@given(ANY_ROW)
def test_log_softmax_is_the_logarithm(z):
    y, logarithm = maths.softmax(z), maths.log_softmax(z)
    assert (logarithm <= 0).all()
    kept = y > 1e-300
    assert_allclose(logarithm[kept], np.log(y[kept]), rtol=1e-13, atol=2 * EPS)
    assert (logarithm[~kept] < -690).all()


@given(ANY_ROW)
def test_entropy_bounds(z):
    n = np.isfinite(z).sum()
    entropy = maths.softmax_entropy(z)
    assert 0 <= entropy <= np.log(max(n, 1)) * (1 + 4 * EPS)
    assert_allclose(entropy, maths.entropy(maths.softmax(z)), rtol=1e-12, atol=8 * EPS)


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


def textbook_softmax(z):
    e = np.exp(z - z.real.max())
    return e / e.sum()


@given(rows(8, max_n=6))
def test_derivatives_against_differences(z):
    """Complex steps of the textbook formula, and central differences of the package's own softmax."""
    n = len(z)
    jacobian = maths.softmax_jacobian(z)
    complex_step = np.stack([textbook_softmax(z + 1e-30j * e).imag / 1e-30 for e in np.eye(n)], -1)
    assert_allclose(jacobian, complex_step, rtol=1e-13, atol=4 * EPS)
    h = 2.0**-17
    central = np.stack([(maths.softmax(z + h * e) - maths.softmax(z - h * e)) / (2 * h) for e in np.eye(n)], -1)
    assert_allclose(jacobian, central, rtol=0, atol=1e-10)
    u = np.arange(n) - 1.5
    slope = np.stack([(maths.softmax(z + h * e) - maths.softmax(z - h * e)) @ u / (2 * h) for e in np.eye(n)])
    assert_allclose(maths.softmax_vjp(z, u), slope, rtol=0, atol=1e-9)


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
