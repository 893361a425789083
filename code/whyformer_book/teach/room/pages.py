"""What the room serves beside its sockets: the phone's page, the teacher's book and tables, and how many may come."""

from __future__ import annotations

import csv
import io
import time
from typing import Any

import segno
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.web import HTTPError

from whyformer_book.paths import PACKAGE
from whyformer_book.teach.room.access import Limits, neighbour, same
from whyformer_book.teach.room.live import InRoom, Teacher
from whyformer_book.teach.room.state import Room
from whyformer_book.teach.static_files import Answer, Files

PAGE = (PACKAGE / "classroom" / "phone.html").read_bytes()
LETTERS = "ABCDEF"  # of options
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ws:; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


class TeachersFiles(Teacher, Files):
    """The whole book, with lessons and solutions."""


class Enter(InRoom):
    """Where the link of the terminal leads: the key becomes a cookie, and the address forgets it."""

    def get(self) -> None:
        """To the teacher's book, if the key is right."""
        if not same(self.get_query_argument("key", ""), self.hall.room.key):
            raise HTTPError(403)
        self.set_cookie(self.cookie, self.hall.room.key, path="/teach/", httponly=True, samesite="Strict")
        # Scripts of the teacher's pages see by this one in which room they are; phones type it, so it is no secret.
        self.set_cookie(self.cookie.replace("key", "room"), self.hall.room.code, path="/teach/", samesite="Strict")
        self.set_header("Referrer-Policy", "no-referrer")
        self.redirect("/teach/")


class Download(Teacher):
    """Votes and tickets as tables, and the door as a QR code."""

    def get(self, name: str) -> None:
        """A table, as spreadsheets open it, or the picture."""
        room = self.hall.room
        if name == "door.svg":
            doors = self.hall.doors()
            at = self.get_query_argument("at", "")
            code = segno.make(f"{at if at in doors else doors[0]}room#{room.code}", micro=False)
            code.save(picture := io.BytesIO(), kind="svg", scale=8, border=4, omitsize=True)
            self.set_header("Content-Type", "image/svg+xml")
            self.finish(picture.getvalue())
            return
        rows = {"tickets.csv": tickets, "numbers.csv": numbers, "votes.csv": votes}[name](room)
        out = io.StringIO("\ufeff")
        out.seek(1)
        csv.writer(out).writerows([[_no_formula(each) for each in row] for row in rows])
        self.set_header("Content-Type", "text/csv; charset=utf-8")
        self.set_header("Content-Disposition", f'attachment; filename="{name}"')
        self.finish(out.getvalue())


def _no_formula(text: str) -> str:
    """What a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def votes(room: Room) -> list[list[str]]:
    """One row for each vote; devices are numbered, in the order in which they voted first."""
    numbers: dict[str, int] = {}
    rows = [["lesson", "time", "question", "round", "device", "option", "text", "right"]]
    for one in room.questions.values():
        for number, chosen in enumerate(one.votes, 1):
            for device, option in chosen.items():
                who = numbers.setdefault(device, len(numbers) + 1)
                told = "" if one.right < 0 else str(int(option == one.right))
                asked = [one.lesson, clock(one.at), one.text]
                rows.append([*asked, str(number), str(who), LETTERS[option], one.options[option], told])
    return rows


def tickets(room: Room) -> list[list[str]]:
    """One row for each sentence, with its lesson and the time at which it was handed in."""
    handed_in = ((lesson, one) for lesson, each in room.tickets.items() for one in each.values())
    return [["lesson", "time", "sentence"], *([lesson, clock(one.at), one.text] for lesson, one in handed_in)]


def numbers(room: Room) -> list[list[str]]:
    """One row for each number; devices are numbered anew in each question."""
    return [["lesson", "time", "question", "device", "number"]] + [
        [one.lesson, clock(one.at), one.text, str(who), f"{value:.15g}"]
        for one in room.numbers.values()
        for who, value in enumerate(one.of_device.values(), 1)
    ]


def clock(at: int) -> str:
    """Seconds since 1970 as this machine's date and time."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


class PhonePage(Answer):
    """The page that the QR code opens."""

    def get(self) -> None:
        """The page, which may load nothing but its own."""
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("Referrer-Policy", "no-referrer")
        self.finish(PAGE)


class Server(HTTPServer):
    """One that takes so many connections and no more: each costs memory before anything is asked."""

    def limited(self, limits: Limits) -> Server:
        """The same server with limits."""
        self.limits = limits
        self.streams: dict[IOStream, str] = {}
        return self

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Serve a connection, or close it at once."""
        who = neighbour(str(address[0]))
        self.streams = {one: whose for one, whose in self.streams.items() if not one.closed()}
        of_address = sum(whose == who for whose in self.streams.values())
        if len(self.streams) >= self.limits.connections or of_address >= self.limits.of_address:
            return stream.close()
        self.streams[stream] = who
        super().handle_stream(stream, address)
