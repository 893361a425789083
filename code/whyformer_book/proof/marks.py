r"""Marks: a sentence of a chapter names the checks that prove it, ``[At most one half.]{check=no_norm_above_a_half}``.

Several names stand in quotes, ``{check="one other"}``; a block (a table, a list, a paragraph) is marked by a line
``{check=name}`` above it. What is asked of a page whose question has a ``checks.py``:

- a mark is read as one: brackets that were written wrong never reach a reader;
- each name is a check of the question (``checks.py``, ``answers.py``), each check has a mark, and none of them fails;
- each key that a check returns stands in one of its marks, and each number of a mark, formulas apart, is a key, or
  the value of a setting of its checks (for the numbers of a tuple, one of them);
- a decimal number or a percentage stands in a mark, or is marked ``{cited}``;
- under *Say it*, *Wrong answers* and *You can now say*, and in what a card says (``cards``), each sentence has
  a mark, a citation or "suspect".

One slip gives one message, with the sentence: what follows from it is not said as well.

No machine sees whether a check proves its words: this is judged where a change is read, in the diff.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from markdown_it.token import Token
from whyformer.proof import Result
from whyformer.proof.check import numbers_of
from whyformer.proof.judge import plain_number, rounds

from whyformer_book.proof import prose
from whyformer_book.proof.page import WRONG, Page, Paragraph, Problem, lines_of, read
from whyformer_book.proof.sentences import CITED, FORMULA, Piece, pieces_of_tokens, quoted, sentences, written

#: What opens a bullet of *You can now say*: a question, which claims nothing.
LABEL = re.compile(r"^(?:what|when|where|which|who|why|how)\b[^:.!?]*:")
#: Attributes that a bracket with braces may have; another one is a slip of the pen.
KNOWN = {"check", "class", "id"}
#: What is left in the text of a page where a mark was written wrong.
LEFT = re.compile(r"\]\s?\{|\{\s*check\b|\bcheck\s*=")
HOW = 'a mark is written [words]{check=name} or {check="one other"}'
NUMBER = re.compile(r"(?<![\w.])[+\-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+\-]?\d+)?(?!\w)(?:\s?%)?")
#: A setting is printed as it is, and not rounded: by how much of the last digit the two may differ.
EXACT = 1e-6
#: What a number may name: a step of this page, a layer of the model, a model.
NAMED = re.compile(
    r"\b(?:[Ss]teps?|[Ll]ines?|[Ll]ayers?|[Rr]ows?|[Ee]xercises?) \d+(?:(?:,|,? and| to) \d+)*|\bLlama 3\b|\bGPT-2\b"
)
#: Blocks that a line above may mark.
MARKABLE = {"paragraph_open", "table_open", "bullet_list_open", "ordered_list_open"}
NOTHING: Mapping[str, str] = {}


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


def _mark(line: int, token: Token, pieces: list[Piece], asked: bool) -> Mark:
    signs = "".join(FORMULA if piece.kind == "formula" else piece.text for piece in pieces)
    words, text = (" ".join(plain_number(one).split()) for one in (signs, written(pieces)))
    return Mark(line, tuple(str(token.attrs["check"]).split()), words, text, asked)


def _spans(paragraph: Paragraph) -> Iterator[tuple[Token, int, list[Token]]]:
    """The bracketed texts of a paragraph, each with the line at which it begins and the tokens inside."""
    open_spans: list[tuple[Token, int, list[Token]]] = []
    for child, line, _ in paragraph.parts():
        if child.type == "span_close" and open_spans:
            yield open_spans.pop()
        for _, _, inside in open_spans:
            inside.append(child)
        if child.type == "span_open":
            open_spans.append((child, line, []))


def _pieces(inside: list[Token]) -> list[Piece]:
    return pieces_of_tokens(Token("inline", "", 0, children=inside))


def marks(text: str) -> list[Mark]:
    """The marks of a page, in their order."""
    page, found = read(text), []
    for paragraph in page.paragraphs:
        for span, line, inside in _spans(paragraph):
            if "check" in span.attrs:
                found.append(_mark(line + 1, span, _pieces(inside), paragraph.asked))
    for token, start in page.marked:
        rows = [paragraph for paragraph in page.paragraphs if paragraph.line in lines_of(token, start)]
        pieces = [piece for row in rows for piece in [*row.pieces, Piece(" ")]]
        found.append(_mark(start + 1, token, pieces, any(row.asked for row in rows)))
    return sorted(found, key=lambda mark: mark.line)


def slips(page: Page) -> Iterator[tuple[int, Problem]]:
    """Brackets and braces that were meant as a mark and are none, each with the line from 0 of its paragraph."""
    for paragraph in page.paragraphs:
        for child, line, _ in paragraph.parts():
            wrong = child.type == "text" and LEFT.search(child.content)
            if wrong or (child.type == "link_open" and LEFT.search(str(child.attrs["href"]))):
                yield paragraph.line, Problem(line + 1, HOW + quoted(paragraph.token.content, "check"))
            if child.type == "span_open" and (unknown := sorted(set(child.attrs) - KNOWN)):
                what = f"brackets have no attribute {unknown[0]!r}; a mark is {{check=name}}"
                yield paragraph.line, Problem(line + 1, what + quoted(paragraph.token.content, unknown[0]))
    for token, start in page.marked:
        if token.type not in MARKABLE:
            yield start, Problem(start + 1, "a line {check=name} stands above a paragraph, a table or a list")


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


def bare(text: str) -> Iterator[tuple[Paragraph, int, str]]:
    """Decimal numbers and percentages outside of marks, each with its paragraph and its line from 0."""
    for paragraph in read(text).paragraphs:
        for child, line, marked in paragraph.parts():
            if child.type == "text" and not (marked or paragraph.proven):
                yield from ((paragraph, line, number) for number in prose.numbers(child.content))


def unmarked(page: Page) -> Iterator[tuple[Paragraph, str]]:
    """Sentences under *Say it* and the like without a mark, a citation or "suspect"."""
    for paragraph in page.paragraphs:
        if not paragraph.asked or paragraph.proven:
            continue
        rest = [child for child, _, marked in paragraph.parts() if not marked]
        for sentence in sentences(_pieces(rest)):
            words = LABEL.sub("", sentence).strip() if paragraph.saying else WRONG.sub("", sentence)
            known = CITED in sentence or "suspect" in words or words.rstrip('"”').endswith("?")
            if re.search(r"\w", words) and not known:
                yield paragraph, words


def outside(text: str, found_by: Mapping[str, str] = NOTHING, broken: Container[int] = ()) -> Iterator[Problem]:
    """Sentences and numbers that stand outside of marks: a message for each sentence.

    found_by: the check that no mark names, for a number that it returns. broken: paragraphs of which enough is said.
    """
    without = [(one, words) for one, words in unmarked(read(text)) if one.line not in broken]
    for paragraph, words in without:
        yield Problem(paragraph.line + 1, f'a mark, a citation or "suspect" is needed: “{words}”')
    told: dict[tuple[int, str], list[str]] = {}
    for paragraph, line, number in bare(text):
        if paragraph.line not in broken and not any(paragraph is one and number in words for one, words in without):
            told.setdefault((line, quoted(written(paragraph.pieces), number)), []).append(number)
    for (line, sentence), numbers in told.items():
        names = sorted({found_by[number] for number in numbers if number in found_by})
        many = f"the numbers {', '.join(numbers)} stand" if numbers[1:] else f"the number {numbers[0]} stands"
        which = f"{', '.join(names)} returns it" if names else "no check is named for it"
        yield Problem(line + 1, f"{many} outside of a mark: {which}{sentence}")


def problems(text: str, results: Mapping[str, Result], optional: Iterable[str] = ()) -> list[Problem]:
    """What is wrong with a page, given what the checks of its question have found.

    optional: checks that need no mark, as those of answers in the students' edition.
    """
    page = read(text)
    slipped = list(slips(page))
    broken = {line for line, _ in slipped}
    found = [problem for _, problem in slipped]
    # What stands in a paragraph whose mark was written wrong may be marked when it is written right.
    meant = {word for one in page.paragraphs if one.line in broken for word in re.findall(r"\w+", one.token.content)}
    named: dict[str, list[Mark]] = {}
    for mark in marks(text):
        for name in mark.names:
            named.setdefault(name, []).append(mark)
    unnamed = [name for name in results if name not in named and name not in meant]
    for name in [name for name in named if name not in results]:
        near = get_close_matches(name, unnamed, 1) or get_close_matches(name, results, 1)
        meant.update(near)
        what = f"the question has no check {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
        found.append(Problem(named[name][0].line, what + quoted(named[name][0].text)))
    absent = {
        name: [key for key in result.values if not any(_place(plain_number(key)).search(one.words) for one in places)]
        for name, result in results.items()
        if (places := named.get(name))
    }
    for mark in marks(text):
        here = [results[name] for name in mark.names if name in results]
        if (numbers := unbound(mark, here)) and len(here) == len(mark.names):
            one = f"number {numbers[0]} or has it" if not numbers[1:] else f"numbers {', '.join(numbers)} or has them"
            what = f"no check of this mark returns the {one} as a setting"
            missing = [f"{name} returns {key!r}, which none of its marks prints"
                       for name in mark.names for key in absent.pop(name, [])]  # fmt: skip
            found.append(Problem(mark.line, "; ".join([what, *missing]) + quoted(mark.text, *numbers)))
    for name, keys in absent.items():
        place = named[name][0]
        if keys and not results[name].faults:
            what = f"{name} returns {', '.join(map(repr, keys))}, which none of its marks prints"
            found.append(Problem(place.line, what + quoted(place.text)))
    for name, result in results.items():
        if name in named and result.faults:
            place = named[name][0]
            found.append(Problem(place.line, f"{name}: {'; '.join(result.faults.values())}{quoted(place.text)}"))
    found_by = {key: name for name in unnamed for key in results[name].values}
    found += outside(text, found_by, broken)
    meant |= {found_by[number] for _, _, number in bare(text) if number in found_by}
    lost = [name for name in unnamed if name not in meant and name not in optional]
    return sorted([*found, *(Problem(1, f"no mark names the check {name}") for name in lost)])
