"""The first page: its picture and the start button on one screen, the formula whose parts are questions."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from whyformer.questions.why_sqrt_dk import StartLab
from whyformer_book.site.front_page import PARTS

SCREENS = [(1366, 768), (1280, 720), (390, 844), (360, 740), (320, 700)]


@pytest.fixture
def front(visits, book_html):
    def at(width: int, height: int):
        return visits.open((book_html / "chapters/intro.html").as_uri(), viewport={"width": width, "height": height})

    return at


def bottom(locator) -> float:
    box = locator.bounding_box()
    return box["y"] + box["height"]


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_picture_is_whole_above_the_fold_and_the_start_button_too(front, width, height):
    page = front(width, height)
    lab = page.locator("whyformer-lab[alive]")
    expect(lab).to_be_visible()
    assert bottom(lab.locator(".wf-live")) <= height
    assert bottom(page.locator(".wf-start")) <= height
    asked = page.locator(".wf-start-row").get_by_role("link", name="All that was asked")
    assert bottom(asked) <= height
    chinese = page.get_by_role("link", name="中文")
    expect(chinese).to_be_visible()
    assert bottom(chinese) <= height and asked.get_attribute("href") == "asked.html"
    assert chinese.get_attribute("href") in {"asked.html", "../zh/chapters/intro.html"}  # if it is built
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_the_fourteen_questions_are_seen_without_scrolling_far(front, width, height):
    page = front(width, height)
    expect(page.locator(".wf-map a")).to_have_count(14)
    assert page.locator("#one-layer-fourteen-questions > h2").bounding_box()["y"] < 1.5 * height
    assert bottom(page.locator(".wf-map")) <= 3 * height


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844), (360, 740)])
def test_nothing_moves_when_the_picture_changes(front, width, height):
    lab = front(width, height).locator("whyformer-lab[alive]")
    heights = lab.evaluate(
        """(lab, sizes) => sizes.flatMap((d_k) => [203, 1, 2].flatMap((seed) => ["1", "sqrt"].map((divisor) => {
            lab.set({ d_k, divisor, seed });
            return lab.querySelector(".wf-live").offsetHeight;
        })))""",
        StartLab.d_k.values,
    )
    assert len(set(heights)) == 1, sorted(set(heights))
    assert heights[0] <= (624 if width > 480 else 516)


def test_bars_gradient_and_formula_follow_the_controls(front):
    page = front(1366, 768)
    lab, root = page.locator("whyformer-lab[alive]"), page.locator(".wf-formula [data-part=root]")
    expect(lab).to_contain_text("Gradient at the query: 0.81")
    expect(root).to_have_class("wf-part wf-part-score wf-shown wf-struck")
    lab.get_by_role("radio", name="÷ √dₖ").check(force=True)
    expect(lab).to_contain_text("Gradient at the query: 0.37")
    expect(root).to_have_class("wf-part wf-part-score wf-shown")
    lab.locator("input[type=range]").press("End")
    expect(lab.locator(".wf-tell")).to_contain_text("If we divide, the gradient at this query is 0.31 to 0.43")


def test_each_part_of_the_formula_shows_its_question(front):
    page = front(1366, 768)
    for name in PARTS:
        page.locator(f".wf-formula [data-part={name}]").click()
        shown = page.locator(".wf-part-note:visible")
        assert shown.count() == 1 and shown.get_attribute("data-part") == name
        assert shown.get_by_role("link").get_attribute("href").endswith(".html")


def test_there_are_no_contents_at_the_side(front):
    page = front(1366, 768)
    assert not page.locator(".bd-sidebar-primary").is_visible()
    assert page.get_by_role("navigation", name="Ways into the book").get_by_role("link").count() == 5


def test_on_a_phone_the_drawer_has_the_contents(front):
    page = front(390, 844)
    page.locator("button.primary-toggle").click()
    drawer = page.locator("dialog[open]")
    expect(drawer.get_by_role("link", name="Why divide by √dₖ?")).to_be_visible()


def test_words_of_the_picture_are_as_large_as_they_were_measured(front):
    sizes = front(390, 844).evaluate(
        """[...document.querySelectorAll(".wf-panel text")].map((text) =>
            [text.getAttribute("font-size"), parseFloat(getComputedStyle(text).fontSize)])"""
    )
    assert len(sizes) > 20 and all(abs(float(asked) - shown) < 0.1 for asked, shown in sizes)
