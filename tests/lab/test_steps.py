"""Steps: what is told is true wherever the controls on stage stand, what is asked can be met; twins judge alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import write_page
from lab_cases import LABS, random_states
from playwright.sync_api import Locator, Page, expect
from some import some
from whyformer.lab import Lab, Step
from whyformer.lab.host import still
from whyformer.lab.step import faults, holds, lies, parsed
from whyformer.lab.words import gaps_of
from whyformer.questions.why_sqrt_dk import ScaleLab

STEPS = [
    pytest.param(kind, step, id=f"{name}:{i + 1}") for name, kind in LABS.items() for i, step in enumerate(kind.steps)
]
WITH_STEPS = {name: kind for name, kind in LABS.items() if kind.steps}
SCALE = "why_sqrt_dk/scale"


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a > 0.9", {"left": "a", "compare": ">", "right": 0.9}),
        ("a <= -1e-3", {"left": "a", "compare": "<=", "right": -0.001}),
        ("a == 'sqrt'", {"left": "a", "compare": "==", "right": "sqrt"}),
        ("a < b", {"left": "a", "compare": "<", "right": {"times": 1.0, "name": "b"}}),
        ("a < 0.1 * b", {"left": "a", "compare": "<", "right": {"times": 0.1, "name": "b"}}),
    ],
)
def test_conditions_are_read_as_data(text, data):
    assert parsed(text) == data


@pytest.mark.parametrize("text", ["", "a", "a > ", "a > 1 and b > 2", "2 * a > 1", "a > 2 * 3", "a => 1", "f(a) > 1"])
def test_what_is_no_comparison_is_refused(text):
    with pytest.raises(ValueError, match="is not a condition"):
        parsed(text)


def test_conditions_are_judged():
    state, series = {"n": 3, "by": "sqrt"}, {"a": 2.0, "b": 5.0}
    for true in ("a < b", "a == 2", "n >= 3", "by == 'sqrt'", "by != 'd_k'", "b > 2.4 * a", "a <= b", "n != 4"):
        assert holds((true,), state, series), true
    for false in ("a > b", "a != 2", "n > 3", "by == 'd_k'", "b > 2.6 * a", "b <= a"):
        assert not holds(("a < b", false), state, series), false
    with pytest.raises(KeyError):
        holds(("c > 1",), state, series)


@pytest.mark.parametrize(("kind", "step"), STEPS)
def test_a_step_is_true_and_well_made(kind: type[Lab], step: Step) -> None:
    assert not faults(kind, step)
    assert step.when or not step.says, "a sentence without a condition"
    assert step.asks.endswith(("?", "."))
    controls = kind.controls()
    assert set(step.controls) <= set(controls) and 1 <= len(step.controls) <= 4
    lab = kind(**(step.state or {}))
    numbers = {name for name, value in lab.series.items() if not getattr(value, "shape", ())}
    assert gaps_of(" ".join([step.says, *(says for _, says in step.cases)])) <= numbers | set(controls)
    blocks = still.picture({"declaration": kind.declaration(), "state": lab.state, "size": "full", "shows": step.shows})
    assert names_in(blocks) == set(step.shows)


def names_in(blocks: list) -> set[str]:
    return {name for block in blocks for name in (names_in(block["blocks"]) if "blocks" in block else {block["name"]})}


@pytest.mark.parametrize(("kind", "step"), STEPS)
def test_what_is_told_is_true_wherever_the_controls_on_stage_stand(kind: type[Lab], step: Step) -> None:
    assert not lies(kind, step)


@pytest.mark.parametrize("name", WITH_STEPS)
def test_a_lab_has_a_few_steps_and_begins_at_its_default(name):
    steps = LABS[name].steps
    assert 3 <= len(steps) <= 6 and not steps[0].state


def test_a_false_step_is_named():
    lab, shows = LABS["softmax_saturation/gap"], ("x",)
    value = lab().series
    name = next(name for name, each in value.items() if not getattr(each, "shape", ()))
    low, high = f"{name} < {value[name] - 1:.3f}", f"{name} > {value[name] - 1:.3f}"
    told = {"shows": shows, "controls": ("a",), "asks": "?", "moved": (high,), "told_at": {"a": 9}}
    setting = {name: control.default_value for name, control in lab.controls().items()}
    assert "before the reader moves" in faults(lab, Step("", **told))[0]
    assert "is not reached" in faults(lab, Step("", **(told | {"moved": (low,), "told_at": {}})))[0]
    here = f"a == {setting['a']}"
    assert "is not true at" in faults(lab, Step("True in the setting alone.", when=(here,), **told))[-1]


@pytest.mark.parametrize("name", some(WITH_STEPS))
def test_both_twins_judge_alike(name: str, visit, lab_pages: dict[str, str]) -> None:
    """Every condition, and its opposite, at random states."""
    kind = LABS[name]
    page = visit(lab_pages[name])
    groups = [one for step in kind.steps for one in (step.when, step.moved, *(when for when, _ in step.cases))]
    conditions = [condition for group in groups for condition in group]
    judged = set()
    for state in [*random_states(kind, 6, 77), *(dict(kind(**(step.state or {})).state) for step in kind.steps)]:
        series = kind.compute(**state)
        seen = page.evaluate(
            """([name, state, conditions]) => {
              const lab = document.querySelector(`whyformer-lab[name="${name}"]`);
              lab.set(state);
              return conditions.map((one) => WhyformerLabs.holds([one], lab.state, lab.series));
            }""",
            [name, state, [parsed(condition) for condition in conditions]],
        )
        assert seen == [holds((condition,), state, series) for condition in conditions], state
        judged |= set(zip(conditions, seen, strict=True))
    assert {value for _, value in judged} == {True, False}


# ---- the page: dots, arrows, sentences, links


@pytest.fixture
def opened(visit, tmp_path):
    """A page with the scale lab."""

    def at(fragment: str = "", kind: type[Lab] = ScaleLab, **more) -> tuple[Page, Locator]:
        page = visit(Path(write_page(tmp_path, kind().html())).as_uri() + fragment, **more)
        return page, page.locator("whyformer-lab")

    return at


def test_dots_arrows_and_next_go_from_step_to_step(opened):
    page, lab = opened()
    steps = ScaleLab.steps
    current = lab.locator(".wf-dot[aria-current=step]")
    expect(current).to_have_text("1")
    lab.get_by_role("button", name="Tell me").click()
    lab.get_by_role("button", name="Next").click()
    expect(current).to_have_text("2")
    lab.get_by_role("button", name="Step 3 of 6").click()
    expect(words(lab)).to_have_text([steps[2].asks])
    assert lab.evaluate("(lab) => lab.step") == 3
    panels = "(lab) => [...lab.querySelectorAll('.wf-live [data-panel]')].map((one) => one.dataset.panel)"
    assert set(lab.evaluate(panels)) == set(steps[2].shows)
    current.press("ArrowRight")
    expect(current).to_have_text("4")
    expect(current).to_be_focused()
    current.press("Home")
    current.press("ArrowLeft")
    expect(current).to_have_text("1")
    before = lab.evaluate("(lab) => lab.state")
    current.press("End")
    expect(current).to_have_text("free")
    assert lab.evaluate("(lab) => lab.state") == before, "the present state stays"
    assert set(lab.evaluate(panels)) > set(steps[0].shows)
    expect(lab.get_by_role("button", name="Next")).to_be_disabled()


def test_a_link_holds_the_step(opened):
    page, lab = opened("#scale:4?d_k=64")
    assert lab.evaluate("(lab) => [lab.step, lab.state.d_k]") == [4, 64]
    for fragment, step in (("#scale:1?", 1), ("#scale?n_keys=4", 7), ("#scale:7?", 7), ("#scale:99?d_k=8", 7)):
        page.evaluate("(to) => { location.hash = to }", fragment)
        page.wait_for_function(f"document.querySelector('whyformer-lab').step === {step}")
    assert lab.evaluate("(lab) => lab.state.d_k") == 8
    page.evaluate("location.hash = '#scale:3?seed=9'")
    page.wait_for_function("document.querySelector('whyformer-lab').step === 3")
    lab.locator("details > summary").click()
    lab.get_by_role("button", name="Copy link").click()
    page.wait_for_function("location.hash === '#scale:3?seed=9'")


def test_more_opens_over_the_lab_and_closes_by_itself(opened):
    page, lab = opened()
    more, before = lab.locator("details"), lab.bounding_box()["height"]
    more.locator("summary").click()
    expect(more.locator("[name=n_keys]")).to_be_visible()
    assert lab.bounding_box()["height"] == pytest.approx(before, abs=1)
    more.locator("[name=n_keys]").press("Escape")
    expect(more.locator("[name=n_keys]")).to_have_count(0)
    expect(more.locator("summary")).to_be_focused()
    more.locator("summary").click()
    lab.locator(".wf-ask").click()
    expect(more.locator("[name=n_keys]")).to_have_count(0)


def test_a_screen_reader_hears_what_a_step_asks(opened):
    page, lab = opened()
    lab.get_by_role("button", name="Step 4 of 6").click()
    expect(lab.locator(".wf-spoken")).to_contain_text(ScaleLab.steps[3].asks)


def test_states_of_a_readers_own_begin_without_steps(visit, tmp_path: Path):
    page = visit(Path(write_page(tmp_path, LABS[SCALE](d_k=32).html())).as_uri())
    lab = page.locator("whyformer-lab")
    expect(lab.locator(".wf-dot[aria-current=step]")).to_have_text("free")
    assert lab.evaluate("(lab) => lab.state.d_k") == 32


# ---- ask, then tell


def words(lab: Locator) -> Locator:
    return lab.locator(".wf-ask-or-tell > :not(.wf-room)")


def test_one_button_tells_then_goes_on_and_nothing_jumps(opened):
    page, lab = opened(viewport={"width": 390, "height": 844})
    button, height = lab.locator(".wf-next"), lab.bounding_box()["height"]
    first, second = ScaleLab.steps[:2]
    expect(words(lab)).to_have_text([first.asks])
    expect(button).to_have_text("Tell me")
    width = button.bounding_box()["width"]
    button.click()
    expect(words(lab)).to_have_text([first.asks, re.compile("over 99\N{NO-BREAK SPACE}% of the weight")])
    expect(button).to_have_text("Next")
    expect(button).to_be_focused()
    assert lab.evaluate("(lab) => lab.state.d_k") == 512
    assert [lab.bounding_box()["height"], button.bounding_box()["width"]] == pytest.approx([height, width], abs=0.5)
    button.click()
    expect(words(lab)).to_have_text([second.asks])
    lab.get_by_role("button", name="Step 1 of 6", exact=True).click()
    expect(words(lab)).to_have_count(2)
    lab.locator(".wf-more > summary").click()
    lab.get_by_role("button", name="Reset").click()
    expect(words(lab)).to_have_text([first.asks])


def test_a_move_tells_once_the_hand_rests_and_far_enough(opened):
    _, lab = opened()
    axis = lab.get_by_role("slider", name="dₖ")
    axis.press("ArrowRight")
    axis.press("ArrowRight")
    expect(words(lab)).to_have_count(1)
    lab.page.wait_for_timeout(700)  # the hand has rested, and was not far enough
    expect(words(lab)).to_have_count(1)
    box = lab.locator(".wf-drag").bounding_box()
    lab.page.mouse.move(box["x"] + 40, box["y"] + 30)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] + box["width"] - 60, box["y"] + 30, steps=5)
    assert lab.evaluate("(lab) => lab.state.d_k") > 256
    expect(words(lab)).to_have_count(1)
    lab.page.mouse.up()
    expect(words(lab)).to_have_count(2)
    expect(lab.locator(".wf-spoken")).to_contain_text("the largest weight")
    expect(lab.get_by_role("button", name="Step 1 of 6, met")).to_have_text("✓")


def test_a_link_to_a_step_has_told_and_one_that_asks_says_so(opened):
    page, lab = opened("#scale:3")
    assert lab.evaluate("(lab) => [lab.step, lab.state.divisor, lab.fragment]") == [3, "sqrt", "#scale:3?"]
    expect(words(lab)).to_have_count(2)
    page.evaluate("location.hash = '#scale:3?d_k=256&ask'")
    expect(words(lab)).to_have_text([ScaleLab.steps[2].asks])
    where = "(lab) => [lab.state.d_k, lab.state.divisor, lab.fragment]"
    assert lab.evaluate(where) == [256, "1", "#scale:3?d_k=256&ask"]


def test_paper_has_what_is_asked_and_what_is_told(opened):
    page, lab = opened()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(words(lab)).to_have_count(2)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(words(lab)).to_have_count(1)
    assert lab.evaluate("(lab) => lab.state.d_k") == 8


def test_without_a_script_the_setting_is_seen_and_the_tell_stands_below():
    shown = ScaleLab().html()
    caption = shown.split("<figcaption>")[1]
    asked, told = caption.split("<noscript>")
    assert asked == ScaleLab.steps[0].asks and "over 99" in told and shown.count("<svg") == 2
    assert "<noscript>" not in ScaleLab(d_k=512).html()
