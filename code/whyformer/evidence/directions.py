"""How directed the scores of the trained model are: the running sentence, and all pairs of tokens of 200 sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer.evidence.packing import packed
from whyformer.evidence.trained import activations
from whyformer.maths import scores, softmax
from whyformer.maths.softmax import Array
from whyformer.model.weights import MiniLM

RUNNING = "The cat sat because it was tired."


def all_scores(mini: MiniLM, text: str, divisor: float | None = None) -> Array:
    """Scores of every head for one sentence, divided by sqrt(d_k) if ``divisor`` is None: (n_layers, n_heads, n, n)."""
    _, layers = next(activations(mini, [text]))
    q, k = (np.stack([getattr(head, name) for head in layers]).astype(float) for name in ("q", "k"))
    return scores(q, k, divisor=divisor)


def running(mini: MiniLM) -> dict[str, Any]:
    """Tokens of the running sentence, and its scores before any division, packed as in ``trained.opened``."""
    raw = all_scores(mini, RUNNING, divisor=1)
    tokens = mini.tokenizer(RUNNING).words[0]
    return {"text": RUNNING, "tokens": tokens, "scores": packed(raw.reshape(*raw.shape[:2], -1), "<i2")}


def pairs(mini: MiniLM, texts: list[str]) -> dict[str, Any]:
    """What one matrix forbids, counted over all pairs of tokens (i before j) of all heads and sentences.

    ``forbidden``: share of pairs with S_ii + S_jj < S_ij + S_ji; ``beyond``: share whose two weights add up to more
    than 1; ``count``: number of pairs.
    """
    forbidden = beyond = count = 0
    for text in texts:
        found = all_scores(mini, text)
        i, j = np.triu_indices(found.shape[-1], 1)
        weights = softmax(found)
        apart = found[..., i, i] + found[..., j, j] - found[..., i, j] - found[..., j, i]
        forbidden += int((apart < 0).sum())
        beyond += int((weights[..., i, j] + weights[..., j, i] > 1).sum())
        count += apart.size
    return {"forbidden": forbidden / count, "beyond": beyond / count, "count": count}
