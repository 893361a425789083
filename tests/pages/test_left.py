"""A page is as it was left: over a reload, on the way back, until it is forgotten; no storage harms it.

Over http: from a file each page may be of another process, to which a busy browser tells late what was kept.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser import ALL_STARTED, settle
from lab_cases import LABS
from page_cases import REFUSED, unfold
from playwright.sync_api import Page, expect
from workbench_cases import LONG, SHORT, lines, press, table, wait_until_trained, written

CHAPTER, NAME = "chapters/softmax_saturation", "softmax_saturation/saturation"
LEFT = "whyformer:left-1:softmax_saturation/"
KEYS = "Object.keys({ ...localStorage }).filter((key) => key.startsWith('whyformer:left-')).sort()"
STEPS = LABS[NAME].steps
GOAL = len(STEPS)
LAB = f"document.querySelector('whyformer-lab[name=\"{NAME}\"]')"
#: What of a page is kept: the step and the ticks of the lab, the fields, the verdicts, the open folds.
SEEN = f"""() => ({{
  step: {LAB}.step,
  met: [...{LAB}.querySelectorAll(".wf-met")].map((dot) => dot.getAttribute("aria-label")),
  fields: [...document.querySelectorAll(".wf-exercise input[type=text]")].map((field) => field.value),
  verdicts: [...document.querySelectorAll(".wf-exercise .wf-verdict")].map((verdict) => verdict.textContent),
  folds: [...document.querySelectorAll("details:is(.wf-fold, .solution)")].map((fold) => fold.open),
}})"""


def leave(page: Page) -> dict:
    """Do something with everything that is kept; gives what is seen then."""
    lab = page.locator(f'whyformer-lab[name="{NAME}"]')
    lab.evaluate("(lab, goal) => lab.go(goal)", GOAL)
    lab.evaluate("(lab, state) => lab.set(state)", dict(STEPS[GOAL - 1].told_at))
    expect(lab.locator(".wf-met")).to_have_count(1)
    lab.evaluate("(lab) => lab.go(3)")
    page.evaluate("document.querySelector('#exercises > .wf-fold').open = true")
    fields = page.locator(".wf-exercise input[type=text]")
    fields.nth(0).fill("0.9094")
    fields.nth(0).press("Enter")
    fields.nth(1).fill("not sure <b>yet</b>")
    page.evaluate("document.querySelector('#exercises details.solution').open = true")
    page.wait_for_function("(key) => localStorage.getItem(key)?.includes('solution')", arg=LEFT + "folds")
    return page.evaluate(SEEN)


@pytest.fixture
def page(visit, addresses) -> Page:
    return visit(addresses[CHAPTER, "http"])


def test_what_was_left_is_there_after_a_reload_and_on_the_way_back(page, addresses):
    fresh = page.evaluate(SEEN)
    assert page.evaluate(KEYS) == [], "a page that was only opened keeps nothing"
    before = leave(page)
    assert (before["step"], before["fields"][:2]) == (3, ["0.9094", "not sure <b>yet</b>"])
    assert before["verdicts"][0] and sum(before["folds"]) == 2 and len(before["met"]) == 1
    page.reload()
    settle(page)
    page.wait_for_selector(".wf-exercise", state="attached")
    assert page.evaluate(SEEN) == before
    page.goto(addresses["chapters/practice", "http"])
    page.go_back()
    settle(page)
    page.wait_for_selector(".wf-exercise", state="attached")
    assert page.evaluate(SEEN) == before
    page.goto(addresses["chapters/practice", "http"] + "#forget")
    expect(page.locator(".wf-forget:focus")).to_be_visible()
    page.locator(".wf-forget").click()
    assert page.evaluate(KEYS) == []
    page.get_by_role("button", name="Undo").click()
    assert len(page.evaluate(KEYS)) == 4
    page.locator(".wf-forget").click()
    page.goto(addresses[CHAPTER, "http"])
    settle(page)
    page.wait_for_selector(".wf-exercise", state="attached")
    assert page.evaluate(SEEN) == fresh


def test_a_link_with_a_step_is_obeyed_and_the_ticks_stay(page, visit, addresses):
    leave(page)
    page.goto("about:blank")
    page.goto(addresses[CHAPTER, "http"] + "#saturation:2")
    settle(page)
    found = page.evaluate(SEEN)
    assert (found["step"], len(found["met"])) == (2, 1)


@pytest.mark.parametrize("query", ["?teach", "?teacher"])
def test_a_lesson_shows_nothing_of_what_was_left_and_leaves_nothing(query, page, addresses):
    leave(page)
    kept = page.evaluate("({ ...localStorage })")
    page.goto(addresses[CHAPTER, "http"] + query)
    page.wait_for_function(ALL_STARTED)
    assert page.evaluate(f"{LAB}.step") == 1
    assert page.locator(f'whyformer-lab[name="{NAME}"] .wf-met').count() == 0
    page.evaluate(f"{LAB}.go(2)")
    assert {key: text for key, text in page.evaluate("({ ...localStorage })").items() if "left-" in key} == {
        key: text for key, text in kept.items() if "left-" in key
    }


DAMAGED = ["", "{", "null", "7", "[]", "{}", '"text"', '{"at": -1, "met": [0]}', '{"at": 99, "met": []}',
           '{"at": 1.5, "met": {}}', '{"at": "2", "met": "x", "answer": 5}', '{"answer": ["<img>"]}', "[[1], null]",
           json.dumps({"answer": "9" * 5000, "judged": True})]  # fmt: skip


def test_a_text_that_nobody_wrote_harms_nothing(page):
    fresh = page.evaluate(SEEN)
    leave(page)
    keys = page.evaluate(KEYS)
    assert len(keys) == 4
    for text in DAMAGED:
        page.evaluate("([keys, text]) => keys.forEach((key) => localStorage.setItem(key, text))", [keys, text])
        page.reload()
        settle(page)
        page.wait_for_selector(".wf-exercise", state="attached")
        assert page.evaluate(SEEN) == fresh, text


@pytest.mark.parametrize("refused", REFUSED)
def test_without_storage_a_page_works(refused, chromium, addresses):
    context = chromium.new_context()  # the theme's own script complains here: trouble is not looked for
    page = context.new_page()
    page.add_init_script(REFUSED[refused])
    page.goto(addresses[CHAPTER, "http"])
    settle(page)
    unfold(page)
    page.evaluate(f"{LAB}.go(3)")
    assert page.evaluate(f"{LAB}.step") == 3
    page.locator(".wf-exercise input[type=text]").first.fill("0.0824")
    page.keyboard.press("Enter")
    expect(page.locator(".wf-verdict").first).to_have_text("Right.")
    context.close()


SHIFTS = """new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifted = (window.shifted ?? 0) + entry.value;
}).observe({ type: "layout-shift", buffered: true })"""


@pytest.mark.parametrize(
    "viewport", [{"width": 1366, "height": 768}, {"width": 390, "height": 844}], ids=["desk", "phone"]
)
def test_nothing_moves_when_a_page_is_as_it_was_left(viewport, visit, addresses):
    page = visit(addresses[CHAPTER, "http"], viewport=viewport)
    page.add_init_script(SHIFTS)
    shifted = []
    for kept in (False, True):
        if kept:
            leave(page)
        page.evaluate("scrollTo(0, 0)")
        page.reload()
        settle(page)
        page.wait_for_timeout(700)
        shifted.append(page.evaluate("window.shifted ?? 0"))
    # The text above the lab becomes a line shorter when its type has come, kept or not; what is drawn by then counts.
    assert shifted[1] <= 0.15, shifted


# ---- the workbench


def bench(visit, folder: Path, *experiments) -> Page:
    return visit(written(folder, *experiments).as_uri())


def test_trained_curves_and_the_bet_stay_and_reset_forgets_them(visit, tmp_path):
    page = bench(visit, tmp_path, SHORT)
    page.locator(".wf-bench-bet button").nth(1).click()
    press(page, "Train")
    wait_until_trained(page)
    drawn = "[...document.querySelectorAll('[data-panel=accuracy] path')].map((path) => path.getAttribute('d'))"
    before = (table(page), page.evaluate(drawn), page.locator(".wf-bench-bet").inner_text())
    page.reload()
    page.locator(".wf-bench-train").wait_for()
    wait_until_trained(page)
    assert (table(page), page.evaluate(drawn), page.locator(".wf-bench-bet").inner_text()) == before
    assert page.evaluate("JSON.stringify({ ...localStorage }).length") < 20_000
    press(page, "Reset")
    page.reload()
    page.locator(".wf-bench-train").wait_for()
    assert page.locator(".wf-bench-train").inner_text() == "Train" and lines(page, "thick") == 0
    assert page.evaluate(KEYS) == []


def test_a_run_that_was_cut_off_is_not_kept(visit, tmp_path):
    page = bench(visit, tmp_path, LONG)
    press(page, "Train")
    page.wait_for_function("document.querySelectorAll('[data-panel=accuracy] path.wf-thin').length > 0")
    page.reload()
    page.locator(".wf-bench-train").wait_for()
    assert page.locator(".wf-bench-train").inner_text() == "Train" and lines(page, "thin") == 0


def test_what_belongs_to_another_experiment_or_is_damaged_is_not_shown(visit, tmp_path):
    page = bench(visit, tmp_path, SHORT)
    press(page, "Train")
    wait_until_trained(page)
    [key] = page.evaluate(KEYS)
    whole = page.evaluate("(key) => localStorage.getItem(key)", key)
    one = json.loads(whole)
    short = one | {"runs": [run | {"right": run["right"][:-1]} for run in one["runs"]]}
    wrong = one | {"runs": [run | {"right": [2 for _ in run["right"]]} for run in one["runs"]]}
    for text in ("{", "{}", json.dumps(one | {"of": 1}), json.dumps(one | {"arms": [0, 7]}), json.dumps(short),
                 json.dumps(wrong), json.dumps(one | {"runs": [None]}), json.dumps(one | {"seeds": []})):  # fmt: skip
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, text])
        page.reload()
        page.locator(".wf-bench-train").wait_for()
        assert page.locator(".wf-bench-train").inner_text() == "Train" and lines(page, "thin") == 0, text
