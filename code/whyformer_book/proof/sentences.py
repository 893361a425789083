"""The sentences of a page: a paragraph is a row of pieces, which are words, formulas and citations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

CITED = "\ue000"  # stands for a citation


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


def sentences(pieces: list[Piece]) -> Iterator[str]:
    """The sentences of a paragraph, without words in bold."""
    text = "".join(" " * len(piece.text) if piece.kind == "strong" else piece.text for piece in pieces)
    start = 0
    for end in [*(match.end() for match in re.finditer(r"[.!?][\"”)]*\s+", text)), len(text)]:
        if text[start:end].strip():
            yield text[start:end].strip()
        start = end
