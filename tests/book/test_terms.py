"""Words of the glossary are explained once on a page, where they first stand in its prose; notebooks have the list."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from book_cases import ROOT
from docutils import nodes
from whyformer_book.pages.terms import ONLY, Term, explain

CHAPTERS = sorted(room.parent.name for room in (ROOT / "code/whyformer/questions").glob("*/predictions.py"))
BODY = (ROOT / "chapters/glossary.md").read_text(encoding="utf-8").split("```{glossary}\n")[1].rsplit("```", 1)[0]
ITEMS = re.findall(r"^(\S.*)\n((?:\S.*\n)?)  (\S.*)\n\n  (.*\(.*\)|.*<.*>`)$", BODY, re.MULTILINE)
GLOSSARY = {word: sentence for word, _, sentence, _ in ITEMS}
CHINESE = {word: chinese.strip() for word, chinese, _, _ in ITEMS if chinese}
WORD = re.compile(
    r'<a class="wf-term" href="glossary.html#([^"]+)" data-says="([^"]+)"(?: data-zh="([^"]+)")?>([^<]+)</a>'
)


def test_each_word_has_one_plain_sentence():
    lines = len(ITEMS) * 5 + len(CHINESE) - 1
    assert lines == len(BODY.strip().splitlines()), "a word, perhaps in Chinese too, a sentence, where to read on"
    assert len(CHINESE) > 50 and all(re.search(r"[\u4e00-\u9fff]", chinese) for chinese in CHINESE.values())
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.lower) and set(ONLY) <= set(GLOSSARY)
    for word, sentence in GLOSSARY.items():
        assert re.fullmatch(r"[A-Z][^$\\]{20,140}\.", sentence), word


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_explains_a_word_once_and_in_its_prose(name, book_html: Path) -> None:
    page = (book_html / f"chapters/{name}.html").read_text(encoding="utf-8")
    found = [(anchor, unescape(says).replace("’", "'")) for anchor, says, _, _ in WORD.findall(page)]
    assert len(found) > 5 and len({anchor for anchor, _ in found}) == len(found)
    assert {says for _, says in found} <= set(GLOSSARY.values())
    assert {chinese for _, _, chinese, _ in WORD.findall(page) if chinese} <= set(CHINESE.values())
    assert 'data-zh="' in page
    glossary = (book_html / "chapters/glossary.html").read_text(encoding="utf-8")
    assert all(f'id="{anchor}"' in glossary for anchor, _ in found)
    for inside in re.findall(r"<h[1-4]>.*?</h[1-4]>|<pre>.*?</pre>|<table.*?</table>", page, re.DOTALL):
        assert "wf-term" not in inside


def marked(*children: nodes.Node) -> list[str]:
    document = nodes.section("", nodes.title("", "A softmax"), nodes.paragraph("", "", *children))
    explain(document, [Term("softmax", "term-softmax", "S."), Term("rank", "term-rank", "R.")], "glossary.html")
    return [raw.next_node(nodes.Text, siblings=True, descend=False).astext() for raw in document.findall(nodes.raw)
            if raw.astext() != "</a>"]  # fmt: skip


def test_the_first_place_counts_and_what_is_no_prose_is_left_alone():
    assert marked(nodes.Text("The log-softmax, then two Softmaxes, a softmax.")) == ["Softmaxes"]
    assert marked(nodes.literal("", "softmax"), nodes.math("", "softmax"), nodes.Text(", no softmaxed row")) == []
    assert marked(nodes.reference("", "softmax"), nodes.emphasis("", "softmax")) == ["softmax"]
    assert marked(nodes.Text("the word of rank 2 has rank 1")) == ["rank"]


def test_the_notebook_has_the_list(book_html: Path) -> None:
    notebook = json.loads((book_html / "notebooks/glossary.ipynb").read_text(encoding="utf-8"))
    text = "".join("".join(cell["source"]) for cell in notebook["cells"])
    for word, sentence in GLOSSARY.items():
        chinese = f" {CHINESE[word]}" if word in CHINESE else ""
        assert f"* **{word}**{chinese}: {sentence} [" in text
