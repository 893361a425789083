"""Every lab on every page, offline, over http and from file://: each control by mouse and by keyboard, every look."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from book_cases import ROOT
from browser import is_inside, serve
from lab_cases import LABS, SILENT, largest_state, lively
from playwright.sync_api import Locator, Page

AXE = ROOT / "code/node_modules/axe-core/axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = ["labs", TOC["root"], *(chapter["file"] for chapter in TOC["chapters"])]
every_page = pytest.mark.parametrize("name", PAGES)


@pytest.fixture(scope="module")
def sites(labs_site, book_html):
    """Addresses of both folders, over http and as files: {(is it the book, scheme): address}."""
    with serve(labs_site) as labs, serve(Path(book_html)) as book:
        yield {
            (False, "http"): labs,
            (True, "http"): book,
            (False, "file"): labs_site.as_uri(),
            (True, "file"): Path(book_html).resolve().as_uri(),
        }


@pytest.fixture
def open_page(visit, sites):
    """``open_page(name, scheme, query, **options)``: a page with its labs uncovered."""

    def go(name: str, scheme: str = "file", query: str = "", **options) -> Page:
        book = name != "labs"
        page = visit(f"{sites[book, scheme]}/{name if book else 'index'}.html{query}", **options)
        covers = page.get_by_role("button", name="Skip and open the lab")
        while covers.count():  # one click may open a lab that several predictions cover
            covers.first.click()
        if not book and options.get("color_scheme") == "dark":
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
        return page

    return go


LOOK = """(lab) => {
  const shown = ".wf-panel, .wf-table, .wf-reach, .wf-diagram, .wf-live p:not(.wf-spoken, .wf-notes p)";
  const parts = [...lab.querySelectorAll(shown)].map((part) => part.outerHTML);
  const canvases = [...lab.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
  const digest = (text) => { let h = 0; for (const c of text) h = (31 * h + c.codePointAt(0)) | 0; return h; };
  const series = Object.values(lab.series).map((v) => typeof v === "number" ? v : [...v]);
  return {state: lab.state, picture: digest([...parts, ...canvases].join()), series: digest(JSON.stringify(series)),
          changes: lab.changes, words: lab.description};
}"""
WATCH = "(lab) => { lab.changes = 0; lab.addEventListener('whyformer:change', () => lab.changes++); }"


class Driver:
    """One lab on a page, driven as a reader drives it; each move is checked to reach the state and the picture."""

    def __init__(self, page: Page, lab: Locator) -> None:
        self.page, self.lab = page, lab
        self.kind = LABS[lab.get_attribute("name")]
        self.small = lab.get_attribute("size") == "small"
        lab.evaluate(WATCH)
        self.start = self.look()
        self.set(lively(self.kind))

    def look(self) -> dict:
        return self.lab.evaluate(LOOK)

    def set(self, state: dict) -> None:
        self.lab.evaluate("(lab, state) => lab.set(state)", state)

    def changed(self, before: dict, name: str, value: object) -> dict:
        """The look now; ``name`` is at ``value``, nothing else moved, and the picture followed."""
        now = self.look()
        assert now["state"][name] == pytest.approx(value), f"{self.kind.slug} {name}: {now['state']}"
        assert {**now["state"], name: 0} == {**before["state"], name: 0}
        if now["state"] != before["state"]:
            assert now["changes"] > before["changes"], f"{name}: no whyformer:change"
            assert now["picture"] != before["picture"], f"{name}: the picture did not follow"
            assert (now["series"] != before["series"]) != ((self.kind.slug, name) in SILENT), f"{name}: series"
        return now

    def slider(self, name: str, slider: Locator, place, low, high, first, last) -> None:
        """``low``, ``high``: the ends; ``first``, ``last``: one step inside; ``place`` puts one into the state."""
        slider.evaluate("(input) => input.scrollIntoView({block: 'center'})")
        box, mouse = slider.bounding_box(), self.page.mouse
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        if box["height"] > box["width"]:  # from beyond one end to beyond the other
            left, right = (x, box["y"] + box["height"] + 20), (x, box["y"] - 20)
        else:
            left, right = (box["x"] - 20, y), (box["x"] + box["width"] + 20, y)
        before = self.look()
        mouse.move(x, y)
        mouse.down()
        mouse.move(*left, steps=3)
        at_low = self.changed(before, name, place(low))
        mouse.move(*right, steps=8)
        at_high = self.changed(at_low, name, place(high))
        between = min(4, len(getattr(self.kind.controls()[name], "values", range(9))) - 1)
        follows = at_high["changes"] >= at_low["changes"] + between
        assert follows, f"{name}: the picture jumps, it does not follow the drag"
        mouse.move(*left, steps=4)
        self.changed(at_high, name, place(low))
        mouse.up()
        slider.focus()
        keys = ("End", "ArrowLeft", "Home", "ArrowRight", "ArrowDown")
        for key, value in zip(keys, (high, last, low, first, low), strict=True):
            before = self.look()
            self.page.keyboard.press(key)
            self.changed(before, name, place(value))

    def steps_of(self, control) -> tuple:
        values = getattr(control, "values", None)
        if values:
            return values[0], values[-1], values[1], values[-2]
        return control.min, control.max, control.min + control.step, control.max - control.step

    def drive(self, name: str) -> None:
        control = self.kind.controls()[name]
        inputs = self.lab.locator(f'[name="{name}"]')
        if control.kind == "choice":
            self.choice(name, control, inputs)
        elif control.kind == "seed":
            self.seed(name, control, inputs)
        elif control.kind == "vector":
            for i in range(inputs.count()):
                present = self.look()["state"][name]
                place = lambda v, p=present, i=i: [*p[:i], v, *p[i + 1 :]]  # noqa: E731
                self.slider(name, inputs.nth(i), place, *self.steps_of(control))
        else:
            self.slider(name, inputs, lambda v: v, *self.steps_of(control))
        self.set(lively(self.kind))

    def choice(self, name: str, control, inputs: Locator) -> None:
        options = list(control.options)
        menu = inputs.first.evaluate("(input) => input.tagName === 'SELECT'")
        for value in [*options[1:], options[0]]:
            before = self.look()
            if menu:
                inputs.select_option(value)
            else:
                self.lab.locator(f'label:has(input[name="{name}"][value="{value}"])').click()
            self.changed(before, name, value)
        inputs.first.focus()
        for value in options[1:]:
            before = self.look()
            self.page.keyboard.press("ArrowDown")
            self.changed(before, name, value)

    def seed(self, name: str, control, inputs: Locator) -> None:
        again = self.lab.get_by_role("button", name="draw again")
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
            assert (now["picture"] != before["picture"]) == (now["state"] != before["state"])
        self.set(lively(self.kind))
        for button in self.lab.locator("button:enabled:not([data-preset]):not([data-act]):not([data-draw])").all():
            before = self.look()
            button.click()
            now = self.look()
            assert now["state"] != before["state"] and now["picture"] != before["picture"]

    def reset(self) -> None:
        self.lab.get_by_role("button", name="Reset").click()
        now = self.look()
        assert [now[key] for key in ("state", "series", "words", "picture")] == [
            self.start[key] for key in ("state", "series", "words", "picture")
        ]


@every_page
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_every_control_of_every_lab_moves_its_picture(name, scheme, open_page):
    page = open_page(name, scheme)
    for lab in page.locator("whyformer-lab").all():
        driver = Driver(page, lab)
        names = lab.evaluate("(lab) => [...lab.querySelector('form').elements].map((e) => e.name).filter((n) => n)")
        assert set(names) == set(driver.kind.controls()) or driver.small and names
        for control in dict.fromkeys(names):
            driver.drive(control)
        driver.buttons()
        driver.reset()


def test_the_book_shows_every_lab(open_page):
    shown = set()
    for name in PAGES[1:]:
        labs = open_page(name).locator("whyformer-lab")
        shown |= {lab.get_attribute("name") for lab in labs.all()}
        assert labs.count() or name not in ("chapters/intro", "chapters/softmax_saturation", "chapters/why_sqrt_dk")
    assert shown == set(LABS)


@every_page
def test_every_form_control_has_a_name_and_the_public_face(name, open_page):
    bare = """(lab) => [...lab.querySelectorAll("input, select")].filter((input) => {
      const group = input.type !== "radio" || input.closest("fieldset").querySelector("legend").textContent.trim();
      const label = input.ariaLabel || [...input.labels].map((l) => l.textContent.trim()).join("");
      return !(input.name && label && group);
    }).map((input) => input.outerHTML)"""
    for lab in open_page(name).locator("whyformer-lab").all():
        assert lab.evaluate(bare) == []
        assert lab.evaluate("(lab) => lab.state !== lab.state && !lab.shadowRoot && lab.description.length > 20")
        classes = lab.evaluate("(l) => [...l.querySelectorAll('.wf-live *')].flatMap((e) => [...e.classList])")
        assert all(c.startswith("wf-") for c in classes)


TOO_WIDE = """() => [
  ...[...document.querySelectorAll("html, .wf-live")].filter((e) => e.scrollWidth > e.clientWidth),
  ...[...document.querySelectorAll(".wf-live text")].filter((text) => {
    const [inside, around] = [text.getBoundingClientRect(), text.closest(".wf-live").getBoundingClientRect()];
    return inside.left < around.left || inside.right > around.right;
  }),
].map((e) => `${e.closest("whyformer-lab")?.getAttribute("name") ?? e.tagName}: ${e.textContent.slice(0, 40)}`)"""


def grow(page: Page) -> None:
    for lab in page.locator("whyformer-lab").all():
        lab.evaluate("(lab, state) => lab.set(state)", largest_state(LABS[lab.get_attribute("name")]))


@every_page
def test_nothing_sticks_out_on_a_telephone(name, open_page):
    page = open_page(name, color_scheme="dark", viewport={"width": 360, "height": 740})
    assert page.evaluate(TOO_WIDE) == []
    grow(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(TOO_WIDE) == []
    widths = "[...document.querySelectorAll('.wf-live .wf-panel')].map((panel) => panel.offsetWidth).join()"
    for width in (1280, 400, 360):  # pictures follow when the window changes
        before = page.evaluate(widths)
        page.set_viewport_size({"width": width, "height": 740})
        page.wait_for_function(f"(before) => !before || {widths} !== before", arg=before)
        page.wait_for_function(f"({TOO_WIDE})().length === 0")


@every_page
def test_projector_enlarges_type_and_strokes(name, open_page):
    size = """(lab) => [
      parseFloat(getComputedStyle(lab.querySelector(".wf-sentence")).fontSize),
      parseFloat(getComputedStyle(lab).getPropertyValue("--wf-stroke")),
      (lab.querySelector("svg text") ?? lab.querySelector(".wf-diagram, .wf-reach")).getBoundingClientRect().height,
    ]"""
    screen = {"width": 1024, "height": 768}
    plain, large = (open_page(name, query=query, viewport=screen) for query in ("", "?projector"))
    for one, other in zip(*(page.locator("whyformer-lab").all() for page in (plain, large)), strict=True):
        assert all(b > 1.2 * a for a, b in zip(one.evaluate(size), other.evaluate(size), strict=True))
    assert large.evaluate(TOO_WIDE) == []
    grow(large)
    assert large.evaluate(TOO_WIDE) == []


@every_page
def test_nothing_moves_by_itself_for_those_who_ask(name, open_page):
    page = open_page(name, reduced_motion="reduce")
    grow(page)
    moving = """() => [...document.querySelectorAll("whyformer-lab *, whyformer-predict *")].filter((e) => {
      const style = getComputedStyle(e);
      return parseFloat(style.transitionDuration) > 0 || parseFloat(style.animationDuration) > 0;
    }).map((e) => e.className)"""
    assert page.evaluate(moving) == []
    for lab in page.locator("whyformer-lab").all():
        driver = Driver(page, lab)
        driver.drive(next(iter(driver.kind.controls())))


@every_page
def test_on_paper_stands_the_still_figure(name, open_page):
    page = open_page(name)
    again = page.get_by_role("button", name="Ask me again")
    while again.count():
        again.first.click()
    page.emulate_media(media="print")
    for lab in page.locator("whyformer-lab").all():
        assert lab.locator(".wf-fallback img").is_visible() and not lab.locator(".wf-live").is_visible()
        cover = lab.evaluate("(lab) => getComputedStyle(lab, '::after').content")
        assert cover in ("none", "normal"), f"on paper the figure is covered by {cover}"


@every_page
def test_without_javascript_figure_and_question_are_there(name, open_page):
    page = open_page(name, java_script_enabled=False)
    for lab in page.locator("whyformer-lab").all():
        image = lab.locator(".wf-fallback img")
        assert image.is_visible() and image.evaluate("(image) => image.naturalWidth > 300")
        assert image.get_attribute("alt") == lab.locator("figcaption").inner_text()
    for question in page.locator("whyformer-predict").all():
        assert question.locator(".wf-fallback").is_visible() and question.locator("li").count() >= 2


@every_page
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(name, scheme, open_page):
    assert AXE.is_file(), "axe-core is missing: npm ci in code/"
    page = open_page(name, "http", color_scheme=scheme)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("(tags) => axe.run(document, {runOnly: {type: 'tag', values: tags}})", WCAG)
    shown = [f"{v['id']}: {n['target']} {n['failureSummary']}" for v in found["violations"] for n in v["nodes"]]
    assert not shown, "\n".join(shown)


BARE_WORDS = """(root) => {
  const strip = (text) => {
    for (let before = ""; before !== text; ) { before = text; text = text.replace(/⟦[^⟦⟧]*⟧/g, " "); }
    return text.replaceAll("dₖ", " ");
  };
  const bare = [], measured = root.closest("whyformer-lab")?.data ?? {};
  const tokens = new Set(Object.values(measured).flatMap((one) => one?.tokens ?? []));  // said by a model, not by a lab
  const check = (text, where) => {
    if (!tokens.has(text) && /\\p{L}{2,}/u.test(strip(text))) bare.push(`${where}: ${text}`);
  };
  const attributes = ["aria-label", "aria-valuetext", "title", "alt", "placeholder"];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.parentElement.closest(".wf-spoken")) continue;  // it says the sentence, a little later
    if (node.nodeType === Node.TEXT_NODE) check(node.data, node.parentElement.outerHTML.slice(0, 60));
    else for (const name of attributes) check(node.getAttribute(name) ?? "", name);
  }
  return bare;
}"""


def test_every_word_of_a_lab_goes_through_the_lookup(open_page):
    page = open_page("labs")
    spoken = "([lab, words]) => lab.querySelector('.wf-spoken').textContent === words"
    page.evaluate("WhyformerLabs.use_catalogue((text) => '⟦' + text + '⟧')")
    for lab in page.locator("whyformer-lab").all():
        kind = LABS[lab.get_attribute("name")]
        spoilt = {name: "no such value" for name in kind.controls()}
        options = [{n: v} for n, c in kind.controls().items() if c.kind == "choice" for v in c.options]
        for change in ({}, *options, largest_state(kind), spoilt):
            lab.evaluate("(lab, change) => lab.set(change)", change)
            assert lab.locator(".wf-live").evaluate(BARE_WORDS) == []
        page.wait_for_function(spoken, arg=[lab.element_handle(), lab.evaluate("(lab) => lab.description")])
        lab.get_by_role("button", name="Copy link").click()
        assert lab.locator(".wf-live").evaluate(BARE_WORDS) == []


def test_the_guard_sees_what_leaves_the_machine(chromium):
    assert is_inside("http://127.0.0.1:8000/x") and not is_inside("http://127.0.0.1.example.org/x")
