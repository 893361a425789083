"""Steps: each sentence is true, as generally as it says; challenges can be met; both twins judge alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import write_page
from lab_cases import LABS, random_states
from playwright.sync_api import Locator, Page, expect
from some import some
from whyformer.lab import Lab, Over, Step
from whyformer.lab.host import still
from whyformer.lab.step import faults, holds, lies, parsed, share_that_holds
from whyformer.lab.words import gaps_of
from whyformer.questions.why_sqrt_dk import ScaleLab

STEPS = [
    pytest.param(kind, step, id=f"{name}:{i + 1}") for name, kind in LABS.items() for i, step in enumerate(kind.steps)
]
WITH_STEPS = {name: kind for name, kind in LABS.items() if kind.steps}
SCALE = "why_sqrt_dk/scale"


class PlainLab(ScaleLab):
    """The scale lab with steps that do not ask."""

    steps = (
        Step("One word leads: {largest_unscaled:.0%}.", shows=("walks", "weights"), controls=("d_k", "divisor")),
        Step(
            "Find a dₖ at which no word gets half of the weight.",
            state={"d_k": 64},
            shows=("walks", "weights"),
            controls=("d_k",),
            goal=("largest_unscaled < 0.5", "divisor == '1'"),
            learned="With few products words share the weight.",
        ),
        Step(
            "Divided by √dₖ: a tube. Largest weight {largest_scaled:.0%}.",
            state={"d_k": 512, "divisor": "sqrt"},
            shows=("walks", "weights"),
            controls=("d_k", "divisor"),
        ),
        Step(
            "Divided by dₖ: pinched.",
            state={"d_k": 512, "divisor": "d_k"},
            shows=("walks",),
            controls=("d_k", "divisor"),
        ),
    )


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
    assert step.when or step.goal or not step.says, "a sentence without a condition"
    controls = kind.controls()
    assert set(step.controls) <= set(controls) and 1 <= len(step.controls) <= 4
    lab = kind(**(step.state or {}))
    numbers = {name for name, value in lab.series.items() if not getattr(value, "shape", ())}
    assert gaps_of(" ".join([step.says, *(says for _, says in step.cases)])) <= numbers | set(controls)
    blocks = still.picture({"declaration": kind.declaration(), "state": lab.state, "size": "full", "shows": step.shows})
    assert names_in(blocks) == set(step.shows)


def names_in(blocks: list) -> set[str]:
    return {name for block in blocks for name in (names_in(block["blocks"]) if "blocks" in block else {block["name"]})}


#: The first step of each lab, and with make test-all the others: each is tried at all draws that it speaks of.
BROADLY = [
    pytest.param(kind, step, id=f"{name}:{i + 1}", marks=pytest.mark.thorough if i else ())
    for name, kind in LABS.items()
    for i, step in enumerate(kind.steps)
    if not step.asks
]


@pytest.mark.parametrize(("kind", "step"), BROADLY)
def test_a_sentence_holds_over_what_it_says(kind: type[Lab], step: Step) -> None:
    found, said = share_that_holds(kind, step), step.over.share
    assert found >= said, f"{found:.3f} of all states"
    assert said == 1 or f"at least {100 * said:.0f}\N{NO-BREAK SPACE}%" in step.says.replace(
        " %", "\N{NO-BREAK SPACE}%"
    )


@pytest.mark.parametrize(("kind", "step"), [one for one in STEPS if one.values[1].asks])
def test_what_is_told_is_true_wherever_the_controls_on_stage_stand(kind: type[Lab], step: Step) -> None:
    assert not lies(kind, step)
    assert step.asks.endswith(("?", "."))


@pytest.mark.parametrize("name", WITH_STEPS)
def test_a_lab_has_a_few_steps_and_begins_at_its_default(name):
    steps = LABS[name].steps
    assert 3 <= len(steps) <= 6 and not steps[0].state


def test_a_false_step_is_named():
    lab, shows = LABS["softmax_saturation/gap"], ("x",)
    value = lab().series
    name = next(name for name, each in value.items() if not getattr(each, "shape", ()))
    low, high = f"{name} < {value[name] - 1:.3f}", f"{name} > {value[name] - 1:.3f}"
    assert not faults(lab, Step("", shows, ("a",), when=(high,)))
    assert "not true" in faults(lab, Step("", shows, ("a",), when=(low,)))[0]
    assert "before it begins" in faults(lab, Step("", shows, ("a",), goal=(high,)))[0]
    assert "what was learned" in faults(lab, Step("", shows, ("a",), goal=(low,), solution={"a": 0}))[-1]
    assert "does not meet" in faults(lab, Step("", shows, ("a",), goal=(low,), solution={"a": 0}))[0]
    assert (
        share_that_holds(lab, Step("", shows, ("a",), when=("a < 1",), over=Over(near=({"a": 0}, {"a": 9})))) == 1 / 3
    )


@pytest.mark.parametrize(("kind", "step"), STEPS)
def test_a_challenge_ends_in_a_sentence_and_counts_what_it_asks_for(kind: type[Lab], step: Step) -> None:
    assert bool(step.learned) == bool(step.goal)
    assert step.learned.endswith(".") == bool(step.goal)
    assert step.goal or not re.search("[Hh]ow (many|often)", step.says)


@pytest.mark.parametrize("name", some(WITH_STEPS))
def test_both_twins_judge_alike(name: str, visit, lab_pages: dict[str, str]) -> None:
    """Every condition, and its opposite, at random states."""
    kind = LABS[name]
    page = visit(lab_pages[name])
    groups = [
        one for step in kind.steps for one in (step.when, step.goal, step.moved, *(when for when, _ in step.cases))
    ]
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
    """A page with the scale lab, or with the one that does not ask."""

    def at(fragment: str = "", kind: type[Lab] = PlainLab, **more) -> tuple[Page, Locator]:
        page = visit(Path(write_page(tmp_path, kind().html())).as_uri() + fragment, **more)
        return page, page.locator("whyformer-lab")

    return at


def test_dots_arrows_and_next_go_from_step_to_step(opened):
    page, lab = opened()
    steps = PlainLab.steps
    current = lab.locator(".wf-dot[aria-current=step]")
    expect(current).to_have_text("1")
    named = lab.locator("[name]:visible").evaluate_all("(all) => all.map((one) => one.name)")
    assert tuple(dict.fromkeys(named)) == steps[0].controls
    lab.get_by_role("button", name="Next").click()
    expect(current).to_have_text("2")
    lab.get_by_role("button", name="Step 3 of 4").click()
    expect(lab.locator(".wf-says")).to_contain_text("a tube")
    assert lab.evaluate("(lab) => [lab.step, lab.state.divisor]") == [3, "sqrt"]
    panels = "(lab) => [...lab.querySelectorAll('.wf-live [data-panel]')].map((one) => one.dataset.panel)"
    assert lab.evaluate(panels) == list(steps[2].shows)
    current.press("ArrowRight")
    expect(current).to_have_text("4")
    expect(current).to_be_focused()
    current.press("Home")
    current.press("ArrowLeft")
    expect(current).to_have_text("1")
    current.press("End")
    expect(current).to_have_text("free")
    assert lab.evaluate("(lab) => lab.state.quantity") == "largest_entry", "the present state stays"
    assert set(lab.evaluate(panels)) > set(steps[0].shows)
    expect(lab.get_by_role("button", name="Next")).to_be_disabled()


def test_a_sentence_is_dimmed_when_its_state_is_left_and_reset_brings_it_back(opened):
    page, lab = opened("#scale:3?")
    claim, eyebrow = lab.locator(".wf-thesis"), lab.locator(".wf-eyebrow")
    expect(claim).not_to_have_class("wf-thesis wf-left")
    before = lab.bounding_box()["height"]
    lab.locator("[name=d_k]").press("ArrowLeft")
    expect(claim).to_have_class("wf-thesis wf-left")
    expect(eyebrow).to_have_text("Step 3 of 4 · at dₖ = 512:")
    assert lab.bounding_box()["height"] == pytest.approx(before, abs=1), "nothing moves"
    lab.locator("details > summary").click()
    lab.locator("[data-draw=seed]").click()
    expect(eyebrow).to_have_text("Step 3 of 4 · at dₖ = 512:", timeout=1000)
    lab.get_by_role("button", name="Reset").click()
    expect(claim).not_to_have_class("wf-thesis wf-left")
    assert lab.evaluate("(lab) => [lab.step, lab.state]") == [3, PlainLab().state | PlainLab.steps[2].state]


def test_a_challenge_is_ticked_when_it_is_met(opened):
    page, lab = opened()
    lab.get_by_role("button", name="Step 2 of 4").click()
    expect(lab.locator(".wf-eyebrow")).to_have_text("Challenge")
    expect(lab.locator(".wf-done")).to_have_count(0)
    lab.evaluate("(lab) => lab.set({ d_k: 8 })")
    expect(lab.locator(".wf-done")).to_have_text("✓ Done")
    expect(lab.locator(".wf-spoken")).to_have_text(f"Done. {PlainLab.steps[1].learned}")
    lab.get_by_role("button", name="Next").click()
    expect(lab.get_by_role("button", name="Step 2 of 4, met")).to_have_text("✓")


@pytest.mark.parametrize("width", [360, pytest.param(1366, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", some(name for name, kind in LABS.items() if any(step.goal for step in kind.steps)))
def test_what_was_learned_stands_where_there_was_room_for_it(name: str, width: int, visit, lab_pages) -> None:
    page = visit(lab_pages[name], viewport={"width": width, "height": 768})
    lab = page.locator("whyformer-lab")
    panels = """(lab) => [...lab.querySelectorAll('.wf-live, .wf-live [data-panel], .wf-controls')].flatMap((one) => {
      const { left, top, height } = one.getBoundingClientRect();
      return [left, top + scrollY, height];
    })"""
    for i, step in enumerate(LABS[name].steps, 1):
        if not step.goal:
            continue
        lab.evaluate("(lab, step) => lab.go(step)", i)
        expect(lab.locator(".wf-learned")).to_be_hidden()
        lab.evaluate("(lab, state) => lab.set(state)", step.solution)
        expect(lab.locator(".wf-learned")).to_be_visible()
        expect(lab.locator(".wf-learned")).to_have_text(step.learned)
        expect(lab.locator(".wf-rail .wf-sentence")).to_be_hidden()
        after = lab.evaluate(panels)
        lab.evaluate("(lab) => lab.querySelector('.wf-end').classList.remove('wf-ended')")
        assert lab.evaluate(panels) == pytest.approx(after, abs=0.5), f"step {i}: something moved"


def test_a_link_holds_the_step(opened):
    page, lab = opened("#scale:4?d_k=64")
    assert lab.evaluate("(lab) => [lab.step, lab.state.divisor, lab.state.d_k]") == [4, "d_k", 64]
    for fragment, step in (("#scale:1?", 1), ("#scale?n_keys=4", 5), ("#scale:5?", 5), ("#scale:99?d_k=8", 5)):
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
    lab.locator(".wf-says").click()
    expect(more.locator("[name=n_keys]")).to_have_count(0)


def test_a_screen_reader_hears_the_sentence_of_a_step(opened):
    page, lab = opened()
    lab.get_by_role("button", name="Step 4 of 4").click()
    expect(lab.locator(".wf-spoken")).to_contain_text("pinched")


def test_small_labs_and_states_of_a_readers_own_begin_without_steps(visit, tmp_path: Path):
    site = write_page(tmp_path, LABS[SCALE](size="small").html() + LABS[SCALE](d_k=32).html())
    page = visit(Path(site).as_uri())
    labs = page.locator("whyformer-lab")
    expect(labs.first.locator(".wf-dot")).to_have_count(0)
    expect(labs.last.locator(".wf-dot[aria-current=step]")).to_have_text("free")
    assert labs.last.evaluate("(lab) => lab.state.d_k") == 32


# ---- ask, then tell


def words(lab: Locator) -> Locator:
    return lab.locator(".wf-ask-or-tell > :not(.wf-room)")


def test_one_button_tells_then_goes_on_and_nothing_jumps(opened):
    page, lab = opened(kind=ScaleLab, viewport={"width": 390, "height": 844})
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
    _, lab = opened(kind=ScaleLab)
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
    page, lab = opened("#scale:3", kind=ScaleLab)
    assert lab.evaluate("(lab) => [lab.step, lab.state.divisor, lab.fragment]") == [3, "sqrt", "#scale:3?"]
    expect(words(lab)).to_have_count(2)
    page.evaluate("location.hash = '#scale:3?d_k=256&ask'")
    expect(words(lab)).to_have_text([ScaleLab.steps[2].asks])
    where = "(lab) => [lab.state.d_k, lab.state.divisor, lab.fragment]"
    assert lab.evaluate(where) == [256, "1", "#scale:3?d_k=256&ask"]


def test_paper_has_what_is_asked_and_what_is_told(opened):
    page, lab = opened(kind=ScaleLab)
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
    assert "<noscript>" not in ScaleLab(d_k=512).html() + PlainLab().html()
