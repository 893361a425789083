"""``?teach``: a page as slides. Every moment of every lesson fits, keys and votes work, and the page comes back."""

from __future__ import annotations

import re

import pytest
from book_cases import ROOT
from lesson_cases import CHAPTER, LESSONS, ROOM, at, counts, slides
from playwright.sync_api import expect
from whyformer.book.map import PINS

EACH = [pytest.param(name, marks=() if name == CHAPTER else pytest.mark.thorough) for name in LESSONS]
BAR = 62

#: Whatever of the slide cannot be seen: what reaches below the bar or beyond the window, and words smaller than said.
UNSEEN = """([bar]) => {
  const slides = [...document.querySelectorAll(".wf-slide")], wrong = [];
  const root = document.documentElement;
  if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) wrong.push(`scrolls: ${root.scrollHeight}`);
  for (const slide of slides) {
    const { bottom, right, height } = slide.getBoundingClientRect();
    if (!height) wrong.push("nothing to see");
    if (bottom > innerHeight - bar) wrong.push(`reaches to ${bottom}`);
    if (right > innerWidth) wrong.push(`as wide as ${right}`);
    const words = slide.matches("whyformer-lab") ? [] : slide.querySelectorAll(":is(p, li, legend, label > span)");
    for (const one of words) {
      const seen = one.checkVisibility() && one.textContent.trim();
      if (seen && parseFloat(getComputedStyle(one).fontSize) < 28) wrong.push(`small: ${seen.slice(0, 30)}`);
    }
    for (const label of slide.matches("whyformer-lab") ? slide.querySelectorAll(".wf-panel text") : []) {
      const size = parseFloat(getComputedStyle(label).fontSize) * (label.getScreenCTM()?.a ?? 1);
      if (size && size < 17.9) wrong.push(`small label ${size}: ${label.textContent}`);
    }
  }
  const doing = document.querySelector(".wf-bar .wf-do");
  if (doing.scrollWidth > doing.clientWidth) wrong.push(`cut: ${doing.textContent}`);
  return wrong;
}"""


def test_every_question_has_a_lesson_and_its_plan_in_the_order_of_the_book():
    assert {f"chapters/{pin.page}" for pin in PINS} == set(LESSONS)
    text = (ROOT / "chapters/teaching.md").read_text(encoding="utf-8")
    assert [f"chapters/{page}" for page in re.findall(r"^```\{lesson-plan\} (\w+)$", text, re.MULTILINE)] == LESSONS


@pytest.mark.parametrize("name", EACH)
def test_every_moment_fits(name, visit, addresses):
    page = slides(visit, addresses[name, "file"])
    for number in range(1, counts(page) + 1):
        at(page, number)
        page.wait_for_function("(bar) => (" + UNSEEN + ")([bar]).length === 0", arg=BAR, timeout=8000)
        shown = page.locator(".wf-slide").count()
        assert shown or page.locator(".wf-statement").is_visible()
        page.keyboard.press("PageDown")


@pytest.mark.parametrize("scheme", ["file", pytest.param("http", marks=pytest.mark.thorough)])
def test_keys_lead_through_the_lesson_and_the_address_keeps_the_moment(scheme, visit, addresses):
    page = slides(visit, addresses[CHAPTER, scheme])
    last = counts(page)
    for key, there in [("ArrowRight", 2), (" ", 3), ("PageDown", 4), ("ArrowLeft", 3), ("PageUp", 2), ("End", last),
                       ("ArrowRight", last), ("Home", 1), ("PageUp", 1), ("PageDown", 2)]:  # fmt: skip
        page.keyboard.press(key)
        at(page, there)
    assert page.url.endswith("#moment-2")
    lab = page.locator("whyformer-lab.wf-slide")
    slider = lab.locator("input[type=range]").first
    slider.focus()
    before = page.evaluate("document.querySelector('whyformer-lab.wf-slide').state.d_k")
    slider.press("ArrowLeft")  # a slider's own key moves the lab, and not the lesson
    assert page.evaluate("document.querySelector('whyformer-lab.wf-slide').state.d_k") != before
    at(page, 2)
    slider.press("PageDown")  # which a clicker sends, wherever the focus is
    at(page, 3)
    says = lab.locator(".wf-says")
    page.keyboard.press("PageUp")
    expect(says).to_be_visible()
    page.keyboard.press("s")
    expect(says).to_be_hidden()
    page.keyboard.press("s")
    expect(says).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".wf-blank")).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".wf-blank")).to_have_count(0)
    page.keyboard.press("o")
    page.locator(".wf-overview button").nth(3).click()
    at(page, 4)
    page.reload()
    at(page, 4)
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile(r"^[^#]*#derivation$|#from-terms"))
    assert "teach" not in page.url
    expect(page.locator(".bd-article h1")).to_be_visible()
    assert not page.evaluate("document.documentElement.classList.contains('wf-projector')")


def test_votes_are_hidden_until_they_are_closed_and_then_stand_side_by_side(visit, addresses):
    page = slides(visit, addresses[CHAPTER, "file"])
    fields = page.locator(".wf-ballot input")

    def vote(*hands):
        for field, number in zip(fields.all(), hands, strict=True):
            field.fill(str(number))
            field.press("Tab")

    vote(12, 3, 7, 1)
    assert fields.evaluate_all("(all) => all.map((one) => one.type)") == ["password"] * 4
    assert page.locator(".wf-tally").count() == 0
    act = page.locator(".wf-ballot [data-act=phase]")
    act.click()
    bars = page.locator(".wf-tally b")
    assert bars.all_inner_texts() == ["12", "3", "7", "1"]
    widths = page.locator(".wf-tally i").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().width)")
    assert [width / widths[0] for width in widths] == pytest.approx([1, 3 / 12, 7 / 12, 1 / 12], abs=0.02)
    act.click()
    assert page.locator(".wf-tally b").all_inner_texts() == []
    page.get_by_role("button", name="one more for C").click()
    vote(4, 2, 9999, -1)
    page.get_by_role("button", name="one less for C").click()
    act.click()
    assert bars.all_inner_texts() == ["12", "4", "3", "2", "7", "998", "1", "0"]
    page.reload()
    assert bars.all_inner_texts() == ["12", "4", "3", "2", "7", "998", "1", "0"]
    assert page.locator("whyformer-predict").evaluate("(one) => one.answer") == -1
    page.get_by_role("button", name="Show what is right").click()
    assert page.locator("whyformer-predict").evaluate("(one) => one.answer") == 2
    expect(page.locator(".wf-hands input")).to_have_count(0)  # the bars stay (test_settling.py)
    assert page.locator("whyformer-predict .wf-right").count() == 1


@pytest.mark.parametrize("scheme", ["file", pytest.param("http", marks=pytest.mark.thorough)])
def test_the_teacher_s_window_has_the_notes_and_moves_the_slides(scheme, visit, addresses):
    page = slides(visit, addresses[CHAPTER, scheme])
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    desk = opened.value
    expect(desk.locator(".wf-desk h1")).to_contain_text("Vote", timeout=20_000)  # a whole page, loaded once more
    expect(desk.get_by_text("They will say")).to_be_visible()
    desk.locator(".wf-ballot input").first.fill("5")
    desk.keyboard.press("Tab")
    expect(page.locator(".wf-ballot input").first).to_have_value("5")
    desk.get_by_role("button", name="Start the clock").click()
    expect(desk.locator(".wf-clock b")).to_have_text(re.compile(r"^0:0\d$"))
    desk.locator(".wf-desk h1").click()
    desk.keyboard.press("PageDown")
    at(page, 2)
    desk.get_by_role("button", name="Blank").click()
    expect(page.locator(".wf-blank")).to_be_visible()
    page.reload()
    expect(page.locator(".wf-bar .wf-do")).to_be_visible()
    expect(desk.locator(".wf-desk header")).to_contain_text("2 of")
    desk.get_by_role("button", name="Next", exact=True).click()
    at(page, 3)
    page.evaluate("localStorage.setItem('whyformer:predict:another/chapter', '1')")
    desk.get_by_role("button", name="Forget all predictions").click()
    at(page, 1)
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('predict'))") == []
    assert page.locator(".wf-ballot input").first.input_value() == ""


def test_only_the_teacher_s_window_is_obeyed(visit, addresses):
    page = slides(visit, addresses[CHAPTER, "http"])
    page.evaluate("""() => new Promise((done) => {
      const other = document.createElement("iframe");
      other.srcdoc = "<script>parent.postMessage({ whyformer: { do: 'go', at: 4 } }, '*'); parent.said = 1</script>";
      other.onload = () => setTimeout(done, 200);
      document.body.append(other);
    })""")
    assert page.evaluate("window.said") == 1
    at(page, 1)


def test_a_page_without_a_lesson_is_shown_large_and_no_more(visit, addresses):
    page = visit(f"{addresses['chapters/notation', 'file']}?teach", viewport=ROOM)
    expect(page.locator(".bd-article h1")).to_be_visible()
    assert page.locator(".wf-bar").count() == 0
