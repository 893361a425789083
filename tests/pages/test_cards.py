"""Cards: a minute, turned, asked again after 1, 3 and 7 days; kept on the device, printed, exported."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from book_cases import ROOT
from page_cases import REFUSED, unfold
from playwright.sync_api import Locator, Page, expect

PRACTICE, SOFTMAX, SQRT = (f"chapters/{name}" for name in ("practice", "softmax_saturation", "why_sqrt_dk"))
KEY = "whyformer:card-1:"
CARDS = sum(file.read_text(encoding="utf-8").count("```{practice-card}") for file in (ROOT / "chapters").glob("*.md"))
FIRST = "framework/one-layer"
ANKI = "softmax_saturation/saturates"  # the first card of the chapter that is chosen
LATE = datetime(
    2026, 10, 24, 23, 30, tzinfo=ZoneInfo("Europe/Berlin")
)  # the clocks go back in the night after it, in Berlin
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def practice(visit, addresses) -> Callable[..., Page]:
    """The page of practice, from a file, with keys of localStorage as they are given, at a time."""

    def go(kept: dict[str, str] | None = None, now: datetime = LATE, query: str = "", **options) -> Page:
        page = visit("about:blank", timezone_id="Europe/Berlin", **options)
        page.clock.set_fixed_time(now)
        page.goto(addresses[PRACTICE, "file"] + query)
        if kept:
            page.evaluate("(kept) => Object.assign(localStorage, kept)", kept)
            page.reload()
        expect(page.locator(".wf-practice[alive]")).to_be_visible()
        return page

    return go


def card(page: Page) -> Locator:
    return page.locator(".wf-card:visible")


def name(page: Page) -> str:
    expect(card(page)).to_have_count(1)
    return card(page).get_attribute("data-card")


def count(page: Page) -> str:
    return page.locator(".wf-practice-count strong").inner_text()


def answer(page: Page, words: str) -> None:
    card(page).get_by_text("Turn the card").click()
    card(page).get_by_role("button", name=words).click()


def test_what_could_be_said_is_asked_again_after_1_3_and_7_days(practice):
    only = "?cards=one-layer"
    page = practice()
    assert count(page) == f"{CARDS} cards to say today"
    now = LATE
    for days in (1, 3, 7, 7):
        page.clock.set_fixed_time(now)
        page.reload()
        assert name(page) == FIRST or days > 1
        page.goto(page.url.split("?")[0] + only)
        answer(page, "I could say it")
        says = "Asked again tomorrow." if days == 1 else f"Asked again in {days} days."
        expect(page.locator(".wf-practice-head [role=status]")).to_contain_text(says)
        page.goto(page.url.split("?")[0])
        assert count(page) == f"{CARDS - 1} cards to say today"
        midnight = now.replace(hour=0, minute=0) + timedelta(days=days)
        page.clock.set_fixed_time(midnight - timedelta(minutes=1))
        page.reload()
        assert count(page) == f"{CARDS - 1} cards to say today"
        now = midnight + timedelta(minutes=30)
        page.clock.set_fixed_time(now)
        page.reload()
        assert count(page) == f"{CARDS} cards to say today"


@pytest.mark.parametrize("hour", [0, 23])
def test_what_could_not_be_said_is_asked_again_today_at_any_hour(hour, visit, addresses):
    page = visit("about:blank", timezone_id="Europe/Berlin")
    page.clock.set_fixed_time(LATE.replace(hour=hour))
    page.goto(addresses[SOFTMAX, "file"])
    one = card(page).first
    one.locator(".wf-card-turn > summary").click()
    one.get_by_role("button", name="Not yet").click()
    expect(one.get_by_role("status")).to_contain_text("Asked again today.")


def test_what_is_said_before_it_is_due_is_not_postponed(practice):
    page = practice(query="?cards=one-layer")
    answer(page, "I could say it")
    before = page.evaluate("(key) => localStorage[key]", KEY + FIRST)
    page.get_by_role("button", name="Go through them again").click()
    answer(page, "I could say it")
    assert page.evaluate("(key) => localStorage[key]", KEY + FIRST) == before
    page.get_by_role("button", name="Go through them again").click()
    answer(page, "Not yet")
    assert page.evaluate("(key) => localStorage[key]", KEY + FIRST).startswith("0 ")


def test_what_could_not_be_said_goes_to_the_end_of_the_pile(practice):
    page = practice()
    answer(page, "Not yet")
    assert count(page) == f"{CARDS} cards to say today"
    assert name(page) != FIRST
    page.reload()
    for left in range(CARDS - 1, 0, -1):
        assert name(page) != FIRST
        answer(page, "I could say it")
        assert count(page).startswith(f"{left} card")
    assert name(page) == FIRST
    answer(page, "I could say it")
    assert count(page) == f"Nothing is left for today. Next: {CARDS} cards tomorrow."
    expect(card(page)).to_have_count(0)
    page.get_by_role("button", name="Go through them again").click()
    assert count(page) == f"{CARDS} cards to say today"


def test_an_answer_and_forgetting_are_taken_back(practice):
    bet = {"whyformer:predict:softmax_saturation/tie": "1", "whyformer:solved:why_sqrt_dk/ex-shifted": "1"}
    page = practice(bet)
    kept = "Object.entries({...localStorage}).filter(([key]) => key.startsWith('whyformer:')).sort()"
    before = page.evaluate(kept)
    answer(page, "I could say it")
    after = page.evaluate(kept)
    page.get_by_role("button", name="Undo").click()
    assert (page.evaluate(kept), name(page), count(page)) == (before, FIRST, f"{CARDS} cards to say today")
    answer(page, "I could say it")
    assert page.evaluate(kept) == after
    page.get_by_role("button", name="Forget my progress").click()
    assert (page.evaluate(kept), count(page)) == ([], f"{CARDS} cards to say today")
    page.get_by_role("button", name="Undo").click()
    assert (page.evaluate(kept), count(page)) == (after, f"{CARDS - 1} cards to say today")


@pytest.mark.parametrize("text", ["", "9 12", "1 -5", "1 1e9"])
def test_a_text_that_nobody_wrote_is_a_new_card(text, practice):
    page = practice({KEY + FIRST: text})
    assert (name(page), count(page)) == (FIRST, f"{CARDS} cards to say today")


def test_a_clock_that_was_set_back_postpones_nothing(practice):
    page = practice({KEY + FIRST: "3 99999999999999"})
    assert count(page) == f"{CARDS} cards to say today"
    answer(page, "I could say it")
    expect(page.locator(".wf-practice-head [role=status]")).to_contain_text("Asked again in 7 days.")


@pytest.mark.parametrize("refused", REFUSED)
def test_without_storage_all_works_as_long_as_the_page(refused, chromium, addresses):
    context = chromium.new_context()  # the theme's own script complains here: trouble is not looked for
    page = context.new_page()
    page.add_init_script(REFUSED[refused])
    page.goto(addresses[PRACTICE, "file"])
    expect(page.locator(".wf-practice-head [role=status]")).to_contain_text("This browser keeps nothing")
    answer(page, "I could say it")
    assert count(page) == f"{CARDS - 1} cards to say today"
    page.get_by_role("button", name="Undo").click()
    assert count(page) == f"{CARDS} cards to say today"
    answer(page, "I could say it")
    page.get_by_role("button", name="Forget my progress").click()
    assert (name(page), count(page)) == (FIRST, f"{CARDS} cards to say today")
    page.get_by_role("button", name="Undo").click()
    assert count(page) == f"{CARDS - 1} cards to say today"
    context.close()


def test_the_keyboard_turns_and_answers(practice):
    page = practice()
    page.keyboard.press("1")  # it is not turned yet
    assert name(page) == FIRST
    page.keyboard.press(" ")
    expect(card(page).locator(".wf-card-say")).to_be_visible()
    page.keyboard.press("1")
    second = name(page)
    assert second != FIRST
    expect(card(page).locator("summary")).to_be_focused()
    page.keyboard.press("Enter")  # by the browser itself: the fold has the focus
    expect(card(page).locator(".wf-card-say")).to_be_visible()
    page.keyboard.press("2")
    assert name(page) != second
    assert count(page) == f"{CARDS - 1} cards to say today"


def only(page, *chapters):
    """Of the chapters only these are chosen."""
    for box in page.locator(".wf-practice input[type=checkbox]").all():
        label = box.evaluate("(box) => box.labels[0].textContent.trim()")
        if label not in (*chapters, "All chapters"):
            box.uncheck()


def test_chapters_are_chosen_and_all_of_them(practice):
    page = practice()
    page.get_by_label("Why divide by √dₖ?").uncheck()
    assert count(page) == f"{CARDS - 4} cards to say today"
    expect(page.get_by_label("All chapters")).not_to_be_checked()
    only(page)
    assert count(page) == "Choose a chapter."
    page.get_by_label("All chapters").check()
    assert count(page) == f"{CARDS} cards to say today"


def test_an_address_names_a_route(practice):
    page = practice({KEY + FIRST: f"1 {int((LATE + timedelta(days=1)).timestamp()) * 1000}"})
    page.goto(page.url + "?cards=card-why-root,one-layer,%3Cb%3E,why-root")
    assert (name(page), count(page)) == ("why_sqrt_dk/why-root", "2 cards to say")
    answer(page, "I could say it")
    assert name(page) == FIRST  # though it is not due
    answer(page, "I could say it")
    assert count(page) == "That was all."
    page.goto(page.url.split("?")[0] + "?cards=nothing")
    assert count(page).endswith("cards to say today")


def test_a_deck_is_opened_by_its_link(practice):
    page = practice()
    page.get_by_role("link", name="Thursday").click()
    expect(page.locator(".wf-practice-head")).to_contain_text("Thursday")
    assert (name(page), count(page)) == ("why_sqrt_dk/why-root", "12 cards to say")
    page.get_by_role("link", name="All cards").click()
    assert count(page) == f"{CARDS} cards to say today"


def test_text_for_anki_has_one_line_for_each_card_that_was_chosen(practice):
    page = practice()
    only(page, "How can a softmax lose its gradient?")
    strange = """() => {
      const script = document.querySelector(".wf-card[data-card='softmax_saturation/saturates'] > script");
      const words = JSON.parse(script.textContent);
      script.textContent = JSON.stringify({...words, asked: 'A "tab"\\tand <b>\\r\\na line?'});
    }"""
    page.evaluate(strange)
    with page.expect_download() as download:
        page.get_by_role("button", name="Text for Anki").click()
    text = open(download.value.path(), encoding="utf-8", newline="").read()
    rows = text.removesuffix("\n").split("\n")
    assert rows[:4] == ["#separator:tab", "#html:true", "#guid column:1", "#tags column:4"]
    cards = [row.split("\t") for row in rows[4:]]
    assert [len(fields) for fields in cards] == [4, 4, 4]
    assert cards[0][:2] == [f"whyformer:{ANKI}", "A &quot;tab&quot; and &lt;b&gt;<br>a line?"]
    assert "∂ y_i/∂ z_i = y_i(1 - y_i)" in cards[1][2] and "They ask next: " in cards[1][2]
    assert {fields[3] for fields in cards} == {"whyformer::softmax_saturation"}
    assert '"' not in text and "\r" not in text and "\\" not in text


def test_on_paper_are_the_chosen_cards_with_question_and_answer_side_by_side(practice):
    page = practice(viewport={"width": 720, "height": 1000})
    only(page, "How can a softmax lose its gradient?")
    page.emulate_media(media="print")
    expect(card(page)).to_have_count(3)
    for one in card(page).all():
        asked, said = (one.locator(part).bounding_box() for part in (".wf-card-asked", ".wf-card-say"))
        assert asked["x"] + asked["width"] <= said["x"] and abs(asked["y"] - said["y"]) < 60
        assert one.evaluate("(card) => getComputedStyle(card).breakInside") == "avoid"
    assert page.locator(".wf-practice :is(button, input, summary)").filter(visible=True).count() == 0


def test_without_a_script_cards_are_folds(visit, addresses):
    page = visit(addresses[PRACTICE, "file"], java_script_enabled=False)
    expect(card(page)).to_have_count(CARDS)
    first = card(page).first
    expect(first.locator(".wf-card-say")).to_be_hidden()
    first.locator("summary").click()
    expect(first.locator(".wf-card-say")).to_be_visible()


@pytest.mark.parametrize("page_name", [PRACTICE, SQRT])
def test_a_thumb_finds_its_buttons(page_name, visit, addresses):
    page = visit(addresses[page_name, "file"], viewport=PHONE, has_touch=True)
    first = page.locator(".wf-card:visible").first
    first.scroll_into_view_if_needed()
    first.locator(".wf-card-turn > summary").tap()
    buttons = first.locator(".wf-card-buttons button, .wf-card-turn > summary").all()
    boxes = [button.bounding_box() for button in buttons]
    assert len(boxes) == 3
    assert all(box["height"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] for box in boxes)
    assert boxes[-1]["y"] == boxes[-2]["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_after_an_answer_a_phone_shows_how_to_take_it_back(practice):
    page = practice(viewport=PHONE, has_touch=True)
    answer(page, "I could say it")
    covered = """(button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) !== button;
    }"""
    assert not page.get_by_role("button", name="Undo").evaluate(covered)
    expect(page.locator(".wf-practice-count")).to_be_in_viewport()


def test_a_minute_counts_down_and_stops_when_the_card_is_turned(visit, addresses):
    page = visit("about:blank")
    page.clock.install(time=LATE)
    page.goto(addresses[PRACTICE, "file"])
    minute = card(page).locator(".wf-card-minute")
    minute.get_by_role("button", name="Start a minute").click()
    page.clock.pause_at(LATE + timedelta(seconds=30))
    left = minute.get_by_role("timer").inner_text()
    assert left.startswith("0:") and 25 <= int(left[2:]) <= 59
    page.clock.fast_forward(60_000)
    expect(minute.get_by_role("timer")).to_have_text("The minute is over.")
    minute.get_by_role("button", name="Another minute").click()
    expect(minute.get_by_role("timer")).to_have_text("1:00")
    card(page).locator("summary").click()
    expect(minute).to_be_hidden()
    card(page).locator("summary").click()
    expect(minute.get_by_role("button", name="Start a minute")).to_be_visible()


def test_progress_counts_bets_cards_and_exercises(visit, addresses):
    page = visit(addresses[SOFTMAX, "file"])
    contents = page.locator(".bd-sidebar-primary .toctree-l1", has_text="How can a softmax").locator(".wf-done-so-far")
    expect(contents).to_have_count(0)
    page.locator("whyformer-predict").get_by_role("button", name="Skip").click()
    expect(contents).to_have_count(0)
    page.locator("whyformer-predict").get_by_role("button", name="Predict again").click()
    page.locator("whyformer-predict label").first.click()
    page.locator("whyformer-predict").get_by_role("button", name="Commit").click()
    expect(contents).to_have_text("bet")
    unfold(page)
    form = page.locator("whyformer-exercise").first
    for given in ("0.9", "0.0824"):
        form.get_by_label("∂y₃/∂z₃").fill(given)
        page.keyboard.press("Enter")
    expect(contents).to_have_text("bet · 1 solved")
    first, second, _ = page.locator(".wf-card").all()
    for one, words in ((first, "I could say it"), (second, "Not yet")):
        one.locator(".wf-card-turn > summary").click()
        one.get_by_role("button", name=words).click()
    expect(first.get_by_role("status")).to_contain_text("Asked again tomorrow.")
    expect(second.get_by_role("status")).to_contain_text("Asked again today.")
    expect(contents).to_have_text("bet · 1 said · 1 solved")
    page.goto(addresses[PRACTICE, "file"])
    chapter = page.locator(".wf-practice-chapters li", has_text="How can a softmax").locator(".wf-progress")
    expect(chapter).to_have_text("bet made · 1 of 3 cards said · 1 of 3 exercises solved")
    page.goto(addresses[SOFTMAX, "file"])
    first.get_by_role("link", name="All cards").wait_for()
    first.locator(".wf-card-turn > summary").click()
    first.get_by_role("button", name="Not yet").click()
    first.get_by_role("button", name="Undo").click()
    expect(contents).to_have_text("bet · 1 said · 1 solved")
