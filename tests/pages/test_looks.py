"""Every page with its labs in every look: dark, phone, projector, paper, without motion, without scripts.

A page is loaded once and shown in one look after the other, as a reader's window and system change; only the
projector and a reader without scripts need loads of their own.
"""

from __future__ import annotations

import pytest
from browser import Visits, settle
from driver import Driver
from lab_cases import LABS, largest_state
from page_cases import BOOK, FEW, FEW_OR_ALL, FEW_OR_MORE, PAGES, OpenPage, show, skip_predictions
from playwright.sync_api import Page
from some import some

DESK = {"width": 1280, "height": 720}
SETTLED = """async (width) => {
  const frame = () => new Promise(requestAnimationFrame);
  do await frame(); while (innerWidth !== width);
  await frame();
}"""


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest, open_page: OpenPage) -> Page:
    """Each page in turn, opened once for the tests that only change how it is looked at."""
    opened = open_page(request.param)
    yield opened
    opened.context.close()


@pytest.fixture(autouse=True)
def no_trouble(visits: Visits):
    yield
    visits.check()


@pytest.fixture(autouse=True)
def as_at_first(request: pytest.FixtureRequest):
    """A shared page is found as it was opened: on a desk, light, on the screen, its labs at their defaults."""
    yield
    if "page" in request.fixturenames:
        page = request.getfixturevalue("page")
        page.set_viewport_size(DESK)
        page.emulate_media(media="screen", reduced_motion="no-preference")
        show(page, "light")
        page.evaluate(SETTLED, DESK["width"])  # window and theme are told to a page at its next frame, not at once
        page.evaluate("() => { for (const lab of document.querySelectorAll('whyformer-lab')) lab.reset() }")
        skip_predictions(page)


def labs_of(page: Page) -> list:
    return page.locator("whyformer-lab").all()


def grow(page: Page) -> None:
    for lab in labs_of(page):
        lab.evaluate("(lab, state) => lab.set(state)", largest_state(LABS[lab.get_attribute("name")]))


@pytest.mark.parametrize("name", FEW_OR_MORE)
def test_a_short_drag_moves_every_lab_over_http(name: str, open_page: OpenPage) -> None:
    page = open_page(name, "http")
    drag_each(page)
    page.context.close()


@pytest.mark.parametrize("page", some(BOOK, FEW), indirect=True)  # test_labs drives those of the page of labs
def test_a_short_drag_moves_every_lab_from_a_file(page: Page) -> None:
    assert page.url.startswith("file://")
    drag_each(page)


def drag_each(page: Page) -> None:
    for lab in labs_of(page):
        Driver(page, lab).drag_once()


@pytest.mark.parametrize("page", FEW_OR_MORE, indirect=True)
def test_every_form_control_has_a_name_and_the_public_face(page: Page) -> None:
    bare = """(lab) => [...lab.querySelectorAll("input, select")].filter((input) => {
      const group = input.type !== "radio" || input.closest("fieldset").querySelector("legend").textContent.trim();
      const label = input.ariaLabel || [...input.labels].map((l) => l.textContent.trim()).join("");
      return !(input.name && label && group);
    }).map((input) => input.outerHTML)"""
    for lab in labs_of(page):
        assert lab.evaluate(bare) == []
        assert lab.evaluate("(lab) => lab.state !== lab.state && !lab.shadowRoot && lab.description.length > 20")
        classes = lab.evaluate("(l) => [...l.querySelectorAll('.wf-live *')].flatMap((e) => [...e.classList])")
        assert all(c.startswith("wf-") for c in classes)


TOO_WIDE = """() => [
  ...[...document.querySelectorAll("html, .wf-live")].filter((e) => e.scrollWidth > e.clientWidth),
  ...[...document.querySelectorAll(".wf-live text")].filter((text) => {
    const [inside, around] = [text.getBoundingClientRect(), text.closest(".wf-live").getBoundingClientRect()];
    return inside.left < around.left || inside.right > around.right;
  }),
].map((e) => `${e.closest("whyformer-lab")?.getAttribute("name") ?? e.tagName}: ${e.textContent.slice(0, 40)}`)"""
WIDTHS = "[...document.querySelectorAll('.wf-live .wf-panel')].map((panel) => panel.offsetWidth).join()"


@pytest.mark.parametrize("page", FEW_OR_ALL, indirect=True)
def test_nothing_sticks_out_on_a_telephone(page: Page) -> None:
    show(page, "dark")
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function(f"({TOO_WIDE})().length === 0")
    grow(page)
    assert page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("page", FEW_OR_MORE, indirect=True)
def test_pictures_follow_when_the_window_changes(page: Page) -> None:
    for width in (400, 1280, 360):
        before = page.evaluate(WIDTHS)
        page.set_viewport_size({"width": width, "height": 740})
        page.wait_for_function(f"(before) => !before || {WIDTHS} !== before", arg=before)
        page.wait_for_function(f"({TOO_WIDE})().length === 0")


@pytest.mark.parametrize("name", FEW_OR_MORE)
def test_projector_enlarges_type_and_strokes(name: str, open_page: OpenPage) -> None:
    size = """(lab) => [
      parseFloat(getComputedStyle(lab.querySelector(".wf-sentence, .wf-says")).fontSize),
      parseFloat(getComputedStyle(lab).getPropertyValue("--wf-stroke")),
      lab.querySelector(".wf-panel text").getBoundingClientRect().height,
    ]"""
    screen = {"width": 1024, "height": 768}
    page = open_page(name, viewport=screen)
    plain = [lab.evaluate(size) for lab in labs_of(page)]
    page.goto(page.url.partition("#")[0] + "?projector")
    settle(page)
    skip_predictions(page)
    for before, lab in zip(plain, labs_of(page), strict=True):
        assert all(b > 1.2 * a for a, b in zip(before, lab.evaluate(size), strict=True))
    assert page.evaluate(TOO_WIDE) == []
    grow(page)
    assert page.evaluate(TOO_WIDE) == []
    page.context.close()


@pytest.mark.parametrize("page", FEW_OR_MORE, indirect=True)
def test_nothing_moves_by_itself_for_those_who_ask(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    grow(page)
    moving = """() => [...document.querySelectorAll("whyformer-lab *, whyformer-predict *")].filter((e) => {
      const style = getComputedStyle(e);
      return parseFloat(style.transitionDuration) > 0 || parseFloat(style.animationDuration) > 0;
    }).map((e) => e.className)"""
    assert page.evaluate(moving) == []
    for lab in labs_of(page)[:1]:  # and it still follows
        lab.evaluate("(lab) => lab.reset()")
        Driver(page, lab).drag_once()


@pytest.mark.parametrize("page", FEW_OR_MORE, indirect=True)
def test_paper_shows_labs_as_they_stand(page: Page) -> None:
    again = page.get_by_role("button", name="Predict again")
    while again.count():
        again.first.click()
    page.emulate_media(media="print")
    for lab in labs_of(page):
        assert lab.locator(".wf-panel svg").first.is_visible() and not lab.locator(".wf-fallback").is_visible()
        assert lab.get_by_role("button", name="Reset").count() == 0, "buttons do nothing on paper"
    for answer in page.locator(".wf-answer p:not(.wf-check p)").all():
        assert answer.is_visible(), "a folded answer is printed as a title without content"


@pytest.mark.parametrize("name", FEW_OR_MORE)
def test_without_javascript_figure_and_question_are_there(name: str, visits: Visits, addresses) -> None:
    page = visits.open(addresses[name, "file"], java_script_enabled=False)
    for heading in page.locator(".wf-fold > summary").all():
        heading.click()
    for lab in labs_of(page):
        *_, picture = lab.locator(".wf-fallback svg").all()  # of a step that asks also as it tells
        assert picture.is_visible() and picture.bounding_box()["width"] > 300
        assert lab.locator("figcaption").inner_text().endswith(picture.get_attribute("aria-label"))
    for question in page.locator("whyformer-predict:not(.wf-lesson *)").all():
        assert question.locator(".wf-fallback").is_visible() and question.locator("li").count() >= 2
    page.context.close()
