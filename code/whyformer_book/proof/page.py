"""A page as it was read, once: its blocks, its runs of words with what is asked of them, its directives and cells.

Marks, citations, cards, lessons and completeness are judged on it, by the build and by ``make chapter`` alike
(``whyformer_book.chapter``). Lines count from 0 here; a ``Problem`` has its line from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from docutils.nodes import make_id
from markdown_it.token import Token

from whyformer_book import myst
from whyformer_book.proof.sentences import Piece, pieces_of_tokens

#: Headings under which every sentence is proven, cited or suspected.
CLAIMING = ("Say it", "Wrong answers")
#: The list, or section, in which every sentence is too, and what ends the list.
SAYING, NEXT = "You can now say", "Next:"
#: What opens the point of a card that has a wrong answer.
WRONG = re.compile(r"wrong:\s*")
#: Directives whose argument is no prose.
TARGETS = {"figure", "include", "solution", "solution-start", "div", "container", "grid"}
#: What the parts of an experiment are called, before its name.
BENCH = ("train", "task")
ID = re.compile(r'\bid="([^"]+)"|^\(([^)\s]+)\)=$', re.MULTILINE)


class Problem(NamedTuple):
    """What the build warns of, with its line from 1."""

    line: int
    text: str


@dataclass(frozen=True, eq=False)
class Paragraph:
    """A run of words that is read as one: a paragraph, a heading, a cell of a table, the title of a note.

    ``asked``: each of its sentences needs a mark; ``saying``: it stands in the list of what a reader can now say;
    ``proven``: it stands in a marked block.
    """

    line: int
    token: Token
    asked: bool
    saying: bool
    proven: bool

    @cached_property
    def pieces(self) -> list[Piece]:
        """Its words, formulas and citations."""
        return pieces_of_tokens(self.token)

    def parts(self) -> Iterator[tuple[Token, int, bool]]:
        """What it is made of, each with its line and whether it stands in a mark."""
        line, spans = self.line, list[bool]()
        for child in self.token.children or ():
            line += child.type in {"softbreak", "hardbreak"}
            if child.type == "span_open":
                spans.append("check" in child.attrs)
            yield child, line, any(spans)
            if child.type == "span_close" and spans:
                spans.pop()


def lines_of(token: Token, start: int) -> range:
    """The lines of a block that begins at ``start``."""
    first, last = token.map or (0, 0)
    return range(start, start + last - first)


class Page:
    """A page of the book, from its MyST text; ``read`` keeps those that were read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rows = text.splitlines()
        self.blocks = myst.walk(text)
        self.directives = [directive for _, _, directive in self.blocks if directive]
        self.cells = myst.cells(text)
        #: Blocks that a line ``{check=name}`` marks.
        self.marked = [(token, line) for token, line, _ in self.blocks if "check" in token.attrs and token.map]

    @cached_property
    def paragraphs(self) -> list[Paragraph]:
        """All runs of words, in their order."""
        proven = {line for token, start in self.marked for line in lines_of(token, start)}
        cards, heading, saying, found = self._cards(), "", False, []
        for line, token in self._inlines():
            asked = False
            if line in cards:
                asked, here = cards[line], False
            elif title := re.match(r"(#+) (.*)", self.rows[line]):
                heading, saying = title[2] if len(title[1]) == 2 else heading, title[2] == SAYING
                here = False
            else:
                printed = "".join(piece.text for piece in pieces_of_tokens(token)).strip()
                saying = (printed == SAYING or saying or heading == SAYING) and not printed.startswith(NEXT)
                here, fence = saying, self.rows[line].lstrip().startswith(("```", ":::"))
                asked = (saying or heading in CLAIMING) and not fence and printed != SAYING
            found.append(Paragraph(line, token, asked, here, line in proven))
        return found

    def _inlines(self) -> Iterator[tuple[int, Token]]:
        for token, line, directive in self.blocks:
            inline = [token]
            if directive and directive.name not in TARGETS | myst.NOT_PROSE:
                inline = myst.parse(directive.argument)  # a title, or the first words of a note
            yield from ((line, part) for part in inline if part.children)

    def _cards(self) -> dict[int, bool]:
        """The lines of cards, each with whether it claims something: what is said does, and what is wrong."""
        lines: dict[int, bool] = {}
        for token, start, directive in self.blocks:
            if directive and directive.name == "practice-card":
                lines |= dict.fromkeys(range(directive.body_line, lines_of(token, start).stop), True)
            elif token.type == "bullet_list_open" and start in lines:
                lines |= dict.fromkeys(lines_of(token, start), False)
            elif token.type == "inline" and start in lines and WRONG.match(token.content):
                lines |= dict.fromkeys(lines_of(token, start), True)
        return lines

    @cached_property
    def ids(self) -> set[str]:
        """The names that a link can lead to."""
        found = {name for pair in ID.findall(self.text) for name in pair}
        found |= {value for one in self.directives for key, value in one.options.items() if key in {"name", "label"}}
        found |= {f"{part}-{one.argument}" for one in self.directives if one.name == "workbench" for part in BENCH}
        heads = [token for (before, *_), (token, *_) in zip(self.blocks, self.blocks[1:], strict=False)
                 if before.type == "heading_open"]  # fmt: skip
        return found | {make_id("".join(piece.text for piece in pieces_of_tokens(head))) for head in heads}

    def count(self, name: str) -> int:
        """How many directives of this name the page has."""
        return sum(one.name == name for one in self.directives)


read = lru_cache(64)(Page)
