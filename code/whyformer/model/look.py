"""Look inside the trained model while it reads a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whyformer.maths import scores
from whyformer.maths.softmax import Array
from whyformer.model.bert import pooled
from whyformer.model.weights import MissingWeights, load

if TYPE_CHECKING:
    import pandas as pd


class Look(NamedTuple):
    """What :func:`look` saw. Axes: layer, head, then tokens; layers and heads count from 0."""

    tokens: list[str]
    hidden: Array  #: (n_layers + 1, n, d_model): the embedding, then each layer's output
    q: Array  #: (n_layers, n_heads, n, d_k)
    k: Array  #: the same shape
    v: Array  #: the same shape
    scores: Array  #: (n_layers, n_heads, n, n), divided by sqrt(d_k)
    weights: Array  #: (n_layers, n_heads, n, n)
    sentence: Array  #: (d_model,), as :meth:`Bert.sentence` gives it

    def table(self, what: str, layer: int, head: int) -> pd.DataFrame:
        """``q``, ``k``, ``v``, ``scores`` or ``weights`` of one head, with the tokens as labels.

        Raises ``ValueError`` for another name, ``IndexError`` for a layer or head that is not there.
        """
        import pandas as pd  # a quarter of a second, and only tables need it

        if what not in ("q", "k", "v", "scores", "weights"):
            raise ValueError(f"what must be q, k, v, scores or weights; got {what!r}")
        array = getattr(self, what)
        for name, value, n in (("layer", layer, array.shape[0]), ("head", head, array.shape[1])):
            if not 0 <= value < n:
                raise IndexError(f"{name} must be from 0 to {n - 1}; got {value!r}")
        named = what in ("scores", "weights")
        return pd.DataFrame(array[layer, head], index=self.tokens, columns=self.tokens if named else None)

    def __repr__(self) -> str:
        layers, heads, n, d_k = self.q.shape
        return f"Look({n} tokens, {layers} layers, {heads} heads, d_k {d_k}): {' '.join(self.tokens)}"


def look(sentence: str, folder: str | Path | None = None) -> Look | None:
    """Everything that attention computes while the trained model reads ``sentence``.

    Where the model is not installed: ``None``, after one printed line that says how to get it, so that a notebook goes
    on. All other errors as in :func:`load`, of a ``folder`` that lacks a file too, and
    :class:`whyformer.model.tokens.Tokenizer`.
    """
    try:
        bert, tokenizer = load(folder)
    except MissingWeights as missing:
        if folder is not None:
            raise
        print(missing)
        return None
    tokens = tokenizer(sentence)
    ids = tokens.ids[0]
    hidden = bert.hidden(ids)
    heads = [layer.attention.heads(x, x) for layer, x in zip(bert.layers, hidden[:-1], strict=True)]
    q, k, v, weights = (np.stack([getattr(h, name) for h in heads]) for name in ("q", "k", "v", "weights"))
    return Look(tokens.words[0], np.stack(hidden), q, k, v, scores(q, k), weights, pooled(hidden[-1]))
