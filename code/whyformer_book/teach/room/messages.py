"""What phones and the teacher's slides may say, field by field, and how a message is read.

Anyone in the network can send anything. What is not exactly a message is refused with a sentence that says what is
allowed; it is never repaired.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any, NoReturn

Message = dict[str, Any]
Field = Callable[[Any], str]  # what is wrong with a value, or nothing
MOST_OPTIONS = 6
TICKET = 280  # letters


class Refused(Exception):
    """A message that is not obeyed, with a word for the page and a sentence for a person."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why


def text(least: int, most: int) -> Field:
    """Letters, without control characters and lone surrogates."""

    def wrong(value: Any) -> str:
        fine = isinstance(value, str) and least <= len(value) <= most
        fine = fine and not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value)
        return "" if fine else f"a text of {least} to {most} letters on one line"

    return wrong


def whole(least: int, most: int) -> Field:
    """A whole number; ``true`` is none."""

    def wrong(value: Any) -> str:
        return "" if type(value) is int and least <= value <= most else f"a whole number from {least} to {most}"

    return wrong


def texts(least: int, most: int, letters: int) -> Field:
    """A list of texts."""
    one = text(1, letters)

    def wrong(value: Any) -> str:
        fine = isinstance(value, list) and least <= len(value) <= most and not any(map(one, value))
        return "" if fine else f"a list of {least} to {most} texts of 1 to {letters} letters"

    return wrong


QUESTION, ROUND, OPTION = text(1, 120), whole(1, 2), whole(0, MOST_OPTIONS - 1)
PHONE: dict[str, dict[str, Field]] = {
    "hi": {"code": text(0, 12), "token": text(0, 100)},
    "vote": {"question": QUESTION, "round": ROUND, "option": OPTION},
    "ticket": {"text": text(1, TICKET)},
}
TEACHER: dict[str, dict[str, Field]] = {
    "open": {"question": QUESTION, "round": ROUND, "text": text(1, 1000), "options": texts(2, MOST_OPTIONS, 500)},
    "close": {"question": QUESTION, "round": ROUND},
    "show": {"question": QUESTION, "round": ROUND},
    "answer": {"question": QUESTION, "right": OPTION, "reasons": texts(2, MOST_OPTIONS, 2000)},
    "timer": {"seconds": whole(0, 3600)},
    "wait": {},
    "follow": {"page": text(1, 200), "lab": text(1, 80), "address": text(0, 2000)},
    "ask": {"text": text(1, 300)},
}


def read(data: str | bytes, allowed: dict[str, dict[str, Field]]) -> Message:
    """A message as it was sent. Raises ``Refused`` for anything else."""
    if isinstance(data, bytes):
        raise Refused("wrong", "a message is JSON as text, and this is binary")
    try:
        given = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused("wrong", 'a message is one JSON object, such as {"do": "hi", "code": "", "token": ""}') from None
    kind = given.get("do") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in allowed:
        raise Refused("wrong", f'"do" is one of: {", ".join(allowed)}')
    fields = allowed[kind]
    if set(given) != {"do", *fields}:
        raise Refused("wrong", f'"{kind}" has {", ".join(fields) or "nothing else"}, and exactly that')
    for name, check in fields.items():
        if wrong := check(given[name]):
            raise Refused("wrong", f'"{name}" of "{kind}" is {wrong}')
    return dict(given)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
