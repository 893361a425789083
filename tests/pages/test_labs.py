"""Each lab, driven thoroughly once: every control by mouse and by keyboard, on a page of all labs, offline.

On the page of its chapter each lab is dragged once more, from a file and over http (``test_looks``).
"""

from __future__ import annotations

import pytest
from browser import Visits, is_inside
from driver import Driver
from lab_cases import LABS, largest_state
from playwright.sync_api import Page
from some import some


@pytest.fixture(autouse=True)
def no_trouble(visits: Visits):
    yield
    visits.check()


@pytest.fixture(scope="module")
def all_labs(visits: Visits, labs_site) -> Page:
    return visits.open((labs_site / "index.html").as_uri())


@pytest.mark.parametrize("name", some(LABS))
def test_every_control_moves_the_picture(name: str, all_labs: Page) -> None:
    Driver(all_labs, all_labs.locator(f'whyformer-lab[name="{name}"]')).drive_all()


#: The lab, alive and on the page, but its panels are those of the state it began with; words and controls follow.
FROZEN = """(lab) => {
  const name = lab.getAttribute("name"), { compute, view } = WhyformerLabs.labs.get(name), copy = lab.cloneNode(true);
  const state = lab.state, series = lab.series;
  WhyformerLabs.labs.set(name, {compute, view: (_, __, frame) => view(state, series, frame)});
  copy.querySelector(".wf-live").remove();
  lab.replaceWith(copy);
}"""


@pytest.mark.parametrize("name", some(LABS, ["why_sqrt_dk/scale"]))
def test_a_frozen_picture_is_noticed(name: str, visit, lab_pages) -> None:
    page = visit(lab_pages[name])
    page.locator("whyformer-lab").evaluate(FROZEN)
    with pytest.raises(AssertionError, match="did not follow|not as it began"):
        Driver(page, page.locator("whyformer-lab")).drive_all()


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
  // A sentence in a picture is broken into lines: they are read together.
  for (const panel of root.querySelectorAll(".wf-panel > svg")) {
    const lines = [...panel.querySelectorAll("text")].map((text) => text.textContent);
    for (let i = 0; i < lines.length; i++) {
      let said = lines[i];
      const open = () => said.split("⟦").length > said.split("⟧").length;
      while (open() && i + 1 < lines.length) said += " " + lines[++i];
      check(said, "text");
    }
  }
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.parentElement.closest(".wf-spoken")) continue;  // it says the sentence, a little later
    const element = node.parentElement;
    // Words of a lab inside of a sentence are elements of their own: the sentence is read as a whole.
    const whole = element.closest(".wf-title, .wf-sentence, .wf-says p");
    const said = whole ? whole.textContent : node.data;
    if (node.nodeType === Node.TEXT_NODE) element.closest("svg") || check(said, element.outerHTML.slice(0, 60));
    else for (const name of attributes) check(node.getAttribute(name) ?? "", name);
  }
  return bare;
}"""
EACH = f"""(lab, changes) => changes.flatMap((change) => {{
  lab.set(change);
  return ({BARE_WORDS})(lab.querySelector(".wf-live"));
}})"""


@pytest.mark.thorough
def test_every_word_of_a_lab_goes_through_the_lookup(visit, labs_site):
    page = visit((labs_site / "index.html").as_uri())
    page.evaluate("WhyformerLabs.use_catalogue((text) => '⟦' + text + '⟧')")
    labs = page.locator("whyformer-lab").element_handles()
    for lab in labs:
        kind = LABS[lab.get_attribute("name")]
        spoilt = {name: "no such value" for name in kind.controls()}
        options = [{n: v} for n, c in kind.controls().items() if c.kind == "choice" for v in c.options]
        changes = [{}, *options, largest_state(kind), spoilt]
        assert lab.evaluate(EACH, changes) == []
        for step in range(1, len(kind.steps) + 1):
            lab.evaluate("(lab, step) => lab.go(step)", step)
            lab.query_selector("summary").click()
            assert lab.evaluate(EACH, [{}, {"seed": 5, "d_k": 8}]) == []
        lab.evaluate("(lab) => lab.go(99)")
        lab.query_selector("[data-act=link]").click()
        page.wait_for_function("(lab) => lab.querySelector('.wf-notes p')", arg=lab)
        assert lab.evaluate(f"(lab) => ({BARE_WORDS})(lab.querySelector('.wf-live'))") == []
    said = "(lab) => lab.querySelector('.wf-spoken').textContent === lab.description"
    for lab in labs:
        page.wait_for_function(said, arg=lab)


def test_the_guard_sees_what_leaves_the_machine():
    assert is_inside("http://127.0.0.1:8000/x") and not is_inside("http://127.0.0.1.example.org/x")
