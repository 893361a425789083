"""Predictions on the pages of the book: the short answer waits folded, and a bet is seen in its lab."""

from __future__ import annotations

import re

import pytest
from book_cases import ROOT
from page_cases import BOOK, show, unfold
from playwright.sync_api import expect
from whyformer_book.site.map import stops

ASKS = re.compile(r"^predict_\w+\(\)$", re.MULTILINE)
QUESTIONS = {f"chapters/{stop.page}" for stop in stops()}
ASKING = [name for name in BOOK if name in QUESTIONS and ASKS.search((ROOT / f"{name}.md").read_text("utf-8"))]
CHAPTER = "chapters/softmax_saturation"


def test_every_question_asks():
    rooms = {file.parent.name for file in (ROOT / "code/whyformer/questions").glob("*/predictions.py")}
    assert set(ASKING) == {f"chapters/{room}" for room in rooms} == QUESTIONS
    assert len(ASKING) >= 9


@pytest.mark.parametrize("name", ASKING)
def test_the_short_answer_of_every_chapter_opens_with_its_predictions(name, visit, addresses):
    page = visit(addresses[name, "file"])
    answer = page.locator("details.wf-answer p").first
    unfold(page)
    above = "(one) => !!(one.compareDocumentPosition(document.querySelector('.wf-answer')) & 4)"
    for question in [one for one in page.locator("whyformer-predict").all() if one.evaluate(above)]:
        expect(answer).to_be_hidden()
        question.get_by_role("button", name="Skip").click()
    answer.click()
    assert page.locator("section > details.wf-answer > summary > h2").is_visible()


#: Below the lab above it, whose steps may differ by some pixels, or on the page; wherever the window stands.
TOP = """(one) => {
  const above = [...document.querySelectorAll("whyformer-lab")].findLast((lab) => lab.compareDocumentPosition(one) & 4);
  return one.getBoundingClientRect().top - (above ? above.getBoundingClientRect().bottom : -scrollY);
}"""
WINDOWS = {"desk": ((1366, 768), ""), "projector": ((1280, 720), "?projector"),
           "phone": ((390, 844), ""), "narrow": ((360, 640), "")}  # fmt: skip
HEADER = 56  # pixels, which stay at the top of the window
#: A bet, and the picture that answers it, are seen at once; controls may stand below.
DOWN_TO_PICTURE = """(lab) => {
  const pictures = [...lab.querySelectorAll(".wf-live svg")].map((one) => one.getBoundingClientRect().bottom);
  return Math.max(...pictures) - lab.getBoundingClientRect().top;
}"""


#: Every bet on a phone, and one in every window.
CASES = [
    pytest.param(name, window, marks=() if window == "phone" or name == CHAPTER else pytest.mark.thorough)
    for name in ASKING
    for window in WINDOWS
]


@pytest.mark.parametrize(("name", "window"), CASES)
def test_a_bet_fits_the_screen_and_is_not_dimmed(name, window, visit, addresses):
    (width, height), query = WINDOWS[window]
    page = visit(addresses[name, "file"] + query, viewport={"width": width, "height": height})
    unfold(page)
    for question in page.locator("whyformer-predict").locator("visible=true").all():  # others are asked on slides alone
        question.locator("label").first.click()
        before = question.evaluate(TOP)
        question.get_by_role("button", name="Commit").click()
        assert question.evaluate(TOP) == pytest.approx(before, abs=1), "the question moved"
        name = question.evaluate("(one) => JSON.parse(one.querySelector('script').textContent).then?.lab")
        if name is None:  # a bet without a lab
            continue
        lab = page.locator(f'whyformer-lab[name="{name}"]:not([size="small"])')
        expect(lab.locator(".wf-eyebrow")).to_contain_text("Your bet, here")
        assert lab.locator(".wf-left").count() == 0
        assert lab.evaluate(DOWN_TO_PICTURE) <= height - HEADER
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        lab.get_by_role("button", name="Next", exact=True).click()
        expect(lab.locator(".wf-eyebrow")).not_to_contain_text("Your bet")


def test_a_folded_page_is_no_wider_than_a_phone_and_its_contents_open_the_answer(visit, addresses):
    page = visit(addresses[CHAPTER, "file"], viewport={"width": 360, "height": 640})
    show(page, "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page = visit(addresses[CHAPTER, "file"], viewport={"width": 1366, "height": 768})
    page.locator('a.nav-link[href="#say-it"]').locator("visible=true").first.click()
    expect(page.locator("#say-it p").first).to_be_visible()
    expect(page.get_by_role("heading", name="Say it")).to_be_in_viewport()
