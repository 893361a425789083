"""Training with additive scores: a step equals PyTorch's, samples of the file recomputed."""

import itertools

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import additive, retrieval


@pytest.mark.parametrize("start", additive.STARTS)
def test_gradient_of_the_additive_head_equals_pytorch(start):
    head, generator = additive.start_of(16, start, 3)
    there, b = retrieval.world(np.random.default_rng([3])), retrieval.batch(generator)
    w_q, w_k, w_v, a = (torch.tensor(part, requires_grad=True) for part in head)
    x = torch.tensor(there.keys[b.keys] + there.values[b.values])
    rows = np.arange(len(b.asked))
    query = torch.tensor(2**0.5 * there.keys[b.keys[rows, b.asked]]) @ w_q
    weights = torch.softmax(torch.tanh(query.unsqueeze(1) + x @ w_k) @ a, -1)
    logits = torch.einsum("bn,bnv->bv", weights, x @ w_v)
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(b.values[rows, b.asked]))
    loss.backward()
    step = additive.step(head, there, b)
    assert step.loss == pytest.approx(loss.item(), rel=1e-12)
    for ours, theirs in zip(step.gradient, (w_q, w_k, w_v, a), strict=True):
        np.testing.assert_allclose(ours, theirs.grad.numpy(), rtol=1e-9, atol=1e-13)
    row_entropy = torch.distributions.Categorical(probs=weights.detach()).entropy().mean().item()
    assert step.entropy == pytest.approx(row_entropy, rel=1e-6)


def test_a_run_is_made_of_pytorchs_adam():
    head, generator = additive.start_of(16, "one", 1)
    there = retrieval.world(np.random.default_rng([1]))
    weights = [torch.tensor(part) for part in head]
    adam = torch.optim.Adam(weights, lr=1e-2)
    running = None
    for _ in range(12):
        now = additive.step(additive.Head(*(w.numpy() for w in weights)), there, retrieval.batch(generator))
        running = now.loss if running is None else 0.9 * running + 0.1 * now.loss
        for weight, gradient in zip(weights, now.gradient, strict=True):
            weight.grad = torch.tensor(gradient)
        adam.step()
    arrived, loss = additive.train(16, "one", 1e-2, 1, steps=12)
    assert arrived is None and loss == pytest.approx(running, rel=1e-9)


def test_the_file_has_every_run_and_a_sample_is_what_it_says():
    found = evidence.read("additive")
    names = {
        f"{d} {s} {r:g} {n}"
        for d in additive.D_K
        for s in additive.STARTS
        for r in additive.RATES
        for n in additive.SEEDS
    }
    assert set(found["arrived"]) == names
    quick = min((name for name in names if name.startswith("16 ")), key=lambda name: found["arrived"][name] or 10**6)
    d_k, start, rate, seed = quick.split()
    assert additive.named_run((int(d_k), start, float(rate), int(seed))) == (
        quick,
        pytest.approx(found["arrived"][quick], abs=2),
    )


def test_every_pair_of_rates_is_there_and_a_tenth_is_what_the_file_says():
    """Runs of either score, drawn by their place in the file; those of large sizes take longest."""
    found = evidence.read("additive_rates")
    pairs = itertools.product(additive.SCORES, additive.D_K, additive.BEST_RATES, additive.OF_V)
    assert set(found["arrived"]) == {f"{score} {d_k} {rate:g} {of_v:g}" for score, d_k, rate, of_v in pairs}
    assert found["allowed"] == additive.ALLOWED and found["header"]["seeds"] == list(additive.TEN)
    small = [name for name in found["arrived"] if " 16 " in name]
    for at, name in enumerate(small[::8]):
        score, d_k, rate, of_v = name.split()
        seed = at % len(found["arrived"][name])
        stored = found["arrived"][name][seed]
        again = additive.arrival(score, int(d_k), float(rate), float(of_v), seed)
        assert again == (stored and pytest.approx(stored, abs=2)), (name, seed)


def test_seeds_are_left_out_when_the_median_is_lost(monkeypatch):
    asked = []
    monkeypatch.setattr(additive, "arrival", lambda *given: asked.append(given))
    assert additive.arrivals(("dot", 256, 0.04, 0.16)) == ("dot 256 0.04 0.16", [None] * 6)
    assert asked == [("dot", 256, 0.04, 0.16, seed) for seed in range(6)]
