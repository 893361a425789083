"""What a block holds is said in its class, as the browser's own ``:has(…)`` finds it; no sheet asks at each move."""

import re

import pytest

CHAPTERS = ["advantages", "dropout_sites"]
AS_WIDE_AS_IT_IS = ":is(figure, .pst-scrollable-table-container)"
#: A class, what may have it, and what has to be inside of it.
SAID = [
    ("wf-holds-lab", "div.cell_output", ":has(whyformer-lab)"),
    ("wf-holds-lab", "div.cell", ":has(> .cell_output whyformer-lab)"),
    ("wf-holds-question", "div.cell_output", ":has(whyformer-predict, whyformer-exercise)"),
    ("wf-beside-picture", ".wf-proven", f":has(> {AS_WIDE_AS_IT_IS} + .wf-check)"),
    ("wf-marked", ".wf-proven > p", ":has(+ .wf-check)"),
]


FOUND = """([asked, named]) => [asked, named].map((selector) => {
  const all = [...document.querySelectorAll("*")];
  return [...document.querySelectorAll(selector)].map((one) => all.indexOf(one));
})"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_class_says_what_is_inside(chapter, visit, book_html):
    page = visit((book_html / f"chapters/{chapter}.html").resolve().as_uri())
    for name, of, inside in SAID:
        held, named = page.evaluate(FOUND, [of + inside, f"{of}.{name}"])
        assert held == named, (name, of)
        assert held or name.startswith("wf-beside"), (name, of)


def test_the_one_sheet_looks_inside_only_where_the_pointer_is(book_html):
    css = (book_html / "_static/book.css").read_text(encoding="utf-8")
    looks = [rule for rule in re.findall(r"[^{}]*(?=\{)", css) if ":has(" in rule]
    assert looks and all(".wf-check > summary:is(:hover, :focus-visible)" in rule for rule in looks)
