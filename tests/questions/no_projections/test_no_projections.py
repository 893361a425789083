"""The labs without projections: shares against SciPy and sampling, attention against PyTorch, collapse."""

import math

import numpy as np
import pytest
import torch
from lab_cases import TIES, random_states
from scipy import integrate, special, stats
from whyformer import evidence
from whyformer.questions.no_projections import PlaneLab, RolesLab
from whyformer.questions.no_projections.own_share import LAW_D, own_shares


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
    assert own_shares(n, 0.0)[1][LAW_D.index(d)] == pytest.approx(exact, rel=1e-3)


def test_sizes_that_are_offered_go_up_two_to_an_octave():
    assert list(LAW_D) == [d for d in range(1, 129) if d // (d & -d) in (1, 3)]  # a power of 2, or three times one


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


@pytest.mark.parametrize("state", random_states(PlaneLab, 25, 4), ids=str)
def test_plane_lab_is_attention_of_pytorch_again_and_again(state):
    series, divisor, rounds = PlaneLab.compute(**state), state["divisor"], state["rounds"]
    turn, lengths = np.radians(state["angles"]), np.array(state["lengths"])
    x = torch.tensor(lengths[:, None] * np.stack([np.cos(turn), np.sin(turn)], 1))
    path = [x]
    for _ in range(20):
        path.append(torch.nn.functional.scaled_dot_product_attention(path[-1], path[-1], path[-1], scale=1 / divisor))
    np.testing.assert_allclose(series["x"], x, atol=1e-12)
    np.testing.assert_allclose(series["path"], torch.stack(path), atol=1e-11)
    np.testing.assert_allclose(series["now"], path[rounds], atol=1e-11)
    scores = (x[:, None] * x).sum(-1)
    weights = torch.softmax(scores / divisor, -1)
    np.testing.assert_allclose(series["scores"], scores, atol=1e-12)
    np.testing.assert_allclose(series["weights"], weights, rtol=1e-9)
    np.testing.assert_allclose(series["own_weight"], [weights[i, i] for i in range(4)], rtol=1e-9)
    top = [
        [j for j in range(4) if row[j] > max(row) - 1e-7] for row in scores.tolist()
    ]  # several only where a length is 0
    own = [i in places for i, places in enumerate(top)]
    assert series["own"].tolist() == own and series["n_own"] == sum(own)
    assert series["best"].tolist() == [i if own[i] else places[0] for i, places in enumerate(top)]
    apart = [torch.pdist(points).max().item() for points in path]
    np.testing.assert_allclose(series["apart"], apart, atol=1e-11)
    assert [series[f"apart_{when}"] for when in ("start", "now")] == pytest.approx([apart[0], apart[rounds]], abs=1e-11)
    factor = 1 - math.exp(-2 * max(state["lengths"]) ** 2 / divisor)
    assert (series["after"], series["bound"]) == (rounds, pytest.approx(apart[0] * factor**rounds))
    np.testing.assert_allclose(series["bounds"], apart[0] * factor ** np.arange(21), rtol=1e-9)
    first = scores[0].tolist()
    assert [series["first_own"], series["first_largest"]] == pytest.approx([first[0], max(first)], abs=1e-12)
    assert series["first_at"] == 1 + series["best"][0]


def test_a_short_token_is_a_counter_example_and_a_tie_counts_as_own():
    series = PlaneLab(lengths=[0.7, 2.6, 1.2, 1.0]).series
    assert series["own"].tolist() == [0, 1, 1, 1] and series["best"][0] == 1
    assert PlaneLab(lengths=[1.0] * 4, angles=[30.0] * 4).series["n_own"] == 4


def test_of_two_others_that_tie_the_first_is_best_however_they_are_rounded():
    series = [PlaneLab(**state).series for state in TIES["no_projections/plane"]]
    assert {tuple(one["best"]) for one in series} == {(1.0, 1.0, 2.0, 1.0), (1.0, 1.0, 2.0, 2.0), (1.0, 1.0, 2.0, 3.0)}
    assert len({np.sign(one["scores"][0, 1] - one["scores"][0, 2]) for one in series}) > 1  # rounding did try


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


@pytest.mark.parametrize("head", ["who", "how", "before"])
@pytest.mark.parametrize("asks", range(1, 9))
def test_roles_lab_is_attention_of_pytorch_over_all_ten_tokens(head, asks):
    series, found = RolesLab(head=head, asks=asks).series, evidence.read("roles")["heads"][head]
    tables = {kind: torch.tensor(found[kind], dtype=torch.float64) for kind in ("with", "without")}
    weights = {kind: torch.softmax(table, -1)[asks] for kind, table in tables.items()}
    np.testing.assert_allclose(series["weights"], weights["with"][1:9], rtol=1e-12)
    np.testing.assert_allclose(series["weights_without"], weights["without"][1:9], rtol=1e-12)
    assert series["rest"] == pytest.approx(1 - series["weights"].sum(), abs=1e-12)
    for name, kind in (("", "with"), ("_without", "without")):
        assert series[f"scores{name}"].tolist() == tables[kind][asks, 1:9].tolist()
        assert series[f"back{name}"].tolist() == tables[kind][1:9, asks].tolist()
    assert (series["scores_without"] == series["back_without"]).all()  # symmetric to the last digit that is stored
    assert series["winner_without"] == series["asker"] == asks - 1
    assert series["winner"] == series["weights"].argmax() and series["largest"] == series["weights"].max()
    others = [j for j in range(8) if j != asks - 1]
    assert series["partner"] == max(others, key=lambda j: series["weights"][j])
    assert series["there"] == series["scores"][series["partner"]]
    assert series["return"] == series["back"][series["partner"]]
    assert series["there_without"] == series["scores_without"][series["partner"]]
    assert series["own"] == series["weights"][asks - 1] and series["own_without"] == series["weights_without"][asks - 1]
