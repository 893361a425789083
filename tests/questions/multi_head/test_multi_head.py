"""Several heads: sums over heads against PyTorch, read-outs against least squares, ranks against SciPy."""

import numpy as np
import pytest
import torch
from lab_cases import random_states
from scipy.stats import rankdata, spearmanr
from whyformer.maths.random import uniform
from whyformer.model.layers import Linear, MultiHead
from whyformer.questions.multi_head import TwoWishesLab
from whyformer.questions.multi_head.checks import cosines, on_first, rank_correlation, ranks, within_layers
from whyformer.questions.multi_head.exercises import without
from whyformer.questions.multi_head.two_wishes_lab import best_read_out


def test_the_layer_of_pytorch_is_a_sum_over_heads():
    n, d, h = 5, 24, 4
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(d, h, dtype=torch.float64)
    torch.nn.init.normal_(layer.in_proj_bias), torch.nn.init.normal_(layer.out_proj.bias)
    x = torch.randn(n, d, dtype=torch.float64)
    with torch.no_grad():
        expected, maps = (t.numpy() for t in layer(x, x, x, average_attn_weights=False))
    weight, bias = layer.in_proj_weight.detach().numpy(), layer.in_proj_bias.detach().numpy()
    out, at_out = layer.out_proj.weight.detach().numpy().T, layer.out_proj.bias.detach().numpy()
    W_V, b_V = weight[2 * d :].T, bias[2 * d :]
    width = d // h
    cut = [slice(i * width, (i + 1) * width) for i in range(h)]
    terms = [maps[i] @ (x.numpy() @ W_V[:, c] + b_V[c]) @ out[c] for i, c in enumerate(cut)]
    np.testing.assert_allclose(sum(terms) + at_out, expected, rtol=0, atol=1e-12)
    parts = [Linear(weight[i * d : (i + 1) * d].T, bias[i * d : (i + 1) * d]) for i in range(3)]
    ours = MultiHead(h, *parts, Linear(out, at_out))
    np.testing.assert_allclose(ours(x.numpy(), x.numpy()), expected, rtol=0, atol=1e-12)


def test_heads_left_out_are_rows_of_the_last_matrix_set_to_zero_in_pytorch():
    torch.manual_seed(1)
    layer = torch.nn.MultiheadAttention(12, 3, bias=False, dtype=torch.float64)
    x = torch.randn(5, 12, dtype=torch.float64)
    matrices = [layer.in_proj_weight.detach().numpy()[12 * i : 12 * i + 12].T for i in range(3)]
    out = layer.out_proj.weight.detach().numpy().T.copy()
    with torch.no_grad():
        layer.out_proj.weight[:, 4:8] = 0
        expected = layer(x, x, x)[0].numpy()
    np.testing.assert_allclose(without(x.numpy(), *matrices, out, 3, [1]), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("splits", [(0.5,), (0.9,), (1.0,), (0.7, 0.3), (0.6, 0.6), (1.0, 0.0), (0.51, 0.5)])
def test_best_read_out_is_what_least_squares_finds(splits):
    rows = np.array([[share, 1 - share] for share in splits])
    for wish in (0, 1):
        factors, missed = best_read_out(list(rows), wish)
        target = np.eye(2)[wish]
        exact = np.linalg.lstsq(rows.T, target, rcond=1e-9)[0]
        np.testing.assert_allclose(np.array(factors) @ rows, exact @ rows, atol=1e-9)
        assert missed == pytest.approx(((target - exact @ rows) ** 2).sum(), abs=1e-9)
        assert len(factors) == len(splits)


@pytest.mark.parametrize("wish", [0, 1])
def test_errors_are_averages_over_draws(wish):
    values = np.random.default_rng(wish).choice([-1.0, 1.0], (200_000, 2))
    (factor,), missed = best_read_out([np.array([0.8, 0.2])], wish)
    off = values[:, wish] - factor * values @ [0.8, 0.2]
    assert (off**2).mean() == pytest.approx(missed, abs=0.01)


def as_regression(state):
    """What the heads hand on and what is wished for, as rows of factors on all 2 x 6 numbers."""
    rows = np.array([[100 - state["first"], state["first"]], [100 - state["second"], state["second"]]]) / 100
    halves = np.eye(6).reshape(2, 3, 6)
    read = {"one": [(0, 0), (0, 1)], "half": [(0, 0), (1, 1)], "two": [(0, 0), (0, 1), (1, 0), (1, 1)]}[state["heads"]]
    asked = [(0, 0), (0, 1), (1, 0), (1, 1)] if state["asked"] == "whole" else [(0, 0), (1, 1)]
    handed_on = np.concatenate([np.kron(rows[head], halves[half]) for head, half in read])
    return rows, handed_on, {at: np.kron(np.eye(2)[at[0]], halves[at[1]]) for at in asked}


@pytest.mark.parametrize("state", random_states(TwoWishesLab, 40, 5), ids=str)
def test_two_wishes_lab_is_what_least_squares_makes_of_all_numbers(state):
    """The best matrix behind all outputs, any number with any other, and not half by half as the lab has it."""
    series, (rows, handed_on, asked) = TwoWishesLab.compute(**state), as_regression(state)
    values = 2 * uniform(state["seed"], np.arange(2)[:, None], np.arange(6)) - 1
    np.testing.assert_allclose(series["values"], values, rtol=1e-15)
    for name, row in (("weights_first", rows[0]), ("weights_second", rows[1])):
        np.testing.assert_allclose(series[name], [0, row[0], 0, 0, 0, 0, row[1], 0])
    wanted, got, missed = np.zeros((2, 6)), np.zeros((2, 6)), {0: [], 1: []}
    for (wish, half), ask in asked.items():
        nearest = ask @ np.linalg.pinv(handed_on, rcond=1e-7) @ handed_on
        wanted[wish, 3 * half : 3 * half + 3] = ask @ values.ravel()
        got[wish, 3 * half : 3 * half + 3] = nearest @ values.ravel()
        missed[wish].append(100 * ((ask - nearest) ** 2).sum() / 3)
    np.testing.assert_allclose(series["wanted"], wanted)
    np.testing.assert_allclose(series["got"], got, atol=1e-7)
    who, how = np.mean(missed[0]), np.mean(missed[1])
    assert [series["missed_who"], series["missed_how"]] == pytest.approx([who, how], abs=1e-7)
    assert series["missed"] == pytest.approx((who + how) / 2, abs=1e-7) and series["missed"] >= series["least"] - 1e-9
    assert [series["on_cat_first"], series["on_cat_second"]] == pytest.approx((100 * rows[:, 0]).tolist())


def test_the_least_is_least_and_is_reached():
    """No weights get below it, and some get there; one head, and two of half size asked for all, always miss half."""
    for heads in ("one", "half", "two"):
        for asked in ("whole", "parts"):
            states = [(first, second) for first in range(0, 101, 10) for second in range(0, 101, 10)]
            found = [TwoWishesLab.compute(heads=heads, asked=asked, first=a, second=b, seed=0) for a, b in states]
            missed = [series["missed"] for series in found]
            least = found[0]["least"]
            assert min(missed) == pytest.approx(least, abs=1e-9)
            assert least == (0 if heads == "two" or (heads, asked) == ("half", "parts") else 50)
            if least:
                np.testing.assert_allclose(missed, 50)


def test_rank_correlations_are_scipys():
    values = np.array([3.0, 1.0, 3.0, 2.0, 3.0, 1.0, 0.5])
    assert ranks(values).tolist() == rankdata(values).tolist()
    lost = 1 - cosines()
    for one, other in zip(on_first(), lost, strict=True):
        assert rank_correlation(one, other) == pytest.approx(spearmanr(one, other).statistic)
    inside = np.corrcoef(*(rankdata(part[:5], axis=1).ravel() for part in (on_first(), lost)))[0, 1]
    assert within_layers(on_first(), lost) == pytest.approx(inside)
