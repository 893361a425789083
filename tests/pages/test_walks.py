"""Every moment of every lesson, however it is come to: its lab is there, whole, and answers a key."""

from __future__ import annotations

from contextlib import suppress

import pytest
from browser import settle
from lesson_cases import LESSONS, ROOM, at, counts
from playwright.sync_api import Page, TimeoutError

#: What is wrong with the lab of a moment, if it shows one; then its controls are numbered.
FAULTS = """() => {
  const lab = document.querySelector("whyformer-lab.wf-slide");
  if (!lab) return [];
  const form = lab.querySelector(":scope > .wf-live > form");
  if (!lab.hasAttribute("alive") || lab.hasAttribute("broken") || !form) return ["dead"];
  const wrong = [], { top, bottom, height } = form.getBoundingClientRect();
  const end = form.matches(".wf-staged") ? bottom : Math.min(bottom, innerHeight); // free play may be taller
  if (!form.checkVisibility() || height < 100 || top < 0 || end > innerHeight) wrong.push("out of sight");
  for (let part = form; part; part = part.parentElement) {
    if (part.inert) wrong.push("inert");
    if (getComputedStyle(part).filter !== "none") wrong.push("blurred");
  }
  if (!["none", "normal"].includes(getComputedStyle(lab, "::after").content)) wrong.push("covered");
  const middle = document.elementFromPoint(innerWidth / 2, top + 100);
  if (!lab.contains(middle)) wrong.push(`behind ${middle?.className || middle?.tagName}`);
  form.querySelectorAll("input, select, [role=slider]").forEach((one, i) => { one.dataset.nth = i; });
  return wrong;
}"""
STATE = "JSON.stringify(document.querySelector('whyformer-lab.wf-slide')?.state)"
KEYS = ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp")


def answers(page: Page) -> bool:
    """Whether a key on one of the controls that are on stage changes the state of the lab."""
    before = page.evaluate(STATE)
    for control in page.locator("whyformer-lab.wf-slide [data-nth]:enabled").all():
        if not control.is_visible():
            continue
        for key in KEYS:
            control.press(key)
            now = page.evaluate(STATE)
            if now != before:
                return now is not None  # or the key has led to another moment
    return False


def faults(page: Page, way: str) -> list[str]:
    with suppress(TimeoutError):  # a lab that is shown anew is fitted in the next frame
        page.wait_for_function(f"({FAULTS})().length === 0", timeout=3000)
    wrong = page.evaluate(FAULTS)
    if not wrong and page.locator("whyformer-lab.wf-slide").count() and not answers(page):
        wrong = ["answers no key"]
    return [f"{way}: {one}" for one in wrong]


def by_link(page: Page, number: int) -> None:
    page.evaluate("(n) => { location.hash = `#moment-${n}` }", number)
    at(page, number)


def after_next(page: Page, way: str) -> list[str]:
    step_on = page.locator("whyformer-lab.wf-slide .wf-next:enabled")
    if not step_on.count():
        return []
    step_on.evaluate("(button) => button.click()")
    return faults(page, way)


def walk(page: Page) -> dict[int, list[str]]:
    """What was wrong at each moment: by clicker, after the lab's own Next, by link, after Forget, after a reload."""
    found: dict[int, list[str]] = {number: [] for number in range(1, counts(page) + 1)}
    has_lab = []
    for number, wrong in found.items():
        at(page, number)
        if number > 1:
            settle(page)  # the first key lets the other labs of the page start
        if page.locator("whyformer-lab.wf-slide").count():
            has_lab.append(number)
        wrong += faults(page, "clicker")
        wrong += after_next(page, "Next")
        page.keyboard.press("PageDown")
    page.evaluate("for (const one of document.querySelectorAll('whyformer-predict')) one.commit(-1)")
    for number in has_lab:
        by_link(page, number)
        found[number] += faults(page, "link")
    page.evaluate("document.activeElement.blur()")  # a field would take the key
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    opened.value.evaluate("opener.postMessage({ whyformer: { do: 'forget' } }, '*')")
    page.wait_for_function("[...document.querySelectorAll('whyformer-predict')].every((one) => one.answer === -1)")
    opened.value.close()
    for number in has_lab:
        by_link(page, number)
        found[number] += faults(page, "Forget")
    for number in has_lab:
        by_link(page, number)
        page.reload()
        at(page, number)
        settle(page)
        found[number] += faults(page, "reload")
        found[number] += after_next(page, "reload, Next")
    return found


@pytest.mark.parametrize("name", LESSONS)
def test_no_slide_shows_a_lab_that_is_dead_or_covered(name, visit, addresses):
    page = visit("about:blank", viewport=ROOM)
    page.goto(f"{addresses[name, 'file']}?teach")
    found = walk(page)
    assert {number: wrong for number, wrong in found.items() if wrong} == {}
