"""The measurements of the trained model against PyTorch's operations, on a few sentences and its first two layers.

Ties and precision, on which they stand, by themselves.
"""

from typing import NamedTuple

import numpy as np
import pytest
import torch
from nested import close
from whyformer.evidence import sentences, trained
from whyformer.model import load

TEXTS = ["The dog saw the dog.", "Why?", "I am a boy."]  # of different lengths, one with copies


@pytest.fixture(scope="module")
def mini():
    return load()


@pytest.fixture(scope="module")
def small(mini):
    """In double precision, so that nothing is left to rounding."""
    return trained.in_double(mini._replace(bert=mini.bert._replace(layers=mini.bert.layers[:2])))


class Seen(NamedTuple):
    ids: torch.Tensor
    embedded: torch.Tensor  # (n, 384)
    q: torch.Tensor  # (2 layers, 12 heads, n, 32), as k and v
    k: torch.Tensor
    v: torch.Tensor
    weights: torch.Tensor  # (2, 12, n, n)
    sentence: torch.Tensor  # (384,)


def in_pytorch(mini, text, *, without=(), divisor=32**0.5) -> Seen:
    f, bert, ids = torch.nn.functional, mini.bert, mini.tokenizer(text).ids[0]
    norm = lambda x, p: f.layer_norm(x, (384,), *map(torch.from_numpy, (p.gain, p.bias)), p.epsilon)  # noqa: E731
    linear = lambda x, p: f.linear(x, torch.from_numpy(p.weight).T, torch.from_numpy(p.bias))  # noqa: E731
    x = embedded = norm(torch.tensor(bert.tokens[ids] + bert.positions[: len(ids)] + bert.segments[0]), bert.norm)
    seen = []
    for i, layer in enumerate(bert.layers):
        attention = layer.attention
        q, k, v = (linear(x, p).view(-1, 12, 32).transpose(0, 1) for p in (attention.q, attention.k, attention.v))
        weights = torch.softmax(q @ k.transpose(1, 2) / divisor, -1)
        out = weights @ v
        out[[head for at, head in without if at == i]] = 0
        seen.append((q, k, v, weights))
        x = norm(x + linear(out.transpose(0, 1).flatten(1), attention.o), layer.norm1)
        x = norm(x + linear(f.gelu(linear(x, layer.feed.up)), layer.feed.down), layer.norm2)
    parts = (torch.stack(one) for one in zip(*seen, strict=True))
    return Seen(torch.tensor(ids), embedded, *parts, f.normalize(x.mean(0), dim=0))


@pytest.fixture(scope="module")
def seen(small):
    return [in_pytorch(small, text) for text in TEXTS]


NEAR = {"rtol": 1e-8, "atol": 1e-10}


def quantiles(values) -> dict[str, float]:
    values = torch.as_tensor(values, dtype=torch.float64).flatten()
    cuts = values.quantile(torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64))
    return dict(zip(("low", "mid", "high"), cuts.tolist(), strict=True)) | {"mean": values.mean().item()}


def test_scores_are_measured_as_pytorch_does(small, seen):
    found, raw = trained.trained_scores(small, TEXTS), [one.q @ one.k.transpose(-1, -2) for one in seen]
    lengths = torch.tensor([float(len(one.ids)) for one in seen]).double()
    every = torch.cat([s.flatten(-2) for s in raw], -1)
    wanted = {
        "n_rows": lengths.sum(), "mean_log_n": (lengths * lengths.log()).sum() / lengths.sum(),
        "score_mean": every.mean(-1), "score_std": every.std(-1, correction=0),
    }  # fmt: skip
    for name, divisor in {"1/d_k": 32, "1/sqrt(d_k)": 32**0.5, "1": 1}.items():
        weights = [torch.softmax(s / divisor, -1) for s in raw]
        jacobians = [torch.diag_embed(w) - w[..., :, None] * w[..., None, :] for w in weights]
        rows = {
            "entropy": [torch.special.entr(w).sum(-1) for w in weights],
            "largest_weight": [w.amax(-1) for w in weights],
            "jacobian_norm": [torch.linalg.matrix_norm(j) for j in jacobians],
        }
        wanted[name] = {quantity: torch.cat(one, -1).mean(-1) for quantity, one in rows.items()}
    close(wanted, found, **NEAR)


def test_another_scale_moves_the_embeddings_as_in_pytorch(small):
    """With sentences of which some, and not all, are nearest to the same one as before."""
    texts = sorted(sentences(), key=len)[40:50]
    alone = {d: torch.stack([in_pytorch(small, text, divisor=d).sentence for text in texts]) for d in (32**0.5, 32, 1)}
    similar = {d: vectors @ vectors.T for d, vectors in alone.items()}
    pairs = {d: torch.stack([s[i, j] for i in range(10) for j in range(i + 1, 10)]) for d, s in similar.items()}
    nearest = {
        d: [max((j for j in range(10) if j != i), key=lambda j, s=s, i=i: s[i, j]) for i in range(10)]
        for d, s in similar.items()
    }
    wanted = {"pair_similarity": quantiles(pairs[32**0.5])}
    for name, divisor in (("1/d_k", 32), ("1", 1)):
        wanted[name] = {
            "cosine_to_intact": quantiles(torch.cosine_similarity(alone[divisor], alone[32**0.5])),
            "pair_similarity": quantiles(pairs[divisor]),
            "correlation_of_pair_similarities": torch.corrcoef(torch.stack([pairs[divisor], pairs[32**0.5]]))[0, 1],
            "same_nearest_sentence": np.mean([a == b for a, b in zip(nearest[divisor], nearest[32**0.5], strict=True)]),
        }
        assert 0 < wanted[name]["same_nearest_sentence"] < 1
    close(wanted, trained.replaced_scale(small, texts), **NEAR)


def test_symmetry_is_that_of_pytorchs_maps(small, seen):
    """The even half of M holds half of the squared norm of M, and half of its product with its transpose."""
    found = trained.symmetry(small, TEXTS)
    share = lambda m: ((m * (m + m.mT)).sum((-1, -2)) / 2, m.square().sum((-1, -2)))  # noqa: E731
    for i, layer in enumerate(small.bert.layers):
        w_q, w_k = (
            torch.from_numpy(p.weight).view(384, 12, 32).transpose(0, 1) for p in (layer.attention.q, layer.attention.k)
        )
        even, whole = share(w_q @ w_k.mT)
        np.testing.assert_allclose(found["weights_share"][i], even / whole, **NEAR)
    even, whole = (sum(one) for one in zip(*(share(s.weights - 1 / len(s.ids)) for s in seen), strict=True))
    np.testing.assert_allclose(found["attention_share"], even / whole, **NEAR)


def test_who_prefers_itself_is_counted_row_by_row(small, seen):
    found, n_rows = trained.self_scores(small, TEXTS), sum(len(one.ids) for one in seen)
    count = {
        kind: {name: np.zeros(shape) for name in ("own", "tied", "other")}
        for kind, shape in (("token", ()), ("input", ()), ("heads", (2, 12)))
    }
    weight = {kind: np.zeros(np.shape(names["own"])) for kind, names in count.items()}
    gap, vectors = dict.fromkeys(count, np.inf), {"token": [], "input": []}
    on_first, first_on_first, without_first = np.zeros((3, 2, 12))
    for one in seen:
        rows = {"token": torch.from_numpy(small.bert.tokens)[one.ids], "input": one.embedded}
        all_scores = {kind: x @ x.T / 384**0.5 for kind, x in rows.items()} | {"heads": one.q @ one.k.mT / 32**0.5}
        for kind, x in rows.items():
            vectors[kind].append(x)
        for kind, scores in all_scores.items():
            for place in np.ndindex(scores.shape[:-2]):
                for i, row in enumerate(scores[place].tolist()):
                    top = [j for j, s in enumerate(row) if s > max(row) - 1e-9]
                    count[kind]["other" if i not in top else "own" if len(top) == 1 else "tied"][place] += 1
                    rest = [s for j, s in enumerate(row) if j not in top]
                    gap[kind] = min(gap[kind], (max(row) - max(rest)) / max(map(abs, row)))
                    weight[kind][place] += torch.softmax(scores[place][i], 0)[i].item()
                    if kind == "heads":
                        on_first[place] += 0 in top
                        first_on_first[place] += i == 0 and 0 in top
                        without_first[place] += i > 0 and row[i] == max(row[1:])
    copies = sum(one.ids.tolist().count(i) > 1 for one in seen for i in one.ids.tolist())
    wanted = {kind: {name: n / n_rows for name, n in names.items()} for kind, names in count.items()}
    lengths = {kind: torch.cat(x).norm(dim=1) for kind, x in vectors.items()}
    wanted |= {
        "copies": copies / n_rows, "chance": 3 / n_rows, "heads_on_first": on_first / n_rows,
        "first_on_first": first_on_first / 3, "heads_without_first": without_first / (n_rows - 3),
        "chance_without_first": 3 / (n_rows - 3), "weight": {kind: w / n_rows for kind, w in weight.items()},
        "length": {kind: [x.min().item(), x.max().item()] for kind, x in lengths.items()}, "smallest_gap": gap,
    }  # fmt: skip
    assert copies == 4 and wanted["token"]["tied"] > 0
    close(wanted, found, **NEAR)


def test_rank_is_told_by_traces_and_eigenvalues(small):
    """The squared singular values of W_Q W_K^T are the eigenvalues of (W_Q^T W_Q)(W_K^T W_K). Of 60 inputs."""
    cut = lambda linear: linear._replace(weight=linear.weight[:60])  # noqa: E731
    layers = [
        layer.attention._replace(q=cut(layer.attention.q), k=cut(layer.attention.k)) for layer in small.bert.layers
    ]
    of = tuple(layer._replace(attention=a) for layer, a in zip(small.bert.layers, layers, strict=True))
    found = trained.rank(small._replace(bert=small.bert._replace(layers=of)))
    for i, attention in enumerate(layers):
        for h in range(12):
            w_q, w_k = (p.weight[:, 32 * h : 32 * h + 32] for p in (attention.q, attention.k))
            both = w_q.T @ w_q @ w_k.T @ w_k
            participation = np.trace(both) ** 2 / np.trace(both @ both)
            assert found["participation"][i][h] == pytest.approx(participation, rel=1e-9)
            values = sorted(np.linalg.eigvals(both).real, reverse=True)
            enough = next(n for n in range(33) if sum(values[:n]) >= 0.9 * np.trace(both))
            assert found["for_90_percent"][i][h] == enough


def test_norms_are_quantiles_of_the_tables(small):
    layers = small.bert.layers
    wanted = {
        "gain_embedding": quantiles(small.bert.norm.gain),
        "gain_after_attention": [quantiles(layer.norm1.gain) for layer in layers],
        "gain_after_feed_forward": [quantiles(layer.norm2.gain) for layer in layers],
        "token_length": quantiles(torch.from_numpy(small.bert.tokens).norm(dim=1)),
        "position_length": quantiles(torch.from_numpy(small.bert.positions).norm(dim=1)),
    }
    close(wanted, trained.norms(small), **NEAR)


def test_heads_are_measured_as_pytorch_does(small, seen):
    """Distances between maps, weight and value of the first token over rows and sentences, and each head left out."""
    apart = torch.cat([torch.cdist(one.weights.movedim(2, 1), one.weights.movedim(2, 1), p=1) / 2 for one in seen], 1)
    on_first = torch.cat([one.weights[..., 0] for one in seen], -1)
    lengths = [one.v.norm(dim=-1) for one in seen]
    first = torch.stack([length[..., 0] / length.quantile(0.5, -1) for length in lengths])
    intact = torch.stack([one.sentence for one in seen])
    wanted = {
        "distance_to_others": apart.mean(1).sum(-1) / 11,
        "weight_on_first": on_first.mean(-1),
        "value_of_first": first.mean(0),
        **{name: np.empty((2, 12)) for name in ("cosine_without", "distance_without", "other_nearest")},
    }
    nearest = lambda x: torch.cdist(x, x).fill_diagonal_(9).argmin(1)  # noqa: E731
    for place in np.ndindex(2, 12):
        left = torch.stack([in_pytorch(small, text, without=[place]).sentence for text in TEXTS])
        wanted["cosine_without"][place] = torch.cosine_similarity(left, intact).mean()
        wanted["distance_without"][place] = torch.nn.functional.pairwise_distance(left, intact, eps=0).mean()
        wanted["other_nearest"][place] = (nearest(left) != nearest(intact)).double().mean()
    headless = [in_pytorch(small, text, without=[(0, head) for head in range(12)]).sentence for text in TEXTS]
    wanted["without_early"] = torch.cosine_similarity(torch.stack(headless), intact).mean()
    close(wanted, trained.heads(small, TEXTS), **NEAR)


def test_heads_in_long_texts_are_those_of_the_short_ones(mini):
    """A text by itself, whole, gives what :func:`trained.embeddings` gives of it."""
    ids = np.array([mini.tokenizer(sentences()[0]).ids[0]])
    changed, intact = (
        trained.embeddings(bert, mini, sentences()[:1]) for bert in (trained.without_head(mini.bert, 3, 9), mini.bert)
    )
    found = trained.in_long_texts(mini, ids)
    assert found["cosine_without"][0] == pytest.approx((changed * intact).sum(), abs=1e-6)
    assert [found["texts"], found["tokens"]] == list(ids.shape)


def test_topics_are_a_random_effect(small):
    """The variance between sentences is that of an analysis of variance with one random effect, feature by feature."""
    streams = [small.bert.hidden(small.tokenizer(text).ids[0])[1] for text in TEXTS]
    n, every = np.array([len(one) for one in streams]), np.concatenate(streams)
    shares = []
    for feature in range(384):
        groups = [one[:, feature] for one in streams]
        means = np.array([one.mean() for one in groups])
        within = sum(((one - mean) ** 2).sum() for one, mean in zip(groups, means, strict=True)) / (n.sum() - 3)
        square = (n * (means - every[:, feature].mean()) ** 2).sum() / 2
        shares.append((square - within) / ((n.sum() - (n**2).sum() / n.sum()) / 2) / within)
    found = trained.topics(small, TEXTS)
    close(found["share"][1], quantiles(shares))
    variances = np.sort(np.linalg.svd(every - every.mean(0), compute_uv=False) ** 2)  # all others are 0
    assert found["top_half"][1] == pytest.approx(variances[-192:].sum() / variances.sum())
    assert found["tokens"] == n.sum() and len(found["share"]) == 3


def test_ties_are_counted_as_ties_however_large_they_are_and_however_rounded():
    """Token 0 prefers itself, 1 and 3 are copies, 2 prefers token 0; each row of scores has a size of its own."""
    x = np.array([[3.0, 0.0], [0.0, 0.7], [1.0, 0.0], [0.0, 0.7]])
    generator = np.random.default_rng(0)
    rounding = 1 + 1e-15 * generator.integers(-20, 21, (50, 4, 4))
    s = (x @ x.T) * rounding * 10.0 ** generator.integers(-7, 8, (50, 4, 1))
    found = trained.standing(s)
    wanted = {"own": [1, 0, 0, 0], "tied": [0, 1, 0, 1], "other": [0, 0, 1, 0]}
    assert found.keys() == wanted.keys() and all((found[name] == rows).all() for name, rows in wanted.items())
    assert (trained.largest(s).sum(-1) == [1, 2, 1, 2]).all()
    np.testing.assert_allclose(trained.gap_to_next(s), np.tile([2 / 3, 1, 2 / 3, 1], (50, 1)))
    assert trained.largest(np.zeros((2, 2))).all()


def test_double_precision_is_the_same_model(mini):
    """Every array in it, and the same numbers to what single precision keeps."""
    ids = mini.tokenizer(sentences()[0]).ids[0]
    for one, other in zip(mini.bert.hidden(ids), trained.in_double(mini.bert).hidden(ids), strict=True):
        assert (one.dtype, other.dtype) == (np.float32, np.float64)
        np.testing.assert_allclose(one, other, atol=1e-5 * np.abs(other).max())
