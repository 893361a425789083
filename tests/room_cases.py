"""A room, its phones and its slides, for tests: in this process, or as a server that can be killed. Only 127.0.0.1."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.testing import bind_unused_port
from tornado.websocket import WebSocketClientConnection, websocket_connect
from whyformer_book.teach import classroom
from whyformer_book.teach.room import live, pages
from whyformer_book.teach.room.access import Limits, Names
from whyformer_book.teach.room.opening import begin, open_room

PATIENCE = 20  # seconds for what should take none; nothing here is judged by its speed
OPTIONS = ["one", "two", "three"]
QUESTION = {"lesson": "counting", "text": "How many?", "options": OPTIONS}
MANY = Limits(sockets=500, devices=(500, 1))


def run(task: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: a worker that has driven a browser has a loop that runs."""
    with ThreadPoolExecutor(1) as one:
        return one.submit(asyncio.run, asyncio.wait_for(task, 55)).result()


def book(folder: Path) -> Path:
    """A book of one page."""
    (folder / "html").mkdir(parents=True, exist_ok=True)
    (folder / "html/index.html").write_text("the first page", encoding="utf-8")
    return folder / "html"


class Socket:
    """A phone or the slides, without a page."""

    def __init__(self, wire: WebSocketClientConnection) -> None:
        self.wire, self.room, self.you, self.refused = wire, {}, {}, []
        self.closed = False

    async def hears(self, wanted: Callable[[Socket], Any], patience: float = PATIENCE) -> Any:
        """Read until ``wanted`` of this socket is so."""
        end = time.monotonic() + patience
        while not (found := wanted(self)):
            message = await asyncio.wait_for(self.wire.read_message(), max(0.01, end - time.monotonic()))
            if message is None:
                self.closed = True
                found = wanted(self)
                assert found, f"closed: {self.wire.close_code} {self.wire.close_reason}"
                return found
            said = json.loads(message)
            if said["is"] == "room":
                order = said["epoch"], said["version"]
                assert order >= (self.room.get("epoch", 0), self.room.get("version", 0)), "an old snapshot came late"
                self.room = said
            elif said["is"] == "you":
                self.you = {**self.you, **said}
            elif said["is"] == "refused":
                self.refused.append(said)
        return found

    async def says(self, **message: Any) -> None:
        await self.wire.write_message(json.dumps(message))

    async def votes(self, question: str, round_: int, option: int) -> None:
        """Vote, and wait until it is acknowledged."""
        await self.says(do="vote", question=question, round=round_, option=option)
        await self.hears(lambda me: me.you.get("votes", {}).get(question, [None, None])[round_ - 1] == option)


def asked(one: Socket) -> dict[str, Any]:
    """The question that a socket was told of last."""
    return one.room["question"] or {}


async def connect(port: int, path: str = "/live", **headers: str) -> Socket:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = HTTPRequest(f"ws://127.0.0.1:{port}{path}", headers=names, connect_timeout=PATIENCE)
    return Socket(await websocket_connect(request))


async def phone(port: int, code: str, token: str = "") -> Socket:
    """A phone that has come in."""
    one = await connect(port)
    await one.says(do="hi", code=code, token=token)
    await one.hears(lambda me: me.room and me.you)
    return one


async def slides(port: int, key: str) -> Socket:
    """The teacher's slides."""
    one = await connect(port, "/teach/live", Cookie=f"whyformer-key-{port}={key}")
    await one.hears(lambda me: me.room)
    return one


async def opened(teacher: Socket, question: str = "q", round_: int = 1) -> None:
    """Open a vote, and wait until it is open."""
    await teacher.says(do="open", question=question, round=round_, **QUESTION)
    await teacher.hears(lambda me: asked(me).get("open") == round_)


@asynccontextmanager
async def in_process(
    folder: Path,
    limits: Limits = MANY,
    ping: float = 10,
    beat: float = 4,
    found: list[str] | None = None,
    buffer: int = 0,
) -> AsyncIterator[tuple[int, live.Hall]]:
    """The port of a room in this process, and the room; ``buffer``: bytes that the system takes for a socket."""
    listening, port = bind_unused_port()
    if buffer:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
    kept, journal, _ = open_room(folder / "journal", anew=False)
    begin(kept, journal, port)
    hall = live.Hall(kept, journal, lambda: found or [f"http://127.0.0.1:{port}/"], limits)
    html = book(folder)
    made = classroom.application(html, html, hall.doors, hall, Names(lambda: ["127.0.0.1"]))
    made.settings["websocket_ping_interval"] = ping
    server = pages.Server(made, idle_connection_timeout=5, body_timeout=5, max_header_size=16384, max_body_size=0)
    server.limited(limits).add_sockets([listening])
    beats = classroom.PeriodicCallback(hall.beat, 1000 * beat)
    beats.start()
    try:
        yield port, hall
    finally:
        beats.stop()
        server.stop()
        for one in hall.phones | hall.slides:
            one.close()
        await server.close_all_connections()
        while journal.writing:
            await journal.writing
        journal.close()


class Process:
    """A room in a process of its own, which can be killed and begun again at the same port."""

    def __init__(
        self, folder: Path, host: str = "127.0.0.1", html: Path | None = None, before: Callable[[], None] | None = None
    ) -> None:
        self.folder, self.host, self.html, self.before = folder, host, html or book(folder), before
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start(self.port)

    def start(self, port: int | None = None, *more: str) -> None:
        """Begin, or go on where it was."""
        given = {"--host": self.host, "--journal": self.folder / "journal", "--sockets": 500}
        options = [str(each) for pair in given.items() for each in pair]
        options += ["--port", str(port)] * (port is not None) + [*more]
        command = [sys.executable, "-m", "whyformer_book.teach.classroom", str(self.html), *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=self.before
        )
        said = ""
        for line in self.process.stdout:
            said += line
            if "Ctrl+C" in line:
                break
        self.said = said
        found = re.search(r"enter\?key=(\w+)\n.*room#(\w+)", said)
        assert found, said
        self.key, self.code = found[1], found[2]

    @property
    def journal(self) -> Path:
        return max((self.folder / "journal").glob("*.journal"))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


class Students:
    """Phones without pages, in a thread of their own, beside a browser that a test drives."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.phones: list[Socket] = []

    def do(self, task: Coroutine[Any, Any, Any]) -> Any:
        """Run something in their thread, and wait for it."""
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(task, 30), self.loop).result(40)

    def come(self, server: Process, count: int) -> None:
        """So many more come in."""
        self.phones += [self.do(phone(server.port, server.code)) for _ in range(count)]

    def vote(self, round_: int, options: list[int]) -> None:
        """Each votes, once that round is open."""

        async def each(one: Socket, option: int) -> None:
            question = (await one.hears(lambda me: asked(me).get("open") == round_ and asked(me)))["id"]
            await one.votes(question, round_, option)

        async def all_of_them() -> None:
            await asyncio.gather(*map(each, self.phones, options))

        self.do(all_of_them())

    def leave(self) -> None:
        """They go, and the thread ends."""
        for one in self.phones:
            self.loop.call_soon_threadsafe(one.wire.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()
