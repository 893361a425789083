"""What a page says of itself where it is not read: in lists of results, beside a link, and in the book's own search.

It stands in ``page.toml`` in the page's room: ``description``, one plain sentence of at most 160 characters, and
``asked``, the questions and words with which people come.
"""

from __future__ import annotations

import tomllib
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from whyformer_book.paths import QUESTIONS, Context

LONGEST = 160  # characters that lists of results show


def file_of(docname: str) -> Path:
    """Where it stands for the page of that name."""
    return QUESTIONS / Path(docname).name / "page.toml"


@cache
def _read(file: Path) -> dict[str, str | list[str]]:
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def description(docname: str) -> str:
    """One plain sentence, or nothing."""
    return str(_read(file_of(docname)).get("description", ""))


def asked(docname: str) -> list[str]:
    """What people ask when they look for this page."""
    return list(_read(file_of(docname)).get("asked", []))


def head(title: str, sentence: str, site: str, address: str) -> str:
    """The lines of a page's head for results and for the card of a link; ``address`` is whole, or empty."""
    names = {"title": title, "description": sentence, "type": "article", "site_name": site, "url": address}
    card = [f'<meta property="og:{name}" content="{escape(text)}" />' for name, text in names.items() if text]
    return "\n".join([f'<meta name="description" content="{escape(sentence)}" />', *card, ""])


def _depends(app: Sphinx, docname: str, source: list[str]) -> None:
    app.env.note_dependency(str(file_of(docname)))


def _add_head(app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None) -> None:
    if sentence := description(pagename):
        base, title = app.config.html_baseurl, app.env.titles[pagename].astext()
        address = f"{base.rstrip('/')}/{app.builder.get_target_uri(pagename)}" if base else ""
        context["metatags"] = context.get("metatags", "") + head(title, sentence, app.config.html_title, address)


def setup(app: Sphinx) -> None:
    """A page is made anew when what it says of itself has changed."""
    app.connect("source-read", _depends)
    app.connect("html-page-context", _add_head)
