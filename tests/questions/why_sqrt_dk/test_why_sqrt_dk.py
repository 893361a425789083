"""The scale lab's law against real vectors and closed forms; the sampling lab against the theory of moments."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from lab_cases import drawn, random_states
from scipy.special import sici
from scipy.stats import bernoulli, binom, ks_2samp
from whyformer.lab import Seed
from whyformer.maths import expectations
from whyformer.maths.moments import dot_excess_kurtosis
from whyformer.maths.random import normal
from whyformer.questions.why_sqrt_dk import SamplingLab, ScaleLab, law, sampling_lab


@pytest.mark.parametrize("related", ["one", "all"])
def test_raising_d_k_extends_the_same_vectors(related):
    q, noise = normal(3, 0, np.arange(4096)), normal(3, np.arange(1, 17)[:, None], np.arange(4096))
    rho = np.full(16, 0.6) if related == "all" else np.array([0.6] + [0.0] * 15)
    keys = rho[:, None] * q + np.sqrt(1 - rho[:, None] ** 2) * noise
    for d_k in (1, 2, 7, 64, 68, 512, 4096):
        series = ScaleLab(d_k=d_k, rho=0.6, related=related, seed=3).series
        assert np.allclose(series["scores_unscaled"], keys[:, :d_k] @ q[:d_k], rtol=0, atol=1e-9)
        assert np.array_equal(q[:d_k], normal(3, 0, np.arange(d_k)))


@pytest.mark.parametrize("state", random_states(ScaleLab, 40, 1), ids=str)
def test_scale_lab_is_what_pytorch_computes(state):
    """From the vectors themselves: scores, weights, Jacobians and the gradient at q by automatic differentiation."""
    series, d_k, n_keys, rho = ScaleLab.compute(**state), state["d_k"], state["n_keys"], state["rho"]
    assert abs(rho) < 1
    rhos = torch.zeros((n_keys, 1), dtype=torch.float64)
    rhos[: n_keys if state["related"] == "all" else 1] = rho
    q = torch.from_numpy(normal(state["seed"], 0, np.arange(d_k))).requires_grad_()
    noise = torch.from_numpy(normal(state["seed"], np.arange(1, n_keys + 1)[:, None], np.arange(d_k)))
    keys = (rhos * q + torch.sqrt(1 - rhos**2) * noise).detach()
    upstream = torch.from_numpy(normal(state["seed"], 65, np.arange(n_keys)))
    by = {"1": 1.0, "sqrt": math.sqrt(d_k), "d_k": float(d_k)}
    error = {"rtol": 1e-9, "atol": 1e-12 * d_k}
    for name, divisor in (("unscaled", 1.0), ("scaled", by[state["divisor"]])):
        scores = (keys @ q).detach() / divisor
        jacobian = torch.autograd.functional.jacobian(lambda z: torch.softmax(z, 0), scores)
        weights = torch.softmax(scores, 0)
        np.testing.assert_allclose(series[f"scores_{name}"], scores, **error)
        np.testing.assert_allclose(series[f"weights_{name}"], weights, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(series[f"jacobian_{name}"], jacobian, rtol=1e-7, atol=1e-12)
        assert series[f"largest_{name}"] == pytest.approx(float(weights.max()), rel=1e-8)
        assert series[f"entry_{name}"] == pytest.approx(float(jacobian.max()), rel=1e-7, abs=1e-12)
        shared = rho if state["related"] == "all" else 0.0
        length2 = float(q.detach() @ q.detach())
        assert series[f"center_{name}"] == pytest.approx(shared * length2 / divisor)
        assert series[f"spread_{name}"] == pytest.approx(math.sqrt((1 - shared**2) * length2) / divisor)
    for found, divisor in zip(series["drawn"], by.values(), strict=True):
        weights = torch.softmax(keys @ q / divisor, 0)
        if state["quantity"] == "gradient_q":
            (gradient,) = torch.autograd.grad(weights @ upstream, q)
            wanted = gradient.norm()
        elif state["quantity"] == "entropy":
            wanted = torch.special.entr(weights).sum()
        elif state["quantity"] == "largest_entry":
            wanted = (weights * (1 - weights)).max()
        elif state["quantity"] == "largest_weight":
            wanted = weights.max()
        else:
            continue  # the mean over many queries is judged by its law, below
        assert found == pytest.approx(float(wanted.detach()), rel=1e-6, abs=1e-12)


LAW_CASES = [
    (2, 0.0, "one", "gradient_q"), (16, 0.5, "one", "gradient_q"), (8, 0.9, "all", "gradient_q"),
    (32, 0.0, "all", "entropy"), (5, 0.7, "one", "largest_weight"), (12, 0.3, "all", "largest_entry"),
]  # fmt: skip


@pytest.mark.parametrize(("n_keys", "rho", "related", "quantity"), LAW_CASES)
def test_law_is_that_of_real_vectors(n_keys, rho, related, quantity):
    """A quantile of 200 draws has that share of any other draws below it, up to five standard errors."""
    draws = 1000
    found = law.law(n_keys, rho, related, quantity)
    for d_k in (1, 4, 128):
        real = drawn(d_k, n_keys, rho, related, quantity, draws, seed=d_k)
        column = law.LAW_D_K.index(d_k)
        for name, share in (("low", 0.1), ("mid", 0.5), ("high", 0.9)):
            value = found[name][:, column, None]
            error = np.sqrt(share * (1 - share) * (1 / law.N_DRAWS + 1 / draws))
            below = (real < value * (1 - 1e-12)).mean(1)  # less than `up_to` where many draws tie, such as at weight 1
            up_to = (real < value * (1 + 1e-12)).mean(1)
            assert (below - 5 * error < share).all() and (share < up_to + 5 * error).all(), (d_k, name)
        error = real.std(1) * np.sqrt(1 / law.N_DRAWS + 1 / draws)
        assert (abs(found["mean"][:, column] - real.mean(1)) < 5 * error + 1e-12).all(), d_k


VECTORS = [(1, 3, 0.4, "one"), (3, 8, 0.0, "all"), (65, 8, 0.8, "all")]


@pytest.mark.parametrize(("d_k", "n_keys", "rho", "related"), VECTORS)
def test_rows_of_the_law_are_distributed_as_real_vectors(d_k, n_keys, rho, related):
    """Four thousand rows against as many real draws: the two-sample test of Kolmogorov and Smirnov."""
    rows = law.rows(77, 0, 4000, [d_k], n_keys)
    real = drawn(d_k, n_keys, rho, related, "gradient_q", 4000, seed=1)
    for divisor, one in zip((1, d_k**0.5, d_k), real, strict=True):
        gradient = law.query_gradient(rows, law.correlations(rho, related, n_keys), np.full((1, 1, 1), divisor))
        assert ks_2samp(gradient.ravel(), one).pvalue > 1e-5


def test_batches_for_w_q_are_root_mean_squares_over_queries():
    single, batch = (law.law(8, 0.0, "one", quantity) for quantity in ("gradient_q", "gradient_w_q"))
    real = drawn(64, 8, 0.0, "one", "gradient_q", 3200, seed=9)[:, :3200].reshape(3, 100, 32)
    rms = np.sqrt((real**2).mean(-1))
    independent = law.N_DRAWS / law.N_QUERIES  # batches that share no draw
    column = law.LAW_D_K.index(64)
    assert (abs(batch["mean"][:, column] - rms.mean(1)) < 5 * rms.std(1) * np.sqrt(1 / independent + 1 / 100)).all()
    assert (batch["high"] - batch["low"] < single["high"] - single["low"])[1].all()  # scaled


@pytest.fixture(scope="module")
def unscaled_scores():
    """Four thousand rows of 64 scores at d_k = 4096, of another seed than the law's."""
    rows = law.rows(5, 0, 4000, [4096], 64)
    return (np.sqrt(rows.length2) * rows.noise)[:, 0]


@pytest.mark.parametrize("n_keys", [4, 16, 64])
def test_law_meets_the_closed_forms(n_keys, unscaled_scores):
    """Closed forms leave terms of relative order 1/s out, here s = 64; samples lie within five standard errors."""
    s = 64.0
    sharp, flat = expectations.sharp_limits(n_keys, s), expectations.flat_limits(n_keys, 1 / s)
    forms = {"largest_entry": sharp.max_entry, "entropy": sharp.entropy, "largest_weight": 1 - sharp.missing_weight}
    for quantity, wanted in forms.items():
        values = law.measure(quantity, unscaled_scores[:, :n_keys])
        left_out = min(wanted, abs(1 - wanted)) / s
        assert abs(values.mean() - wanted) < 5 * values.std() / np.sqrt(len(values)) + left_out
        mean = law.law(n_keys, 0.0, "one", quantity)["mean"][0, -1]
        assert abs(mean - wanted) < 5 * values.std() / np.sqrt(law.N_DRAWS) + left_out
    assert abs(law.law(n_keys, 0.0, "one", "entropy")["mean"][2, -1] - flat.entropy) < 5 / s**2 / np.sqrt(law.N_DRAWS)


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
        assert abs(series["mean"] - mean) < 5 * np.sqrt(variance / n)
        assert abs(series["variance"] - variance) < 5 * variance * np.sqrt((excess + 2) / n)
        assert abs(series["excess_kurtosis"] - excess) < 5 * np.sqrt(24 / n) * (1 + 10 * abs(excess))
        assert np.isclose(series["scaled_variance"] * d_k, series["variance"])


def distribution_of_dots(distribution: str, d_k: int):
    """P(q.k <= x) as a function of x: binomial on a grid, else from the characteristic function (Gil-Pelaez 1951)."""
    if distribution == "sign":
        return lambda x: binom(d_k, 0.5).cdf((x + d_k) / 2)
    if distribution == "bernoulli":
        return binom(d_k, 0.25).cdf
    step = 0.02  # far below 2 pi over the width of the distribution
    t = step * (np.arange(100_000) + 0.5)
    one = 1 / np.sqrt(1 + t**2) if distribution == "normal" else sici(3 * t)[0] / (3 * t)
    return lambda x: 0.5 + step / np.pi * (np.sin(np.multiply.outer(x, t)) @ (one**d_k / t))


@pytest.mark.parametrize("state", random_states(SamplingLab, 20, 4), ids=str)
def test_histogram_is_the_distribution_between_its_edges(state):
    """Each bar against the exact distribution: the binomial on its grid, else that of pairs from another generator."""
    series = SamplingLab.compute(**state)
    edges, n, d_k = series["edges"], state["n_pairs"], state["d_k"]
    counts = series["density"] * n * np.diff(edges)
    assert np.allclose(counts, np.round(counts), atol=1e-6)
    cumulative = distribution_of_dots(state["distribution"], d_k)
    share = np.diff(cumulative(edges * np.sqrt(d_k))).clip(0)
    assert share.sum() > 0.5, "the axis shows less than half of the distribution"
    error = np.sqrt(n * share * (1 - share)) + 1
    assert (abs(counts - n * share) < 5.5 * error + 0.005 * n * share).all()


def test_another_seed_is_another_draw():
    assert isinstance(ScaleLab.controls()["seed"], Seed)  # what "draw again" appears for
    draws = np.array([ScaleLab(seed=seed).series["scores_unscaled"] for seed in range(40)])
    correlation = np.corrcoef(draws)[np.triu_indices(40, 1)]
    n_keys = draws.shape[1]  # independent normals: correlations spread by 1 / sqrt(n - 1)
    assert abs(correlation.mean()) < 4 / np.sqrt(len(correlation) * (n_keys - 1))
    assert np.isclose(correlation.std(), 1 / np.sqrt(n_keys - 1), rtol=0.15)
