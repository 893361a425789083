"""Links to a state of a lab: good ones set it, bad ones leave a working lab and a note, and nothing becomes HTML."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from browser import press, serve, settle, write_page
from lab_cases import LABS, defaults, random_states
from playwright.sync_api import Page, expect
from some import LABS_OF_EVERY_KIND, some

SCALE, SATURATION = "why_sqrt_dk/scale", "softmax_saturation/saturation"
EVIL = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
LONG = "9" * 10_000


#: A page of few labs loads quickly; what a link says is the same on any.
SHOWN = [SATURATION, "softmax_saturation/gap", SCALE]


@pytest.fixture(scope="module")
def site(lab_html, tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("links"), "\n".join(lab_html[name] for name in SHOWN)).as_uri()


@pytest.fixture
def labs_page(visit, site):
    return lambda fragment="", **options: visit(site + fragment, **options)


def lab_of(page: Page, name: str):
    return page.locator(f'whyformer-lab[name="{name}"]').first


def state_of(page: Page, name: str) -> dict:
    return states_of(page)[name]


def states_of(page: Page) -> dict[str, dict]:
    return page.evaluate(EACH.format("lab.state"))


def notes_of(page: Page) -> dict[str, list[str]]:
    return page.evaluate(EACH.format("[...lab.querySelectorAll('.wf-notes p')].map((note) => note.innerText)"))


EACH = """Object.fromEntries([...document.querySelectorAll("whyformer-lab")].map(
  (lab) => [lab.getAttribute("name"), {}]))"""


def check_alive(page: Page, name: str) -> None:
    """Nothing was inserted or run; every state is one that Python takes; the first slider still works."""
    assert page.evaluate("window.hacked") is None
    assert not page.query_selector(".wf-live :is(img, script, iframe, object)")
    for lab, state in states_of(page).items():
        LABS[lab](**state)
    lab = lab_of(page, name).element_handle()
    slider, said = lab.query_selector("input[type=range]"), set()
    for key in ("Home", "End"):
        slider.press(key)
        said.add(lab.evaluate("(lab) => lab.description"))
    assert len(said) == 2


GRADIENT = {"divisor": "d_k", "related": "all", "rho": 0.25, "quantity": "gradient_w_q"}
GOOD = [
    (SCALE, "#scale?d_k=64&seed=7", {"d_k": 64, "seed": 7}),
    (SCALE, "#scale?", {}),
    (SCALE, "#scale?divisor=d_k&related=all&rho=0.25&quantity=gradient_w_q", GRADIENT),
    (SCALE, "#scale?d_k=4&d_k=8", {"d_k": 8}),
    (SCALE, "#%73cale?d%5Fk=%38", {"d_k": 8}),
    (SCALE, "#scale?d_k=+8+", {"d_k": 8}),
    (SATURATION, "#saturation?logits=1,-2.5,3&temperature=0.5", {"logits": [1, -2.5, 3], "temperature": 0.5}),
    (SATURATION, "#saturation?logits=1%2C2", {"logits": [1, 2]}),
    ("softmax_saturation/gap", "#gap?a=3.14159", {"a": 3.14159}),
]


@pytest.mark.parametrize(("name", "fragment", "wanted"), GOOD, ids=[case[1] for case in GOOD])
def test_a_good_link_sets_the_state_and_shows_the_lab(name, fragment, wanted, labs_page):
    page = labs_page(fragment)
    assert states_of(page) == {lab: defaults(LABS[lab]) | (wanted if lab == name else {}) for lab in SHOWN}
    assert not any(notes_of(page).values())
    expect(lab_of(page, name).locator(".wf-title")).to_be_in_viewport()


#: What a link says of a lab, and the controls that then stand elsewhere than at their defaults (None: wherever).
HOSTILE = {
    SCALE: {
        "d_k=NaN": {}, "d_k=1e99": {"d_k": 4096}, "d_k=-5": {"d_k": 1}, "d_k=33": None, "d_k=": {}, "d_k=null": {},
        "d_k=Infinity": {"d_k": 4096}, "d_k=-1e400": {"d_k": 1}, "d_k=8,8": {}, "d_k=4&d_k=x": {},
        "d_k=%E0%A4%A": {}, "%E0%A4%A=%": {}, "d_k={name}{value}$&": {}, "seed=1.5": None, "seed=-1": {"seed": 0},
        "rho=0.95": {"rho": 0.9}, "n_keys=1e9&rho=-1": {"n_keys": 64}, "quantity=__proto__": {}, "divisor=": {},
        "nothing=1": {}, "D_K=8": {}, "size=small": {}, "__proto__=1": {}, "constructor=1&d_k=8": {"d_k": 8},
        "toString=": {}, f"d_k={EVIL}": {}, f"{EVIL}=8": {}, f"divisor={EVIL}": {}, f"d_k={LONG}": {}, f"{LONG}=1": {},
        f"d_k={quote(EVIL)}&{quote(EVIL)}=1": {}, f"n_keys={LONG}&d_k=8": {}, f"divisor={LONG}": {},
    },
    SATURATION: {
        "logits=1,2,x": {}, "logits=1": {}, "logits=" + ",".join("1" * 13): {}, "logits=,,,": {}, "upstream=": {},
        "logits=99,-99,0": {"logits": [10, -10, 0]}, f"logits={EVIL},1": {}, "logits=" + "1," * 5000: {},
    },
}  # fmt: skip
AT_START = ["d_k=NaN", "d_k=1e99", "d_k=-5", "d_k=33", f"d_k={EVIL}", f"{EVIL}=8", f"d_k={LONG}", "__proto__=1"]


def check_hostile(page: Page, name: str, wanted: dict | None) -> None:
    notes = notes_of(page)
    assert notes[name] and all(len(note) < 300 for note in notes.pop(name)) and not any(notes.values())
    expect(lab_of(page, name).locator(".wf-notes p").first).to_be_in_viewport()
    if wanted is not None:
        assert state_of(page, name) == defaults(LABS[name]) | wanted
    check_alive(page, name)


@pytest.mark.parametrize("asked", some(AT_START, ["d_k=1e99", f"{EVIL}=8"]))
def test_a_page_opened_with_a_hostile_link_has_a_working_lab_and_a_note(asked, labs_page):
    check_hostile(labs_page(f"#scale?{asked}"), SCALE, HOSTILE[SCALE][asked])


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_links_on_an_open_page_leave_a_working_lab_and_a_note(name, labs_page):
    page = labs_page()
    for asked, wanted in HOSTILE[name].items():
        lab_of(page, name).evaluate("(lab) => lab.reset()")
        page.evaluate("(hash) => { location.hash = hash }", f"#{name.split('/')[1]}?{asked}")
        expect(lab_of(page, name).locator(".wf-notes p").first).to_be_visible()
        check_hostile(page, name, wanted)


PLAIN = ["", "#", "#plain", "#scale", "#nowhere", f"#{EVIL}", f"#{LONG}", "#%E0%A4%A"]
UNKNOWN = ["#nolab?d_k=8", f"#{EVIL}?d_k=8", f"#{quote(EVIL)}?{EVIL}", "#?d_k=8", "#__proto__?d_k=8", "#%E0%A4%A?x=1",
           "#why_sqrt_dk/scale?d_k=8", f"#{'x' * 3000}?d_k=8", '#"]whyformer-lab?d_k=8']  # fmt: skip


@pytest.mark.parametrize("fragment", some(UNKNOWN, ["#nolab?d_k=8", f"#{EVIL}?d_k=8", "#%E0%A4%A?x=1"]))
def test_a_link_to_an_unknown_lab_leaves_one_note(fragment, labs_page):
    page = labs_page(fragment)
    notes = [note for lab in notes_of(page).values() for note in lab]
    assert len(notes) == 1 and "not on this page" in notes[0] and len(notes[0]) < 200
    expect(page.locator(".wf-notes p")).to_be_in_viewport()
    assert states_of(page) == {lab: defaults(LABS[lab]) for lab in SHOWN}
    check_alive(page, SHOWN[0])


@pytest.mark.parametrize("fragment", some(PLAIN, ["#plain", "#scale", f"#{EVIL}"]))
def test_an_ordinary_anchor_gives_no_note(fragment, labs_page):
    page = labs_page(fragment)
    assert not any(notes_of(page).values())
    assert states_of(page) == {lab: defaults(LABS[lab]) for lab in SHOWN}
    check_alive(page, SCALE)


def test_links_on_an_open_page(labs_page):
    """A click on a link moves the lab without loading the page again; an anchor leaves it as it is."""
    page = labs_page()
    targets = {"a": "#scale?d_k=96&n_keys=3", "b": "#plain", "c": "#scale?d_k=x", "d": "#nolab?a=1"}
    links = " ".join(f'<a href="{target}">{text}</a>' for text, target in targets.items())
    page.evaluate("(links) => { document.querySelector('h1').innerHTML = links }", links)
    page.evaluate("window.same = true")
    for text, wanted, notes in (("a", 96, 0), ("b", 96, 0), ("c", 8, 1), ("a", 96, 0)):
        page.get_by_role("link", name=text, exact=True).click()
        page.wait_for_function(f"document.querySelector('[name=\"{SCALE}\"]').state.d_k === {wanted}")
        expect(lab_of(page, SCALE).locator(".wf-notes p")).to_have_count(notes)
    page.get_by_role("link", name="d", exact=True).click()
    expect(page.locator(".wf-notes p", has_text="nolab")).to_be_visible()
    assert page.evaluate("window.same")


@pytest.mark.parametrize(
    ("name", "count"),
    [(name, 1) for name in LABS_OF_EVERY_KIND] + [pytest.param(name, 5, marks=pytest.mark.thorough) for name in LABS],
)
def test_a_copied_link_opens_the_same_state(name, count, visit, lab_html, tmp_path):
    with serve(write_page(tmp_path, lab_html[name]).parent) as base:
        page = visit(base + "/index.html", permissions=["clipboard-read", "clipboard-write"])
        lab = lab_of(page, name)
        for state in random_states(LABS[name], count, 12) + [defaults(LABS[name])] * (count > 1):
            lab.evaluate("(lab, state) => lab.set(state)", state)
            sentence = lab.evaluate("(lab) => lab.description")
            press(lab, "Copy link")
            expect(lab.locator(".wf-notes p")).to_contain_text("Copied:")
            link = page.evaluate("navigator.clipboard.readText()")
            assert link == page.url and link in lab.locator(".wf-notes p").inner_text()
            page.goto("about:blank")
            page.goto(link)
            settle(page)
            assert state_of(page, name) == state and not lab.locator(".wf-notes p").count()
            assert lab.evaluate("(lab) => lab.description") == sentence == LABS[name](**state).description


def test_a_link_can_be_copied_where_the_clipboard_is_closed(labs_page):
    page = labs_page()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')) }")
    lab_of(page, SCALE).evaluate("(lab) => lab.set({d_k: 9})")
    press(lab_of(page, SCALE), "Copy link")
    expect(lab_of(page, SCALE).locator(".wf-notes p")).to_have_text(f"Copy this: {page.url}")
    assert page.url.endswith("index.html#scale:1?d_k=9&ask")


KINDS = {control.kind for kind in LABS.values() for control in kind.controls().values()}


def test_the_labs_that_are_set_have_every_kind_of_control():
    assert KINDS == {control.kind for name in LABS_OF_EVERY_KIND for control in LABS[name].controls().values()}


@pytest.mark.parametrize("name", some(LABS))
def test_set_takes_anything(name, visit, lab_pages):
    """What ``set`` is given by other scripts is admitted like a link: the nearest allowed value, or the default."""
    page = visit(lab_pages[name])
    states = page.locator("whyformer-lab").evaluate(
        """(lab, names) => ["null", "undefined", "{}", "[]", "true", "NaN", "Symbol()", "1n", "[1, [2]]",
                           "'x'.repeat(9e4)"].flatMap((bad) => names.map((name) => {
          lab.set({[name]: eval(`(${bad})`)});
          return lab.state;
        }))""",
        list(LABS[name].controls()),
    )
    for state in states:
        LABS[name](**state)
    assert states[-1] == page.locator("whyformer-lab").evaluate("(lab) => { lab.reset(); return lab.state }")


def test_a_link_by_a_former_name_still_finds_its_lab(visit, lab_pages):
    page = visit(lab_pages["layer_norm/placement"] + "#where?n_layers=8")
    assert state_of(page, "layer_norm/placement")["n_layers"] == 8
    assert not any(notes_of(page).values())
