"""An author's inner loop: what the build would say of a chapter's marks, in a second or two.

``python -m whyformer_book.proof.chapter chapters/why_sqrt_dk.md`` (``make chapter NAME=why_sqrt_dk``).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from whyformer_book.proof import rooms
from whyformer_book.proof.cited import uncited
from whyformer_book.proof.marks import Problem, bare, marks, problems
from whyformer_book.proof.reading import unread
from whyformer_book.proof.whole import empty, is_chapter, is_draft


def reported(found: tuple[int, str]) -> Problem:
    """A number that is marked as cited, in a paragraph without a citation."""
    line, number = found
    return Problem(line, f"the number {number} is marked as cited, but its paragraph has no {{cite}}")


def all_problems(text: str, room: rooms.Room | None, folder: Path) -> list[Problem]:
    """All that the build says of a page's marks, numbers and citations. ``folder`` has ``sources.toml``.

    room: None for a page without one; then it may print no number that would need a check.
    """
    if room is None:
        return sorted([*bare(text), *map(reported, uncited(text))])
    optional = room.answers if "{solution}" not in text else ()
    found = problems(text, room.results(), optional)
    found += map(reported, uncited(text))
    return sorted([*found, *(Problem(*one) for one in unread(text, folder))])


def main(file: Path) -> int:
    """Print what is wrong with a chapter; the number of problems."""
    start = time.perf_counter()
    room = rooms.room_of(file.stem)
    text = file.read_text(encoding="utf-8")
    found = all_problems(text, room, file.parent)
    for line, what in found:
        print(f"{file}:{line}: {what}")
    lacking = [*empty(text, file.stem)] if is_chapter(file.stem) else []
    for line, what in lacking:
        print(f"{file}:{line}: {'still empty: ' * is_draft(file.stem)}{what}")
    if not is_draft(file.stem):
        found += lacking
    checks, count = room.results() if room else {}, len(marks(text))
    print(f"{len(checks)} checks, {count} marks, {len(found)} problems ({time.perf_counter() - start:.1f} s)")
    return len(found)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m whyformer_book.proof.chapter CHAPTER.md")
    sys.exit(min(main(Path(sys.argv[1])), 1))
