"""``make class``: the built book for a room, over the local network, and phones that vote.

A teacher's machine serves a built book and shows its address, in words and as a QR code, in the terminal and as a slide
at ``/class``. The link that the terminal prints opens the teacher's own copy below ``/teach/``: the whole book, whose
slides count the votes of phones (``room``). There is no log of who reads what. HTTP is not encrypted: others in the
network can see pages and votes, and could change them on the way.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from collections.abc import Callable
from html import escape
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlencode

import psutil
import segno
from tornado.ioloop import PeriodicCallback
from tornado.netutil import bind_sockets
from tornado.web import Application

from whyformer_book.paths import BUNDLE
from whyformer_book.teach.room import live, pages
from whyformer_book.teach.room.access import Limits, Names
from whyformer_book.teach.room.journal import Damaged
from whyformer_book.teach.room.opening import begin, open_room
from whyformer_book.teach.room.state import Room
from whyformer_book.teach.static_files import Answer, Bodies, Files

PORTS = range(8000, 8020)
ALONE = "127.0.0.1"
PING = 10  # seconds; a phone that has not answered by the next one is dropped
IDLE = 20  # seconds in which a request has to come
PLAIN = (
    "Plain HTTP: others in this network can see which pages are read, and votes. This machine keeps votes and "
    "sentences; all else that readers enter stays on their devices."
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


def application(
    folder: Path, whole: Path, addresses: Callable[[], list[str]], hall: live.Hall, names: Names
) -> Application:
    """What is served: the slide, the files of ``folder``, phones; and to the teacher the files of ``whole``."""
    index = {"default_filename": "index.html"}
    scripts = {"path": str(BUNDLE / "pages"), "bodies": Bodies()}
    return Application(
        [
            ("/class", Slide, {"addresses": addresses}),
            ("/room", pages.PhonePage),
            (r"/room/(phone\.(?:js|css))", Files, scripts),
            ("/live", live.Phone),
            ("/enter", pages.Enter),
            ("/teach/live", live.Slides),
            (r"/teach/((?:votes|tickets|numbers)\.csv|door\.svg)", pages.Download),
            ("/teach/(.*)", pages.TeachersFiles, {"path": str(whole), "bodies": Bodies(), **index}),
            ("/(.*)", Files, {"path": str(folder), "bodies": Bodies(), **index}),
        ],
        log_function=lambda _: None,
        hall=hall,
        knows_host=names.has,
        websocket_ping_interval=PING,
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


def listen(given: argparse.Namespace) -> tuple[Callable[[], list[str]], live.Hall, Path]:
    """Serve where the room was, or at the first free port: how to ask for addresses, the room, and its journal.

    Raises ``OSError`` if there is no such port, or if the room cannot be kept or is open already; ``Damaged`` if it
    cannot be taken up again.
    """
    kept, journal, file = open_room(given.journal, given.new)
    sockets, port = free_port(given, kept)
    begin(kept, journal, port)

    def addresses() -> list[str]:
        return [url(one, port) for one in ([given.host] if given.host else own_addresses())]

    hall = live.Hall(kept, journal, addresses, Limits(sockets=given.sockets, devices=(given.sockets, 0.2)))
    names = Names(own_addresses, given.host)
    book = application(given.folder, given.teacher or given.folder, addresses, hall, names)
    server = pages.Server(book, idle_connection_timeout=IDLE, body_timeout=IDLE, max_header_size=16384, max_body_size=0)
    server.limited(hall.limits).add_sockets(sockets)
    PeriodicCallback(hall.beat, 1000 * live.BEAT).start()
    return addresses, hall, file


def free_port(given: argparse.Namespace, room: Room) -> tuple[list[socket.socket], int]:
    """The port that is asked for, or where the room was, or the first that is free. Raises ``OSError`` if none is."""
    one = given.port or room.port
    ports = range(one, one + 1) if one else PORTS
    for port in ports:
        try:
            return bind_sockets(port, ALONE if given.host == ALONE else None), port
        except OSError as error:
            taken = error
    if given.port is None and room.port:
        raise OSError(
            f"The room {room.code} was at port {room.port}, which another program has now. Slides and phones look for "
            f"it there: free the port, or let all come in anew elsewhere: make class CLASS='--port {room.port + 1}'"
        ) from taken
    raise OSError(f"no free port from {ports[0]} to {ports[-1]}; choose another with --port") from taken


async def serve(given: argparse.Namespace) -> None:
    """Print where the book is, and serve it until it is stopped."""
    of_book, hall, file = listen(given)
    address, *others = of_book()
    segno.make(address, micro=False).terminal(compact=True)
    print(f"The book for the room:  {address}\nThis as a slide:        {address}class")
    for other in others:
        print(f"In another network:     {other}")
    own = url(ALONE, int(address.rstrip("/").rpartition(":")[2]))
    print(f"For you, to teach:      {own}enter?key={hall.room.key}")
    print(f"Phones vote at:         {address}room#{hall.room.code}")
    if hall.room.epoch > 1:
        print(f"The room of before goes on, from {file}. For a new one: --new")
    print(f"\n{PLAIN}\nStop with Ctrl+C.")
    if address.startswith(f"http://{ALONE}:"):
        print("This machine is in no network, so only itself can open the book.")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> int:
    """The command line; 1 if there is nothing to serve."""
    parser = argparse.ArgumentParser(description="Serve the built book in the local network, and count a room's votes.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("_build/html"))
    parser.add_argument("--teacher", type=Path, help="the book with lessons, for you alone; the same one if not given")
    parser.add_argument("--port", type=int, choices=range(1024, 65536), metavar="1024..65535")
    parser.add_argument("--host", default=None, help="the address that readers use, if the one found is not theirs")
    parser.add_argument("--journal", type=Path, default=Path("_build/room"), help="the folder in which votes are kept")
    parser.add_argument("--new", action="store_true", help="begin a new room, also if one of this lesson is there")
    parser.add_argument("--sockets", type=int, default=Limits.sockets, help="phones that one address may have")
    given = parser.parse_args()
    for folder in (given.folder, given.teacher or given.folder):
        if not (folder / "index.html").is_file():
            print(f"There is no book in {folder}. Build it first: make book", file=sys.stderr)
            return 1
    try:
        asyncio.run(serve(given))
    except KeyboardInterrupt:
        pass
    except (OSError, Damaged) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
