"""The sampling lab against the vectors themselves, SciPy and exact distributions."""

from __future__ import annotations

import numpy as np
import pytest
from lab_cases import random_states
from scipy.stats import bernoulli, describe, norm
from whyformer.maths.moments import dot_excess_kurtosis
from whyformer.maths.random import normal, uniform
from whyformer.questions.why_sqrt_dk import SamplingLab, sampling_lab


@pytest.mark.parametrize("distribution", sampling_lab.PRODUCTS)
def test_moments_of_the_sampling_lab_are_those_of_theory(distribution):
    kurtosis = {"normal": 3.0, "uniform": 9 / 5, "sign": 1.0}
    n = 100_000
    for d_k in (4, 32, 256):
        series = SamplingLab(d_k=d_k, distribution=distribution, n_pairs=n, seed=8).series
        mean, variance, excess = 0.0, float(d_k), None
        if distribution in kurtosis:
            excess = dot_excess_kurtosis(d_k, kurtosis[distribution], kurtosis[distribution])
        else:
            mean, variance, one_excess = d_k / 4, d_k * 3 / 16, float(bernoulli(1 / 4).stats("k"))
            excess = one_excess / d_k
        expected = [series[f"expected_{name}"] for name in ("mean", "variance", "excess_kurtosis")]
        assert np.allclose(expected, [mean, variance, excess], rtol=1e-12)
        bell = norm(0, np.sqrt(variance / d_k))
        assert np.isclose(series["expected_spread"] / np.sqrt(d_k), bell.std())
        assert np.isclose(series["expected_peak"], bell.pdf(0))
        assert abs(series["mean"] - mean) < 5 * np.sqrt(variance / n)
        assert abs(series["variance"] - variance) < 5 * variance * np.sqrt((excess + 2) / n)
        assert abs(series["excess_kurtosis"] - excess) < 5 * np.sqrt(24 / n) * (1 + 10 * abs(excess))
        assert np.isclose(series["scaled_variance"] * d_k, series["variance"])


def vectors(distribution, seed, n_pairs, d_k):
    """The pairs (q, k) themselves, each (n_pairs, d_k)."""
    pair, i = np.arange(n_pairs)[:, None], np.arange(d_k)
    if distribution == "normal":
        return normal(seed, pair, 2 * i), normal(seed, pair, 2 * i + 1)
    if distribution == "uniform":
        return [np.sqrt(3) * (2 * uniform(seed, pair, 2 * i + part) - 1) for part in (0, 1)]
    number = uniform(seed, pair, i)  # its first two binary digits
    digits = np.floor(2 * number), np.floor(4 * number) % 2
    return digits if distribution == "bernoulli" else [2 * digit - 1 for digit in digits]


FEW_PAIRS = [state | {"n_pairs": 1000} for state in random_states(SamplingLab, 16, 5)]
MANY_PAIRS = {"distribution": "uniform", "d_k": 248, "n_pairs": 20_000, "seed": 6}  # more than are drawn at a time


@pytest.mark.parametrize("state", [*FEW_PAIRS, MANY_PAIRS], ids=str)
def test_sampling_lab_is_what_scipy_makes_of_the_vectors(state):
    series, d_k, n, distribution = (
        SamplingLab.compute(**state),
        *(state[k] for k in ("d_k", "n_pairs", "distribution")),
    )
    dots = np.einsum("ij,ij->i", *vectors(distribution, state["seed"], n, d_k))
    found = describe(dots, ddof=0)
    near = {"rel": 1e-9, "abs": 1e-9}
    assert series["mean"] == pytest.approx(found.mean, **near)
    assert series["variance"] == pytest.approx(found.variance, **near)
    assert series["excess_kurtosis"] == pytest.approx(found.kurtosis, **near)  # 3 for a normal is taken off
    assert series["spread"] == pytest.approx(np.sqrt(found.variance), **near)
    assert series["scaled_spread"] == pytest.approx(np.sqrt(found.variance / d_k), **near)
    for name in ("mean", "expected_mean", "variance", "expected_variance"):
        scaled = name.replace("mean", "scaled_mean").replace("variance", "scaled_variance")
        assert series[scaled] == pytest.approx(series[name] / (d_k if "variance" in name else np.sqrt(d_k)), **near)
    edges = np.linspace(-5, 6, 56)
    if distribution in ("sign", "bernoulli"):  # midway between values, as many in a bin as come nearest to 0.2
        step = 2 if distribution == "sign" else 1
        together = max(1, round(0.2 * np.sqrt(d_k) / step))
        midway = (-d_k - step / 2 + step * together * np.arange(-20, 10 * d_k)) / np.sqrt(d_k)
        edges = midway[(midway >= -5) & (midway <= 6)]
    np.testing.assert_allclose(series["edges"], edges, rtol=0, atol=1e-12)
    counts = np.diff(np.searchsorted(np.sort(dots / np.sqrt(d_k)), edges))
    np.testing.assert_allclose(series["density"] * np.diff(edges), counts / n, rtol=1e-9)
    assert series["peak"] == pytest.approx((counts / n / np.diff(edges)).max())
