"""The maths against numbers from other hands: mpmath, PyTorch, exact fractions (golden/write.py says how)."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from whyformer import maths

pytestmark = pytest.mark.filterwarnings("error")

GOLDEN = Path(__file__).parents[1] / "golden"
SOFTMAX, TORCH, CLOSED = (json.loads((GOLDEN / f"{name}.json").read_text()) for name in ("softmax", "torch", "closed"))
FROM_LOGITS = {
    "softmax": maths.softmax,
    "log_softmax": maths.log_softmax,
    "entropy": maths.softmax_entropy,
    "jacobian": maths.softmax_jacobian,
    "jacobian_max": maths.softmax_jacobian_max,
    "jacobian_norm": maths.softmax_jacobian_norm,
}
TINY = 1e-322  # a few of the smallest float64: below 2e-308 no number has 16 digits


def array(values, dtype=np.float64):
    """JSON has no infinity, so the files write "-inf"."""
    return np.array(values, dtype=float).astype(dtype)


@pytest.mark.parametrize("regime", SOFTMAX["logits"])
@pytest.mark.parametrize("name", FROM_LOGITS)
def test_functions_of_logits(name, regime):
    for key, case in SOFTMAX["logits"][regime].items():
        if name in case:
            result = FROM_LOGITS[name](array(case["logits"]))
            assert_allclose(result, array(case[name]), rtol=4e-15, atol=TINY, err_msg=key)
            assert result.dtype == np.float64


@pytest.mark.parametrize("regime", SOFTMAX["logits"])
@pytest.mark.parametrize("name", FROM_LOGITS)
def test_functions_of_logits_in_float32(name, regime):
    with np.errstate(over="ignore"):
        cases = {k: (array(c["logits"], np.float32), c) for k, c in SOFTMAX["logits"][regime].items() if name in c}
    exact = {k: (z, c) for k, (z, c) in cases.items() if (z == array(c["logits"])).all()}
    assert exact
    for key, (z, case) in exact.items():
        result = FROM_LOGITS[name](z)
        assert result.dtype == np.float32
        with np.errstate(over="ignore"):
            wanted = array(case[name], np.float32)
        # below 1e-37 float32 runs out of digits
        assert_allclose(result.astype(float), wanted.astype(float), rtol=1e-6, atol=1e-37, err_msg=key)


@pytest.mark.parametrize("regime", SOFTMAX["logits"])
def test_vjp_of_logits(regime):
    for key, case in SOFTMAX["logits"][regime].items():
        if "vjp" in case:
            result = maths.softmax_vjp(array(case["logits"]), case["upstream"])
            assert_allclose(result, array(case["vjp"]), rtol=1e-14, atol=TINY, err_msg=key)


@pytest.mark.parametrize("name", TORCH["vjp"])
def test_vjp_like_autograd(name):
    case = TORCH["vjp"][name]
    assert_allclose(maths.softmax(case["logits"]), case["softmax"], rtol=1e-14)
    for dtype, rtol in ((np.float64, 1e-13), (np.float32, 1e-6)):
        result = maths.softmax_vjp(array(case["logits"], dtype), array(case["upstream"], dtype))
        assert result.dtype == dtype
        assert_allclose(result, case["vjp"], rtol=rtol, atol=rtol * np.abs(case["vjp"]).max())


@pytest.mark.parametrize("name", SOFTMAX["weights"])
def test_entropy_of_weights(name):
    case = SOFTMAX["weights"][name]
    assert_allclose(maths.entropy(case["weights"]), case["entropy"], rtol=4e-15)
    assert maths.entropy(np.float32(case["weights"])).dtype == np.float32
    assert_allclose(maths.entropy(np.float32(case["weights"])), case["entropy"], rtol=1e-6)


@pytest.mark.parametrize("part, name", [(p, name) for p in ("attention", "shared") for name in TORCH[p]])
def test_attention_like_autograd(part, name):
    case = TORCH[part][name]
    for dtype, rtol in ((np.float64, 1e-12), (np.float32, 1e-6)):
        q, k, v, upstream = (array(case[key], dtype) for key in ("q", "k", "v", "upstream"))
        options = {"mask": case["mask"], "divisor": case["divisor"]}
        results = {"out": maths.attention(q, k, v, **options)}
        gradients = maths.attention_gradients(q, k, v, upstream, **options)
        results |= {f"grad_{key}": getattr(gradients, key) for key in "qkv"}
        for key, result in results.items():
            wanted = np.array(case[key])
            assert result.dtype == dtype and result.shape == wanted.shape, key
            assert_allclose(result, wanted, rtol=rtol, atol=rtol * np.abs(wanted).max(), err_msg=key)


@pytest.mark.parametrize("name, divisor", [("scaled", None), ("unscaled", 1.0)])
def test_gradients_of_a_first_layer(name, divisor):
    n, d, heads = 128, 512, 8
    draws = np.random.RandomState(0)
    x = draws.standard_normal((n, d))
    x = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
    w = [draws.uniform(-1, 1, (d, d)) * np.sqrt(3 / d) for _ in range(3)]

    def split(a):
        return a.reshape(n, heads, -1).swapaxes(0, 1)

    upstream = split(draws.standard_normal((n, d)))
    q, k, v = (split(x @ m) for m in w)
    gradients = maths.attention_gradients(q, k, v, upstream, divisor=divisor)
    for key in "qkv":
        norm = np.linalg.norm(x.T @ getattr(gradients, key))
        assert_allclose(norm, TORCH["first_layer"][name][f"norm_w_{key}"], rtol=1e-12)
    entropy = maths.entropy(maths.attention_weights(q, k, divisor=divisor)).mean()
    assert_allclose(entropy, TORCH["first_layer"][name]["entropy"], rtol=1e-12)


def test_first_layer_gradient_is_about_15_times_larger_unscaled():
    scaled, unscaled = (TORCH["first_layer"][name] for name in ("scaled", "unscaled"))
    for key in ("norm_w_q", "norm_w_k"):
        assert 12 < unscaled[key] / scaled[key] < 18
    assert unscaled["norm_w_v"] > scaled["norm_w_v"]  # the path through v does not vanish either
    assert_allclose([scaled["entropy"], unscaled["entropy"]], [4.37, 0.67], rtol=0.08)  # of ln 128 = 4.85


def test_printed_snippet_of_ten_scores():
    case = TORCH["printed_snippet"]
    for factor, wanted, printed in zip((1, 10), case["jacobian_max"], ("0.231389", "0.0009546"), strict=True):
        result = maths.softmax_jacobian_max(np.array(case["score"]) * factor)
        assert_allclose(result, wanted, rtol=1e-12)
        assert abs(result - float(printed)) < 1e-6


@pytest.mark.parametrize("n", CLOSED["expected_maximum"])
def test_expected_maximum_and_critical_std(n):
    assert_allclose(maths.critical_std(int(n)), CLOSED["critical_std"][n], rtol=1e-15)
    atol = 1e-10 if int(n) > 10_000 else 2e-13
    assert_allclose(maths.expected_maximum(int(n)), CLOSED["expected_maximum"][n], rtol=0, atol=atol)
    if int(n) <= 4096:
        assert_allclose(maths.softmax_jacobian_norm(np.zeros(int(n))), CLOSED["uniform_norm"][n], rtol=4e-15)


@pytest.mark.parametrize("name", ["sharp", "flat"])
def test_limits(name):
    for case in CLOSED[name]:
        limits = getattr(maths, f"{name}_limits")(case["n"], case["s"])
        wanted = [case[field] for field in limits._fields]
        assert len(case) == 2 + len(wanted)
        assert_allclose(limits, wanted, rtol=2e-13, err_msg=str(case))


def test_limits_are_reached_by_two_keys():
    """For n = 2 the expectations are integrals over one gap, with no approximation."""
    case = CLOSED["two_normal_keys"]["sharp"]
    limits = maths.sharp_limits(2, case["s"])
    assert_allclose(limits, [case[field] for field in limits._fields], rtol=4 / case["s"] ** 2)
    case = CLOSED["two_normal_keys"]["flat"]
    assert_allclose(maths.flat_limits(2, case["s"]).entropy, case["entropy"], rtol=0, atol=case["s"] ** 4)


def test_needle():
    for case in CLOSED["needles"]["weights"]:
        assert_allclose(maths.needle_weight(case["n"], case["gap"], case["s"]), case["weight"], rtol=1e-14)
        if case["s"] == 0:  # exact: the others all lie at the mean
            row = np.zeros(case["n"])
            row[-1] = case["gap"]
            assert_allclose(maths.softmax(row)[-1], case["weight"], rtol=1e-13)
    for case in CLOSED["needles"]["gaps"]:
        assert_allclose(maths.needle_gap(case["n"], case["s"]), case["gap"], rtol=1e-15)
        assert_allclose(maths.needle_weight(case["n"], case["gap"], case["s"]), 0.5, rtol=1e-14)
    assert maths.needle_gap(2) == 0


def test_one_score_ahead():
    for case in CLOSED["one_ahead"]:
        a = case["a"]
        assert_allclose(maths.softmax([a, a, 2 * a])[2], case["weight"], rtol=1e-15)  # exp may err in its last bit
    third = [maths.softmax([a, a, 2 * a])[2] for a in (1, 10, 100, np.log(198), np.log(2), 37.4, 37.5)]
    assert_allclose([*third[:2], *third[3:5]], [0.5761168847658291, 0.9999092083843409, 0.99, 0.5], rtol=1e-15)
    assert third[2] == 1
    assert third[5] < 1 == third[6]  # float64 has no number between this and 1
    third = [maths.softmax(np.float32([a, a, 2 * a]))[2] for a in (17.25, 17.375)]
    assert third[0] < 1 == third[1]


@pytest.mark.parametrize("name", CLOSED["moments"]["vectors"])
def test_dot_variance(name):
    case = dict(CLOSED["moments"]["vectors"][name])
    wanted = case.pop("variance")
    assert_allclose(maths.dot_variance(**case), wanted, rtol=4e-15)
    if len(case["mean_q"]) == 1:
        ((var_q,),), ((var_k,),) = case["cov_q"], case["cov_k"]
        assert_allclose(maths.product_variance(*case["mean_q"], var_q, *case["mean_k"], var_k), wanted, rtol=4e-15)


def test_dot_excess_kurtosis():
    for case in CLOSED["moments"]["excess_kurtosis"]:
        result = maths.dot_excess_kurtosis(case["d_k"], case["q"], case["k"])
        assert_allclose(result, case["excess"], rtol=2e-15, atol=1e-16, err_msg=str(case))
