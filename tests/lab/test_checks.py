"""Exercises: code and the form on a page say the same to every answer, and the form needs neither kernel nor luck."""

from __future__ import annotations

import importlib
import math
import pkgutil

import numpy as np
import pytest
from browser import serve, write_page
from playwright.sync_api import Page, expect
from whyformer import questions
from whyformer.lab import Option, words
from whyformer.lab.teach.exercise import CHOICE_WORDS, NUMBER_WORDS, Check, CheckChoice, CheckFunction, CheckRange
from whyformer.lab.teach.number import value_of

EVIL = "<img src=x onerror=window.hacked=1></script>\"'&{d_k}"
SLIP = f"You forgot the root. {EVIL}"
ROOT = Check(math.sqrt(12), {SLIP: 12, "That is the number of products.": 64}, rtol=5e-3)
READ_OFF = CheckRange(256, 512, hint="That is about where 16 keys cross.", hinted=(64, 128))
ZERO = Check(0, {"Mind the sign.": -0.5})
CHOICE = CheckChoice([Option("grows", "Look again."), Option(EVIL, SLIP), Option("stays", "So it is.", right=True)])


def of_the_rooms() -> dict[str, Check | CheckRange | CheckChoice]:
    """Every check of one answer in the exercises of all chapters."""
    found = {}
    for room in pkgutil.iter_modules(questions.__path__):
        if "exercises" in {module.name for module in pkgutil.iter_modules([f"{questions.__path__[0]}/{room.name}"])}:
            members = vars(importlib.import_module(f"{questions.__name__}.{room.name}.exercises"))
            found |= {
                f"{room.name}/{name}": each
                for name, each in members.items()
                if isinstance(each, Check | CheckRange | CheckChoice)
            }
    return found


CHECKS = {"root": ROOT, "read off": READ_OFF, "zero": ZERO, "choice": CHOICE, **of_the_rooms()}

NONSENSE = [
    "", " ", "\N{NO-BREAK SPACE}\t", "abc", "1e", "e5", ".", "+", "--1", "1 2", "1_000", "0x10", "nan", "inf",
    "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400, "0,5", "-0,5", "1,234.5", "1.234,5", "1,234,567", "3,46e0",
    ",", "\N{ARABIC-INDIC DIGIT THREE}", "\N{VULGAR FRACTION ONE HALF}", "1/2", "3.46 ", "\N{NO-BREAK SPACE}12",
    "\N{MINUS SIGN}3", "+3", "5.", ".5", "0", "-0", "1e-999", "1E3", "True", "None", "3\n", "\x1f3", "\ufeff3", EVIL,
    "1/8", "-1/8", "1/ 8", "sqrt(3.75)", "√12", "√(3)*2", "ln(64)", "2^-3", "-2^2", "2^3^2", "(1+2)*4/3", "2×3·2÷2",
    "exp(1)", "1/0", "0/0", "ln(0)", "sqrt(-1)", "√-1", "10^999", "-10^999*0", "1^(1/0)", "(1/0)^0", "(-8)^(1/3)",
    "0^-1", "exp(999)", "2**3", "1/", "sqrt", "sqrt 2", "sqrt(", "ln(2", ")", "()", "2(3)", "--1", "1e999/1e999",
    "eval(1)", "((((12))))", f"12{' ' * 60}/1", f"{'(' * 29}3{')' * 29}", "(" * 60, f"{'1+' * 29}1",
    "1", "2", "3", "4", "01", "grows", " stays", "constructor", "__proto__", "0.1e1", "1.5.2",
]  # fmt: skip


def near(target: float, reach: float) -> list[float]:
    """The target, what is just near enough and just not, and the nearest numbers on both sides of the two ends."""
    ends = [target * (1 + side * reach * close) for side in (-1, 1) for close in (0.99, 1, 1.01)]
    return [target, *ends, *(math.nextafter(end, way) for end in ends for way in (-math.inf, math.inf))]


def answers(check: Check | CheckRange | CheckChoice) -> list[str]:
    """What readers write: right, each slip, near misses, larger, smaller, and what is no answer."""
    numbers = [-1e300, -7.5, -1e-300, 1e-9, 0.07, 1 / 3, 2.5, 40, 131072, 1e12, 1e300]
    if isinstance(check, Check):
        for target in (check.right, *check.hints.values()):
            numbers += near(float(target), check.rtol)
    if isinstance(check, CheckRange):
        for bound in (check.low, check.high, *check.hinted):
            numbers += near(float(bound), 1e-3)
    return [*NONSENSE, *(repr(float(number)) for number in numbers)]


@pytest.fixture(scope="module")
def page(visits, tmp_path_factory) -> Page:
    body = "".join(check.field().html() for check in (ROOT, CHOICE))
    with serve(write_page(tmp_path_factory.mktemp("checks"), body).parent) as base:
        yield visits.open(f"{base}/index.html")


@pytest.mark.parametrize("name", CHECKS)
def test_form_and_code_say_the_same_to_every_answer(name, page):
    check = CHECKS[name]
    asked = answers(check)
    shown = page.evaluate("([asked, all]) => all.map((text) => WhyformerLabs.judge(asked, text))",
                          [check.field()._declaration, asked])  # fmt: skip
    said = [list(check.judge(text)) for text in asked]
    assert [(a, s) for a, s in zip(asked, shown, strict=True)] == list(zip(asked, said, strict=True))
    assert {right for _, right in said} == {True, False}, "no answer was right, or all were"


@pytest.mark.parametrize("name", [name for name, check in CHECKS.items() if isinstance(check, Check)])
def test_every_slip_gets_its_own_words_and_only_the_right_answer_is_right(name):
    check = CHECKS[name]
    assert check.judge(repr(float(check.right))) == ("Right.", True)
    for slip in check.hints.values():
        says, right = check.judge(repr(float(slip)))
        assert not right and says in {hint for hint, same in check.hints.items() if same == slip}


def test_where_two_targets_are_near_each_other_the_nearest_counts():
    tight = Check(1000, {"You left one out.": 999.9}, rtol=1e-3)
    said = {
        "1000": "Right.",
        "999.96": "Right.",
        "1000.9": "Right.",
        "999.9": "You left one out.",
        "999.94": "You left",
    }
    for text, words_of_it in said.items():
        assert tight.judge(text).says.startswith(words_of_it), text


def test_what_is_no_number_is_told_what_to_write():
    told = {"": "empty", "0,5": "comma", "1,234.5": "comma", "abc": "nonsense", "1/0": "nonsense", "1e999": "endless"}
    for text, name in told.items():
        assert ROOT.judge(text) == (NUMBER_WORDS[name], False), text
    assert ROOT.judge("3") == (NUMBER_WORDS["larger"], False) and ROOT.judge("5") == (NUMBER_WORDS["smaller"], False)
    assert CHOICE.judge("") == (CHOICE_WORDS["empty"], False) and CHOICE.judge(4) == (CHOICE_WORDS["nonsense"], False)


def test_a_number_may_be_written_as_it_is_worked_out():
    worked = {
        "1/8": 0.125, "sqrt(3.75)": math.sqrt(3.75), "ln(64)": math.log(64), "√12": math.sqrt(12), "2^-3": 0.125,
        "-2^2": -4, "2^3^2": 512, "8/4/2": 1, "1-2-3": -4, "2 + 3*4": 14, "2×3·2÷4": 3, "−1/8": -0.125, "exp(0)": 1,
    }  # fmt: skip
    for text, number in worked.items():
        assert value_of(text) == pytest.approx(number, rel=1e-15), text
    assert ROOT.judge("sqrt(12)") == ("Right.", True) and ROOT.judge("2*√3") == ("Right.", True)
    for text in ("1/", "2(3)", "--1", "1 2", "sqrt 2", "sqrt(-1)", "10^999", "(" * 30 + "1" + ")" * 31, "x", "1" * 61):
        assert value_of(text) is None, text


def test_code_takes_numbers_of_all_kinds(capsys):
    for right in (math.sqrt(12), np.sqrt(12), np.float32(3.4641), np.array(3.464), "3.46"):
        assert ROOT(right), right
    for wrong in (None, [], np.ones(2), 1j, math.nan, math.inf, 10**400, object()):
        assert not ROOT(wrong), wrong
    assert CHOICE(3) and CHOICE("stays") and not CHOICE(1) and not CHOICE(0)
    capsys.readouterr()
    assert not ROOT(...) and "in place of the dots" in capsys.readouterr().out
    assert not ROOT(12) and capsys.readouterr().out == f"{SLIP}\n"


def test_a_reader_checks_a_number_by_key_and_by_mouse(page, visits):
    form = page.locator("whyformer-exercise").first
    box, verdict = form.get_by_label("Your answer"), form.get_by_role("status")
    expect(verdict).to_have_text("")
    height = form.bounding_box()["height"]
    for text, told in (("12", SLIP), ("", "No answer yet"), ("0,5", "decimal mark as a point"), ("3", "larger")):
        box.fill(text)
        expect(verdict).to_have_text("")  # what was said of another answer is gone
        box.press("Enter")
        expect(verdict).to_contain_text(told)
        expect(box).to_be_focused()
    assert form.bounding_box()["height"] == height, "a short word moved the page"
    box.fill("3.464")
    form.get_by_role("button", name="Check").click()
    expect(verdict).to_have_text("Right.")
    assert page.evaluate("window.hacked") is None and page.locator("whyformer-exercise img").count() == 0
    visits.check()


def test_a_reader_checks_a_choice(page, visits):
    form = page.locator("whyformer-exercise").nth(1)
    verdict = form.get_by_role("status")
    form.get_by_role("button", name="Check").click()
    expect(verdict).to_have_text("No answer yet: choose one.")
    form.get_by_label(EVIL).check()
    expect(verdict).to_have_text("")
    page.keyboard.press("Enter")
    expect(verdict).to_have_text(SLIP)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(verdict).to_have_text("So it is.")
    assert page.evaluate("window.hacked") is None
    visits.check()


def test_the_page_source_gives_nothing_away():
    source = ROOT.field().html() + CHOICE.field().html()
    for secret in ("3.46", "12.0", "You forgot", "So it is", "true"):
        assert secret not in source, secret


def test_every_word_goes_through_the_lookup(visit, tmp_path):
    write_page(tmp_path, ROOT.field("the divisor").html() + CHOICE.field("what it does").html())
    page = visit((tmp_path / "index.html").as_uri())
    page.evaluate("WhyformerLabs.use_catalogue((text) => '⟦' + text + '⟧')")
    bare = """() => [...document.querySelectorAll("whyformer-exercise > .wf-live *")].flatMap((e) =>
        [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim())
      ).filter((text) => /[a-z]{2}/i.test(text) && !/^⟦.*⟧$/s.test(text))"""
    for text in ("12", "3", "4", "3.464", "x", ""):
        page.get_by_role("textbox").fill(text)
        for form in page.locator("whyformer-exercise").all():
            form.locator("button").click()
        assert page.evaluate(bare) == []
    words.use_catalogue({"grows": "⟦grows⟧", "Right.": "⟦right⟧"})
    try:
        assert "<li>⟦grows⟧</li>" in CHOICE.field().html() and ROOT.judge("3.464") == ("⟦right⟧", True)
    finally:
        words.use_catalogue({})


def test_without_javascript_the_form_says_what_else_there_is(visit, tmp_path):
    write_page(tmp_path, ROOT.field().html() + CHOICE.field().html())
    page = visit((tmp_path / "index.html").as_uri(), java_script_enabled=False)
    assert page.get_by_text("or with code in the notebook").count() == 2
    assert page.locator("li").all_inner_texts() == ["grows", EVIL, "stays"]


def test_python_refuses_what_is_no_choice():
    one, two = Option("a", "b"), Option("c", "d", right=True)
    for options in ([], [two], [one, one], [two, two], [two, *[one] * 6]):
        with pytest.raises(ValueError, match="CheckChoice needs 2 to 6 options, exactly one of them right"):
            CheckChoice(options)
    assert not hasattr(CheckFunction(abs, {}), "field"), "code is checked in the notebook"
