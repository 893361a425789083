"""Handouts: pages that print and give nothing away; what is right stands on a sheet of its own."""

import os
import re

import pytest
from book_cases import ROOT
from bs4 import BeautifulSoup
from whyformer.lab.discover import lab_classes
from whyformer.lab.teach.veil import unveil, veil
from whyformer_book.teach.gaps import to_draw, with_gaps
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


def looks(name, kind):
    """What the moments of a lesson look at, of one kind, in its order."""
    return [target for moment in LESSONS[name].moments if (target := moment.target()) and target["kind"] == kind]


def steps(name):
    """The steps of labs at which a lesson looks."""
    found = []
    for target in looks(name, "lab"):
        number = re.match(r"#\w+:(\d+)", target["address"])
        found += [lab_classes()[target["name"]].steps[int(number[1]) - 1]] if number else []
    return found


def words(text):
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def test_what_is_veiled_comes_out_as_it_was():
    assert unveil(veil([["because", True], ["√dₖ", False]])) == [["because", True], ["√dₖ", False]]


def test_a_sheet_has_what_the_lesson_looks_at(book_html):
    sheet, answers = made(book_html, "why_sqrt_dk")
    assert sheet.h1.text == answers.h1.text == "Why divide by √dₖ?"
    assert "It becomes several times larger" in sheet.text
    assert "Means that are not zero" in sheet.text and "Means that are not zero" in answers.text
    assert "https://example.org/chapters/why_sqrt_dk.html#scale:1" in sheet.text
    asked = sheet.select_one(".link p").text.removeprefix(
        "The question: https://example.org/chapters/why_sqrt_dk.html#"
    )
    page = BeautifulSoup((book_html / "chapters/why_sqrt_dk.html").read_text(encoding="utf-8"), "html.parser")
    assert page.find(id=asked).select_one("whyformer-predict"), asked
    assert not [one for both in (sheet, answers) for one in both.select("script, whyformer-lab, form, details")]


@pytest.mark.parametrize("name", LESSONS)
def test_a_sheet_has_both_votes_axes_to_draw_into_and_lines_with_gaps(book_html, name):
    sheet, answers = made(book_html, name)
    asked = {target["name"] for target in looks(name, "prediction")}
    tables = sheet.select(".options")
    assert len(tables) == len(asked)
    for table in tables:
        letters = [one.text for one in table.select("b")]
        assert letters == list("ABCDEF"[: len(letters)]) and len(table.select(".box")) == 2 * len(letters)
    drawn = sheet.select(".moments > div > svg, .frame")
    assert len(drawn) == len(answers.select(".moments > div > svg")) == len(looks(name, "lab"))
    lines = [number for target in looks(name, "lines") for number in target["lines"]]
    for one, least in ((sheet, 1), (answers, 0)):
        told = [strong.text for strong in one.select(".moments strong")]
        assert [re.match(r"(?:Line|Step) (\d+)", each)[1] for each in told] == [str(number) for number in lines]
        gaps = one.select(".moments .gap, .moments .line")
        assert len(gaps) >= least * len(lines) and bool(gaps) == bool(least * len(lines))


def test_a_gap_takes_what_is_to_be_found_and_leaves_what_is_asked(book_html):
    page = BeautifulSoup((book_html / "chapters/why_sqrt_dk.html").read_text(encoding="utf-8"), "html.parser")
    variance = BeautifulSoup(with_gaps(page, 4), "html.parser")  # the formula that stands alone, and not what is put in
    assert len(variance.select(".gap")) == 1 and variance.select_one(".katex-display .gap")
    assert "σ" in variance.p.text and "σ" not in variance.select_one(".katex-display").text
    total = words(BeautifulSoup(with_gaps(page, 5), "html.parser").text)
    assert "If the means are zero and the variances are one, each product has variance , and the sum of" in total
    assert total.endswith("Needs:")
    assert with_gaps(page, 99) == ""
    layer = BeautifulSoup((book_html / "chapters/layer_norm.html").read_text(encoding="utf-8"), "html.parser")
    named = BeautifulSoup(with_gaps(layer, 2), "html.parser")
    assert named.text == "Line 2: who changes whom." and len(named.select(".line")) == 2


def test_a_picture_to_draw_into_says_no_result():
    plot = {"kind": "plot", "title": "A: 12 of 12 numbers changed", "marks": [{"mark": "line"}]}
    axes = {"x": {"domain": [0, 3], "ticks": [0, {"at": 2.61, "text": "2.6"}]}, "y": {"domain": [0, 1]}}
    table = {"kind": "table", "title": "parameters: 65 million", "rows": [{"items": ["attention", "30 %"]}]}
    note = {"kind": "note", "name": "read-out", "text": "who = 3.00"}
    row = {"kind": "row", "blocks": [plot | axes, table, note]}
    [drawn] = to_draw([row], "The query matrix gets 2.6.")
    assert [one["title"] for one in drawn["blocks"]] == ["A", "parameters"]
    assert drawn["blocks"][0]["marks"] == [] and drawn["blocks"][0]["x"]["ticks"] == [0]
    assert drawn["blocks"][1]["rows"] == [{"items": ["attention", ""]}]


@pytest.mark.parametrize("name", LESSONS)
def test_the_answers_are_on_a_sheet_of_their_own(book_html, name):
    sheet, answers = made(book_html, name)
    said = [part.strip() for step in steps(name) for part in re.split(r"\{[^}]*\}", step.says)]
    told = [words(part) for part in said if len(part) > 20]
    assert len(told) >= len(steps(name)) > 0
    assert [part for part in told if part in words(sheet.text)] == [], "a step's sentence is on the handout"
    assert [part for part in told if part not in words(answers.text)] == []
    for on_screen in ("How this was tested", "open the solution"):
        assert on_screen not in sheet.text + answers.text
    assert "____" not in answers.text and "{" not in "".join(p.text for p in answers.select(".moments p"))
    judged = [one.text for one in answers.select("li > b")]
    assert len(judged) == len(sheet.select(".options")) and all(one.endswith(": right.") for one in judged)
    solution = words(answers.find("h3", string="Solution").find_next("p").text)
    assert solution and solution not in words(sheet.text)


def test_a_lesson_without_an_exercise_has_no_sheet(book_html):
    page = BeautifulSoup((book_html / "chapters/why_sqrt_dk.html").read_text(encoding="utf-8"), "html.parser")
    short = read("5", "{objectives: [a], before: b, moments: [{minutes: 5, do: Look, look: 'why_sqrt_dk/scale:1'}]}")
    with pytest.raises(ValueError, match="a prediction, a lab and an exercise"):
        sheets(short, page, "why_sqrt_dk", "static")


@pytest.mark.thorough
def test_every_long_lesson_prints_on_two_sheets_and_so_do_its_answers(book_html, chromium):
    printed = {pdf.stem: pdf for pdf in write(ROOT, "https://example.org/book", os.environ["CHROMIUM"])}
    assert printed.keys() == {*LESSONS, *(f"{name}-answers" for name in LESSONS)} and len(LESSONS) >= 5
    for name, pdf in printed.items():
        assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) <= 4, name
