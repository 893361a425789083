"""A lab whose code throws says so, shows its still picture, and comes back; the rest of the page goes on."""

from __future__ import annotations

import pytest
from browser import ALL_STARTED, guard, write_page
from lab_cases import LABS
from playwright.sync_api import Page, expect

GAP, SCALE = "softmax_saturation/gap", "why_sqrt_dk/scale"
SHOWN = [GAP, "framework/wiring", SCALE, "dropout_sites/sites"]
#: As the bundle registers the gap lab, one of its two functions is made to fail from LEAST on.
FAIL = f"""
const set = Map.prototype.set;
Map.prototype.set = function (name, lab) {{
  if (name !== "{GAP}") return set.call(this, name, lab);
  const failing = (state, ...others) => {{
    if (window.mended || state.a < LEAST) return lab.PART(state, ...others);
    throw new Error("that is too much");
  }};
  return set.call(this, name, {{...lab, PART: failing}});
}};
"""
PARTS = ["compute", "view"]


@pytest.fixture(scope="module")
def site(lab_html, tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("broken"), "\n".join(lab_html[name] for name in SHOWN)).as_uri()


@pytest.fixture
def opened(chromium, site):
    """``opened(url, script)``: a page and what it complained of; complaints do not fail the test."""
    contexts = []

    def go(url: str = "", script: str = "") -> tuple[Page, list[str]]:
        trouble: list[str] = []
        contexts.append(chromium.new_context())
        contexts[-1].set_default_timeout(10_000)
        guard(contexts[-1], trouble)
        page = contexts[-1].new_page()
        if script:
            page.add_init_script(script)
        page.goto(url or site)
        page.wait_for_load_state()
        page.wait_for_function(ALL_STARTED)
        return page, trouble

    yield go
    for context in contexts:
        context.close()


def lab_of(page: Page, name: str):
    return page.locator(f'whyformer-lab[name="{name}"]').first


def check_broken(page: Page, trouble: list[str], name: str = GAP) -> None:
    lab = lab_of(page, name)
    expect(lab.get_by_role("alert")).to_contain_text("This lab has stopped")
    assert lab.evaluate("(lab) => lab.description") == lab.get_by_role("alert").inner_text()
    expect(lab.locator(".wf-fallback svg")).to_be_visible()
    expect(lab.get_by_role("button", name="Reset")).to_be_visible()
    expect(lab.locator("form")).to_have_count(0)
    assert any(name in said and "that is too much" in said for said in trouble), trouble
    assert not [said for said in trouble if said.startswith("error:")], "thrown, where it stops other code"


def check_well(page: Page, name: str = GAP) -> None:
    lab = lab_of(page, name)
    expect(lab.locator("form.wf-lab")).to_be_visible()
    expect(lab.get_by_role("alert")).to_have_count(0)
    expect(lab.locator(".wf-fallback")).to_be_hidden()
    assert "NaN" not in lab.inner_text() and "{" not in lab.evaluate("(lab) => lab.description")


def check_others(page: Page, broken: str = GAP) -> None:
    assert page.locator("whyformer-lab form.wf-lab").count() == len(SHOWN) - 1
    slider = lab_of(page, SCALE).locator("[name=d_k]")
    slider.press("Home")
    assert lab_of(page, SCALE).evaluate("(lab) => lab.state.d_k") == 1


@pytest.mark.parametrize("part", PARTS)
def test_a_lab_that_fails_at_its_start(part, opened):
    page, trouble = opened(script=FAIL.replace("PART", part).replace("LEAST", "0"))
    check_broken(page, trouble)
    check_others(page)
    lab_of(page, GAP).get_by_role("button", name="Reset").click()  # in vain, and no worse
    check_broken(page, trouble)
    page.evaluate("window.mended = true")
    lab_of(page, GAP).get_by_role("button", name="Reset").click()
    check_well(page)


BACK = {
    "reset": lambda page: lab_of(page, GAP).get_by_role("button", name="Reset").click(),
    "set": lambda page: lab_of(page, GAP).evaluate("(lab) => lab.set({a: 3})"),
    "link": lambda page: page.evaluate("() => { location.hash = '#gap?a=3' }"),
}


@pytest.fixture
def failing(opened):
    """A page on which the gap lab fails beyond its default state."""

    def go(part: str) -> tuple[Page, list[str]]:
        page, trouble = opened(script=FAIL.replace("PART", part).replace("LEAST", "9"))
        check_well(page)
        assert not trouble
        return page, trouble

    return go


@pytest.mark.parametrize("back", BACK)
@pytest.mark.parametrize("part", PARTS)
def test_a_lab_that_fails_later_comes_back(part, back, failing):
    page, trouble = failing(part)
    slider = lab_of(page, GAP).get_by_role("slider").first
    slider.press("End")
    check_broken(page, trouble)
    assert lab_of(page, GAP).evaluate("(lab) => lab.state.a") == 12
    page.set_viewport_size({"width": 500, "height": 700})  # it draws again, and fails again
    check_broken(page, trouble)
    check_others(page)
    BACK[back](page)
    check_well(page)
    slider.press("Home")
    assert lab_of(page, GAP).evaluate("(lab) => lab.state.a") == 0
    check_well(page)


def test_the_words_of_a_failure_go_through_the_lookup(failing):
    page, trouble = failing("compute")
    page.evaluate("WhyformerLabs.use_catalogue((text) => '⟦' + text + '⟧')")
    lab_of(page, GAP).evaluate("(lab) => lab.set({a: 11})")
    live = lab_of(page, GAP).locator(".wf-live")
    assert [text[0] + text[-1] for text in live.inner_text().split("\n") if text.strip()] == ["⟦⟧", "⟦⟧"]


PAYLOAD = '<script type="application/json">'


@pytest.mark.parametrize(
    "spoil",
    [
        lambda html: html.replace(PAYLOAD, PAYLOAD + "{"),
        lambda html: html.replace('"declaration":', '"Declaration":'),
        lambda html: html.replace('"controls":', '"Controls":'),
        lambda html: html.replace('"state":{', '"state":null,"x":{'),
    ],
    ids=["no JSON", "no declaration", "no controls", "no state"],
)
def test_a_damaged_payload(spoil, opened, lab_html, tmp_path):
    html = [spoil(lab_html[GAP]), *(lab_html[name] for name in SHOWN if name != GAP)]
    assert html[0] != lab_html[GAP]
    page, trouble = opened(write_page(tmp_path, "\n".join(html)).as_uri())
    lab = lab_of(page, GAP)
    expect(lab.get_by_role("alert")).to_contain_text("This lab cannot start")
    expect(lab.locator(".wf-fallback svg")).to_be_visible()
    assert len(trouble) == 1 and trouble[0].startswith("console:") and GAP in trouble[0]
    check_others(page)
    page.set_viewport_size({"width": 500, "height": 700})
    lab.evaluate("(lab) => { lab.set({a: 3}); lab.reset(); }")
    expect(lab.get_by_role("alert")).to_contain_text("This lab cannot start")
    assert len(trouble) == 1


NAME = f'name="{GAP}"'


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda html: html.replace(PAYLOAD, PAYLOAD + "{"), "This lab cannot start"),
        (lambda html: html.replace(NAME, 'name="softmax_saturation/gone" formerly="gap"'), "There is no lab named"),
    ],
    ids=["damaged", "not in the bundle"],
)
def test_a_link_to_a_lab_that_did_not_start(spoil, words, opened, lab_html, tmp_path):
    far = '<p><a href="#gap?a=3">far</a></p><p style="height: 2400px"></p>'
    spoilt = spoil(lab_html[GAP])
    assert spoilt != lab_html[GAP]
    page, trouble = opened(write_page(tmp_path, far + spoilt + lab_html[SCALE]).as_uri())
    lab = page.locator("whyformer-lab").first
    before = len(trouble)
    page.get_by_role("link", name="far", exact=True).click()
    expect(lab).to_be_in_viewport()
    expect(lab.get_by_role("alert")).to_contain_text(words)
    page.evaluate("() => { location.hash = '#gap?a=4' }")
    lab.evaluate("(lab) => { lab.set({a: 3}); lab.go(2); lab.reset(); }")
    expect(lab.get_by_role("alert")).to_contain_text(words)
    page.go_back()
    page.go_back()
    expect(page.get_by_role("link", name="far", exact=True)).to_be_in_viewport()
    assert trouble[before:] == []


IN_JUPYTER = """([payload, fail]) => {
  const [name, part] = fail;
  const lab = WhyformerLabs.labs.get(name);
  const traits = {_declaration: payload.declaration, size: "full", ...payload.state};
  WhyformerLabs.labs.set(name, {...lab, [part]: (state, ...others) => {
    if (state.a < 7) return lab[part](state, ...others);
    throw new Error("that is too much");
  }});
  window.traits = traits;
  window.heard = {};
  window.model = {
    get: (key) => traits[key],
    set: (key, value) => { traits[key] = value; },
    save_changes() {},
    on: (event, heard) => { window.heard[event] = heard; },
    off() {},
  };
  const el = document.createElement("div");
  document.querySelector("main").prepend(el);
  WhyformerLabs.anywidget.render({model: window.model, el});
}"""


@pytest.mark.parametrize("part", PARTS)
def test_in_a_notebook(part, opened):
    page, trouble = opened()
    lab = LABS[GAP]()
    page.evaluate(IN_JUPYTER, [{"declaration": lab.declaration(), "state": {"a": 9.0}}, [GAP, part]])
    shown = lab_of(page, GAP)
    expect(shown.get_by_role("alert")).to_contain_text("lab.svg()")
    assert any("that is too much" in said for said in trouble)
    page.evaluate("() => { traits.a = 2; heard['change:a'](); }")  # Python sets a good value
    expect(shown.locator("form.wf-lab")).to_be_visible()
    shown.get_by_role("slider").first.press("End")
    expect(shown.get_by_role("alert")).to_be_visible()
    assert page.evaluate("traits.a") == 12, "Python knows the state all the same"
    page.evaluate("() => { traits.a = 3; heard['change:a'](); }")
    expect(shown.locator("form.wf-lab")).to_be_visible()
