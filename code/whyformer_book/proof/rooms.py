"""The room of a page: its checks, what they found, and which sentences a person has accepted.

``accepted.txt`` in a room names the checks that prove what a reader will repeat, each with a digest of its source and
the sentences for which somebody judged that the one proves the other. A changed word or check is asked for again.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from whyformer.proof import Check, Result
from whyformer.proof.check import checks_in

from whyformer_book.proof.marks import Mark, Problem
from whyformer_book.site.assets import PACKAGE

ROOMS = PACKAGE / "questions"
FILE = "accepted.txt"
#: Modules of checks, and whether a page may leave their checks without a mark: those of answers, without solutions.
MODULES = ("checks", "answers")


@dataclass(frozen=True)
class Source:
    """The code of a check: its own lines, and those of what it uses in its file."""

    lines: str
    digest: str


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {name for target in targets for name in _names(target)}
    return set()


def _lines(text: list[str], statement: ast.stmt) -> str:
    decorated = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(one.lineno for one in decorated)])
    rows = (re.sub(r"(^|\s{2,})#.*$", "", row).rstrip() for row in text[first - 1 : statement.end_lineno])
    return "\n".join(row for row in rows if row)


def sources(text: str) -> dict[str, Source]:
    """The source of each function of a file, by name; a comment or a blank line is no part of it."""
    rows = text.splitlines()
    parts = [(_defined(one), _names(one), _lines(rows, one)) for one in ast.parse(text).body if _defined(one)]
    found = {}
    for number, (names, _, own) in enumerate(parts):
        needed, waiting = {number}, [number]
        while waiting:
            uses = parts[waiting.pop()][1]
            more = {i for i, (defines, _, _) in enumerate(parts) if defines & uses} - needed
            needed |= more
            waiting += more
        whole = "\n\n".join(parts[i][2] for i in sorted(needed))
        for name in names:
            found[name] = Source(own, hashlib.sha256(whole.encode()).hexdigest()[:12])
    return found


@dataclass
class Room:
    """The checks of a question, and what was accepted of them."""

    name: str
    folder: Path
    _results: dict[str, Result] = field(default_factory=dict)

    @cached_property
    def checks(self) -> dict[str, Check]:
        """All checks of the room by name."""
        there = [one for one in MODULES if (self.folder / f"{one}.py").is_file()]
        modules = [importlib.import_module(f"whyformer.questions.{self.name}.{one}") for one in there]
        return {name: check for module in modules for name, check in checks_in(module).items()}

    @cached_property
    def answers(self) -> set[str]:
        """The names of the checks of answers, which have no marks where there are no solutions."""
        return {name for name, check in self.checks.items() if check.__wrapped__.__module__.endswith(".answers")}

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The source of each check."""
        files = [file for file in (self.folder / f"{one}.py" for one in MODULES) if file.is_file()]
        return {name: one for file in files for name, one in sources(file.read_text(encoding="utf-8")).items()}

    def results(self) -> dict[str, Result]:
        """What the checks have found, each run once."""
        for name, one in self.checks.items():
            if name not in self._results:
                self._results[name] = one()
        return self._results

    def files(self) -> list[Path]:
        """What a page depends on beside its own text."""
        shared = [file for part in ("maths", "model", "evidence", "proof") for file in (PACKAGE / part).rglob("*")]
        return [file for file in [*self.folder.iterdir(), *shared] if file.suffix in {".py", ".json", ".txt"}]

    @property
    def accepted_file(self) -> Path:
        """Where acceptance is written down."""
        return self.folder / FILE

    def accepted(self) -> dict[str, tuple[str, list[str]]]:
        """By check: the digest of its source, and the sentences, for which it was accepted."""
        found: dict[str, tuple[str, list[str]]] = {}
        name = ""
        for row in self.accepted_file.read_text(encoding="utf-8").splitlines():
            if row.startswith("  "):
                found[name][1].append(row.strip())
            elif row.strip() and not row.startswith("#"):
                name, digest = row.split()
                found[name] = (digest, [])
        return found

    def write_accepted(self, accepted: dict[str, tuple[str, list[str]]]) -> None:
        """Write it down, in the order of names."""
        rows = ["# Which check proves which sentence, as judged by a person: make accept CHECK=name"]
        for name, (digest, words) in sorted(accepted.items()):
            rows += [f"{name} {digest}", *(f"  {one}" for one in words)]
        self.accepted_file.write_text("\n".join(rows) + "\n", encoding="utf-8")


def room_of(page: str) -> Room | None:
    """The room of a page with checks; None for a page without one."""
    folder = ROOMS / Path(page).name
    return Room(folder.name, folder) if (folder / FILE).is_file() else None


def asked(marks: Iterable[Mark]) -> dict[str, list[str]]:
    """The sentences that have to be accepted, by check."""
    found: dict[str, list[str]] = {}
    for mark in marks:
        for name in mark.names if mark.asked else ():
            if mark.text not in found.setdefault(name, []):
                found[name].append(mark.text)
    return found


def unaccepted(room: Room, marks: list[Mark]) -> Iterator[Problem]:
    """Sentences of a page that nobody has accepted for the check as it is; and what was accepted and is gone."""
    accepted = room.accepted()
    wanted = asked(marks)
    for name, sentences in wanted.items():
        if name not in room.checks:
            continue
        digest, words = accepted.get(name, ("", []))
        line = next(mark.line for mark in marks if mark.asked and name in mark.names)
        if digest != room.sources[name].digest or words != sentences:
            what = (
                "is new" if not digest else "has changed" if digest != room.sources[name].digest else "has other words"
            )
            yield Problem(line, f"the check {name} {what}; if it proves its sentence: make accept CHECK={name}")
    for name in accepted.keys() - wanted.keys():
        yield Problem(1, f"{name} is accepted and proves no sentence that has to be: take it out of {FILE}")
