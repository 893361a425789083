"""The search finds the chapter that one means, first, with an excerpt that can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import serve
from playwright.sync_api import expect

FIRST = {
    "why sqrt": "why_sqrt_dk", "√d": "why_sqrt_dk", "√dₖ": "why_sqrt_dk", "dk": "why_sqrt_dk", "d_k": "why_sqrt_dk",
    "Xavier": "why_sqrt_dk", "LayerNorm": "layer_norm", "layer norm": "layer_norm", "dropout": "dropout_sites",
    "softmax": "softmax_saturation", "heads": "multi_head", "representation subspaces": "multi_head",
    "rotary": "relative_positions", "ALiBi": "relative_positions",
}  # fmt: skip


@pytest.fixture(scope="module")
def book_server(book_html: Path) -> Iterator[str]:
    with serve(book_html) as address:
        yield address


@pytest.mark.parametrize("words", FIRST)
def test_the_chapter_that_one_means_comes_first(words, visit, book_server):
    page = visit(f"{book_server}/search.html?q={words}")
    first = page.locator("ul.search li a").first
    expect(first).to_be_visible()
    assert f"/{FIRST[words]}.html" in first.evaluate("(a) => a.href"), page.locator("ul.search li").all_inner_texts()[
        :4
    ]


def test_an_excerpt_has_each_formula_once_and_no_check(visit, book_server):
    page = visit(f"{book_server}/search.html?q=variance")
    excerpt = page.locator("ul.search li p.context").first
    expect(excerpt).to_be_visible()
    texts = " ".join(page.locator("ul.search li p.context").all_inner_texts())
    assert "dkd_k" not in texts and "\\" not in texts and "Check" not in texts and "Hide" not in texts
