"""The pages of the room in a browser: phones under a name that is not this machine's own, slides, the teacher's window.

Plain http under another name has no clipboard, wake lock or service worker; under 127.0.0.1 they exist.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import chromium_path
from playwright.sync_api import Browser, BrowserContext, Page, expect
from room_cases import Process, Students, opened, slides

AWAY = "room.test"
RULES = f"--host-resolver-rules=MAP {AWAY} 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
PHONE = {"width": 390, "height": 760}
LOST = 15_000  # milliseconds in which a page has to notice what it says after ten seconds


@pytest.fixture(scope="module")
def away(chromium: Browser) -> Iterator[Browser]:
    """A browser that finds the room by its name, and nothing else."""
    path = chromium_path(chromium.browser_type.executable_path)
    browser = chromium.browser_type.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu", RULES])
    yield browser
    browser.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Process]:
    with Process(tmp_path, AWAY) as process:
        yield process


@pytest.fixture
def students() -> Iterator[Students]:
    some = Students()
    yield some
    some.leave()


def a_phone(away: Browser, served: Process, context: BrowserContext | None = None) -> Page:
    context = context or away.new_context(viewport=PHONE, has_touch=True)
    context.set_default_timeout(LOST)
    page = context.new_page()
    page.goto(f"http://{AWAY}:{served.port}/room#{served.code}")
    return page


def option(page: Page, letter: str):
    return page.locator("li button", has=page.get_by_text(letter, exact=True))


def test_a_phone_votes_changes_its_mind_and_says_where_it_stands(
    away: Browser, served: Process, students: Students
) -> None:
    teacher = students.do(slides(served.port, served.key))
    page = a_phone(away, served)
    assert not page.evaluate("isSecureContext || 'serviceWorker' in navigator || 'clipboard' in navigator")
    expect(page.get_by_role("heading")).to_have_text("You are in the room.")
    students.do(opened(teacher))
    expect(page.get_by_role("heading")).to_have_text("How many?")
    assert all(box["height"] >= 44 for box in (one.bounding_box() for one in page.locator("button").all()) if box)
    option(page, "A").click()
    expect(page.locator(".own")).to_contain_text("Your A is kept")
    option(page, "C").click()
    expect(page.locator(".own")).to_contain_text("Your C is kept")
    page.reload()
    expect(option(page, "C")).to_have_attribute("aria-pressed", "true")
    students.do(teacher.hears(lambda me: me.room["votes"][0] == [0, 0, 1]))
    students.do(teacher.says(do="close", question="q", round=1))
    expect(page.locator(".own")).to_contain_text("You chose C. Now find someone")
    assert page.locator("li button:enabled").count() == 0
    students.do(opened(teacher, "q", 2))
    expect(page.locator("main")).to_contain_text("Before, you chose C.")
    option(page, "B").click()
    students.do(teacher.hears(lambda me: me.room["votes"][1] == [0, 1, 0]))
    students.do(teacher.says(do="show", question="q", round=2))
    students.do(
        teacher.says(do="answer", question="q", round=2, right=0, reasons=["Because.", "Not two.", "Not three."])
    )
    expect(page.locator(".reason")).to_have_text(["Because.", "B: Not two."])
    expect(page.locator("li.right")).to_contain_text("one")
    expect(page.locator(".bar")).to_have_text(["0", "0", "0", "1", "1", "0"])
    widths = page.locator(".bar i").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().width)")
    assert [width > 0 for width in widths] == [False, False, False, True, True, False]
    students.do(teacher.says(do="ask", lesson="counting", text="One sentence?"))
    page.locator("textarea").fill("  What we\nsaw.  ")
    page.get_by_role("button", name="Hand in").click()
    students.do(teacher.hears(lambda me: me.room["tickets"] == ["What we saw."]))
    expect(page.locator(".own")).to_contain_text("kept")
    page.get_by_text("What is kept").click()
    expect(page.locator("details p")).to_contain_text("Votes are counted by device")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_vote_waits_on_the_phone_while_the_room_is_gone(away: Browser, served: Process, students: Students) -> None:
    teacher = students.do(slides(served.port, served.key))
    students.do(opened(teacher))
    pages = [a_phone(away, served) for _ in range(3)]
    for page in pages:
        expect(page.get_by_role("heading")).to_have_text("How many?")
    served.kill()
    for page, letter in zip(pages, "ABC", strict=True):
        option(page, letter).click()
        expect(page.locator(".standing")).to_contain_text("Your answer waits on this phone")
        expect(page.locator(".own")).to_contain_text(f"{letter} is on its way")
    served.start()
    for page, letter in zip(pages, "ABC", strict=True):
        expect(page.locator(".own")).to_contain_text(f"Your {letter} is kept")
        expect(page.locator(".standing")).not_to_contain_text("waits")
    teacher = students.do(slides(served.port, served.key))
    students.do(teacher.hears(lambda me: me.room["votes"][0] == [1, 1, 1]))


def test_a_server_that_is_frozen_is_noticed_and_a_vote_that_comes_too_late_is_said(
    away: Browser, served: Process, students: Students
) -> None:
    teacher = students.do(slides(served.port, served.key))
    students.do(opened(teacher))
    page = a_phone(away, served)
    option(page, "A").click()
    expect(page.locator(".own")).to_contain_text("Your A is kept")
    served.process.send_signal(signal.SIGSTOP)
    try:
        option(page, "B").click()
        expect(page.locator(".own")).to_contain_text("B is on its way")
        expect(page.locator(".standing")).to_have_attribute("data-state", "lost", timeout=LOST)
    finally:
        served.process.send_signal(signal.SIGCONT)
    expect(page.locator(".own")).to_contain_text("Your B is kept")
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('online'))")
    students.do(teacher.hears(lambda me: me.room["votes"][0] == [0, 1, 0]))
    served.kill()
    option(page, "C").click()
    expect(page.locator(".own")).to_contain_text("C is on its way")
    served.start()
    teacher = students.do(slides(served.port, served.key))
    students.do(teacher.says(do="close", question="q", round=1))
    page.context.set_offline(False)
    expect(page.locator(".standing b")).to_contain_text("closed before yours arrived")
    expect(page.locator(".own")).to_contain_text("You chose B")


def test_two_tabs_show_the_same_and_count_once(away: Browser, served: Process, students: Students) -> None:
    teacher = students.do(slides(served.port, served.key))
    students.do(opened(teacher))
    one = a_phone(away, served)
    option(one, "A").click()
    expect(one.locator(".own")).to_contain_text("Your A is kept")
    two = a_phone(away, served, one.context)
    expect(option(two, "A")).to_have_attribute("aria-pressed", "true")
    option(two, "C").click()
    for page in (one, two):
        expect(option(page, "C")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".own")).to_contain_text("Your C is kept")
    students.do(teacher.hears(lambda me: me.room["votes"][0] == [0, 0, 1] and me.room["here"] == 1))


def test_a_code_can_be_typed_and_a_wrong_one_is_said(away: Browser, served: Process) -> None:
    context = away.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"http://{AWAY}:{served.port}/room")
    page.get_by_role("textbox").fill("wrong")
    page.get_by_role("button", name="Come in").click()
    expect(page.locator(".standing b")).to_contain_text("not the code of the room")
    page.get_by_role("textbox").fill(served.code.lower())
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("heading")).to_have_text("You are in the room.")


def test_a_frame_follows_from_the_first_move_on(away: Browser, served: Process, students: Students) -> None:
    teacher = students.do(slides(served.port, served.key))
    page = a_phone(away, served)
    expect(page.get_by_role("heading")).to_have_text("You are in the room.")

    def frame_at(fragment: str) -> None:
        for _ in range(100):
            if len(page.frames) > 1 and page.frames[1].url.endswith(f"/index.html{fragment}"):
                return
            page.wait_for_timeout(100)
        pytest.fail(f"the frame is not at {fragment}")

    for number in range(1, 4):
        students.do(teacher.says(do="follow", page="index", lab="l", address=f"#scale:{number}"))
        frame_at(f"#scale:{number}")
        page.wait_for_timeout(300)  # nothing else may move it
        frame_at(f"#scale:{number}")
    students.do(teacher.says(do="wait"))
    expect(page.locator("iframe")).to_have_count(0)
    students.do(teacher.says(do="follow", page="index", lab="l", address="#scale:9"))
    frame_at("#scale:9")


def test_a_lesson_from_the_first_vote_to_the_last_sentence(
    away: Browser, book_html: Path, tmp_path: Path, students: Students
) -> None:
    """Thirty students of known answers and one phone; the teacher has slides and a window beside them."""
    first, second = [0] * 15 + [1] * 6 + [2] * 6 + [3] * 3, [2] * 22 + [0] * 8
    with Process(tmp_path, AWAY, book_html) as served:
        desk = away.new_context(viewport={"width": 1280, "height": 720})
        desk.set_default_timeout(LOST)
        show = desk.new_page()
        show.goto(f"http://127.0.0.1:{served.port}/enter?key={served.key}")
        show.goto(f"http://127.0.0.1:{served.port}/teach/chapters/why_sqrt_dk.html?teach")
        poll = show.locator(".wf-poll")
        expect(poll).to_contain_text("Vote alone")
        with desk.expect_page() as found:
            show.keyboard.press("n")
        window, page = found.value, a_phone(away, served)
        show.keyboard.press("q")
        expect(show.locator(".wf-door.wf-large")).to_contain_text(served.code)
        assert show.locator(".wf-door.wf-large img").evaluate("(one) => one.naturalWidth > 0")
        show.keyboard.press("q")
        students.come(served, 30)
        students.vote(1, first)
        expect(poll.locator(".wf-voted")).to_have_text("30 of 31 have voted")
        assert show.locator(".wf-tally").count() == 0
        shares = window.locator(".wf-counts tbody td:nth-child(3)")
        expect(shares).to_have_text(["15 50 %", "6 20 %", "6 20 %", "3 10 %"])
        expect(window.locator(".wf-is-right")).to_contain_text("several times larger")
        expect(window.locator(".wf-advice")).to_contain_text("Fewer than 30 %")
        window.get_by_role("button", name="60 s").click()
        expect(poll.locator(".wf-timer")).to_have_text(re.compile(r"0:\d\d|1:00"))
        expect(page.locator(".timer")).to_have_text(re.compile(r"0:\d\d|1:00"))
        window.get_by_role("button", name="Close the vote; let them talk").dblclick()
        expect(page.locator(".own")).to_contain_text("You have not voted")
        expect(window.get_by_role("button", name="Vote again, after talking")).to_be_visible()
        window.wait_for_timeout(800)  # pressed twice it would have voted again, or counted hands
        window.get_by_role("button", name="Vote again, after talking").click()
        students.vote(2, second)
        expect(window.locator(".wf-counts tbody td:nth-child(4)")).to_have_text(["8 27 %", "0 0 %", "22 73 %", "0 0 %"])
        expect(window.locator(".wf-advice")).to_contain_text("More than 70 %")
        show.reload()
        expect(poll.locator(".wf-voted")).to_have_text("30 of 31 have voted")
        window.get_by_role("button", name="Close the second vote").click()
        expect(show.locator(".wf-tally b")).to_have_text(["15", "8", "6", "0", "6", "22", "3", "0"])
        expect(page.locator(".bar")).to_have_text(["15", "8", "6", "0", "6", "22", "3", "0"])
        window.wait_for_timeout(800)  # so soon after a vote has turned it would have counted as pressed twice
        window.get_by_role("button", name="Show what is right").click()
        expect(page.locator("li.right")).to_contain_text("several times larger")
        expect(page.locator(".reason").first).not_to_be_empty()
        expect(show.locator(".wf-slide .wf-right")).to_contain_text("several times larger")

        window.wait_for_timeout(800)  # pressed twice it would have gone on to the next moment
        window.get_by_role("button", name="Next").click()
        frame = page.frame_locator("iframe")
        step = frame.locator('whyformer-lab[name="why_sqrt_dk/scale"] [aria-current="step"]').first
        expect(step).to_have_text("1")
        show.evaluate("document.querySelector('whyformer-lab.wf-slide').go(3)")
        expect(step).to_have_text("3")
        page.get_by_role("button", name="Go my own way").click()
        show.evaluate("document.querySelector('whyformer-lab.wf-slide').go(2)")
        page.wait_for_timeout(500)
        expect(step).to_have_text("3")
        page.get_by_role("button", name="Back to where the teacher is").click()
        expect(step).to_have_text("2")

        window.get_by_role("button", name="Ask for a sentence").click()
        page.locator("textarea").fill("Divide by the deviation.")
        page.get_by_role("button", name="Hand in").click()
        expect(window.locator(".wf-desk li", has_text="Divide by the deviation.")).to_be_visible()
        expect(show.locator(".wf-statement")).to_contain_text("Sentences: 1")
        served.kill()
        expect(window.get_by_role("alert")).to_contain_text("count hands")
        served.start()
        expect(window.get_by_role("alert")).to_have_count(0)
        with window.expect_download() as table:
            window.get_by_role("link", name="All votes as a table").click()
        assert len(Path(table.value.path()).read_text(encoding="utf-8-sig").splitlines()) == 61


def test_hands_are_counted_where_there_is_a_room_too(away: Browser, book_html: Path, tmp_path: Path) -> None:
    with Process(tmp_path, AWAY, book_html) as served:
        desk = away.new_context(viewport={"width": 1280, "height": 720})
        show = desk.new_page()
        show.goto(f"http://127.0.0.1:{served.port}/enter?key={served.key}")
        show.goto(f"http://127.0.0.1:{served.port}/teach/chapters/why_sqrt_dk.html?teach")
        with desk.expect_page() as found:
            show.keyboard.press("n")
        window, page = found.value, a_phone(away, served)
        expect(page.get_by_role("heading")).to_contain_text("gradient")
        window.get_by_role("button", name="Count hands instead").click()
        expect(page.get_by_role("heading")).to_have_text("You are in the room.")
        window.locator(".wf-ballot input").first.fill("12")
        window.locator("[data-act=phase]").click()
        expect(show.locator(".wf-tally b").first).to_have_text("12")
        window.get_by_role("button", name="Count phones again").click()
        expect(window.locator(".wf-counts")).to_be_visible()


def test_phones_come_in_by_half_a_slide_and_lines_come_one_by_one(
    away: Browser, book_html: Path, tmp_path: Path
) -> None:
    """By the clicker alone; at 1280 × 720 nothing lies under the bar."""
    with Process(tmp_path, AWAY, book_html) as served:
        show = away.new_page(viewport={"width": 1280, "height": 720})
        show.goto(f"http://127.0.0.1:{served.port}/enter?key={served.key}")
        show.goto(f"http://127.0.0.1:{served.port}/teach/chapters/why_sqrt_dk.html?teach")
        box = {name: show.locator(name) for name in (".wf-door img", ".wf-hands", ".wf-predict", ".wf-bar")}
        expect(box[".wf-door img"]).to_be_visible()
        seen = {name: one.bounding_box() for name, one in box.items()}
        assert all(seen.values())
        assert seen[".wf-door img"]["height"] > 0.7 * 720
        assert seen[".wf-predict"]["x"] + seen[".wf-predict"]["width"] <= seen[".wf-hands"]["x"] == 640
        assert seen[".wf-hands"]["y"] + seen[".wf-hands"]["height"] <= seen[".wf-bar"]["y"]
        show.keyboard.press("q")
        large = show.locator(".wf-door.wf-large").bounding_box()
        assert large["y"] >= 0 and large["y"] + large["height"] <= seen[".wf-bar"]["y"]
        assert show.locator(".wf-door.wf-large img").bounding_box()["width"] >= 600
        show.keyboard.press("PageDown")  # which takes away what lies over the slide
        show.evaluate("location.hash = 'moment-4'")
        show.get_by_role("button", name="Yes").click()  # the vote is open
        hand, before = show.locator(".wf-at-hand"), show.locator(".wf-before")
        for number in (1, 2, 3, 4):
            expect(hand.first).to_contain_text(f"Line {number}.")
            assert len(set(before.evaluate_all("(all) => all.map((one) => one.textContent)"))) == number - 1
            show.keyboard.press("PageDown")
        expect(hand.first).to_contain_text("Line 5.")
        expect(show.locator(".wf-bar nav span")).to_have_text(re.compile("^5 of"))
        show.keyboard.press("PageDown")
        expect(hand.first).to_contain_text("Line 6.")
        size = "(one) => parseFloat(getComputedStyle(one).fontSize)"
        assert hand.locator("p").first.evaluate(size) > 1.5 * before.locator("p").first.evaluate(size)
        show.keyboard.press("PageUp")
        expect(hand.first).to_contain_text("Line 5.")


def test_phones_have_the_exercise_its_number_and_the_box_of_the_workbench(
    away: Browser, book_html: Path, tmp_path: Path, students: Students
) -> None:
    with Process(tmp_path, AWAY, book_html) as served:
        show, phones = away.new_page(), [a_phone(away, served) for _ in range(2)]
        page = phones[0]
        show.goto(f"http://127.0.0.1:{served.port}/enter?key={served.key}")
        slide = f"http://127.0.0.1:{served.port}/teach/chapters"
        show.goto(f"{slide}/why_sqrt_dk.html?teach#moment-9")
        expect(page.get_by_role("heading")).to_contain_text("Variance")
        expect(page.frame_locator("iframe").locator("#ex-shifted")).to_be_in_viewport()
        field, hand_in = page.get_by_role("textbox"), page.get_by_role("button", name="Hand in")
        for wrong in ("0,5", "<b>5</b>", "1e13", "Infinity"):
            field.fill(wrong)
            expect(page.locator(".own")).to_contain_text("with a point")
            expect(hand_in).to_be_disabled()
        field.fill("−576")
        hand_in.click()
        expect(page.locator(".own")).to_contain_text("Your -576 is kept")
        expect(show.locator(".wf-hands")).to_have_text(re.compile("1 of 2 have answered"))
        assert show.locator(".wf-numbers").count() == 0
        show.keyboard.press("PageDown")
        expect(show.locator(".wf-numbers tr")).to_have_text([re.compile(r"^-576\s*1$")])
        students.come(served, 20)
        for i, one in enumerate(students.phones):
            students.do(one.says(do="number", question="why_sqrt_dk#ex-shifted", value=[576, 320][i % 2] + i // 10))
        expect(show.locator(".wf-numbers th")).to_have_text(["-576", "320", "321", "576", "577"])
        expect(show.locator(".wf-numbers b")).to_have_text(["1", *"5555"])
        for i, one in enumerate(students.phones):  # too many for a list
            students.do(one.says(do="number", question="why_sqrt_dk#ex-shifted", value=100 * i))
        expect(show.locator(".wf-numbers th").nth(1)).to_have_text("0 to 225")
        expect(show.locator(".wf-numbers b")).to_have_text(["1", *"32223223", "1"])
        show.keyboard.press("PageDown")
        expect(show.locator(".wf-bar nav span")).to_have_text(re.compile("^10 of"))

        show.goto(f"{slide}/why_sqrt_dk.html?teach#moment-4")
        link = page.get_by_role("link", name="What the slide shows")
        expect(link).to_have_attribute("href", re.compile(r"/chapters/why_sqrt_dk\.html\?group=\d+#\w"))
        show.goto(f"{slide}/workbench.html?teach#moment-2")
        for one in phones:
            expect(one.frame_locator("iframe").locator("#train-divisor")).to_be_in_viewport()
        groups = [re.search(r"group=(\d+)", one.locator("iframe").get_attribute("src") or "") for one in phones]
        assert all(groups) and groups[0][1] != groups[1][1]
        page.frame_locator("iframe").locator("#train-divisor").get_by_role("button", name="Train").click()
        first = 5 * int(groups[0][1])
        said = page.frame_locator("iframe").locator("#train-divisor")
        trained = re.compile(rf"Seeds {first} to ({first + 2}|{first + 4}): trained")  # a slow device trains three
        expect(said).to_contain_text(trained, timeout=60_000)
