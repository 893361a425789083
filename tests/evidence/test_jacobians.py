"""Hard rows and their Jacobians taken apart: the gradient is the one that is meant, samples of the file again."""

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import jacobians, retrieval


@pytest.mark.parametrize("back", [0.125, 1.0, 8.0])
def test_gradient_passes_the_jacobian_of_the_scores_times_back(back):
    """PyTorch: weights of the scores going forward, and J(back * scores) written out going backward."""
    generator = np.random.default_rng(3)
    there, b = retrieval.world(generator), retrieval.batch(generator)
    head = retrieval.Head(*(3 * generator.standard_normal((128, n)) / np.sqrt(128) for n in (16, 16, 64)))
    w_q, w_k, w_v = (torch.tensor(w, requires_grad=True) for w in head)
    x = torch.tensor(there.keys[b.keys] + there.values[b.values])
    rows = np.arange(len(b.asked))
    query = 2**0.5 * torch.tensor(there.keys[b.keys[rows, b.asked]])
    scores = torch.einsum("bd,bnd->bn", query @ w_q, x @ w_k) / 4
    weights = torch.softmax(scores, -1).detach().requires_grad_()
    logits = torch.einsum("bn,bnv->bv", weights, x @ w_v)
    torch.nn.functional.cross_entropy(logits, torch.tensor(b.values[rows, b.asked])).backward()
    y = torch.softmax(back * scores, -1).detach()
    scores.backward(torch.einsum("bij,bj->bi", torch.diag_embed(y) - y[:, :, None] * y[:, None], weights.grad))
    step = retrieval.step(head, there, b, 4.0, back)
    for ours, theirs in zip(step.gradient, (w_q.grad, w_k.grad, w_v.grad), strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-8, atol=1e-13)


@pytest.mark.parametrize("arm", jacobians.ARMS)
def test_an_arm_arrives_when_the_file_says(arm, monkeypatch):
    monkeypatch.setattr(jacobians, "SEEDS", (2,))
    name, arrived = jacobians.arrivals((arm, 0.003))
    assert arrived == [evidence.read("jacobians")["arrived"][name][2]]


def test_all_arms_are_there():
    arrived = evidence.read("jacobians")["arrived"]
    assert set(arrived) == {f"{arm}, {rate:g}" for arm in jacobians.ARMS for rate in jacobians.RATES}
    assert {len(seeds) for seeds in arrived.values()} == {5}
