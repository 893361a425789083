"""What was read of each cited work: ``chapters/sources.toml``, one table for each key of ``references.bib``.

Each has one of ``KINDS``: ``read = "arXiv 1706.03762v5, sections 3.2.1 and 6.2"`` says which parts were opened,
``abstract = "…"`` that the abstract alone was, ``second_hand = "…"`` who reports it, and ``unread = "…"`` what was
looked for. A page that has checks cites no key without an entry; the page of sources prints the entries.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from whyformer_book.proof.page import Problem, read
from whyformer_book.proof.sentences import quoted

FILE = "sources.toml"
ENTRY = re.compile(r"^@\w+\{\s*([^,\s]+)", re.MULTILINE)
#: What was read, each with what the page of sources says.
KINDS = {"read": "Read", "abstract": "Abstract", "second_hand": "Second hand", "unread": "Not read"}


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


@lru_cache(2)
def keys(file: Path) -> frozenset[str]:
    """Those of a BibTeX file."""
    return frozenset(ENTRY.findall(file.read_text(encoding="utf-8")))


def told(folder: Path, key: str) -> tuple[str, str]:
    """What a page says of a work: the kind, and its words; two empty texts if ``sources.toml`` has no entry."""
    for kind, words in entries(folder).get(key, {}).items():
        return KINDS[kind], words[0].upper() + words[1:] if not words.startswith("arXiv") else words
    return "", ""


def unread(text: str, folder: Path, all_read: bool) -> Iterator[Problem]:
    """Citations of works that there are not, or of which nobody has said where they were read.

    folder: has ``sources.toml``, and beside it lies ``references.bib``. all_read: whether each has to have been read.
    """
    known, told = keys(folder.parent / "references.bib"), entries(folder) if all_read else {}
    for paragraph in read(text).paragraphs:
        whole = paragraph.token.content
        for child, line, _ in paragraph.parts():
            if child.type == "myst_role" and child.meta["name"].partition(":")[0] == "cite":
                for key in map(str.strip, child.content.split(",")):
                    what = f"{key} is cited, but "
                    if key not in known:
                        yield Problem(line + 1, f"{what}references.bib has no such work" + quoted(whole, key))
                    elif all_read and key not in told:
                        yield Problem(line + 1, f"{what}{FILE} does not say where it was read" + quoted(whole, key))
