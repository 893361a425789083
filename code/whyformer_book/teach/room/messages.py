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
Field = tuple[str, Callable[[Any], bool]]  # what is allowed, in words, and whether a value is
MOST_OPTIONS = 6
TICKET = 280  # letters


class Refused(Exception):
    """A message that is not obeyed, with a word for the page and a sentence for a person."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why


def text(least: int, most: int) -> Field:
    """Letters, without control characters and lone surrogates."""
    return (
        f"a text of {least} to {most} letters on one line",
        lambda value: isinstance(value, str) and least <= len(value) <= most and not _odd(value),
    )


def _odd(value: str) -> bool:
    return any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value)


def whole(least: int, most: int) -> Field:
    """A whole number; ``true`` is none."""
    return f"a whole number from {least} to {most}", lambda value: type(value) is int and least <= value <= most


def number(most: float) -> Field:
    """A finite number, whole or not; ``true`` is none, and neither is 1e999, which JSON allows."""
    return (
        f"a number from {-most:g} to {most:g}",
        lambda value: type(value) in (int, float) and -most <= value <= most,
    )


def texts(least: int, most: int, letters: int) -> Field:
    """A list of texts."""
    one = text(1, letters)[1]
    return (
        f"a list of {least} to {most} texts of 1 to {letters} letters",
        lambda value: isinstance(value, list) and least <= len(value) <= most and all(map(one, value)),
    )


QUESTION, ROUND, OPTION = text(1, 120), whole(1, 2), whole(0, MOST_OPTIONS - 1)
LESSON = text(1, 120)
PHONE: dict[str, dict[str, Field]] = {
    "hi": {"code": text(0, 12), "token": text(0, 100)},
    "vote": {"question": QUESTION, "round": ROUND, "option": OPTION},
    "number": {"question": QUESTION, "value": number(1e12)},
    "ticket": {"lesson": LESSON, "text": text(1, TICKET)},
}
TEACHER: dict[str, dict[str, Field]] = {
    "open": {
        "question": QUESTION,
        "round": ROUND,
        "lesson": LESSON,
        "text": text(1, 1000),
        "options": texts(2, MOST_OPTIONS, 500),
    },
    "close": {"question": QUESTION, "round": ROUND},
    "show": {"question": QUESTION, "round": ROUND},
    "answer": {"question": QUESTION, "round": ROUND, "right": OPTION, "reasons": texts(2, MOST_OPTIONS, 2000)},
    "numbers": {
        "question": QUESTION,
        "lesson": LESSON,
        "text": text(1, 300),
        "page": text(1, 200),
        "part": text(0, 200),
    },
    "timer": {"seconds": whole(0, 3600)},
    "wait": {},
    "follow": {"page": text(1, 200), "lab": text(1, 80), "address": text(0, 2000)},
    "read": {"page": text(1, 200), "part": text(0, 200), "frame": whole(0, 1)},
    "ask": {"lesson": LESSON, "text": text(1, 300)},
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
    for name, (allowed_here, is_fine) in fields.items():
        if not is_fine(given[name]):
            raise Refused("wrong", f'"{name}" of "{kind}" is {allowed_here}')
    return dict(given)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
