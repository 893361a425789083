"""The labs on the embedding's scale, against PyTorch's layers, quadrature and closed forms; and what is claimed."""

import numpy as np
import pytest
import torch
from lab_cases import random_states
from mpmath import mp, mpf, quad
from scipy.special import logsumexp
from whyformer.maths.random import normal
from whyformer.questions.embedding_scale import BalanceLab, TwoUsesLab, toy
from whyformer.questions.embedding_scale.exercises import check_factor, check_step, check_tied
from whyformer.questions.embedding_scale.two_uses_lab import STDS, losses

TEXT = ["the", "more", "the", "dog", "ran", "the", "more", "the", "cat", "ran"]
ROW = {"the": 0, "more": 1, "dog": 2, "ran": 3, "cat": 4}
SPREAD = {"small": lambda d: 0.02, "root": lambda d: d**-0.5, "one": lambda d: 1.0}


def sines(d):
    """By complex numbers: real and imaginary part of a turning hand are cosine and sine."""
    speed = np.exp(-np.log(10000) * 2 * np.arange(d // 2) / d)
    hands = np.exp(1j * np.outer(np.arange(10), speed))
    return torch.tensor(np.stack([hands.imag, hands.real], -1).reshape(10, d))


def of_pytorch(spread, multiplier, positions, d_model, seed):
    """Words and positions, looked up in PyTorch's embedding."""
    std = SPREAD[spread](d_model)
    table = torch.tensor(std * normal(seed, np.arange(5)[:, None], np.arange(d_model)))
    words = torch.nn.functional.embedding(torch.tensor([ROW[word] for word in TEXT]), table)
    words = words * d_model**0.5 if multiplier == "on" else words
    drawn = std * normal(seed, np.arange(100, 110)[:, None], np.arange(d_model))
    return words, sines(d_model) if positions == "sine" else torch.tensor(drawn)


@pytest.mark.parametrize("state", random_states(BalanceLab, 30, 5), ids=str)
def test_balance_lab_is_what_pytorch_computes(state):
    series, norm = BalanceLab.compute(**state), state["norm"] == "on"
    words, places = of_pytorch(**{name: value for name, value in state.items() if name != "norm"})
    x = words + places
    if norm:  # the real thing, of which the lab shows directions
        x = torch.nn.functional.layer_norm(x, x.shape[1:], eps=0)
        words, places = (part - part.mean(1, keepdim=True) for part in (words, places))
    cosine = torch.nn.functional.cosine_similarity
    like = cosine(x[:, None], x[None], dim=-1)
    pairs = [(i, j) for i in range(10) for j in range(i + 1, 10)]
    of_pairs = torch.stack([like[i, j] for i, j in pairs])
    one_word = torch.tensor([TEXT[i] == TEXT[j] for i, j in pairs])
    apart = torch.tensor([j - i for i, j in pairs])
    angle = lambda part: torch.rad2deg(torch.acos(cosine(x, part).clamp(-1, 1))).mean()  # noqa: E731
    for name, value in {
        "word_lengths": words.norm(dim=1), "position_lengths": places.norm(dim=1),
        "to_word": cosine(x, words), "to_position": cosine(x, places), "similarity": like,
        "apart": apart, "same": one_word, "cosine": of_pairs,
        "word": words.norm(dim=1).mean(), "position": places.norm(dim=1).mean(),
        "word_angle": angle(words), "position_angle": angle(places),
        "neighbours": of_pairs[apart == 1].mean(), "again": of_pairs[one_word & (apart >= 5)].mean(),
        "spots": of_pairs[one_word].min() - of_pairs[~one_word].max(),
    }.items():  # fmt: skip
        np.testing.assert_allclose(series[name], value, rtol=1e-8, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("positions", ["sine", "learned"])
@pytest.mark.parametrize(("spread", "multiplier"), [("root", "off"), ("root", "on"), ("one", "off")])
def test_the_laws_are_means_over_tables(spread, multiplier, positions):
    """Products and squared lengths are averaged before they are divided, over 150 tables; d = 128; without a norm."""
    state = {"spread": spread, "multiplier": multiplier, "positions": positions, "d_model": 128}
    products, cross = 0, 0
    for seed in range(150):
        words, places = of_pytorch(**state, seed=seed)
        products = products + (words @ words.T + places @ places.T).numpy() / 150
        cross = cross + (places @ places.T).numpy() / 150
    own = np.sqrt(np.diag(products))
    same_word = np.array([[a == b for b in TEXT] for a in TEXT])
    of_one = np.where(same_word, products - cross, 0).sum() / same_word.sum()
    law = {"law_same": (of_one + cross) / np.outer(own, own), "law_other": cross / np.outer(own, own)}
    series = BalanceLab.compute(**state, norm="off", seed=0)
    for name, values in law.items():
        wanted = [np.mean([values[i, i + apart] for i in range(10 - apart)]) for apart in range(10)]
        np.testing.assert_allclose(series[name], wanted, atol=0.03, err_msg=name)
    assert series["share"] == pytest.approx(100 * (np.diag(cross) / np.diag(products)).mean(), abs=1)


@pytest.mark.parametrize("d_model", [128, 384, 512, 1024])
def test_the_numbers_of_the_derivation(d_model):
    off, on = (BalanceLab(multiplier=m, d_model=d_model).series for m in ("off", "on"))
    np.testing.assert_allclose(off["position_lengths"], np.sqrt(d_model / 2), rtol=1e-12)
    assert off["share"] == pytest.approx(100 * d_model / (d_model + 2), rel=1e-12)
    assert on["share"] == pytest.approx(100 / 3, rel=1e-12)
    gap = [series["law_same"] - series["law_other"] for series in (off, on)]
    np.testing.assert_allclose(gap[0], 2 / (d_model + 2), rtol=1e-9)
    np.testing.assert_allclose(gap[1], 2 / 3, rtol=1e-9)


@pytest.mark.parametrize("positions", ["sine", "learned"])
@pytest.mark.parametrize(("spread", "multiplier"), [("small", "off"), ("root", "on"), ("one", "off")])
def test_the_law_behind_a_norm_is_the_trace_of_what_takes_the_mean_away(spread, multiplier, positions):
    """E |C w|^2 of a drawn row is its variance times tr(C^T C), and not times d: C has one eigenvalue 0."""
    d = 128
    series = BalanceLab.compute(spread=spread, multiplier=multiplier, positions=positions, norm="on", d_model=d, seed=8)
    c = torch.eye(d, dtype=torch.float64) - torch.full((d, d), 1 / d, dtype=torch.float64)
    drawn = SPREAD[spread](d) ** 2 * torch.trace(c.T @ c).item()
    word = drawn * (d if multiplier == "on" else 1)
    places = sines(d) @ c
    wanted = {"law_same": [], "law_other": []}
    for apart in range(10):
        same, other = [], []
        for i in range(10 - apart):
            j = i + apart
            if positions == "sine":
                both, one, two = (float(a @ b) for a, b in zip(places[[i, i, j]], places[[j, i, j]], strict=True))
            else:
                both, one, two = drawn * (i == j), drawn, drawn
            lengths = ((word + one) * (word + two)) ** 0.5
            same.append((word + both) / lengths)
            other.append(both / lengths)
        wanted["law_same"].append(sum(same) / len(same))
        wanted["law_other"].append(sum(other) / len(other))
    for name, values in wanted.items():
        np.testing.assert_allclose(series[name], values, rtol=1e-9, atol=1e-12, err_msg=name)
    squares = [float(p @ p) if positions == "sine" else drawn for p in places]
    assert series["share"] == pytest.approx(sum(10 * p / (word + p) for p in squares), rel=1e-9)


@pytest.mark.parametrize("state", random_states(TwoUsesLab, 20, 6), ids=str)
def test_two_uses_lab_is_what_scipy_and_pytorch_compute(state):
    series, d = TwoUsesLab.compute(**state), state["d_model"]
    sigma = SPREAD[state["spread"]](d)
    z = torch.tensor(normal(state["seed"], np.arange(8)[:, None], np.arange(1000))).numpy()
    std = sigma * (1 if state["out"] == "root" else d**0.5)
    loss = logsumexp(std * z, axis=1) - (std * z).mean(1)
    words = sigma * (d if state["into"] == "root" else d**0.5)
    every = torch.nn.functional.cross_entropy(torch.tensor(std * z[:1]).expand(1000, -1), torch.arange(1000))
    assert every.item() == pytest.approx(loss[0])
    median = [np.sort(logsumexp(s * z, axis=1) - (s * z).mean(1))[3:5].mean() for s in STDS]
    for name, value in {
        "curve_std": 2.0 ** np.arange(-6, 6),
        "curve_loss": median, "loss": loss, "sigma": sigma, "ratio": words / np.sqrt(d / 2), "std": std,
        "first_loss": np.sort(loss)[3:5].mean(), "uniform": np.log(1000),
        "above": np.sort(loss)[3:5].mean() - np.log(1000),
    }.items():  # fmt: skip
        np.testing.assert_allclose(series[name], value, rtol=1e-9, atol=1e-9, err_msg=name)


def expected_loss(vocabulary, std):
    """Mean of ln sum exp z for independent normal z, by two quadratures: ln S is an integral of e^-t - e^-tS over t."""
    nodes = mp.linspace(-9, 9, 241)
    weight = [mp.npdf(z) for z in nodes]
    whole = sum(weight)

    def kept(t):
        return sum(w * mp.exp(-t * mp.exp(std * z)) for w, z in zip(weight, nodes, strict=True)) / whole

    return quad(lambda u: mp.exp(-mp.exp(u)) - kept(mp.exp(u)) ** vocabulary, mp.linspace(-30, 6, 13), maxdegree=4)


def test_the_median_loss_is_near_the_mean_by_quadrature():
    mp.dps = 12
    wanted = float(expected_loss(1000, mpf(1)))
    found = [losses(normal(seed, np.arange(8)[:, None], np.arange(1000)), 1.0) for seed in range(50)]
    assert np.mean(found) == pytest.approx(wanted, abs=0.02)
    assert wanted == pytest.approx(np.log(1000) + 0.5, abs=0.01)


def test_a_logit_of_a_normed_state_is_as_wide_as_the_lab_says():
    """Rows of spread 1/sqrt(d), times a state behind PyTorch's LayerNorm."""
    generator = torch.Generator().manual_seed(0)
    for d in (64, 512):
        states = torch.nn.functional.layer_norm(torch.randn(200, d, generator=generator) * 3 + 1, (d,))
        table = torch.randn(2000, d, generator=generator)
        for spread, sigma in (("root", d**-0.5), ("one", 1.0)):
            found = (states @ (sigma * table).T).std().item()
            assert found == pytest.approx(TwoUsesLab(spread=spread, d_model=d).series["std"], rel=0.02)


def test_pytorch_draws_a_table_of_spread_one():
    torch.manual_seed(0)
    assert torch.nn.Embedding(4000, 64).weight.std().item() == pytest.approx(1, rel=0.01)


def test_exercises_know_right_answers():
    words = torch.nn.Embedding(10, 768)
    torch.nn.init.constant_(words.weight, 768**-0.5)
    assert check_factor((sines(768).norm(dim=1) / words.weight.norm(dim=1)).detach()[0].item())
    table = torch.zeros(1, 1024, requires_grad=True)
    adam = torch.optim.Adam([table], lr=0.001)
    (table @ torch.randn(1024, generator=torch.Generator().manual_seed(0))).sum().backward()
    adam.step()
    assert check_step((1024**0.5 * table).norm().item())


def test_a_tied_model_is_checked_by_what_pytorch_computes(capsys):
    def of_pytorch(table, ids, places, *, on_table=False, on_sum=False):
        table = torch.tensor(table)
        root = table.shape[1] ** 0.5
        rows = root * table if on_table else table
        x = torch.nn.functional.embedding(torch.tensor(ids), rows if on_table else root * rows) + torch.tensor(places)
        x = (x + (root - 1) * torch.tensor(places) if on_sum else x).mean(0)
        return torch.nn.functional.linear(root * torch.nn.functional.normalize(x, dim=0), rows).numpy()

    assert check_tied(of_pytorch)
    assert not check_tied(lambda *case: of_pytorch(*case, on_table=True))
    assert "one table has two uses" in capsys.readouterr().out
    assert not check_tied(lambda *case: of_pytorch(*case, on_sum=True))
    assert "which part of the sum" in capsys.readouterr().out


@pytest.mark.parametrize("name", list(toy.starts(16)))
def test_the_toy_trains_as_pytorch_does(name):
    d, vocabulary, start = 16, 12, toy.starts(16)[name]
    rng = np.random.default_rng(5)
    table = torch.tensor(start.spread * rng.standard_normal((vocabulary, d)), requires_grad=True)
    matrix = torch.tensor(rng.standard_normal((d, d)) / np.sqrt(d), requires_grad=True)
    successor = torch.tensor(rng.permutation(vocabulary))
    adam = torch.optim.Adam([table, matrix], lr=0.01, eps=1e-100)
    hands = np.exp(1j * np.outer(np.arange(20), np.exp(-np.log(10000) * 2 * np.arange(d // 2) / d)))
    places = torch.tensor(np.stack([hands.imag, hands.real], -1).reshape(20, d))
    for wanted in toy.losses(start, 0.01, 5, d=d, vocabulary=vocabulary)[:30]:
        word, place = torch.tensor(rng.integers(0, vocabulary, 64)), torch.tensor(rng.integers(0, 20, 64))
        u = (start.into * table[word] + places[place]) @ matrix
        h = d**0.5 * torch.nn.functional.normalize(u, dim=1)
        loss = torch.nn.functional.cross_entropy(start.out * h @ table.T, successor[word])
        assert loss.item() == pytest.approx(wanted, rel=1e-6)
        adam.zero_grad()
        loss.backward()
        adam.step()


@pytest.mark.thorough
@pytest.mark.parametrize("sizes", [{"d": 128}, {"vocabulary": 100}], ids=str)
def test_the_order_of_the_starts_holds_at_other_sizes(sizes):
    starts = toy.starts(sizes.get("d", 64))
    found = {name: max(toy.at_its_best_rate(start, range(2), **sizes)) for name, start in starts.items()}
    balanced = max(found["as in 2017"], found["as in T5"])
    assert balanced < found["long rows, no factor"] < found["short rows, no factor"] / 2
