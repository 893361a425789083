"""A page on paper: light whatever the screen, code in full, what is folded is there."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

LONGEST = pytest.param("chapters/why_sqrt_dk", marks=pytest.mark.thorough)
CHAPTERS = ["chapters/layer_norm", "chapters/notation", LONGEST]
DARK = {"color_scheme": "dark", "viewport": {"width": 720, "height": 1000}}  # about what an A4 page has

#: Texts whose contrast with the ground behind them is poor, or whose ground is not light.
PALE = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = (colour) => {
    const part = (v) => v / 255 <= 0.04 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = rgb(colour);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (rgb(colour)[3] > 200) return light(colour);
    }
    return 1;
  };
  const wrong = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.checkVisibility({visibilityProperty: true})) continue;
    if (element.closest(".katex-mathml, script, style, svg")) continue;
    const [ink, paper] = [light(getComputedStyle(element).color), ground(element)];
    if ((paper + 0.05) / (ink + 0.05) < 3 || paper < 0.6) {
      wrong.push(`${element.className || element.tagName}: ${walk.currentNode.data.trim().slice(0, 40)}`);
    }
  }
  return wrong;
}"""
CUT = """() => [...document.querySelectorAll(".bd-article pre")].filter((pre) =>
  pre.checkVisibility() && pre.scrollWidth > pre.clientWidth + 1).map((pre) => pre.textContent.slice(0, 60))"""

#: The titles of what is folded, and of those among it of which more than the title is laid out to be seen.
FOLDED = "[...document.querySelectorAll('.bd-article details:not(.wf-check, .wf-source, .wf-lesson, .wf-more)')]"
TITLES = ".map((one) => one.firstElementChild.textContent)"
PARTS = ":scope > :not(summary, .wf-check, .wf-lesson, .wf-card-buttons)"
SHOWN = f"""{FOLDED}.filter((one) => [...one.querySelectorAll("{PARTS}")].every((part) =>
  !part.textContent.trim() || part.checkVisibility() && part.getBoundingClientRect().height)){TITLES}"""


@pytest.fixture
def dark(visit, book_html):
    def go(chapter: str) -> Page:
        page = visit((book_html / f"{chapter}.html").as_uri(), **DARK)
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        return page

    return go


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_paper_is_light(chapter, dark):
    page = dark(chapter)
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert page.evaluate(PALE) == []
    page.emulate_media(media="screen", color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_page_chosen_dark_by_hand_is_printed_light_and_stays_dark(dark):
    page = dark(CHAPTERS[0])
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")  # the page has heard
    page.evaluate("""() => {
      const { dataset } = document.documentElement;
      dataset.theme = dataset.mode = "dark";
      addEventListener("beforeprint", () => { window.seen = dataset.theme; });
    }""")
    page.pdf()
    assert page.evaluate("window.seen") == "light"
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_code_is_not_cut(chapter, dark):
    page = dark(chapter)
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    assert page.evaluate(CUT) == []
    whole = "[...document.querySelectorAll('whyformer-lab, .bd-article pre, .bd-article tr')]"
    assert page.evaluate(f"{whole}.every((e) => getComputedStyle(e).breakInside === 'avoid')")


@pytest.mark.parametrize("chapter", [CHAPTERS[0], LONGEST])
def test_what_is_folded_is_printed_but_for_checks_and_lessons(chapter, dark):
    """Without a script that opens it, so by any way to print; on the screen it stays folded."""
    page = dark(chapter)
    folded = page.evaluate(FOLDED + TITLES)
    assert len(folded) >= 4 and page.evaluate(SHOWN) == []
    page.emulate_media(media="print")
    assert page.evaluate(SHOWN) == folded
    assert not page.locator(".wf-check:not([open]), .wf-lesson").filter(visible=True).count()
    page.emulate_media(media="screen")
    assert page.evaluate(SHOWN) == []
