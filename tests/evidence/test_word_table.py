"""What is said of the trained model's table of words, measured again: groups with PyTorch, products on a sample."""

import json
import math
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from whyformer import evidence
from whyformer.evidence import sentences, word_table
from whyformer.model import load


@pytest.fixture(scope="module")
def mini():
    return load()


@pytest.fixture(scope="module")
def found():
    return evidence.read("word_table")


def test_groups_of_the_vocabulary_are_what_the_tokenizer_says(mini):
    model = json.loads(mini.tokenizer._tokenizer.to_str())["model"]["vocab"]
    unused = sorted(number for token, number in model.items() if token.startswith("[unused"))
    assert unused == word_table.UNUSED.tolist() and model["the"] == word_table.FIRST_WORD
    assert not np.isin(mini.tokenizer("[unused5] [unused300]").ids, word_table.UNUSED).any()  # not even if spelt out
    groups = word_table.word_groups(len(model))
    assert np.concatenate(groups).tolist() == list(range(word_table.FIRST_WORD, len(model)))


def test_lengths_and_directions_are_those_of_pytorch(mini, found):
    table = torch.tensor(mini.bert.tokens).double()
    groups = [word_table.UNUSED, *word_table.word_groups(len(table))]
    counted = np.concatenate([mini.tokenizer(text).ids[0][1:-1] for text in sentences()])
    free = torch.nn.functional.normalize(table[torch.tensor(groups[0])].mean(0), dim=0)
    for i, group in list(enumerate(groups))[:: word_table.GROUPS]:
        rows = table[torch.tensor(group)]
        lengths = rows.norm(dim=1)
        directions = torch.nn.functional.normalize(rows)
        cosines = directions @ directions.T
        pairs = cosines[~torch.eye(len(group), dtype=torch.bool)]
        for name, value in {
            "first": group[0], "rows": len(group), "length": lengths.mean(), "shortest": lengths.min(),
            "longest": lengths.max(), "cosine": pairs.mean(), "with_unused": (directions @ free).mean(),
            "occur": sum(group[0] <= token <= group[-1] for token in counted) if i else 0,
        }.items():  # fmt: skip
            assert found[name][i] == pytest.approx(float(value), rel=1e-3, abs=1e-4), name


def test_a_sample_of_rows_loses_as_often_as_was_counted(mini, found):
    table = np.asarray(mini.bert.tokens, float)
    some = np.random.default_rng(0).choice(np.arange(word_table.FIRST_WORD, len(table)), 1000, replace=False)
    best = (torch.tensor(table[some]) @ torch.tensor(table).T).argmax(1).numpy()
    assert word_table.lost_rows(table, some) == (best != some).sum() <= found["lost"]
    assert found["words"] == len(table) - word_table.FIRST_WORD


def test_counting_lost_rows_and_cosines_on_rows_that_one_can_see():
    table = np.array([[1.0, 0], [3, 3], [0, 0.5], [0, 1]])
    assert word_table.lost_rows(table, np.arange(4)) == 3  # all but the second
    assert word_table.lost_rows(table, np.array([1])) == 0
    assert word_table.lost_rows(np.ones((3, 2)), np.arange(3)) == 0  # copies tie
    assert word_table.mean_cosine(np.array([[2.0, 0], [0, 3], [5, 0]])) == pytest.approx(1 / 3)


def test_every_column_by_plain_loops_on_a_small_table_of_the_same_layout():
    table = np.random.default_rng(5).standard_normal((2020, 3))
    table[[7, 99, 104, 998, 2003]] *= 3
    texts = {"a": [101, 1996, 1999, 2000, 102], "b": [101, 2019, 1996, 998, 99, 50, 2018, 102]}
    mini = SimpleNamespace(
        bert=SimpleNamespace(tokens=table), tokenizer=lambda text: SimpleNamespace(ids=[np.array(texts[text])])
    )
    found = word_table.word_table(mini, ["a", "b"])
    unused = [*range(1, 100), *range(104, 999)]
    groups = [unused, *(range(1996 + 4 * i, 2000 + 4 * i) for i in range(6))]

    def dot(i, j):
        return math.fsum(float(a) * float(b) for a, b in zip(table[i], table[j], strict=True))

    def length(i):
        return math.hypot(*table[i])

    middle = [math.fsum(table[i, c] for i in unused) for c in range(3)]
    along = {i: math.fsum(a * b for a, b in zip(table[i], middle, strict=True)) for group in groups for i in group}
    seen = [token for ids in texts.values() for token in ids[1:-1]]
    wanted = {
        "first": [group[0] for group in groups],
        "rows": [99 + 895, 4, 4, 4, 4, 4, 4],
        "occur": [sum(token in group for token in seen) for group in groups],
        "length": [math.fsum(map(length, group)) / len(group) for group in groups],
        "shortest": [min(map(length, group)) for group in groups],
        "longest": [max(map(length, group)) for group in groups],
        "with_unused": [
            math.fsum(along[i] / length(i) for i in group) / math.hypot(*middle) / len(group) for group in groups
        ],
    }
    for name, values in wanted.items():
        assert found[name] == pytest.approx(values, rel=1e-9), name
    for at, group in enumerate(groups[1:], 1):
        cosines = [dot(i, j) / length(i) / length(j) for i, j in combinations(group, 2)]
        assert found["cosine"][at] == pytest.approx(math.fsum(cosines) / 6, rel=1e-9)
    assert found["words"] == 24
    behind = sum(any(dot(i, j) > dot(i, i) for j in range(2020)) for i in range(1996, 2020))
    assert found["lost"] == behind and 0 < behind
