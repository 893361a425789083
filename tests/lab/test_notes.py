"""Notes of a lab: one that only confirms goes by itself and moves nothing; one that tells of a change stays."""

from __future__ import annotations

import pytest
from browser import press, settle
from playwright.sync_api import expect

SCALE = 'whyformer-lab[name="why_sqrt_dk/scale"]'
PLACES = f"""[...document.querySelectorAll('{SCALE} form > *, {SCALE} .wf-head > :not(.wf-passing), {SCALE} ~ *')]
  .filter((e) => !e.matches('.wf-spoken')).map((e) => e.getBoundingClientRect().top + scrollY)"""


#: Nothing lies over any corner of an element.
ON_TOP = """(note) => {
  const { left, right, top, bottom } = note.getBoundingClientRect();
  const corners = [left + 2, right - 2].flatMap((x) => [top + 2, bottom - 2].map((y) => [x, y]));
  return corners.every(([x, y]) => note.contains(document.elementFromPoint(x, y)));
}"""


@pytest.fixture
def lab(visit, lab_pages):
    def go(fragment: str = "", closed: bool = False, **options):
        page = visit("about:blank", **options)
        page.clock.install()
        page.goto(lab_pages["why_sqrt_dk/scale"] + fragment)
        settle(page)
        answer = "Promise.reject(new Error('denied'))" if closed else "Promise.resolve()"
        page.evaluate(f"() => {{ navigator.clipboard.writeText = () => {answer} }}")
        return page, page.locator(SCALE)

    return go


@pytest.mark.parametrize(("width", "query"), [(360, ""), (1280, "?projector")])
def test_a_note_that_something_was_copied_goes_and_moves_nothing(width, query, lab):
    page, scale = lab(query, viewport={"width": width, "height": 740})
    page_width = "document.documentElement.scrollWidth"
    before, wide = page.evaluate(PLACES), page.evaluate(page_width)
    press(scale, "Copy link")
    note = scale.locator(".wf-notes p")
    expect(note).to_contain_text("Copied:")
    expect(note).to_be_in_viewport()
    assert note.evaluate(ON_TOP), "something lies over it"
    expect(scale.locator(".wf-more > summary")).to_be_focused()
    assert note.evaluate("(note) => note.parentElement.getAttribute('role')") == "status"
    assert page.evaluate(PLACES) == pytest.approx(before, abs=0.5)
    assert page.evaluate(page_width) <= wide
    page.clock.run_for(3_000)
    expect(note).to_be_visible()
    page.clock.run_for(10_000)
    expect(note).to_have_count(0)
    assert page.evaluate(PLACES) == pytest.approx(before, abs=0.5)


def test_a_second_copy_has_its_full_time_and_a_change_ends_the_note(lab):
    page, scale = lab()
    note = scale.locator(".wf-notes p")
    press(scale, "Copy link")
    page.clock.run_for(4_000)
    press(scale, "Copy link")
    page.clock.run_for(4_000)
    expect(note).to_be_visible()
    scale.locator("[name=d_k]").press("End")
    expect(note).to_have_count(0)


def test_where_the_clipboard_is_closed_the_text_stays_to_be_copied(lab):
    page, scale = lab(closed=True)
    press(scale, "Copy link")
    note = scale.locator(".wf-notes p")
    expect(note).to_contain_text("Copy this:")
    page.clock.run_for(60_000)
    expect(note).to_be_visible()
    scale.locator("[name=d_k]").press("End")
    expect(note).to_have_count(0)


def test_a_note_on_a_clamped_value_stays_until_the_state_changes(lab):
    page, scale = lab("#scale?d_k=1e9")
    clamped = scale.locator(".wf-notes p", has_text="goes from")
    expect(clamped).to_be_visible()
    press(scale, "Copy link")
    page.clock.run_for(60_000)
    expect(clamped).to_be_visible()
    expect(scale.locator(".wf-notes p")).to_have_count(1)
    scale.locator("[name=n_keys]").press("End")
    expect(clamped).to_have_count(0)
