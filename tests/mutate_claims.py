"""Slips in claims on purpose: would the build notice? Part of ``make mutate``.

What is changed is a number, a number word, a comparison or a course in a sentence that a check wrote, in the prose and
in whatever the check quotes alike: the words of the template, the word of a gap. A number that a gap computes is
changed in the prose alone; where the cell holds it as a literal (``bound = 0.13`` for "above {bound}") the literal is
changed with it, as an author who changes both would. A seeded sample, over all chapters.

A slip is noticed if a cell raises or the build would warn (``whyformer.book.claims.problems``). Without Sphinx: the
cells run in a fork of a process that has run those before them.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import io
import os
import random
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a fork must not inherit threads

import IPython.display  # noqa: E402
from whyformer.book import myst, prose  # noqa: E402
from whyformer.book.claims import problems, shown  # noqa: E402
from whyformer.book.sentences import pieces_of_tokens, plain, plain_words  # noqa: E402

ROOT = Path(__file__).parent.parent
FEWEST = 0.8  # of all slips have to be noticed
LONGEST = 300  # seconds, for the cells of a chapter
claim = importlib.import_module("whyformer.lab.teach.claim")

#: Words that are exchanged, in both directions.
OPPOSITES = """
    larger smaller, greater less, more less, more fewer, higher lower, longer shorter, wider narrower, above
    below, before after, earlier later, faster slower, sharper flatter, stronger weaker, gains loses, better
    worse, largest smallest, longest shortest, highest lowest, best worst, most least, at_most at_least, first
    last, grows falls, grow fall, rises falls, rise fall, increases decreases, grows shrinks, fades grows,
    widens narrows, most few, all no, all some, every no, every some, each no, each some, always never, both
    neither, nothing everything, none all, same different, equal different, alike differently, one two, two
    three, three four, four five, five six, ten eight, twelve ten, twice half, half a_third, a_third a_quarter,
    a_tenth a_fifth, thirds quarters
"""
WORDS: dict[str, list[str]] = {}
for _pair in OPPOSITES.split(","):
    _one, _other = (word.replace("_", " ") for word in _pair.split())
    WORDS.setdefault(_one, []).append(_other)
    WORDS.setdefault(_other, []).append(_one)
EXCHANGED = "exchanged"
ALTERNATIVES = "|".join(sorted(WORDS, key=len, reverse=True))
SITE = re.compile(  # not "all the same", which has no opposite
    rf"(?i)(?<!all the )(?<![\w-])(?!all the same)(?:{ALTERNATIVES})(?![\w-])|(?<![A-Za-z_\d.^])\d+(?:\.\d+)?(?![\d_])"
)


@dataclass(frozen=True)
class Part:
    """A stretch of a written sentence: between gaps, or what a gap printed."""

    words: str
    gap: str = ""
    spec: str = ""
    literal: bool = False  # the cell holds it as a literal

    @property
    def template(self) -> str:
        """How the template of the claim has it."""
        if not self.gap:
            return self.words.replace("{", "{{").replace("}", "}}")
        return f"{{{self.gap}:{self.spec}}}" if self.spec else f"{{{self.gap}}}"


class Slip(NamedTuple):
    """A change of one claim: which parts become what."""

    cell: int  # its number in the chapter
    before: tuple[Part, ...]
    after: tuple[Part, ...]
    old: str
    new: str


class Mutant(NamedTuple):
    text: str  # of the whole chapter
    line: int
    cells: range  # those to run again


class Impossible(Exception):
    """This slip cannot be made."""


@dataclass
class Cell:
    line: int  # of its first line of code, from 1
    end: int
    code: str


def cells_of(text: str) -> list[Cell]:
    """The cells that are executed."""
    found = []
    for cell in myst.cells(text):
        code = cell.source.rstrip("\n")
        found.append(Cell(cell.source_line + 1, cell.source_line + code.count("\n") + 1, code))
    return found


def forked(task: Callable[[], Any]) -> Any:
    """What ``task`` returns in a fork; the exception if it raised, None if it took too long."""
    here, there = (fork := get_context("fork")).Pipe(duplex=False)

    def work() -> None:
        signal.alarm(LONGEST)
        try:
            there.send(task())
        except Exception as error:  # noqa: BLE001  # whatever a cell raises
            there.send(RuntimeError(repr(error)))

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        child = fork.Process(target=work)
        child.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        return None
    finally:
        child.join()


class Chapter:
    """A chapter, its cells, and what they wrote; cells are run in order, with changes in a fork."""

    def __init__(self, file: Path):
        self.file, self.text = file, file.read_text(encoding="utf-8")
        self.cells = cells_of(self.text)
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.done = 0
        ran = forked(self.run_all)
        if ran is None or isinstance(ran, Exception):
            sys.exit(f"{file}: a cell raises with nothing changed: {ran}")
        self.written, self.parts = ran
        if found := problems(self.text, self.sentences(self.written)):
            sys.exit(f"{file}: the build warns with nothing changed: {found[0]}")

    def run(self, cell: Cell) -> list[str]:
        """What one cell writes."""
        html: list[str] = []

        def display(*objects: Any, raw: bool = False, **_: Any) -> None:
            html.extend(one.get("text/html", "") for one in objects if raw)

        IPython.display.display = display
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            exec(compile(cell.code, f"{self.file.name}:{cell.line}", "exec"), self.names)  # noqa: S102
        return [sentence for one in html for sentence in shown(one)]

    def run_all(self) -> tuple[list[list[str]], list[tuple[int, tuple[Part, ...]]]]:
        """What every cell writes, and the parts of it by the number of its cell."""
        parts: list[tuple[int, tuple[Part, ...]]] = []
        write = claim.write

        def record(template: str, values: dict[str, Any]) -> Any:
            literals = {}
            with suppress(Impossible):  # the call stands in another cell
                literals = held(self.cells[number].code, template)
            made = []
            for words, gap, spec, _ in Formatter().parse(template):
                made += [Part(words)] if words else []
                if gap is not None:
                    printed = spec if spec.lower() in claim.WORDS else format(values[gap], spec)
                    amount = spec.lower() not in claim.WORDS or spec.lower() in claim.NUMBERS
                    made.append(Part(printed, gap, spec, amount and gap in literals))
            parts.append((number, tuple(made)))
            return write(template, values)

        claim.write, written = record, []
        for number, cell in enumerate(self.cells):  # noqa: B007  # ``record`` reads it
            written.append(self.run(cell))
        return written, parts

    def sentences(self, written: list[list[str]]) -> list[tuple[str, int]]:
        return [(one, cell.line) for cell, all_ in zip(self.cells, written, strict=True) for one in all_]

    def advance(self, number: int) -> None:
        """Run the cells before this one, as they are."""
        while self.done < number:
            self.run(self.cells[self.done])
            self.done += 1

    def notices(self, mutant: Mutant) -> bool:
        cells = cells_of(mutant.text)
        for last in sorted({mutant.cells[:1].stop, mutant.cells.stop}):  # of the cells after it only if need be
            numbers = range(mutant.cells.start, last)
            again = forked(lambda numbers=numbers: [self.run(cells[number]) for number in numbers])
            if again is None or isinstance(again, Exception):
                return True
            written = [*self.written[: numbers.start], *again, *self.written[numbers.stop :]]
            if problems(mutant.text, self.sentences(written)):
                return True
        return False

    def make(self, slip: Slip) -> Mutant:
        """The chapter with this slip."""
        rows, cell = self.text.split("\n"), self.cells[slip.cell]
        body = "\n".join(rows[cell.line - 1 : cell.end])
        quoted, wanted = ("".join(part.template for part in parts) for parts in (slip.before, slip.after))
        changed = body
        for one, other in zip(slip.before, slip.after, strict=True):
            if one != other and one.literal:
                changed = with_literal(changed, one, other, quoted)
            if one.template != other.template:
                changed = with_template(changed, quoted, wanted, slip)
        line = self.line_of(slip, cell)
        row = rows[line]  # a paragraph is one row
        for number, (one, other) in enumerate(zip(slip.before, slip.after, strict=True)):
            if one != other:
                so_far = slip.after[: number + 1] + slip.before[number + 1 :]
                old, new = (one.words, other.words) if slip.new == EXCHANGED else (slip.old, slip.new)
                row = with_words(row, old, new, rows[line], self.plain_of(slip.before), self.plain_of(so_far))
        rows[line] = row
        rows[cell.line - 1 : cell.end] = changed.split("\n")
        last = len(self.cells) if any(part.literal for part in changed_parts(slip)) else slip.cell + 1
        return Mutant("\n".join(rows), line + 1, range(slip.cell, last if changed != body else slip.cell))

    @staticmethod
    def plain_of(parts: tuple[Part, ...]) -> str:
        return plain_words("".join(part.words for part in parts))

    def line_of(self, slip: Slip, cell: Cell) -> int:
        """The last line before the cell in which the sentence stands."""
        wanted = self.plain_of(slip.before)
        lines = [line for line, token in prose.inlines(self.text) if wanted in plain(pieces_of_tokens(token))[0]]
        return max((line for line in lines if line < cell.line), default=lines[0])


def changed_parts(slip: Slip) -> list[Part]:
    return [one for one, other in zip(slip.before, slip.after, strict=True) if one != other]


def call_of(code: str, template: str) -> ast.Call:
    """The call of ``claim`` with this template."""
    for node in ast.walk(ast.parse(code)):
        if (
            isinstance(node, ast.Call)
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and node.args[0].value == template
        ):
            return node
    raise Impossible


def held(code: str, template: str) -> dict[str, ast.Constant]:
    """The gaps that the cell fills with a name to which it assigns a literal, each with the literal."""
    assigned = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            pairs = [(node.targets[0], node.value)]
            if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(node.targets[0].elts, node.value.elts, strict=False))
            assigned.update(
                {
                    target.id: value
                    for target, value in pairs
                    if isinstance(target, ast.Name)
                    and isinstance(value, ast.Constant)
                    and isinstance(value.value, int | float)
                }
            )
    filled = [(part.arg, part.value) for part in call_of(code, template).keywords]
    return {
        arg: assigned[value.id] for arg, value in filled if arg and isinstance(value, ast.Name) and value.id in assigned
    }


def replaced(text: str, node: ast.expr, new: str) -> str:
    """A source with another text for one of its nodes."""
    rows = text.encode().split(b"\n")
    start = sum(len(row) + 1 for row in rows[: node.lineno - 1]) + node.col_offset
    end = sum(len(row) + 1 for row in rows[: node.end_lineno - 1]) + node.end_col_offset
    return (text.encode()[:start] + new.encode() + text.encode()[end:]).decode()


def with_literal(code: str, one: Part, other: Part, template: str) -> str:
    node = held(code, template)[one.gap]
    number = claim.NUMBERS.get(other.words.lower()) or float(other.words.strip("%")) / (
        100 if "%" in other.words else 1
    )
    return replaced(code, node, repr(type(node.value)(number)))


def with_template(code: str, quoted: str, wanted: str, slip: Slip) -> str:
    node = call_of(code, quoted).args[0]
    source = ast.get_source_segment(code, node) or ""
    for match in re.finditer(re.escape(slip.old), source):
        changed = source[: match.start()] + slip.new + source[match.end() :]
        if ast.literal_eval(f"({changed})") == wanted:
            return replaced(code, node, changed)
    raise Impossible


def plain_of_row(row: str) -> str:
    return "\n".join(plain(pieces_of_tokens(token))[0] for _, token in prose.inlines(row))


def with_words(row: str, old: str, new: str, first: str, before: str, after: str) -> str:
    """A row of the source, in which the first one's sentence, in plain form, becomes another by one more change."""
    wanted = plain_of_row(first).replace(before, after, 1)
    for match in re.finditer(rf"{re.escape(old)}|[½¼¾]", row):
        known = {"½": "1/2", "¼": "1/4", "¾": "3/4"}.get(match[0], match[0])
        for at in re.finditer(re.escape(old), known):
            changed = row[: match.start()] + known[: at.start()] + new + known[at.end() :] + row[match.end() :]
            if plain_of_row(changed) == wanted:
                return changed
    raise Impossible


def other_number(number: str, chance: random.Random) -> str:
    """Another number that an author could have typed."""
    whole, point, rest = number.partition(".")
    at = chance.randrange(len(number.replace(".", "")))
    digits = list(number.replace(".", ""))
    digits[at] = str((int(digits[at]) + chance.randint(1, 9)) % 10)
    digit = "".join(digits[: len(whole)]) + point + "".join(digits[len(whole) :])
    twice = f"{2 * float(number):.{len(rest)}f}"
    power = (
        f"{number}0"
        if not point
        else chance.choice([f"0.{whole}{rest}", f"{float(number) * 10:.{max(len(rest) - 1, 1)}f}"])
    )
    turned = whole[::-1] + point + rest if len(whole) > 1 else whole + point + rest[::-1]
    return chance.choice([other for other in (digit, twice, power, turned) if float(other) != float(number)])


def like(word: str, other: str) -> str:
    return other.capitalize() if word[0].isupper() else other


def slips_of(chapter: Chapter, chance: random.Random) -> Iterator[Slip]:
    """Every change of one place of a claim, each with a new word or number by chance."""
    for cell, parts in chapter.parts:
        numbers = [n for n, part in enumerate(parts) if part.gap and re.fullmatch(r"[\d.]+", part.words)]
        for number, part in enumerate(parts):
            for match in SITE.finditer(part.words):
                old = match[0]
                new = other_number(old, chance) if old[0].isdigit() else like(old, chance.choice(WORDS[old.lower()]))
                words = part.words[: match.start()] + new + part.words[match.end() :]
                spec = words if part.spec.lower() in claim.WORDS else part.spec
                alike = {number} | {n for n, other in enumerate(parts) if part.literal and other == part}
                after = tuple(
                    replace(one, words=words, spec=spec) if n in alike else one for n, one in enumerate(parts)
                )
                yield Slip(cell, parts, after, old, new)
        for one, other in zip(numbers, numbers[1:], strict=False):
            if parts[one].words != parts[other].words and not (parts[one].literal or parts[other].literal):
                after = list(parts)
                after[one], after[other] = (
                    replace(parts[one], words=parts[other].words),
                    replace(parts[other], words=parts[one].words),
                )
                yield Slip(cell, parts, tuple(after), f"{parts[one].words} ... {parts[other].words}", EXCHANGED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=2017)
    parser.add_argument("--only", default="", help="chapters whose name holds this")
    given = parser.parse_args()
    files = sorted(ROOT.glob("chapters/*.md"))
    chance = random.Random(given.seed)
    chapters = [Chapter(file) for file in files if given.only in file.stem]
    everything = [(chapter, slip) for chapter in chapters for slip in slips_of(chapter, chance)]
    chance.shuffle(everything)
    mutants, impossible = [], 0
    for chapter, slip in everything:
        if len(mutants) == given.count:
            break
        try:
            mutants.append((chapter, slip, chapter.make(slip)))
        except Impossible:
            impossible += 1
            pass
    print(
        f"{len(mutants)} of {len(everything)} possible slips, seed {given.seed}; {impossible} could not be made",
        flush=True,
    )
    seen: Counter[bool] = Counter()
    for chapter, slip, mutant in sorted(mutants, key=lambda one: (one[0].file, one[1].cell)):
        chapter.advance(slip.cell)
        found = chapter.notices(mutant)
        seen[found] += 1
        if not found:
            where = f"{chapter.file.relative_to(ROOT)}:{mutant.line}"
            also = " with its literal, and true as well" if any(part.literal for part in changed_parts(slip)) else ""
            print(
                f"survived: {where}: {slip.old!r} -> {slip.new!r}{also}, in: {''.join(p.words for p in slip.before)}",
                flush=True,
            )
    print(f"{seen[True]} of {seen.total()} noticed")
    sys.exit(seen[True] < FEWEST * seen.total())


if __name__ == "__main__":
    main()
