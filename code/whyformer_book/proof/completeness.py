"""Whether a chapter is whole: its parts are there, in their order, and none of them is empty.

A question whose ``page.toml`` says ``draft = true`` may have empty parts: the build names them and goes on.
``make new`` makes such a draft; the word is taken out when nothing is named any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whyformer_book.proof.page import Problem, read
from whyformer_book.questions import settings

#: Headings that every chapter has, in this order; others may stand between.
PARTS = ("See it", "Say it", "Prove it", "Wrong answers", "You can now say", "Exercises", "Sources")
#: How many a chapter has at least of each directive.
LEAST = {"practice-card": 3, "exercise": 3, "solution": 3, "lesson": 1}
COMMENT = re.compile(r"^%.*$", re.MULTILINE)


def empty(text: str, name: str) -> Iterator[Problem]:
    """What a chapter still lacks, with the line where it belongs; 1 for what has no place yet."""
    rows = COMMENT.sub("", text).split("\n")
    starts = {row[3:]: line for line, row in enumerate(rows, 1) if row.startswith("## ")}
    known = [part for part in starts if part in PARTS]
    for part in PARTS:
        if part not in starts:
            yield Problem(1, f"the heading '## {part}' is missing")
    if known != [part for part in PARTS if part in starts]:
        yield Problem(1, f"the parts stand in the order {', '.join(PARTS)}; they stand as {', '.join(known)}")
    ends = sorted([*starts.values(), len(rows) + 1])
    for part, start in starts.items():
        body = rows[start : ends[ends.index(start) + 1] - 1]
        if not any(row.strip() for row in body):
            yield Problem(start, f"'{part}' is empty")
    top = rows[: starts.get("Say it", len(rows))]
    if not any("import predict_" in row for row in top):
        yield Problem(1, "no bet stands before 'Say it': a cell that shows a function of the question's predictions.py")
    page = read(text)
    if not any("Lab" in cell.source for cell in page.cells):
        yield Problem(starts.get("See it", 1), "no cell shows a lab")
    for directive, least in LEAST.items():
        if (count := page.count(directive)) < least:
            yield Problem(1, f"a chapter has at least {least} {{{directive}}}; this has {count}")
    given = settings(name)
    for key in ("description", "asked", "map"):
        if not given.get(key):
            yield Problem(1, f"{key} is empty in questions/{name}/page.toml")
