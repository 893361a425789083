"""Measured data of a lab come after the first words of its page, and are what the lab in Python has."""

import re

import pytest
from browser import ALL_STARTED, guard
from whyformer.lab import Choice
from whyformer.lab.discover import lab_classes

TOLD = re.compile(
    r'<whyformer-lab name="([^"]*)"[^>]*><script type="application/json" data-told="([^"]*)" data-from="([^"]*)">'
)
UNFOLD = "document.querySelectorAll('details').forEach((fold) => (fold.open = true))"
DATA = "(name) => document.querySelector(`whyformer-lab[name='${name}']`).data"


def told(html):
    return {lab: (name, address) for lab, name, address in TOLD.findall(html)}


@pytest.mark.parametrize("chapter", ["why_sqrt_dk", "qk_weights"])
def test_long_data_stand_apart_and_arrive(chapter, visit, book_html):
    file = book_html / f"chapters/{chapter}.html"
    html = file.read_text(encoding="utf-8")
    apart = told(html)
    assert apart
    assert max(len(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', html)) < 20_000
    for _, address in apart.values():
        assert (file.parent / address.split("?")[0]).is_file()
        assert f'src="{address}"' not in html  # the lab asks for it, when the words are there
    page = visit(file.resolve().as_uri())
    for lab in apart:
        assert page.evaluate(DATA, lab) == lab_classes()[lab].data()


def test_until_its_data_are_here_a_lab_shows_its_still_and_then_the_state_that_a_link_asks_for(chromium, book_html):
    file = book_html / "chapters/qk_weights.html"
    [lab] = told(file.read_text(encoding="utf-8"))
    control = next(each for each in lab_classes()[lab]().controls().values() if isinstance(each, Choice))
    other = [option for option in control.options if option != control.default_value][-1]
    context = chromium.new_context()
    trouble, held = [], []
    guard(context, trouble)
    page = context.new_page()
    page.route("**/told/*", lambda route: held.append(route))
    with page.expect_request("**/told/*"):
        page.goto(f"{file.resolve().as_uri()}#{lab.split('/')[1]}?{control.name}={other}", wait_until="commit")
    here = page.locator(f"whyformer-lab[name='{lab}']")
    assert here.evaluate("lab => [lab.state, lab.description, lab.step, lab.data]") == [{}, "", 1, None]
    page.evaluate(UNFOLD)
    assert here.locator("figure.wf-fallback").is_visible()
    [route] = held
    route.continue_()
    page.wait_for_function("(name) => document.querySelector(`whyformer-lab[name='${name}'][alive]`)", arg=lab)
    assert here.evaluate("lab => lab.state")[control.name] == other
    assert trouble == []
    context.close()


def test_a_page_without_its_data_says_so(chromium, book_html):
    file = book_html / "chapters/qk_weights.html"
    trouble = []
    context = chromium.new_context()
    guard(context, trouble)
    page = context.new_page()
    page.route("**/told/*", lambda route: route.abort())
    page.goto(file.resolve().as_uri())
    page.wait_for_function(ALL_STARTED)
    page.evaluate(UNFOLD)
    [lab] = told(file.read_text(encoding="utf-8"))
    error = page.locator(f"whyformer-lab[name='{lab}'] .wf-error")
    assert "cannot start" in error.text_content()
    assert page.locator(f"whyformer-lab[name='{lab}'] figure.wf-fallback").is_visible()
    assert page.locator("whyformer-lab form.wf-lab").count() == page.locator("whyformer-lab").count() - 1
    assert any("has not been loaded" in each for each in trouble)
    context.close()
