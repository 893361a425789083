"""The column of text and its margin: lines of a good length, marks that touch nothing, nothing cut."""

from __future__ import annotations

import re
import statistics

import pytest
from bs4 import BeautifulSoup
from page_cases import BOOK
from playwright.sync_api import Page
from some import some

FEW = ["chapters/softmax_saturation", "chapters/layer_norm", "chapters/errata", "chapters/qk_weights"]
CHAPTERS = some(BOOK, FEW)
#: Code, formulas, pictures, what a check or a table of data prints, and what a script sets.
NOT_SET = ["pre", "code", "script", "annotation", "svg", "details", "table", "whyformer-lab", "whyformer-predict"]
WIDTHS = [1366, 1024, 820, 360]
#: A few pages at every width, as they open and with all parts open; the others as they open, on a desk and a phone.
CASES = [
    *(
        pytest.param(name, width, folded, marks=() if width in (1366, 360) else pytest.mark.thorough)
        for name in FEW
        for width in WIDTHS
        for folded in (True, False)
    ),
    *(
        pytest.param(name, width, True, marks=pytest.mark.thorough)
        for name in BOOK
        if name not in FEW
        for width in (1366, 360)
    ),
]

#: Letters in each line of each paragraph of three lines or more, without its last line; formulas count by their width.
LINES = """() => {
  const counts = [];
  for (const p of document.querySelectorAll(".bd-article section > p, .bd-article .wf-proven > p")) {
    if (p.querySelector(".katex, code") || !p.checkVisibility() || p.closest(".admonition")) continue;
    const words = document.createTreeWalker(p, NodeFilter.SHOW_TEXT), range = document.createRange();
    const lines = new Map();
    while (words.nextNode()) for (let i = 0; i < words.currentNode.data.length; i++) {
      range.setStart(words.currentNode, i);
      range.setEnd(words.currentNode, i + 1);
      const box = range.getClientRects()[0];
      if (!box) continue;
      const top = [...lines.keys()].find((y) => Math.abs(y - box.bottom) < 12) ?? box.bottom;
      lines.set(top, (lines.get(top) ?? 0) + 1);
    }
    if (lines.size > 2) counts.push(...[...lines.values()].slice(0, -1));
  }
  return counts;
}"""

#: Marks that lie on something, on each other, or outside of the page.
TOUCHED = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
  const marks = boxes(".bd-article .wf-check > summary").map((e) => [e, e.getBoundingClientRect()]);
  const range = document.createRange(), wrong = [];
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const near = new Map();
  for (const [mark, box] of marks) {
    const where = mark.parentElement.parentElement.textContent.trim().slice(0, 40);
    if (box.width < 24 || box.height < 24) wrong.push(`small: ${where}`);
    if (box.left < 0 || box.right > innerWidth) wrong.push(`outside: ${where}`);
    for (const [other, its] of marks) if (other !== mark && meet(box, its)) wrong.push(`two marks: ${where}`);
    const around = mark.closest(".wf-proven, details.solution") ?? mark.parentElement;
    for (const root of [around, around.previousElementSibling, around.nextElementSibling]) {
      if (!root) continue;
      const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (words.nextNode()) {
        const text = words.currentNode, parent = text.parentElement;
        if (!text.data.trim() || parent.closest("summary") === mark || !parent.checkVisibility()) continue;
        if (parent.closest(".katex-mathml, script, style, .wf-spoken")) continue;
        range.selectNodeContents(text);
        const scroll = parent.closest("pre, .wf-math-scroll, .pst-scrollable-table-container");
        const edge = scroll ? scroll.getBoundingClientRect().right : Infinity;
        for (const rect of range.getClientRects()) {
          const seen = { left: rect.left, right: Math.min(rect.right, edge), top: rect.top, bottom: rect.bottom };
          if (meet(box, seen)) wrong.push(`on "${text.data.trim().slice(0, 30)}": ${where}`);
        }
      }
      for (const drawn of root.querySelectorAll("svg.wf-figure, pre, table"))
        if (drawn.checkVisibility() && meet(box, drawn.getBoundingClientRect()))
          wrong.push(`on a ${drawn.localName}: ${where}`);
    }
  }
  return [...new Set(wrong)];
}"""

#: Code and formulas of which a part is out of sight.
CUT = """() => [...document.querySelectorAll(".bd-article :is(.cell_input pre, .wf-math-scroll)")].filter((e) =>
  e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent.trim().slice(0, 50))"""
#: What begins or ends outside of the window, although it is not inside a box that scrolls.
OUTSIDE = """() => [...document.querySelectorAll(".bd-article :is(p, li, pre, table, svg, .wf-math, .cell_input, img)")]
  .filter((e) => e.checkVisibility() && !e.parentElement.closest(".pst-scrollable-table-container, .wf-math, pre"))
  .map((e) => [e, e.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.left < -1 || box.right > innerWidth + 1))
  .map(([e]) => e)
  .filter((e) => !e.matches("pre, table") || e.parentElement.scrollWidth <= e.parentElement.clientWidth + 1)
  .map((e) => `${e.localName}: ${e.textContent.trim().slice(0, 40)}`)"""
WIDER = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def opened(visit, book_html):
    def go(name: str, width: int, *, folded: bool = True) -> Page:
        page = visit((book_html / f"{name}.html").as_uri(), viewport={"width": width, "height": 768})
        if not folded:
            page.evaluate(
                "document.querySelectorAll('.bd-article :is(.solution, .wf-check)').forEach((d) => d.open = true)"
            )
        return page

    return go


@pytest.mark.parametrize("name", ["chapters/advantages", "chapters/relative_positions", "chapters/weight_tying"])
def test_a_line_has_between_75_and_95_letters(name, opened) -> None:
    lines = opened(name, 1366).evaluate(LINES)
    assert len(lines) >= 8
    assert 80 <= statistics.mean(lines) <= 90, statistics.mean(lines)
    assert sum(75 <= count <= 95 for count in lines) >= 0.9 * len(lines)


#: Notes of the margin, each as where it stands to its paragraph and to the window.
NOTES = """() => [...document.querySelectorAll(".bd-article .wf-aside")].map((note) => {
  const [its, text] = [note, note.parentElement.querySelector(":scope > p, :scope > .wf-proven > p")]
    .map((one) => one.getBoundingClientRect());
  const size = parseFloat(getComputedStyle(note).fontSize);
  return { beside: its.left - text.right, below: its.top - text.bottom, down: its.top - text.top, size,
           width: its.width, text: text.width, inside: innerWidth - its.right };
})"""


def test_a_note_stands_in_the_margin_and_on_a_phone_follows_its_paragraph(opened) -> None:
    notes = opened("chapters/softmax_saturation", 1366).evaluate(NOTES)
    assert notes
    for note in notes:
        assert note["text"] == pytest.approx(660, abs=1) and note["width"] == pytest.approx(300, abs=1)
        assert note["beside"] == pytest.approx(36, abs=1) and 0 <= note["down"] < 12 and note["size"] == 16
    for note in opened("chapters/softmax_saturation", 390).evaluate(NOTES):
        assert note["below"] >= 0 and note["inside"] >= 0


@pytest.mark.parametrize("name", ["chapters/softmax_saturation", "chapters/why_sqrt_dk", "chapters/intro"])
def test_no_page_is_wider_than_its_window(name, opened) -> None:
    page = opened(name, 320)
    for width in (320, 390, 600, 768, 992, 1240, 1366, 1920):
        page.set_viewport_size({"width": width, "height": 768})
        page.wait_for_function(f"{WIDER} <= 0")


@pytest.mark.parametrize(("name", "width", "folded"), CASES)
def test_marks_touch_nothing_and_nothing_leaves_the_window(name, width, folded, opened) -> None:
    page = opened(name, width, folded=folded)
    assert page.evaluate(TOUCHED) == []
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(WIDER) <= 0


@pytest.mark.parametrize("name", CHAPTERS)
def test_on_a_desk_no_code_and_no_formula_is_cut(name, opened) -> None:
    assert opened(name, 1366, folded=False).evaluate(CUT) == []


def test_on_a_phone_a_table_of_sentences_needs_no_scrolling(opened) -> None:
    page = opened("chapters/notation", 360)
    tables = page.locator("table.wf-talk")
    assert tables.count() >= 1
    assert tables.evaluate_all("(all) => all.every((t) => t.scrollWidth <= 330 && t.parentElement.scrollWidth <= 330)")
    assert page.get_by_role("row").count() > 5  # it still is a table to those who hear it


def test_the_name_of_an_index_stands_beside_those_of_the_columns(opened) -> None:
    names = ["rate"]
    heads = opened("chapters/embedding_scale", 1366).locator("table.dataframe thead")
    rows = heads.evaluate_all(
        "(all) => all.map((head) => [...head.rows].map((row) => [...row.cells].map((c) => c.textContent.trim())))"
    )
    assert all(len(head) == 1 for head in rows)
    assert any(head[: len(names)] == names and all(head[len(names) :]) for (head,) in rows)


def test_punctuation_stays_with_its_formula(opened) -> None:
    apart = """() => [...document.querySelectorAll(".wf-together")].filter((one) => {
      const range = document.createRange();
      range.selectNodeContents(one.lastChild);
      const [end, formula] = [range.getBoundingClientRect(), one.querySelector(".katex-html").getBoundingClientRect()];
      return one.lastChild.nodeType === Node.TEXT_NODE && (end.top > formula.bottom || end.left < formula.left);
    }).map((one) => one.textContent)"""
    page = opened("chapters/softmax_saturation", 1366)
    assert page.locator(".wf-together").count() > 20
    for width in (1366, 820, 390, 360):
        page.set_viewport_size({"width": width, "height": 768})
        assert page.evaluate(apart) == []
        assert page.evaluate(WIDER) <= 0


@pytest.mark.parametrize("chapter", ["chapters/errata", "chapters/framework"])  # open words with a percent
def test_no_line_ends_between_a_number_and_its_percent(chapter, book_html) -> None:
    page = BeautifulSoup((book_html / f"{chapter}.html").read_text(encoding="utf-8"), "html.parser")
    words = [text for text in page.select_one(".bd-article").find_all(string=re.compile(r"\d\s%"))]
    set_by_us = [text for text in words if not text.find_parent(NOT_SET)]
    assert set_by_us and not [text for text in set_by_us if re.search(r"\d %", text)]
