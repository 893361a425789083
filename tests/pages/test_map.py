"""The first page's map: one layer, each part with its questions, and what the reader has answered so far."""

from __future__ import annotations

from lab_cases import LABS
from playwright.sync_api import expect
from whyformer_book.site.map import stops


def test_every_question_has_a_stop_that_leads_to_it(visit, book_html):
    assert {stop.page for stop in stops()} == {name.split("/")[0] for name in LABS}
    page = visit((book_html / "chapters/intro.html").as_uri())
    links = page.locator(".wf-map a")
    assert links.count() == len(stops()) == 14  # as the title says
    for stop, link in zip(stops(), links.all(), strict=True):
        assert (book_html / "chapters" / link.get_attribute("href")).is_file()
        assert link.get_attribute("href") == f"{stop.page}.html"
        expect(link).to_contain_text(stop.question)


def test_a_prediction_is_shown_at_its_stop_and_the_way_to_forget_it(visit, book_html):
    page = visit((book_html / "chapters/intro.html").as_uri())
    progress = page.locator(".wf-map-progress")
    expect(progress).to_be_empty()  # a newcomer has nothing to be told
    page.evaluate("localStorage.setItem('whyformer:predict:why_sqrt_dk/gradient', '2')")
    page.evaluate("localStorage.setItem('whyformer:predict:framework/parameters', '-2')")  # skipped is not answered
    page.reload()
    expect(progress).to_contain_text(f"1 of {len(stops())} questions")
    expect(page.locator(".wf-map [data-question=why_sqrt_dk] + .wf-answered")).to_contain_text("✓ predicted")
    page.evaluate("localStorage.setItem('whyformer:predict:framework/parameters', '0')")  # elsewhere, then back
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(progress).to_contain_text(f"2 of {len(stops())} questions")
    page.get_by_role("link", name="Forget my progress").click()
    page.locator(".wf-forget:focus").click()
    page.go_back()
    expect(progress).to_be_empty()
