"""What the trained model's weights do: scores, symmetry, norms, heads. All-MiniLM-L6-v2, d_k = 32.

Every function is pure: the model and the sentences in, plain numbers out. Heads stand as [layer][head].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from whyformer.evidence.packing import packed
from whyformer.maths import scores, softmax, softmax_entropy, softmax_jacobian_norm
from whyformer.maths.softmax import Array, Booleans, Integers
from whyformer.model.bert import Bert
from whyformer.model.layers import Heads, Linear
from whyformer.model.weights import MiniLM

MULTIPLIERS = ("1/d_k", "1/sqrt(d_k)", "1")
STANDING = ("own", "tied", "other")
TIE = 1e-10  # scores in double precision carry errors of about 1e-14 of their size; copies of a token tie within them


def divisor_of(multiplier: str, d_k: int) -> float:
    """What scores are divided by for a multiplier's name."""
    return {"1/d_k": float(d_k), "1/sqrt(d_k)": float(np.sqrt(d_k)), "1": 1.0}[multiplier]


def activations(mini: MiniLM, texts: list[str]) -> Iterator[tuple[list[Array], list[Heads]]]:
    """For each sentence alone: the hidden states, and what the heads of each layer compute."""
    for text in texts:
        ids = mini.tokenizer(text).ids[0]
        hidden = mini.bert.hidden(ids)
        yield hidden, [layer.attention.heads(x, x) for layer, x in zip(mini.bert.layers, hidden[:-1], strict=True)]


def trained_scores(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """By layer and head, over all sentences: the spread of q.k, and what three multipliers do.

    Each is put in place in this head alone: mean entropy of the rows, mean largest weight, mean norm of the softmax
    Jacobian. Every row counts once.
    """
    first, second, n_scores, n_rows, log_n = 0, 0, 0, 0, 0.0
    sums: dict[str, dict[str, Any]] = {m: {"entropy": 0, "largest_weight": 0, "jacobian_norm": 0} for m in MULTIPLIERS}
    for _, layers in activations(mini, texts):
        q, k = (np.stack([getattr(h, name) for h in layers]).astype(float) for name in ("q", "k"))
        raw = scores(q, k, divisor=1)  # (layers, heads, n, n)
        *_, n, d_k = q.shape
        first = first + raw.sum((2, 3))
        second = second + (raw**2).sum((2, 3))
        n_scores, n_rows, log_n = n_scores + n * n, n_rows + n, log_n + n * np.log(n)
        for multiplier, total in sums.items():
            z = raw / divisor_of(multiplier, d_k)
            total["entropy"] += softmax_entropy(z).sum(-1)
            total["largest_weight"] += softmax(z).max(-1).sum(-1)
            total["jacobian_norm"] += softmax_jacobian_norm(z).sum(-1)
    mean = first / n_scores
    return {
        "n_rows": n_rows,
        "mean_log_n": log_n / n_rows,
        "score_mean": mean,
        "score_std": np.sqrt(second / n_scores - mean**2),
        **{m: {name: value / n_rows for name, value in total.items()} for m, total in sums.items()},
    }


def embeddings(bert: Bert, mini: MiniLM, texts: list[str]) -> Array:
    """One unit vector for each sentence, (n_sentences, d_model)."""
    tokens = mini.tokenizer(texts)
    return bert.sentence(tokens.ids, tokens.mask).astype(float)


def replaced_scale(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """What another multiplier in all heads does to the sentence embeddings.

    Cosine to the intact one, and how the similarities of all pairs of sentences move.
    """
    intact = embeddings(mini.bert, mini, texts)
    pairs = np.triu_indices(len(texts), 1)
    before = (intact @ intact.T)[pairs]
    out: dict[str, Any] = {"pair_similarity": _quantiles(before)}
    d_k = mini.bert.tokens.shape[1] // mini.bert.layers[0].attention.n_heads
    for multiplier in ("1/d_k", "1"):
        changed = embeddings(mini.bert.with_divisor(divisor_of(multiplier, d_k)), mini, texts)
        after = (changed @ changed.T)[pairs]
        nearest = [np.argsort(e @ e.T, axis=1)[:, -2] for e in (intact, changed)]  # behind itself
        out[multiplier] = {
            "cosine_to_intact": _quantiles((intact * changed).sum(1)),
            "pair_similarity": _quantiles(after),
            "correlation_of_pair_similarities": np.corrcoef(before, after)[0, 1],
            "same_nearest_sentence": (nearest[0] == nearest[1]).mean(),
        }
    return out


def symmetry(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """For each head, how much of its weights and of its attention is symmetric.

    The share of the squared Frobenius norm of W_Q W_K^T that is symmetric (1/2 on average for random matrices), and of
    the squared deviation of real attention maps from uniform that is symmetric.
    """
    attentions = [layer.attention for layer in mini.bert.layers]
    product = [_by_head(a.q, a.n_heads) @ _by_head(a.k, a.n_heads).mT for a in attentions]
    even: Array | int = 0
    whole: Array | int = 0
    for _, layers in activations(mini, texts):
        weights = np.stack([h.weights for h in layers]).astype(float)
        weights = weights - 1 / weights.shape[-1]
        even = even + _square((weights + weights.mT) / 2)
        whole = whole + _square(weights)
    return {"weights_share": [symmetric_share(p) for p in product], "attention_share": even / whole}


def symmetric_share(matrix: Array) -> Array:
    """Squared norm of (M + M^T) / 2 over that of M, over the last two axes: 1 for symmetric, 0 for antisymmetric."""
    return _square((matrix + matrix.mT) / 2) / _square(matrix)


def self_scores(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """Do tokens prefer themselves?

    For raw rows of the embedding table (``token``), for the vectors that enter layer 1, with position and after
    LayerNorm (``input``), and for trained queries and keys (``heads``), by :func:`standing`: the share of rows whose
    largest dot product within the sentence is the one with themselves (``own``), that tie with another for it
    (``tied``), that prefer another (``other``). [CLS] and [SEP] count as tokens.

    ``copies``: share of tokens that stand more than once in their sentence. ``chance``: mean of 1/n.
    ``heads_on_first``: rows whose largest score is at [CLS]; ``first_on_first``: the same for the row of [CLS] alone;
    ``heads_without_first``: ``own`` of the heads with [CLS] left out as query and as key, and
    ``chance_without_first`` the mean of 1/(n - 1) to compare it with. ``weight``: mean softmax weight of a token on
    itself, scores divided by the root of their length d. ``length``: shortest and longest vector.
    ``smallest_gap``: how far the largest score of a row lies above the next that does not tie with it, at least, over
    the largest size in the row.
    """
    # Single precision has errors as large as the smallest gaps between scores, and they differ between processors.
    mini = mini._replace(bert=in_double(mini.bert))
    rows: dict[str, dict[str, Any]] = {kind: dict.fromkeys(STANDING, 0) for kind in ("token", "input", "heads")}
    weight, gap, n_rows, copies = dict.fromkeys(rows, 0), dict.fromkeys(rows, np.inf), 0, 0
    on_first, without_first = 0, 0
    first_on_first: Integers | int = 0
    lengths: dict[str, list[Array]] = {"token": [], "input": []}
    for text, (hidden, layers) in zip(texts, activations(mini, texts), strict=True):
        ids = np.array(mini.tokenizer(text).ids[0])
        vectors = {"token": mini.bert.tokens[ids], "input": hidden[0]}
        q, k = (np.stack([getattr(h, name) for h in layers]) for name in ("q", "k"))
        raw = {name: scores(x, x) for name, x in vectors.items()} | {"heads": scores(q, k)}
        for kind, s in raw.items():
            for name, found in standing(s).items():
                rows[kind][name] = rows[kind][name] + found.sum(-1)
            weight[kind] = weight[kind] + np.trace(softmax(s), axis1=-2, axis2=-1)
            gap[kind] = min(gap[kind], gap_to_next(s).min())
        for name, x in vectors.items():
            lengths[name].append(np.linalg.norm(x, axis=1))
        at_first = largest(raw["heads"])[..., 0]
        on_first, first_on_first = on_first + at_first.sum(-1), first_on_first + at_first[..., 0]
        without_first = without_first + standing(raw["heads"][..., 1:, 1:])["own"].sum(-1)
        copies += ((ids[:, None] == ids).sum(1) > 1).sum()
        n_rows += len(ids)
    return {
        **{kind: {name: value / n_rows for name, value in found.items()} for kind, found in rows.items()},
        "copies": copies / n_rows,
        "chance": len(texts) / n_rows,
        "heads_on_first": on_first / n_rows,
        "first_on_first": first_on_first / len(texts),
        "heads_without_first": without_first / (n_rows - len(texts)),
        "chance_without_first": len(texts) / (n_rows - len(texts)),
        "weight": {name: value / n_rows for name, value in weight.items()},
        "length": {n: [np.concatenate(v).min(), np.concatenate(v).max()] for n, v in lengths.items()},
        "smallest_gap": gap,
    }


def in_double(part: Any) -> Any:
    """The same model with every array in double precision."""
    if isinstance(part, np.ndarray):
        return part.astype(float)
    if isinstance(part, tuple):
        inside = [in_double(child) for child in part]
        return type(part)(*inside) if hasattr(part, "_fields") else tuple(inside)
    return part


def largest(s: Array) -> Booleans:
    """Where an entry is the largest of its row, or so near to it that rounding decides: then there are several."""
    return s >= s.max(-1, keepdims=True) - TIE * np.abs(s).max(-1, keepdims=True)


def standing(s: Array) -> dict[str, Booleans]:
    """For each row of the scores (..., n, n): is the one with itself the only largest, one of several, or none?"""
    top = largest(s)
    own, alone = np.diagonal(top, axis1=-2, axis2=-1), top.sum(-1) == 1
    return dict(zip(STANDING, (own & alone, own & ~alone, ~own), strict=True))


def gap_to_next(s: Array) -> Array:
    """From the largest of each row to the next that does not tie with it, over the largest size in the row."""
    next_one = np.where(largest(s), -np.inf, s).max(-1)
    return (s.max(-1) - next_one) / np.abs(s).max(-1)


def rank(mini: MiniLM) -> dict[str, Any]:
    """For each head, of W_Q W_K^T (384 x 384, rank at most 32): how many dimensions it uses.

    How many of its singular values hold 90 % of the squared norm, and the participation number, (sum of squares)^2 /
    sum of fourth powers, 32 when all are equal.
    """
    attentions = [layer.attention for layer in mini.bert.layers]
    out: dict[str, list[Any]] = {"for_90_percent": [], "participation": []}
    for a in attentions:
        product = _by_head(a.q, a.n_heads) @ _by_head(a.k, a.n_heads).mT
        squares = np.linalg.svd(product, compute_uv=False) ** 2
        share = np.cumsum(squares, axis=1) / squares.sum(1, keepdims=True)
        out["for_90_percent"].append((share < 0.9).sum(1) + 1)
        out["participation"].append(squares.sum(1) ** 2 / (squares**2).sum(1))
    return out


def norms(mini: MiniLM) -> dict[str, Any]:
    """Spread of the LayerNorm gains, and lengths of token and position embeddings."""
    layers = mini.bert.layers
    return {
        "gain_embedding": _quantiles(mini.bert.norm.gain),
        "gain_after_attention": [_quantiles(layer.norm1.gain) for layer in layers],
        "gain_after_feed_forward": [_quantiles(layer.norm2.gain) for layer in layers],
        "token_length": _quantiles(np.linalg.norm(mini.bert.tokens, axis=1)),
        "position_length": _quantiles(np.linalg.norm(mini.bert.positions, axis=1)),
    }


def maps(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """For each head, what its attention maps look at.

    How far they lie from those of the other heads of its layer (mean total variation of the rows), the mean weight on
    the first token, [CLS], and the mean length of its value over the median length of the sentence's values.
    """
    distance, first, value, n_rows = 0, 0, 0, 0
    for _, layers in activations(mini, texts):
        weights = np.stack([h.weights for h in layers]).astype(float)  # (layer, head, n, n)
        gap = np.abs(weights[:, :, None] - weights[:, None]).sum(-1) / 2  # (layer, head, head, n)
        distance = distance + gap.sum((2, 3)) / (weights.shape[1] - 1)
        first = first + weights[..., 0].sum(-1)
        length = np.linalg.norm(np.stack([h.v for h in layers]).astype(float), axis=-1)  # (layer, head, n)
        value = value + length[..., 0] / np.median(length, axis=-1)
        n_rows += weights.shape[-1]
    return {
        "distance_to_others": distance / n_rows,
        "weight_on_first": first / n_rows,
        "value_of_first": value / len(texts),
    }


def heads(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """For each head what :func:`maps` says, and what the sentence embeddings lose when its output is zero.

    ``cosine_without``: the mean cosine of the sentence embedding, a unit vector, to the intact one;
    ``distance_without``: the mean distance; ``other_nearest``: the share of sentences whose nearest other sentence is
    another one. ``without_early``: the mean cosine without any head of the layers before the last.
    """
    intact = embeddings(mini.bert, mini, texts)
    n_layers, n_heads = len(mini.bert.layers), mini.bert.layers[0].attention.n_heads
    nearest = nearest_other(intact)
    out: dict[str, Array] = {
        name: np.empty((n_layers, n_heads)) for name in ("cosine_without", "distance_without", "other_nearest")
    }
    for at in np.ndindex(n_layers, n_heads):
        changed = embeddings(without_head(mini.bert, *at), mini, texts)
        out["cosine_without"][at] = (changed * intact).sum(1).mean()
        out["distance_without"][at] = np.linalg.norm(changed - intact, axis=1).mean()
        out["other_nearest"][at] = (nearest_other(changed) != nearest).mean()
    headless = mini.bert
    for layer, head in np.ndindex(n_layers - 1, n_heads):
        headless = without_head(headless, layer, head)
    early = (embeddings(headless, mini, texts) * intact).sum(1).mean()
    return {**maps(mini, texts), **out, "without_early": early}


#: From 0: in short sentences the costliest of the first five layers, the costliest and the cheapest of the last.
IN_LONG_TEXTS = ((3, 9), (5, 11), (5, 0))


def in_long_texts(mini: MiniLM, ids: Integers) -> dict[str, Any]:
    """The mean cosine of texts' vectors to the intact ones without each head of IN_LONG_TEXTS; ids: (texts, tokens)."""
    present = np.ones(ids.shape, bool)
    intact = mini.bert.sentence(ids, present).astype(float)
    changed = [without_head(mini.bert, *at).sentence(ids, present).astype(float) for at in IN_LONG_TEXTS]
    cosines = [(one * intact).sum(1).mean() for one in changed]
    return {"texts": ids.shape[0], "tokens": ids.shape[1], "cosine_without": cosines}


def nearest_other(vectors: Array) -> Integers:
    """For each unit vector which other one is nearest."""
    similarity = vectors @ vectors.T
    np.fill_diagonal(similarity, -np.inf)
    return np.asarray(similarity.argmax(1))


def topics(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """For the stream that enters each layer and that leaves the last: what tokens of one sentence share.

    For each feature, how far the means of sentences vary over how far tokens vary within their sentence, both as
    variances; the means' variance is freed of what tokens bring to it, so that it is 0 on average for independent
    tokens. ``share``: quantiles over the features, by layer. ``top_half``: the share of the variance of all tokens that
    the half of the directions with the most of it has, by layer. ``tokens``: how many there are.
    """
    streams = [np.stack(hidden).astype(float) for hidden, _ in activations(mini, texts)]  # (layers + 1, n, d) each
    n = np.array([one.shape[1] for one in streams])
    mean = np.stack([one.mean(1) for one in streams])  # (sentences, layers + 1, d)
    within = sum(((one - one.mean(1, keepdims=True)) ** 2).sum(1) for one in streams) / (n.sum() - len(n))
    middle = np.tensordot(n, mean, 1) / n.sum()
    typical = (n.sum() - (n**2).sum() / n.sum()) / (len(n) - 1)  # tokens of a sentence
    between = (np.tensordot(n, (mean - middle) ** 2, 1) / (len(n) - 1) - within) / typical
    spectra = np.linalg.eigvalsh([np.cov(layer.T) for layer in np.concatenate(streams, 1)])
    half = spectra.shape[1] // 2
    return {
        "share": [_quantiles(one) for one in between / within],
        "top_half": spectra[:, half:].sum(1) / spectra.sum(1),
        "tokens": n.sum(),
    }


def without_head(bert: Bert, layer: int, head: int) -> Bert:
    """The model with one head's rows of W_O set to zero."""
    attention = bert.layers[layer].attention
    o = attention.o.weight.copy()
    width = len(o) // attention.n_heads
    o[head * width : (head + 1) * width] = 0
    changed = bert.layers[layer]._replace(attention=attention._replace(o=Linear(o, attention.o.bias)))
    return bert._replace(layers=(*bert.layers[:layer], changed, *bert.layers[layer + 1 :]))


OPENED = (
    "The animal didn't cross the street because it was too tired.",
    "I am a boy.",
    "Why divide by the root?",
)


def opened(mini: MiniLM) -> list[dict[str, Any]]:
    """For some sentences all that a lab needs to change the scale of any head.

    Its scores q.k before any division, and its values, turned into a lower triangle L with L L^T = V V^T: lengths of
    weighted sums are the same, numbers fewer. Packed for a page: little-endian int16 and int8, base64, with one scale
    for each head.
    """
    out = []
    for text, (_, layers) in zip(OPENED, activations(mini, list(OPENED)), strict=True):
        q, k, v = (np.stack([getattr(h, name) for h in layers]).astype(float) for name in ("q", "k", "v"))
        lower = np.linalg.cholesky(v @ np.swapaxes(v, -1, -2))[..., *np.tril_indices(v.shape[-2])]
        out.append(
            {
                "text": text,
                "tokens": mini.tokenizer(text).words[0],
                "scores": packed(scores(q, k, divisor=1).reshape(*q.shape[:2], -1), "<i2"),
                "values": packed(lower, "i1"),
            }
        )
    return out


def _by_head(linear: Linear, n_heads: int) -> Array:
    return np.stack(np.split(linear.weight.astype(float), n_heads, axis=1))


def _square(matrix: Array) -> Array:
    return (matrix * matrix).sum((-1, -2))


def _quantiles(values: Array) -> dict[str, float]:
    low, mid, high = np.quantile(values.astype(float), (0.1, 0.5, 0.9))
    return {"low": low, "mid": mid, "high": high, "mean": float(values.astype(float).mean())}
