"""Settling a vote: bars beside the answer, no verdict where a class has none, also from a later moment."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from book_cases import ROOT
from lesson_cases import CHAPTER, LESSONS, at, go, show_right, slides
from playwright.sync_api import Page, expect
from whyformer_book.teach.lesson import Moment, read

ANSWER = "whyformer-predict.wf-slide"
EACH = [pytest.param(name, marks=() if name == CHAPTER else pytest.mark.thorough) for name in LESSONS]
SETTLES = 7  # the moment of CHAPTER after its second vote, which looks at the lab

#: What of a slide reaches below the bar, beyond the window or under the bars of the votes.
CUT = """() => {
  const wrong = [], { bottom, right } = document.querySelector(".wf-slide").getBoundingClientRect();
  const bars = document.querySelector(".wf-hands")?.getBoundingClientRect();
  const bar = document.querySelector(".wf-bar").getBoundingClientRect();
  if (bottom > bar.top) wrong.push(`reaches ${bottom - bar.top} below the bar`);
  if (right > (bars?.left ?? innerWidth)) wrong.push("under the votes");
  if (bars && bars.bottom > bar.top) wrong.push("votes below the bar");
  if (document.documentElement.scrollHeight > innerHeight) wrong.push("scrolls");
  return wrong;
}"""


def moments(name: str) -> list[Moment]:
    text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
    declared = re.search(r"^```\{lesson\} (\d+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return read(declared[1], declared[2]).moments


def vote(page: Page, *hands: int) -> None:
    for field, number in zip(page.locator(".wf-ballot input").all(), hands, strict=True):
        field.fill(str(number))
        field.press("Tab")


def close(page: Page) -> None:
    page.locator(".wf-ballot [data-act=phase]").click()


def bars(page: Page) -> list[str]:
    return page.locator(".wf-tally b").all_inner_texts()


def test_the_bars_of_the_votes_stay_beside_the_answer(visit, addresses):
    page = slides(visit, addresses[CHAPTER, "file"])
    vote(page, 12, 3, 7, 1)
    close(page)
    close(page)
    vote(page, 4, 2, 15, 2)
    show_right(page)  # which closes the second vote
    assert bars(page) == ["12", "4", "3", "2", "7", "15", "1", "2"]
    expect(page.locator(".wf-feedback strong")).to_have_text("Right.")
    assert page.locator(".wf-hands input").count() == 0
    page.reload()
    at(page, 1)
    assert bars(page) == ["12", "4", "3", "2", "7", "15", "1", "2"]
    go(page, 2)
    expect(page.locator(".wf-hands")).to_have_count(0)


@pytest.mark.parametrize("hands", [(0, 0, 0, 0), (5, 5, 3, 0)], ids=["no votes", "a tie"])
def test_nobody_reads_a_verdict_on_a_class_without_an_answer(hands, visit, addresses):
    page = slides(visit, addresses[CHAPTER, "file"])
    vote(page, *hands)
    show_right(page)
    said = page.locator(f"{ANSWER} .wf-feedback")
    expect(said).to_contain_text("about 15 times")
    assert not re.match("Right|Not so", said.inner_text())
    assert page.locator(f"{ANSWER} .wf-right").inner_text().endswith("✓ this one")
    assert page.locator(f"{ANSWER} :is(.wf-wrong, input:checked)").count() == 0
    assert bars(page) == [str(number) for number in hands if any(hands)]


@pytest.mark.parametrize("by", ["key", "bar", "desk"])
def test_the_answer_is_shown_from_the_moment_that_settles_it(by, visit, addresses):
    page = slides(visit, addresses[CHAPTER, "file"])
    vote(page, 12, 3, 7, 1)
    close(page)
    page.evaluate("document.activeElement.blur()")
    desk = page
    if by == "desk":
        with page.context.expect_page() as opened:
            page.keyboard.press("n")
        desk = opened.value
        expect(desk.locator(".wf-desk h1")).to_contain_text("Vote", timeout=20_000)
    go(page, SETTLES)
    lab = page.locator("whyformer-lab.wf-slide")
    expect(lab).to_be_visible()
    if by == "desk":
        expect(desk.locator(".wf-desk h1")).to_contain_text("query matrix", timeout=20_000)

    def press(name: str) -> None:
        if by == "key":
            return page.keyboard.press("a")
        if by == "bar":
            page.locator(".wf-bar").hover()
        desk.get_by_role("button", name=name).click()

    press("Show what is right")
    expect(page.locator(ANSWER)).to_be_visible()
    expect(page.locator(".wf-feedback strong")).to_have_text("Not so.")
    assert bars(page) == ["12", "3", "7", "1"] and not lab.is_visible()
    at(page, SETTLES)
    press("Back to the moment")
    expect(lab).to_be_visible()
    assert lab.evaluate("(lab) => lab.step") == 6, "the lab is where the bet left it"
    press("Show what is right")
    page.keyboard.press("PageDown")
    at(page, SETTLES + 1)
    expect(page.locator(ANSWER)).to_have_count(0)


def test_a_first_moment_has_nothing_to_settle_but_its_own(visit, addresses):
    page = slides(visit, addresses[CHAPTER, "file"])
    page.locator(".wf-bar").hover()
    expect(page.locator(".wf-bar").get_by_role("button", name="Show what is right")).to_have_count(0)
    for asked in (True, False):
        page.keyboard.press("a")
        expect(page.get_by_role("alert")).to_have_count(int(asked))
        expect(page.locator(f"{ANSWER} .wf-right")).to_have_count(int(not asked))
    page.keyboard.press("a")
    expect(page.locator(f"{ANSWER} .wf-right")).to_have_count(0)
    expect(page.locator(".wf-ballot input")).to_have_count(4)


def test_the_vote_on_the_gradient_is_settled_on_the_picture_of_the_right_answer():
    all_of_them = moments(CHAPTER)
    after = [one.look for before, one in pairwise(all_of_them) if "ettle" in before.do]
    assert after == ["why_sqrt_dk/scale:6"]


@pytest.mark.parametrize("name", LESSONS)
def test_a_note_names_only_what_is_on_its_slide(name, visit, addresses):
    """Straight quotes name a button; a step is one of the lab that is shown, a line of the derivation one of those."""
    page = slides(visit, addresses[name, "file"])
    for number, moment in enumerate(moments(name), 1):
        go(page, number)
        notes = " ".join((moment.do, moment.expect, moment.ask))
        for words in re.findall(r'"(.+?)"', notes):
            named = page.locator(".wf-slide :is(button, summary)", has_text=re.compile(f"^{words}$"))
            assert named.locator("visible=true").count(), f"moment {number} has no {words}"
        for step in re.findall(r"[Ss]teps? (\d)(?: and (\d))?", notes):
            dots = page.locator("whyformer-lab.wf-slide .wf-dot").all_inner_texts()
            assert set(filter(None, step)) <= set(dots), f"moment {number} has no step {step}"
        for line in re.findall(r"[Ll]ine (\d+)", notes):
            assert page.locator(f".wf-slide:has-text('Line {line}')").count(), f"moment {number} has no line {line}"


def test_layer_norm_votes_again_before_the_line_that_prints_the_answer():
    looks = [one.look for one in moments("chapters/layer_norm")]
    assert [i for i, look in enumerate(looks) if look == "prediction layer_norm/moved"][-1] < looks.index("line 1")


@pytest.mark.parametrize("name", EACH)
def test_every_settled_vote_fits(name, visit, addresses):
    page = slides(visit, addresses[name, "file"])
    for number, moment in enumerate(moments(name), 1):
        if not moment.look.startswith(("prediction", "vote ")):
            continue
        go(page, number)
        options = range(page.locator(f"{ANSWER} label").count())
        for favourite in [None, *options]:
            vote(page, *(0 if favourite is None else 3 + (option == favourite) for option in options))
            show_right(page)
            page.wait_for_function(f"({CUT})().length === 0", timeout=8000)
            page.get_by_role("button", name="Predict again").click()
            page.evaluate("sessionStorage.clear()")
            page.reload()
            at(page, number)
