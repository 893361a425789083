"""Fresh attention: rows drawn by lengths are those of whole keys, the layer is PyTorch's, samples of the file again."""

import numpy as np
import pytest
import torch
from nested import close
from whyformer import evidence
from whyformer.evidence import fresh
from whyformer.questions.why_sqrt_dk import start_lab


def test_rows_drawn_by_lengths_are_those_of_whole_keys():
    """Queries, keys and the gradients at the queries drawn whole and pushed through PyTorch; another generator."""
    n_keys, d_k, queries = 12, 24, 20_000
    generator = torch.Generator().manual_seed(0)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)  # noqa: E731
    q, k, u = draw(queries, d_k).requires_grad_(), draw(queries, n_keys, d_k), draw(queries, n_keys)
    dots = torch.einsum("qd,qnd->qn", q, k)
    by_lengths = fresh.rows(n_keys, d_k, queries, seed=1)
    lengths = {}
    for name, divisor in (("1", 1.0), ("sqrt", d_k**0.5)):
        weights = torch.softmax(dots / divisor, -1)
        (gradient,) = torch.autograd.grad((weights * u).sum(), q, retain_graph=True)
        lengths[name], weights, found = gradient.norm(dim=1), weights.detach(), by_lengths[name]
        largest = weights.max(-1).values
        jacobian = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None]
        trace = torch.einsum("qnn->q", jacobian) / (1 - 1 / n_keys)
        low, high = lengths[name].quantile(torch.tensor([0.1, 0.9], dtype=torch.float64))
        assert found["hard"] == pytest.approx(float((largest > fresh.SURE).double().mean()), abs=0.015)
        assert found["largest"] == pytest.approx(float(largest.median()), abs=0.01)
        assert found["first"] == pytest.approx(float(weights[:, 0].median()), rel=0.15)
        assert found["entry"] == pytest.approx(float(jacobian.amax((1, 2)).median()), abs=0.006)
        assert found["trace"] == pytest.approx(float(trace.median()), abs=0.02)
        assert found["median"] == pytest.approx(float(lengths[name].median()), rel=0.05)
        assert found["mean_square"] == pytest.approx(float(lengths[name].square().mean().sqrt()), rel=0.03)
        assert found["span"] == pytest.approx(float(high / low), rel=0.15)
    ratio, hard = lengths["1"] / lengths["sqrt"], torch.softmax(dots, -1).max(-1).values > fresh.SURE
    share = lengths["1"][hard].square().sum() / lengths["1"].square().sum()
    assert by_lengths["1"]["larger"] == pytest.approx(float((ratio > 1).double().mean()), abs=0.015)
    assert by_lengths["1"]["tenth"] == pytest.approx(float((ratio < 0.1).double().mean()), abs=0.015)
    assert by_lengths["1"]["from_hard"] == pytest.approx(float(share), abs=0.005)


def test_at_one_component_there_is_nothing_to_divide():
    found = fresh.rows(8, 1, 300, seed=0)
    shared = {name: value for name, value in found["1"].items() if name in found["sqrt"]}
    assert shared == found["sqrt"] and found["1"]["larger"] == 0


def test_layer_is_pytorchs(monkeypatch):
    """The same draws through PyTorch's own operations and autograd."""
    monkeypatch.setattr(fresh, "D_MODEL", 24)
    tokens, heads, seed = 7, 3, 5
    found = fresh.layer(tokens, heads, seed)
    generator = np.random.default_rng([seed, tokens, heads])
    x = torch.nn.functional.layer_norm(torch.tensor(generator.standard_normal((tokens, 24))), (24,), eps=0)
    limit = (3 / 24) ** 0.5
    w = [torch.tensor(part, requires_grad=True) for part in generator.uniform(-limit, limit, (4, 24, 24))]
    above = torch.tensor(generator.standard_normal((tokens, 24)))
    norms = {}
    for name, divisor in (("1", 1.0), ("sqrt", 8**0.5), ("d_k", 8.0)):
        q, k, v = ((x @ part).reshape(tokens, heads, 8).transpose(0, 1) for part in w[:3])
        out = torch.softmax(q @ k.mT / divisor, -1) @ v
        loss = (out.transpose(0, 1).reshape(tokens, 24) @ w[3] * above).sum()
        norms[name] = [float(g.norm()) for g in torch.autograd.grad(loss, w[:3])]
    for name in ("1", "d_k"):
        np.testing.assert_allclose(list(found[name].values()), np.divide(norms[name], norms["sqrt"]), rtol=1e-9)


@pytest.mark.parametrize("cell", [(4, 64), (64, 16), (8, 512)])
def test_rows_are_what_the_file_says(cell):
    (queries,) = (m for n, d, m in fresh.cells() if (n, d) == cell)
    stored = evidence.read("fresh")["rows"][f"{cell[0]} {cell[1]}"]
    again = fresh.rows(*cell, queries, fresh.SEEDS[1])
    close({name: {key: seeds[1] for key, seeds in of.items()} for name, of in stored.items()}, again, rtol=1e-3)


@pytest.mark.parametrize(("tokens", "heads"), [(4, 1), (128, 8)])
def test_layers_are_what_the_file_says(tokens, heads):
    stored = evidence.read("fresh")["layers"][f"{tokens} {heads}"]
    again = fresh.layer(tokens, heads, fresh.LAYER_SEEDS[2])
    close({name: {key: seeds[2] for key, seeds in of.items()} for name, of in stored.items()}, again, rtol=1e-3)


def test_all_cells_are_there():
    found = evidence.read("fresh")
    assert set(found["rows"]) == {f"{n} {d}" for n, d, _ in fresh.cells()}
    assert set(found["layers"]) == {f"{n} {h}" for n in fresh.TOKENS for h in fresh.HEADS}
    assert {len(seeds) for of in found["rows"].values() for row in of.values() for seeds in row.values()} == {3}
    assert set(found["starts"]) == {f"{name}, {n}" for name in fresh.STARTS for n in fresh.START_QUERIES}
    assert set(found["typical"]) == {f"{n} {d}" for n in fresh.TYPICAL_QUERIES for d in fresh.D_K}


def test_a_start_is_what_pytorch_computes():
    """Other draws, Jacobians written out: shares of hard rows, and the gradient at the query."""
    variance, d_k, n_keys, queries = 2.0, 16, 6, 20_000
    generator = torch.Generator().manual_seed(1)
    q, k = (
        variance**0.5 * torch.randn(shape, generator=generator, dtype=torch.float64)
        for shape in ((queries, d_k), (queries, n_keys, d_k))
    )
    lengths, hard = [], []
    for divisor in (1.0, d_k**0.5):
        y = torch.softmax(torch.einsum("qd,qnd->qn", q, k) / divisor, -1)
        jacobian = torch.diag_embed(y) - y[:, :, None] * y[:, None]
        lengths.append(torch.linalg.matrix_norm(k.mT @ jacobian) / divisor)
        hard.append(float((y.amax(1) > fresh.SURE).double().mean()))
    found = fresh.start(variance, d_k, n_keys, queries)
    assert [found["hard"], found["hard_divided"]] == pytest.approx(hard, abs=0.02)
    assert found["divided"] == pytest.approx(float(lengths[1].median()), rel=0.03)
    assert found["median"] == pytest.approx(float(lengths[0].median() / lengths[1].median()), rel=0.15)
    mean_square = (lengths[0].square().mean() / lengths[1].square().mean()).sqrt()
    assert found["mean_square"] == pytest.approx(float(mean_square), rel=0.05)


@pytest.mark.parametrize("d_k", [16, 64])
def test_the_typical_query_is_that_of_the_picture(d_k):
    """The picture of the book draws its starts one by one, with its own generator."""
    for n_keys in fresh.TYPICAL_QUERIES:
        typical = evidence.read("picture")["typical"][str(n_keys)]
        at = start_lab.D_K.index(d_k)
        found = evidence.read("fresh")["typical"][f"{n_keys} {d_k}"]
        assert found["divided"] == pytest.approx(typical["sqrt"][at], rel=0.01)
        assert found["median"] == pytest.approx(typical["1"][at] / typical["sqrt"][at], rel=0.05)
