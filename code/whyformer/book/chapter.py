"""An author's inner loop: what the build would say of a chapter's marks, in a second or two.

``python -m whyformer.book.chapter chapters/why_sqrt_dk.md`` (``make chapter NAME=why_sqrt_dk``). A chapter whose checks
still stand in its cells is rehearsed instead (``rehearse``).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from whyformer.book import rooms
from whyformer.book.cited import uncited
from whyformer.book.marks import Problem, marks, problems
from whyformer.book.reading import unread


def all_problems(text: str, room: rooms.Room, folder: Path) -> list[Problem]:
    """All that the build says of a page whose checks stand in its room. ``folder`` has ``sources.toml``."""
    optional = room.answers if "{solution}" not in text else ()
    found = problems(text, room.results(), optional)
    found += rooms.unaccepted(room, marks(text))
    found += [
        Problem(line, f"the number {number} is marked as cited without a citation") for line, number in uncited(text)
    ]
    return sorted([*found, *(Problem(*one) for one in unread(text, folder))])


def main(file: Path) -> int:
    """Print what is wrong with a chapter; the number of problems."""
    start = time.perf_counter()
    room = rooms.room_of(file.stem)
    if room is None:
        from whyformer.book import rehearse

        return rehearse.main(file)
    text = file.read_text(encoding="utf-8")
    found = all_problems(text, room, file.parent)
    for line, what in found:
        print(f"{file}:{line}: {what}")
    checks, count = room.results(), len(marks(text))
    print(f"{len(checks)} checks, {count} marks, {len(found)} problems ({time.perf_counter() - start:.1f} s)")
    return len(found)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m whyformer.book.chapter CHAPTER.md")
    sys.exit(min(main(Path(sys.argv[1])), 1))
