"""Look inside the trained model while it reads a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from whyformer.maths import scores
from whyformer.maths.softmax import Array
from whyformer.model.bert import pooled
from whyformer.model.layers import causal
from whyformer.model.weights import MissingWeights, load

if TYPE_CHECKING:
    import pandas as pd

    from whyformer.lab.theme import StillFigure

ARRAYS = ("q", "k", "v", "scores", "weights")


class Look(NamedTuple):
    """What :func:`look` saw. Axes of the arrays: layer, head, then tokens.

    In ``table``, ``plot`` and ``arcs`` layers, heads and tokens count from 1, as in the labs; the arrays count from 0,
    as all arrays do. In the decoder a token sees itself and earlier ones: scores of later ones are NaN, weights 0. Its
    q and k are rotated, and three heads share one key and value head, which is shown for each of them.
    """

    tokens: list[str]
    hidden: Array  #: (n_layers + 1, n, d_model): the embedding, then each layer's output
    q: Array  #: (n_layers, n_heads, n, d_k)
    k: Array  #: the same shape
    v: Array  #: the same shape
    scores: Array  #: (n_layers, n_heads, n, n), divided by sqrt(d_k)
    weights: Array  #: (n_layers, n_heads, n, n)
    sentence: Array | None = None  #: the encoder's, (d_model,), as :meth:`Bert.sentence` gives it
    loss: Array | None = None  #: the decoder's, (n - 1,): of each token but the first, in nats

    def _of(self, what: str, layer: int, head: int, allowed: Sequence[str] = ARRAYS) -> Array:
        if what not in allowed:
            raise ValueError(f"what must be {', '.join(allowed[:-1])} or {allowed[-1]}; got {what!r}")
        array: Array = getattr(self, what)
        for name, value, n in (("layer", layer, array.shape[0]), ("head", head, array.shape[1])):
            if value not in range(1, n + 1):
                raise IndexError(f"{name} must be a whole number from 1 to {n}; got {value!r}")
        return array[layer - 1, head - 1]

    def table(self, what: str, layer: int, head: int) -> pd.DataFrame:
        """``q``, ``k``, ``v``, ``scores`` or ``weights`` of one head, with the tokens as labels.

        Raises ``ValueError`` for another name, ``IndexError`` for a layer or head that is not there.
        """
        import pandas as pd  # a quarter of a second, and only tables need it

        array, named = self._of(what, layer, head), what in ("scores", "weights")
        return pd.DataFrame(array, index=self.tokens, columns=self.tokens if named else None)

    def plot(self, layer: int, head: int, what: str = "weights") -> StillFigure:
        """One head's ``weights`` or ``scores`` in colour: a row for each token that looks, a column for each it sees.

        A Matplotlib figure. Raises as :meth:`table` does.
        """
        from whyformer.model import pictures  # Matplotlib, which only pictures need

        array = self._of(what, layer, head, ("scores", "weights"))
        return pictures.table(self.tokens, array, f"{what} of layer {layer}, head {head}")

    def arcs(self, layer: int, head: int, token: int | str | None = None) -> StillFigure:
        """One head's weights as arcs over the words: above them to later tokens, below to earlier ones.

        ``token``: draw those of one token alone, by its place from 1 or by the word itself (the first, if there are
        several). A Matplotlib figure. Raises as :meth:`table` does, and ``ValueError`` for a token that is not there.
        """
        from whyformer.model import pictures  # Matplotlib, which only pictures need

        array, places = self._of("weights", layer, head), range(1, len(self.tokens) + 1)
        if isinstance(token, str) and token in self.tokens:
            token = self.tokens.index(token) + 1
        if token is not None and token not in places:
            raise ValueError(f"token must be from 1 to {len(places)}, or one of {self.tokens}; got {token!r}")
        query = None if token is None else int(token) - 1
        return pictures.arcs(self.tokens, array, f"weights of layer {layer}, head {head}", query)

    def grid(self) -> StillFigure:
        """The weights of all heads, small: a row for each layer, a column for each head. A Matplotlib figure."""
        from whyformer.model import pictures  # Matplotlib, which only pictures need

        return pictures.grid(self.tokens, self.weights, "weights of all heads")

    def __repr__(self) -> str:
        layers, heads, n, d_k = self.q.shape
        return f"Look({n} tokens, {layers} layers, {heads} heads, d_k {d_k}): {' '.join(self.tokens)}"


@overload
def look(text: str, folder: str | Path | None = None, *, model: str = "minilm") -> Look | None: ...
@overload
def look(text: list[str], folder: str | Path | None = None, *, model: str = "minilm") -> list[Look] | None: ...
def look(text: str | list[str], folder: str | Path | None = None, *, model: str = "minilm") -> Look | list[Look] | None:
    """Everything that attention computes while a trained model reads ``text``: a :class:`Look`; of a list, a list.

    ``model``: ``"minilm"``, the encoder of :func:`load`, or ``"smollm2"``, the decoder of
    :func:`whyformer.model.smollm.load`; ``folder`` is what they are given. Where the model is not installed: ``None``,
    after one printed line that says how to get it, so that a notebook goes on. ``TypeError`` for what is not text,
    ``ValueError`` for another model and for a text without a token or with more than the model has places for; all
    other errors as in those functions, of a ``folder`` that lacks a file too.
    """
    if model not in MODELS:
        raise ValueError(f"model must be {' or '.join(map(repr, MODELS))}; got {model!r}")
    texts = [text] if isinstance(text, str) else text
    if not isinstance(texts, list | tuple) or not all(isinstance(one, str) for one in texts):
        raise TypeError(f"look reads a text, or a list of texts; got {text!r}")
    if not texts:
        raise ValueError("look reads at least one text; got an empty list")
    try:
        seen = [MODELS[model](one, folder) for one in texts]
    except MissingWeights as missing:
        if folder is not None:
            raise
        print(missing)
        return None
    return seen[0] if isinstance(text, str) else seen


def _refused(text: str, longest: int, error: ValueError) -> ValueError:
    """Why a text cannot be read, in words of a reader: it is empty, or too long."""
    words = len(text.split())
    if not words:
        return ValueError(f"look reads a text with at least one word; got {text!r}")
    if len(text) > longest:
        return ValueError(
            f"look reads at most {longest} tokens of this model; this text of {words} words has more: shorten it, or "
            "look at its sentences one by one, as a list"
        )
    return ValueError(str(error).replace("sentence 0", "the text"))


def _encoder(text: str, folder: str | Path | None) -> Look:
    bert, tokenizer = load(folder)
    try:
        tokens = tokenizer(text)
    except ValueError as error:
        raise _refused(text, tokenizer.longest, error) from None
    hidden = bert.hidden(tokens.ids[0])
    heads = [layer.attention.heads(x, x) for layer, x in zip(bert.layers, hidden[:-1], strict=True)]
    q, k, v, weights = (np.stack([getattr(h, name) for h in heads]) for name in ("q", "k", "v", "weights"))
    return Look(tokens.words[0], np.stack(hidden), q, k, v, scores(q, k), weights, sentence=pooled(hidden[-1]))


def _decoder(text: str, file: str | Path | None) -> Look:
    from whyformer.model import smollm

    decoder, pieces = smollm.load(file)
    try:
        ids = pieces(text)
    except ValueError as error:
        raise _refused(text, pieces.longest, error) from None
    hidden = decoder.hidden(ids)
    blocks = zip(decoder.blocks, hidden[:-1], strict=True)
    heads = [block.attention.heads(block.norm1(x))[0] for block, x in blocks]
    q, k, v, weights = (np.stack([getattr(h, name) for h in heads]) for name in ("q", "k", "v", "weights"))
    seen = np.where(causal(len(ids)), scores(q, k), np.float32("nan"))
    return Look(pieces.words(ids), np.stack(hidden), q, k, v, seen, weights, loss=decoder.loss(ids))


MODELS = {"minilm": _encoder, "smollm2": _decoder}
