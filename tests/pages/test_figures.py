"""Figures of chapters on their pages: SVG in the page itself, with a name, in the colours of the theme."""

from __future__ import annotations

import re

import pytest
from book_cases import ROOT
from page_cases import BOOK, show, unfold
from playwright.sync_api import Page
from some import some

ALT = re.compile(r'^ *alt: "(.*)"$', re.MULTILINE)
DRAWN = [page for page in BOOK if ALT.search((ROOT / f"{page}.md").read_text(encoding="utf-8"))]
SOME = some(DRAWN, DRAWN[::4])

#: What each figure is painted with, as the browser computes it.
PAINT = """() => [...document.querySelectorAll("svg.wf-figure")].map((svg) =>
  [...svg.querySelectorAll("path, text")].map((one) => {
    const { fill, stroke } = getComputedStyle(one);
    return one.localName === "text" ? fill : one.getAttribute("fill") === "none" ? stroke : fill + stroke;
  }))"""
#: Figures wider than the text, or than the page; and those whose type is not the page's.
WRONG = """() => [...document.querySelectorAll("svg.wf-figure")].filter((svg) => {
  const box = svg.getBoundingClientRect(), rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const face = getComputedStyle(svg.querySelector("text")).fontFamily;
  return box.width > 34 * rem || box.right > innerWidth || box.left < 0 || !face.startsWith('"Whyformer Sans"');
}).length"""


@pytest.fixture
def opened(visit, book_html):
    def go(name: str, width: int = 1366) -> Page:
        page = visit((book_html / f"{name}.html").as_uri(), viewport={"width": width, "height": 768})
        return page

    return go


def test_there_are_chapters_with_figures() -> None:
    assert len(DRAWN) >= 5


@pytest.mark.parametrize("name", SOME)
def test_every_figure_is_in_the_page_under_the_name_that_its_cell_gives(name, opened, book_html) -> None:
    page = opened(name)
    source = (ROOT / f"{name}.md").read_text(encoding="utf-8")
    names = page.locator("svg.wf-figure").evaluate_all("(all) => all.map((svg) => svg.ariaLabel)")
    assert names == ALT.findall(source)
    unfold(page)
    assert page.get_by_role("img", name=names[0], exact=True).count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", BOOK)
def test_no_picture_of_pixels_or_in_a_file_is_on_a_page(name, book_html) -> None:
    text = (book_html / f"{name}.html").read_text(encoding="utf-8")
    article = text[text.index('<article class="bd-article"') : text.index("</article>")]
    assert not re.findall(r"<(?:img|object|embed)\b[^>]*", article)
    assert "image/png" not in re.sub(r"<(whyformer-\w+).*?</\1>", "", article, flags=re.DOTALL)


def test_no_chapter_leaves_pictures_in_a_folder(book_html) -> None:
    # What an earlier build in the same folder left there is not asked for by any page.
    wanted = set()
    for name in BOOK:
        wanted |= set(re.findall(r"_images/[^\"' )]+", (book_html / f"{name}.html").read_text(encoding="utf-8")))
    assert not wanted


@pytest.mark.parametrize("name", SOME)
def test_figures_follow_the_theme_and_paper_has_the_light_ones(name, opened) -> None:
    page = opened(name)
    show(page, "light")
    light = page.evaluate(PAINT)
    show(page, "dark")
    dark = page.evaluate(PAINT)
    for by_day, by_night in zip(light, dark, strict=True):
        assert len(by_day) > 20
        same = sum(a == b for a, b in zip(by_day, by_night, strict=True))
        assert same <= 0.05 * len(by_day), f"{same} of {len(by_day)} colours do not follow"  # purple serves both
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    assert page.evaluate(PAINT) == light


@pytest.mark.parametrize("width", [1366, 360])
@pytest.mark.parametrize("name", SOME)
def test_figures_fit_into_the_text_in_its_type(name, width, opened) -> None:
    assert opened(name, width).evaluate(WRONG) == 0
