"""Beginning a room, and taking one up again after the server was stopped in the middle."""

from __future__ import annotations

import time
from pathlib import Path

from whyformer_book.teach.room.journal import Journal
from whyformer_book.teach.room.state import Room, new_room

A_LESSON = 3 * 60 * 60  # seconds; a journal in which nothing was written for so long is of another class


def open_room(folder: Path, anew: bool) -> tuple[Room, Journal, Path]:
    """The room whose journal in ``folder`` is the latest, if it is of this lesson, else a new one.

    Raises ``OSError`` when the journal cannot be written, ``Damaged`` when it cannot be read.
    """
    latest = max(folder.glob("*.journal"), default=None)
    if latest and not anew and time.time() - latest.stat().st_mtime < A_LESSON:
        try:
            return _opened(latest)
        except BlockingIOError:  # another server has this room
            pass
    while (file := folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}.journal").exists():
        time.sleep(0.1)
    return _opened(file)


def _opened(file: Path) -> tuple[Room, Journal, Path]:
    room = Room()
    journal = Journal(file, room.apply)
    lines = [{"do": "start"}] if room.code else [new_room(), {"do": "start"}]
    journal.write(lines)
    for line in lines:
        room.apply(line)
    return room, journal, file
