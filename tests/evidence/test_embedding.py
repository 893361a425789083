"""What was measured on words and positions of the trained model: the file, and the functions against PyTorch."""

import numpy as np
import pytest
import torch
from nested import close
from whyformer import evidence
from whyformer.evidence import embedding, sentences
from whyformer.model import load

TEXTS = ["The dog saw the dog.", "I am a boy.", "Why not?"]


@pytest.fixture(scope="module")
def mini():
    return load()


def test_the_file_holds_what_is_measured(mini):
    found = evidence.read("embedding")
    close(found["lengths"], embedding.lengths(mini, sentences()), rtol=1e-3, atol=1e-4)
    close(found["shares"], embedding.shares(mini, sentences()), rtol=1e-3, atol=1e-4)


def test_the_parts_are_what_enters_the_first_layer(mini):
    ids = np.array(mini.tokenizer(TEXTS[0]).ids[0])
    parts = embedding.parts_of_input(mini, ids)
    np.testing.assert_allclose(sum(parts.values()), mini.bert.embed(ids), atol=1e-5)
    coarse = mini._replace(bert=mini.bert._replace(norm=mini.bert.norm._replace(epsilon=1e-3)))
    np.testing.assert_allclose(sum(embedding.parts_of_input(coarse, ids).values()), coarse.bert.embed(ids), atol=1e-5)
    moved = mini._replace(bert=mini.bert._replace(positions=0 * mini.bert.positions))
    assert not embedding.parts_of_input(moved, ids)["position"].any()


def in_pytorch(mini, text):
    """Words, positions and queries of one sentence, and keys of each part, by PyTorch's operations."""
    bert, attention = mini.bert, mini.bert.layers[0].attention
    ids = torch.tensor(mini.tokenizer(text).ids[0])
    tensor = lambda x: torch.tensor(x).double()  # noqa: E731
    word, place = tensor(bert.tokens)[ids], tensor(bert.positions)[: len(ids)]
    whole = word + place + tensor(bert.segments)[0]
    scale = (whole.var(1, correction=0, keepdim=True) + bert.norm.epsilon).rsqrt() * tensor(bert.norm.gain)
    x = torch.nn.functional.layer_norm(whole, (384,), tensor(bert.norm.gain), tensor(bert.norm.bias), bert.norm.epsilon)
    parts = {name: (part - part.mean(1, keepdim=True)) * scale for name, part in (("word", word), ("position", place))}
    parts["rest"] = x - parts["word"] - parts["position"]
    heads = lambda y: y.view(-1, 12, 32).transpose(0, 1)[:, 1:-1]  # noqa: E731
    q = heads(torch.nn.functional.linear(x, tensor(attention.q.weight).T, tensor(attention.q.bias)))
    keys = {name: heads(part @ tensor(attention.k.weight)) for name, part in parts.items()}
    return word, place, q, keys


def test_shares_are_covariances_row_by_row(mini):
    above, below = {part: torch.zeros(12).double() for part in embedding.PARTS}, torch.zeros(12).double()
    for text in TEXTS:
        _, _, q, keys = in_pytorch(mini, text)
        for head in range(12):
            for i in range(q.shape[1]):
                row = {name: k[head] @ q[head, i] for name, k in keys.items()}
                pairs = torch.stack([*row.values(), sum(row.values())])
                covariance = torch.cov(pairs) * (q.shape[1] - 1)
                for at, name in enumerate(row):
                    above[name][head] += covariance[at, -1]
                below[head] += covariance[-1, -1]
    found = embedding.shares(mini, TEXTS)["heads"]
    for name in embedding.PARTS:
        np.testing.assert_allclose(found[name], above[name] / below, rtol=1e-6, atol=1e-8, err_msg=name)
    assert sum(embedding.shares(mini, TEXTS)["input"].values()) == pytest.approx(1)


def test_lengths_leave_the_special_tokens_out(mini):
    words, places = [], []
    for text in TEXTS:
        word, place, *_ = in_pytorch(mini, text)
        words.append(word[1:-1].norm(dim=1))
        places.append(place[1:-1].norm(dim=1))
    found = embedding.lengths(mini, TEXTS)
    for name, values in (("word", torch.cat(words)), ("position", torch.cat(places))):
        cuts = values.quantile(torch.tensor([0.1, 0.5, 0.9]).double())
        np.testing.assert_allclose([*found[name].values()], cuts, rtol=1e-6)
    middle = np.median((torch.cat(words) / torch.cat(places)).numpy())
    assert found["ratio"] == pytest.approx(middle, rel=1e-6)


@pytest.mark.thorough
def test_heads_with_random_matrices_follow_the_input(mini):
    """On average over heads, the position's share of their scores is that of the vectors."""
    texts, rng = sentences()[:40], np.random.default_rng(0)
    attention = mini.bert.layers[0].attention
    found = []
    for _ in range(10):
        drawn = {name: getattr(attention, name)._replace(weight=rng.standard_normal((384, 384))) for name in ("q", "k")}
        first = mini.bert.layers[0]._replace(attention=attention._replace(**drawn))
        found.append(embedding.shares(mini._replace(bert=mini.bert._replace(layers=(first,))), texts))
    heads = np.array([one["heads"]["position"] for one in found])
    assert heads.mean() == pytest.approx(found[0]["input"]["position"], abs=0.01)
