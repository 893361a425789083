"""What has been said in a room, made from the lines of its journal alone: live and after a restart by the same steps.

The latest value wins: a device has one vote in each round of a question, and one ticket for each lesson. A line that
may not change anything (a vote after the end) changes nothing when it is read again either.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from whyformer_book.teach.room.messages import Message, Refused

LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # those that nobody takes for another
MOST_QUESTIONS = 60  # of a room, and as many lessons
MOST_DEVICES = 2000  # that vote or hand in a ticket
TEACHERS = ("open", "close", "show", "answer", "ask", "numbers")  # what the teacher says that the journal keeps


@dataclass
class Question:
    """A question, its two rounds, and what the class has been shown of it."""

    lesson: str
    text: str
    options: list[str]
    at: int = 0  # when it was asked first, in seconds since 1970
    votes: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))  # option by device
    open: int = 0  # the round that is being taken; 0: none
    shown: int = 0  # the last round of which the class sees the counts; 0: none
    right: int = -1  # the right option, once the class has been told
    reasons: list[str] = field(default_factory=list)  # for each option, once the class has been told

    def counts(self) -> list[list[int]]:
        """How many chose each option, in both rounds."""
        chosen = [list(each.values()) for each in self.votes]
        return [[each.count(option) for option in range(len(self.options))] for each in chosen]


@dataclass
class Numbers:
    """A question that is answered by a number, when it was asked first, and the number of each device."""

    lesson: str
    text: str
    at: int = 0
    of_device: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Ticket:
    """A sentence that was handed in, and when, in seconds since 1970."""

    text: str
    at: int


def new_room() -> Message:
    """The first line of a journal: the code to join, and what makes tokens and the teacher's key this room's own."""
    code = "".join(secrets.choice(LETTERS) for _ in range(6))
    return {"do": "room", "code": code, "secret": secrets.token_hex(32), "key": secrets.token_hex(24)}


class Room:
    """Questions and tickets of its lessons."""

    def __init__(self) -> None:
        self.code = self.secret = self.key = ""
        self.epoch = 0  # how often the room was begun or taken up again
        self.questions: dict[str, Question] = {}
        self.now = ""  # the question in front of the class
        self.lesson = ""  # the lesson in which a ticket was asked for last
        self.tickets: dict[str, dict[str, Ticket]] = {}  # by lesson and by device
        self.numbers: dict[str, Numbers] = {}
        self.port = 0  # at which it was begun or taken up last

    def changes(self, line: Message) -> bool:
        """Whether a line changes anything. Raises ``Refused`` if it must not."""
        if line["do"] in ("room", "start"):
            return True
        if line["do"] == "ticket":
            return self._hands_in(line)
        if line["do"] == "number":
            return self._says_number(line)
        if line["do"] == "numbers":
            if line["question"] not in self.numbers and len(self.numbers) >= MOST_QUESTIONS:
                raise Refused("full", f"a room asks for at most {MOST_QUESTIONS} numbers; begin a new one with --new")
            return line["question"] not in self.numbers
        if line["do"] == "ask":
            if line["lesson"] not in self.tickets and len(self.tickets) >= MOST_QUESTIONS:
                raise Refused("full", f"a room has at most {MOST_QUESTIONS} lessons; begin a new one with --new")
            return bool(self.lesson != line["lesson"])
        question = self.questions.get(line["question"])
        if line["do"] == "open":
            return self._opens(question, line)
        if question is None:
            raise Refused("question", "there is no such question in this room")
        if line["do"] == "vote":
            return self._votes(question, line)
        stands = question.open, question.shown, question.right
        if line["do"] == "close":
            return stands != (0, 0, -1) or self.now != line["question"]
        if line["do"] == "show":
            return stands != (0, line["round"], -1) or self.now != line["question"]
        if len(line["reasons"]) != len(question.options) or line["right"] >= len(question.options):
            raise Refused("wrong", f"an answer has one of {len(question.options)} options and a reason for each")
        told = (0, line["round"], line["right"])
        return stands != told or question.reasons != line["reasons"] or self.now != line["question"]

    def _opens(self, question: Question | None, line: Message) -> bool:
        if question is None:
            if len(self.questions) >= MOST_QUESTIONS:
                raise Refused("full", f"a room has at most {MOST_QUESTIONS} questions; begin a new one with --new")
            return True
        if question.options != line["options"]:
            raise Refused("wrong", "a question keeps its options; other options are another question")
        return bool(question.open != line["round"] or self.now != line["question"])

    def _votes(self, question: Question, line: Message) -> bool:
        mine = question.votes[line["round"] - 1]
        if line["option"] >= len(question.options):
            raise Refused("wrong", f"this question has the options 0 to {len(question.options) - 1}")
        if mine.get(line["device"]) == line["option"]:
            return False  # sent again: the acknowledgement was lost
        if question.open != line["round"]:
            raise Refused("closed", "this vote is closed")
        self._has_place(line["device"], mine)
        return True

    def _hands_in(self, line: Message) -> bool:
        handed_in = self.tickets.get(line["lesson"])
        if handed_in is None:
            raise Refused("question", "no sentence was asked for in this lesson")
        self._has_place(line["device"], handed_in)
        mine = handed_in.get(line["device"])
        return mine is None or mine.text != line["text"]

    def _says_number(self, line: Message) -> bool:
        asked = self.numbers.get(line["question"])
        if asked is None:
            raise Refused("question", "no such number was asked for in this room")
        self._has_place(line["device"], asked.of_device)
        return bool(asked.of_device.get(line["device"]) != line["value"])

    def _has_place(self, device: str, taken: dict[str, Any]) -> None:
        if device not in taken and len(taken) >= MOST_DEVICES:
            raise Refused("full", f"a room has at most {MOST_DEVICES} devices")

    def apply(self, line: Message) -> None:
        """Take a line in. Raises ``Refused``, and leaves all as it was, where ``changes`` does."""
        if not self.changes(line):
            return
        kind = line["do"]
        if kind == "room":
            self.code, self.secret, self.key = line["code"], line["secret"], line["key"]
        elif kind == "start":
            self.epoch += 1
            self.port = line.get("port", 0)
        elif kind == "ticket":
            self.tickets[line["lesson"]][line["device"]] = Ticket(line["text"], line.get("at", 0))
        elif kind == "number":
            self.numbers[line["question"]].of_device[line["device"]] = line["value"]
        elif kind == "numbers":
            self.numbers[line["question"]] = Numbers(line["lesson"], line["text"], line.get("at", 0))
        elif kind == "ask":
            self.lesson = line["lesson"]
            self.tickets.setdefault(self.lesson, {})
        elif kind == "vote":
            self.questions[line["question"]].votes[line["round"] - 1][line["device"]] = line["option"]
        else:
            self._apply_teachers(self.questions.get(line["question"]), line)

    def _apply_teachers(self, question: Question | None, line: Message) -> None:
        if question is None:  # only "open" comes so far
            question = Question(line["lesson"], line["text"], line["options"], line.get("at", 0))
            self.questions[line["question"]] = question
        self._now(line["question"])
        kind = line["do"]
        question.open = line["round"] if kind == "open" else 0
        question.shown = line["round"] if kind in ("show", "answer") else 0
        question.right, question.reasons = (line["right"], line["reasons"]) if kind == "answer" else (-1, [])

    def _now(self, name: str) -> None:
        """Another question in front of the class closes the one before."""
        if self.now and self.now != name:
            self.questions[self.now].open = 0
        self.now = name

    def of_device(self, device: str) -> Message:
        """What is kept of a device: its votes by question, one for each round or none, and its tickets by lesson."""
        votes = {
            name: [each.get(device) for each in question.votes]
            for name, question in self.questions.items()
            if any(device in each for each in question.votes)
        }
        tickets = {lesson: each[device].text for lesson, each in self.tickets.items() if device in each}
        numbers = {name: one.of_device[device] for name, one in self.numbers.items() if device in one.of_device}
        return {"is": "you", "votes": votes, "tickets": tickets, "numbers": numbers}
