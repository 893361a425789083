"""What a page says of itself in results and beside a link: one sentence, its own, of a length that is shown whole."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from page_cases import BOOK
from whyformer_book.site.meta_tags import LONGEST, head


def metas(page: str) -> dict[str, str]:
    found = re.findall(r'<meta (?:name|property)="((?:og:)?\w+)" content="([^"]*)"', page.split("</head>")[0])
    return {name: unescape(content) for name, content in found}


@pytest.fixture(scope="module")
def told(book_html: Path) -> dict[str, dict[str, str]]:
    return {name: metas((book_html / f"{name}.html").read_text(encoding="utf-8")) for name in BOOK}


@pytest.mark.parametrize("name", BOOK)
def test_a_page_has_a_description_of_fitting_length(name, told):
    sentence = told[name].get("description", "")
    assert 50 <= len(sentence) <= LONGEST and re.fullmatch(r"[A-Z].*\.", sentence), sentence


def test_no_two_pages_have_the_same(told):
    assert len({page["description"] for page in told.values()}) == len(BOOK)


@pytest.mark.parametrize("name", BOOK)
def test_the_card_of_a_link_says_the_question(name, told, book_html):
    title = re.search(r"<title>(.*?)</title>", (book_html / f"{name}.html").read_text(encoding="utf-8"), re.DOTALL)[1]
    assert unescape(title).strip().startswith(told[name]["og:title"]) and told[name]["og:title"]
    assert told[name]["og:description"] == told[name]["description"]
    assert told[name]["og:type"] == "article" and "og:url" not in told[name], "an address that nobody has set"


def test_an_address_is_whole_and_quotes_are_kept():
    said = metas(head('Why "√dₖ"?', "A <b> & c.", "The book", "https://example.org/a.html"))
    assert said["og:url"] == "https://example.org/a.html" and said["og:title"] == 'Why "√dₖ"?'
    assert said["description"] == "A <b> & c." and said["og:site_name"] == "The book"
