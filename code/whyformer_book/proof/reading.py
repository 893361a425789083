"""Where each cited work was read: ``chapters/sources.toml``, one table for each key of ``references.bib``.

``read = "arXiv 1706.03762v5, sections 3.2.1 and 6.2"`` says what of it was opened; ``unseen = "second hand, from …"``
says that nothing was. A page whose checks stand in a room cites no key without an entry.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from whyformer_book import myst

FILE = "sources.toml"
CITED = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


@lru_cache(2)
def _entries(file: Path, changed: int) -> dict[str, dict[str, str]]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def entries(folder: Path) -> dict[str, dict[str, str]]:
    """What ``sources.toml`` says, by key; ``ValueError`` for an entry that is not one of the two forms."""
    file = folder / FILE
    found = _entries(file, file.stat().st_mtime_ns) if file.is_file() else {}
    for key, entry in found.items():
        if len(entry) != 1 or not {*entry} <= {"read", "unseen"} or not all(map(str.strip, entry.values())):
            raise ValueError(f'{FILE}: {key} needs either read = "where" or unseen = "second hand from where"')
    return found


def cited(text: str) -> Iterator[tuple[int, str]]:
    """Each key that a page cites, with its line, from 1."""
    for token, line, _ in myst.walk(text):
        if token.type == "inline":
            for down, row in enumerate(token.content.split("\n")):
                for keys in CITED.findall(row):
                    yield from ((line + down + 1, key.strip()) for key in keys.split(","))


def unread(text: str, folder: Path) -> Iterator[tuple[int, str]]:
    """Citations of works of which nobody has said where they were read, each with its line, from 1."""
    known = entries(folder)
    for line, key in cited(text):
        if key not in known:
            yield line, f"{key} is cited, but {FILE} does not say where it was read"
