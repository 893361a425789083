"""``make class``: the built book for a room, over the local network.

A teacher's machine serves ``_build/html`` and shows its address, in words and as a QR code, in the terminal and as a
slide at ``/class``. Only files of the built book are given out, and nothing is taken in: there is no form, no cookie
and no log of who reads what. Plain HTTP: whoever shares the network can see which pages are asked for, and could
change them on the way.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import sys
from html import escape
from pathlib import Path
from typing import Any

import segno
from tornado.web import Application, HTTPError, RequestHandler, StaticFileHandler

PORTS = range(8000, 8020)
PLAIN = (
    "Plain HTTP: whoever shares this network can see which pages are read. What readers enter stays on their devices."
)
SLIDE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>
body {{ margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; gap: 3vh;
       font-family: system-ui, sans-serif; text-align: center; color: #111; background: #fff; }}
svg {{ width: min(60vh, 80vw); height: auto; }}
a {{ font-size: min(7vh, 6vw); font-weight: 600; color: #0b5394; }}
p {{ margin: 0; max-width: 60ch; font-size: max(18px, 2.4vh); }}
</style>
<p>{title}</p>{code}<a href="/">{address}</a><p>{plain}</p></html>"""


class Answer(RequestHandler):
    """What all answers have in common, also those that say what is wrong."""

    def set_default_headers(self) -> None:
        """A type is what the server says, and a page is asked for anew when the book was built anew."""
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cache-Control", "no-cache")


class Files(Answer, StaticFileHandler):
    """The files of one folder, to be read. A link that leads out of it is no file of it."""

    def get_cache_time(self, *_: object) -> int:
        """No time: Tornado would have a file with a version in its address kept for years."""
        return 0

    def validate_absolute_path(self, root: str, absolute_path: str) -> str | None:
        """Tornado's own check, after links have been followed; raises ``HTTPError`` 403 or 404."""
        real, folder = os.path.realpath(absolute_path), os.path.realpath(root)
        if not (real + os.sep).startswith(folder + os.sep):
            raise HTTPError(403, "not a file of the book")
        return super().validate_absolute_path(root, absolute_path)

    def write_error(self, status_code: int, **options: Any) -> None:
        """The book's own page for what is not there, else what Tornado says."""
        page = Path(self.root, "404.html")
        if status_code == 404 and page.is_file():
            self.finish(page.read_text(encoding="utf-8"))
        else:
            super().write_error(status_code, **options)


class Slide(Answer):
    """Where to find the book, for the projector."""

    def initialize(self, address: str) -> None:
        """address: what readers type or scan."""
        self.address = address

    def get(self) -> None:
        """The address, as words and as a QR code."""
        code = segno.make(self.address, micro=False).svg_inline(scale=8, border=4, omitsize=True)
        title = "Whyformer: open this on your device"
        self.write(SLIDE.format(title=title, code=code, address=escape(self.address), plain=PLAIN))


def application(folder: Path, address: str) -> Application:
    """What is served: the slide, and the files of ``folder``."""
    files = {"path": str(folder), "default_filename": "index.html"}
    return Application([("/class", Slide, {"address": address}), ("/(.*)", Files, files)], log_function=lambda _: None)


def own_address() -> str:
    """The machine's address in its network, or 127.0.0.1 if it is in none. No packet is sent for that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation (RFC 5737): only the route is looked up
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def listen(folder: Path, host: str, ports: range) -> str:
    """Serve at the first free port; the address of the book. Raises ``OSError`` if none is free."""
    for port in ports:
        address = f"http://{host}:{port}/"
        try:
            application(folder, address).listen(port, "127.0.0.1" if host == "127.0.0.1" else "0.0.0.0")
            return address
        except OSError as error:
            taken = error
    raise OSError(f"no free port from {ports[0]} to {ports[-1]}; choose another with --port") from taken


async def serve(folder: Path, host: str, ports: range) -> None:
    """Print where the book is, and serve it until it is stopped."""
    address = listen(folder, host, ports)
    segno.make(address, micro=False).terminal(compact=True)
    print(f"The book for the room:  {address}\nThis as a slide:        {address}class\n\n{PLAIN}\nStop with Ctrl+C.")
    if host == "127.0.0.1":
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
        asyncio.run(serve(given.folder, given.host or own_address(), ports))
    except KeyboardInterrupt:
        pass
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
