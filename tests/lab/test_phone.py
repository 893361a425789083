"""On a phone: what a step speaks of is on stage, and a challenge can be solved there by touch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from browser import Visits
from heights import WINDOWS
from lab_cases import LABS
from phone import is_seen, read_off_of, shown_by, spoken_of
from playwright.sync_api import Browser, Locator, Page, expect
from whyformer.lab import Lab, Step

PHONE = WINDOWS["phone"]

#: Steps that do not fit yet, with the reason.
WAITING = {
    "qk_weights/real_heads:4": "three sliders leave no room for the weights; how much moves stands below in words",
}


def steps(waiting: dict[str, str], of: Callable[[Step], object] = lambda step: True) -> list[Any]:
    named = [(f"{name}:{i}", kind, i, step) for name, kind in LABS.items() for i, step in enumerate(kind.steps, 1)]
    mark = pytest.mark.xfail
    return [
        pytest.param(*case, id=at, marks=mark(strict=True, reason=waiting[at]) if at in waiting else ())
        for at, *case in named
        if of(case[-1])
    ]


class Phone:
    """A page 390 pixels wide with one lab; it stays open while steps of the same lab are asked for."""

    def __init__(self, visits: Visits, lab_pages: dict[str, str]) -> None:
        self.visits, self.pages, self.name = visits, lab_pages, ""
        self.page: Page

    def at(self, kind: type[Lab], step: int) -> Locator:
        if self.name != kind.slug:
            self.visits.close()
            size = {"width": PHONE.width, "height": PHONE.height}
            self.page = self.visits.open(self.pages[kind.slug], viewport=size, has_touch=True)
            self.page.add_style_tag(content=f"body {{ margin: 0 auto; width: {PHONE.place}px }} h1 {{ display: none }}")
            self.page.wait_for_timeout(50)  # the lab hears of its new width
            self.name = kind.slug
        lab = self.page.locator("whyformer-lab")
        lab.evaluate("(lab, step) => lab.go(step)", step)
        return lab


@pytest.fixture(scope="module")
def phone(chromium: Browser, lab_pages: dict[str, str]) -> Iterator[Phone]:
    visits = Visits(chromium)
    yield Phone(visits, lab_pages)
    visits.close()
    visits.check()


#: Names of panels and of controls that have a size and lie within the lab.
ON_SCREEN = """(lab) => {
  const frame = lab.getBoundingClientRect();
  const is_seen = (one) => {
    const { left, right, width, height } = one.getBoundingClientRect();
    return width > 20 && height > 10 && left >= frame.left && right <= frame.right;
  };
  const of = (selector, name) => [...lab.querySelectorAll(selector)].filter(is_seen).map(name);
  const panels = of('.wf-onstage [data-panel]', (one) => one.dataset.panel);
  return { panels, fields: of('.wf-stage [name]', (one) => one.name) };
}"""


@pytest.mark.parametrize(("kind", "number", "step"), steps(WAITING))
def test_what_a_step_speaks_of_is_on_stage(kind: type[Lab], number: int, step: Step, phone: Phone) -> None:
    on_screen = phone.at(kind, number).evaluate(ON_SCREEN)
    lab = kind(**(step.state or {}))
    shown = {f"panel {panel}" for panel in on_screen["panels"]}
    seen = shown_by(lab)
    shown = shown.union(*(seen[panel] for panel in on_screen["panels"]))
    numbers, controls = spoken_of(kind, step)
    read_off = read_off_of(kind)
    missing = {one for one in numbers if not is_seen(one, read_off, shown, lab.state)}
    missing |= {one for one in controls if one not in on_screen["fields"] and one not in shown}
    assert not missing, f"not on stage, where {on_screen['panels']} are: {sorted(missing)}"


def test_every_number_that_has_a_place_is_spoken_of() -> None:
    """What is said of numbers that no step names would be forgotten."""
    for slug, kind in LABS.items():
        named = {one for step in kind.steps for one in spoken_of(kind, step)[0]}
        assert set(read_off_of(kind)) <= named, slug


@pytest.mark.parametrize(("kind", "number", "step"), steps({}, lambda step: step.asks))
def test_what_a_step_asks_is_met_by_touch(kind: type[Lab], number: int, step: Step, phone: Phone) -> None:
    lab = phone.at(kind, number)
    expect(lab.locator(".wf-tell")).to_have_count(0)
    Finger(phone.page, lab).reach(dict(step.told_at))
    expect(lab.locator(".wf-tell")).to_be_visible()


def test_a_disc_is_a_native_slider_with_steps_of_five(phone):
    lab = phone.at(LABS["multi_head/two_wishes"], 1)
    disc = lab.get_by_role("slider", name="head 1: cat to tired")
    expect(disc).to_have_attribute("aria-valuetext", re.compile("50.% on cat, 50.% on tired"))
    disc.press("ArrowLeft")
    expect(disc).to_be_focused()
    expect(disc).to_have_attribute("aria-valuetext", re.compile("55.% on cat, 45.% on tired"))
    assert min(disc.bounding_box()[side] for side in ("width", "height")) >= 43.9


def test_arrow_keys_and_a_finger_move_the_frame_of_a_grid(phone):
    lab = phone.at(LABS["layer_norm/normalisation"], 2)
    assert lab.locator(".wf-hit").count() == 0  # the frame is a tell
    lab.evaluate("(lab) => lab.tell()")
    chosen = lab.locator('[data-panel="sentence A"] [aria-pressed="true"]')
    assert lab.locator('[data-panel="sentence A"] .wf-hit:not([tabindex="-1"])').count() == 1
    chosen.press("ArrowDown")
    expect(chosen).to_be_focused()
    chosen.press("ArrowLeft")
    assert lab.evaluate("(lab) => [lab.state.which, lab.state.position, lab.state.feature]") == ["A", 1, 3]
    lab.get_by_role("button", name="sentence B, position 3, feature 1").tap()
    assert lab.evaluate("(lab) => [lab.state.which, lab.state.position, lab.state.feature]") == ["B", 3, 1]
    boxes = [cell.bounding_box() for cell in lab.locator("button.wf-hit").all()]
    assert min(box["width"] for box in boxes) >= 43.9 and min(box["height"] for box in boxes) >= 43.9


class Finger:
    """Moves controls by what is on stage: fields, places of the picture, tips of arrows."""

    def __init__(self, page: Page, lab: Locator) -> None:
        self.page, self.lab, self.kind = page, lab, LABS[lab.get_attribute("name")]
        self.touch = page.context.new_cdp_session(page)

    def reach(self, solution: dict[str, Any]) -> None:
        for name, value in solution.items():
            fields = self.lab.locator(f'.wf-stage [name="{name}"]:not(.wf-turn)')
            if fields.count():
                self.fill(fields, value)
        self.drag_tips(solution)
        self.tap_places(solution)

    def fill(self, fields: Locator, value: Any) -> None:
        if isinstance(value, list):
            for i, each in enumerate(value):
                self.slide(fields.nth(i), each)
        elif fields.first.get_attribute("type") == "radio":
            fields.and_(self.page.locator(f'[value="{value}"]')).locator("xpath=..").tap()
        elif fields.first.evaluate("(field) => field.tagName") == "SELECT":
            fields.select_option(value)
        else:
            self.slide(fields.first, value)

    def slide(self, field: Locator, value: float) -> None:
        control = self.kind.controls()[field.get_attribute("name")]
        values = getattr(control, "values", None)
        if field.get_attribute("class") == "wf-axis":
            if self.lab.locator(".wf-diagram").count():
                return self.drag_disc(field, value)
            return field.fill(str(values.index(value) if values else value))  # along the axis of a chart
        field.tap(trial=True)  # nothing lies over it
        field.fill(str(values.index(value) if values else value))

    def drag_disc(self, field: Locator, value: float) -> None:
        """Where it is, and how far its plane reaches, tells where the value stands."""
        disc, plane = field.bounding_box(), field.locator("xpath=preceding-sibling::*[1]").bounding_box()
        least, most = (float(field.get_attribute(end)) for end in ("min", "max"))
        start = np.array([disc["x"] + disc["width"] / 2, disc["y"] + disc["height"] / 2])
        ends = plane["x"] + disc["width"] / 2, plane["x"] + plane["width"] - disc["width"] / 2
        self.drag(start, [np.interp(value, (least, most), ends), start[1]])

    def tap_places(self, solution: dict[str, Any]) -> None:
        """Taps places of the picture, and takes back what leads away from the solution."""
        met = lambda: self.lab.evaluate(  # noqa: E731
            "(lab, all) => Object.entries(all).filter(([name, value]) => lab.state[name] === value).length",
            {name: value for name, value in solution.items() if not isinstance(value, list)},
        )
        for place in self.lab.locator(".wf-onstage .wf-hit").all():
            before, state = met(), self.lab.evaluate("(lab) => lab.state")
            if before == len(solution):
                return
            place.tap()
            if met() <= before:
                self.lab.evaluate("(lab, state) => lab.set(state)", state)

    def drag_tips(self, solution: dict[str, Any]) -> None:
        """Each tip goes to its place. A first short drag tells where the middle of its plane is, and how long 1 is."""
        for tip in self.lab.locator(".wf-grab").all():
            (angles, at), (lengths, _) = tip.evaluate(
                """(tip) => [tip.nextElementSibling, tip.nextElementSibling.nextElementSibling]
                  .map((each) => [each.name, Number(each.dataset.index)])"""
            )

            def place_of(state: dict[str, Any], names: Any = (lengths, angles), at: int = at) -> np.ndarray:
                length, turn = (state[name][at] for name in names)
                return length * np.array([np.cos(np.radians(turn)), -np.sin(np.radians(turn))])

            state = self.lab.evaluate("(lab) => lab.state")
            then = place_of({**state, **{name: solution.get(name, state[name]) for name in (angles, lengths)}})
            if np.allclose(place_of(state), then):
                continue
            here = self.middle_of(tip)
            self.drag(here, here + 0.3 * (self.middle_of(self.lab.locator(".wf-onstage").first) - here))
            moved, there = place_of(self.lab.evaluate("(lab) => lab.state")), self.middle_of(tip)
            unit = np.linalg.norm(there - here) / np.linalg.norm(moved - place_of(state))
            self.drag(there, there + unit * (then - moved))

    def middle_of(self, one: Locator) -> np.ndarray:
        box = one.bounding_box()
        return np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])

    def drag(self, start: Any, end: Any) -> None:
        for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
            self.touch.send(
                "Input.dispatchTouchEvent",
                {"type": kind, "touchPoints": [{"x": float(x), "y": float(y)} for x, y in points]},
            )
