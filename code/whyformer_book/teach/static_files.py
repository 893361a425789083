"""Files of the built book as they are sent: each read and compressed once, and nothing beside them.

A file is kept in memory for as long as it stays the same. Tornado's own compression works anew at every request, with
one ETag for both forms, and its ETag outlives a change of the file.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tornado.web import HTTPError, RequestHandler, StaticFileHandler

MEMORY = 64 * 2**20  # bytes of files; the book has 20 MB
FOR_GOOD = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Body:
    """A file as it is sent: plain, and compressed where that makes it smaller by a tenth."""

    plain: bytes
    packed: bytes | None
    digest: str
    versions: set[bytes]  # in an address, of this very content: as Sphinx marks it, and as the book does

    @classmethod
    def read(cls, file: str) -> Body:
        """A file; raises ``OSError`` where it cannot be read."""
        plain = Path(file).read_bytes()
        packed, digest = gzip.compress(plain, mtime=0), hashlib.sha256(plain).hexdigest()
        versions = {b"%08x" % zlib.crc32(plain.translate(None, b"\r")), digest[:8].encode()}
        return cls(plain, packed if len(packed) < 0.9 * len(plain) else None, digest, versions)


class Bodies:
    """Files by name and state, each read once, however many ask for it at the same time."""

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory, self.held = memory, 0
        self.kept: dict[tuple[str, int, int], asyncio.Task[Body]] = {}

    async def of(self, file: str) -> Body:
        """The file as it is now; raises ``OSError`` where there is none that can be read."""
        state = os.stat(file)
        key = (file, state.st_mtime_ns, state.st_size)
        if key not in self.kept:
            self.kept[key] = asyncio.create_task(self._read(file))
        try:
            return await self.kept[key]
        except OSError:
            self.kept.pop(key, None)
            raise

    async def _read(self, file: str) -> Body:
        body = await asyncio.to_thread(Body.read, file)
        self.held += len(body.plain) + len(body.packed or b"")
        if self.held > self.memory:  # books that were built one after another: begin anew
            self.kept, self.held = {}, 0
        return body


def takes_gzip(accepted: str) -> bool:
    """Whether an ``Accept-Encoding`` names gzip, and not with a weight of 0."""
    for each in accepted.lower().replace(" ", "").split(","):
        name, _, weight = each.partition(";q=")
        if name == "gzip":
            return not weight or weight.strip("0.") != ""
    return False


class Answer(RequestHandler):
    """What all answers have in common, also those that say what is wrong."""

    def prepare(self) -> None:
        """Only who asks for this machine by its own name is answered: a page elsewhere can make a name point here."""
        known: Callable[[str], bool] = self.settings["knows_host"]
        if not known(self.request.host_name):
            raise HTTPError(421)

    def set_default_headers(self) -> None:
        """A type is what the server says, and a page is asked for anew when the book was built anew."""
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Frame-Options", "SAMEORIGIN")

    def log_exception(self, *what: Any) -> None:
        """Faults of the server alone: Tornado would print who asked for what is not there."""
        if not isinstance(what[1], HTTPError):
            super().log_exception(*what)


class Files(Answer, StaticFileHandler):
    """The files of one folder, to be read. Tornado finds them, and refuses what leads out of the folder."""

    def initialize(self, bodies: Bodies, **options: Any) -> None:  # type: ignore[override]
        """bodies: what the files hold, for all requests."""
        super().initialize(**options)
        self.bodies, self.etag = bodies, ""

    async def get(self, path: str, include_body: bool = True) -> None:
        """The file in the form that the reader takes, or that nothing has changed since it was taken."""
        if not path.isprintable():  # such as %00, which has no place in the name of a file
            raise HTTPError(400)
        self.path = self.parse_url_path(path)
        self.absolute_path = self.validate_absolute_path(self.root, self.get_absolute_path(self.root, self.path))
        if self.absolute_path is None:
            return  # the address of a folder lacked its stroke
        try:
            body = await self.bodies.of(self.absolute_path)
        except OSError:
            raise HTTPError(404) from None
        packed = body.packed if takes_gzip(self.request.headers.get("Accept-Encoding", "")) else None
        self.etag = f'"{body.digest[:32]}{"-gzip" if packed else ""}"'
        self.set_header("Content-Type", self.get_content_type())
        if body.packed:
            self.set_header("Vary", "Accept-Encoding")
        if packed:
            self.set_header("Content-Encoding", "gzip")
        if self.request.query_arguments.get("v", [b""])[-1] in body.versions:
            self.set_header("Cache-Control", FOR_GOOD)
        await self.finish(packed or body.plain)

    def compute_etag(self) -> str | None:
        """That of the form which is sent."""
        return self.etag or None

    def write_error(self, status_code: int, **options: Any) -> None:
        """The book's own page for what is not there, else what Tornado says."""
        page = Path(self.root, "404.html")
        if status_code == 404 and page.is_file():
            self.finish(page.read_text(encoding="utf-8"))
        else:
            super().write_error(status_code, **options)
