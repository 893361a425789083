"""All questions and claims: none is missing, each has a verdict and leads to a part of a page that is there."""

import re
from collections import Counter

import pytest
from book_cases import ROOT
from bs4 import BeautifulSoup
from whyformer_book.site.map import stops

TEXT = (ROOT / "chapters/asked.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (.+?) \| (.+?) \| (.*(?:\]\(|\{ref\}).*) \|$", re.MULTILINE)
ROWS = ROW.findall(TEXT)
LINKS = [
    (page or "errata", anchor or row)
    for _, _, where in ROWS
    for page, anchor, row in re.findall(r"\]\((\w+)\.md#([\w-]+)\)|\{ref\}`[^<]*<([\w-]+)>`", where)
]

#: What each collection asks, in a word or two of ours, counted from the collections themselves.
ASKED = {
    "Notes for an interview": [
        "divide by √d", "additive", "push a softmax", "variance of q·k", "larger variance", "ten numbers",
        "one draw", "which one", "keeps the variance", "better about", "parallel",
        "constant number", "information lost", "table of operations", "different tasks",
    ],
    "Ten questions and a heading": [
        "1. Why are", "mean 0", "LayerNorm take", "2. Why LayerNorm", "normalise at all", "not BatchNorm", "relations",
        "3. Why several", "auto-encoder", "syntax", "4. Why is each", "m heads cost", "high dimension", "5. Why diff",
        "symmetric", "generalise worse", "refining V", "6. Where are", "can they be", "nearest", "training faster",
        "7. What if", "itself the largest", "convolution", "8. Why a dot", "cost the same", "which dₖ", "9. Why mult",
        "begin with variance", "make training faster", "10. Where", "Relative positions",
    ],
    "A page of frequent questions": ["as a whole", "scaling for", "one-hot", "every line", "multiplying scores by d"],
    "A lesson on scaling": [
        "size of its inputs", "differentiated", "normalisation of its input", "do all of them",
        "dimension of the word", "be normal", "more variance", "variance of 1",
    ],
    "A note on the root": [
        "formula of attention", "not dₖ", "gradient behind", "distribution of", "equal those", "product keep",
        "hundred million",
    ],
}  # fmt: skip


@pytest.mark.parametrize("collection", ASKED)
def test_every_question_of_a_collection_stands_on_the_page(collection):
    part = TEXT.partition(f"## {collection}\n")[2].partition("\n## ")[0]
    asked = [row[0] for row in ROW.findall(part)]
    for words in ASKED[collection]:
        assert sum(words.lower() in one.lower() for one in asked) >= 1, f"nobody answers: {words}"
    assert len(asked) == len(ASKED[collection])


def test_collections_and_rows_are_all_known():
    assert re.findall(r"^## (.+)$", TEXT, re.MULTILINE) == list(ASKED)
    assert len(ROWS) == sum(map(len, ASKED.values()))


def test_every_claim_has_a_verdict_and_none_is_left_to_a_link():
    for asked, verdict, _ in ROWS:
        assert re.match(r"(right|half|wrong|open)\b|–$", verdict), asked
        if not asked.endswith("?") and "without a text" not in asked:
            assert verdict != "–", asked


def test_every_question_of_the_book_answers_some():
    answering = Counter(page for page, _ in LINKS)
    assert {stop.page for stop in stops()} <= set(answering)


def test_every_answer_is_there(book_html):
    pages = {page: BeautifulSoup((book_html / f"chapters/{page}.html").read_text("utf-8"), "html.parser")
             for page in {page for page, _ in LINKS}}  # fmt: skip
    missing = [f"{page}.md#{anchor}" for page, anchor in LINKS if not pages[page].find(id=anchor.replace("ₖ", "k"))]
    assert not missing
