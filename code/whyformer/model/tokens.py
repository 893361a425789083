"""From sentences to token ids: WordPiece (Devlin et al. 2019), by the library ``tokenizers``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whyformer.maths.softmax import Booleans, Integers

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library


class Tokens(NamedTuple):
    """What a :class:`Tokenizer` makes of sentences."""

    ids: Integers  #: (n_sentences, n), padded with 0
    mask: Booleans  #: (n_sentences, n), True for tokens, False for padding
    words: list[list[str]]  #: each sentence's tokens, [CLS] and [SEP] among them


class Tokenizer:
    """Lower-cases, splits into word pieces and puts [CLS] before and [SEP] after.

    A character that the vocabulary lacks makes its word ``[UNK]``, as in training; nothing is dropped silently.
    """

    def __init__(self, tokenizer: Library, longest: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self.longest = longest

    @classmethod
    def from_file(cls, path: Path, longest: int) -> Tokenizer:
        """From a file tokenizer.json; ``longest``: how many tokens the model has positions for."""
        from tokenizers import Tokenizer as Library

        return cls(Library.from_file(str(path)), longest)

    def __call__(self, sentences: str | Sequence[str], truncate: int | None = None) -> Tokens:
        """Tokens of one sentence or of several, padded to the longest.

        truncate: keep at most so many tokens, [CLS] and [SEP] counted (3 to the longest the model has positions for);
        None refuses longer sentences. Raises ``ValueError`` for that, for a sentence without a token and for no
        sentence, ``TypeError`` for what is not text.
        """
        sentences = [sentences] if isinstance(sentences, str) else list(sentences)
        if not sentences:
            raise ValueError("sentences must be at least one")
        if truncate is not None and not 3 <= truncate <= self.longest:
            raise ValueError(f"truncate must be from 3 to {self.longest}, or None; got {truncate!r}")
        ids, words = [], []
        for i, sentence in enumerate(sentences):
            if not isinstance(sentence, str):
                raise TypeError(f"sentence {i} must be text; got {sentence!r}")
            encoded = self._tokenizer.encode(sentence)
            if len(encoded.ids) == 2:
                raise ValueError(f"sentence {i} has no tokens; got {sentence!r}")
            keep = len(encoded.ids) if truncate is None else min(truncate, len(encoded.ids))
            if keep > self.longest:
                raise ValueError(
                    f"sentence {i} has {keep} tokens, the model has positions for {self.longest}: "
                    f"shorten it, or cut it with truncate={self.longest}"
                )
            ids.append([*encoded.ids[: keep - 1], encoded.ids[-1]])
            words.append([*encoded.tokens[: keep - 1], encoded.tokens[-1]])
        n = max(map(len, ids))
        mask = np.arange(n) < np.array([len(row) for row in ids])[:, None]
        return Tokens(np.array([row + [0] * (n - len(row)) for row in ids]), mask, words)
