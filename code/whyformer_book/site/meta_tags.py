"""What a page says of itself where it is not read: in lists of results, beside a link, and in the book's own search.

It stands in ``page.toml`` (``whyformer_book.questions``).
"""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from whyformer.lab.words import t

from whyformer_book.paths import Context
from whyformer_book.questions import file_of, settings

LONGEST = 160  # characters that lists of results show


def head(title: str, sentence: str, site: str, address: str) -> str:
    """The lines of a page's head for results and for the card of a link; ``address`` is whole, or empty."""
    names = {"title": title, "description": sentence, "type": "article", "site_name": site, "url": address}
    card = [f'<meta property="og:{name}" content="{escape(text)}" />' for name, text in names.items() if text]
    return "\n".join([f'<meta name="description" content="{escape(sentence)}" />', *card, ""])


def _depends(app: Sphinx, docname: str, source: list[str]) -> None:
    app.env.note_dependency(str(file_of(docname)))


def _add_head(app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None) -> None:
    if sentence := t(settings(pagename).get("description", "")):
        base, title = app.config.html_baseurl, app.env.titles[pagename].astext()
        address = f"{base.rstrip('/')}/{app.builder.get_target_uri(pagename)}" if base else ""
        context["metatags"] = context.get("metatags", "") + head(title, sentence, app.config.html_title, address)


def setup(app: Sphinx) -> None:
    """A page is made anew when what it says of itself has changed."""
    app.connect("source-read", _depends)
    app.connect("html-page-context", _add_head)
