"""What is wrong with the calls of ``claim`` in a chapter, as they are written, before any of them runs.

A number, a number word or a comparison stands in a gap, where the check decides it, and no gap and no condition is
filled by what is only written down or compares something with itself.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from whyformer.book import myst, prose
from whyformer.lab.teach.claim import gaps, outside
from whyformer.proof.words import LARGEST, NUMBERS, SMALLEST, WORDS

#: A line of a derivation; the check after it runs the line itself.
LINE = re.compile(r"(?:Line|Step) \d+")
#: Words of ``WORDS`` that mean something else as often.
LOOSE = frozenset(
    [*"one no all some each above below later same different equal both neither halves largest".split(), "at most"]
)
#: Words that a gap decides, or else a condition that is named for them: ``best_of_all=...``.
BY_NAME = (
    frozenset(
        [
            *LARGEST,
            *SMALLEST,
            *"best better last least mostly often rarely seldom usually worse worst".split(),
            "at least",
        ]
    )
    - LOOSE
)
#: Words of opposite sense: a condition that is named for one does not go with a sentence that says the other.
OPPOSITES = [
    (one, other)
    for pair in """above below, after before, all none, always never, best worst, better worse, both neither,
        different equal, different same, falls rises, falls grows, fewer more, first last, greater less, higher lower,
        largest smallest, least most, less more, longer shorter, longest shortest, larger smaller""".split(",")
    for one, other in (pair.split(), pair.split()[::-1])
]
WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
#: Numbers that name a line, the two that every formula has, and "at most".
NAMED = re.compile(r"(?i)\b(?:step|line)s? \d+|\bat most\b|(?<![\d.])[01](?![\d.,]\d|\d)")
NUMBER = re.compile(r"(?<![A-Za-z_\d^])\d+(?:\.\d+)?(?=(?:st|nd|rd|th)?(?!\w))|[¼-¾⅐-⅞]")
#: Functions that give back what is written in their brackets.
WRAPPERS = frozenset("array asarray bool bool_ list tuple".split())


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any of these words or phrases, the longest that fits."""
    return re.compile(rf"(?i)(?<![\w'])(?:{'|'.join(sorted(words, key=len, reverse=True))})(?![\w'])")


STRICT, EITHER = _any_of(WORDS.keys() - LOOSE - BY_NAME), _any_of(BY_NAME)


def loose_words(template: str, names: Iterable[str] = ()) -> list[str]:
    """What stands outside the gaps of a sentence and would have to be one: numbers, number words, comparisons.

    names: those of its gaps and conditions, any of which may speak for a word in ``BY_NAME``.
    """
    text = NAMED.sub("", outside(template))
    named = " ".join(names).replace("_", " ").lower()
    found = [*NUMBER.findall(text), *STRICT.findall(text)]
    found += [word for word in EITHER.findall(text) if word.lower() not in named]
    compares = any(spec.lower() in WORDS for _, spec in gaps(template))
    return found if compares else [*found, *re.findall(r"(?i)(?<!rather )(?<!other )\bthan\b", text)]


def contrary(template: str, condition: str) -> Iterator[tuple[str, str]]:
    """A word that the name of a condition has, and its opposite, which the sentence says instead."""
    named = condition.lower().split("_")
    said = {word.lower() for word in WORD.findall(outside(template))} | {spec.lower() for _, spec in gaps(template)}
    if not {"not", "no", "never"} & {*named}:
        yield from ((one, other) for one, other in OPPOSITES if one in named and one not in said and other in said)


def _code(text: str) -> Iterator[ast.Module]:
    """The code of every cell."""
    for cell in myst.cells(text):
        try:
            yield ast.parse(cell.source)
        except SyntaxError:
            continue  # running the cell says it better


def idle(text: str) -> set[str]:
    """Names that a chapter gives to a literal and that no cell of it computes with."""
    literal: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    loaded: Counter[str] = Counter()
    for cell in _code(text):
        for node in ast.walk(cell):
            if isinstance(node, ast.Name):
                (loaded if isinstance(node.ctx, ast.Load) else stored)[node.id] += 1
            elif isinstance(node, ast.Assign) and written_down(node.value):
                literal.update(target.id for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "claim":
                loaded.subtract(part.value.id for part in node.keywords if isinstance(part.value, ast.Name))
    return {name for name, times in literal.items() if stored[name] == times and not loaded[name]}


def written_down(value: ast.expr) -> bool:
    """Whether a value is only written down: a literal, a row of them, or what compares them."""
    if isinstance(value, ast.Tuple | ast.List):
        return all(map(written_down, value.elts))
    if isinstance(value, ast.Compare):
        return all(map(written_down, [value.left, *value.comparators]))
    if isinstance(value, ast.Call) and getattr(value.func, "id", getattr(value.func, "attr", "")) in WRAPPERS:
        return all(map(written_down, value.args))
    return prose.is_literal(value)


def repeats(value: ast.expr) -> bool:
    """Whether a value compares something with itself: ``(a, a)``, ``a == a``, ``a - a``; a call may differ."""
    for node in ast.walk(value):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div):
            sides = [node.left, node.right]
        elif node is value and isinstance(node, ast.Tuple):
            sides = node.elts
        if len(sides) == 2 and ast.dump(sides[0]) == ast.dump(sides[1]):
            if not any(isinstance(part, ast.Call) for part in ast.walk(sides[0])):
                return True
    return False


def faults(text: str) -> Iterator[tuple[int, str]]:
    """What is wrong with the calls of ``claim`` in a chapter, before any of them runs, each with its line from 1."""
    lines = {match.lower() for match in re.findall(rf"\*\*({LINE.pattern})", text)}
    unused = idle(text)
    for line, call in prose.calls(text, "claim"):
        first = call.args[0] if len(call.args) == 1 else None
        if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
            yield line, "a claim has its sentence, one string, as its only argument without a name"
            continue
        if not all(part.arg for part in call.keywords):
            yield line, "the parts of a claim are named where it stands, not by **"
        for word in loose_words(first.value, [part.arg for part in call.keywords if part.arg]):
            sort = "number" if not word[0].isalpha() or word.lower() in NUMBERS else "comparison"
            way = f"{{value:{word}}}" if word.lower() in WORDS or sort == "number" else "such as {pair:larger}"
            named = ", or a condition is named for it" if word.lower() in BY_NAME else ""
            yield line, f"the {sort} {word!r} in a claim has to be a gap, {way}, so that its check decides it{named}"
        for place in re.findall(r"(?i)\b((?:step|line) \d+)", outside(first.value)):
            if place.lower() not in lines:
                yield line, f"a claim names {place}, and the page has none"
        names = dict(gaps(first.value))
        for part in call.keywords:
            where = f"the {'gap' if part.arg in names else 'condition'} {part.arg!r} of a claim"
            if not part.arg:
                continue
            if written_down(part.value):
                yield line, f"{where} is a literal, which proves nothing"
            elif isinstance(part.value, ast.Name) and part.value.id in unused:
                yield line, f"{where} is a literal by another name, {part.value.id}, which nothing computes with"
            elif repeats(part.value):
                yield line, f"{where} compares something with itself"
            for one, other in contrary(first.value, part.arg) if part.arg not in names else ():
                yield line, f"{where} is named for {one!r}, and the sentence says {other!r}"
