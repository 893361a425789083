r"""Marks: a sentence of a chapter names the checks that prove it, ``[At most one half.]{check=no_norm_above_a_half}``.

Several names stand in quotes, ``{check="one other"}``; a block (a table, a list, a paragraph) is marked by a line
``{check=name}`` above it. What is asked of a page whose room has a ``checks.py``:

- a mark is read as one: brackets that were written wrong never reach a reader;
- each name is a check of the room (``checks.py``, ``answers.py``), each check has a mark, and none of them fails;
- each key that a check returns stands in one of its marks, and each number of a mark, formulas apart, is a key, or
  the value of a setting of its checks (for the numbers of a tuple, one of them);
- a decimal number or a percentage stands in a mark, or is marked ``{cited}``;
- under *Say it*, *Wrong answers* and *You can now say*, and in what a card says (``cards``), each sentence has
  a mark, a citation or "suspect".

No machine sees whether a check proves its words: this is judged where a change is read, in the diff.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from markdown_it.token import Token
from whyformer.proof import Result
from whyformer.proof.check import numbers_of
from whyformer.proof.judge import plain_number, rounds

from whyformer_book import myst
from whyformer_book.proof import prose
from whyformer_book.proof.sentences import CITED, Piece, pieces_of_tokens, sentences

#: Headings under which every sentence is proven, cited or suspected.
CLAIMING = ("Say it", "Wrong answers")
#: The list, or section, in which every sentence is too, and what ends the list.
SAYING, NEXT = "You can now say", "Next:"
#: What opens a bullet of that list: a question, which claims nothing.
LABEL = re.compile(r"^(?:what|when|where|which|who|why|how)\b[^:.!?]*:")
#: What opens the point of a card that has a wrong answer.
WRONG = re.compile(r"wrong:\s*")

FORMULA = "\ue002"  # stands for a formula in the words of a mark
#: Attributes that a bracket with braces may have; another one is a slip of the pen.
KNOWN = {"check", "class", "id"}
#: What is left in the text of a page where a mark was written wrong.
LEFT = re.compile(r"\]\s?\{|\{\s*check\b|\bcheck\s*=")
NUMBER = re.compile(r"(?<![\w.])[+\-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+\-]?\d+)?(?!\w)(?:\s?%)?")
#: A setting is printed as it is, and not rounded: by how much of the last digit the two may differ.
EXACT = 1e-6
#: What a number may name: a step of this page, a layer of the model, a model.
NAMED = re.compile(
    r"\b(?:[Ss]teps?|[Ll]ines?|[Ll]ayers?|[Rr]ows?|[Ee]xercises?) \d+(?:(?:,|,? and| to) \d+)*|\bLlama 3\b|\bGPT-2\b"
)


class Problem(NamedTuple):
    """What the build warns of, with its line from 1."""

    line: int
    text: str


@dataclass(frozen=True)
class Mark:
    """A marked text: its line from 1, the checks that it names, its words, and whether sentences need one here.

    ``words`` has a sign for each formula, so that its numbers are not asked for; ``text`` has the formulas.
    """

    line: int
    names: tuple[str, ...]
    words: str
    text: str
    asked: bool = False


def words_of(pieces: Iterable[Piece], formulas: bool = False) -> str:
    """The words of a text as they are compared: one kind of space, signs for formulas and citations."""
    shown = (piece.text if piece.kind != "formula" else f"${piece.text}$" if formulas else FORMULA for piece in pieces)
    return " ".join(plain_number("".join(shown)).split())


def _spans(token: Token) -> Iterator[tuple[Token, list[Token]]]:
    """The bracketed texts of a paragraph, each with the tokens inside."""
    open_spans: list[tuple[Token, list[Token]]] = []
    for child in token.children or ():
        if child.type == "span_close" and open_spans:
            yield open_spans.pop()
        for _, inside in open_spans:
            inside.append(child)
        if child.type == "span_open":
            open_spans.append((child, []))


def _as_paragraph(inside: list[Token]) -> Token:
    return Token("inline", "", 0, children=inside)


def _lines(token: Token, start: int) -> range:
    first, last = token.map or (0, 0)
    return range(start, start + last - first)


def card_lines(text: str) -> dict[int, bool]:
    """The lines of cards, from 0, each with whether it claims something: what is said does, and what is wrong."""
    lines: dict[int, bool] = {}
    for token, start, directive in myst.walk(text):
        if directive and directive.name == "practice-card":
            lines |= dict.fromkeys(range(directive.body_line, _lines(token, start).stop), True)
            for inner, at, _ in myst.walk(directive.body, directive.body_line):
                if inner.type == "bullet_list_open":
                    lines |= dict.fromkeys(_lines(inner, at), False)
                elif inner.type == "inline" and WRONG.match(inner.content):
                    lines |= dict.fromkeys(_lines(inner, at), True)
    return lines


def _asking(text: str) -> Iterator[tuple[int, Token, bool, bool]]:
    """Every paragraph with its line from 0, whether its sentences need a mark, and whether it is in the last list."""
    rows, heading, saying, cards = text.splitlines(), "", False, card_lines(text)
    for line, token in prose.inlines(text):
        if line in cards:
            yield line, token, cards[line], False
            continue
        if title := re.match(r"(#+) (.*)", rows[line]):
            heading, saying = title[2] if len(title[1]) == 2 else heading, title[2] == SAYING
            yield line, token, False, False
            continue
        printed = "".join(piece.text for piece in pieces_of_tokens(token)).strip()
        saying = (printed == SAYING or saying or heading == SAYING) and not printed.startswith(NEXT)
        fence = rows[line].lstrip().startswith(("```", ":::"))
        yield line, token, (saying or heading in CLAIMING) and not fence and printed != SAYING, saying


def _mark(line: int, token: Token, pieces: list[Piece], asked: bool) -> Mark:
    names = tuple(str(token.attrs["check"]).split())
    return Mark(line, names, words_of(pieces), words_of(pieces, formulas=True), asked)


def marks(text: str) -> list[Mark]:
    """The marks of a page, in their order."""
    paragraphs = list(_asking(text))
    found = []
    for line, token, asked, _ in paragraphs:
        for span, inside in _spans(token):
            if "check" in span.attrs:
                down = sum(child.type in {"softbreak", "hardbreak"} for child in _before(token, span))
                pieces = pieces_of_tokens(_as_paragraph(inside))
                found.append(_mark(line + down + 1, span, pieces, asked))
    for token, start, _ in myst.walk(text):
        if "check" in token.attrs and token.map:
            lines = _lines(token, start)
            rows = [(pieces_of_tokens(part), asked) for line, part, asked, _ in paragraphs if line in lines]
            pieces = [piece for row, _ in rows for piece in [*row, Piece(" ")]]
            found.append(_mark(start + 1, token, pieces, any(asked for _, asked in rows)))
    return sorted(found, key=lambda mark: mark.line)


def _before(token: Token, end: Token) -> Iterator[Token]:
    for child in token.children or ():
        if child is end:
            return
        yield child


def slips(text: str) -> Iterator[Problem]:
    """Brackets and braces that were meant as a mark and are none."""
    for line, token in prose.inlines(text):
        at = line
        for child in token.children or ():
            at += child.type in {"softbreak", "hardbreak"}
            if child.type == "text" and LEFT.search(child.content):
                yield Problem(
                    at + 1, f'a mark is written [words]{{check=name}} or {{check="one other"}}: {child.content!r}'
                )
            if child.type == "span_open" and (unknown := set(child.attrs) - KNOWN):
                yield Problem(at + 1, f"brackets have no attribute {sorted(unknown)[0]!r}; a mark is {{check=name}}")
    blocks = [(start, token) for token, start, _ in myst.walk(text) if token.attrs and token.map]
    for start, token in blocks:
        if "check" in token.attrs and token.type not in {
            "paragraph_open",
            "table_open",
            "bullet_list_open",
            "ordered_list_open",
        }:
            yield Problem(start + 1, "a line {check=name} stands above a paragraph, a table or a list")


def _place(key: str) -> re.Pattern[str]:
    """Where a key stands in words: whole, not as a part of a word or of a longer number."""
    first = re.escape(key[0]) if not key[0].isalpha() else f"[{key[0].upper()}{key[0].lower()}]"
    rest = re.escape(plain_number(key)[1:])
    return re.compile(rf"(?<![\w.,-]){first}{rest}(?![\w%]|[.,]\d|\s%)")


def unbound(mark: Mark, results: Iterable[Result]) -> list[str]:
    """The numbers of a mark that its checks have neither returned nor as the value of a setting."""
    results = list(results)
    keys = {key for result in results for key in result.values}
    given = [value for result in results for one in result.settings.values() for value in numbers_of(one)]
    words = mark.words
    for key in sorted(keys, key=len, reverse=True):
        words = _place(plain_number(key)).sub(" ", words)
    words = NAMED.sub(" ", prose.NAME.sub(" ", words))
    numbers = [found[0] for found in NUMBER.finditer(words)]
    return [one for one in numbers if not any(rounds(one, value, within=EXACT) for value in given)]


def _in_marks(token: Token) -> Iterator[tuple[Token, bool]]:
    """The parts of a paragraph, each with whether it stands in a mark."""
    spans: list[bool] = []
    for child in token.children or ():
        if child.type == "span_open":
            spans.append("check" in child.attrs)
        yield child, any(spans)
        if child.type == "span_close" and spans:
            spans.pop()


def _blank(token: Token) -> None:
    """Blank what stands in a mark, where numbers are compared with what checks return."""
    for child, marked in _in_marks(token):
        if marked and child.type == "text":
            child.content = " " * len(child.content)


def _marked_lines(text: str) -> set[int]:
    """The lines, from 0, of marked blocks."""
    blocks = [(token, start) for token, start, _ in myst.walk(text) if "check" in token.attrs]
    return {line for token, start in blocks for line in _lines(token, start)}


def bare(text: str) -> Iterator[Problem]:
    """Decimal numbers and percentages outside of marks."""
    marked = _marked_lines(text)
    for line, words in prose.prose(text, _blank):
        for number in prose.numbers(words) if line not in marked else ():
            yield Problem(line + 1, f"the number {number} stands outside of a mark: which check finds it?")


def unmarked(text: str) -> Iterator[Problem]:
    """Sentences under *Say it* and the like without a mark, a citation or "suspect"."""
    marked = _marked_lines(text)
    for line, token, asked, saying in _asking(text):
        if not asked or line in marked:
            continue
        rest = [child for child, inside in _in_marks(token) if not inside]
        for sentence in sentences(pieces_of_tokens(_as_paragraph(rest))):
            words = LABEL.sub("", sentence).strip() if saying else WRONG.sub("", sentence)
            known = CITED in sentence or "suspect" in words or words.rstrip('"”').endswith("?")
            if re.search(r"\w", words) and not known:
                yield Problem(line + 1, f'a mark, a citation or "suspect" is needed: {words!r}')


def problems(text: str, results: Mapping[str, Result], optional: Iterable[str] = ()) -> list[Problem]:
    """What is wrong with a page, given what the checks of its room have found.

    optional: checks that need no mark, as those of answers in the students' edition.
    """
    found = [*slips(text), *bare(text), *unmarked(text)]
    named: dict[str, list[Mark]] = {}
    for mark in marks(text):
        for name in mark.names:
            named.setdefault(name, []).append(mark)
            if name not in results:
                found.append(Problem(mark.line, f"the room has no check {name!r}"))
        for number in unbound(mark, [results[name] for name in mark.names if name in results]):
            what = f"no check of this mark returns the number {number} or has it as a setting: {mark.words!r}"
            found.append(Problem(mark.line, what))
    for name, result in results.items():
        places = named.get(name, [])
        if not places and name not in optional:
            found.append(Problem(1, f"no mark names the check {name}"))
        if not places:
            continue
        for fault in result.faults.values():
            found.append(Problem(places[0].line, f"{name}: {fault}"))
        for key in result.values:
            if not any(_place(plain_number(key)).search(mark.words) for mark in places):
                found.append(Problem(places[0].line, f"{name} returns {key!r}, which none of its marks prints"))
    return sorted(found)
