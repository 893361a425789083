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

from whyformer_book.proof.page import Problem, read
from whyformer_book.proof.sentences import quoted

FILE = "sources.toml"
ENTRY = re.compile(r"^@\w+\{\s*([^,\s]+)", re.MULTILINE)


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


@lru_cache(2)
def keys(file: Path) -> frozenset[str]:
    """Those of a BibTeX file."""
    return frozenset(ENTRY.findall(file.read_text(encoding="utf-8")))


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
