"""After a bet: the lab says so, where picture and words agree, and goes on at step 1; the short answer opens."""

from __future__ import annotations

import pytest
from browser import serve, settle, write_page
from lab_cases import defaults
from playwright.sync_api import Locator, Page, expect
from whyformer.lab import Lab, Option, Predict
from whyformer.questions.multi_head import TwoWishesLab
from whyformer.questions.softmax_saturation import GapLab, SaturationLab
from whyformer.questions.why_sqrt_dk import ScaleLab

OPTIONS = [Option("more", "So it is.", right=True), Option("less", "Look again.")]
ANSWER = """<section id="short-answer"><details class="wf-answer"><summary><h2>Short answer</h2></summary>
<p id="first">It becomes larger.</p><p id="inside">And why.</p></details></section>
<p style="height: 3000px"><a href="#inside">why</a></p>"""
STATE = {"d_k": 128, "related": "all", "rho": 0.25}
SPLIT = 10


def question(name: str = "room/what", lab: type[Lab] | None = ScaleLab, **then) -> str:
    return Predict(name, "More or less?", OPTIONS, lab, **then).html()


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bets")
    labs = ScaleLab(size="small").html() + ScaleLab().html() + GapLab().html()
    bodies = {
        "last": question(step=6) + ANSWER + labs,
        "first": question(step=1) + ANSWER + labs,
        "state": question(step=3, state=STATE) + ANSWER + labs,
        "both": question(step=6) + question("room/second", GapLab) + ANSWER + labs,
        "below": ANSWER + question() + labs,
        "none": question(lab=None) + labs,
        "split": question(lab=TwoWishesLab, state={"first": SPLIT}) + TwoWishesLab().html(),
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


def scale(page: Page) -> Locator:
    return page.locator('whyformer-lab[size="full"][name="why_sqrt_dk/scale"]')


def place(page: Page) -> list:
    """Where the lab stands: its step, and what differs from the defaults."""
    step, state = scale(page).evaluate("(lab) => [lab.step, lab.state]")
    return [step, {name: value for name, value in state.items() if value != defaults(ScaleLab)[name]}]


def step_state(number: int, **more) -> dict:
    """After a bet the step has told."""
    step = ScaleLab.steps[number - 1]
    return {**(step.state or {}), **(step.told_at or {}), **more}


BETS = [("last", 0, [0, step_state(6)], "Your bet, here"), ("last", 1, [0, step_state(6)], "Your bet, here"),
        ("first", 0, [1, step_state(1)], "Your bet, here · Step 1 of 6"),
        ("state", 0, [0, step_state(3, **STATE)], "Your bet, here")]  # fmt: skip


@pytest.mark.parametrize(("name", "option", "wanted", "said"), BETS)
def test_after_a_bet_the_lab_says_so_in_the_state_it_was_about(name, option, wanted, said, visit, base):
    page = visit(f"{base}/{name}.html")
    scale(page).evaluate("(lab) => lab.set({seed: 9})")  # a reader's own state is left behind
    top = page.evaluate("scrollY")
    commit(page, option)
    assert place(page) == wanted
    expect(scale(page).locator(".wf-eyebrow")).to_have_text(said)
    assert scale(page).locator(".wf-left").count() == 0, "the sentence is dimmed, as if it spoke of another state"
    assert page.evaluate("scrollY") == top and page.locator("whyformer-predict :focus").count() == 1
    assert page.locator('[size="small"]').evaluate("(lab) => lab.state.d_k") == defaults(ScaleLab)["d_k"], (
        "a small lab went along"
    )


@pytest.mark.parametrize(("name", "then"), [("last", 1), ("state", 1), ("first", 2)])
def test_next_leads_from_a_bet_to_the_first_step_that_was_not_seen(name, then, visit, base):
    page = visit(f"{base}/{name}.html")
    commit(page)
    scale(page).get_by_role("button", name="Next", exact=True).click()
    assert place(page) == [then, ScaleLab.steps[then - 1].state or {}]
    expect(scale(page).locator(".wf-eyebrow")).to_have_text(f"Step {then} of 6")


def test_the_sentence_of_a_bet_speaks_of_the_picture(visit, base):
    """At nine tenths and one tenth no sentence has the numbers of half and half; it stands there once."""
    page = visit(f"{base}/split.html")
    commit(page)
    lab = page.locator("whyformer-lab")
    says = lab.locator(".wf-says").inner_text().replace("\u00a0", " ")
    assert says == TwoWishesLab(first=SPLIT).description and "99 %" in says
    assert lab.locator(".wf-sentence").inner_text() == ""
    lab.evaluate("(lab) => lab.set({ first: 50 })")
    expect(lab.locator(".wf-left .wf-eyebrow")).to_contain_text("Your bet, here · at ")
    assert lab.locator(".wf-sentence").inner_text().replace("\u00a0", " ") == lab.evaluate("(lab) => lab.description")
    lab.evaluate("(lab) => lab.reset()")
    assert lab.evaluate("(lab) => lab.state.first") == SPLIT, "Reset leads back to the bet"
    lab.locator(".wf-dot").first.focus()
    page.keyboard.press("ArrowRight")
    assert lab.evaluate("(lab) => lab.step") == 1 and lab.locator(".wf-dot:focus[aria-current]").count() == 1


def test_a_link_to_a_bet_opens_its_step(visit, base):
    page = visit(f"{base}/state.html")
    commit(page)
    scale(page).locator(".wf-more > summary").click()
    scale(page).get_by_role("button", name="Copy link").click()
    page.wait_for_function("location.hash !== ''")
    assert page.url.endswith("#scale:3?d_k=128&rho=0.25&related=all")


def test_a_question_of_no_lab_moves_none(visit, base):
    page = visit(f"{base}/none.html")
    commit(page)
    assert place(page) == [1, {}]


def test_skipping_and_coming_back_leave_the_lab_where_it_was(visit, base):
    page = visit(f"{base}/last.html")
    press(page, "Skip")
    assert place(page) == [1, {}]
    press(page, "Predict again")
    commit(page)
    page.reload()
    settle(page)
    assert place(page) == [1, {}]


def test_commit_without_a_choice_asks_for_one(visit, base):
    page = visit(f"{base}/last.html")
    press(page, "Commit")
    feedback = page.locator("whyformer-predict .wf-feedback")
    expect(feedback).to_have_text("Choose an answer first, or skip.")
    page.locator("whyformer-predict label").first.click()
    expect(feedback).to_have_text("")


# ---- the short answer


def is_open(page: Page) -> bool:
    assert page.locator("#short-answer h2").is_visible()
    return page.locator("#inside").is_visible()


def kept(page: Page, wanted: bool) -> None:
    page.wait_for_function("(wanted) => (sessionStorage.length > 0) === wanted", arg=wanted)


@pytest.mark.parametrize("how", ["bet", "skip", "tap"])
def test_the_short_answer_is_folded_until_the_reader_bets_skips_or_opens_it(how, visit, base):
    page = visit(f"{base}/last.html")
    assert not is_open(page)
    if how == "bet":
        commit(page)
    elif how == "skip":
        press(page, "Skip")
    else:
        page.locator(".wf-answer > summary").click()
    assert is_open(page)
    kept(page, True)
    page.reload()
    settle(page)
    assert is_open(page), "not as the reader left it"
    if how != "tap":
        press(page, "Predict again")
        assert not is_open(page), "asked to predict again, the reader sees the answer"
    page.locator(".wf-answer > summary").click()
    assert is_open(page) == (how != "tap")
    kept(page, how != "tap")


def test_it_waits_for_both_questions_above_it_and_for_none_below(visit, base):
    page = visit(f"{base}/both.html")
    commit(page, nth=1)
    assert not is_open(page), "one of two questions still waits"
    commit(page)
    assert is_open(page)
    assert is_open(visit(f"{base}/below.html"))


@pytest.mark.parametrize("anchor", ["#short-answer", "#inside", "#in%73ide"])
def test_a_link_into_the_short_answer_opens_it(anchor, visit, base):
    assert is_open(visit(f"{base}/last.html{anchor}"))
    page = visit(f"{base}/last.html#plain")
    assert not is_open(page)
    page.evaluate("(anchor) => { location.hash = anchor }", anchor)
    expect(page.locator("#inside")).to_be_visible()
    page.locator(".wf-answer > summary").click()
    assert not is_open(page)
    page.locator("a[href]").evaluate("(link, anchor) => { link.hash = anchor; link.click() }", anchor)
    assert is_open(page), "the same link once more"


def test_without_a_script_or_a_storage_it_is_a_fold_like_any_other(visit, base):
    page = visit(f"{base}/last.html", java_script_enabled=False)
    page.locator(".wf-answer > summary").click()
    assert page.locator("#inside").is_visible()
    page = visit("about:blank")
    page.add_init_script("Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('no') }})")
    page.goto(f"{base}/last.html")
    settle(page)
    assert not is_open(page)
    press(page, "Skip")
    assert is_open(page)


# ---- what Python refuses

BAD = [
    *(({"step": step}, "has the steps 1 to 5; got step") for step in (0, 6, "1", True, 1.5)),
    ({"state": {"temprature": 1}}, "has no control 'temprature'; it has logits, "),
    ({"state": {"temperature": 99}}, "temperature must be a number from "),
    ({"state": {"logits": "8,8"}}, "logits must be "),
]


@pytest.mark.parametrize(("then", "said"), BAD, ids=[str(then) for then, _ in BAD])
def test_python_refuses_a_state_that_is_none_and_says_what_is_allowed(then, said):
    with pytest.raises(ValueError, match="^Predict 'room/what': ") as error:
        question(lab=SaturationLab, **then)
    assert said in str(error.value)


def test_a_lab_without_steps_shows_no_bet(monkeypatch):
    monkeypatch.setattr(GapLab, "steps", ())
    with pytest.raises(ValueError, match="has no steps"):
        question(lab=GapLab)


def test_the_state_is_spelled_as_its_controls_spell_it():
    spelled = Predict("a", "?", OPTIONS, lab=SaturationLab, state={"logits": (8, 8)})
    assert spelled._declaration["then"] == {"lab": SaturationLab.slug, "step": 1, "state": {"logits": [8, 8]}}
