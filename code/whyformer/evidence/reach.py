"""How strongly one word of a text reaches another through all layers of the trained model, by how far apart they are.

All-MiniLM-L6-v2. Every function is pure: the model and the sentences in, plain numbers out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.evidence.trained import in_double
from whyformer.maths.softmax import Array, Integers
from whyformer.model.bert import Bert
from whyformer.model.weights import MiniLM

LENGTHS = (16, 32, 64, 128, 256)  #: tokens of a text, [CLS] and [SEP] among them
DISTANCES = (0, 1, 2, 4, 8, 16, 32, 64, 120)  #: how far back the moved word stands, in texts of ``WITHIN`` tokens
WITHIN = 128
TEXTS = 40
NUDGE = 1e-3  #: as a share of the length of the vector that is moved


def texts_of(mini: MiniLM, sentences: list[str], n: int, count: int, seed: int = 0) -> Integers:
    """Ids (count, n) of texts of exactly n tokens: sentences in random order, the last one cut, [SEP] at the end."""
    rng, out = np.random.default_rng(seed), []
    for _ in range(count):
        drawn = " ".join(sentences[i] for i in rng.permutation(len(sentences))[:n])
        ids = mini.tokenizer(drawn, truncate=n).ids[0]
        assert len(ids) == n
        out.append(ids)
    return np.array(out)


def influence(bert: Bert, ids: Integers, sources: list[int], rng: np.random.Generator) -> Array:
    """How far the last word's output moves when the input of each source is moved, (n_sources,).

    The length of J v over the length of v, for one random direction v of each source's input vector (after the
    embedding's norm), by central differences. The last word stands before [SEP]. ``bert`` is in double precision.
    """
    x, n_sources = bert.embed(ids), len(sources)
    v = rng.standard_normal((n_sources, x.shape[-1]))
    v *= NUDGE * np.linalg.norm(x[sources], axis=1, keepdims=True) / np.linalg.norm(v, axis=1, keepdims=True)
    moved = np.tile(x, (2, n_sources, 1, 1))
    for sign, half in zip((1, -1), moved, strict=True):
        half[np.arange(n_sources), sources] += sign * v
    for layer in bert.layers:
        moved = layer(moved)
    there, back = moved[:, :, -2]
    return np.linalg.norm(there - back, axis=-1) / (2 * np.linalg.norm(v, axis=1))


def weight(bert: Bert, ids: Integers, sources: list[int]) -> Array:
    """The attention weight of the last word on each source, mean over all heads and layers, (n_sources,)."""
    hidden = bert.hidden(ids)
    layers = [one.attention.heads(x, x).weights for one, x in zip(bert.layers, hidden[:-1], strict=True)]
    return np.stack(layers)[:, :, -2][..., sources].mean((0, 1))


def by_distance(mini: MiniLM, sentences: list[str], count: int = TEXTS) -> dict[str, Any]:
    """In texts of 128 tokens: influence and weight (texts, 9) of the word that stands so far back."""
    bert = in_double(mini.bert)
    sources = [WITHIN - 2 - distance for distance in DISTANCES]
    texts = texts_of(mini, sentences, WITHIN, count)
    return {
        "distances": DISTANCES,
        "influence": [influence(bert, ids, sources, np.random.default_rng(i)) for i, ids in enumerate(texts)],
        "weight": [weight(bert, ids, sources) for ids in texts],
    }


def by_length(mini: MiniLM, sentences: list[str], count: int = TEXTS) -> dict[str, Any]:
    """By length of the text: influence and weight (lengths, texts, 2) of the first word, and of the last on itself."""
    bert = in_double(mini.bert)
    out: dict[str, Any] = {"lengths": LENGTHS, "influence": [], "weight": []}
    for n in LENGTHS:
        texts = texts_of(mini, sentences, n, count)
        ends = [1, n - 2]
        out["influence"].append([influence(bert, ids, ends, np.random.default_rng(i)) for i, ids in enumerate(texts)])
        out["weight"].append([weight(bert, ids, ends) for ids in texts])
    return out
