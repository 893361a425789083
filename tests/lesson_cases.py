"""The lessons of the book, and how a class sees one. Imported by the tests of slides."""

from __future__ import annotations

import re

from book_cases import ROOT
from page_cases import BOOK
from playwright.sync_api import Page, expect

LESSONS = [name for name in BOOK if "\n```{lesson} " in (ROOT / f"{name}.md").read_text(encoding="utf-8")]
CHAPTER = "chapters/why_sqrt_dk"
ROOM = {"width": 1280, "height": 720}


def slides(visit, address: str) -> Page:
    """The page at ``address`` as slides, on a projector."""
    page = visit(f"{address}?teach", viewport=ROOM)
    page.wait_for_selector(".wf-bar .wf-do")
    return page


def at(page: Page, number: int) -> None:
    """Wait until that moment is shown."""
    expect(page.locator(".wf-bar nav span")).to_have_text(re.compile(rf"^{number} of "))


def go(page: Page, number: int) -> None:
    """Lead to that moment by its link."""
    page.evaluate("(n) => { location.hash = `#moment-${n}` }", number)
    at(page, number)


def onward(page: Page, number: int) -> None:
    """With a clicker from that moment, through its vote, to the next one."""
    shown = page.locator(".wf-bar nav span")
    for _ in range(8):
        page.keyboard.press("PageDown")
        if not (shown.text_content() or "").startswith(f"{number} of "):
            return at(page, number + 1)
    raise AssertionError(f"the clicker stays at moment {number}")


def show_right(page: Page) -> None:
    """Show what is right, and say yes if the vote is open."""
    page.get_by_role("button", name="Show what is right").first.click()
    yes = page.get_by_role("button", name="Yes", exact=True)
    if yes.count():
        yes.click()


def counts(page: Page) -> int:
    """How many moments the lesson has."""
    return page.evaluate("JSON.parse(document.querySelector('.wf-lesson > script').textContent).moments.length")
