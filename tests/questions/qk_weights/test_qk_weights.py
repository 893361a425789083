"""The room qk_weights: its labs against PyTorch, SciPy and exact fractions; its exercises' known slips."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy.linalg
import torch
from lab_cases import random_states
from whyformer import evidence
from whyformer.evidence.trained import activations
from whyformer.maths.random import normal
from whyformer.model import load
from whyformer.questions.qk_weights import RealHeadsLab, TwoQuestionsLab, exercises
from whyformer.questions.qk_weights.real_heads_lab import centred
from whyformer.questions.qk_weights.two_questions_lab import (
    D_MODEL,
    NEW,
    TEXTS,
    embeddings,
    matrices,
    rewritten,
    stationary,
    symmetric_share,
)  # fmt: skip


def leads(parents: tuple[int, ...], start: int, root: int) -> bool:
    for _ in range(5):
        start = start if start == root else parents[start]
    return start == root


TREES = [
    (root, parents)
    for root in range(5)
    for parents in product(range(5), repeat=5)
    if parents[root] == root and all(leads(parents, start, root) for start in range(5))
]


def by_trees(chain: torch.Tensor) -> torch.Tensor:
    """Where a walk among five places stands: the trees that lead to a place, weighted by their arrows. Only sums."""
    roots, parents = torch.tensor([root for root, _ in TREES]), torch.tensor([one for _, one in TREES])
    arrows = chain[torch.arange(5), parents].scatter(1, roots[:, None], 1.0)
    shares = torch.zeros(5, dtype=chain.dtype).index_add(0, roots, arrows.prod(1))
    return shares / shares.sum()


WORDS = "I am a boy . dogs chase cats at night she gave him old books".split()


@pytest.mark.parametrize("state", random_states(TwoQuestionsLab, 40, 7), ids=str)
def test_two_questions_lab_is_what_pytorch_computes(state):
    """From the generator's numbers: a column of a matrix is a stream, and so is a word."""
    series, d_k, mix, seed = (TwoQuestionsLab.compute(**state), state["d_k"], state["mix"], state["seed"])
    rows = np.arange(8)
    w_q, new = (torch.tensor(normal(seed, at + np.arange(d_k), rows[:, None])) / 8**0.5 for at in (0, 10))
    w_k = (w_q.lerp(new, mix)) / np.hypot(1 - mix, mix)
    spoken = TwoQuestionsLab.controls()["text"].options[state["text"]].split()
    x = torch.tensor(normal(seed, [[100 + WORDS.index(word)] for word in spoken], rows))
    scores = torch.einsum("ia,ak,bk,jb->ij", x, w_q, w_k, x) / d_k**0.5
    weights = torch.softmax(scores, -1)
    both = w_q @ w_k.T
    if state["form"] == "identity":
        w_q, w_k = both, torch.eye(8, dtype=torch.float64)
    if state["form"] == "turned":
        v, stretch = torch.tensor(normal(seed, [[20], [21]], np.arange(d_k)))
        turn = (torch.eye(d_k) - 2 * v[:, None] * v / v.square().sum()) @ torch.diag(torch.exp(stretch / 2))
        w_q, w_k = w_q @ turn, w_k @ torch.linalg.inv(turn).T
    walk = by_trees(weights)
    steps = walk[:, None] * weights
    near = {"rtol": 1e-8, "atol": 1e-11}
    for name, wanted in {
        "scores": scores, "weights": weights, "steps": steps, "walk": walk, "product": both,
        "query_matrix": w_q, "key_matrix": w_k, "row_share": torch.softmax(scores.logsumexp(1), 0),
    }.items():  # fmt: skip
        np.testing.assert_allclose(series[name], wanted, **near, err_msg=name)
    a, b = state["first"] - 1, state["second"] - 1
    for name, matrix in (("score", scores), ("weight", weights)):
        assert (series[f"{name}_there"], series[f"{name}_back"]) == pytest.approx(
            (matrix[a, b].item(), matrix[b, a].item())
        )
    assert series["smallest_self"] == pytest.approx(min(scores[i, i].item() for i in range(5)))
    np.testing.assert_allclose(series["sums"], weights + weights.mT, **near)
    two = sorted((weights[a, b].item(), weights[b, a].item()))
    assert series["weight_sum"] == pytest.approx(sum(two)) and series["uneven"] == pytest.approx(two[1] / two[0])
    pairs = [weights[i, j].item() + weights[j, i].item() for i, j in combinations(range(5), 2)]
    assert series["largest_sum"] == pytest.approx(max(pairs))
    for name, matrix in (("symmetric_percent", scores), ("product_symmetric_percent", both)):
        odd = torch.norm(matrix - matrix.T) / torch.norm(matrix) / 2  # even and odd parts are orthogonal
        assert series[name] == pytest.approx(100 * (1 - odd.item() ** 2))
    unmatched = [max(steps[i, j].item() - steps[j, i].item(), 0) for i in range(5) for j in range(5)]
    assert series["unbalanced_percent"] == pytest.approx(100 * sum(unmatched), abs=1e-8)


SOME = [
    {"text": text, "mix": mix, "d_k": d_k, "seed": seed}
    for seed, (text, mix, d_k) in enumerate(
        [("boy", 0.0, 4), ("dogs", 0.0, 1), ("gave", 0.3, 2), ("boy", 1.0, 8), ("dogs", 0.65, 4), ("gave", 0.0, 8)]
    )
]
some = pytest.mark.parametrize("state", SOME, ids=lambda s: f"{s['text']}-{s['mix']}-{s['d_k']}")


@some
def test_scores_and_weights_are_those_of_pytorch(state):
    series = TwoQuestionsLab(**state).series
    x = torch.tensor(embeddings(state["text"], state["seed"]))
    w_q, w_k = (torch.tensor(w) for w in matrices(state["mix"], state["d_k"], state["seed"]))
    weights = torch.nn.functional.scaled_dot_product_attention(
        (x @ w_q)[None], (x @ w_k)[None], torch.eye(len(x), dtype=torch.float64)[None]
    )[0]
    np.testing.assert_allclose(series["weights"], weights.numpy(), rtol=1e-12)
    np.testing.assert_allclose(series["product"], (w_q @ w_k.T).numpy(), rtol=1e-12, atol=1e-14)


@some
@pytest.mark.parametrize("form", ["turned", "identity"])
def test_other_matrices_with_the_same_product_give_the_same_scores(state, form):
    drawn, other = TwoQuestionsLab(**state).series, TwoQuestionsLab(**state, form=form).series
    for name in ("scores", "weights", "steps", "product"):
        np.testing.assert_allclose(other[name], drawn[name], rtol=1e-10, atol=1e-12)
    assert not np.array_equal(other["query_matrix"], drawn["query_matrix"])
    assert not np.array_equal(other["key_matrix"], drawn["key_matrix"])


@some
def test_turning_is_by_a_matrix_and_the_inverse_of_its_transpose(state):
    w_q, w_k = matrices(state["mix"], state["d_k"], state["seed"])
    turned_q, turned_k = rewritten(w_q, w_k, "turned", state["seed"])
    turn = np.linalg.lstsq(w_q, turned_q)[0]  # d_k <= 8, so W_Q has full column rank
    np.testing.assert_allclose(turned_k, w_k @ np.linalg.inv(turn).T, rtol=1e-9, atol=1e-12)
    assert abs(np.linalg.det(turn)) > 1e-3


@some
def test_walk_is_the_left_eigenvector_of_eigenvalue_1(state):
    series = TwoQuestionsLab(**state).series
    values, left = scipy.linalg.eig(series["weights"], left=True, right=False)
    vector = left[:, np.argmin(abs(values - 1))].real
    np.testing.assert_allclose(series["walk"], vector / vector.sum(), rtol=1e-9)
    np.testing.assert_allclose(series["steps"].sum(0), series["walk"], rtol=1e-12)


def test_stationary_distribution_in_exact_fractions():
    chain = [[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 4)] * 2 + [Fraction(1, 2)]]
    chain.append([Fraction(1, 5), Fraction(1, 5), Fraction(3, 5)])
    # pi (P - 1) = 0 by hand: pi proportional to the diagonal cofactors of 1 - P
    one = [[Fraction(i == j) - chain[i][j] for j in range(3)] for i in range(3)]
    cofactor = [one[a][a] * one[b][b] - one[a][b] * one[b][a] for a, b in ((1, 2), (0, 2), (0, 1))]
    assert all(sum(cofactor[i] * chain[i][j] for i in range(3)) == cofactor[j] for j in range(3))
    expected = [float(c / sum(cofactor)) for c in cofactor]
    np.testing.assert_allclose(stationary(np.array(chain, float)), expected, rtol=1e-12)


def test_a_rare_place_keeps_its_digits():
    scores = np.array([[400.0, 0.0], [0.0, 1.0]])
    sums = np.exp(scores - 400).sum(1)
    chain = np.array([[1.0, np.exp(-400)], [np.exp(-1) / (1 + np.exp(-1)), 1 / (1 + np.exp(-1))]])
    np.testing.assert_allclose(stationary(chain), sums / sums.sum(), rtol=1e-12)


@pytest.mark.parametrize("d_k", [1, 2, 4, 8])
@pytest.mark.parametrize("text", TEXTS)
def test_one_matrix_gives_symmetric_scores_and_a_reversible_walk_and_no_symmetric_weights(text, d_k):
    for seed in range(20):
        series = TwoQuestionsLab(text=text, mix=0, d_k=d_k, seed=seed).series
        scores, weights = series["scores"], series["weights"]
        np.testing.assert_allclose(scores, scores.T, atol=1e-12)
        assert np.linalg.eigvalsh(scores).min() > -1e-10 and series["smallest_self"] >= 0
        assert np.abs(weights - weights.T).max() > 1e-5
        assert series["largest_sum"] < 1
        rounds = [min(weights[a, b], weights[b, c], weights[c, a]) for a, b, c in permutations(range(5), 3)]
        assert max(rounds) < 1 / 3
        np.testing.assert_allclose(series["walk"], series["row_share"], rtol=1e-9)
        assert series["unbalanced_percent"] < 1e-10
        assert series["symmetric_percent"] == pytest.approx(100) == series["product_symmetric_percent"]
        values = np.linalg.eigvals(weights)
        assert np.abs(values.imag).max() < 1e-9 and values.real.min() > -1e-9 and values.real.max() < 1 + 1e-9


def test_two_matrices_do_neither():
    found = [TwoQuestionsLab(mix=1, seed=seed).series for seed in range(100)]
    assert min(s["unbalanced_percent"] for s in found) > 0.1
    assert np.median([np.abs(s["walk"] - s["row_share"]).max() for s in found]) > 0.1
    assert np.mean([s["smallest_self"] < 0 for s in found]) > 0.9


def test_what_is_unbalanced_is_counted_step_by_step():
    series = TwoQuestionsLab(mix=0.8, seed=5).series
    steps = series["steps"]
    surplus = sum(max(steps[i, j] - steps[j, i], 0) for i in range(5) for j in range(5))
    assert series["unbalanced_percent"] == pytest.approx(100 * surplus)
    assert 0 < surplus < 1 and steps.sum() == pytest.approx(1)


def test_mixed_keys_keep_their_variance_and_end_in_fresh_columns():
    rows = np.arange(D_MODEL)
    for d_k in (1, 4, 8):
        w_q, w_k = matrices(1.0, d_k, 3)
        np.testing.assert_array_equal(w_k[:, d_k - 1], normal(3, NEW + d_k - 1, rows) / np.sqrt(8))
        np.testing.assert_array_equal(w_q, matrices(0.0, 8, 3)[1][:, :d_k])  # more columns extend
    spread = [np.mean([matrices(mix, 8, seed)[1].var() for seed in range(400)]) for mix in (0, 0.25, 0.5, 1)]
    np.testing.assert_allclose(spread, 1 / 8, rtol=0.03)


def test_symmetric_share_splits_the_squared_norm():
    matrix = np.random.default_rng(0).standard_normal((6, 6))
    even, odd = (matrix + matrix.T) / 2, (matrix - matrix.T) / 2
    share = np.linalg.norm(even) ** 2 / (np.linalg.norm(even) ** 2 + np.linalg.norm(odd) ** 2)
    assert symmetric_share(matrix) == pytest.approx(share, rel=1e-13)
    assert symmetric_share(odd) == 0 and symmetric_share(even) == 1


def test_default_state_is_the_surprise_and_two_matrices_pass_the_limit_there():
    assert TwoQuestionsLab(mix=1).series["weight_sum"] > 1
    series = TwoQuestionsLab().series
    assert series["score_there"] == pytest.approx(series["score_back"], rel=1e-12)
    assert series["weight_there"] > 5 * series["weight_back"]


def test_chosen_pair_is_read_from_row_first_and_column_second():
    series = TwoQuestionsLab(mix=1, first=2, second=5, seed=8).series
    assert series["score_there"] == series["scores"][1, 4] and series["score_back"] == series["scores"][4, 1]
    assert series["weight_there"] == series["weights"][1, 4] and series["weight_back"] == series["weights"][4, 1]


def test_exercises_know_right_answers_and_slips(capsys):
    scores = np.array([[1, 1.5], [1.5, 4]])
    weights = torch.softmax(torch.tensor(scores), -1).numpy()
    values, left = scipy.linalg.eig(weights, left=True, right=False)
    walk = left[:, values.real.argmax()].real
    assert exercises.check_back(weights[1, 0]) and exercises.check_walk(walk[0] / walk.sum())
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
    capsys.readouterr()
    checks = (exercises.check_back, exercises.check_lead, exercises.check_walk, exercises.check_superfluous)
    for check in checks:
        for hint, slip in check.hints.items():
            assert not check(slip) and capsys.readouterr().out.strip() == hint


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
    (opened,) = (one for one in evidence.opened() if one.text == RealHeadsLab.controls()["text"].options[state["text"]])
    trained = torch.tensor(opened.scores[state["layer"] - 1, state["head"] - 1]) / 32**0.5
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


@pytest.mark.parametrize(("layer", "head"), [(1, 3), (1, 10), (3, 10), (5, 4)])
def test_a_real_head_without_its_directions_is_a_reversible_walk(layer, head):
    whole, half, none = (RealHeadsLab(layer=layer, head=head, blend=blend).series for blend in (1, 0.5, 0))
    np.testing.assert_allclose(whole["there"], whole["back"], atol=1e-12)
    np.testing.assert_allclose(whole["there"], (none["there"] + none["back"]) / 2, atol=1e-12)
    np.testing.assert_allclose(half["there"] - half["back"], (none["there"] - none["back"]) / 2, atol=1e-12)
    assert whole["symmetric_percent"] == pytest.approx(100) and none["symmetric_percent"] < 99
    distance = np.abs(whole["weights"] - whole["weights_trained"]).sum() / 2 / len(whole["weights"])
    assert whole["moved_percent"] == pytest.approx(100 * distance)
    # Kolmogorov: around every triangle the logarithms of the weights have the same sum in both senses, or not
    around = {}
    for name in ("weights", "weights_trained"):
        logs = np.log(whole[name])
        turn = logs[:, :, None] + logs[None] + logs.T[:, None, :]  # i to j, j to k, k to i
        around[name] = np.abs(turn - turn.transpose(2, 1, 0)).max()
    assert around["weights"] < 1e-9 and around["weights_trained"] > 1


def test_centring_leaves_no_row_or_column_mean_and_undoes_shifts():
    rng = np.random.default_rng(0)
    scores, row, column = rng.standard_normal((6, 6)), rng.standard_normal((6, 1)), rng.standard_normal(6)
    core = centred(scores + row + column)
    np.testing.assert_allclose(core, centred(scores), atol=1e-14)
    np.testing.assert_allclose([core.mean(0), core.mean(1)], 0, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_a_score_back_of_the_other_sign_asks_nothing_of_the_product_for_one_pair(seed: int) -> None:
    """What the first prediction says: only for all pairs would W_Q W_Kᵀ have to be antisymmetric."""
    rng = np.random.default_rng(seed)
    W_QK, a = rng.standard_normal((8, 4)) @ rng.standard_normal((4, 8)), rng.standard_normal(8)
    b = np.linalg.lstsq(np.stack([a @ W_QK, W_QK @ a]), np.array([1.2, -1.2]), rcond=None)[0]
    assert np.allclose([a @ W_QK @ b, b @ W_QK @ a], [1.2, -1.2])
    assert 20 < symmetric_share(W_QK) * 100 < 80
    others = rng.standard_normal((20, 2, 8))
    assert not any(np.isclose(x @ W_QK @ y, -(y @ W_QK @ x), rtol=1e-3) for x, y in others)
