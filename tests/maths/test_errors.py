"""Every documented error: raised as a ValueError that names the argument and what is allowed."""

import numpy as np
import pytest
from whyformer import maths

pytestmark = pytest.mark.filterwarnings("error")

NAN, INF = np.nan, np.inf
ROW, ONE = [0.0, 1.0, 2.0], [[1.0]]
Q, K, V = np.ones((2, 3)), np.ones((4, 3)), np.ones((4, 2))
EYE = np.eye(2)
LOGITS = ("softmax", "log_softmax", "softmax_jacobian", "softmax_jacobian_max", "softmax_jacobian_norm")
LOGITS += ("softmax_entropy", "softmax_vjp")
BAD_LOGITS = {  # value, what the message must say
    "NaN": ([0.0, NAN], ["NaN"]),
    "+inf": ([0.0, INF], ["finite", "-inf", "+inf"]),
    "+inf in a batch": ([[0.0, 1.0], [INF, -INF]], ["finite", "+inf"]),
    "scalar": (1.0, ["at least 1 dimension", "()"]),
    "empty": ([], ["empty", "(0,)"]),
    "empty last axis": (np.zeros((3, 0)), ["empty", "(3, 0)"]),
    "complex": ([1j, 0], ["real", "complex"]),
    "words": (["a", "b"], ["real"]),
    "objects": ([None, 1.0], ["real", "object"]),
}


def says(call, *fragments):
    with pytest.raises(ValueError) as caught:
        call()
    for fragment in fragments:
        assert fragment in str(caught.value), f"{fragment!r} is not in: {caught.value}"


@pytest.mark.parametrize("kind", BAD_LOGITS)
@pytest.mark.parametrize("name", LOGITS)
def test_logits(name, kind):
    value, fragments = BAD_LOGITS[kind]
    more = ([0.0, 1.0],) if name == "softmax_vjp" else ()
    says(lambda: getattr(maths, name)(value, *more), "logits", *fragments)


UPSTREAM = {
    "NaN": ([0.0, NAN, 0.0], ["NaN"]),
    "-inf": ([0.0, -INF, 0.0], ["finite"]),
    "too short": ([0.0, 1.0], ["3", "(2,)"]),
}


@pytest.mark.parametrize("kind", UPSTREAM)
def test_upstream_of_softmax(kind):
    value, fragments = UPSTREAM[kind]
    says(lambda: maths.softmax_vjp(ROW, value), "upstream", *fragments)


@pytest.mark.parametrize(
    "weights",
    [
        [0.5, 0.4],
        [1.5, -0.5],
        [2.0, 2.0],
        [[0.5, 0.5], [0.5, 0.6]],
        [INF, 0.0],
        [0.5, 0.5 + 1e-7],
        [1e308, 1e308],
        np.float32([0.5, 0.501]),
    ],
)
def test_weights_that_are_no_probabilities(weights):
    says(lambda: maths.entropy(weights), "weights", "probabilities", "sum 1")


def test_weights_of_wrong_kind():
    says(lambda: maths.entropy([NAN, 1.0]), "weights", "NaN")
    says(lambda: maths.entropy(1.0), "weights", "dimension")
    says(lambda: maths.entropy([]), "weights", "empty")
    says(lambda: maths.entropy(["a"]), "weights", "real")


def test_rounding_errors_in_weights_are_allowed():
    for kind, tolerance in ((np.float64, 1e-8), (np.float32, 1e-4)):
        assert maths.entropy(np.array([0.5, 0.5 + 0.9 * tolerance], kind)) > 0.69
        for off in (-1.1 * tolerance, 1.1 * tolerance):
            says(lambda kind=kind, off=off: maths.entropy(np.array([0.5, 0.5 + off], kind)), "weights", "sum 1")
    assert maths.entropy(np.float32([0.5, 0.50001])) > 0.69
    assert maths.entropy([1.0 + 1e-12, 0.0]) >= 0


BAD_MATRICES = {
    "NaN": ([[NAN]], ["NaN"]),
    "inf": ([[INF]], ["finite"]),
    "vector": ([1.0], ["2 dimension", "(1,)"]),
    "no rows": (np.zeros((0, 1)), ["empty"]),
}


@pytest.mark.parametrize("kind", BAD_MATRICES)
@pytest.mark.parametrize("name", ["q", "k", "v", "upstream"])
def test_attention_arguments(name, kind):
    value, fragments = BAD_MATRICES[kind]
    good = dict.fromkeys(("q", "k", "v", "upstream"), ONE)
    says(lambda: maths.attention_gradients(**(good | {name: value})), name, *fragments)
    if name != "upstream":
        del good["upstream"]
        says(lambda: maths.attention(**(good | {name: value})), name, *fragments)
    if name in "qk":
        del good["v"]
        says(lambda: maths.scores(**(good | {name: value})), name, *fragments)
        says(lambda: maths.attention_weights(**(good | {name: value})), name, *fragments)


def test_shapes_that_do_not_fit():
    says(lambda: maths.scores(Q, np.ones((4, 2))), "q and k", "d_k", "(2, 3)", "(4, 2)")
    says(lambda: maths.attention(Q, K, np.ones((3, 2))), "k and v", "4 keys", "(3, 2)")
    says(lambda: maths.attention_gradients(Q, K, np.ones((3, 2)), np.ones((2, 2))), "k and v", "4 keys", "(3, 2)")
    for shape in ((2, 3), (3, 2), (1, 2), (2, 1), (1, 2, 2)):
        says(lambda: maths.attention_gradients(Q, K, V, np.ones(shape)), "upstream", "(2, 2)", str(shape))  # noqa: B023


def test_leading_axes_that_do_not_broadcast():
    two, three = np.ones((2, 4, 3)), np.ones((3, 4, 3))
    for call in (lambda: maths.scores(two, three), lambda: maths.attention(two, two, three)):
        says(call, "leading axes", "(2,)", "(3,)")
    says(lambda: maths.attention_gradients(two, two, three, two), "leading axes", "weights (2,)", "v (3,)")
    says(lambda: maths.softmax_vjp(two, three), "leading axes", "logits (2, 4)", "upstream (3, 4)")


def test_what_overflows():
    says(lambda: maths.scores([[1e200]], [[1e200]]), "q and k", "overflow", "float64")
    says(lambda: maths.attention_weights(np.float32([[1e30]]), np.float32([[1e30]])), "q and k", "float32")
    says(lambda: maths.scores(np.float32([[1.0]]), np.float32([[1.0]]), divisor=1e-60), "q and k", "float32")
    says(lambda: maths.softmax_vjp([0.0, 0.0], [1e308, -1e308]), "upstream", "1.8e+308")


@pytest.mark.parametrize("divisor", [0, 0.0, -1, NAN, INF, -INF, [1.0], np.ones(2), "2", 1j])
def test_divisor(divisor):
    for call in (
        lambda: maths.scores(Q, K, divisor=divisor),
        lambda: maths.attention_weights(Q, K, divisor=divisor),
        lambda: maths.attention(Q, K, V, divisor=divisor),
        lambda: maths.attention_gradients(Q, K, V, np.ones((2, 2)), divisor=divisor),
    ):
        says(call, "divisor", "positive", "sqrt(d_k)")


MASKS = {
    "integers": (np.ones((2, 4), int), ["boolean"]),
    "floats": (np.zeros((2, 4)), ["boolean"]),
    "too few keys": (np.ones((2, 3), bool), ["broadcast", "(2, 4)", "(2, 3)"]),
    "too many queries": (np.ones((3, 4), bool), ["broadcast", "(2, 4)", "(3, 4)"]),
    "more axes than the scores": (np.ones((5, 2, 4), bool), ["broadcast", "(2, 4)", "(5, 2, 4)"]),
}


@pytest.mark.parametrize("kind", MASKS)
def test_mask(kind):
    mask, fragments = MASKS[kind]
    says(lambda: maths.attention_weights(Q, K, mask=mask), "mask", *fragments)
    says(lambda: maths.attention(Q, K, V, mask=mask), "mask", *fragments)
    says(lambda: maths.attention_gradients(Q, K, V, np.ones((2, 2)), mask=mask), "mask", *fragments)


@pytest.mark.parametrize("q_rows, k_rows, mask", [(1, 4, (3, 4)), (2, 1, (2, 4)), (1, 1, (3, 4))])
def test_mask_that_would_stretch_the_scores(q_rows, k_rows, mask):
    q, k = np.ones((q_rows, 3)), np.ones((k_rows, 3))
    says(lambda: maths.attention_weights(q, k, mask=np.ones(mask, bool)), "mask", "broadcast", str(mask))


@pytest.mark.parametrize("n", [1, 0, -5, 2.5, True, NAN, INF, None, "ten", [3]])
def test_number_of_keys(n):
    for call in (
        lambda: maths.expected_maximum(n),
        lambda: maths.critical_std(n),
        lambda: maths.needle_gap(n),
        lambda: maths.needle_weight(n, 1.0),
        lambda: maths.sharp_limits(n, 1.0),
        lambda: maths.flat_limits(n, 1.0),
    ):
        says(call, "n must", "whole number", "2 or more")


@pytest.mark.parametrize("s", [0, -1.0, NAN, INF])
def test_standard_deviation(s):
    says(lambda: maths.sharp_limits(10, s), "s must", "positive", "finite")
    says(lambda: maths.flat_limits(10, s), "s must", "positive", "finite")


def test_needles():
    for s in (-1.0, NAN, INF, "1"):
        says(lambda: maths.needle_weight(10, 1.0, s), "s must", "positive")  # noqa: B023
        says(lambda: maths.needle_gap(10, s), "s must", "positive")  # noqa: B023
    for gap in (NAN, INF, -INF, None):
        says(lambda: maths.needle_weight(10, gap), "gap", "finite")  # noqa: B023


def test_moments():
    for value in (NAN, INF):
        says(lambda: maths.dot_excess_kurtosis(value), "d_k", "whole number")  # noqa: B023
        says(lambda: maths.dot_excess_kurtosis(4, value), "kurtosis", "finite")  # noqa: B023
        for at in range(4):
            numbers = [0.0, 1.0, 0.0, 1.0]
            numbers[at] = value
            says(lambda: maths.product_variance(*numbers), "finite")  # noqa: B023
    for d_k in (0, -1, 1.5, True):
        says(lambda: maths.dot_excess_kurtosis(d_k), "d_k", "whole number", "1 or more")  # noqa: B023
    says(lambda: maths.dot_excess_kurtosis(4, 0.9), "kurtosis", "at least 1", "0.9")
    says(lambda: maths.dot_excess_kurtosis(4, 3.0, 0.5), "kurtosis", "at least 1", "0.5")
    says(lambda: maths.product_variance(0, -1, 0, 1), "variances", "negative", "-1")
    says(lambda: maths.product_variance(0, 1, 0, -2), "variances", "negative", "-2")


def test_moment_shapes():
    good = {"mean_q": [0, 0], "cov_q": EYE, "mean_k": [0, 0], "cov_k": EYE}
    for name in ("cov_q", "cov_k"):
        says(lambda: maths.dot_variance(**(good | {name: np.eye(3)})), name, "(2, 2)", "(3, 3)")  # noqa: B023
        says(lambda: maths.dot_variance(**(good | {name: [1, 1]})), name, "dimension")  # noqa: B023
    says(lambda: maths.dot_variance(**(good | {"mean_k": [0, 0, 0]})), "mean_k", "(2,)", "(3,)")
    says(lambda: maths.dot_variance(**(good | {"mean_q": [[0, 0]]})), "mean_q", "(2,)", "(1, 2)")
    for name in good:
        value = np.full(np.shape(good[name]), NAN)
        says(lambda: maths.dot_variance(**(good | {name: value})), name, "NaN")  # noqa: B023
