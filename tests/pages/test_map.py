"""The first page: the Transformer with a pin for each question, and what the reader has answered so far."""

from __future__ import annotations

from page_cases import BOOK
from playwright.sync_api import expect
from whyformer.book.map import PINS

NOT_ASKED = {
    "intro",
    "notation",
    "errata",
    "reference",
    "reference_labs",
    "sources",
    "accessibility",
    "teaching",
    "asked",
}


def test_every_question_has_a_pin_that_leads_to_it(visit, book_html):
    assert {pin.page for pin in PINS} == {name.removeprefix("chapters/") for name in BOOK} - NOT_ASKED
    page = visit((book_html / "chapters/intro.html").as_uri())
    for pins in (page.locator(".wf-pin"), page.locator(".wf-map li a")):
        assert pins.count() == len(PINS)
        for pin, link in zip(PINS, pins.all(), strict=True):
            assert (book_html / "chapters" / link.get_attribute("href")).is_file()
            assert link.get_attribute("href") == f"{pin.page}.html"
    boxes = [pin.bounding_box() for pin in page.locator(".wf-pin circle").all()]
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart = max(abs(one["x"] - other["x"]), abs(one["y"] - other["y"]))
            assert apart >= one["width"] - 1


def test_a_prediction_fills_its_pin_and_can_be_forgotten(visit, book_html):
    page = visit((book_html / "chapters/intro.html").as_uri())
    progress = page.locator(".wf-map-progress")
    expect(progress).to_contain_text(f"0 of {len(PINS)} questions")
    assert page.locator(".wf-done").count() == 0 == page.get_by_role("button", name="Forget them").count()
    page.evaluate("localStorage.setItem('whyformer:predict:why_sqrt_dk/gradient', '2')")
    page.evaluate("localStorage.setItem('whyformer:predict:framework/parameters', '-2')")  # skipped is not answered
    page.reload()
    expect(progress).to_contain_text(f"1 of {len(PINS)} questions")
    assert page.locator(".wf-done").count() == 1
    expect(page.locator(".wf-map li", has_text="√dₖ")).to_contain_text("✓ predicted")
    page.evaluate("localStorage.setItem('whyformer:predict:framework/parameters', '0')")  # elsewhere, then back
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(progress).to_contain_text(f"2 of {len(PINS)} questions")
    page.get_by_role("button", name="Forget them").click()
    expect(progress).to_contain_text(f"0 of {len(PINS)} questions")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('whyformer:predict')).length") == 0


def test_each_question_shows_where_it_sits(visit, book_html):
    for pin in PINS:
        page = visit((book_html / f"chapters/{pin.page}.html").as_uri())
        here = page.locator(".wf-sits")
        assert here.get_attribute("href") == "intro.html" and here.is_visible()
        (dot,) = here.locator("circle").all()
        assert [float(dot.get_attribute(name)) for name in ("cx", "cy")] == [pin.x, pin.y]
        box, title = here.bounding_box(), page.locator(".bd-article h1").bounding_box()
        words = page.locator("h1 + .wf-sits + section p, h1 + .wf-sits + p").first.bounding_box()
        assert box["x"] >= words["x"] + words["width"] or box["y"] + box["height"] <= words["y"], "over the text"
        assert box["y"] >= title["y"]
    page = visit((book_html / "chapters/errata.html").as_uri())
    assert page.locator(".wf-sits").count() == 0
