"""What the learned absolute positions of all-MiniLM-L6-v2 do: in the scores of its first layer, and to its embeddings.

The input of layer 1 is LayerNorm(E + P + S): a token's, a position's and a segment's row. With the divisor of the
LayerNorm given it is a sum of a word's part and a position's part, so a score has four terms, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.evidence.trained import in_double
from whyformer.maths import explained_by_distance
from whyformer.maths.softmax import Array, Integers
from whyformer.model.bert import Bert, pooled
from whyformer.model.weights import MiniLM

SEED = 0
WINDOWS = (31, 127)  # positions 1 to these; position 0 is always [CLS], and its vector is far longer
MOVES = (1, 3, 10, 30, 100)
TERMS = ("word_word", "word_position", "position_word", "position_position")
REACH = 12  # distances in the profile of a head
MAP = 24  # positions in the map that is kept


def parts(bert: Bert, ids: Integers, at: Integers) -> tuple[Array, Array]:
    """The word's and the position's part (n, d_model) of the input of layer 1: tokens ``ids`` at positions ``at``."""
    word, place = (table.astype(float) for table in (bert.tokens[ids] + bert.segments[0], bert.positions[at]))
    spread = np.sqrt((word + place).var(1, keepdims=True) + bert.norm.epsilon)
    word, place = (bert.norm.gain * (one - one.mean(1, keepdims=True)) / spread for one in (word, place))
    return word + bert.norm.bias, place


def heads_of(bert: Bert) -> tuple[Array, Array, Array, Array]:
    """W_Q, W_K (n_heads, d_model, d_k) and their biases (n_heads, 1, d_k) in layer 1."""
    attention = bert.layers[0].attention
    h = attention.n_heads
    both = (attention.q, attention.k)
    w_q, w_k = (np.stack(np.split(one.weight, h, axis=1)) for one in both)
    b_q, b_k = (np.stack(np.split(np.atleast_2d(np.asarray(one.bias)), h, axis=1)) for one in both)
    return w_q, w_k, b_q, b_k


def terms(bert: Bert, ids: Integers) -> Array:
    """(4, n_heads, n, n): the terms of the scores of layer 1, divided by the root of d_k, in the order of ``TERMS``.

    Biases belong to the words.
    """
    word, place = parts(bert, ids, np.arange(len(ids)))
    w_q, w_k, b_q, b_k = heads_of(bert)
    queries, keys = (word @ w_q + b_q, place @ w_q), (word @ w_k + b_k, place @ w_k)
    root = np.sqrt(w_q.shape[-1])
    return np.stack([q @ np.swapaxes(k, 1, 2) / root for q in queries for k in keys])


def position_scores(bert: Bert, at: Integers, spread: float) -> Array:
    """(n_heads, n, n): position with position, for positions ``at`` and one divisor of the LayerNorm for all."""
    place = bert.positions[at].astype(float)
    place = bert.norm.gain * (place - place.mean(1, keepdims=True)) / spread
    w_q, w_k, *_ = heads_of(bert)
    return (place @ w_q) @ np.swapaxes(place @ w_k, 1, 2) / np.sqrt(w_q.shape[-1])


def scores_of_sentences(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """By head of layer 1, over all sentences, scores without the mean of their row, which softmax ignores.

    ``shares``: of their variance, by term (covariance of the term with the score over the variance of the score; they
    sum to 1); ``std``: root of the variance; ``explained``: share of the variance that the distance alone explains.
    """
    found: list[Array] = []
    distances: list[Integers] = []
    for text in texts:
        ids = mini.tokenizer(text).ids[0]
        one = terms(mini.bert, ids)
        found.append((one - one.mean(-1, keepdims=True)).reshape(*one.shape[:2], -1))
        i = np.arange(len(ids))
        distances.append((i - i[:, None]).ravel())
    four, distance = np.concatenate(found, -1), np.concatenate(distances)
    score = four.sum(0)
    square = (score**2).mean(-1)
    sums = [score[:, distance == d].sum(-1) ** 2 / (distance == d).sum() for d in np.unique(distance)]
    return {
        "std": np.sqrt(square),
        "shares": dict(zip(TERMS, (four * score).mean(-1) / square, strict=True)),
        "explained": np.sum(sums, 0) / score.shape[-1] / square,
    }


def by_distance(bert: Bert, spread: float) -> dict[str, Any]:
    """By head of layer 1: what the distance explains of position with position, on two windows, and its profile.

    ``chance``: the same with the positions in a random order, mean of 20; ``profile``: mean score at distances
    -REACH to REACH over positions 1 to 31; ``map``: of the third head, positions 1 to MAP.
    """
    rng = np.random.default_rng(SEED)
    out: dict[str, Any] = {"explained": {}, "chance": {}}
    for last in WINDOWS:
        scores = position_scores(bert, np.arange(1, last + 1), spread)
        out["explained"][str(last)] = [explained_by_distance(one) for one in scores]
        shuffled = [[explained_by_distance(one[order][:, order]) for one in scores] for order in orders(rng, last)]
        out["chance"][str(last)] = np.mean(shuffled, axis=0)
    scores = position_scores(bert, np.arange(1, WINDOWS[0] + 1), spread)
    out["std"] = [one.std() for one in scores]
    out["profile"] = [[np.diagonal(one, d).mean() for d in range(-REACH, REACH + 1)] for one in scores]
    out["map"] = scores[2, :MAP, :MAP]
    return out


def orders(rng: np.random.Generator, n: int) -> list[Integers]:
    """20 random orders of n."""
    return [rng.permutation(n) for _ in range(20)]


def moved(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """Cosine of the sentence embedding to the intact one (mean and tenth percentile) when positions change.

    ``1``, ``3``, ...: all tokens but [CLS] stand so many positions later; ``order``: the same tokens but [CLS] at each
    other's positions; ``scattered``: at random positions up to 127.
    """
    rng = np.random.default_rng(SEED)
    cosines: dict[str, list[float]] = {name: [] for name in (*map(str, MOVES), "order", "scattered")}
    for text in texts:
        ids = mini.tokenizer(text).ids[0]
        at = np.arange(len(ids))
        intact = embedding(mini.bert, ids, at)
        places = {str(move): np.append(0, at[1:] + move) for move in MOVES}
        places["order"] = np.append(0, rng.permutation(at[1:]))
        places["scattered"] = np.append(0, 1 + rng.choice(127, len(ids) - 1, replace=False))
        for name, one in places.items():
            cosines[name].append(float(embedding(mini.bert, ids, one) @ intact))
    return {name: {"mean": np.mean(one), "tenth": np.quantile(one, 0.1)} for name, one in cosines.items()}


def embedding(bert: Bert, ids: Integers, at: Integers) -> Array:
    """The sentence embedding (d_model,) of tokens that stand at the positions ``at``."""
    x = bert.norm(bert.tokens[ids] + bert.positions[at] + bert.segments[0])
    for layer in bert.layers:
        x = layer(x)
    return pooled(x)


def usual_spread(mini: MiniLM, texts: list[str]) -> float:
    """Median over all tokens of what the first LayerNorm divides by."""
    found = []
    for text in texts:
        ids = mini.tokenizer(text).ids[0]
        x = mini.bert.tokens[ids] + mini.bert.positions[: len(ids)] + mini.bert.segments[0]
        found.append(np.sqrt(x.astype(float).var(1) + mini.bert.norm.epsilon))
    return float(np.median(np.concatenate(found)))


def measured(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """All of it."""
    mini = mini._replace(bert=in_double(mini.bert))
    spread = usual_spread(mini, texts)
    return {
        "spread": spread,
        "positions": by_distance(mini.bert, spread),
        "scores": scores_of_sentences(mini, texts),
        "moved": moved(mini, texts),
    }
