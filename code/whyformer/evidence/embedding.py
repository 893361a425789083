"""Words and positions in the trained model: how long they are, and which of them the first layer's scores follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.evidence.trained import in_double
from whyformer.maths.softmax import Array
from whyformer.model.weights import MiniLM

PARTS = ("word", "position", "rest")


def lengths(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """Lengths of what is added up before the first LayerNorm, and angles of the sum, in degrees.

    ``word`` and ``position``: low, median and high (10, 50, 90 %) over the tokens of all sentences without [CLS] and
    [SEP]; ``table``: the same over all words that the model knows; ``first``: of the position of [CLS]; ``segment``: of
    the row that all tokens share; ``ratio``: median of word over position; ``word_angle``, ``position_angle``: median
    over the tokens, of the sum with its part, both without their means, as the LayerNorm sees them.
    """
    bert = in_double(mini.bert)
    ids = [np.array(mini.tokenizer(text).ids[0]) for text in texts]
    words = np.concatenate([bert.tokens[row[1:-1]] for row in ids])
    places = np.concatenate([bert.positions[1 : len(row) - 1] for row in ids])
    centred = [part - part.mean(1, keepdims=True) for part in (words, places, words + places + bert.segments[0])]
    word, place, both = (part / np.linalg.norm(part, axis=1, keepdims=True) for part in centred)
    long, short = np.linalg.norm(words, axis=1), np.linalg.norm(places, axis=1)
    return {
        "word": _quantiles(long),
        "position": _quantiles(short),
        "table": _quantiles(np.linalg.norm(bert.tokens, axis=1)),
        "first": np.linalg.norm(bert.positions[0]),
        "segment": np.linalg.norm(bert.segments[0]),
        "ratio": np.median(long / short),
        "word_angle": np.median(np.degrees(np.arccos((both * word).sum(1)))),
        "position_angle": np.median(np.degrees(np.arccos((both * place).sum(1)))),
    }


def parts_of_input(mini: MiniLM, ids: Array) -> dict[str, Array]:
    r"""What enters layer 1, :math:`\operatorname{LayerNorm}(E_w + p + s)`, as a sum over ``PARTS``: each (n, d_model).

    A LayerNorm divides the sum by one number for each token, so each part may be divided by it alone. The rest is what
    the segment and the norm's bias add.
    """
    bert = mini.bert
    added = (bert.tokens[ids], bert.positions[: len(ids)], bert.segments[np.zeros(len(ids), int)])
    whole = added[0] + added[1] + added[2]
    std = np.sqrt(whole.var(1, keepdims=True) + bert.norm.epsilon)
    word, place, rest = (bert.norm.gain * (part - part.mean(1, keepdims=True)) / std for part in added)
    return dict(zip(PARTS, (word, place, rest + bert.norm.bias), strict=True))


def shares(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """By head of layer 1: how much of the variance of the scores within a row each part of the keys explains.

    A score is a sum over the parts of its key; the share of a part is its covariance with the score within the rows,
    over the variance of the score, summed over all rows. Shares add up to 1. ``heads``: by part and head; ``input``:
    the same for the vectors themselves, which is what heads with random matrices would show on average. [CLS] and
    [SEP] are left out as queries and as keys.
    """
    mini = mini._replace(bert=in_double(mini.bert))
    attention = mini.bert.layers[0].attention
    heads = {part: np.zeros(attention.n_heads) for part in PARTS}
    raw = dict.fromkeys(PARTS, 0.0)
    for text in texts:
        ids = np.array(mini.tokenizer(text).ids[0])
        parts = {name: part[1:-1] for name, part in parts_of_input(mini, ids).items()}
        x = np.sum([*parts.values()], axis=0)
        q = _by_head(attention.q(x), attention.n_heads)
        keys = {name: _by_head(part @ attention.k.weight, attention.n_heads) for name, part in parts.items()}
        scores = {name: _centred(q @ np.swapaxes(k, -1, -2), -1) for name, k in keys.items()}
        whole = np.sum([*scores.values()], axis=0)
        for name in PARTS:
            heads[name] += (whole * scores[name]).sum((-1, -2))
            raw[name] += float((_centred(x, 0) * _centred(parts[name], 0)).sum())
    return {
        "heads": {name: found / sum(heads.values()) for name, found in heads.items()},
        "input": {name: found / sum(raw.values()) for name, found in raw.items()},
    }


def _by_head(x: Array, n_heads: int) -> Array:
    """(n, d_model) to (n_heads, n, d_k)."""
    return np.stack(np.split(x, n_heads, axis=1))


def _centred(x: Array, axis: int) -> Array:
    return x - x.mean(axis, keepdims=True)


def _quantiles(values: Array) -> dict[str, float]:
    return dict(zip(("low", "mid", "high"), np.quantile(values, (0.1, 0.5, 0.9)).tolist(), strict=True))
