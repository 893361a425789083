"""Look inside a trained model while it reads a text."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from whyformer.maths import scores
from whyformer.maths.softmax import Array
from whyformer.model import smollm
from whyformer.model.bert import pooled
from whyformer.model.layers import Heads, causal
from whyformer.model.smollm import SmolLM
from whyformer.model.weights import MiniLM, load
from whyformer.progress import Bar

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from whyformer.lab.theme import StillFigure

Model = str | MiniLM | SmolLM
Size = tuple[float, float]

ARRAYS = ("q", "k", "v", "scores", "weights")
UNKNOWN = "[UNK]"
MODELS: dict[str, Callable[..., MiniLM | SmolLM]] = {"minilm": load, "smollm2": smollm.load}


@dataclass(frozen=True, eq=False, repr=False)
class Look:
    """What :func:`look` saw while a model read a text.

    In ``table``, ``plot`` and ``arcs`` layers, heads and tokens count from 1, as in the labs; the arrays count from 0,
    as all arrays do: ``seen.weights[0, 2]`` is what ``seen.table("weights", layer=1, head=3)`` shows.

    tokens : list of str
        The n pieces of the text.
    hidden : array (n_layers + 1, n, d_model)
        The embedding, then each layer's output.
    q, k, v : arrays (n_layers, n_heads, n, d_k)
        Queries, keys and values. In the decoder q and k are rotated, and three heads share one key and value head,
        which is shown for each of them.
    weights : array (n_layers, n_heads, n, n)
        From 0 to 1: a row for each token that looks, and each row sums to 1. In the decoder a token sees itself and
        earlier ones, and the weights of later ones are 0.
    scores : array (n_layers, n_heads, n, n)
        What goes into the softmax: products of q and k, divided by ``divisor``; NaN for what a token may not see. They
        are computed when they are asked for.
    divisor : tuple of float
        What the scores of each layer are divided by.
    sentence : array (d_model,) or None
        The encoder's vector of the text, of length 1, as :meth:`Bert.sentence` gives it.
    loss : array (n - 1,) or None
        What each token but the first cost the decoder, in nats.
    """

    tokens: list[str]
    hidden: Array
    q: Array
    k: Array
    v: Array
    weights: Array
    divisor: tuple[float, ...]
    sentence: Array | None = None
    loss: Array | None = None

    @cached_property
    def scores(self) -> Array:
        """What goes into the softmax, (n_layers, n_heads, n, n)."""
        return np.stack([self._scores(layer) for layer in range(len(self.q))])

    def _scores(self, layer: int, heads: slice | int = slice(None)) -> Array:
        found = scores(self.q[layer, heads], self.k[layer, heads], divisor=self.divisor[layer])
        return found if self.loss is None else np.where(causal(len(self.tokens)), found, found.dtype.type("nan"))

    def _of(self, what: str, layer: int, head: int, allowed: Sequence[str] = ARRAYS) -> Array:
        if what not in allowed:
            raise ValueError(f"what must be {', '.join(allowed[:-1])} or {allowed[-1]}; got {what!r}")
        for name, value, n in (("layer", layer, len(self.q)), ("head", head, self.q.shape[1])):
            if value not in range(1, n + 1):
                raise IndexError(f"{name} must be a whole number from 1 to {n}; got {value!r}")
        return self._scores(layer - 1, head - 1) if what == "scores" else getattr(self, what)[layer - 1, head - 1]

    def table(self, what: str, layer: int, head: int) -> pd.DataFrame:
        """``q``, ``k``, ``v``, ``scores`` or ``weights`` of one head, with the tokens as labels.

        Raises ``ValueError`` for another name, ``IndexError`` for a layer or head that is not there.
        """
        import pandas as pd  # a quarter of a second, and only tables need it

        array, named = self._of(what, layer, head), what in ("scores", "weights")
        return pd.DataFrame(array, index=self.tokens, columns=self.tokens if named else None)

    @overload
    def plot(self, layer: int, head: int, what: str = "weights", *, ax: Axes, cmap: Any = None) -> Axes: ...
    @overload
    def plot(
        self,
        layer: int,
        head: int,
        what: str = "weights",
        *,
        figsize: Size | None = None,
        cmap: Any = None,
    ) -> StillFigure: ...
    def plot(self, layer: int, head: int, what: str = "weights", **looks: Any) -> StillFigure | Axes:
        """One head's ``weights`` or ``scores`` in colour: a row for each token that looks, a column for each it sees.

        A figure; on given axes ``ax``, these. ``ax``, ``figsize`` and ``cmap`` are as in
        :func:`whyformer.model.pictures.table`. Raises as :meth:`table` does.
        """
        from whyformer.model import pictures  # Matplotlib, which only pictures need

        array = self._of(what, layer, head, ("scores", "weights"))
        return pictures.table(self.tokens, array, f"{what} of layer {layer}, head {head}", **looks)

    @overload
    def arcs(self, layer: int, head: int, token: int | str | None = None, *, ax: Axes) -> Axes: ...
    @overload
    def arcs(
        self, layer: int, head: int, token: int | str | None = None, *, figsize: Size | None = None
    ) -> StillFigure: ...
    def arcs(self, layer: int, head: int, token: int | str | None = None, **looks: Any) -> StillFigure | Axes:
        """One head's weights as arcs over the words: above them to later tokens, below to earlier ones.

        ``token``: draw those of one token alone, by its place from 1 or by the word itself, with or without the space
        that some tokens begin with (the first, if there are several). A figure; on given axes ``ax``, these. Raises as
        :meth:`table` does, and ``ValueError`` for a token that is not there.
        """
        from whyformer.model import pictures  # Matplotlib, which only pictures need

        array, query = self._of("weights", layer, head), None if token is None else self._place(token)
        return pictures.arcs(self.tokens, array, f"weights of layer {layer}, head {head}", query, **looks)

    def _place(self, token: int | str) -> int:
        """Where a token stands, from 0."""
        bare = [one.strip() for one in self.tokens]
        if isinstance(token, str) and (token in self.tokens or token.strip() in bare):
            return self.tokens.index(token) if token in self.tokens else bare.index(token.strip())
        if token in range(1, len(bare) + 1):
            return int(token) - 1
        told = ", ".join(map(repr, self.tokens[:20])) + (", …" if len(bare) > 20 else "")
        raise ValueError(f"token must be from 1 to {len(bare)}, or one of {told}; got {token!r}")

    @overload
    def grid(self, *, ax: Axes, cmap: Any = None) -> Axes: ...
    @overload
    def grid(self, *, figsize: Size | None = None, cmap: Any = None) -> StillFigure: ...
    def grid(self, **looks: Any) -> StillFigure | Axes:
        """The weights of all heads, small: a row for each layer, a column for each head.

        A figure; on given axes ``ax``, these. ``figsize`` and ``cmap`` as in :func:`whyformer.model.pictures.grid`.
        """
        from whyformer.model import pictures  # Matplotlib, which only pictures need

        return pictures.grid(self.weights, "weights of all heads", **looks)

    def __repr__(self) -> str:
        layers, heads, n, d_k = self.q.shape
        words = " ".join(self.tokens[:30]) + (" …" if n > 30 else "")
        return f"Look({n} tokens, {layers} layers, {heads} heads, d_k {d_k}): {words}"


@overload
def look(  # type: ignore[overload-overlap]  # a text is texts of one character; it counts as one
    text: str, folder: str | Path | None = None, *, model: Model = "minilm", progress: bool = True
) -> Look: ...
@overload
def look(
    text: Iterable[str],
    folder: str | Path | None = None,
    *,
    model: Model = "minilm",
    progress: bool = True,
) -> list[Look]: ...
def look(
    text: str | Iterable[str],
    folder: str | Path | None = None,
    *,
    model: Model = "minilm",
    progress: bool = True,
) -> Look | list[Look]:
    """Everything that attention computes while a trained model reads ``text``: a :class:`Look`.

    Of several texts (a list, an array, a Series) it is a list. ``model``: ``"minilm"``, the encoder of :func:`load`, or
    ``"smollm2"``, the decoder of :func:`whyformer.model.smollm.load`; ``folder`` is what they are given. Or what these
    return, changed as you like: ``look(text, model=load().without_head(layer=3, head=5))``. ``progress`` shows a bar if
    it takes more than two seconds.

    Raises :class:`MissingWeights`, whose message is the line that gets them, where the model is not installed;
    ``TypeError`` for what is not text, ``ValueError`` for another model and for a text without a token, with half a
    character or with more tokens than the model has places for; all other errors as in those functions. It warns of
    tokens that the model does not know.
    """
    texts = [text] if isinstance(text, str) else _listed(text)
    if isinstance(model, str):
        if model not in MODELS:
            raise ValueError(f"model must be {' or '.join(map(repr, MODELS))}, or what load() returns; got {model!r}")
        model = MODELS[model]() if folder is None else MODELS[model](folder)
    if not isinstance(model, MiniLM | SmolLM):
        raise ValueError(f"model must be {' or '.join(map(repr, MODELS))}, or what load() returns; got {type(model)}")
    reader = _Encoder(model) if isinstance(model, MiniLM) else _Decoder(model)
    read = [reader.read(one) for one in texts]
    with Bar(reader.layers * len(read), progress) as bar:
        seen = [_seen(reader, *each, bar) for each in read]
    return seen[0] if isinstance(text, str) else seen


def _listed(texts: Any) -> list[str]:
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise TypeError(f"look reads a text, or a list of texts; got {texts!r}")
    listed = list(texts)
    if not listed:
        raise ValueError("look reads at least one text; got an empty list")
    wrong = [one for one in listed if not isinstance(one, str)]
    if wrong:
        raise TypeError(f"look reads a text, or a list of texts; got one with {wrong[0]!r}")
    return listed


class _Encoder:
    """How a MiniLM reads."""

    def __init__(self, model: MiniLM) -> None:
        self.model, self.layers = model.bert, len(model.bert.layers)
        self.tokenizer = model.tokenizer
        self.divisors = [layer.attention.divisor for layer in model.bert.layers]

    def read(self, text: str) -> tuple[list[str], Any]:
        """The tokens of a text, and their ids."""
        _whole_characters(text)
        try:
            tokens = self.tokenizer(text)
        except ValueError as error:
            raise _refused(text, self.tokenizer.longest, error) from None
        unknown = tokens.words[0].count(UNKNOWN)
        if unknown:
            told = f"{unknown} of the {len(tokens.words[0])} tokens of this text are {UNKNOWN}: the model does not know"
            warnings.warn(f"{told} these words, so what is seen there says nothing about them.", stacklevel=4)
        return tokens.words[0], tokens.ids[0]

    def end(self, hidden: Array, ids: Any) -> dict[str, Array]:
        """What is known at the end of the last layer."""
        return {"sentence": pooled(hidden)}


class _Decoder:
    """How a SmolLM reads."""

    def __init__(self, model: SmolLM) -> None:
        self.model, self.layers = model.decoder, len(model.decoder.blocks)
        self.pieces = model.pieces
        self.divisors = [block.attention.divisor for block in model.decoder.blocks]

    def read(self, text: str) -> tuple[list[str], Any]:
        """The tokens of a text, and their ids."""
        _whole_characters(text)
        try:
            ids = self.pieces(text)
        except ValueError as error:
            raise _refused(text, self.pieces.longest, error) from None
        return self.pieces.words(ids), ids

    def end(self, hidden: Array, ids: Any) -> dict[str, Array]:
        """What is known at the end of the last block."""
        return {"loss": self.model.loss_at(hidden, ids)}


def _seen(reader: _Encoder | _Decoder, tokens: list[str], ids: Any, bar: Bar) -> Look:
    """One pass, which keeps what it computes in arrays that are made once: of a long text they are large."""
    arrays: dict[str, Array] = {}
    passing: Iterator[tuple[Array, Heads | None]] = reader.model.seen(ids)
    x, _ = next(passing)
    hidden = np.empty((reader.layers + 1, *x.shape), x.dtype)
    hidden[0] = x
    for i, (x, heads) in enumerate(passing):
        hidden[i + 1] = x
        for name in ("q", "k", "v", "weights"):
            found: Array = getattr(heads, name)
            if name not in arrays:
                arrays[name] = np.empty((reader.layers, *found.shape), found.dtype)
            arrays[name][i] = found
        bar.step(f"{len(tokens)} tokens, layer {i + 1} of {reader.layers}")
    root = float(np.sqrt(arrays["q"].shape[-1]))
    divisor = tuple(root if one is None else float(one) for one in reader.divisors)
    return Look(tokens, hidden, **arrays, divisor=divisor, **reader.end(hidden[-1], ids))


def _whole_characters(text: str) -> None:
    """Raise ``ValueError`` for half of a surrogate pair, which is no character and has no bytes."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"character {error.start + 1} of the text is half of a surrogate pair, {text[error.start]!r}: decode the "
            'text anew, or take such halves out with text.encode(errors="ignore").decode()'
        ) from None


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
