"""``make class``: the built book for a room, over the local network.

A teacher's machine serves ``_build/html`` and shows its address, in words and as a QR code, in the terminal and as a
slide at ``/class``. Only files of the built book are given out, and nothing is taken in: there is no form, no cookie
and no log of who reads what. Plain HTTP: whoever shares the network can see which pages are asked for, and could
change them on the way.

A file is read and compressed once, and kept in memory for as long as it stays the same. Tornado's own compression
works anew at every request, with one ETag for both forms, and its ETag outlives a change of the file.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import os
import socket
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
import segno
from tornado.web import Application, HTTPError, RequestHandler, StaticFileHandler

PORTS = range(8000, 8020)
ALONE = "127.0.0.1"
MEMORY = 64 * 2**20  # bytes of files; the book has 20 MB
FOR_GOOD = "public, max-age=31536000, immutable"
PLAIN = (
    "Plain HTTP: whoever shares this network can see which pages are read. What readers enter stays on their devices."
)
SLIDE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>
body {{ margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 3vh;
       font-family: system-ui, sans-serif; text-align: center; color: #111; background: #fff; }}
svg {{ width: min(60vh, 80vw); height: auto; }}
a {{ color: #1158c7; }}
.here {{ font-size: min(7vh, 5.5vw); font-weight: 600; overflow-wrap: anywhere; }}
p {{ margin: 0; max-width: 60ch; font-size: max(18px, 2.4vh); }}
</style>
<p>{title}</p>{code}<a class="here" href="/">{address}</a>{others}<p>{plain}</p></html>"""


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

    def set_default_headers(self) -> None:
        """A type is what the server says, and a page is asked for anew when the book was built anew."""
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-cache")

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
            raise HTTPError(404)
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


class Slide(Answer):
    """Where to find the book, for the projector."""

    def initialize(self, addresses: Callable[[], list[str]]) -> None:
        """addresses: what readers may type or scan, the likeliest first; asked anew, for networks come and go."""
        self.addresses = addresses

    def get(self) -> None:
        """An address, as words and as a QR code, and the others to choose from."""
        found = self.addresses()
        chosen = self.get_query_argument("at", "")
        address = chosen if chosen in found else found[0]
        others = [f'<a href="/class?{urlencode({"at": one})}">{escape(one)}</a>' for one in found if one != address]
        self.write(
            SLIDE.format(
                title="Whyformer: open this on your device",
                code=segno.make(address, micro=False).svg_inline(scale=8, border=4, omitsize=True),
                address=escape(address),
                others=f"<p>In another network: {' '.join(others)}</p>" if others else "",
                plain=PLAIN,
            )
        )


def application(folder: Path, addresses: Callable[[], list[str]]) -> Application:
    """What is served: the slide, and the files of ``folder``."""
    files = {"path": str(folder), "default_filename": "index.html", "bodies": Bodies()}
    return Application(
        [("/class", Slide, {"addresses": addresses}), ("/(.*)", Files, files)], log_function=lambda _: None
    )


def routed() -> str:
    """The address from which this machine would reach the world, or none. No packet is sent for that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation (RFC 5737): only the route is looked up
            return str(probe.getsockname()[0])
        except OSError:
            return ""


def own_addresses() -> list[str]:
    """The addresses of this machine in its networks, the likeliest first; 127.0.0.1 if it is in none.

    A hotspot has no route into the world, so all interfaces are asked. A browser cannot write the interface that an
    IPv6 address of one link needs.
    """
    up = {name for name, state in psutil.net_if_stats().items() if state.isup}
    found = [each.address for name, of_one in psutil.net_if_addrs().items() if name in up for each in of_one
             if each.family in (socket.AF_INET, socket.AF_INET6)]  # fmt: skip
    known = {text: ip_address(text) for text in found}
    usable = [text for text, one in known.items() if not (one.is_loopback or (one.version == 6 and one.is_link_local))]
    first = routed()
    return sorted(usable, key=lambda text: (text != first, known[text].version, known[text].is_link_local)) or [ALONE]


def url(host: str, port: int) -> str:
    """The address of the book; IPv6 stands in brackets."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def listen(folder: Path, host: str | None, ports: range) -> Callable[[], list[str]]:
    """Serve at the first free port; how to ask for the addresses of the book. Raises ``OSError`` if none is free."""
    for port in ports:

        def addresses(port: int = port) -> list[str]:
            return [url(one, port) for one in ([host] if host else own_addresses())]

        try:
            application(folder, addresses).listen(port, ALONE if host == ALONE else None)
            return addresses
        except OSError as error:
            taken = error
    raise OSError(f"no free port from {ports[0]} to {ports[-1]}; choose another with --port") from taken


async def serve(folder: Path, host: str | None, ports: range) -> None:
    """Print where the book is, and serve it until it is stopped."""
    address, *others = listen(folder, host, ports)()
    segno.make(address, micro=False).terminal(compact=True)
    print(f"The book for the room:  {address}\nThis as a slide:        {address}class")
    for other in others:
        print(f"In another network:     {other}")
    print(f"\n{PLAIN}\nStop with Ctrl+C.")
    if address.startswith(f"http://{ALONE}:"):
        print("This machine is in no network, so only itself can open the book.")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> int:
    """The command line; 1 if there is nothing to serve."""
    parser = argparse.ArgumentParser(description="Serve the built book in the local network, to be read.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("_build/html"))
    parser.add_argument("--port", type=int, choices=range(1024, 65536), metavar="1024..65535")
    parser.add_argument("--host", default=None, help="the address that readers use, if the one found is not theirs")
    given = parser.parse_args()
    if not (given.folder / "index.html").is_file():
        print(f"There is no book in {given.folder}. Build it first: make book", file=sys.stderr)
        return 1
    ports = PORTS if given.port is None else range(given.port, given.port + 1)
    try:
        asyncio.run(serve(given.folder, given.host, ports))
    except KeyboardInterrupt:
        pass
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
