"""Two lessons in one room, and two rooms in one browser: what belongs to the one is not shown in the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lesson_cases import at, go, onward
from playwright.sync_api import Browser, BrowserContext, Page, expect
from room_cases import Process, Students

ALL = 20_000  # milliseconds for a page of the book to come


@pytest.fixture
def students() -> Iterator[Students]:
    some = Students()
    yield some
    some.leave()


@pytest.fixture
def desk(chromium: Browser) -> Iterator[BrowserContext]:
    """The teacher's browser."""
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    context.set_default_timeout(ALL)
    yield context
    context.close()


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 390, "height": 760}, has_touch=True)
    context.set_default_timeout(ALL)
    yield context.new_page()
    context.close()


def enter(page: Page, served: Process, lesson: str) -> None:
    page.goto(f"http://127.0.0.1:{served.port}/enter?key={served.key}")
    show(page, served, lesson)


def show(page: Page, served: Process, lesson: str) -> None:
    page.goto(f"http://127.0.0.1:{served.port}/teach/chapters/{lesson}.html?teach")
    page.wait_for_selector(".wf-bar .wf-do")


def press(page: Page, window: Page, words: str) -> None:
    """The clicker's next press, as the teacher's window has announced it."""
    expect(window.locator(".wf-press")).to_contain_text(words)
    page.wait_for_timeout(800)  # a second press within 0.7 seconds is the same one
    page.keyboard.press("PageDown")


def test_two_lessons_in_one_room(desk: BrowserContext, phone: Page, book_html: Path, tmp_path: Path) -> None:
    with Process(tmp_path, html=book_html) as served:
        page = desk.new_page()
        trouble: list[str] = []
        enter(page, served, "dropout_sites")
        with desk.expect_page() as found:
            page.keyboard.press("n")
        window = found.value
        window.on("pageerror", lambda error: trouble.append(str(error)))
        phone.goto(f"http://127.0.0.1:{served.port}/room#{served.code}")
        option = phone.locator("li button")
        own = phone.locator(".own")
        heading = phone.get_by_role("heading")

        # A vote by the clicker alone; the question stays while the class talks.
        option.nth(1).click()
        expect(own).to_contain_text("Your B is kept")
        press(page, window, "Close the vote; let them talk")
        press(page, window, "The next moment: Talk in pairs")
        at(page, 2)
        expect(own).to_contain_text("You chose B")
        expect(heading).to_contain_text("You switch dropout on")
        expect(page.locator("whyformer-predict.wf-slide")).to_contain_text("You switch dropout on")
        press(page, window, "The next moment: Vote again")
        press(page, window, "Vote again, after talking")
        option.nth(0).click()
        expect(own).to_contain_text("Your A is kept")
        page.keyboard.press("a")  # in the middle of the vote
        expect(window.get_by_role("alert")).to_contain_text("The vote is open. Show what is right?")
        window.get_by_role("button", name="No", exact=True).click()
        page.keyboard.press("PageUp")
        expect(window.get_by_role("alert")).to_have_count(0)  # the second round is taken back, and not the moment
        at(page, 3)
        press(page, window, "Vote again, after talking")
        page.keyboard.press("Home")
        expect(page.get_by_role("alert")).to_contain_text("The vote is open. Leave it?")
        at(page, 3)
        expect(window.get_by_role("alert")).to_contain_text("Leave it?")
        page.keyboard.press("PageDown")  # no
        press(page, window, "Close the second vote and show both")
        expect(phone.locator(".bar")).to_have_text(["0", "1", "1", "0", "0", "0", "0", "0"])
        press(page, window, "Show what is right")
        expect(phone.locator("li.right")).to_contain_text("rises on its examples")
        page.wait_for_timeout(800)
        page.keyboard.press("PageUp")  # taken back, also from the phones
        expect(phone.locator("li.right")).to_have_count(0)
        assert page.locator(".wf-slide .wf-right").count() == 0
        press(page, window, "Show what is right")
        expect(phone.locator("li.right")).to_have_count(1)
        page.wait_for_timeout(800)
        onward(page, 3)
        page.keyboard.press("b")
        page.keyboard.press("PageDown")
        at(page, 4)  # the black screen was lifted, and no more

        # The sentence at the end, by the clicker.
        page.keyboard.press("End")
        press(page, window, "Ask for a sentence")
        phone.locator("textarea").fill("Of the first lesson.")
        phone.get_by_role("button", name="Hand in").click()
        expect(page.locator(".wf-statement")).to_contain_text("Sentences: 1")

        # The second lesson: the teacher's window follows, and nothing of the first is shown.
        show(page, served, "why_sqrt_dk")
        expect(window.locator(".wf-desk header")).to_contain_text("1 of 10")
        expect(window.locator(".wf-desk h1")).to_contain_text("without the division")
        assert window.title().startswith("Notes: Why divide")
        assert "Of the first lesson." not in window.locator(".wf-desk").inner_text()
        expect(heading).to_contain_text("attention layer")
        expect(own).to_contain_text("Choose an answer")
        page.keyboard.press("n")
        expect(page.get_by_role("alert")).to_contain_text("is open already")
        page.keyboard.press("End")
        page.keyboard.press("End")
        at(page, 10)
        expect(window.locator(".wf-desk header")).to_contain_text("10 of 10")
        press(page, window, "Ask for a sentence")
        expect(page.locator(".wf-statement")).to_contain_text("Sentences: 0")
        expect(phone.locator("textarea")).to_have_value("")
        phone.locator("textarea").fill("Of the second.")
        phone.get_by_role("button", name="Hand in").click()
        expect(page.locator(".wf-statement")).to_contain_text("Sentences: 1")
        with window.expect_download() as table:
            window.get_by_role("link", name="All sentences as a table").click()
        rows = Path(table.value.path()).read_text(encoding="utf-8-sig").splitlines()[1:]
        assert [(row.split(",")[0], row.split(",")[2]) for row in rows] == [
            ("dropout_sites", "Of the first lesson."),
            ("why_sqrt_dk", "Of the second."),
        ]

        # Back in the first: what it had. And a window that is closed is opened by one press.
        show(page, served, "dropout_sites")
        go(page, 3)
        assert page.locator(".wf-slide .wf-right").count() == 1
        expect(page.locator(".wf-tally b")).to_have_text(["0", "1", "1", "0", "0", "0", "0", "0"])
        window.close()
        with desk.expect_page():
            page.keyboard.press("n")
        assert not trouble


def test_a_new_room_begins_clean(desk: BrowserContext, phone: Page, book_html: Path, tmp_path: Path) -> None:
    page = desk.new_page()

    def is_clean(code: str) -> None:
        expect(page.locator(".wf-poll")).to_contain_text("Vote alone")
        expect(page.locator(".wf-poll")).to_contain_text(f"Code {code}")
        assert page.locator(".wf-slide .wf-right, .wf-tally").count() == 0

    with Process(tmp_path, html=book_html) as served:
        # Yesterday, on the same address without a room: a rehearsal, and the teacher's own bet as a reader.
        page.goto(f"http://127.0.0.1:{served.port}/chapters/why_sqrt_dk.html")
        page.evaluate("localStorage.setItem('whyformer:predict:why_sqrt_dk/gradient', '2')")
        page.goto(f"http://127.0.0.1:{served.port}/chapters/why_sqrt_dk.html?teach")
        page.wait_for_selector(".wf-ballot")
        for _ in range(2):
            page.keyboard.press("a")
        expect(page.locator(".wf-slide .wf-right")).to_have_count(1)
        enter(page, served, "why_sqrt_dk")
        is_clean(served.code)
        phone.goto(f"http://127.0.0.1:{served.port}/room#{served.code}")
        phone.locator("li button").nth(2).click()
        expect(page.locator(".wf-voted")).to_contain_text("1 of 1")
        page.keyboard.press("a")
        page.keyboard.press("a")
        expect(page.locator(".wf-slide .wf-right")).to_have_count(1)
        first = served.code
        served.kill()
        served.start(served.port, "--new")
        assert served.code != first
        enter(page, served, "why_sqrt_dk")
        is_clean(served.code)
        phone.goto(f"http://127.0.0.1:{served.port}/room#{served.code}")
        expect(phone.locator(".own")).to_contain_text("Choose an answer")
        expect(page.locator(".wf-voted")).to_contain_text("0 of 1")
