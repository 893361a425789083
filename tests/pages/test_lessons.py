"""``?teach``: a page as slides. Every moment of every lesson fits, keys and votes work, and the page comes back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lesson_cases import CHAPTER, LESSONS, ROOM, at, counts, go, show_right, slides
from playwright.sync_api import Page, expect
from whyformer_book.site.map import stops

EACH = [pytest.param(name, marks=() if name == CHAPTER else pytest.mark.thorough) for name in LESSONS]
ROOMS = [ROOM, {"width": 1920, "height": 1080}, {"width": 1024, "height": 768}]

#: Whatever of the slide cannot be seen: what reaches below the bar or beyond the window, what is cut, and words that
#: are small for the height of the window: of the body below 4 %, round a picture below 3 %, in it below 2.7 %, which
#: two rows of tokens side by side on 1024 x 768 just have.
UNSEEN = """() => {
  const slides = [...document.querySelectorAll(".wf-slide")], wrong = [];
  const root = document.documentElement, bar = document.querySelector(".wf-bar").getBoundingClientRect().top;
  const small = (one, size, least) => {
    const seen = one.checkVisibility() && one.textContent.trim();
    const share = 100 * size / innerHeight;
    if (seen && share < least - 0.01) wrong.push(`small, ${share.toFixed(2)} %: ${seen.slice(0, 30)}`);
  };
  const type = (one) => parseFloat(getComputedStyle(one).fontSize);
  const cut = (one) => {
    const hides = one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible";
    if (one.clientWidth && hides) wrong.push(`cut: ${one.textContent.trim().slice(0, 30)}`);
  };
  if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) wrong.push(`scrolls: ${root.scrollHeight}`);
  for (const slide of slides) {
    const { bottom, right, height } = slide.getBoundingClientRect();
    if (!height) wrong.push("nothing to see");
    if (bottom > bar) wrong.push(`reaches to ${bottom}`);
    const is_lab = slide.matches("whyformer-lab");
    const beyond = (one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth;
    for (const one of slide.querySelectorAll("*:not(svg *, .katex *, .wf-spoken)")) {
      if (beyond(one)) wrong.push(`beyond: ${one.textContent.trim().slice(0, 30)}`);
      cut(one);
    }
    const body = is_lab ? ".wf-says" : ":is(p, li, legend, td, th, label > span)";
    for (const one of slide.querySelectorAll(body)) small(one, type(one), 4);
    if (!is_lab) continue;
    for (const one of slide.querySelectorAll(".wf-lab :is(p, label, legend, span, output, button):not(.wf-spoken)"))
      small(one, type(one), 3);
    for (const label of slide.querySelectorAll(".wf-panel text"))
      small(label, type(label) * (Math.hypot(label.getScreenCTM().a, label.getScreenCTM().b)), 2.7);
  }
  cut(document.querySelector(".wf-bar .wf-do"));
  return wrong;
}"""


def test_every_question_has_a_lesson_and_its_plan_in_the_order_of_the_book(book_html):
    assert {f"chapters/{stop.page}" for stop in stops()} == set(LESSONS) - {"chapters/workbench"}
    page = (book_html / "chapters/teaching.html").read_text(encoding="utf-8")
    assert re.findall(r'href="(\w+)\.html\?teach"', page) == [Path(name).name for name in LESSONS]


def trouble(page: Page) -> list[str]:
    """What cannot be seen of a slide when its lab has found its room."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.evaluate(UNSEEN)


@pytest.mark.parametrize("name", EACH)
def test_every_moment_fits(name, visit, addresses):
    page = slides(visit, addresses[name, "file"])
    last = counts(page)
    for room in ROOMS:
        page.set_viewport_size(room)
        for number in range(1, last + 1):
            go(page, number)
            assert not trouble(page), f"moment {number} in {room}: {trouble(page)}"
            shown = page.locator(".wf-slide").count()
            assert shown or page.locator(".wf-statement").is_visible()


def test_a_lab_on_a_slide_grows_with_the_height_of_the_window_alone(visit, addresses):
    """As when the browser goes to full screen: the width stays."""
    page = slides(visit, addresses[CHAPTER, "file"])
    page.set_viewport_size({"width": 1280, "height": 600})
    go(page, 2)
    assert not trouble(page)
    page.set_viewport_size(ROOM)
    assert not trouble(page)


@pytest.mark.parametrize("scheme", ["file", pytest.param("http", marks=pytest.mark.thorough)])
def test_keys_lead_through_the_lesson_and_the_address_keeps_the_moment(scheme, visit, addresses):
    page = slides(visit, addresses[CHAPTER, scheme])
    last = counts(page)
    # The clicker's keys open and close the vote of moment 1; where a lab asks, the first press tells.
    for key, there in [("ArrowRight", 1), ("ArrowRight", 2), (" ", 2), (" ", 3), ("PageDown", 3), ("PageDown", 4),
                       ("ArrowLeft", 3), ("PageUp", 2), ("End", last), ("ArrowRight", last), ("Home", 1), ("PageUp", 1),
                       ("PageDown", 2)]:  # fmt: skip
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
    expect(lab.locator(".wf-tell")).to_have_count(0)
    slider.press("PageDown")  # which a clicker sends, wherever the focus is: first the lab tells
    at(page, 2)
    expect(lab.locator(".wf-tell")).to_have_count(1)
    slider.press("PageDown")
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
    page.wait_for_url(re.compile(r"^[^#]*#six-lines-five-minutes$"))
    assert "?teach" not in page.url
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
    show_right(page)
    assert page.locator("whyformer-predict").evaluate("(one) => one.answer") == 2
    expect(page.locator(".wf-hands input")).to_have_count(0)  # the bars stay (test_settling.py)
    assert page.locator("whyformer-predict .wf-right").count() == 1


BOTH = pytest.mark.parametrize("scheme", ["file", pytest.param("http", marks=pytest.mark.thorough)])
#: As tall and wide as a window beside the slides on a small laptop.
DESK = {"width": 760, "height": 620}


def desk_of(page: Page) -> Page:
    """The teacher's window, opened from the slides."""
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    desk = opened.value
    expect(desk.locator(".wf-desk h1")).to_be_visible(timeout=20_000)  # a whole page, loaded once more
    return desk


def ask_first(page: Page, name: str, answer: str) -> None:
    """Press a button that asks first, and answer."""
    page.get_by_role("button", name=name).click()
    page.get_by_role("button", name=answer, exact=True).click()


@BOTH
def test_the_teacher_s_window_has_the_notes_and_moves_the_slides(scheme, visit, addresses):
    page = slides(visit, addresses[CHAPTER, scheme])
    desk = desk_of(page)
    expect(desk.locator(".wf-desk h1")).to_contain_text("Vote")
    expect(desk.get_by_text("They will say")).to_be_visible()
    desk.locator(".wf-ballot input").first.fill("5")
    desk.keyboard.press("Tab")
    expect(page.locator(".wf-ballot input").first).to_have_value("5")
    desk.locator(".wf-desk h1").click()
    for words in ["Close the vote and show it", "The next moment: Look"]:
        expect(desk.locator(".wf-press")).to_contain_text(words)
        desk.keyboard.press("PageDown")
    at(page, 2)
    desk.get_by_role("button", name="Blank").click()
    expect(page.locator(".wf-blank")).to_be_visible()
    page.reload()
    expect(page.locator(".wf-bar .wf-do")).to_be_visible()
    expect(desk.locator(".wf-desk header")).to_contain_text("2 of")
    for _ in range(2):  # the lab tells, then the next moment comes
        desk.get_by_role("button", name="Next", exact=True).click()
    at(page, 3)


def test_keys_move_the_slides_after_any_click_in_the_teacher_s_window(visit, addresses):
    page = slides(visit, addresses[CHAPTER, "file"])
    desk = desk_of(page)
    for name in ["one more for A", "Close the vote", "We are here now"]:
        desk.get_by_role("button", name=name).click()
        for count in (1, 0):
            desk.keyboard.press("b")
            expect(page.locator(".wf-blank")).to_have_count(count)
    desk.get_by_role("button", name="Vote again").click()
    field = desk.get_by_role("textbox").first
    field.fill("12")
    field.press("ArrowLeft")  # a field's own key
    field.press("5")
    expect(page.locator(".wf-ballot input").first).to_have_value("152")
    at(page, 1)
    field.press("PageDown")
    expect(page.locator(".wf-tally b").nth(1)).to_have_text("152")


@BOTH
def test_the_clock_begins_with_the_first_moment_survives_a_reload_and_can_be_set(scheme, visit, addresses):
    address = addresses[CHAPTER, scheme]
    page = visit(address, viewport=ROOM)
    page.clock.install()
    page.goto(f"{address}?teach")
    starts = [2]  # minutes in which phones come in
    for moment in page.evaluate("JSON.parse(document.querySelector('.wf-lesson > script').textContent).moments"):
        starts.append(starts[-1] + moment["minutes"])
    page.wait_for_selector(".wf-bar .wf-do")
    page.clock.fast_forward("07:00")  # at the first vote, no key pressed
    page.reload()
    desk = desk_of(page)
    expect(desk.locator(".wf-clock b")).to_have_text(re.compile(r"^7:"))
    desk.keyboard.press("End")
    expect(desk.locator(".wf-desk header")).to_contain_text(f"{len(starts) - 1} of")
    desk.get_by_role("button", name="We are here now").click()
    expect(desk.locator(".wf-clock b")).to_have_text(re.compile(f"^{starts[-2]}:"))
    page.reload()
    expect(desk.locator(".wf-clock b")).to_have_text(re.compile(f"^{starts[-2]}:"))
    ask_first(desk, "Forget all votes", "Yes")
    expect(desk.locator(".wf-clock b")).to_have_text(re.compile("^0:"))
    desk.get_by_role("button", name="Undo").click()
    expect(desk.locator(".wf-clock b")).to_have_text(re.compile(f"^{starts[-2]}:"))


#: All that forgetting or clearing could touch: votes and clock, and what was predicted on any page.
KEPT = """() => JSON.stringify([
  Object.entries(sessionStorage).filter(([key]) => key.startsWith("whyformer:")).sort(),
  Object.entries(localStorage).filter(([key]) => key.includes("predict")).sort(),
  [...document.querySelectorAll("whyformer-predict")].map((one) => one.answer),
])"""


def vote_twice(page: Page) -> None:
    for hands in ["12", "5"]:
        page.locator(".wf-ballot input").first.fill(hands)
        page.locator("[data-act=phase]").click()
        if hands == "12":
            page.locator("[data-act=phase]").click()


def test_forgetting_and_clearing_ask_and_can_be_taken_back_exactly(visit, addresses):
    page = slides(visit, addresses[CHAPTER, "file"])
    page.evaluate("localStorage.setItem('whyformer:predict:another/chapter', '1')")
    vote_twice(page)
    desk = desk_of(page)
    both = page.evaluate(KEPT)
    for window in [page, desk]:
        ask_first(window, "Clear both votes", "No")
        assert page.evaluate(KEPT) == both
        ask_first(window, "Clear both votes", "Yes")
        expect(page.locator("[data-act=phase]")).to_be_visible()
        assert page.evaluate(KEPT) != both
        if window is page:
            page.locator(".wf-bar").hover()
        window.get_by_role("button", name="Undo").click()
        expect(page.locator(".wf-tally b")).to_have_text(["12", "5", *["0"] * 6])
        assert page.evaluate(KEPT) == both
    desk.get_by_role("button", name="Show what is right").click()
    page.wait_for_function("document.querySelector('whyformer-predict').answer !== -1")
    desk.get_by_role("button", name="Next", exact=True).click()
    at(page, 2)
    before = page.evaluate(KEPT)
    ask_first(desk, "Forget all votes", "No")
    at(page, 2)
    assert page.evaluate(KEPT) == before
    ask_first(desk, "Forget all votes", "Yes")
    at(page, 1)
    assert page.evaluate("localStorage.getItem('whyformer:predict:another/chapter')") == "1", "the reader's own"
    assert not page.evaluate("sessionStorage").keys() - {"whyformer:lesson:rehearsal:why_sqrt_dk"}
    assert page.locator(".wf-ballot input").first.input_value() == ""
    desk.get_by_role("button", name="Undo").click()
    at(page, 2)
    assert page.evaluate(KEPT) == before


@BOTH
def test_the_teacher_s_window_finds_slides_that_were_opened_anew(scheme, visit, addresses):
    page = slides(visit, addresses[CHAPTER, scheme])
    desk = desk_of(page)
    began = page.evaluate(KEPT)
    page.close()
    again = desk.context.new_page()
    again.goto(f"{addresses[CHAPTER, scheme]}?teach#moment-3")
    expect(desk.locator(".wf-desk header")).to_contain_text("3 of")
    expect(desk.get_by_role("alert")).to_have_count(0)
    assert again.evaluate(KEPT) == began  # its clock goes on
    for _ in range(2):  # the lab tells, then the next moment comes
        desk.keyboard.press("ArrowRight")
    at(again, 4)
    again.keyboard.press("n")
    expect(again.get_by_text("is open already")).to_be_visible()
    assert len(desk.context.pages) == 2


def test_all_that_can_be_pressed_is_in_sight_in_a_small_teacher_s_window(visit, addresses):
    page = slides(visit, addresses[CHAPTER, "file"])
    desk = desk_of(page)
    desk.set_viewport_size(DESK)
    for phase in ["Close the vote", "Vote again", "Close the second", "Clear both"]:
        button = desk.get_by_role("button", name=phase)
        expect(button).to_be_visible()
        for one in desk.locator(":is(button, input, summary):visible").all():
            expect(one).to_be_in_viewport(ratio=1)
        assert desk.locator(".wf-moment").bounding_box()["height"] > DESK["height"] / 3
        button.click()
    assert desk.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_only_the_teacher_s_window_is_obeyed(visit, addresses):
    page = slides(visit, addresses[CHAPTER, "http"])
    page.evaluate("""() => new Promise((done) => {
      const other = document.createElement("iframe"), here = location.pathname.replace(/[^/]*$/, "");
      other.srcdoc = `<script>
        const channel = new BroadcastChannel("whyformer:lesson:${here}");
        channel.onmessage = ({ data }) => {
          const to = data.whyformer.from;
          parent.postMessage({ whyformer: { do: "go", at: 4, to, time: Date.now() } }, "*");
          parent.said = to;
        };
        channel.postMessage({ whyformer: { do: "hello" } });
      </script>`;
      document.body.append(other);
      const look = () => window.said ? setTimeout(done, 200) : setTimeout(look, 20);
      look();
    })""")
    assert page.evaluate("window.said > 1")
    at(page, 1)


def test_a_page_without_a_lesson_is_shown_large_and_no_more(visit, addresses):
    page = visit(f"{addresses['chapters/notation', 'file']}?teach", viewport=ROOM)
    expect(page.locator(".bd-article h1")).to_be_visible()
    assert page.locator(".wf-bar").count() == 0
