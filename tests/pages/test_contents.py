"""A click in a page's contents, or a link with a fragment, lands on its heading."""

from __future__ import annotations

import pytest
from book_cases import ROOT
from browser import serve, settle
from page_cases import BOOK, CALM, HEADINGS, MISS, NEAR
from playwright.sync_api import Page
from some import some

CHAPTERS = [name for name in BOOK[1:] if "Lab(" in (ROOT / f"{name}.md").read_text(encoding="utf-8")]
SCREENS = {"desk": {"width": 1280, "height": 800}, "telephone": {"width": 390, "height": 740}}


@pytest.fixture(scope="module")
def book(book_html):
    with serve(book_html) as base:
        yield base


def miss(page: Page, heading: str) -> float:
    page.evaluate(CALM)
    return page.evaluate(MISS, heading)


def first_click(page: Page, heading: str) -> None:
    link = page.locator(f'.toctree-l1 .toc-h2 > a[href="#{heading}"]')
    if not link.is_visible():
        settle(page)  # the theme opens the contents
        page.locator(".primary-toggle").click()
    link.click()


def click_first(page: Page, address: str, place: int) -> dict[str, float]:
    """Open the page anew, click a heading of its contents, then another; how far each click missed."""
    page.goto("about:blank")
    page.goto(address)
    headings = page.evaluate(HEADINGS)
    assert len(headings) >= 7
    heading, other = headings[place], headings[place - 3]
    first_click(page, heading)
    found = {heading: miss(page, heading)}
    page.evaluate("(id) => document.querySelector(`.toctree-l1 .toc-h2 > a[href='#${id}']`).click()", other)
    return found | {f"then {other}": miss(page, other)}


def come_from_elsewhere(page: Page, address: str, place: int) -> dict[str, float]:
    """Follow a link to a heading from another page; how far it missed."""
    page.goto(address)
    heading = page.evaluate(HEADINGS)[place]
    page.goto("about:blank")
    page.goto(f"{address}#{heading}")
    return {f"from elsewhere {heading}": miss(page, heading)}


@pytest.mark.parametrize("chapter", some(CHAPTERS, CHAPTERS[::4]))
def test_the_first_click_finds_its_heading(chapter, visit, book):
    """The last heading, which has most of the page above it, and then one that stands higher."""
    page = visit("about:blank", viewport=SCREENS["desk"])
    found = click_first(page, f"{book}/{chapter}.html", -1)
    assert all(abs(far) <= NEAR for far in found.values()), found


@pytest.mark.thorough
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("chapter", CHAPTERS[::4])
def test_headings_are_found_wherever_the_reader_comes_from(chapter, screen, visit, book):
    page = visit("about:blank", viewport=SCREENS[screen])
    address = f"{book}/{chapter}.html"
    found = {}
    for place in (-1, 6, 2):
        found |= click_first(page, address, place)
    for place in (-1, 6):
        found |= come_from_elsewhere(page, address, place)
    assert all(abs(far) <= NEAR for far in found.values()), found


def test_a_link_from_elsewhere_finds_its_heading(visit, book):
    page = visit("about:blank", viewport=SCREENS["telephone"])
    found = come_from_elsewhere(page, f"{book}/chapters/why_sqrt_dk.html", -1)
    assert all(abs(far) <= NEAR for far in found.values()), found
