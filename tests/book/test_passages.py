"""Long sections in passages: each begins with a text, nothing is lost, and a short section stays whole."""

from bs4 import BeautifulSoup
from docutils import nodes
from whyformer.book.inside import PASSAGE, passages_of


def text(letters: int) -> nodes.Node:
    return nodes.paragraph("", "x" * letters)


def proven(letters: int) -> nodes.Node:
    return nodes.container("", text(letters), classes=["wf-proven"])


def test_a_passage_begins_with_a_text_once_the_one_before_is_long_enough():
    title, formula = nodes.title("", "Derivation"), nodes.math_block("", "y" * PASSAGE)
    blocks = [title, text(10), formula, nodes.bullet_list(), proven(10), text(PASSAGE), text(10)]
    passages = passages_of(blocks)
    assert passages == [blocks[1:4], blocks[4:6], blocks[6:]]
    assert [block for passage in passages for block in passage] == blocks[1:]


def test_a_short_section_and_one_without_a_text_stay_whole():
    assert passages_of([nodes.title("", "Short"), text(10), nodes.math_block("", "y"), text(10)]) == []
    assert passages_of([nodes.title("", "Code"), nodes.math_block("", "y" * 5 * PASSAGE)]) == []
    assert passages_of([]) == []


def test_on_a_page_they_are_in_sections_without_a_lab(book_html):
    page = BeautifulSoup((book_html / "chapters/advantages.html").read_text(encoding="utf-8"), "html.parser")
    passages = page.select(".wf-passage")
    assert len(passages) > 10 and not page.select(".wf-passage whyformer-lab")
    assert all("wf-far" in one["class"] and one.parent.name == "section" for one in passages)
