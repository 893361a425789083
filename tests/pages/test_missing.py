"""An address that is not in the book: its page names what is, and leads there from beside the book's pages and from
below the folders that the book has. Below any other folder it takes that one for the book's."""

from __future__ import annotations

import pytest
from browser import serve
from page_cases import BOOK


@pytest.mark.parametrize(
    ("place", "below"),
    [
        *((place, "") for place in ("gone.html", "chapters/gone.html", "chapters/gone/deeper.html")),
        *(("chapters/gone.html", below) for below in ("a-site/of-a-book/", "my-chapters/", "/elsewhere.example/")),
    ],
)
def test_a_missing_page_leads_to_those_that_are_there(place, below, visit, book_html):
    with serve(book_html) as base:
        page = visit("about:blank")
        address = f"{base}/{below}{place}"
        page.route(address, lambda route: route.fulfill(body=(book_html / "404.html").read_text(encoding="utf-8")))
        page.goto(address)
        links = [link.evaluate("(link) => link.href") for link in page.locator("li a").all()]
        assert links == [f"{base}/{below.lstrip('/')}{name}.html" for name in BOOK]
        assert page.locator("h1").inner_text() == "This page is not in the book"
