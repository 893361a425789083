"""Handouts: two pages that print, room where the numbers stand, and nothing that a sheet of paper cannot do."""

import os
import re

import pytest
from book_cases import ROOT
from bs4 import BeautifulSoup
from whyformer.book.lesson import read
from whyformer.book.paper import LONG, blanks, handout, lesson_of, write
from whyformer.lab.discover import lab_classes

CHAPTER = (ROOT / "chapters/why_sqrt_dk.md").read_text(encoding="utf-8")


def test_numbers_of_a_sentence_become_room_to_write():
    assert blanks("At d_k = 64 it is {share:.0%} of {n}, not {a:.2g}.") == "At d_k = 64 it is ____ of ____, not ____."


def test_a_sheet_has_what_the_lesson_looks_at(book_html):
    page = BeautifulSoup((book_html / "chapters/why_sqrt_dk.html").read_text(encoding="utf-8"), "html.parser")
    sheet = BeautifulSoup(
        handout(lesson_of(CHAPTER), page, "why_sqrt_dk", "static", "https://example.org/"), "html.parser"
    )
    lab = lab_classes()["why_sqrt_dk/scale"]
    assert sheet.h1.text == "Why divide by √dₖ?"
    assert len(sheet.select(".box")) == 4 and "It becomes several times larger" in sheet.text
    assert len(sheet.select(".steps > div > svg")) == len(lab.steps)
    said = [p.text for p in sheet.select(".steps p")]
    assert "one key takes ____ of the weight" in said[0] and not any("{" in one for one in said)
    assert "Means that are not zero" in sheet.text and "576" not in sheet.text, "a solution is printed"
    assert "https://example.org/chapters/why_sqrt_dk.html#scale:1" in sheet.text
    assert not sheet.select("script, whyformer-lab, form")


def test_a_lesson_without_an_exercise_has_no_sheet(book_html):
    page = BeautifulSoup((book_html / "chapters/why_sqrt_dk.html").read_text(encoding="utf-8"), "html.parser")
    short = read("5", "{objectives: [a], before: b, moments: [{minutes: 5, do: Look, look: 'why_sqrt_dk/scale:1'}]}")
    with pytest.raises(ValueError, match="a prediction, a lab and an exercise"):
        handout(short, page, "why_sqrt_dk", "static")


@pytest.mark.thorough
def test_every_long_lesson_prints_on_two_pages(book_html, chromium):
    long = [file.stem for file in (ROOT / "chapters").glob("*.md")
            if (lesson := lesson_of(file.read_text(encoding="utf-8"))) and lesson.minutes >= LONG]  # fmt: skip
    made = write(ROOT, "https://example.org/book", os.environ["CHROMIUM"])
    assert sorted(pdf.stem for pdf in made) == sorted(long) and len(long) >= 5
    for pdf in made:
        assert len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) == 2, pdf.name
