"""What must hold for every attention layer: masks, batches, scale, and gradients against complex steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from whyformer import maths

pytestmark = pytest.mark.filterwarnings("error")
SETTINGS = settings(deadline=None, derandomize=True, database=None, max_examples=80)
EIGHTHS = st.integers(-24, 24).map(lambda i: i / 8)
SINGLE = st.just(())
DIVISORS = st.sampled_from([None, 1.0, 0.5, 3, np.float64(2.5)])


@st.composite
def layers(draw, lead=SINGLE):
    """(q, k, v), a mask or None, and a divisor or None."""
    lead = draw(lead)
    n_q, n_k, d_k, d_v = (draw(st.integers(1, 4)) for _ in range(4))
    q, k, v = (draw(arrays(float, (*lead, *s), elements=EIGHTHS)) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    masks = arrays(bool, draw(st.sampled_from([(n_k,), (1, n_k), (n_q, 1), (n_q, n_k), (*lead, n_q, n_k)])))
    return (q, k, v), draw(st.none() | masks), draw(DIVISORS)


LEADS = st.sampled_from([(2,), (3, 2), (1, 2), (0,), (2, 0)])


def full(mask, layer):
    q, k, _ = layer
    shape = (*q.shape[:-1], k.shape[-2])
    return np.ones(shape, bool) if mask is None else np.broadcast_to(mask, shape)


def textbook(q, k, v, mask, divisor):
    """One layer by the printed formula; works on complex numbers, so that complex steps go through."""
    s = q @ k.T / (np.sqrt(q.shape[1]) if divisor is None else divisor)
    e = np.where(mask, np.exp(s - s.real.max(1, keepdims=True)), 0)
    total = e.sum(1, keepdims=True)
    return np.where(total == 0, 0, e / np.where(total == 0, 1, total)) @ v


def complex_step(layer, which, f):
    step, moved = 1e-30, [a.astype(complex) for a in layer]
    gradient = np.zeros(layer[which].shape)
    for i in np.ndindex(gradient.shape):
        moved[which][i] += 1j * step
        gradient[i] = f(*moved).imag / step
        moved[which][i] -= 1j * step
    return gradient


@SETTINGS
@given(layers())
def test_output_and_gradients_against_the_textbook(case):
    layer, mask, divisor = case
    wanted = textbook(*layer, full(mask, layer), divisor)
    assert_allclose(maths.attention(*layer, mask=mask, divisor=divisor), wanted, rtol=1e-12, atol=1e-14)
    upstream = np.random.RandomState(wanted.size).standard_normal(wanted.shape)
    gradients = maths.attention_gradients(*layer, upstream, mask=mask, divisor=divisor)
    assert gradients._fields == ("q", "k", "v")
    for which, gradient in enumerate(gradients):
        steps = complex_step(layer, which, lambda *a: (upstream * textbook(*a, full(mask, layer), divisor)).sum())
        assert_allclose(gradient, steps, rtol=1e-11, atol=1e-13)


@SETTINGS
@given(layers(LEADS))
def test_leading_axes_are_a_loop(case):
    layer, mask, divisor = case
    masks = full(mask, layer)
    out = maths.attention(*layer, mask=mask, divisor=divisor)
    weights = maths.attention_weights(*layer[:2], mask=mask, divisor=divisor)
    gradients = maths.attention_gradients(*layer, out + 1, mask=mask, divisor=divisor)
    assert weights.shape == masks.shape and out.shape == (*weights.shape[:-1], layer[2].shape[-1])
    assert [g.shape for g in gradients] == [a.shape for a in layer]
    for i in np.ndindex(layer[0].shape[:-2]):
        one = [a[i] for a in layer]
        options = {"mask": masks[i], "divisor": divisor}
        assert_allclose(maths.attention_weights(*one[:2], **options), weights[i], rtol=1e-13)
        assert_allclose(maths.attention(*one, **options), out[i], rtol=1e-12, atol=1e-14)
        for a, b in zip(maths.attention_gradients(*one, out[i] + 1, **options), gradients, strict=True):
            assert_allclose(a, b[i], rtol=1e-11, atol=1e-13)


@SETTINGS
@given(layers(), st.data())
def test_masking_keys_is_dropping_them(case, data):
    (q, k, v), _, divisor = case
    kept = data.draw(arrays(bool, len(k)).filter(np.any))
    options = {"mask": kept, "divisor": divisor}
    fewer = maths.attention(q, k[kept], v[kept], divisor=divisor)
    assert_allclose(maths.attention(q, k, v, **options), fewer, rtol=1e-12, atol=1e-14)
    assert (maths.attention_weights(q, k, **options)[:, ~kept] == 0).all()
    upstream = np.ones((len(q), v.shape[1]))
    masked = maths.attention_gradients(q, k, v, upstream, **options)
    dropped = maths.attention_gradients(q, k[kept], v[kept], upstream, divisor=divisor)
    assert_allclose(masked.q, dropped.q, rtol=1e-12, atol=1e-13)
    for full_size, small in ((masked.k, dropped.k), (masked.v, dropped.v)):
        assert_allclose(full_size[kept], small, rtol=1e-12, atol=1e-13)
        assert (full_size[~kept] == 0).all()


@SETTINGS
@given(layers())
def test_query_that_may_look_nowhere(case):
    (q, k, v), mask, divisor = case
    mask = np.array(full(mask, (q, k, v)))
    mask[0] = False
    options = {"mask": mask, "divisor": divisor}
    assert (maths.attention_weights(q, k, **options)[0] == 0).all()
    assert (maths.attention(q, k, v, **options)[0] == 0).all()
    upstream = np.ones((len(q), v.shape[1]))
    gradients = maths.attention_gradients(q, k, v, upstream, **options)
    assert (gradients.q[0] == 0).all()
    upstream[0] = 1e6  # what comes back to a blind query goes nowhere
    for a, b in zip(gradients, maths.attention_gradients(q, k, v, upstream, **options), strict=True):
        assert_array_equal(a, b)


def test_float32_stays_and_mixed_types_are_float64():
    q, k, v = (np.random.RandomState(i).standard_normal((4, 3)).astype(np.float32) for i in range(3))
    assert maths.scores(q, k).dtype == maths.attention_weights(q, k).dtype == np.float32
    assert {g.dtype for g in maths.attention_gradients(q, k, v, v)} == {np.dtype(np.float32)}
    double = [a.astype(float) for a in (q, k, v)]
    assert maths.scores(q, double[1]).dtype == np.float64
    assert_allclose(maths.scores(q, double[1]), maths.scores(*double[:2]), rtol=1e-14)
    assert_allclose(maths.attention(q, *double[1:]), maths.attention(*double), rtol=1e-14)
    mixed = maths.attention_gradients(q, *double[1:], double[2])
    for a, b in zip(mixed, maths.attention_gradients(*double, double[2]), strict=True):
        assert_allclose(a, b, rtol=1e-13)


def test_huge_scores_are_a_hard_choice():
    q, k, v = np.array([[1e150, 0.0]]), np.array([[1e150, 0.0], [-1e150, 3.0], [0.0, 1.0]]), np.eye(3)
    assert_array_equal(maths.attention(q, k, v, divisor=1), [[1, 0, 0]])
    gradients = maths.attention_gradients(q, k, v, np.ones((1, 3)), divisor=1)
    assert (gradients.q == 0).all() and (gradients.k == 0).all()
    assert_array_equal(gradients.v, [[1, 1, 1], [0, 0, 0], [0, 0, 0]])
    tie = maths.attention_weights([[1e150]], [[1e150], [1e150]], divisor=1e-3)
    assert_array_equal(tie, [[0.5, 0.5]])
