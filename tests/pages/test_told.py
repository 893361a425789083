"""Measured data of a lab come after the first words of its page, and are what the lab in Python has."""

import re

import pytest
from browser import ALL_STARTED, guard
from whyformer.lab.discover import lab_classes

TOLD = re.compile(r'<whyformer-lab name="([^"]*)"[^>]*><script type="application/json" data-told="([^"]*)">')
DATA = "(name) => document.querySelector(`whyformer-lab[name='${name}']`).data"


def told(html):
    return {lab: name for lab, name in TOLD.findall(html)}


@pytest.mark.parametrize("chapter", ["why_sqrt_dk", "qk_weights"])
def test_long_data_stand_apart_and_arrive(chapter, visit, book_html):
    file = book_html / f"chapters/{chapter}.html"
    html = file.read_text(encoding="utf-8")
    apart = told(html)
    assert apart
    assert max(len(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', html)) < 20_000
    page = visit(file.resolve().as_uri())
    for lab in apart:
        assert page.evaluate(DATA, lab) == lab_classes()[lab].data()


def test_a_page_without_its_data_says_so(chromium, book_html):
    file = book_html / "chapters/qk_weights.html"
    trouble = []
    context = chromium.new_context()
    guard(context, trouble)
    page = context.new_page()
    page.route("**/told/*", lambda route: route.abort())
    page.goto(file.resolve().as_uri())
    page.wait_for_function(ALL_STARTED)
    [lab] = told(file.read_text(encoding="utf-8"))
    error = page.locator(f"whyformer-lab[name='{lab}'] .wf-error")
    assert "cannot start" in error.text_content()
    assert page.locator(f"whyformer-lab[name='{lab}'] figure.wf-fallback").is_visible()
    assert page.locator("whyformer-lab form.wf-lab").count() == page.locator("whyformer-lab").count() - 1
    assert any("has not been loaded" in each for each in trouble)
    context.close()
