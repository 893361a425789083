"""Training with and without the scale: its step and its Adam equal PyTorch's, samples of the files recomputed."""

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import retrieval


def test_gradient_of_the_retrieval_head_equals_pytorch():
    """Sequences built as vectors and pushed through PyTorch's own operations; also with scores of a thousand."""
    generator = np.random.default_rng(3)
    there, b = retrieval.world(generator), retrieval.batch(generator)
    d_k = 16
    drawn = retrieval.Head(*(generator.standard_normal((128, n)) / np.sqrt(128) for n in (d_k, d_k, 64)))
    for divisor, louder in ((1.0, 1), (4.0, 1), (16.0, 1), (1.0, 15)):
        head = retrieval.Head(*(louder * part for part in drawn))
        w_q, w_k, w_v = (torch.tensor(w, requires_grad=True) for w in head)
        x = torch.tensor(there.keys[b.keys] + there.values[b.values])
        rows = np.arange(len(b.asked))
        query = 2**0.5 * torch.tensor(there.keys[b.keys[rows, b.asked]])
        weights = torch.softmax(torch.einsum("bd,bnd->bn", query @ w_q, x @ w_k) / divisor, -1)
        logits = torch.einsum("bn,bnv->bv", weights, x @ w_v)
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor(b.values[rows, b.asked]))
        loss.backward()
        step = retrieval.step(head, there, b, divisor)
        assert step.loss == pytest.approx(loss.item(), rel=1e-12)
        for ours, theirs in zip(step.gradient, (w_q.grad, w_k.grad, w_v.grad), strict=True):
            np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-9, atol=1e-13)
        row_entropy = torch.distributions.Categorical(probs=weights.detach()).entropy().mean().item()
        assert step.entropy == pytest.approx(row_entropy, rel=1e-6)


@pytest.mark.parametrize("faster", [(1, 1, 1), (4, 0.5, 2)])
def test_adam_of_the_training_equals_pytorch(faster):
    generator = np.random.default_rng([0, 16])
    there = retrieval.world(np.random.default_rng([0]))
    weights = [torch.tensor(generator.standard_normal((128, n)) / np.sqrt(128)) for n in (16, 16, 64)]
    groups = [{"params": [w], "lr": 1e-2 * times} for w, times in zip(weights, faster, strict=True)]
    adam = torch.optim.Adam(groups)
    losses = []
    for _ in range(21):
        now = retrieval.step(retrieval.Head(*(w.numpy() for w in weights)), there, retrieval.batch(generator), 4.0)
        losses.append(now.loss if not losses else 0.9 * losses[-1] + 0.1 * now.loss)
        for weight, gradient in zip(weights, now.gradient, strict=True):
            weight.grad = torch.tensor(gradient)
        adam.step()
    run = retrieval.train(16, "sqrt", 1e-2, seed=0, steps=21, faster=faster)  # the next would be kept, too
    kept = [step for step in retrieval.RECORDED if step <= 21]
    np.testing.assert_allclose(run.loss, [losses[step - 1] for step in kept], rtol=1e-9)


def test_a_run_may_stop_where_it_arrives():
    whole = retrieval.train(16, "d_k", 1e-2, seed=0, steps=200)
    short = retrieval.train(16, "d_k", 1e-2, seed=0, steps=200, until_arrived=True)
    kept = sum(step <= whole.arrived for step in retrieval.RECORDED)
    assert short.arrived == whole.arrived < 200 and short.diverged is None
    assert len(short.loss) == kept < len(whole.loss) and short.loss == whole.loss[:kept]


def test_a_run_that_diverges_says_when_and_keeps_what_it_has(monkeypatch):
    real, losses = retrieval.step, iter([5.0, 4.0, 3.0, float("nan")])
    broken = lambda *given: real(*given)._replace(loss=next(losses))  # noqa: E731
    monkeypatch.setattr(retrieval, "step", broken)
    run = retrieval.train(16, "sqrt", 1e-2, seed=0, steps=20)
    kept = [step for step in retrieval.RECORDED if step < 4]
    assert run.diverged == 4 and run.arrived is None
    running = {1: 5.0, 2: 4.9, 3: 4.71}  # 0.9 of the last and 0.1 of the new
    np.testing.assert_allclose(run.loss, [running[step] for step in kept])
    assert len(run.gradient_q) == len(run.gradient_k) == len(run.entropy) == len(kept) > 0


@pytest.mark.parametrize("name", ["64 sqrt 0.003 0", "16 1 0.01 3", "512 d_k 0.01 4"])
def test_a_training_run_is_what_the_file_says(name):
    """The first 150 steps again. Rounding grows along a run, so late steps need not agree between machines."""
    d_k, divisor, rate, seed = name.split()
    run = retrieval.train(int(d_k), divisor, float(rate), int(seed), steps=150)
    stored = evidence.read("training")["runs"][name]
    kept = sum(step <= 150 for step in retrieval.RECORDED)
    for quantity in ("loss", "gradient_q", "gradient_k", "entropy"):
        np.testing.assert_allclose(getattr(run, quantity), stored[quantity][:kept], rtol=0.01)
    assert run.arrived == (stored["arrived"] if (stored["arrived"] or 1e9) <= 150 else None)


@pytest.mark.parametrize("name", ["64 1 0.003", "64 sqrt 0.01"])
def test_runs_from_the_start_of_the_other_divisor_are_what_the_file_says(name, monkeypatch):
    monkeypatch.setattr(retrieval, "SEEDS", (2,))
    d_k, divisor, rate = name.split()
    _, (arrived,) = retrieval.other_start((int(d_k), divisor, float(rate)))
    assert arrived == pytest.approx(evidence.read("starts")["arrived"][name][2], abs=5)


def test_a_start_has_the_spread_that_is_asked_for():
    """The same spread, the same rows: only the steps differ. As drawn, it is the root of d_k over the divisor."""
    first = {
        (divisor, spread): retrieval.train(64, divisor, 1e-3, 0, steps=1, spread=spread)
        for divisor in ("1", "sqrt")
        for spread in (1.0, 8.0, None)
    }
    for spread in (1.0, 8.0):
        np.testing.assert_allclose(first["1", spread].entropy, first["sqrt", spread].entropy, rtol=1e-9)
    assert first["1", None] == first["1", 8.0] and first["sqrt", None] == first["sqrt", 1.0]
    assert first["1", 1.0].entropy[0] > 2 * first["1", 8.0].entropy[0]


def test_all_runs_are_there():
    found = evidence.read("training")
    names = {
        f"{d} {v} {r:g} {s}"
        for d in retrieval.D_K
        for v in retrieval.DIVISORS
        for r in retrieval.RATES
        for s in retrieval.SEEDS
    }
    assert set(found["runs"]) == names and len(names) == 240
    assert found["steps"] == list(retrieval.RECORDED) and found["threshold"] == retrieval.THRESHOLD
    starts = evidence.read("starts")
    names = {f"{d} {v} {r:g}" for d in retrieval.D_K for v in ("1", "sqrt") for r in retrieval.RATES}
    assert set(starts["arrived"]) == names and len(names) == 32 and starts["allowed"] == retrieval.STEPS
    assert {len(steps) for steps in starts["arrived"].values()} == {5}
    for run in found["runs"].values():
        kept = sum(step < (run["diverged"] or np.inf) for step in retrieval.RECORDED)
        assert len(run["loss"]) == len(run["gradient_q"]) == len(run["gradient_k"]) == len(run["entropy"]) == kept


def test_the_runs_come_as_a_table():
    found, runs = evidence.training(), evidence.read("training")["runs"]
    assert list(found) == ["d_k", "divisor", "rate", "seed", "arrived"] and len(found) == len(runs)
    for row in found.itertuples():
        arrived = runs[f"{row.d_k} {row.divisor} {row.rate:g} {row.seed}"]["arrived"]
        assert row.arrived == (np.inf if arrived is None else arrived)
    assert set(evidence.training(64)["d_k"]) == {64} and len(evidence.training(64)) == 60
    with pytest.raises(ValueError, match="d_k = 16, 64, 256, 512 were trained; got 100"):
        evidence.training(100)
