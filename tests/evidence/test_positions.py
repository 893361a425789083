"""What positions do in the trained model: against PyTorch's operations, and the file against a sample of it."""

import numpy as np
import pytest
import torch
from nested import close
from whyformer import evidence
from whyformer.evidence import positions, sentences, trained
from whyformer.model import load

TEXTS = ["The dog saw the dog.", "Why?", "I am a boy."]


@pytest.fixture(scope="module")
def mini():
    found = load()
    return found._replace(bert=trained.in_double(found.bert))


@pytest.fixture(scope="module")
def coarse(mini):
    """With an epsilon in the first LayerNorm that can be seen; the model's own is a millionth of a millionth."""
    return mini._replace(bert=mini.bert._replace(norm=mini.bert.norm._replace(epsilon=1e-3)))


def tensor(array):
    return torch.tensor(np.asarray(array), dtype=torch.float64)


def first_scores(bert, ids, at):
    """(12, n, n): the scores of layer 1 by PyTorch's layers."""
    f, attention = torch.nn.functional, bert.layers[0].attention
    x = tensor(bert.tokens[ids] + bert.positions[at] + bert.segments[0])
    x = f.layer_norm(x, (384,), tensor(bert.norm.gain), tensor(bert.norm.bias), bert.norm.epsilon)
    q, k = (
        f.linear(x, tensor(p.weight).T, tensor(p.bias)).view(-1, 12, 32).transpose(0, 1)
        for p in (attention.q, attention.k)
    )
    return q @ k.mT / 32**0.5


def test_epsilon_is_added_to_the_variance(coarse):
    ids = coarse.tokenizer(TEXTS[0]).ids[0]
    four = positions.terms(coarse.bert, ids)
    np.testing.assert_allclose(four.sum(0), first_scores(coarse.bert, ids, np.arange(len(ids))), atol=1e-9)
    spreads = []
    for text in TEXTS:
        ids = coarse.tokenizer(text).ids[0]
        x = tensor(coarse.bert.tokens[ids] + coarse.bert.positions[: len(ids)] + coarse.bert.segments[0])
        spreads += [(row.var(correction=0).item() + 1e-3) ** 0.5 for row in x]
    assert positions.usual_spread(coarse, TEXTS) == pytest.approx(np.median(spreads), rel=1e-12)


@pytest.mark.parametrize("text", TEXTS)
def test_four_terms_are_the_score_and_are_told_apart(mini, text):
    """Each term by what vanishes: without positions, or without words, others are 0."""
    ids = mini.tokenizer(text).ids[0]
    four = positions.terms(mini.bert, ids)
    np.testing.assert_allclose(four.sum(0), first_scores(mini.bert, ids, np.arange(len(ids))), atol=1e-9)
    word, place = positions.parts(mini.bert, ids, np.arange(len(ids)))
    attention = mini.bert.layers[0].attention
    q = [tensor(word @ attention.q.weight + attention.q.bias), tensor(place @ attention.q.weight)]
    k = [tensor(word @ attention.k.weight + attention.k.bias), tensor(place @ attention.k.weight)]
    split = lambda v: v.view(-1, 12, 32).transpose(0, 1)  # noqa: E731
    expected = [split(a) @ split(b).mT / 32**0.5 for a in q for b in k]
    np.testing.assert_allclose(four, torch.stack(expected), atol=1e-9)
    np.testing.assert_allclose((place / mini.bert.norm.gain).mean(1), 0, atol=1e-12)


def test_shares_of_the_variance_are_those_of_a_regression(mini):
    found = positions.scores_of_sentences(mini, TEXTS)
    np.testing.assert_allclose(sum(found["shares"].values()), 1)
    score, distance = [], []
    for text in TEXTS:
        ids = mini.tokenizer(text).ids[0]
        one = first_scores(mini.bert, ids, np.arange(len(ids)))
        score.append((one - one.mean(-1, keepdim=True)).flatten(1))
        distance += [j - i for i in range(len(ids)) for j in range(len(ids))]
    y = torch.cat(score, 1)
    dummies = tensor([[d == other for other in sorted(set(distance))] for d in distance])
    left = y.T - dummies @ torch.linalg.lstsq(dummies, y.T).solution
    np.testing.assert_allclose(found["explained"], 1 - (left**2).sum(0) / (y**2).sum(1), atol=1e-9)
    np.testing.assert_allclose(found["std"], y.std(1, correction=0), rtol=1e-9)


def test_shares_are_covariances_of_terms_by_plain_loops(mini):
    """Row by row: what each term of the score has in common with the score, head after head."""
    above, below = torch.zeros(4, 12, dtype=torch.float64), torch.zeros(12, dtype=torch.float64)
    bert, attention = mini.bert, mini.bert.layers[0].attention
    for text in TEXTS:
        ids = mini.tokenizer(text).ids[0]
        word, place = tensor(bert.tokens[ids] + bert.segments[0]), tensor(bert.positions[: len(ids)])
        scale = tensor(bert.norm.gain) * ((word + place).var(1, correction=0, keepdim=True) + bert.norm.epsilon).rsqrt()
        word, place = ((part - part.mean(1, keepdim=True)) * scale for part in (word, place))
        both = [
            (
                torch.nn.functional.linear(word + tensor(bert.norm.bias), tensor(p.weight).T, tensor(p.bias)),
                torch.nn.functional.linear(place, tensor(p.weight).T),
            )
            for p in (attention.q, attention.k)
        ]
        for head in range(12):
            q, k = ([part[:, 32 * head : 32 * head + 32] for part in parts] for parts in both)
            for i in range(len(ids)):
                row = torch.stack([k_part @ q_part[i] / 32**0.5 for q_part in q for k_part in k])
                covariance = torch.cov(torch.cat([row, row.sum(0, keepdim=True)])) * (len(ids) - 1)
                above[:, head] += covariance[:4, 4]
                below[head] += covariance[4, 4]
    found = positions.scores_of_sentences(mini, TEXTS)["shares"]
    assert list(found) == ["word_word", "word_position", "position_word", "position_position"]
    np.testing.assert_allclose([*found.values()], above / below, rtol=1e-8, atol=1e-10)


def test_positions_in_the_file_are_what_the_model_has(mini):
    found = evidence.read("positions")
    close(found["positions"], positions.by_distance(mini.bert, positions.usual_spread(mini, sentences())), rtol=2e-3)


@pytest.mark.thorough
def test_scores_and_moves_in_the_file_are_what_the_model_does(mini):
    found = evidence.read("positions")
    close(found["scores"], positions.scores_of_sentences(mini, sentences()), rtol=2e-3, atol=1e-4)
    close(found["moved"], positions.moved(mini, sentences()), rtol=1e-3)


def test_moves_are_those_of_the_model_with_another_table(mini):
    """A token at another position is a model whose rows of the table stand elsewhere."""
    ids = mini.tokenizer(TEXTS[0]).ids[0]
    at = np.append(0, np.arange(1, len(ids)) + 30)
    table = mini.bert.positions.copy()
    table[: len(ids)] = table[at]
    other = mini.bert._replace(positions=table)
    np.testing.assert_allclose(positions.embedding(mini.bert, ids, at), other.sentence(ids), atol=1e-12)
    one = positions.moved(mini, TEXTS)
    assert one["1"]["mean"] > one["10"]["mean"] > one["order"]["mean"]


def test_cosines_of_moved_sentences_by_rows_of_the_table(mini):
    """Each sentence in a model whose table has other rows first; random places in the order in which they are drawn."""
    rng, found = np.random.default_rng(0), {}
    for text in TEXTS:
        ids = mini.tokenizer(text).ids[0]
        n = len(ids)
        rows = {str(move): [0, *range(1 + move, n + move)] for move in (1, 3, 10, 30, 100)}
        rows["order"] = [0, *rng.permutation(range(1, n))]
        rows["scattered"] = [0, *(place + 1 for place in rng.choice(127, n - 1, replace=False))]
        intact = tensor(mini.bert.sentence(ids))
        for name, at in rows.items():
            other = mini.bert._replace(positions=mini.bert.positions[at])
            cosine = torch.cosine_similarity(tensor(other.sentence(ids)), intact, dim=0)
            found.setdefault(name, []).append(cosine.item())
    measured = positions.moved(mini, TEXTS)
    assert list(measured) == list(found)
    for name, cosines in found.items():
        low, middle, high = sorted(cosines)
        wanted = {"mean": (low + middle + high) / 3, "tenth": low + 0.2 * (middle - low)}
        assert measured[name] == pytest.approx(wanted, abs=1e-12), name


def test_what_distance_explains_of_random_scores_is_what_chance_gives():
    draws = np.random.default_rng(0).standard_normal((300, 9, 9))
    from whyformer.maths import explained_by_distance

    assert np.mean([explained_by_distance(one) for one in draws]) == pytest.approx(2 / 10, abs=0.01)
