"""Live prose on a page of the book: a link moves the lab far away, and the way back leads to the same line."""

from __future__ import annotations

import pytest
from page_cases import CALM, show, unfold
from playwright.sync_api import expect

CHAPTER = "chapters/why_sqrt_dk"
#: A link of the page to a lab of the page, moved to the last section: most of the chapter lies between the two.
MOVE = """() => {
  const link = document.querySelector('.bd-article a[href^="#"][href*="?"]');
  document.querySelector("#sources p").prepend(link);
  return link;
}"""


@pytest.mark.parametrize(
    ("query", "width", "height", "by"),
    [("", 1366, 768, "button"), ("", 390, 844, "browser"), ("?projector", 1280, 720, "button")],
)
def test_a_reader_goes_to_the_lab_and_comes_back_to_the_line(query, width, height, by, visit, addresses):
    page = visit(addresses[CHAPTER, "http"] + query, viewport={"width": width, "height": height})
    show(page, "light")
    unfold(page)
    link = page.evaluate_handle(MOVE).as_element()
    link.evaluate("(a) => a.scrollIntoView({ block: 'center', behavior: 'instant' })")
    before = page.evaluate(CALM), link.bounding_box()["y"]
    link.click()
    back = page.get_by_role("button", name="Back to where you were")
    expect(back).to_be_focused()
    there = page.evaluate(CALM)
    assert before[0] - there > 5 * height, "the lab was near"
    expect(back).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if by == "button":
        back.click()
    else:
        page.go_back()
    page.wait_for_function("(link) => document.activeElement === link", arg=link)
    page.evaluate(CALM)
    assert link.bounding_box()["y"] == pytest.approx(before[1], abs=2)
