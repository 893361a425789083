"""The sentences of a page: a paragraph is a row of pieces, which are words, formulas and citations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markdown_it.token import Token

CITED = "\ue000"  # stands for a citation
FORMULA = "\ue002"  # stands for a formula where numbers are looked for
ENDS = re.compile(r"[.!?][\"”)]*\s+")


@dataclass(frozen=True)
class Piece:
    """A part of a paragraph: what it says, and whether it is words, a formula, a citation, or strong words."""

    text: str
    kind: str = "words"


def pieces_of_tokens(token: Token) -> list[Piece]:
    """The pieces of a paragraph as it stands in the source."""
    pieces, strong = [], 0
    for child in token.children or ():
        strong += (child.type == "strong_open") - (child.type == "strong_close")
        if child.type == "math_inline":
            pieces.append(Piece(child.content, "formula"))
        elif child.type == "myst_role":
            role, content = child.meta["name"], child.content
            words = re.sub(r"\s*<[^<>]*>$", "", content)
            cited = role.partition(":")[0] in {"cite", "verdict"}  # a verdict leads to its reason and its places
            pieces.append(Piece(CITED, "citation") if cited else Piece(words))
        elif child.type in {"softbreak", "hardbreak"}:
            pieces.append(Piece(" "))
        elif child.content:
            pieces.append(Piece(child.content, "strong" if strong else "words"))
    return pieces


def written(pieces: Iterable[Piece]) -> str:
    """A text with its formulas as TeX."""
    return "".join(f"${piece.text}$" if piece.kind == "formula" else piece.text for piece in pieces)


def split(text: str) -> Iterator[str]:
    """The sentences of a text."""
    start = 0
    for end in [*(match.end() for match in ENDS.finditer(text)), len(text)]:
        if text[start:end].strip():
            yield text[start:end].strip()
        start = end


def sentences(pieces: list[Piece]) -> Iterator[str]:
    """The sentences of a paragraph, without words in bold, and with formulas as TeX."""
    return split(written(Piece(" " * len(one.text)) if one.kind == "strong" else one for one in pieces))


def quoted(text: str, *parts: str) -> str:
    """The sentence of a text in which one of ``parts`` stands, in quotes, as a message ends; else all of the text."""
    for sentence in split(text):
        words = re.sub(r"\$[^$]*\$", FORMULA, sentence)
        if any(part in words for part in parts):
            text = sentence
            break
    return f": “{text.replace(CITED, '').strip()}”"
