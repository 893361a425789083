"""The room qk_weights: its labs against PyTorch; its exercises' known slips."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from lab_cases import random_states
from whyformer.evidence.trained import activations
from whyformer.model import load
from whyformer.questions.qk_weights import EachOtherLab, RealHeadsLab, exercises
from whyformer.questions.qk_weights.real_heads_lab import trained_scores


def two_vectors(state):
    """The queries of "it" and "cat" in a plane, and six that are at right angles to it and to each other."""
    angle = torch.deg2rad(torch.tensor(state["angle"], dtype=torch.float64))
    q = torch.zeros(8, 8, dtype=torch.float64)
    q[0, 0] = state["length_it"]
    q[1, :2] = state["length_cat"] * torch.stack([angle.cos(), angle.sin()])
    q[2:, 2:] = torch.eye(6)
    return q


@pytest.mark.parametrize("state", random_states(EachOtherLab, 40, 7), ids=str)
def test_each_other_lab_is_what_pytorch_computes(state):
    """Keys are the queries, or with two matrices those of the other word; the root of d_k is in the lengths."""
    series, q = EachOtherLab.compute(**state), two_vectors(state)
    k = q if state["matrices"] == "one" else q[[1, 0, 2, 3, 4, 5, 6, 7]]
    eye = torch.eye(8, dtype=torch.float64)
    weights = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], eye[None], scale=1.0)[0]
    near = {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(series["scores"], (q @ k.T)[:2, :2], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(series["own"], weights[[0, 1], [0, 1]], **near)
    np.testing.assert_allclose(series["other"], weights[[0, 1], [1, 0]], **near)
    np.testing.assert_allclose(series["rest"], weights[:2, 2:].sum(1), **near)
    assert (series["score_there"], series["score_back"]) == (series["scores"][0, 1], series["scores"][1, 0])
    assert (series["weight_there"], series["weight_back"]) == (*series["other"],)
    assert (series["own_it"], series["own_cat"]) == (*series["own"],)
    assert series["weight_sum"] == pytest.approx(series["other"].sum())


def test_exercises_know_right_answers():
    weights = torch.softmax(torch.tensor([[1, 1.5], [1.5, 4]]), -1)
    assert exercises.check_back(weights[1, 0].item())
    # tangent space of (W_Q, W_K) -> W_Q W_K^T at small sizes: the dimension of its kernel is d_k^2
    rng = np.random.default_rng(0)
    d, k = 7, 3
    w_q, w_k = rng.standard_normal((2, d, k))
    columns = [np.outer(e, w_k[:, c]).ravel() for c in range(k) for e in np.eye(d)]
    columns += [np.outer(w_q[:, c], e).ravel() for c in range(k) for e in np.eye(d)]
    assert 2 * d * k - np.linalg.matrix_rank(np.array(columns)) == k * k
    assert exercises.check_superfluous(64**2)
    # A's lead of ln 9 for B over itself: B's own score leads A's by 2 ln 9, the more nearly the closer the long queries
    for gap in (1.0, 0.1, 0.01):
        q_a = np.array([np.log(9) / gap, 0])
        q_b = q_a + np.array([gap, 0])
        lead = q_b @ q_b - q_a @ q_a
        assert q_a @ q_b - q_a @ q_a == pytest.approx(np.log(9)) and lead == pytest.approx(2 * np.log(9) + gap**2)
    assert exercises.check_lead(2 * np.log(9)) and not exercises.check_lead(2 * np.log(9) + 1)
    assert exercises.check_triangle(lambda s: (np.triu(s, 1) - np.tril(s, -1)).sum() - 2 * (s[0, 2] - s[2, 0]))
    assert not exercises.check_triangle(lambda s: s[0, 1] + s[1, 2] + s[2, 0])


@pytest.mark.parametrize("text", ["boy", "root"])
def test_real_heads_are_those_of_the_trained_model(text):
    """Scores in the packed evidence against the model itself, run on the sentence."""
    mini = load()
    sentence = RealHeadsLab.controls()["text"].options[text]
    _, layers = next(activations(mini, [sentence]))
    for layer, head in ((1, 3), (3, 10), (6, 12)):
        one = layers[layer - 1]
        raw = torch.tensor(one.q[head - 1] @ one.k[head - 1].T, dtype=torch.float64)
        weights = torch.softmax(raw / 32**0.5, -1)
        found = RealHeadsLab(text=text, layer=layer, head=head).series
        np.testing.assert_allclose(found["weights_trained"], weights.numpy(), atol=2e-3)
        np.testing.assert_array_equal(found["weights"], found["weights_trained"])
        assert found["moved_percent"] == 0


@pytest.mark.parametrize("state", random_states(RealHeadsLab, 20, 8), ids=str)
def test_real_heads_lab_is_what_pytorch_computes(state):
    """The core is the scores between two projections; its parts are taken pair by pair."""
    series, blend = RealHeadsLab.compute(**state), state["blend"]
    trained = torch.tensor(trained_scores(state["text"])[state["layer"] - 1, state["head"] - 1])
    off_mean = torch.eye(len(trained), dtype=torch.float64) - 1 / len(trained)
    core = off_mean @ trained @ off_mean
    even, odd = (core + core.T) / 2, (core - core.T) / 2
    now, weights, before = even + (1 - blend) * odd, torch.softmax(trained - blend * odd, 1), torch.softmax(trained, 1)
    near = {"rtol": 1e-9, "atol": 1e-12 * core.abs().max().item()}
    pairs = list(combinations(range(len(core)), 2))
    np.testing.assert_allclose(series["there"], [now[i, j].item() for i, j in pairs], **near)
    np.testing.assert_allclose(series["back"], [now[j, i].item() for i, j in pairs], **near)
    np.testing.assert_allclose(series["weights"], weights, rtol=1e-9)
    np.testing.assert_allclose(series["weights_trained"], before, rtol=1e-9)
    assert series["largest"] == pytest.approx(max(core.max().item(), -core.min().item()))
    left = (1 - blend) ** 2 * odd.square().sum()  # even and odd parts are orthogonal
    assert series["symmetric_percent"] == pytest.approx(100 / (1 + (left / even.square().sum()).item()))
    rows = range(1, len(weights))
    assert series["before_percent"] == pytest.approx(np.mean([100 * weights[i, i - 1].item() for i in rows]))
    assert series["own_percent"] == pytest.approx(100 * weights.trace().item() / len(weights))
    gained = (weights - before).clamp(min=0).sum(1).mean().item()
    assert series["moved_percent"] == pytest.approx(100 * gained, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_score_of_the_other_sign_asks_nothing_of_the_product_for_one_pair(seed: int) -> None:
    """What a bet says: only for all pairs would W_Q W_Kᵀ have to be antisymmetric."""
    rng = np.random.default_rng(seed)
    W_QK, a = rng.standard_normal((8, 4)) @ rng.standard_normal((4, 8)), rng.standard_normal(8)
    b = np.linalg.lstsq(np.stack([a @ W_QK, W_QK @ a]), np.array([1.2, -1.2]), rcond=None)[0]
    assert np.allclose([a @ W_QK @ b, b @ W_QK @ a], [1.2, -1.2])
    others = rng.standard_normal((20, 2, 8))
    assert not any(np.isclose(x @ W_QK @ y, -(y @ W_QK @ x), rtol=1e-3) for x, y in others)
