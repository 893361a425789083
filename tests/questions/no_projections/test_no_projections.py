"""The labs without projections: shares against SciPy and sampling, attention against PyTorch, the hull, collapse."""

import math

import numpy as np
import pytest
import torch
from lab_cases import TIES
from scipy import integrate, optimize, special, stats
from scipy.spatial import ConvexHull
from whyformer import evidence
from whyformer.maths.random import normal
from whyformer.questions.no_projections import ManyLab, PlaneLab
from whyformer.questions.no_projections.law import LAW_D, own_shares
from whyformer.questions.no_projections.many_lab import PROJECTIONS
from whyformer.questions.no_projections.plane_lab import hull


@pytest.mark.parametrize(("n", "d"), [(2, 1), (16, 1), (16, 2), (16, 4), (32, 8), (5, 64), (32, 128)])
def test_share_of_raw_tokens_is_the_integral_over_lengths(n, d):
    exact = integrate.quad(lambda r: stats.norm.cdf(r) ** (n - 1) * stats.chi.pdf(r, d), 0, np.inf)[0]
    assert own_shares(n, 0.0)[0][LAW_D.index(d)] == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize(("n", "d"), [(16, 2), (16, 8), (32, 64)])
def test_share_with_one_matrix_is_the_integral_over_lengths_and_sines(n, d):
    # The densities of chi and beta are written out: those of scipy.stats are 50 times slower, one number at a time.
    a, b = d / 2, (d - 1) / 2
    norm = special.betaln(a, b) + special.gammaln(a) + (a - 1) * math.log(2)

    def given(share: float, length: float) -> float:
        log_density = (a - 1) * math.log(share) + (b - 1) * math.log1p(-share)
        log_density += (d - 1) * math.log(length) - length**2 / 2 - norm
        return special.ndtr(length * math.sqrt(share)) ** (n - 1) * math.exp(log_density)

    exact = integrate.dblquad(given, 0, np.sqrt(d) + 8, 0, 1, epsabs=1e-7)[0]
    assert own_shares(n, 0.0)[1][LAW_D.index(d)] == pytest.approx(exact, rel=2e-3)


def sampled(n, d, spread, draws, seed):
    """Shares of own rows for real tokens and matrices (none, same, q, qk), from another generator, and their errors."""
    rng = np.random.default_rng(seed)
    found = np.empty((draws, 4))
    for i in range(draws):
        x = np.exp(spread * rng.standard_normal((n, 1))) * rng.standard_normal((n, d))
        q, k = x @ rng.standard_normal((d, d)), x @ rng.standard_normal((d, d))
        for column, scores in enumerate((x @ x.T, q @ q.T, q @ x.T, q @ k.T)):
            found[i, column] = (scores.argmax(1) == np.arange(n)).mean()
    return found.mean(0), found.std(0) / np.sqrt(draws)


@pytest.mark.parametrize(
    ("n", "d", "spread"), [(2, 1, 0.0), (16, 8, 0.0), (32, 16, 0.5), (8, 32, 1.0), (5, 3, 0.3), (12, 2, 1.0)]
)
def test_shares_are_those_of_sampled_tokens(n, d, spread):
    mean, error = sampled(n, d, spread, 4000, seed=d)
    none, same = own_shares(n, spread)
    at = LAW_D.index(d)
    expected = np.array([none[at], same[at], 1 / n, 1 / n])
    assert (abs(mean - expected) < 4.5 * error + 2e-3 * expected).all(), (mean, expected, error)


def test_with_different_matrices_the_expected_share_is_one_in_n_for_any_tokens():
    """Not only for random tokens: here one is ten times as long as the others, and two are nearly equal."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((6, 5))
    x[0] *= 10
    x[2] = x[1] + 0.01
    shares = [((x @ rng.standard_normal((5, 5)) @ x.T).argmax(1) == np.arange(6)).mean() for _ in range(20_000)]
    assert abs(np.mean(shares) - 1 / 6) < 4.5 * np.std(shares) / np.sqrt(20_000)


@pytest.mark.parametrize("projections", PROJECTIONS)
@pytest.mark.parametrize("divisor", ["1", "sqrt"])
def test_draw_is_what_pytorch_computes(projections, divisor):
    n, d, seed, spread = 9, 12, 77, 0.4
    series = ManyLab(
        projections=projections, values="w", d=d, n_tokens=n, seed=seed, spread=spread, divisor=divisor
    ).series
    rows = lambda first, count: normal(seed, first + np.arange(count)[:, None], np.arange(d))  # noqa: E731
    x = torch.tensor(rows(0, n) * np.exp(spread * normal(seed, 100, np.arange(n)))[:, None])
    w_q, w_k, w_v = (torch.tensor(rows(first, d) / np.sqrt(d)) for first in (1000, 2000, 3000))
    q = x if projections == "none" else x @ w_q
    k = {"none": x, "same": x @ w_q, "q": x, "qk": x @ w_k}[projections]
    scale = 1 / np.sqrt(d) if divisor == "sqrt" else 1.0
    attend = torch.nn.functional.scaled_dot_product_attention
    weights = attend(q, k, torch.eye(n, dtype=torch.float64), scale=scale)
    np.testing.assert_allclose(series["weights"], weights.numpy(), rtol=1e-9, atol=1e-15)
    assert (series["best"] == weights.argmax(1).numpy()).all()
    out = attend(q, k, x @ w_v, scale=scale)
    outside = (out > x.max(0).values) | (out < x.min(0).values)
    assert series["outside"] == pytest.approx(100 * outside.double().mean().item())


def in_hull(point, corners) -> bool:
    """Is the point a convex combination of the rows? By linear programming."""
    n = len(corners)
    wanted = {"A_eq": np.vstack([corners.T, np.ones(n)]), "b_eq": np.append(point, 1.0)}
    return optimize.linprog(np.zeros(n), bounds=(0, None), **wanted).status == 0


def test_without_w_v_outputs_stay_in_the_hull_and_with_it_some_leave():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((8, 3))
    weights = torch.softmax(torch.tensor(x @ x.T), -1).numpy()
    assert all(in_hull(row, x) for row in weights @ x)
    assert not all(in_hull(row, x) for row in weights @ x @ (3 * rng.standard_normal((3, 3))))
    for seed in range(5):
        assert ManyLab(values="x", seed=seed).series["outside"] == 0
        assert ManyLab(values="w", seed=seed).series["outside"] > 1


@pytest.mark.parametrize("divisor", [0.5, 1.4, 5.0])
def test_rounds_are_attention_of_pytorch_again_and_again(divisor):
    state = {"lengths": [0.4, 2.0, 1.7, 0.9], "angles": [10, -50, 170, 88]}
    series = PlaneLab(**state, divisor=divisor, rounds=7).series
    turn = np.radians(state["angles"])
    x = torch.tensor(np.array(state["lengths"])[:, None] * np.stack([np.cos(turn), np.sin(turn)], 1))
    np.testing.assert_allclose(series["x"], x, rtol=1e-12)
    for _ in range(7):
        x = torch.nn.functional.scaled_dot_product_attention(x, x, x, scale=1 / divisor)
    np.testing.assert_allclose(series["now"], x, atol=1e-12)
    assert series["apart_now"] == pytest.approx(torch.pdist(x).max().item(), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_every_round_brings_tokens_nearer_by_the_factor_that_is_proved(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.2, 2, 4)
    series = PlaneLab(lengths=lengths.tolist(), angles=rng.uniform(-180, 180, 4).tolist(), divisor=1.4).series
    factor = 1 - np.exp(-2 * lengths.max() ** 2 / 1.4)
    apart = series["apart"]
    assert series["bound"] == pytest.approx(factor * apart[0]) and series["bound"] >= series["apart_now"]
    assert (apart[1:] <= factor * apart[:-1] + 1e-12).all() and (np.diff(apart[:5]) < 0).all()


@pytest.mark.parametrize("seed", range(20))
def test_an_own_score_is_largest_whenever_no_token_is_longer(seed):
    rng = np.random.default_rng(seed)
    lengths, angles = rng.uniform(0.2, 3, 4), rng.uniform(-180, 180, 4)
    series = PlaneLab(lengths=lengths.tolist(), angles=angles.tolist()).series
    assert series["own"][lengths.argmax()] == 1
    equal = PlaneLab(lengths=[2.0] * 4, angles=angles.tolist()).series
    assert equal["n_own"] == 4
    truly = (series["x"] @ series["x"].T).argmax(1)
    assert (series["best"] == truly).all() and (series["own"] == (truly == np.arange(4))).all()


def test_the_default_is_a_counter_example_and_a_tie_counts_as_own():
    series = PlaneLab().series
    assert series["own"].tolist() == [0, 1, 1, 1] and series["best"][0] == 1
    assert PlaneLab(lengths=[1.0] * 4, angles=[30.0] * 4).series["n_own"] == 4


def test_of_two_others_that_tie_the_first_is_best_however_they_are_rounded():
    series = [PlaneLab(**state).series for state in TIES["no_projections/plane"]]
    assert {tuple(one["best"]) for one in series} == {(1.0, 1.0, 2.0, 1.0), (1.0, 1.0, 2.0, 2.0), (1.0, 1.0, 2.0, 3.0)}
    assert len({np.sign(one["scores"][0, 1] - one["scores"][0, 2]) for one in series}) > 1  # rounding did try


def test_hull_is_scipys():
    rng = np.random.default_rng(4)
    for _ in range(50):
        points = rng.standard_normal((4, 2))
        ours = {tuple(p) for p in hull(points)}
        assert ours == {tuple(points[i]) for i in ConvexHull(points).vertices}
    assert len(hull(np.zeros((4, 2)))) == 1


def test_evidence_tells_copies_and_the_first_token_apart():
    found = evidence.read("trained")["self_scores"]
    assert found["token"]["other"] == 0 < found["token"]["tied"] == found["copies"] and found["input"]["own"] == 1
    own, first = np.array(found["heads"]["own"]), np.array(found["first_on_first"])
    others_at_home = own * 2620 - first * 200  # rows but that of [CLS]; without its column they can only be more
    assert (others_at_home > -1).all() and (others_at_home < np.array(found["heads_without_first"]) * 2420 + 1).all()
    for kind in ("token", "input", "heads"):
        assert sum(np.array(share) for share in found[kind].values()) == pytest.approx(1, abs=2e-4)
    assert found["chance"] == pytest.approx(200 / 2620, rel=1e-3)
    assert found["chance_without_first"] == pytest.approx(200 / 2420, rel=1e-3)
