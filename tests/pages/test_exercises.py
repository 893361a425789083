"""Exercises on the pages of the book: a number is checked there, and nothing suffers."""

from __future__ import annotations

import pytest
from page_cases import show, unfold
from playwright.sync_api import expect

CHAPTERS = {"chapters/softmax_saturation": 3, "chapters/why_sqrt_dk": 6}
PHONE = {"width": 360, "height": 640}


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_number_asked_for_can_be_checked_on_the_page(name, visit, addresses):
    page = visit(addresses[name, "file"])
    unfold(page)
    forms = page.locator("whyformer-exercise").all()
    assert len(forms) == CHAPTERS[name]
    for form in forms:
        form.locator("input").fill("0,5")
        form.get_by_role("button", name="Check").click()
        expect(form.get_by_role("status")).to_contain_text("decimal mark as a point")
    assert page.locator(".bd-article").get_by_text("answer = ...").count() == 0


def test_the_right_answer_and_a_slip_are_known(visit, addresses):
    page = visit(addresses["chapters/softmax_saturation", "http"])
    unfold(page)
    form = page.locator("whyformer-exercise").first
    for answer, told in (("0.0824", "Right."), ("0.9094", "That is y₃ itself."), ("1", "The answer is smaller.")):
        form.get_by_label("∂y₃/∂z₃").fill(answer)
        page.keyboard.press("Enter")
        expect(form.get_by_role("status")).to_contain_text(told)


@pytest.mark.parametrize(("query", "scheme"), [("", "light"), ("?projector", "dark")])
def test_a_form_with_its_longest_words_fits_a_phone(query, scheme, visit, addresses):
    page = visit(addresses["chapters/why_sqrt_dk", "file"] + query, viewport=PHONE)
    show(page, scheme)
    unfold(page)
    form = page.locator("whyformer-exercise").nth(1)
    form.locator("input").fill("2")  # the longest hint of the chapter
    form.get_by_role("button", name="Check").click()
    expect(form.get_by_role("status")).not_to_be_empty()
    for part in form.locator("label, input, button, p").all():
        box = part.bounding_box()
        assert not box or 0 <= box["x"] and box["x"] + box["width"] <= PHONE["width"]
    paper = form.locator(".wf-live").evaluate("(live) => getComputedStyle(live).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
