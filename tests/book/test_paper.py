"""Handouts: two pages that print and give nothing away; what is right stands on a sheet of its own."""

import os
import re

import pytest
from book_cases import ROOT
from bs4 import BeautifulSoup
from whyformer.lab.discover import lab_classes
from whyformer.lab.teach.veil import unveil, veil
from whyformer_book.teach.lesson import read
from whyformer_book.teach.paper import LONG, lesson_of, sheets, write

LESSONS = {
    file.stem: lesson
    for file in sorted((ROOT / "chapters").glob("*.md"))
    if (lesson := lesson_of(file.read_text(encoding="utf-8"))) and lesson.minutes >= LONG
}


def made(book_html, name):
    """The handout and the answers of a chapter's lesson."""
    page = BeautifulSoup((book_html / f"chapters/{name}.html").read_text(encoding="utf-8"), "html.parser")
    both = sheets(LESSONS[name], page, name, "static", "https://example.org/")
    return tuple(BeautifulSoup(sheet, "html.parser") for sheet in both)


def first_lab(name):
    looks = [target for moment in LESSONS[name].moments if (target := moment.target())]
    return lab_classes()[next(target["name"] for target in looks if target["kind"] == "lab")]


def words(text):
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def test_what_is_veiled_comes_out_as_it_was():
    assert unveil(veil([["because", True], ["√dₖ", False]])) == [["because", True], ["√dₖ", False]]


def test_a_sheet_has_what_the_lesson_looks_at(book_html):
    sheet, answers = made(book_html, "why_sqrt_dk")
    lab = lab_classes()["why_sqrt_dk/scale"]
    assert sheet.h1.text == answers.h1.text == "Why divide by √dₖ?"
    assert len(sheet.select(".box")) == 4 and "It becomes several times larger" in sheet.text
    assert len(sheet.select(".frame")) == len(answers.select(".steps > div > svg")) == len(lab.steps)
    assert "Means that are not zero" in sheet.text and "Means that are not zero" in answers.text
    assert "https://example.org/chapters/why_sqrt_dk.html#scale:1" in sheet.text
    asked = sheet.select_one(".link p").text.removeprefix(
        "The question: https://example.org/chapters/why_sqrt_dk.html#"
    )
    page = BeautifulSoup((book_html / "chapters/why_sqrt_dk.html").read_text(encoding="utf-8"), "html.parser")
    assert page.find(id=asked).select_one("whyformer-predict"), asked
    assert not [one for both in (sheet, answers) for one in both.select("script, whyformer-lab, form")]


@pytest.mark.parametrize("name", LESSONS)
def test_the_answers_are_on_a_sheet_of_their_own(book_html, name):
    sheet, answers = made(book_html, name)
    said = [part.strip() for step in first_lab(name).steps for part in re.split(r"\{[^}]*\}", step.says)]
    told = [words(part) for part in said if len(part) > 20]
    assert len(told) >= len(first_lab(name).steps)
    assert [part for part in told if part in words(sheet.text)] == [], "a step's sentence is on the handout"
    assert [part for part in told if part not in words(answers.text)] == []
    assert not sheet.select(".steps svg"), "a step's picture is on the handout"
    assert "____" not in answers.text and "{" not in "".join(p.text for p in answers.select(".steps p"))
    assert len(answers.select("li > b")) == 1 and answers.select_one("li > b").text.endswith(": right.")
    solution = words(answers.find("h3", string="Solution").find_next("p").text)
    assert solution and solution not in words(sheet.text)


def test_a_lesson_without_an_exercise_has_no_sheet(book_html):
    page = BeautifulSoup((book_html / "chapters/why_sqrt_dk.html").read_text(encoding="utf-8"), "html.parser")
    short = read("5", "{objectives: [a], before: b, moments: [{minutes: 5, do: Look, look: 'why_sqrt_dk/scale:1'}]}")
    with pytest.raises(ValueError, match="a prediction, a lab and an exercise"):
        sheets(short, page, "why_sqrt_dk", "static")


@pytest.mark.thorough
def test_every_long_lesson_prints_on_two_pages_and_its_answers_on_as_few(book_html, chromium):
    printed = {pdf.stem: pdf for pdf in write(ROOT, "https://example.org/book", os.environ["CHROMIUM"])}
    assert printed.keys() == {*LESSONS, *(f"{name}-answers" for name in LESSONS)} and len(LESSONS) >= 5
    for name, pdf in printed.items():
        assert len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) == 2, name
