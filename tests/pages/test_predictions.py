"""Predictions on the pages of the book: the short answer of each chapter is covered, and nothing else suffers."""

from __future__ import annotations

import pytest
from book_cases import ROOT
from page_cases import BOOK, show
from playwright.sync_api import Page, expect
from whyformer.book.map import PINS

ASKING = [name for name in BOOK if "## Predict\n" in (ROOT / f"{name}.md").read_text(encoding="utf-8")]
PHONE = {"width": 360, "height": 640}
CHAPTER = "chapters/softmax_saturation"


def covers(page: Page) -> int:
    return page.locator("section#short-answer.wf-covered > .wf-curtain").count()


def test_every_question_asks():
    rooms = {file.parent.name for file in (ROOT / "code/whyformer/questions").glob("*/predictions.py")}
    assert set(ASKING) == {f"chapters/{room}" for room in rooms} == {f"chapters/{pin.page}" for pin in PINS}
    assert len(ASKING) >= 9


@pytest.mark.parametrize("name", ASKING)
def test_the_short_answer_of_every_chapter_waits_for_its_predictions(name, visit, addresses):
    page = visit(addresses[name, "file"])
    top = "document.querySelector('section#short-answer + section').getBoundingClientRect().top + scrollY"
    assert covers(page) == 1
    curtain = page.locator(".wf-curtain")
    asked = page.locator("whyformer-predict").all()
    for question in asked:
        assert covers(page) == 1
        before = page.evaluate(top), question.bounding_box()["height"]
        question.get_by_role("button", name="Skip").click()
        grown = question.bounding_box()["height"] - before[1]
        assert page.evaluate(top) - before[0] == pytest.approx(grown, abs=1), "the text below moved on its own"
    expect(curtain).to_have_count(0)
    page.locator("section#short-answer p").first.click()


@pytest.mark.parametrize("query", ["", "?projector"])
def test_a_covered_page_is_no_wider_than_a_phone(query, visit, addresses):
    page = visit(addresses[CHAPTER, "file"] + query, viewport=PHONE)
    show(page, "light")
    line, room = page.locator(".wf-curtain").bounding_box(), page.locator("#short-answer").bounding_box()
    assert 0 <= line["x"] and line["x"] + line["width"] <= PHONE["width"]
    assert line["y"] + line["height"] <= room["y"] + room["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_contents_of_the_page_lead_to_an_open_short_answer(visit, addresses):
    page = visit(addresses[CHAPTER, "file"], viewport={"width": 1366, "height": 768})
    page.locator('a.nav-link[href="#short-answer"]').locator("visible=true").first.click()
    expect(page.locator(".wf-curtain")).to_have_count(0)
    expect(page.get_by_role("heading", name="Short answer")).to_be_in_viewport()
