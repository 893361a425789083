"""The numbers that the book prints, from the package's own functions: closed forms and averages over many rows."""

import functools
import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from whyformer import maths
from whyformer.maths import random

pytestmark = pytest.mark.filterwarnings("error")

ROWS = json.loads((Path(__file__).parents[1] / "golden" / "monte_carlo.json").read_text())["rows"]
S512 = np.sqrt(512)
EYE = np.eye(64)
CENTRED = 64 / 63 * (EYE - 1 / 64)  # covariance of a LayerNormed random direction in 64 dimensions


def half_unit(printed):
    return float(Decimal(10) ** Decimal(printed).as_tuple().exponent) / 2


def assert_prints(value, printed):
    """``value`` rounds to ``printed``, give or take rounding error."""
    assert abs(value - float(printed)) <= half_unit(printed) * (1 + 1e-9), f"{value} is not {printed}"


def variance(cov, d=64):
    return maths.dot_variance(np.zeros(d), cov, np.zeros(d), cov)


def row_norm_cap(n):
    """Largest weight that LayerNorm over a row of n scores allows: one-hot scores, mean 0, variance 1."""
    return maths.needle_weight(n, n / np.sqrt(n - 1))


def ssmax(n, s=0.43):
    """Scalable softmax n^(s z): one key at +3, the others at -2."""
    return maths.needle_weight(n, s * 5 * np.log(n))


PRINTED = {
    "var(q.k), d_k = 64": (variance(EYE), "64"),
    "var(q.k), both sides wholly correlated, d_k = 16": (variance(np.ones((16, 16)), 16), "256"),
    "var(q.k), one side correlated": (maths.dot_variance([0] * 16, np.ones((16, 16)), [0] * 16, np.eye(16)), "16"),
    "var(q_i k_i), means 1": (maths.product_variance(1, 1, 1, 1), "3"),
    "var of a product of Bernoulli(1/2)": (maths.product_variance(0.5, 0.25, 0.5, 0.25), "0.1875"),
    "var of a product of uniform(0, 1)": (maths.product_variance(0.5, 1 / 12, 0.5, 1 / 12), "0.0486111111"),
    "excess kurtosis, d = 64": (maths.dot_excess_kurtosis(64), "0.09375"),
    "excess kurtosis, d = 100": (maths.dot_excess_kurtosis(100), "0.06"),
    "kurtosis of one product": (3 + maths.dot_excess_kurtosis(1), "9"),
    "var, LayerNorm": (variance(CENTRED), "65.0159"),
    "var, RMSNorm": (variance(EYE), "64"),
    "var, cosine": (variance(EYE / 64), "0.015625"),
    "score std of the original first layer": (np.sqrt(variance(1.5 * EYE) / 64), "1.5"),
    "score std, half variance": (np.sqrt(variance(0.5 * EYE) / 64), "0.5"),
    "score std, a third": (np.sqrt(variance(EYE / 3) / 64), "0.333"),
    "score std of GPT-2 small": (np.sqrt(variance(768 * 0.02**2 * EYE) / 64), "0.3072"),
    "norm of J at uniform, n = 512": (maths.softmax_jacobian_norm(np.zeros(512)), "0.0441510"),
    "largest entry at a tie": (maths.softmax_jacobian_max([100, 200, 200]), "0.25"),
    "spectral norm at a tie": (np.linalg.norm(maths.softmax_jacobian([0.0, 0.0]), 2), "0.5"),
    "saturated output softmax": (maths.softmax_jacobian_max([0, 20]) * 1e9, "2.0611536"),
    "softmax(1, 1, 2)": (maths.softmax([1, 1, 2])[2], "0.5761168847658291"),
    "softmax(10, 10, 20)": (maths.softmax([10, 10, 20])[2], "0.99990920838434"),
    "1 - softmax(100, 100, 200)": (maths.softmax_jacobian_max([100, 100, 200]) * 1e44, "7.440151952"),
    "m_10": (maths.expected_maximum(10), "1.538753"),
    "m_64": (maths.expected_maximum(64), "2.343733"),
    "m_512": (maths.expected_maximum(512), "3.043903"),
    "sharp max entry": (maths.sharp_limits(10, S512).max_entry, "0.0340"),
    "sharp missing weight": (maths.sharp_limits(10, S512).missing_weight, "0.0471"),
    "sharp entropy": (maths.sharp_limits(10, S512).entropy, "0.1119"),
    "sharp norm squared": (maths.sharp_limits(10, S512).frobenius_squared, "0.0227"),
    "critical std, n = 10": (maths.critical_std(10), "2.15"),
    "critical std, n = 64": (maths.critical_std(64), "2.88"),
    "critical std, n = 512": (maths.critical_std(512), "3.53223"),
    "critical std, n = 4096": (maths.critical_std(4096), "4.08"),
    "share of keys, n = 512": (maths.flat_limits(512, 1).effective_keys / 512, "0.60653"),
    "share of keys, n = 65536": (maths.flat_limits(65536, 1).effective_keys / 65536, "0.60653"),
    "needle, n = 10": (maths.needle_weight(10, 5), "0.9428256186"),
    "needle, n = 100": (maths.needle_weight(100, 5), "0.5998596018"),
    "needle, n = 1000": (maths.needle_weight(1000, 5), "0.1293458750"),
    "needle, n = 10^6": (maths.needle_weight(10**6, 5), "1.483912843e-4"),
    "ssmax, n = 10": (ssmax(10), "0.9401013304"),
    "ssmax, n = 100": (ssmax(100), "0.9950627438"),
    "ssmax, n = 1000": (ssmax(1000), "0.9996456670"),
    "ssmax, n = 10^6": (ssmax(10**6), "0.9999998741"),
    "needle gap, n = 512": (maths.needle_gap(512, 1), "6.7363695902"),
    "needle gap, n = 131072": (maths.needle_gap(131072, 1), "12.2834944401"),
    "row LayerNorm cap, n = 10": (row_norm_cap(10), "0.7569644857"),
    "row LayerNorm cap, n = 64": (row_norm_cap(64), "0.9805469635"),
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed_closed_form(name):
    assert_prints(*PRINTED[name])


def test_printed_saturation_experiment():
    """Two printed softmax rows of ten scores, their ranges and their largest Jacobian entries."""
    narrow = [0.16704083, 0.21684976, 0.0579299, 0.05408421, 0.16109133]
    narrow += [0.14433417, 0.03252007, 0.05499126, 0.04213939, 0.06901908]
    wide = [4.51671361e-19, 2.88815837e-21, 9.99999972e-01, 3.02351231e-17, 3.73439970e-25]
    wide += [8.18066523e-13, 2.78385563e-08, 1.16465424e-29, 7.25661271e-20, 3.21813750e-21]
    for row, entry, reach in ((narrow, 0.1698259433168865, 1.8973472870), (wide, 2.7839373695e-08, 66.6225434114)):
        logits = np.log(row)
        assert_allclose(maths.softmax_jacobian_max(logits), entry, rtol=2e-8)
        assert_allclose(np.ptp(maths.log_softmax(logits)), reach, rtol=1e-7)


@functools.cache
def draws(n, rows, seed):
    return np.random.RandomState(seed).standard_normal((rows, n))


def quantities(scores):
    weights = maths.softmax(scores)
    norm = maths.softmax_jacobian_norm(scores)
    entry = maths.softmax_jacobian_max(scores)
    top = np.where(weights == weights.max(-1, keepdims=True), 0, weights)  # what is left without the largest weight
    return {
        "norm": norm,
        "norm_squared": norm**2,
        "max_entry": entry,
        "max_weight": weights.max(-1),
        "missing_weight": top.sum(-1),
        "entropy": maths.softmax_entropy(scores),
        "sum_of_squares": (weights**2).sum(-1),
        "above_99": weights.max(-1) > 0.99,
        "entry_above_10": entry > 0.1,
        "entry_above_1": entry > 0.01,
    }


@pytest.mark.parametrize("name", ROWS)
def test_averages_over_rows(name):
    """On the same draws as the oracle: the same means and medians, up to rounding."""
    case = ROWS[name]
    for key, values in quantities(draws(case["n"], case["rows"], case["seed"]) * case["s"]).items():
        assert_allclose(values.mean(), case[key]["mean"], rtol=1e-12, err_msg=key)
        assert_allclose(np.median(values), case[key]["median"], rtol=1e-12, err_msg=key)


@pytest.mark.parametrize("name", ROWS)
def test_printed_tables(name):
    """What the book prints lies within rounding and five standard errors of the averages."""
    case = ROWS[name]
    for key, printed in case["printed"].items():
        result, rounding = case[key.removeprefix("median_")], half_unit(printed)
        if key.startswith("median_"):
            low, high = result["median_range"]
        else:
            low, high = (result["mean"] + d * result["error"] for d in (-5, 5))
        assert low - rounding <= float(printed) <= high + rounding, key


@pytest.mark.parametrize("n, s, rows", [(10, 8.0, 20_000), (64, 1.0, 4_000), (512, 8.0, 500), (10, S512, 20_000)])
def test_averages_with_the_package_s_own_normals(n, s, rows):
    """Other draws, from the counter-based generator: equal within five standard errors."""
    (case,) = (c for c in ROWS.values() if c["n"] == n and c["s"] == s)
    scores = random.normal(2024, np.arange(rows)[:, None], np.arange(n)) * s
    for key, values in quantities(scores).items():
        error = np.hypot(values.std() / np.sqrt(rows), case[key]["error"])
        assert abs(values.mean() - case[key]["mean"]) <= 5 * error, key


def test_limits_against_averages():
    """The limit forms hold to their stated order where the book uses them."""
    case, limits = ROWS["10 keys, s sqrt512"], maths.sharp_limits(10, S512)
    pairs = {"max_entry": "max_entry", "missing_weight": "missing_weight", "entropy": "entropy"}
    for field, key in (pairs | {"frobenius_squared": "norm_squared"}).items():
        assert_allclose(getattr(limits, field), case[key]["mean"], rtol=0.08, err_msg=key)
    case = ROWS["10 keys, s 0.3"]
    assert_allclose(maths.flat_limits(10, 0.3).entropy, case["entropy"]["mean"], rtol=0.001)
    case, limits = ROWS["4096 keys, s 1"], maths.flat_limits(4096, 1)
    assert_allclose(limits.entropy, case["entropy"]["mean"], rtol=0.002)
    assert_allclose(limits.effective_keys, np.exp(case["entropy"]["mean"]), rtol=0.015)
    assert_allclose(limits.sum_of_squares, case["sum_of_squares"]["mean"], rtol=0.05)


def test_initial_loss_of_a_vocabulary():
    """Mean -log softmax of 37000 unit-variance logits: ln V + 1/2."""
    logits = random.normal(5, np.arange(24)[:, None], np.arange(37_000))
    losses = -maths.log_softmax(logits).mean(-1)
    assert abs(losses.mean() - 11.01867) < 5 * losses.std() / np.sqrt(len(losses))
