"""The committed evidence: samples of it recomputed, its headers complete."""

import re
from datetime import date

import numpy as np
import pytest
import torch
from nested import close
from whyformer import evidence
from whyformer.evidence import sentences, trained
from whyformer.evidence.packing import unpacked
from whyformer.model import load


@pytest.fixture(scope="module")
def mini():
    return load()


@pytest.fixture(scope="module")
def intact(mini):
    return trained.embeddings(mini.bert, mini, sentences())


@pytest.mark.parametrize(
    "name",
    [
        *("trained", "training", "starts", "rates", "jacobians", "fresh", "reach"),
        *("decoder_first", "decoder_scores", "decoder_table", "decoder_positions", "decoder_blocks"),
        *("word_table", "score_cost", "additive", "additive_rates", "positions", "embedding", "rows", "directions"),
    ],
)
def test_header_says_how_it_was_made(name):
    header = evidence.read(name)["header"]
    assert header["command"] == f"python -m whyformer.evidence {name}"
    assert {"whyformer", "numpy", "python"} <= set(header["versions"])
    assert date.fromisoformat(header["date"]) and "seeds" in header


def test_unknown_evidence_is_refused_by_name():
    with pytest.raises(FileNotFoundError, match=r"no evidence 'x'; there is additive, .*, training, word_table"):
        evidence.read("x")


def test_sentences_are_a_few_hundred_and_all_different():
    texts = sentences()
    assert len(texts) == len(set(texts)) == evidence.read("trained")["n_sentences"] == 200
    assert all(re.fullmatch(r"\S.*\S", text) for text in texts)


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_self_scores_are_what_the_file_says_and_far_from_ties(mini):
    found = trained.self_scores(mini, sentences())
    close(evidence.read("trained")["self_scores"], found)
    assert min(found["smallest_gap"].values()) > 1000 * trained.TIE
    assert found["token"]["tied"] == found["copies"] > 0  # who ties has a copy, and who has a copy ties
    assert not found["heads"]["tied"].any() and found["input"]["tied"] == 0


@pytest.mark.thorough
@pytest.mark.parametrize(("layer", "head"), [(0, 2), (5, 11)])
def test_removing_a_head_moves_the_embedding_as_the_file_says(layer, head, mini, intact):
    changed = trained.embeddings(trained.without_head(mini.bert, layer, head), mini, sentences())
    stored = evidence.read("trained")["heads"]
    assert stored["cosine_without"][layer][head] == pytest.approx((changed * intact).sum(1).mean(), rel=6e-4)
    moved = np.linalg.norm(changed - intact, axis=1).mean()
    assert stored["distance_without"][layer][head] == pytest.approx(moved, rel=6e-4)


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


def test_sentences_are_opened_as_the_file_has_them(mini):
    """Scores and values to a step of the packed numbers, since rounding may decide between two."""
    for found, stored in zip(trained.opened(mini), evidence.read("trained")["opened"], strict=True):
        assert (found["text"], found["tokens"]) == (stored["text"], stored["tokens"])
        for name, kind in (("scores", "<i2"), ("values", "i1")):
            step = np.array(stored[name]["scale"])[..., None]
            assert np.mean(found[name]["scale"] / step[..., 0]) == pytest.approx(1, abs=2e-4)
            assert (np.abs(unpacked(found[name], kind) - unpacked(stored[name], kind)) <= 1.1 * step).all()
