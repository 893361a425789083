"""The journal of a room: one line for each thing said, on the disk before it is acknowledged.

A line is ``<crc32> <JSON>``. What is said at the same time is written and synced together, in a thread: the disk takes
milliseconds, and votes come by the hundred. A write that fails or ends early is cut off again and refused, so that
nothing is acknowledged that a restart would not find.
"""

from __future__ import annotations

import asyncio
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from whyformer_book.teach.room.messages import Message, Refused

LARGEST = 64 * 2**20  # bytes; a lesson of 300 devices has about one of 64


class Damaged(Exception):
    """A journal that cannot be taken up again."""


def packed(line: Message) -> bytes:
    """A line as it stands in the file."""
    body = json.dumps(line, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def whole_lines(content: bytes) -> Iterator[tuple[Message, int]]:
    """The lines of a journal, each with the bytes up to its end; a torn end is left out.

    Raises ``Damaged`` when a line that cannot be read stands before others that can.
    """
    end, torn = 0, 0
    for number, written in enumerate(content.split(b"\n")[:-1], 1):
        end += len(written) + 1
        crc, _, body = written.partition(b" ")
        if crc != b"%08x" % zlib.crc32(body):
            torn = torn or number
        elif torn:
            raise Damaged(f"line {torn} cannot be read; begin a new room with --new, the file stays as it is")
        else:
            yield json.loads(body), end


class Journal:
    """The file of a room, open for writing by this process alone."""

    def __init__(self, file: Path, take: Callable[[Message], None]) -> None:
        """Open or begin ``file``; each of its lines, and each that is kept later, goes to ``take``.

        Raises ``OSError`` when it cannot be opened or another process has it, ``Damaged`` when it cannot be read.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        self.take = take
        self.descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        self.waiting: list[tuple[Message, asyncio.Future[None]]] = []
        self.writing: asyncio.Task[None] | None = None
        self.fault = ""  # why the last write failed, for a person
        self.end = 0  # bytes that are surely on the disk
        try:
            _lock(self.descriptor)
            for line, end in whole_lines(file.read_bytes()):
                self._take(line)
                self.end = end
            os.ftruncate(self.descriptor, self.end)
        except BaseException:
            os.close(self.descriptor)
            raise

    def _take(self, line: Message) -> Refused | None:
        try:
            self.take(line)
        except Refused as refused:  # a vote that was written after the end of the vote: as when it came
            return refused
        return None

    def write(self, lines: list[Message]) -> None:
        """Put lines on the disk, all or none. Raises ``OSError``."""
        data = b"".join(map(packed, lines))
        if self.end + len(data) > LARGEST:
            raise OSError(f"the journal has {LARGEST} bytes; begin a new room with --new")
        os.ftruncate(self.descriptor, self.end)  # what a failed write may have left
        os.lseek(self.descriptor, self.end, os.SEEK_SET)
        try:
            if os.write(self.descriptor, data) != len(data):
                raise OSError("the disk is full")
            os.fsync(self.descriptor)
        except OSError:
            os.ftruncate(self.descriptor, self.end)
            raise
        self.end += len(data)

    async def keep(self, line: Message) -> None:
        """Return when ``line`` is on the disk and has been taken in. Raises ``Refused``."""
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append((line, kept))
        if self.writing is None:
            self.writing = asyncio.create_task(self._write_all())
        await kept

    async def _write_all(self) -> None:
        while self.waiting:
            together, self.waiting = self.waiting, []
            try:
                await asyncio.to_thread(self.write, [line for line, _ in together])
                self.fault = ""
            except OSError as error:
                self.fault = f"Votes cannot be kept: {error.strerror or error}."
            for line, kept in together:
                refused = Refused("disk", self.fault) if self.fault else self._take(line)
                if kept.cancelled():
                    continue
                kept.set_exception(refused) if refused else kept.set_result(None)
        self.writing = None

    def close(self) -> None:
        """Give the file back."""
        os.close(self.descriptor)


def _lock(descriptor: int) -> None:
    """Two servers must not write one journal. Raises ``OSError`` if another has it."""
    try:
        import fcntl
    except ImportError:  # Windows: there a second server finds the port taken
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
