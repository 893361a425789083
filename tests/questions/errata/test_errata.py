"""The errata: rows that are numbered, say who says it, and whose checks do not hang on their seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from book_cases import ROOT
from whyformer.proof.check import checks_in
from whyformer.questions.errata import checks
from whyformer_book import myst
from whyformer_book.proof.marks import marks

CHAPTERS = ROOT / "chapters"
TEXT = (CHAPTERS / "errata.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\(errata-\d+\)=\n\*\*(\d+)\. (.+?) \*(.+?)\*\*\*(?: \{cite:p\}`\w+`)?\\\n(.+)$", re.MULTILINE)
ROWS = {int(number): rest for number, *rest in ROW.findall(TEXT)}
#: The collections, as the page of all that was asked names them, and what has another source or none.
SAYING = [one.lower() for one in re.findall(r"^## (.+)$", (CHAPTERS / "asked.md").read_text("utf-8"), re.MULTILINE)]
OTHERS = ["often heard", "the paper's hypothesis, told as fact", "after the abstract of their paper"]


def test_rows_are_numbered_and_no_number_is_left_out() -> None:
    assert list(ROWS) == list(range(1, len(ROWS) + 1)), "in the order of the page"
    anchors = sorted(map(int, re.findall(r"^\(errata-(\d+)\)=$", TEXT, re.MULTILINE)))
    assert anchors == list(range(1, len(ROWS) + 1)), "and every anchor that there ever was"


def test_each_row_has_a_check_of_its_own() -> None:
    named = [re.findall(r"\]\{check=(\w+)\}", row[2]) for row in ROWS.values()]
    assert all(len(one) == 1 for one in named)
    assert sorted(one for (one,) in named) == sorted(checks_in(checks))
    assert all(mark.asked for mark in marks(TEXT))  # so each sentence needs one
    assert not myst.cells(TEXT)


def test_each_row_says_who_says_it() -> None:
    named = {"ten questions": "ten questions and a heading"}
    for number, (_, who, _) in ROWS.items():
        assert named.get(who, who) in [*SAYING, *OTHERS], number


@pytest.mark.parametrize("page", ["chapters/intro.md", "README.md"])
def test_pages_that_count_the_rows_count_right(page: str) -> None:
    counts = re.findall(r"(\d+) (?:claims that are passed on|errata)", (ROOT / page).read_text("utf-8"))
    assert counts == [str(len(ROWS))]


def test_the_chapters_that_rows_name_exist() -> None:
    named = re.findall(r"\[Why\?\]\((\w+)\.md", TEXT)
    assert len(named) > len(ROWS) / 2 and all((CHAPTERS / f"{name}.md").is_file() for name in named)


@pytest.mark.parametrize("name", checks_in(checks))
def test_a_check_does_not_hang_on_its_seeds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def others(count: int, seed: int = 0) -> Iterator[np.random.Generator]:
        return (np.random.default_rng([700 + seed, number]) for number in range(count))

    monkeypatch.setattr(checks, "draws", others)
    result = checks_in(checks)[name]()
    assert not result.faults, result
