"""A word of the glossary says what it means: to a mouse, a finger and a keyboard, over http and from a file."""

from __future__ import annotations

import re

import pytest
from page_cases import axe_finds_nothing
from playwright.sync_api import expect
from some import some

CHAPTER = "chapters/layer_norm"
SAYS = "#wf-says"


def said(term) -> str:
    """What one says in Chinese, if that is another word, and its sentence."""
    return " ".join(filter(None, [term.get_attribute("data-zh"), term.get_attribute("data-says")]))


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_pointing_and_focus_show_it_and_escape_hides_it(scheme, visit, addresses):
    page = visit(addresses[CHAPTER, scheme])
    first, second = page.locator(".wf-term").nth(0), page.locator(".wf-term").nth(1)
    first.hover()
    expect(page.locator(SAYS)).to_have_text(said(first))
    page.locator(".bd-article h1").hover()
    expect(page.locator(SAYS)).to_be_hidden()
    second.focus()
    expect(page.locator(SAYS)).to_have_text(said(second))
    assert second.get_attribute("aria-describedby") == "wf-says"
    page.keyboard.press("Escape")
    expect(page.locator(SAYS)).to_be_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/glossary\.html#term-"))


def test_a_tap_shows_it_inside_a_phone_and_stays_on_the_page(visit, addresses):
    page = visit(addresses[CHAPTER, "file"], viewport={"width": 390, "height": 844}, has_touch=True)
    terms = page.locator(".bd-article .wf-term:visible").all()[:3]
    assert terms
    for term in terms:
        term.tap()
        expect(page.locator(SAYS)).to_have_text(said(term))
        box = page.locator(SAYS).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        page.locator(SAYS).tap()
        expect(page.locator(SAYS)).to_be_hidden()
    assert page.url.endswith("layer_norm.html")


def test_without_a_script_it_is_a_link(visit, addresses):
    page = visit(addresses[CHAPTER, "file"], java_script_enabled=False)
    page.locator(".wf-term").first.click()
    page.wait_for_url(re.compile(r"/glossary\.html#term-"))


@pytest.mark.parametrize("scheme", some(["light", "dark"], ["dark"]))
def test_axe_finds_nothing(scheme, visit, addresses):
    page = visit(addresses[CHAPTER, "http"], color_scheme=scheme)
    page.locator(".wf-term").first.focus()
    axe_finds_nothing(page, scheme)
