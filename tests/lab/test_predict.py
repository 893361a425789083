"""Predict before the reveal: an offer that covers nothing, remembered; mouse, keyboard; nothing given away."""

from __future__ import annotations

import base64

import pytest
from browser import serve, settle, write_page
from playwright.sync_api import Locator, Page
from traitlets import TraitError
from whyformer.lab import Option, Predict, words
from whyformer.questions.softmax_saturation import GapLab
from whyformer.questions.why_sqrt_dk import ScaleLab

EVIL = "<img src=x onerror=window.hacked=1></script>\"'&{d_k}"
OPTIONS = [
    Option("It grows", "Feedback for growing."),
    Option("It shrinks", "Feedback for shrinking.", right=True),
    Option("It stays " + EVIL, "Feedback for staying " + EVIL),
    Option("Nobody knows", "Feedback for nobody."),
]
KEY = "whyformer:predict:room/what"


def predict() -> Predict:
    return Predict("room/what", "What happens? " + EVIL, OPTIONS, ScaleLab)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    small = ScaleLab(size="small").html()
    body = small + predict().html() + ScaleLab().html() + GapLab().html()
    with serve(write_page(tmp_path_factory.mktemp("predict"), body).parent) as base:
        yield base + "/index.html"


@pytest.fixture
def page(visit, site) -> Page:
    return visit(site)


def scale(page: Page) -> Locator:
    return page.locator('whyformer-lab[size="full"][name="why_sqrt_dk/scale"]')


def gap(page: Page) -> Locator:
    return page.locator('whyformer-lab[name="softmax_saturation/gap"]')


def is_open(lab: Locator) -> bool:
    """Sharp, and within reach of mouse and keyboard, like all that it stands in."""
    return lab.locator("form").evaluate("""(form) => {
      for (let part = form; part; part = part.parentElement)
        if (part.inert || getComputedStyle(part).filter !== "none") return false;
      return ["none", "normal"].includes(getComputedStyle(form.closest("whyformer-lab"), "::after").content);
    }""")


def option(page: Page, i: int) -> Locator:
    return page.locator(".wf-predict label").nth(i)


def commit(page: Page, i: int) -> None:
    option(page, i).click()
    page.get_by_role("button", name="Commit", exact=True).click()


def answer(page: Page) -> int:
    return page.locator("whyformer-predict").evaluate("(element) => element.answer")


def feedback(page: Page) -> str:
    return page.locator(".wf-feedback").inner_text()


def test_a_bet_is_an_offer_and_no_lab_waits_for_it(page):
    assert answer(page) == -1 and is_open(scale(page)) and is_open(gap(page))
    scale(page).locator("[name=d_k]").focus()
    page.keyboard.press("Home")
    assert scale(page).evaluate("(lab) => lab.state.d_k") == 1 and answer(page) == -1
    option(page, 0).click()
    assert answer(page) == -1, "a click chooses, and does not commit"
    option(page, 1).click()
    option(page, 0).click()
    page.get_by_role("button", name="Commit", exact=True).click()
    assert answer(page) == 0 and is_open(scale(page))
    page.get_by_role("button", name="Predict again").click()
    assert answer(page) == -1 and is_open(scale(page))


@pytest.mark.parametrize("i", [1, 2])
def test_the_chosen_option_gets_its_own_feedback_and_survives_a_reload(i, page):
    page.evaluate("addEventListener('whyformer:answer', (event) => { window.heard = event.detail.answer })")
    assert option(page, i).inner_text() == OPTIONS[i].text
    commit(page, i)
    assert page.evaluate("window.heard") == i
    for again in (False, True):
        if again:
            page.reload()
            settle(page)
        assert answer(page) == i
        assert OPTIONS[i].feedback in feedback(page) and feedback(page).startswith("Right." if i == 1 else "Not so.")
        assert not any(OPTIONS[j].feedback in page.inner_text("main") for j in range(4) if j != i)
        assert page.locator(".wf-right").inner_text() == "It shrinks ✓ this one"
        assert page.locator(".wf-wrong").count() == (i != 1)
        assert page.locator("input[type=radio][name='room/what']:checked").get_attribute("value") == str(i)
    assert page.evaluate("(key) => localStorage.getItem(key)", KEY) == str(i)
    assert page.evaluate("window.hacked") is None and page.locator(".wf-live img").count() == 0


def test_skipping_gives_no_verdict(page):
    page.get_by_role("button", name="Skip").click()
    for _ in range(2):
        assert answer(page) == -2 and feedback(page) == "Skipped."
        assert page.locator(".wf-right, .wf-wrong").count() == 0
        page.reload()
        settle(page)


def test_a_class_without_an_answer_is_shown_what_is_right_and_why_without_a_verdict(page):
    page.locator("whyformer-predict").evaluate("(one) => one.commit(-1)")
    for _ in range(2):
        assert answer(page) == -3 and feedback(page) == OPTIONS[1].feedback
        assert page.locator(".wf-right").inner_text() == "It shrinks ✓ this one"
        assert page.locator("whyformer-predict :is(.wf-wrong, input:checked)").count() == 0
        page.reload()
        settle(page)


def test_predict_again_forgets(page):
    commit(page, 0)
    page.get_by_role("button", name="Predict again").click()
    assert answer(page) == -1 and feedback(page) == ""
    assert page.locator("whyformer-predict input:checked, whyformer-predict input:disabled").count() == 0
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('whyformer:predict'))") == []
    commit(page, 1)
    assert feedback(page).startswith("Right.")


@pytest.mark.parametrize("i", [0, 3])
def test_every_option_can_be_chosen_with_the_keyboard_alone(i, page):
    """Arrow keys only move to an option, or the reader would be held to the first one touched; Enter commits."""
    page.locator("whyformer-predict").evaluate("(element) => { element.tabIndex = -1; element.focus() }")
    page.keyboard.press("Tab")
    for _ in range(i):
        page.keyboard.press("ArrowDown")
        assert answer(page) == -1, "an arrow key already committed the reader"
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert answer(page) == i and OPTIONS[i].feedback in feedback(page)
    assert page.locator("whyformer-predict :focus").count() == 1, "the focus is lost"


def test_skip_and_predict_again_with_the_keyboard(page):
    for name, wanted in (("Skip", -2), ("Predict again", -1)):
        page.get_by_role("button", name=name).focus()
        page.keyboard.press("Enter")
        assert answer(page) == wanted
        assert page.locator("whyformer-predict :focus").count() == 1, "the focus is lost"


def test_a_question_that_was_moved_is_still_asked(page):
    question = page.locator("whyformer-predict")
    question.evaluate("(one) => { const room = one.parentElement; one.remove(); room.prepend(one); }")
    commit(page, 1)
    assert answer(page) == 1 and page.locator(".wf-predict").count() == 1


def test_nonsense_in_the_storage_counts_as_no_answer(page):
    for stored in ("abc", "99", "4", "-4", "1.5", "", "NaN", "[1]", "null", "<img>"):
        page.evaluate("([key, stored]) => localStorage.setItem(key, stored)", [KEY, stored])
        page.reload()
        settle(page)
        assert answer(page) == -1, stored
        commit(page, 1)
        assert feedback(page).startswith("Right."), stored


def test_without_storage_an_answer_lasts_for_the_page(visit, site):
    page = visit("about:blank")
    page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no') }})")
    page.goto(site)
    settle(page)
    commit(page, 1)
    assert feedback(page).startswith("Right.")
    page.reload()
    settle(page)
    assert answer(page) == -1


def test_the_page_source_gives_nothing_away():
    source = predict().html()
    for option in OPTIONS:
        for text in (option.feedback, option.feedback[:12], base64.b64encode(option.feedback.encode()).decode()[4:16]):
            assert text not in source
    assert "right" not in source and "true" not in source
    moved = Predict("room/what", "What?", [Option(o.text, o.feedback, not i) for i, o in enumerate(OPTIONS)])
    assert len(moved._declaration["veiled"]) == len(predict()._declaration["veiled"])


def test_every_word_goes_through_the_lookup(page):
    page.evaluate("WhyformerLabs.use_catalogue((text) => '⟦' + text + '⟧')")
    bare = """() => [...document.querySelectorAll("whyformer-predict > .wf-live *, whyformer-lab")].flatMap((e) => [
        ...[...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()),
      ]).filter((text) => /[a-z]{2}/i.test(text) && !/^⟦.*⟧$/s.test(text))"""
    press_commit, other = page.locator(".wf-predict button[type=submit]"), page.locator(".wf-predict [type=button]")
    for click in (other, other, press_commit, option(page, 0), press_commit, other, option(page, 1), press_commit):
        click.click()
        assert page.evaluate(bare) == []
    words.use_catalogue({option.text: f"⟦{i}⟧" for i, option in enumerate(OPTIONS)})
    try:
        assert all(f"<li>⟦{i}⟧</li>" in predict().html() for i in range(4)), "the still form is not translated"
    finally:
        words.use_catalogue({})


def test_python_refuses_what_is_no_question():
    two = OPTIONS[:2]
    wrong, right = two
    for options in ([], [wrong], [right], [wrong, wrong], [right, right], [right, wrong, right], [right, *[wrong] * 6]):
        with pytest.raises(ValueError, match="Predict 'room/x' needs 2 to 6 options, exactly one of them right"):
            Predict("room/x", "?", options)
    for name in ("", "a b", "<x>", '"', "room/x?"):
        with pytest.raises(ValueError, match="name"):
            Predict(name, "?", two)
    fine = Predict("room/x", "?", two, lab=GapLab)
    assert fine.answer == -1 and repr(fine) == "Predict('room/x')"
    for bad in ("1", 1.5, None, 2, -4):
        with pytest.raises(TraitError, match="answer"):
            fine.answer = bad
    fine.answer = 1
