"""What was read of each cited work: ``chapters/sources.toml``, one table for each key of ``references.bib``.

Each has one of ``KINDS``: ``read = "arXiv 1706.03762v5, sections 3.2.1 and 6.2"`` says which parts were opened,
``abstract = "…"`` that the abstract alone was, ``second_hand = "…"`` who reports it, and ``unread = "…"`` what was
looked for. A page whose checks stand in a room cites no key without an entry; the page of sources prints the entries.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from whyformer_book import myst

FILE = "sources.toml"
#: What was read, each with what the page of sources says.
KINDS = {"read": "Read", "abstract": "Abstract", "second_hand": "Second hand", "unread": "Not read"}
CITED = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


@lru_cache(2)
def _entries(file: Path, changed: int) -> dict[str, dict[str, str]]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def entries(folder: Path) -> dict[str, dict[str, str]]:
    """What ``sources.toml`` says, by key; ``ValueError`` for an entry that is not of one of the kinds."""
    file = folder / FILE
    found = _entries(file, file.stat().st_mtime_ns) if file.is_file() else {}
    for key, entry in found.items():
        if len(entry) != 1 or not {*entry} <= {*KINDS} or not all(map(str.strip, entry.values())):
            raise ValueError(f"{FILE}: {key} needs one of {', '.join(KINDS)}, and its words")
    return found


def told(folder: Path, key: str) -> tuple[str, str]:
    """What a page says of a work: the kind, and its words; two empty texts if ``sources.toml`` has no entry."""
    for kind, words in entries(folder).get(key, {}).items():
        return KINDS[kind], words[0].upper() + words[1:] if not words.startswith("arXiv") else words
    return "", ""


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
