"""Spread and cost of dot and additive scores: against SciPy's integrals, PyTorch's operations and plain loops."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from lab_cases import random_states
from scipy.integrate import quad
from scipy.stats import norm
from torch.utils.flop_counter import FlopCounterMode
from whyformer import evidence
from whyformer.evidence import score_cost
from whyformer.maths.random import normal
from whyformer.questions.dot_vs_additive import CostLab, SpreadLab
from whyformer.questions.dot_vs_additive.exercises import check_additive, check_memory, check_start
from whyformer.questions.dot_vs_additive.spread_lab import STARTS, sharpness, tanh_variance

D = [16, 32, 64, 128, 256, 512, 1024]


@pytest.mark.parametrize(("size_q", "size_k"), [(1, 1), (0.25, 0.25), (0.25, 4), (4, 0.25), (4, 4), (2, 0.75)])
def test_variance_of_a_term_is_scipys_integral(size_q, size_k):
    """The law of total variance, from two integrals over one normal each; the inner one by Gauss and Hermite."""
    z, weight = np.polynomial.hermite_e.hermegauss(300)
    inner = lambda q: weight @ np.tanh(q + size_k * z) / weight.sum()  # noqa: E731
    by_query = quad(lambda x: norm.pdf(x) * inner(size_q * x) ** 2, -9, 9, epsabs=1e-12, limit=400)[0]
    both = math.hypot(size_q, size_k)
    total = quad(lambda x: norm.pdf(x) * math.tanh(both * x) ** 2, -9, 9, epsabs=1e-12, limit=400)[0]
    assert tanh_variance(size_q, size_k) == pytest.approx(total - by_query, rel=1e-6)


@pytest.mark.parametrize("state", random_states(SpreadLab, 12, 3), ids=str)
def test_spread_lab_is_what_pytorch_computes(state):
    series, seed = SpreadLab.compute(**state), state["seed"]
    q, a = (torch.tensor(normal(seed, stream, np.arange(1024))) for stream in (0, 100))
    k = torch.stack([torch.tensor(normal(seed, 1 + j, np.arange(1024))) for j in range(16)])
    q, k = state["size_q"] * q, state["size_k"] * k
    for at, d in enumerate(D):
        start = a[:d] / (d**0.5 if state["start"] == "fan_in" else 1)
        raw = torch.mv(k[:, :d], q[:d])
        additive = torch.mv(torch.tanh(q[:d] + k[:, :d]), start)
        for name, scores in {"raw": raw, "divided": raw / d**0.5, "additive": additive}.items():
            assert series[f"draw_{name}"][at] == pytest.approx(scores.std().item(), rel=1e-8)
            if d == state["d_k"]:
                weights = torch.softmax(scores, 0)
                np.testing.assert_allclose(series[f"weights_{name}"], weights, rtol=1e-8, atol=1e-290)
                assert series[f"largest_{name}"] == pytest.approx(weights.max().item())
                assert series[f"spread_{name}"] == series[f"draw_{name}"][at]
                assert series[f"expected_{name}"] == series[f"law_{name}"][at]
    assert series["times_dot"] == state["size_q"] * state["size_k"]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("size_q", "size_k"), [(1, 1), (4, 1), (0.5, 4)])
def test_laws_are_the_mean_of_many_draws(start, size_q, size_k):
    """Another generator, other code: the mean squared spread of 4000 rows for three sizes."""
    rng = np.random.default_rng(11)
    series = SpreadLab.compute(d_k=64, start=start, size_q=size_q, size_k=size_k, seed=0)
    for at, d in ((0, 16), (2, 64)):
        q, k = size_q * rng.standard_normal((4000, 1, d)), size_k * rng.standard_normal((4000, 16, d))
        a = rng.standard_normal((4000, 1, d)) / (math.sqrt(d) if start == "fan_in" else 1)
        dots, additive = np.einsum("rqd,rkd->rk", q, k), np.einsum("rqd,rkd->rk", a, np.tanh(q + k))
        for name, scores in (("raw", dots), ("divided", dots / math.sqrt(d)), ("additive", additive)):
            found = math.sqrt(scores.var(axis=1, ddof=1).mean())
            assert series[f"law_{name}"][at] == pytest.approx(found, rel=0.03), name
    unit = SpreadLab.compute(d_k=64, start=start, size_q=1, size_k=1, seed=0)
    grown = series["law_additive"] / unit["law_additive"]
    np.testing.assert_allclose(grown, series["times_additive"])


def test_sharpness_is_that_of_standardised_rows():
    middle, low, high = sharpness()
    spreads = SpreadLab().series["spread_of"]
    rows = torch.stack([torch.tensor(normal(7, row, np.arange(16))) for row in range(200)])
    rows = (rows - rows.mean(1, keepdim=True)) / rows.std(1, keepdim=True)
    for at in (0, 9, 14, 20, 34):
        largest = torch.softmax(spreads[at] * rows, 1).amax(1).numpy()
        assert middle[at] == pytest.approx(np.median(largest))
        np.testing.assert_allclose([low[at], high[at]], np.sort(largest)[[10, -11]])
    assert (np.diff(middle) >= 0).all() and middle[0] == pytest.approx(1 / 16, abs=2e-3) and middle[-1] > 0.999
    assert spreads[0] == 1 / 128 and spreads[14] == 1 and spreads[-1] == 1024


@pytest.mark.parametrize("state", random_states(CostLab, 8, 1), ids=str)
def test_counts_are_those_of_pytorch(state):
    series, n, d = CostLab.compute(**state), state["n"], state["d_k"]
    q, k, a = torch.randn(n, d), torch.randn(n, d), torch.randn(d)
    with FlopCounterMode(display=False) as counter:
        scores = q @ k.T
    assert 2 * series["products"] == counter.get_total_flops()
    between = torch.tanh(q[:, None] + k)
    with FlopCounterMode(display=False) as counter:
        additive = between.reshape(-1, d) @ a[:, None]
    assert 2 * series["products"] == counter.get_total_flops() and series["tanhs"] == between.numel()
    mib = lambda array: array.numel() * array.element_size() / 2**20  # noqa: E731
    assert series["mib_scores"] == mib(scores) == mib(additive) and series["mib_pairs"] == mib(between)
    assert series["mib_query"] == mib(between[0])
    at = [32, 64, 128, 256, 512].index(n)
    stored = evidence.read("score_cost")["milliseconds"]
    row = [16, 32, 64].index(d)
    assert list(stored) == list(score_cost.WAYS)
    for way, times in stored.items():
        np.testing.assert_array_equal(series[f"ms_{way}"], times[row])
        if way != "dot":
            assert series[f"times_{way}"] == times[row][at] / stored["dot"][row][at]
    relu = stored["additive_relu"][row][at]
    assert series["tanh_over_relu"] == stored["additive"][row][at] / relu
    assert series["n_of"].tolist() == [32, 64, 128, 256, 512]


def test_six_ways_give_two_kinds_of_scores():
    q, k, a = score_cost.drawn(6, 5)
    dots = [[math.fsum(float(x) * float(y) for x, y in zip(one, key, strict=True)) for key in k] for one in q]
    squash = {
        "additive": math.tanh,
        "additive_by_query": math.tanh,
        "additive_relu": lambda x: max(x, 0.0),
    }
    for way, compute in score_cost.WAYS.items():
        wanted = dots
        if way in squash:
            term = squash[way]
            wanted = [
                [
                    math.fsum(float(c) * term(float(x) + float(y)) for c, x, y in zip(a, one, key, strict=True))
                    for key in k
                ]
                for one in q
            ]
        np.testing.assert_allclose(compute(q, k, a), wanted, rtol=1e-5, atol=1e-5, err_msg=way)
        assert compute(q, k, a).dtype == np.float32


@pytest.mark.parametrize(("takes", "calls"), [(0.25, 9), (0.0625, 11)])
def test_the_shortest_of_enough_times_counts_by_a_clock_of_ones_own(monkeypatch, takes, calls):
    """Each call takes ``takes`` seconds, the fourth half of it; at least nine are timed, and for at least 0.6 s."""
    clock, called = [100.0], []

    def way(q, k, a):
        called.append((q.shape, k.shape, a.shape))
        clock[0] += takes / 2 if len(called) % 10 == 4 else takes

    monkeypatch.setattr(score_cost, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setitem(score_cost.WAYS, "dot", way)
    assert score_cost.milliseconds("dot", 7, 5) == 500 * takes
    assert called == [((7, 5), (7, 5), (5,))] * (calls + 1)  # the first is not timed


def test_every_way_is_timed_at_every_size(monkeypatch):
    monkeypatch.setattr(score_cost, "milliseconds", lambda way, n, d_k: f"{way} {n} {d_k}")
    found = score_cost.measured()
    assert list(found) == list(evidence.read("score_cost")["milliseconds"])
    for way, rows in found.items():
        assert rows == [[f"{way} {n} {d_k}" for n in (32, 64, 128, 256, 512)] for d_k in (16, 32, 64)]


def test_exercises_know_right_answers():
    assert check_memory(2048) and check_start(0.1173)


def test_additive_attention_is_pytorchs(capsys):
    def of_pytorch(q, k, a):
        q, k, a = map(torch.tensor, (q, k, a))
        layer = torch.nn.Linear(len(a), 1, bias=False, dtype=torch.float64)
        layer.weight.data = a[None]
        return torch.softmax(layer(torch.tanh(q.unsqueeze(1) + k.unsqueeze(0))).squeeze(-1), -1).detach().numpy()

    assert check_additive(of_pytorch)
    assert not check_additive(lambda q, k, a: of_pytorch(k, q, a).T)
    assert "add up to 1" in capsys.readouterr().out
    assert not check_additive(lambda q, k, a: of_pytorch(np.tanh(q), k, a))
    assert "does tanh come before" in capsys.readouterr().out
