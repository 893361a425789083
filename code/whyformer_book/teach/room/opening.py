"""Beginning a room, and taking one up again after the server was stopped in the middle."""

from __future__ import annotations

import os
import time
from pathlib import Path

from whyformer_book.teach.room.journal import Journal, whole_lines
from whyformer_book.teach.room.state import Room, new_room

A_LESSON = 3 * 60 * 60  # seconds; a journal in which nothing was written for so long is of another class


class Held(OSError):
    """The room of this lesson is open in another process."""


def open_room(folder: Path, anew: bool) -> tuple[Room, Journal, Path]:
    """The room whose journal in ``folder`` is the latest, if it is of this lesson, else a new one.

    ``begin`` says that it is open, and where. Raises ``Held`` when another process has it, ``OSError`` when the journal
    cannot be written, ``Damaged`` when it cannot be read.
    """
    latest = max(folder.glob("*.journal"), default=None)
    if latest and not anew and time.time() - latest.stat().st_mtime < A_LESSON:
        try:
            return _opened(latest)
        except BlockingIOError:
            raise Held(_who_holds(latest)) from None
    while (file := folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}.journal").exists():
        time.sleep(0.1)
    return _opened(file)


def _opened(file: Path) -> tuple[Room, Journal, Path]:
    room = Room()
    journal = Journal(file, room.apply)
    if not room.code:
        _keep(room, journal, new_room())
    return room, journal, file


def begin(room: Room, journal: Journal, port: int) -> None:
    """The room is open from now on, at this port. Raises ``OSError`` when that cannot be written."""
    _keep(room, journal, {"do": "start", "port": port, "process": os.getpid()})


def _keep(room: Room, journal: Journal, line: dict[str, object]) -> None:
    journal.write([line])
    room.apply(line)


def _who_holds(file: Path) -> str:
    lines = [line for line, _ in whole_lines(file.read_bytes())]
    code = next((line["code"] for line in lines if line["do"] == "room"), "of this lesson")
    start = next((line for line in reversed(lines) if line["do"] == "start"), {})
    return (
        f"The room {code} is open in another process: {start.get('process', 'unknown')}, at port "
        f"{start.get('port', 'unknown')}. Go on there, or stop that process and try again. "
        "For a room beside it: make class CLASS=--new"
    )
