"""How directed the trained model's scores are: a sample against PyTorch, and counted pair by pair."""

from itertools import combinations

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import directions, sentences
from whyformer.evidence.packing import unpacked
from whyformer.evidence.trained import activations
from whyformer.model import load


@pytest.fixture(scope="module")
def mini():
    return load()


def in_pytorch(mini, text):
    """Scores of the first layer's heads, from the embedded tokens."""
    layer = mini.bert.layers[0].attention
    x = torch.tensor(mini.bert.embed(mini.tokenizer(text).ids[0]), dtype=torch.float64)
    q, k = (x @ torch.tensor(p.weight).double() + torch.tensor(p.bias).double() for p in (layer.q, layer.k))
    q, k = (one.unflatten(-1, (12, 32)).transpose(0, 1) for one in (q, k))
    return (q @ k.mT).numpy()


def test_scores_of_the_running_sentence_are_those_of_pytorch(mini):
    found = evidence.read("directions")["running"]
    n = len(found["tokens"])
    assert found["text"] == directions.RUNNING and found["tokens"][3] == "sat" and n == 10
    scores = unpacked(found["scores"], "<i2").reshape(6, 12, n, n)
    np.testing.assert_allclose(scores[0], in_pytorch(mini, directions.RUNNING), atol=2e-2)


def test_pairs_are_counted_one_by_one(mini):
    texts = sentences()[:1]
    forbidden = beyond = count = 0
    for text in texts:
        for layer in next(activations(mini, [text]))[1]:
            for q, k in zip(layer.q, layer.k, strict=True):
                scores = torch.tensor((q @ k.T).astype(float) / 32**0.5)
                weights = torch.softmax(scores, 1)
                for i, j in combinations(range(len(scores)), 2):
                    forbidden += (scores[i, i] + scores[j, j] < scores[i, j] + scores[j, i]).item()
                    beyond += (weights[i, j] + weights[j, i] > 1).item()
                    count += 1
    found = directions.pairs(mini, texts)
    assert found["count"] == count
    assert found["forbidden"] == pytest.approx(forbidden / count, abs=2 / count)
    assert found["beyond"] == pytest.approx(beyond / count, abs=2 / count)


@pytest.mark.thorough
def test_shares_are_what_the_file_says(mini):
    found, stored = directions.pairs(mini, sentences()), evidence.read("directions")["pairs"]
    assert found["count"] == stored["count"]
    assert found["forbidden"] == pytest.approx(stored["forbidden"], rel=1e-3)
    assert found["beyond"] == pytest.approx(stored["beyond"], rel=2e-2)
