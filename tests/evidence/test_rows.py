"""Rows of attention weights of the trained model: the file, and the function against plain loops."""

import numpy as np
import pytest
from nested import close
from whyformer import evidence
from whyformer.evidence import rows, sentences
from whyformer.model import load

TEXTS = ["The dog saw the dog.", "I am a boy.", "Why not?", "Who knows?"]


@pytest.fixture(scope="module")
def mini():
    return load()


@pytest.mark.thorough
def test_the_file_holds_what_is_measured(mini):
    found = rows.measured(mini, sentences())
    close({name: evidence.read("rows")[name] for name in found}, found, rtol=1e-3, atol=1e-4)


def test_rows_are_counted_one_by_one(mini):
    found, by_length, least = rows.measured(mini, TEXTS), {}, np.ones((6, 12))
    for text in TEXTS:
        x = mini.bert.embed(ids := mini.tokenizer(text).ids[0])
        for at, layer in enumerate(mini.bert.layers):
            for head, weights in enumerate(layer.attention.heads(x, x).weights):
                by_length.setdefault(len(ids), []).extend(weights.astype(float))
                least[at, head] = min(least[at, head], weights.max(1).min())
            x = mini.bert.hidden(ids)[at + 1]
    every = [row for of in by_length.values() for row in of]
    assert found["rows"] == len(every) and found["tokens"] == sorted(by_length)
    assert found["sentences"] == [len(by_length[n]) // (72 * n) for n in found["tokens"]]
    squares = lambda some: [(row**2).sum() for row in some]  # noqa: E731
    sharp = lambda some: np.mean([row.max() > 0.9 for row in some])  # noqa: E731
    assert found["squares"] == pytest.approx([min(squares(every)), np.median(squares(every)), max(squares(every))])
    assert found["squares_of"] == pytest.approx([np.median(squares(by_length[n])) for n in found["tokens"]])
    assert found["least_of"] == pytest.approx([min(squares(by_length[n])) for n in found["tokens"]])
    assert found["sharp"] == sharp(every) and found["sharp_of"] == [sharp(by_length[n]) for n in found["tokens"]]
    np.testing.assert_allclose(found["least_largest"], least, rtol=1e-6)
