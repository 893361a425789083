"""The committed evidence: samples of it recomputed, its training step equal to PyTorch's, its headers complete."""

import base64
import re
from datetime import date

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import retrieval, sentences, trained
from whyformer.evidence.packing import packed, unpacked
from whyformer.model import load, look

ROUNDED = {"rtol": 6e-4, "atol": 1e-9}  # the files keep four significant digits


@pytest.fixture(scope="module")
def mini():
    return load()


@pytest.fixture(scope="module")
def intact(mini):
    return trained.embeddings(mini.bert, mini, sentences())


@pytest.mark.parametrize("name", ["trained", "training"])
def test_header_says_how_it_was_made(name):
    header = evidence.read(name)["header"]
    assert header["command"] == f"python -m whyformer.evidence {name}"
    assert {"whyformer", "numpy", "python"} <= set(header["versions"])
    assert date.fromisoformat(header["date"]) and "seeds" in header


def test_unknown_evidence_is_refused_by_name():
    with pytest.raises(FileNotFoundError, match=r"no evidence 'x'; there is trained, training"):
        evidence.read("x")


def test_sentences_are_a_few_hundred_and_all_different():
    texts = sentences()
    assert len(texts) == len(set(texts)) == evidence.read("trained")["n_sentences"] == 200
    assert all(re.fullmatch(r"\S.*\S", text) for text in texts)


def close(stored, computed, **tolerance):
    """Every number of a nested structure, without one left out on either side."""
    if isinstance(computed, dict):
        assert set(stored) == set(computed)
        for key in computed:
            close(stored[key], computed[key], **tolerance)
    elif isinstance(computed, list) and isinstance(computed[0], dict):
        for one, other in zip(stored, computed, strict=True):
            close(one, other, **tolerance)
    else:
        np.testing.assert_allclose(np.array(stored, float), np.array(computed, float), **(ROUNDED | tolerance))


def test_trained_scores_are_what_the_file_says(mini):
    close(evidence.read("trained")["scores"], trained.trained_scores(mini, sentences()), rtol=2e-3, atol=1e-5)


@pytest.mark.thorough
def test_replaced_scale_is_what_the_file_says(mini, monkeypatch):
    """Which sentence is nearest does not hang on rounding: the next is farther by more than single precision errs."""
    seen, embeddings = [], trained.embeddings
    monkeypatch.setattr(trained, "embeddings", lambda *given: seen.append(embeddings(*given)) or seen[-1])
    close(evidence.read("trained")["replaced_scale"], trained.replaced_scale(mini, sentences()), rtol=2e-3)
    assert len(seen) == 3
    for vectors in seen:
        similar = np.sort(vectors @ vectors.T)  # last in each row: the sentence itself
        assert (similar[:, -2] - similar[:, -3]).min() > 3e-5


def test_symmetry_and_norms_are_what_the_file_says(mini):
    found = evidence.read("trained")
    close(found["symmetry"]["weights_share"], trained.symmetry(mini, sentences()[:1])["weights_share"])
    close(found["norms"], trained.norms(mini))
    close(found["rank"], trained.rank(mini))


def test_self_scores_are_what_the_file_says_and_far_from_ties(mini):
    found = trained.self_scores(mini, sentences())
    close(evidence.read("trained")["self_scores"], found)
    assert min(found["smallest_gap"].values()) > 1000 * trained.TIE
    assert found["token"]["tied"] == found["copies"] > 0  # who ties has a copy, and who has a copy ties
    assert not found["heads"]["tied"].any() and found["input"]["tied"] == 0


def test_ties_are_counted_as_ties_however_they_are_rounded():
    """Token 0 prefers itself, 1 and 3 are copies, 2 prefers token 0."""
    x = np.array([[3.0, 0.0], [0.1, 0.7], [1.0, 0.0], [0.1, 0.7]])
    generator = np.random.default_rng(0)
    for _ in range(50):
        s = (x @ x.T) * (1 + 1e-15 * generator.integers(-20, 21, (4, 4)))
        found = trained.standing(s)
        assert [name for row in range(4) for name in found if found[name][row]] == ["own", "tied", "other", "tied"]
        assert trained.largest(s).sum(1).tolist() == [1, 2, 1, 2]
        assert trained.gap_to_next(s) == pytest.approx([2 / 3, 0.4, 2 / 3, 0.4])


def test_double_precision_is_the_same_model(mini):
    """Every array in it, and the same numbers to what single precision keeps."""
    ids = mini.tokenizer(sentences()[0]).ids[0]
    for one, other in zip(mini.bert.hidden(ids), trained.in_double(mini.bert).hidden(ids), strict=True):
        assert (one.dtype, other.dtype) == (np.float32, np.float64)
        np.testing.assert_allclose(one, other, atol=1e-5 * np.abs(other).max())


@pytest.mark.thorough
@pytest.mark.parametrize(("layer", "head"), [(0, 2), (5, 11)])
def test_removing_a_head_moves_the_embedding_as_the_file_says(layer, head, mini, intact):
    changed = trained.embeddings(trained.without_head(mini.bert, layer, head), mini, sentences())
    stored = evidence.read("trained")["heads"]["cosine_without"][layer][head]
    assert stored == pytest.approx((changed * intact).sum(1).mean(), rel=6e-4)


def test_opened_sentences_are_what_the_model_computes(mini):
    """Scores and lengths from PyTorch on the model's own queries, keys and values."""
    for found in evidence.opened():
        ids = mini.tokenizer(found.text).ids[0]
        x = mini.bert.hidden(ids)
        n, scores, lower = len(found.tokens), found.scores, found.values
        for i, layer in enumerate(mini.bert.layers):
            q, k, v = (
                torch.nn.functional.linear(torch.tensor(x[i]), torch.tensor(part.weight.T), torch.tensor(part.bias))
                .reshape(n, 12, 32)
                .transpose(0, 1)
                .double()
                for part in (layer.attention.q, layer.attention.k, layer.attention.v)
            )
            expected = (q @ k.transpose(1, 2)).numpy()
            largest = np.abs(expected).max((1, 2), keepdims=True)
            assert (np.abs(scores[i] - expected) < 1e-4 * largest).all()
            products = (v @ v.transpose(1, 2)).numpy()
            length2 = np.trace(products, axis1=1, axis2=2)[:, None, None] / n
            assert (
                np.abs(lower[i] @ lower[i].swapaxes(-1, -2) - products) < 0.03 * length2 + 0.01 * np.abs(products)
            ).all()


def test_packing_gives_back_what_went_in():
    values = np.random.default_rng(0).standard_normal((2, 3, 50)) * 10.0 ** np.arange(-2, 1)[:, None]
    for kind in ("<i2", "i1"):
        found = packed(values, kind)
        back = unpacked(found, kind)
        assert back.shape == values.shape
        assert (np.abs(back - values) <= 0.5001 * np.array(found["scale"])[..., None]).all()


def test_a_packed_scale_is_as_fine_as_its_integers_allow():
    """The largest entry takes nearly the largest integer: a coarser scale would lose digits, a finer one overflow."""
    values = np.random.default_rng(1).uniform(-7, 7, (2, 2, 400))
    for kind, most in (("<i2", 32767), ("i1", 127)):
        found = packed(values, kind)
        assert (np.abs(unpacked(found, kind) - values).max(-1) <= 0.502 * np.abs(values).max(-1) / most).all()
        integers = np.frombuffer(base64.b64decode(found["base64"]), kind).reshape(2, 2, -1)
        assert (np.abs(integers.astype(int)).max(-1) >= 0.998 * most - 1).all()


def test_weight_on_the_first_token_is_that_of_its_column(mini):
    """A few sentences, each map of weights in double precision from PyTorch; the count is over rows, not sentences."""
    texts = sentences()[:3]
    found, columns = trained.maps(mini, texts), []
    for text in texts:
        seen = look(text)
        q, k = (torch.tensor(np.array(part), dtype=torch.float64) for part in (seen.q, seen.k))
        weights = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1)
        columns.append(weights[..., :, 0])
    wanted = torch.cat(columns, -1).mean(-1)
    np.testing.assert_allclose(found["weight_on_first"], wanted.numpy(), rtol=1e-4, atol=1e-6)


# ---- training with and without the scale


def test_gradient_of_the_retrieval_head_equals_pytorch():
    """Sequences built as vectors and pushed through PyTorch's own operations; the tables of the step are its own."""
    generator = np.random.default_rng(3)
    there, b = retrieval.world(generator), retrieval.batch(generator)
    d_k = 16
    head = retrieval.Head(*(generator.standard_normal((128, n)) / np.sqrt(128) for n in (d_k, d_k, 64)))
    for divisor in (1.0, 4.0, 16.0):
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


def test_adam_of_the_training_equals_pytorch():
    generator = np.random.default_rng([0, 16])
    there = retrieval.world(np.random.default_rng([0]))
    weights = [torch.tensor(generator.standard_normal((128, n)) / np.sqrt(128)) for n in (16, 16, 64)]
    adam = torch.optim.Adam(weights, lr=1e-2)
    losses = []
    for _ in range(20):
        now = retrieval.step(retrieval.Head(*(w.numpy() for w in weights)), there, retrieval.batch(generator), 4.0)
        losses.append(now.loss if not losses else 0.9 * losses[-1] + 0.1 * now.loss)
        for weight, gradient in zip(weights, now.gradient, strict=True):
            weight.grad = torch.tensor(gradient)
        adam.step()
    run = retrieval.train(16, "sqrt", 1e-2, seed=0, steps=20)
    kept = [step for step in retrieval.RECORDED if step <= 20]
    np.testing.assert_allclose(run.loss, [losses[step - 1] for step in kept], rtol=1e-9)


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
        close(stored[quantity][:kept], getattr(run, quantity), rtol=0.01)
    assert run.arrived == (stored["arrived"] if (stored["arrived"] or 1e9) <= 150 else None)


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
