r"""The sentences of a page as plain words, so that what a check wrote can be found in what is printed.

A paragraph is a row of pieces: words, formulas, citations. Its *plain form* has no white space, one sign for minus,
and formulas in letters: ``$\sqrt{d_k}$`` and "√dₖ" are both "√d_k". Every letter of it knows where it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from docutils import nodes
from markdown_it.token import Token

CITED = "\ue000"  # stands for a citation
PROVEN = "\ue001"  # stands for a letter of a sentence that a check wrote

_FRACTION = re.compile(r"\\[td]?frac(?:\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}|(\d)(\d))")
_STYLE = re.compile(r"\\(?:text|mathrm|operatorname|mathbb|mathbf|mathcal)(?![A-Za-z])")
_SIGNS = {
    "sqrt": "√", "pm": "±", "times": "×", "cdot": "·", "approx": "≈", "le": "≤", "ge": "≥", "ne": "≠", "infty": "∞",
    "to": "→", "top": "ᵀ", "partial": "∂", "sum": "Σ", "ldots": "...", "dots": "...", "in": "∈",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "epsilon": "ε", "varepsilon": "ε", 
    "lambda": "λ",    "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "Sigma": "Σ", "tau": "τ", "theta": "θ",
    "left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "quad": "", "qquad": "",
}  # fmt: skip
_LETTERS = {
    "{": "",
    "}": "",
    "\N{MINUS SIGN}": "-", "ₖ": "_k", "ᵥ": "_v", "“": '"', "”": '"', "’": "'", "‘": "'", 
    "½": "1/2", "¼": "1/4", "¾": "3/4",    "²": "^2", "⊤": "ᵀ",
}  # fmt: skip


def tex_in_letters(tex: str) -> str:
    r"""A formula as one would type it: ``\sqrt{d_k}`` is √d_k."""
    tex = _STYLE.sub("", _FRACTION.sub(lambda match: f"{match[1] or match[3]}/{match[2] or match[4]}", tex))
    tex = re.sub(r"\\([A-Za-z]+)", lambda match: _SIGNS.get(match[1], match[1]), tex)
    return re.sub(r"\\[,;:! ]|[{}$\\~]", "", tex).replace("^ᵀ", "ᵀ")


@dataclass(frozen=True)
class Piece:
    """A part of a paragraph: what it says, and whether it is words, a formula, a citation, or strong words."""

    text: str
    kind: str = "words"
    source: Any = None  # the token or the node that it comes from


class Place(NamedTuple):
    """Where a letter of the plain form comes from: the number of its piece, and the letter in it."""

    piece: int
    letter: int


def plain(pieces: Iterable[Piece]) -> tuple[str, list[Place]]:
    """The plain form of a paragraph, and the place of each of its letters."""
    letters: list[str] = []
    places: list[Place] = []
    for number, piece in enumerate(pieces):
        if piece.kind == "citation":
            continue
        text = piece.text if piece.kind != "formula" else tex_in_letters(piece.text)
        for at, sign in enumerate(text):
            for letter in "" if sign.isspace() else _LETTERS.get(sign, sign):
                letters.append(letter)
                places.append(Place(number, at if piece.kind != "formula" else 0))
    return "".join(letters), places


def plain_words(text: str) -> str:
    """The plain form of one sentence in words, with exponents as they are printed."""
    text = re.sub(r"(\de[+-]?)0+(?=\d)", r"\1", text).replace("e+", "e")
    return plain([Piece(part, "formula" if i % 2 else "words") for i, part in enumerate(text.split("$"))])[0]


def pieces_of_tokens(token: Token) -> list[Piece]:
    """The pieces of a paragraph as it stands in the source."""
    pieces, strong = [], 0
    for child in token.children or ():
        strong += (child.type == "strong_open") - (child.type == "strong_close")
        if child.type == "math_inline":
            pieces.append(Piece(child.content, "formula", child))
        elif child.type == "myst_role":
            role, content = child.meta["name"], child.content
            words = re.sub(r"\s*<[^<>]*>$", "", content)
            pieces.append(Piece(CITED, "citation") if role.startswith("cite:") or role == "cite" else Piece(words))
        elif child.type in {"softbreak", "hardbreak"}:
            pieces.append(Piece(" "))
        elif child.content:
            pieces.append(Piece(child.content, "strong" if strong else "words", child))
    return pieces


def pieces_of_node(paragraph: nodes.Element) -> list[Piece]:
    """The pieces of a paragraph as Sphinx has read it."""
    pieces = []
    for text in paragraph.findall(nodes.Text):
        above = text.parent
        cited = False
        while above is not None and above is not paragraph:
            cited = cited or above.get("refdomain") == "cite"
            above = above.parent
        kind = "citation" if cited else "formula" if isinstance(text.parent, nodes.math) else "words"
        pieces.append(Piece(text.astext(), kind, text))
    return pieces


def sentences(pieces: list[Piece], proven: Iterable[Place]) -> Iterator[tuple[int, str]]:
    """The sentences of a paragraph, each with the piece at which it begins; what a check wrote is ``PROVEN``."""
    marked = {*proven}
    letters, owners = [], []
    for number, piece in enumerate(pieces):
        whole = piece.kind == "formula" and (number, 0) in marked
        for at, letter in enumerate(piece.text):
            known = whole or (number, at) in marked
            blank = piece.kind == "strong"
            letters.append(PROVEN if known else " " if blank else letter)
            owners.append(number)
    text, start = "".join(letters), 0
    for end in [*(match.end() for match in re.finditer(rf"[.!?{PROVEN}][\"”)]*\s+", text)), len(text)]:
        if text[start:end].strip():
            yield owners[start], text[start:end].strip()
        start = end
