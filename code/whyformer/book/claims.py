"""Sentences that checks write (``whyformer.lab.teach.claim``): found on the page, word by word, or the build fails.

Four things are asked of a page. A sentence that a cell wrote stands on it, whole, in the same section and above its
cell. A number, a number word or a comparison in a claim is a gap,
and no gap is filled by what is only written down. Every sentence under *Short answer*, under
*Answers that are wrong* and in the list *You can now say* was written by a check, or cites, or says "suspect". So does
every other sentence with one of the words in ``ASKING``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from html import unescape
from typing import NamedTuple

from docutils import nodes
from markdown_it.token import Token
from sphinx.application import Sphinx
from sphinx.util import logging

from whyformer.book import myst, prose
from whyformer.book.claim_calls import LINE, WORD, faults
from whyformer.book.marks import CLAIMING, LABEL, NEXT, SAYING, card_lines
from whyformer.book.rooms import room_of
from whyformer.book.sentences import CITED, PROVEN, Piece, Place, pieces_of_tokens, plain, plain_words, sentences

logger = logging.getLogger(__name__)

#: Words that make the build ask by what a sentence is known.
ASKING = frozenset("most never always cannot because nothing nobody impossible must".split())
#: What a sentence ends with.
STOPS = ".!?:;"
CLOSING = re.compile(rf'[")]*[{STOPS}][")]*')


class Problem(NamedTuple):
    """What the build warns of, with its line from 1."""

    line: int
    text: str
    sort: str = "claim"


def shown(html: str) -> list[str]:
    """The sentences in what a cell has shown."""
    return [unescape(match[1]) for match in re.finditer(r'<div class="wf-claim"><p>(.*?)</p>', html)]


def written(document: nodes.Element) -> list[tuple[str, int]]:
    """The sentences that the cells of a page wrote, each with the line of its cell."""
    return [(sentence, raw.line or 0) for raw in document.findall(nodes.raw) for sentence in shown(raw.astext())]


def _start(letters: str, places: list[Place], sentence: str) -> int:
    """Where a sentence stands whole in a paragraph, from the end of another to its own, all in plain form; or -1."""

    def touches(at: int) -> bool:  # as the digits of a number do, with no space before this letter
        one, other = places[at - 1 : at + 1]
        return letters[at].isalnum() and one.piece == other.piece and other.letter - one.letter <= 1

    whole = sentence.rstrip('")')[-1:] in STOPS
    start = -1
    while (start := letters.find(sentence, start + 1)) >= 0:
        end = stop = start + len(sentence)
        if not whole and (closing := CLOSING.match(letters, end)):
            stop = closing.end()
        begins = not start or letters[start - 1] in '"()' or letters[start - 1] in STOPS and not touches(start)
        ends = end == len(letters) or (whole or stop > end) and (stop == len(letters) or not touches(stop))
        if begins and ends:
            return start
    return -1


def places_of(claims: list[str], pieces: list[Piece]) -> list[Place]:
    """The letters of a paragraph that these sentences, in plain form, wrote."""
    letters, places = plain(pieces)
    proven = []
    for sentence in claims:
        if (start := _start(letters, places, sentence)) >= 0:
            proven += places[start : start + len(sentence)]
    return proven


def blank(claims: list[str]) -> prose.Prepare:
    """Blanks, in a paragraph, what these sentences wrote, so that no number in it needs another voucher."""

    def prepare(token: Token) -> None:
        pieces = pieces_of_tokens(token)
        proven = {*places_of(claims, pieces)}
        for number, piece in enumerate(pieces):
            if piece.source is not None and piece.source.type == "text":
                letters = (" " if (number, at) in proven else letter for at, letter in enumerate(piece.text))
                piece.source.content = "".join(letters)

    return prepare


def unclaimed(text: str, claims: list[str]) -> Iterator[tuple[int, str, str]]:
    """Sentences that nothing proves and something has to: line from 1, the sentence, and why it is asked for."""
    rows, heading, saying, cards = text.splitlines(), "", False, card_lines(text)
    cells = [cell.line for cell in myst.cells(text)]
    runs = list(prose.inlines(text))
    ends = [line for line, _ in runs if rows[line].startswith("#")] + [len(rows)]
    for line, token in runs:
        if title := re.match(r"(#+) (.*)", rows[line]):
            heading, saying = title[2] if len(title[1]) == 2 else heading, False
            continue
        pieces = pieces_of_tokens(token)
        printed = "".join(piece.text for piece in pieces).strip()
        saying = printed == SAYING or saying and not printed.startswith(NEXT)
        if rows[line].lstrip().startswith(("```", ":::")) or cards.get(line) is False:
            continue
        end = min(end for end in ends if end > line)
        if heading == "Derivation" and LINE.match(pieces[0].text) and any(line < cell < end for cell in cells):
            continue
        for _, sentence in sentences(pieces, places_of(claims, pieces)):
            words = re.sub(r"(?i)\bat most\b", "", sentence.replace(PROVEN, " ")).strip()
            words = LABEL.sub("", words).strip() if saying else words
            if not WORD.search(words) or CITED in sentence or "suspect" in words or words.rstrip('"”').endswith("?"):
                continue
            asking = next((word for word in WORD.findall(words) if word.lower() in ASKING), "")
            if saying or heading in CLAIMING:
                yield line + 1, words, f"it stands under {(SAYING if saying else heading)!r}"
            elif line in cards:
                yield line + 1, words, "a card says it"
            elif asking:
                yield line + 1, words, f"it says {asking!r}"


def problems(text: str, outputs: list[tuple[str, int]], failed: bool = False) -> list[Problem]:
    """What is wrong with a page whose cells wrote these sentences, each with the line of its cell.

    failed: whether a cell raised; then the sentences of those after it are not written.
    """
    claims = [plain_words(sentence) for sentence, _ in outputs]
    voucher = 'the number {0} in the text is not vouched for: a cell has to call vouch("{0}", value)'
    numbers = prose.unvouched(text, blank(claims))
    found = [Problem(line, voucher.format(number), "number") for line, number in numbers]
    found += [Problem(line, fault) for line, fault in faults(text)]
    if failed:
        return found
    paragraphs = [(line, pieces_of_tokens(token)) for line, token in prose.inlines(text)]
    rows, plains = text.splitlines(), [(line, *plain(pieces)) for line, pieces in paragraphs]
    for (sentence, cell), claim in zip(outputs, claims, strict=True):
        where = [line for line, letters, places in plains if _start(letters, places, claim) >= 0]
        opening = max((line for line, _ in paragraphs if line < cell and rows[line].startswith("#")), default=0)
        if any(opening <= line < cell for line in where):
            continue
        if where:
            hint = f"above it in its section: {sentence!r}; it is in line {where[0] + 1}"
        else:
            printed = {words: line for line, pieces in paragraphs for _, words in sentences(pieces, ())}
            near = get_close_matches(sentence, printed, 1, 0.5)
            hint = f"in the text: {sentence!r}"
            hint += f"; nearest, in line {printed[near[0]] + 1}: {near[0]!r}" if near else ""
        found.append(Problem(cell, f"a check wrote a sentence that is not {hint}"))
    asked = 'a claim, a citation or "suspect" is needed, since {1}: {0!r}'
    return found + [Problem(line, asked.format(*what)) for line, *what in unclaimed(text, claims)]


def _check(app: Sphinx, document: nodes.document) -> None:
    docname = app.env.docname
    if room_of(docname):  # its sentences name their checks (``ticks``)
        return
    with open(app.env.doc2path(docname), encoding="utf-8") as file:
        text = file.read()
    failed = any("traceback" in node["classes"] for node in document.findall(nodes.Element))
    for line, what, sort in problems(text, written(document), failed):
        logger.warning(what, location=(docname, line), type="whyformer", subtype=sort)


def setup(app: Sphinx) -> None:
    """Each page is checked when it has been read, with what its cells wrote."""
    app.connect("doctree-read", _check)
