"""Every moment of every lesson, however it is come to: its lab is there, whole, and answers a key."""

from __future__ import annotations

from contextlib import suppress

import pytest
from browser import settle
from lesson_cases import LESSONS, ROOM, at, counts, go, onward
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
WITH_LABS = [name for name in LESSONS if name != "chapters/workbench"]
#: Each moment is waited for: make test tries one lesson.
EACH = [
    pytest.param(name, marks=() if name.endswith("/softmax_saturation") else pytest.mark.thorough) for name in WITH_LABS
]
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


def after_next(page: Page, way: str) -> list[str]:
    step_on = page.locator("whyformer-lab.wf-slide .wf-next:enabled")
    if not step_on.count():
        return []
    step_on.evaluate("(button) => button.click()")
    return faults(page, way)


def opened(visit, address: str) -> Page:
    """The slides as a class finds them: nobody has touched the page, and only the labs in sight have started."""
    page = visit("about:blank", viewport=ROOM)
    page.goto(f"{address}?teach")
    return page


def by_clicker(page: Page) -> dict[int, list[str]]:
    """What is wrong at each moment that shows a lab, as it is come to and after the lab's own Next."""
    found = {}
    last = counts(page)
    for number in range(1, last + 1):
        at(page, number)
        if page.locator("whyformer-lab.wf-slide").count():
            settle(page)  # the first key lets the other labs of the page start
            found[number] = faults(page, "clicker") + after_next(page, "Next")
        if number < last:
            onward(page, number)
    return found


def forget(page: Page) -> None:
    """As the teacher's window asks for it."""
    with page.expect_popup() as desk:
        page.evaluate("void window.open('about:blank')")
    desk.value.evaluate(
        """() => new Promise((done) => {
          addEventListener("message", function answered({ data }) {
            const to = data.whyformer?.from;
            if (!to) return;
            removeEventListener("message", answered);
            done(opener.postMessage({ whyformer: { do: "forget", to, time: Date.now() } }, "*"));
          });
          opener.postMessage({ whyformer: { do: "hello" } }, "*");
        })"""
    )
    page.wait_for_function("[...document.querySelectorAll('whyformer-predict')].every((one) => one.answer === -1)")
    desk.value.close()


def report(found: dict[int, list[str]]) -> dict[int, list[str]]:
    assert found, "no moment shows a lab"
    return {number: wrong for number, wrong in found.items() if wrong}


@pytest.mark.parametrize("name", EACH)
def test_a_clicker_a_link_and_forget_lead_to_living_labs(name, visit, addresses):
    page = opened(visit, addresses[name, "file"])
    found = by_clicker(page)
    page.evaluate("for (const one of document.querySelectorAll('whyformer-predict')) one.commit(-1)")
    for number in found:
        go(page, number)
        found[number] += faults(page, "link")
    forget(page)
    for number in found:
        go(page, number)
        found[number] += faults(page, "Forget")
    assert report(found) == {}


@pytest.mark.parametrize("name", EACH)
def test_a_reload_leads_to_living_labs(name, visit, addresses):
    page = opened(visit, addresses[name, "file"])
    found: dict[int, list[str]] = {}
    for number in range(1, counts(page) + 1):
        go(page, number)
        if not page.locator("whyformer-lab.wf-slide").count():
            continue
        page.reload()
        at(page, number)
        settle(page)
        found[number] = faults(page, "reload") + after_next(page, "reload, Next")
    assert report(found) == {}
