"""What phones and slides talk to: one socket each, and whole snapshots of the room.

A snapshot has an epoch (how often the server was started on this journal) and a version; the newest counts and
no message builds on another. A socket that does not take what it is sent has one snapshot waiting, never a queue.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import cast

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from whyformer_book.teach.room import messages
from whyformer_book.teach.room.access import Buckets, Limits, device_of, neighbour, new_token, same
from whyformer_book.teach.room.journal import Journal
from whyformer_book.teach.room.messages import Message, Refused
from whyformer_book.teach.room.state import TEACHERS, Room
from whyformer_book.teach.static_files import Answer

BEAT = 4  # seconds; a page that hears nothing for longer than two says that it has lost the room
APART = 0.1  # seconds at least between two snapshots for one socket: a slow network is not filled with old ones
GREETED = 10  # seconds in which a phone says who it is
TICKETS = 400  # the latest, in the teacher's window; all are in the table
CLOSED = (WebSocketClosedError, StreamClosedError)


class Hall:
    """A room that is open: its journal, who is connected, and what they are sent."""

    def __init__(self, room: Room, journal: Journal, doors: Callable[[], list[str]], limits: Limits) -> None:
        """doors: the addresses at which phones come in, the likeliest first."""
        self.room, self.journal, self.doors, self.limits = room, journal, doors, limits
        self.phones: set[Phone] = set()
        self.slides: set[Slides] = set()
        self.scene: Message = {"do": "vote" if room.now else "wait"}  # what is in front of the class
        self.ends = 0.0  # of the timer, on the monotonic clock; 0: none
        self.public = self.private = 0  # versions, of what all see and of what the teacher sees
        self.made: dict[bool, tuple[int, float, str]] = {}
        self.devices, self.guesses = Buckets(limits.devices), Buckets(limits.guesses)
        self.all_guesses = Buckets(limits.all_guesses)

    async def do(self, line: Message) -> None:
        """Do what a line says, and return when it is kept. Raises ``Refused``."""
        before = self.journal.fault
        try:
            if self.room.changes(line):
                await self.journal.keep({**line, "at": int(time.time())})
        finally:
            self.changed(line["do"] in TEACHERS or before != self.journal.fault)

    async def command(self, line: Message) -> None:
        """Do what the teacher says; what is only in front of the class is not kept. Raises ``Refused``."""
        if line["do"] == "timer":
            self.ends = time.monotonic() + line["seconds"] if line["seconds"] else 0.0
        elif line["do"] in TEACHERS:
            await self.do(line)
            self.scene = line if line["do"] in ("ask", "numbers") else {"do": "vote"}
        else:
            self.scene = line
        self.changed()

    def changed(self, public: bool = True) -> None:
        """Send what there is now, to all or to the teacher alone."""
        self.private += 1
        self.public += public
        for one in self.slides | self.phones if public else self.slides:
            one.push()

    def snapshot(self, for_teacher: bool) -> str:
        """The room, whole. Made once for all; while a timer runs, anew after half a second."""
        version = self.private if for_teacher else self.public
        old, then, text = self.made.get(for_teacher, (-1, 0.0, ""))
        now = time.monotonic()
        if old != version or (self.ends and now - then > 0.5):
            shown = self._of_all() | (self._of_teacher() if for_teacher else {})
            text = json.dumps({"is": "room", "epoch": self.room.epoch, "version": version, **shown})
            self.made[for_teacher] = version, now, text
        return text

    def _of_all(self) -> Message:
        question = self.room.questions.get(self.room.now)
        left = max(0, round(self.ends - time.monotonic(), 1)) if self.ends else None
        asked = None
        if question:
            shown = question.counts()[: question.shown]
            told = {"right": question.right, "reasons": question.reasons if question.right >= 0 else []}
            asked = {"id": self.room.now, "text": question.text, "options": question.options, "open": question.open,
                     "counts": shown, **told}  # fmt: skip
        return {"scene": self.scene, "question": asked, "left": left, "keeps": not self.journal.fault}

    def _of_teacher(self) -> Message:
        asked = self.room.numbers.get(self.scene.get("question", ""))
        question = self.room.questions.get(self.room.now)
        return {
            "code": self.room.code,
            "doors": self.doors(),
            "here": len({phone.device for phone in self.phones if phone.device}),
            "votes": question.counts() if question else [],
            "numbers": sorted(asked.of_device.values()) if asked else [],
            "lesson": self.room.lesson,
            "tickets": [one.text for one in self.room.tickets.get(self.room.lesson, {}).values()][-TICKETS:],
            "fault": self.journal.fault,
        }

    def beat(self) -> None:
        """Say to all that the room is there."""
        for one in self.slides | self.phones:
            one.push(beat=True)


class InRoom(Answer):
    """What has to do with the room."""

    @property
    def hall(self) -> Hall:
        """The room that is open."""
        return cast(Hall, self.settings["hall"])

    @property
    def cookie(self) -> str:
        """The name of the key's cookie. Cookies know nothing of ports, and a machine may have two rooms."""
        return f"whyformer-key-{self.request.host.rpartition(':')[2]}"


class Live(InRoom, WebSocketHandler):
    """One socket: what is the same for a phone and for slides."""

    is_teacher = False
    most_bytes = 4096

    def initialize(self) -> None:
        """Nothing is sent before the socket has been let in."""
        limits = self.hall.limits
        self.let_in = self.owes_beat = False
        self.seen, self.next = -1, 0.0
        self.sending: asyncio.Task[None] | None = None
        self.messages = Buckets(limits.commands if self.is_teacher else limits.messages)

    @property
    def max_message_size(self) -> int:
        """Bytes; a longer message ends the connection."""
        return self.most_bytes

    def prepare(self) -> None:
        """Only our own pages: other ports of this machine share its cookies, and Tornado takes https for http."""
        super().prepare()
        own = f"http://{self.request.host}"
        if self.request.headers.get("Origin", own) != own:
            raise HTTPError(403)

    async def say(self, what: Message | str) -> None:
        """Send something, and wait until it is taken. One who is gone does not hear it."""
        try:
            await self.write_message(what)
        except CLOSED:
            pass

    def push(self, beat: bool = False) -> None:
        """Send the newest snapshot as soon as this socket takes it, and a sign of life if one is due."""
        self.owes_beat = self.owes_beat or beat
        if self.let_in and self.sending is None:
            self.sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self.ws_connection is not None:
            if self.owes_beat:
                self.owes_beat = False
                await self.say({"is": "beat", "epoch": self.hall.room.epoch})
            elif self.seen != self._newest():
                await asyncio.sleep(max(0.0, self.next - time.monotonic()))
                self.seen, self.next = self._newest(), time.monotonic() + APART
                await self.say(self.hall.snapshot(self.is_teacher))
            else:
                break
        self.sending = None

    def _newest(self) -> int:
        return self.hall.private if self.is_teacher else self.hall.public

    async def on_message(self, message: str | bytes) -> None:
        """Obey a message, or say why not; who sends too many is cut off."""
        if not self.messages.take():
            return self.close(1008, "too many messages")
        line: Message = {"do": ""}
        try:
            line = messages.read(message, messages.TEACHER if self.is_teacher else messages.PHONE)
            await self.heard(line)
        except Refused as refused:
            await self.say({"is": "refused", "of": line, "why": refused.why, "sentence": str(refused)})

    async def heard(self, line: Message) -> None:
        """What was said. Raises ``Refused``."""
        raise NotImplementedError


class Phone(Live):
    """A student's device."""

    def open(self, *_: str, **__: str) -> None:
        """Wait for its greeting."""
        self.device = ""
        self.address = neighbour(self.request.remote_ip or "")
        if sum(one.address == self.address for one in self.hall.phones) >= self.hall.limits.sockets:
            return self.close(1013, "too many from one address")
        self.hall.phones.add(self)
        asyncio.get_running_loop().call_later(GREETED, self._has_greeted)

    def on_close(self) -> None:
        """Gone; what it said stays."""
        self.hall.phones.discard(self)
        self.hall.changed(public=False)

    def _has_greeted(self) -> None:
        if not self.device:
            self.close(1008, "no greeting")

    async def heard(self, line: Message) -> None:
        """A greeting, then votes and tickets; each is answered by all that is kept of the device."""
        if line["do"] == "hi":
            await self._greeted(line)
        elif not self.device:
            raise Refused("wrong", 'say "hi" first')
        else:
            await self.hall.do({**line, "device": self.device})
            await self.say(self.hall.room.of_device(self.device))

    async def _greeted(self, line: Message) -> None:
        room, token = self.hall.room, line["token"]
        device = device_of(room.secret, token)
        if not device:
            self._is_let_in_with(line["code"])
            token = new_token(room.secret)
            device = device_of(room.secret, token)
        await self.say({**room.of_device(device), "token": token})
        self.device, self.let_in, self.seen = device, True, -1
        self.push()
        self.hall.changed(public=False)

    def _is_let_in_with(self, code: str) -> None:
        hall = self.hall
        if hall.guesses.level(self.address) < 1 or hall.all_guesses.level() < 1:
            raise Refused("wait", "too many wrong codes; wait a minute")
        if not same(code.upper(), hall.room.code):
            hall.guesses.take(self.address)
            hall.all_guesses.take()
            raise Refused("code", "this is not the code of the room")
        if not hall.devices.take(self.address):
            raise Refused("wait", "too many new devices from one address; wait a minute")


class Teacher(InRoom):
    """What only the teacher is given: who has the key, in a cookie that scripts and other sites cannot use."""

    def prepare(self) -> None:
        """Refuses who does not have the key."""
        super().prepare()
        if not same(self.get_cookie(self.cookie, ""), self.hall.room.key):
            raise HTTPError(403, reason="For the teacher: open the link that the terminal printed in this browser")


class Slides(Teacher, Live):
    """The teacher's slides."""

    is_teacher = True
    most_bytes = 65536

    def open(self, *_: str, **__: str) -> None:
        """They are told at once."""
        self.hall.slides.add(self)
        self.let_in = True
        self.push()

    def on_close(self) -> None:
        """Gone; the room goes on."""
        self.hall.slides.discard(self)

    async def heard(self, line: Message) -> None:
        """What the teacher wants."""
        await self.hall.command(line)
