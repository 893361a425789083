"""A reader at one lab of a page: drags, types, presses keys and buttons, and checks that state and picture follow."""

from __future__ import annotations

import pytest
from lab_cases import LABS, SILENT, WORDS_ONLY, lively
from playwright.sync_api import Locator, Page

#: The picture is what is drawn: a sentence that follows must not hide a panel that stands still. An attribute that
#: comes and goes is written last when it is back, which nobody sees: attributes are compared in order of their names.
LOOK = r"""(lab) => {
  const attribute = / [^\s"=<>]+="[^"]*"/g;
  const ordered = (tag, name, all) => `<${name}${all.match(attribute).sort().join("")}`;
  const shown = ".wf-panel, .wf-table, .wf-reach, .wf-diagram";
  const parts = [...lab.querySelectorAll(shown)].map((part) =>
    part.outerHTML.replace(/<([\w-]+)((?: [^\s"=<>]+="[^"]*")+)/g, ordered));
  const canvases = [...lab.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
  const digest = (text) => { let h = 0; for (const c of text) h = (31 * h + c.codePointAt(0)) | 0; return h; };
  const series = Object.values(lab.series).map((v) => typeof v === "number" ? v : [...v]);
  return {state: lab.state, picture: digest([...parts, ...canvases].join()), series: digest(JSON.stringify(series)),
          changes: lab.changes, words: lab.description};
}"""
WATCH = "(lab) => { lab.changes = 0; lab.addEventListener('whyformer:change', () => lab.changes++); }"

#: What is under More is drawn once the browser has said that it is open.
HAS_RESET = """async (lab) => {
  while (!lab.querySelector("[data-act=reset]")) await new Promise(requestAnimationFrame);
}"""


#: Sliders that lie in the picture, under what a hand takes hold of there: ``lab/test_phone`` moves them.
IN_PICTURE = ".wf-axis, .wf-turn"


class Driver:
    """One lab on a page, driven as a reader drives it; each move is checked to reach the state and the picture."""

    def __init__(self, page: Page, lab: Locator) -> None:
        self.page, self.lab = page, lab
        self.kind = LABS[lab.get_attribute("name")]
        self.small = lab.get_attribute("size") == "small"
        self.element = lab.element_handle()  # found once: looking it up at each step would take most of the time
        # Free play: everything on stage; and as it began, since a prediction may have brought it elsewhere.
        self.element.evaluate("(lab) => { lab.go(99); lab.reset(); }")
        self.element.evaluate(WATCH)
        self.start = self.look()
        self.set(lively(self.kind))

    def look(self) -> dict:
        return self.element.evaluate(LOOK)

    def set(self, state: dict) -> None:
        self.element.evaluate("(lab, state) => lab.set(state)", state)

    def changed(self, before: dict, name: str, value: object) -> dict:
        """The look now; ``name`` is at ``value``, nothing else moved, and the picture followed."""
        now = self.look()
        assert now["state"][name] == pytest.approx(value), f"{self.kind.slug} {name}: {now['state']}"
        assert {**now["state"], name: 0} == {**before["state"], name: 0}, f"{name}: another control moved too"
        if now["state"] != before["state"]:
            assert now["changes"] > before["changes"], f"{name}: no whyformer:change"
            still = now["picture"] == before["picture"] and (self.kind.slug, name) not in WORDS_ONLY
            assert not still, f"{name}: the picture did not follow"
            assert (now["series"] != before["series"]) != ((self.kind.slug, name) in SILENT), f"{name}: series"
        return now

    def slider(self, name: str, slider: Locator, place, low, high, first, last) -> None:
        """``low``, ``high``: the ends; ``first``, ``last``: one step inside; ``place`` puts one into the state."""
        slider.evaluate("(input) => input.scrollIntoView({block: 'center', behavior: 'instant'})")
        box, mouse = slider.bounding_box(), self.page.mouse
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        if box["height"] > box["width"]:  # from beyond one end to beyond the other
            left, right = (x, box["y"] + box["height"] + 20), (x, box["y"] - 20)
        else:
            left, right = (box["x"] - 20, y), (box["x"] + box["width"] + 20, y)
        before = self.look()
        mouse.move(x, y)
        mouse.down()
        try:
            mouse.move(*left, steps=2)
            at_low = self.changed(before, name, place(low))
            mouse.move(*right, steps=6)
            at_high = self.changed(at_low, name, place(high))
        finally:
            mouse.up()  # what fails here must not leave the next lab of the page under a pressed button
        follows = at_high["changes"] >= at_low["changes"] + min(4, self.moves_of(self.kind.controls()[name]))
        assert follows, f"{name}: the picture jumps, it does not follow the drag"
        self.keys(name, slider, place, low, high, first, last)

    def keys(self, name: str, slider: Locator, place, low, high, first, last) -> None:
        slider.focus()
        now = self.look()
        for key, value in {"Home": low, "ArrowRight": first, "ArrowDown": low, "End": high, "ArrowLeft": last}.items():
            self.page.keyboard.press(key)
            now = self.changed(now, name, place(value))

    def steps_of(self, control) -> tuple:
        values = getattr(control, "values", None)
        if values:
            return values[0], values[-1], values[1], values[-2]
        return control.min, control.max, control.min + control.step, control.max - control.step

    def moves_of(self, control) -> int:
        """How many steps lead from one end to the other: a drag over three places changes twice."""
        values = getattr(control, "values", None)
        return len(values) - 1 if values else round((control.max - control.min) / control.step)

    def drive(self, name: str) -> None:
        control = self.kind.controls()[name]
        inputs = self.lab.locator(f'[name="{name}"]:not({IN_PICTURE})')
        if not inputs.count() and control.kind != "vector":
            inputs = self.lab.locator(f'[name="{name}"]')
        if control.kind == "choice":
            self.choice(name, control, inputs)
        elif control.kind == "seed":
            self.seed(name, control, inputs)
        elif control.kind == "vector":
            for i in range(inputs.count()):
                present = self.look()["state"][name]
                place = lambda v, p=present, i=i: [*p[:i], v, *p[i + 1 :]]  # noqa: E731
                drag = self.slider if i in (0, inputs.count() - 1) else self.keys  # those between: by keyboard alone
                drag(name, inputs.nth(i), place, *self.steps_of(control))
        else:
            self.slider(name, inputs, lambda v: v, *self.steps_of(control))
        self.set(lively(self.kind))

    def choice(self, name: str, control, inputs: Locator) -> None:
        options = list(control.options)
        menu = inputs.first.evaluate("(input) => input.tagName === 'SELECT'")
        before = self.look()
        for value in [*options[1:], options[0]]:
            if menu:
                inputs.select_option(value)
            else:
                self.lab.locator(f'label:has(input[name="{name}"][value="{value}"])').click()
            before = self.changed(before, name, value)
        inputs.first.focus()
        for value in options[1:]:
            self.page.keyboard.press("ArrowDown")
            before = self.changed(before, name, value)

    def seed(self, name: str, control, inputs: Locator) -> None:
        again = self.lab.locator(f'[data-draw="{name}"]')
        if not inputs.count():  # a small lab has the button alone
            before = self.look()
            again.click()
            self.changed(before, name, before["state"][name] + 1)
            return
        for start, wanted in ((5, 6), (control.max, 0)):
            inputs.fill(str(start))
            before = self.look()
            assert before["state"][name] == start
            again.focus()
            self.page.keyboard.press("Enter")
            self.changed(before, name, wanted)
        before = self.look()
        again.click()
        before = self.changed(before, name, 1)
        inputs.focus()
        self.page.keyboard.press("ArrowUp")
        before = self.changed(before, name, 2)
        inputs.fill(str(10 * control.max))
        before = self.changed(before, name, control.max)
        assert self.lab.locator(".wf-notes p").is_visible(), "the reader is told what was done"
        inputs.fill("")  # on the way to another number: nothing happens, nothing breaks
        self.changed(before, name, control.max)

    def buttons(self) -> None:
        presets = list(self.kind.presets.values())
        for i, preset in enumerate(presets):
            before = self.look()
            self.lab.locator(f'[data-preset="{i}"]').click()
            now = self.look()
            assert now["state"] == {**now["state"], **preset}
            moved = now["picture"] != before["picture"]
            assert moved == (now["state"] != before["state"]), f"preset {i}: the picture did not follow"
        self.set(lively(self.kind))
        others = "".join(f":not([data-{name}])" for name in ("preset", "act", "draw", "step"))
        for button in self.lab.locator(f"button:enabled{others}").all():
            before = self.look()
            button.click()
            now = self.look()
            moved = now["state"] != before["state"] and now["picture"] != before["picture"]
            assert moved, f"{button.inner_text()}: the picture did not follow"

    def reset(self, by: str = "mouse") -> None:
        if not self.element.query_selector("[data-act=reset]"):  # a small lab has it under More
            self.element.query_selector(".wf-more > summary").click()
            self.element.evaluate(HAS_RESET)
        button = self.element.query_selector("[data-act=reset]")
        button.click() if by == "mouse" else button.press("Enter")
        now = self.look()
        other = [key for key in ("state", "series", "words", "picture") if now[key] != self.start[key]]
        assert not other, f"{self.kind.slug}: not as it began: {', '.join(other)}"

    def drive_all(self) -> None:
        """Each control that the lab shows, each button, and back to where it began."""
        names = self.lab.evaluate("(lab) => [...lab.querySelector('form').elements].map((e) => e.name).filter(Boolean)")
        whole = set(names) == set(self.kind.controls()) or self.small and names
        assert whole, f"{self.kind.slug}: its controls did not follow the state, there are {names}"
        for control in dict.fromkeys(names):
            self.drive(control)
        self.buttons()
        self.reset()

    def drag_once(self) -> None:
        """One slider by mouse and by key, or one choice where there is no slider; then *Reset*."""
        slider = self.element.query_selector(f"input[type=range]:not(.wf-handle, {IN_PICTURE})")
        if not slider:
            name = self.lab.locator("select, input[type=radio]").first.get_attribute("name")
            self.choice(name, self.kind.controls()[name], self.lab.locator(f'[name="{name}"]'))
            return self.reset("key")
        name = slider.get_attribute("name")
        low, high, *_ = self.steps_of(self.kind.controls()[name])
        slider.evaluate("(input) => input.scrollIntoView({block: 'center', behavior: 'instant'})")
        box, mouse, before = slider.bounding_box(), self.page.mouse, self.look()
        y = box["y"] + box["height"] / 2
        mouse.move(box["x"] + box["width"] / 2, y)
        mouse.down()
        mouse.move(box["x"] + box["width"] + 20, y, steps=4)
        mouse.up()
        at_high = self.changed(before, name, high)
        self.page.keyboard.press("Home")
        self.changed(at_high, name, low)
        self.reset("key")
