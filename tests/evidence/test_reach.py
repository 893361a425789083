"""How far words reach in the trained model: a sample measured again, and against PyTorch's forward derivative."""

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import reach, sentences
from whyformer.evidence.trained import in_double
from whyformer.model import load


@pytest.fixture(scope="module")
def mini():
    return load()


def in_pytorch(bert, x):
    """The last hidden state (n, 384) from what enters the first layer."""
    f = torch.nn.functional
    norm = lambda x, p: f.layer_norm(x, (384,), torch.tensor(p.gain), torch.tensor(p.bias), p.epsilon)  # noqa: E731
    linear = lambda x, p: x @ torch.tensor(p.weight) + torch.tensor(p.bias)  # noqa: E731
    for layer in bert.layers:
        a = layer.attention
        q, k, v = (linear(x, p).unflatten(-1, (12, 32)).transpose(0, 1) for p in (a.q, a.k, a.v))
        out = f.scaled_dot_product_attention(q, k, v).transpose(0, 1).flatten(1)
        x = norm(x + linear(out, a.o), layer.norm1)
        x = norm(x + linear(f.gelu(linear(x, layer.feed.up)), layer.feed.down), layer.norm2)
    return x


def test_influence_is_the_derivative_of_pytorch(mini):
    bert, sources = in_double(mini.bert), [1, 5, 14]
    ids = reach.texts_of(mini, sentences(), 16, 1)[0]
    found = reach.influence(bert, ids, sources, np.random.default_rng(4))
    x, directions = torch.tensor(bert.embed(ids)), np.random.default_rng(4).standard_normal((3, 384))
    for source, direction, value in zip(sources, directions, found, strict=True):
        v = torch.zeros_like(x)
        v[source] = torch.tensor(direction / np.linalg.norm(direction))
        _, moved = torch.func.jvp(lambda x: in_pytorch(bert, x)[-2], (x,), (v,))
        assert value == pytest.approx(moved.norm().item(), rel=1e-4)


def test_both_tables_ask_of_the_right_words_and_draw_anew_for_each_text(mini, monkeypatch):
    """What is measured of a text is tested above and below; here each measurement only tells what it was asked."""

    def influence(bert, ids, sources, rng):
        assert bert.tokens.dtype == np.float64
        return tuple(ids), sources, rng.random()

    monkeypatch.setattr(reach, "influence", influence)
    monkeypatch.setattr(reach, "weight", lambda bert, ids, sources: (tuple(ids), sources))

    def asked(n, sources):
        texts = [tuple(ids) for ids in reach.texts_of(mini, sentences(), n, 2)]
        return (
            [(ids, sources, np.random.default_rng(i).random()) for i, ids in enumerate(texts)],
            [(ids, sources) for ids in texts],
        )

    far, long = reach.by_distance(mini, sentences(), 2), reach.by_length(mini, sentences(), 2)
    back, lengths = [0, 1, 2, 4, 8, 16, 32, 64, 120], [16, 32, 64, 128, 256]
    assert [*far["distances"]] == back and [*long["lengths"]] == lengths
    assert (far["influence"], far["weight"]) == asked(128, [126 - distance for distance in back])
    assert [*zip(long["influence"], long["weight"], strict=True)] == [asked(n, [1, n - 2]) for n in lengths]


@pytest.mark.parametrize("n", reach.LENGTHS[:3])
def test_texts_have_the_length_and_are_drawn_by_their_seed(mini, n):
    texts = reach.texts_of(mini, sentences(), n, 3)
    assert texts.shape == (3, n) and (texts[:, 0] == 101).all() and (texts[:, -1] == 102).all()
    assert (texts == reach.texts_of(mini, sentences(), n, 3)).all()
    assert len({tuple(row) for row in texts}) == 3


def test_a_sample_is_what_the_file_says(mini):
    data, bert, texts = evidence.read("reach"), in_double(mini.bert), sentences()
    at = reach.LENGTHS.index(32)
    for i, ids in enumerate(reach.texts_of(mini, texts, 32, 3)):
        found = reach.influence(bert, ids, [1, 30], np.random.default_rng(i))
        np.testing.assert_allclose(found, data["length"]["influence"][at][i], rtol=1e-3)
        np.testing.assert_allclose(reach.weight(bert, ids, [1, 30]), data["length"]["weight"][at][i], rtol=1e-3)
    ids = reach.texts_of(mini, texts, reach.WITHIN, 1)[0]
    sources = [reach.WITHIN - 2 - distance for distance in reach.DISTANCES]
    found = reach.influence(bert, ids, sources, np.random.default_rng(0))
    np.testing.assert_allclose(found, data["distance"]["influence"][0], rtol=1e-3)
    np.testing.assert_allclose(reach.weight(bert, ids, sources), data["distance"]["weight"][0], rtol=1e-3)


@pytest.mark.thorough
def test_the_first_fifth_of_the_texts_is_what_the_file_says(mini):
    """Each length and each distance; ``make evidence`` measures all texts again."""
    data, some, few = evidence.read("reach"), sentences(), reach.TEXTS // 5
    again = {"distance": reach.by_distance(mini, some, few), "length": reach.by_length(mini, some, few)}
    for name in ("influence", "weight"):
        found, stored = (np.array(part["distance"][name]) for part in (again, data))
        np.testing.assert_allclose(stored[:few], found, rtol=1e-3)
        found, stored = (np.array(part["length"][name]) for part in (again, data))
        np.testing.assert_allclose(stored[:, :few], found, rtol=1e-3)
