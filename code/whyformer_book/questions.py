"""What each question says of its page in its ``page.toml``: for lists of results, for the search, for the map.

``description`` is one plain sentence of at most 160 characters, ``asked`` has the questions and words with which people
come, ``[map]`` its place on the first page's map, ``draft = true`` lets parts of the chapter be empty.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from whyformer_book.paths import QUESTIONS

#: Parts of a layer in the order of the flow; the first is about the whole.
PARTS = (
    *("The whole", "Words go in", "Attention compares", "Heads mix", "The layer stays trainable"),
    "Words come out",
)


def file_of(docname: str) -> Path:
    """Where it stands for the page of that name."""
    return QUESTIONS / Path(docname).name / "page.toml"


def settings(docname: str) -> dict[str, Any]:
    """All of it; empty for a page that says nothing."""
    file = file_of(docname)
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def is_chapter(docname: str) -> bool:
    """Whether a page is a question's: it has a place on the map, or is a draft of one."""
    return bool({"map", "draft"} & set(settings(docname)))


def is_draft(docname: str) -> bool:
    """Whether parts of a chapter may still be empty."""
    return bool(settings(docname).get("draft"))


@dataclass(frozen=True)
class Stop:
    """A question on the map: what in the layer it is about, what it asks in few words, shapes beside it.

    A question says this under ``[map]``, with the part, and its place among the stops of that part.
    """

    page: str
    part: str
    place: int
    about: str
    question: str
    shapes: tuple[str, ...] = ()


@cache
def stops() -> tuple[Stop, ...]:
    """All stops in the order of the map. ``ValueError`` for a part that the layer does not have."""
    found = []
    for file in QUESTIONS.glob("*/page.toml"):
        if given := settings(file.parent.name).get("map"):
            stop = Stop(file.parent.name, **{**given, "shapes": tuple(given.get("shapes", ()))})
            if stop.part not in PARTS:
                raise ValueError(f"{file}: the map has the parts {', '.join(PARTS)}; got {stop.part!r}")
            found.append(stop)
    return tuple(sorted(found, key=lambda stop: (PARTS.index(stop.part), stop.place, stop.page)))
