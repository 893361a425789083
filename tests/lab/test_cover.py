"""What a prediction covers beside its lab, the short answer of the chapter, and where committing brings the lab."""

from __future__ import annotations

import pytest
from browser import serve, settle, write_page
from lab_cases import defaults
from playwright.sync_api import Locator, Page, expect
from whyformer.lab import Lab, Option, Predict
from whyformer.questions.softmax_saturation import GapLab, SaturationLab
from whyformer.questions.why_sqrt_dk import ScaleLab

OPTIONS = [Option("more", "So it is.", right=True), Option("less", "Look again.")]
ANSWER = """<section id="short-answer"><h2>Short answer<a class="headerlink" href="#short-answer">#</a></h2>
<p id="first">It becomes <a href="x.html">larger</a>. One, two, three more lines of an answer are needed here, so that
it has some room of its own on the page and a line laid over it finds a place.</p>
<p id="inside">And why.</p></section>"""
STATES = {"d_k": 64, "related": "all", "rho": 0.25}


def question(name: str = "room/what", covers: tuple[type[Lab], ...] = (ScaleLab,), then: dict | None = None) -> str:
    return Predict(name, "More or less?", OPTIONS, covers=covers, then=then).html()


@pytest.fixture(scope="module")
def labs() -> str:
    return ScaleLab(size="small").html() + ScaleLab().html() + GapLab().html()


@pytest.fixture(scope="module")
def base(labs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cover")
    bodies = {
        "index": question(then={"step": 6}) + ANSWER + labs,
        "state": question(covers=(GapLab, ScaleLab), then={"lab": ScaleLab.slug, "state": STATES}) + ANSWER + labs,
        "both": question(then={"step": 3, "state": {"d_k": 64}}) + question("room/second", (GapLab,)) + ANSWER + labs,
        "below": ANSWER + question() + labs,
    }
    for name, body in bodies.items():
        write_page(folder, body, name=f"{name}.html")
    with serve(folder) as address:
        yield address


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def commit(page: Page, option: int = 0, nth: int = 0) -> None:
    asked = page.locator("whyformer-predict").nth(nth)
    asked.locator("label").nth(option).click()
    asked.get_by_role("button", name="Commit").click()


def is_covered(page: Page) -> bool:
    """Blurred, told so, and out of reach of mouse, keyboard and screen reader; or none of these."""
    told = page.locator(".wf-curtain").count() == 1 and page.locator(".wf-curtain").is_visible()
    parts = page.locator("#short-answer > p:not(.wf-curtain)").all()
    blurred = {"blur" in part.evaluate("(part) => getComputedStyle(part).filter") for part in parts}
    inert = {part.evaluate("(part) => part.inert") for part in parts}
    assert {told} == blurred == inert
    return told


def scale(page: Page) -> Locator:
    return page.locator('whyformer-lab[size="full"][name="why_sqrt_dk/scale"]')


def place(page: Page) -> list:
    """Where the lab stands: its step, and what differs from the defaults."""
    step, state = scale(page).evaluate("(lab) => [lab.step, lab.state]")
    return [step, {name: value for name, value in state.items() if value != defaults(ScaleLab)[name]}]


#: Where the heading and the paragraphs of the short answer stand, measured from the top of its section.
ROOMS = """() => {
  const section = document.querySelector("#short-answer"), { top, height } = section.getBoundingClientRect();
  const parts = [...section.querySelectorAll("h2, p:not(.wf-curtain)")].map((p) => p.getBoundingClientRect().top - top);
  return [height, ...parts];
}"""


def test_the_short_answer_is_covered_in_its_own_room_until_the_reader_commits(visit, base):
    page = visit(f"{base}/index.html")
    assert is_covered(page) and page.locator("#short-answer h2").is_visible()
    expect(page.locator(".wf-curtain")).to_have_text("Commit to a prediction above, or skip, to read the short answer.")
    page.locator("#first a").evaluate("(link) => link.focus()")
    assert page.locator("#first a:focus").count() == 0, "a link below the cover takes the focus"
    before = page.evaluate(ROOMS)
    commit(page)
    assert not is_covered(page) and page.evaluate(ROOMS) == before, "the text moved when the cover went"
    page.reload()
    settle(page)
    assert not is_covered(page), "the answer was forgotten"
    press(page, "Predict again")
    assert is_covered(page)
    press(page, "Skip")
    assert not is_covered(page)


def test_the_line_over_the_answer_lies_within_it_on_a_narrow_phone(visit, base):
    page = visit(f"{base}/index.html", viewport={"width": 360, "height": 640})
    line, section = page.locator(".wf-curtain").bounding_box(), page.locator("#short-answer").bounding_box()
    assert section["x"] <= line["x"] and line["x"] + line["width"] <= section["x"] + section["width"]
    assert section["y"] < line["y"] and line["y"] + line["height"] <= section["y"] + section["height"]


def test_the_short_answer_is_readable_without_javascript_and_on_paper(visit, base):
    blur = "(p) => getComputedStyle(p).filter"
    page = visit(f"{base}/index.html", java_script_enabled=False)
    assert page.locator("#first").evaluate(blur) == "none" and page.locator(".wf-curtain").count() == 0
    page = visit(f"{base}/index.html")
    page.emulate_media(media="print")
    assert page.locator("#first").evaluate(blur) == "none" and not page.locator(".wf-curtain").is_visible()


@pytest.mark.parametrize("anchor", ["#short-answer", "#inside", "#in%73ide"])
def test_a_link_to_the_short_answer_opens_it(anchor, visit, base):
    page = visit(f"{base}/index.html{anchor}")
    assert not is_covered(page) and scale(page).get_attribute("covered") is not None, "and it alone"
    page = visit(f"{base}/index.html#plain")
    assert is_covered(page)
    page.evaluate("(anchor) => { location.hash = anchor }", anchor)
    page.wait_for_function("!document.querySelector('.wf-curtain')")
    assert not is_covered(page)
    commit(page)
    press(page, "Predict again")
    assert is_covered(page), "asked to predict again, the reader sees the answer"
    scale(page).evaluate("(lab) => lab.dispatchEvent(new CustomEvent('whyformer:ready', { bubbles: true }))")
    assert is_covered(page)


def test_two_questions_both_cover_and_one_below_does_not(visit, base):
    page = visit(f"{base}/both.html")
    expect(page.locator(".wf-curtain")).to_have_text(
        "Commit to each prediction above, or skip it, to read the short answer."
    )
    commit(page, nth=1)
    assert is_covered(page), "one of two questions still waits"
    commit(page)
    assert not is_covered(page)
    assert not is_covered(visit(f"{base}/below.html"))


THEN = [("index", 0, [6, {"quantity": "gradient_w_q"}]), ("index", 1, [6, {"quantity": "gradient_w_q"}]),
        ("state", 0, [7, STATES]), ("both", 0, [3, {"divisor": "sqrt", "d_k": 64}])]  # fmt: skip


@pytest.mark.parametrize(("name", "option", "wanted"), THEN)
def test_committing_brings_the_lab_to_the_state_in_question(name, option, wanted, visit, base):
    page = visit(f"{base}/{name}.html")
    scale(page).evaluate("(lab) => lab.set({seed: 9})")  # a reader's own state is left behind
    top = page.evaluate("scrollY")
    commit(page, option)
    assert place(page) == wanted
    assert page.evaluate("scrollY") == top and page.locator("whyformer-predict :focus").count() == 1
    assert page.locator('[size="small"]').evaluate("(lab) => lab.state.d_k") == 512, "a small lab went along"


def test_skipping_and_coming_back_leave_the_lab_where_it_was(visit, base):
    page = visit(f"{base}/index.html")
    press(page, "Skip")
    assert place(page) == [1, {}]
    press(page, "Predict again")
    commit(page)
    page.reload()
    settle(page)
    assert place(page) == [1, {}]


def test_commit_without_a_choice_asks_for_one(visit, base):
    page = visit(f"{base}/index.html")
    press(page, "Commit")
    feedback = page.locator("whyformer-predict .wf-feedback")
    expect(feedback).to_have_text("Choose an answer first, or skip.")
    assert is_covered(page)
    page.locator("whyformer-predict label").first.click()
    expect(feedback).to_have_text("")


BAD = [
    ({"stp": 1}, "may have lab, step and state; got 'stp'"),
    ({"lab": "no/lab", "step": 1}, "leads to a lab that it covers (softmax_saturation/saturation); got 'no/lab'"),
    ({}, "needs a step or a state"),
    *(({"step": step}, "has the steps 1 to 5; then asks for step") for step in (0, 6, "1", True, 1.5)),
    ({"state": {"temprature": 1}}, "has no control 'temprature'; it has logits, "),
    ({"state": {"temperature": 99}}, "temperature must be a number from "),
    ({"state": {"logits": "8,8"}}, "logits must be "),
]


@pytest.mark.parametrize(("then", "said"), BAD, ids=[str(then) for then, _ in BAD])
def test_python_refuses_a_destination_that_is_none_and_says_what_is_allowed(then, said):
    with pytest.raises(ValueError, match="^Predict 'room/what': ") as error:
        question(covers=(SaturationLab,), then=then)
    assert said in str(error.value)


def test_a_destination_needs_its_lab_named_if_several_are_covered(monkeypatch):
    for covers in ((), (SaturationLab, GapLab)):
        with pytest.raises(ValueError, match="leads to a lab that it covers"):
            question(covers=covers, then={"state": {}})
    with monkeypatch.context() as patch:
        patch.setattr(GapLab, "steps", ())
        with pytest.raises(ValueError, match="has no steps"):
            question(covers=(GapLab,), then={"step": 1})
    spelled = Predict("a", "?", OPTIONS, covers=[SaturationLab], then={"state": {"logits": (8, 8)}})
    assert spelled._declaration["then"] == {"lab": SaturationLab.slug, "state": {"logits": [8, 8]}}
