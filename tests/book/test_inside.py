"""What a block holds is said in its class as ``:has(…)`` would find it, and no sheet of a page asks for it at each move."""

import re

import pytest
from bs4 import BeautifulSoup

CHAPTERS = ["framework", "dropout_sites", "softmax_saturation"]
FORMULA = ".wf-math"
AS_WIDE_AS_IT_IS = ":is(.wf-math, figure, .pst-scrollable-table-container, div.cell:not(:has(> .cell_input)))"
#: A class, what may have it, and what has to be inside of it.
SAID = [
    ("wf-holds-lab", "div.cell_output", ":has(whyformer-lab)"),
    ("wf-holds-lab", "div.cell", ":has(> .cell_output whyformer-lab)"),
    ("wf-holds-question", "div.cell_output", ":has(whyformer-predict, whyformer-exercise)"),
    ("wf-far", ".bd-article > section > section", ":not(:has(whyformer-lab))"),
    ("wf-beside-formula", ".wf-proven", f":has(> {FORMULA} + .wf-check)"),
    ("wf-beside-picture", ".wf-proven:not(div.cell)", f":has(> {AS_WIDE_AS_IT_IS} + .wf-check)"),
    ("wf-beside-code", ".wf-proven", ":has(> div.cell > .cell_input)"),
    ("wf-marked", ".wf-proven > p", ":has(+ .wf-check)"),
    ("wf-sited", ".bd-article > section", ":has(> .wf-sits)"),
]


@pytest.fixture(scope="module")
def pages(book_html):
    read = {name: (book_html / f"chapters/{name}.html").read_text(encoding="utf-8") for name in CHAPTERS}
    return [BeautifulSoup(text, "html.parser") for text in read.values()]


@pytest.mark.parametrize(("name", "of", "inside"), SAID, ids=[f"{name}-{of}" for name, of, _ in SAID])
def test_a_class_says_what_is_inside(name, of, inside, pages):
    held = [page.select(of + inside) for page in pages]
    assert any(held)
    for page, found in zip(pages, held, strict=True):
        assert [id(each) for each in page.select(f"{of}.{name}")] == [id(each) for each in found]


def test_the_one_sheet_looks_inside_only_where_the_pointer_is(book_html):
    css = (book_html / "_static/book.css").read_text(encoding="utf-8")
    looks = [rule for rule in re.findall(r"[^{}]*(?=\{)", css) if ":has(" in rule]
    assert len(looks) == 1 and ".wf-check > summary:is(:hover, :focus-visible)" in looks[0]
