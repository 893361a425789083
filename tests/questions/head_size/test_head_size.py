"""The budget lab: bills against PyTorch, fits against the singular values of NumPy, what is claimed about rank."""

import numpy as np
import pytest
import torch
from lab_cases import random_states
from scipy.linalg import svd
from torch.utils.flop_counter import FlopCounterMode
from whyformer.maths.random import bits
from whyformer.questions.head_size import BudgetLab
from whyformer.questions.head_size.budget_lab import (
    D_MODEL,
    GAINS,
    HEADS,
    PATTERNS,
    N,
    fitted_scores,
    wanted_scores,
)  # fmt: skip
from whyformer.questions.head_size.exercises import (
    check_blocks,
    check_full_width,
    check_gain,
    check_rows_b,
    check_split,
)

every_pattern = pytest.mark.parametrize("pattern", PATTERNS)


@pytest.mark.parametrize("heads", HEADS)
def test_the_bill_is_that_of_pytorch(heads):
    series = BudgetLab(heads=heads).series
    module = torch.nn.MultiheadAttention(D_MODEL, heads, bias=False, batch_first=True)
    assert series["parameters"] == sum(p.numel() for p in module.parameters())
    x = torch.randn(1, N, D_MODEL)
    _, weights = module(x, x, x, average_attn_weights=False)
    assert series["weights"] == weights.numel()
    for width, d_k in (("split", D_MODEL // heads), ("full", D_MODEL)):
        q = torch.randn(heads, N, d_k)
        with FlopCounterMode(display=False) as counter:
            q @ q.transpose(1, 2)
        one = BudgetLab(heads=heads, width=width).series
        assert 2 * one["products"] == counter.get_total_flops()
        into, out = torch.nn.Linear(D_MODEL, heads * d_k, bias=False), torch.nn.Linear(heads * d_k, D_MODEL, bias=False)
        assert one["parameters"] == 3 * into.weight.numel() + out.weight.numel()
        at = HEADS.index(heads)
        assert (one["d_k"], one["parameters"], one["products"], one["weights"]) == tuple(
            one[f"{name}_of"][at] for name in ("d_k", "parameters", "products", "weights")
        )


@every_pattern
@pytest.mark.parametrize("rank", range(1, 25))
def test_no_matrix_of_that_rank_is_nearer(pattern, rank):
    wanted = wanted_scores(pattern, 3)
    singular = svd(wanted, compute_uv=False)
    fitted = fitted_scores(pattern, 3, rank)
    assert np.linalg.matrix_rank(fitted, tol=1e-8) <= rank
    assert ((fitted - wanted) ** 2).sum() == pytest.approx((singular[rank:] ** 2).sum(), abs=1e-8)


@pytest.mark.parametrize("state", random_states(BudgetLab, 25, 14), ids=str)
def test_budget_lab_is_what_pytorch_computes(state):
    """A fit is what the wanted scores cast on the strongest waves round the ring of keys, of equals the slower."""
    series, pattern, gain, now = (BudgetLab.compute(**state), state["pattern"], state["gain"], state["heads"])
    i, j = np.arange(24)[:, None], np.arange(24)
    place = np.argsort(bits(state["seed"], 0, j)) if pattern == "shuffled" else j // 4 if pattern == "blocks" else j
    ring = 6 if pattern == "blocks" else 24
    asked = {
        "itself": i == j, "previous": (i - j) % 24 == 1, "blocks": i // 4 == j // 4, "shuffled": i == place,
        "three": np.isin((j - i) % 24, [0, 2, 8]),
    }[pattern]  # fmt: skip
    wanted = 6.0 * asked - 6.0 * asked.mean(1, keepdims=True)
    turn = 2 * np.pi * np.outer(np.arange(1, ring // 2 + 1), place) / ring
    strength = np.abs(np.exp(1j * turn) @ wanted[0])
    waves = [wave(turn[f]) for f in np.lexsort((turn[:, 0], -np.round(strength, 6))) for wave in (np.cos, np.sin)]
    waves = np.array([wave for wave in waves if np.abs(wave).max() > 1e-9]).T  # the fastest has no sine
    assert waves.shape == (24, ring - 1)
    sizes = [64 // h if state["width"] == "split" else 64 for h in (1, 2, 4, 8, 16, 32, 64)]
    target = torch.softmax(torch.tensor(wanted), 1)
    scores, errors = {}, {}
    for size in set(sizes):
        basis, _ = np.linalg.qr(waves[:, :size])
        scores[size] = torch.tensor(wanted @ basis @ basis.T)
        off = [(torch.softmax(2**power * scores[size], 1) - target).clamp(min=0) for power in range(11)]
        errors[size] = [one.sum(1).mean().item() for one in off]
    at, d_k = gain.bit_length() - 1, 64 // now if state["width"] == "split" else 64
    loud = gain * scores[d_k]
    largest = loud.abs().max().item()
    best = [[loud[row][torch.tensor(asked[row] == kind)].max().item() for kind in (True, False)] for row in range(24)]
    h = np.array([1, 2, 4, 8, 16, 32, 64])
    for name, value in {
        "h": h, "d_k_of": sizes, "parameters_of": 4 * 64 * h * sizes, "products_of": 24 * 24 * h * sizes,
        "weights_of": 24 * 24 * h, "target": target, "fitted": torch.softmax(loud, 1), "d_k": d_k,
        "error_plain": [errors[size][0] for size in sizes], "error_now": [errors[size][at] for size in sizes],
        "error_best": [min(errors[size]) for size in sizes], "error": 100 * errors[d_k][at],
        "rank": np.linalg.matrix_rank(loud.numpy(), tol=1e-6), "needed": ring - 1, "largest_score": largest,
        "parameters": 4 * 64 * now * d_k, "products": 24 * 24 * now * d_k, "weights": 24 * 24 * now,
        "hits": sum(inside > outside + 1e-7 for inside, outside in best), "length": np.sqrt(largest * np.sqrt(d_k)),
    }.items():  # fmt: skip
        np.testing.assert_allclose(series[name], value, rtol=1e-8, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("gain", GAINS)
def test_a_tie_with_a_wrong_key_is_no_hit(gain):
    series = BudgetLab(pattern="itself", heads=64, gain=gain).series
    fitted = series["fitted"]
    alone = [(fitted[i] > fitted[i, i] * (1 - 1e-9)).sum() == 1 for i in range(N)]
    assert series["hits"] == sum(alone) == 2


def test_exercises_know_right_answers():
    assert check_full_width(28_311_552) and check_blocks(5) and check_gain(135)
    assert check_rows_b(4_718_592)


def test_heads_are_cut_as_pytorch_cuts_them(capsys):
    def of_pytorch(x, w_q, w_k, h):
        d = x.shape[1]
        module = torch.nn.MultiheadAttention(d, h, bias=False, batch_first=True).double()
        module.in_proj_weight.data = torch.tensor(np.concatenate([w_q.T, w_k.T, np.eye(d)]))
        one = torch.tensor(x)[None]
        return module(one, one, one, average_attn_weights=False)[1][0].detach().numpy()

    assert check_split(of_pytorch)
    assert not check_split(lambda x, w_q, w_k, h: of_pytorch(x, w_q, w_k, 1).repeat(h, 0))
    assert "its own columns" in capsys.readouterr().out
