"""The running sentence in three trained heads: the file, and the scores against PyTorch."""

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import roles
from whyformer.evidence.trained import in_double
from whyformer.model import load


@pytest.fixture(scope="module")
def mini():
    return load()


def test_the_file_holds_what_is_measured(mini):
    stored, again = evidence.read("roles"), roles.measured(mini)
    assert (stored["sentence"], stored["tokens"]) == (again["sentence"], again["tokens"])
    for name, found in again["heads"].items():
        for kind, values in found.items():
            np.testing.assert_allclose(stored["heads"][name][kind], values, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", roles.HEADS)
def test_scores_are_those_of_the_layer_in_pytorch(mini, name):
    layer, head = roles.HEADS[name]
    bert = in_double(mini.bert)
    x = torch.tensor(bert.hidden(mini.tokenizer(roles.SENTENCE).ids[0])[layer - 1])
    part = bert.layers[layer - 1].attention
    own = slice(32 * (head - 1), 32 * head)
    q, k = (x @ torch.tensor(p.weight)[:, own] + torch.tensor(p.bias)[own] for p in (part.q, part.k))
    found = evidence.read("roles")["heads"][name]
    np.testing.assert_allclose(found["with"], q @ k.T / 32**0.5, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(found["without"], x @ x.T / 384**0.5, rtol=1e-3, atol=1e-4)
