"""Which names of classes and ids occur in the pages of the book: only rules about those are kept (``first_paint``)."""

from __future__ import annotations

import json
import re
from pathlib import Path

from whyformer_book.paths import fingerprint

WORD = re.compile(r"[\w-]+")
#: What can stand in a class or an id, and a space for all else: on ten megabytes four times as fast as a pattern.
SPACED = bytes(code if code < 128 and WORD.match(chr(code)) else ord(" ") for code in range(256))


class Seen:
    """Which of some names occur as words in files; of a file that has not changed it is remembered, in ``memory``."""

    def __init__(self, memory: Path, names: set[str]) -> None:
        self.memory, self.names = memory, names
        self.of = fingerprint([Path(__file__)], sorted(names))
        before = json.loads(memory.read_text()) if memory.is_file() else {}
        self.before: dict[str, tuple[list[int], list[str]]] = before["files"] if before.get("of") == self.of else {}
        self.now: dict[str, tuple[list[int], list[str]]] = {}

    def among(self, text: str) -> set[str]:
        """Those of the names that are words of a text."""
        return self.names & set(text.encode().translate(SPACED).decode().split())

    def in_file(self, file: Path, text: str) -> set[str]:
        """Those that are words of a file with that text."""
        state, words = self.before.get(str(file), ([], []))
        found = set(words) if state == self._state(file) else self.among(text)
        self.now[str(file)] = self._state(file), sorted(found)
        return found

    def has_changed(self, file: Path) -> None:
        """Written anew, with the same names in it."""
        self.now[str(file)] = self._state(file), self.now[str(file)][1]

    def keep(self) -> None:
        """For the next build."""
        self.memory.write_text(json.dumps({"of": self.of, "files": self.now}))

    @staticmethod
    def _state(file: Path) -> list[int]:
        return [file.stat().st_size, file.stat().st_mtime_ns]
