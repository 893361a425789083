"""What the search of the book knows of each page, written as a script that a page loads when its search is opened.

Sphinx's own search and its index are left out. A page gives its title, what it is ``asked``, and for each section an
anchor, a heading and its passages as a reader reads them: no code, no check, no solution, no source of a formula. A
card is such a section too, with its question for a heading; the page of practice, which collects them, has none. A word
of the glossary leads to the section that its entry names. A page that is not written anew keeps what it gave before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx_exercise.nodes import solution_node
from whyformer.lab.words import t

from whyformer_book.pages.cards import card
from whyformer_book.pages.tex import spoken
from whyformer_book.paths import FOLDER, PACKAGE
from whyformer_book.proof.ticks import Tick
from whyformer_book.questions import settings
from whyformer_book.site.redirects import pages_in_order

NEEDS = ("pages.css_hooks",)  # the text is whole
FILE = "search-pages.js"
BEGINNING = "self.WhyformerPages="
SILENT = nodes.raw | nodes.literal_block | nodes.math_block | nodes.comment | addnodes.toctree | Tick | solution_node
TEXTS = nodes.paragraph | nodes.term | nodes.rubric | nodes.row | nodes.caption
#: How to use the page's marks, and what to read before and after it.
ASIDE = re.compile("✓|^(Read before|Next): ")
Page = dict[str, Any]


def words(node: nodes.Node) -> str:
    """A text as it is read: formulas that need more than one line of letters are left out."""
    if isinstance(node, nodes.math):
        return spoken(node.astext()) or "…"
    if isinstance(node, nodes.Text):
        return str(node)
    if isinstance(node, SILENT):
        return ""
    cells = " · " if isinstance(node, nodes.row) else ""
    return re.sub(r"\s+", " ", cells.join(filter(None, map(words, node.children))))


def passages(node: nodes.Node) -> Iterator[str]:
    """The texts below a node, but not those of titled sections and of objects, which have a place of their own."""
    for child in node.children:
        if isinstance(child, TEXTS):
            text = words(child).strip()
            if text and not ASIDE.search(text):
                yield text
        elif not isinstance(child, nodes.title | addnodes.desc | card | SILENT) and not _titled(child):
            yield from passages(child)


def _titled(node: nodes.Node) -> bool:
    return isinstance(node, nodes.section) and isinstance(node[0], nodes.title)


def sections(document: nodes.document) -> Iterator[tuple[str, str, list[str]]]:
    """Anchor, heading and passages of each section, card and object of the reference; the page's own come first."""
    for node in document.findall(lambda one: _titled(one) or isinstance(one, addnodes.desc | card)):
        if isinstance(node, card):
            asked_for, *said = passages(node)
            yield node["ids"][0], asked_for, said
        elif isinstance(node, nodes.section):
            top = isinstance(node.parent, nodes.document)
            yield "" if top else node["ids"][0], words(node[0]), list(passages(node))
        elif ids := node[0].get("ids"):
            yield ids[0], node[0]["fullname"], list(passages(node[-1]))[:1]


def leading(document: nodes.document, address: str) -> Iterator[tuple[str, str]]:
    """The words of a glossary, each with the address, from the book's first folder, to which its entry leads."""
    for item in document.findall(nodes.definition_list_item):
        for term in item.findall(nodes.term):
            for link in item[-1].findall(nodes.reference):
                yield term.astext(), unquote(urljoin(address, link["refuri"]))


def of_page(document: nodes.document, docname: str, address: str) -> Page:
    """What is known of one page. The front end has the same names (``search/find.ts``)."""
    question = PACKAGE / "questions" / Path(docname).name / "predictions.py"
    found = [one for one in sections(document) if question.parent.name != "practice" or not one[0].startswith("card-")]
    parts = [{"anchor": anchor, "heading": heading, "passages": texts} for anchor, heading, texts in found]
    any_card = any(one[0].startswith("card-") for one in found)
    said = settings(docname)
    told = {"title": parts[0]["heading"], "description": t(said.get("description", "")), "asked": said.get("asked", [])}
    page = {"address": address, **told, "is_question": question.is_file() or any_card, "sections": parts}
    return page | ({"leads": list(leading(document, address))} if question.parent.name == "glossary" else {})


def _instead_of_sphinx(app: Sphinx) -> None:
    app.builder.search = False  # type: ignore[attr-defined]
    app.env.whyformer_pages = {}  # type: ignore[attr-defined]


def _take(app: Sphinx, document: nodes.document, docname: str) -> None:
    if app.builder.format == "html" and any(map(_titled, document.children)):
        page = of_page(document, docname, app.builder.get_target_uri(docname))
        app.env.whyformer_pages[docname] = page  # type: ignore[attr-defined]


def _page_of_search(app: Sphinx) -> Iterable[tuple[str, dict[str, Any], str]]:
    return [("search", {}, "search.html")]


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    file = Path(app.outdir, FILE)
    before = json.loads(file.read_text(encoding="utf-8").removeprefix(BEGINNING)) if file.is_file() else []
    known = {page["address"]: page for page in before}
    known |= {page["address"]: page for page in app.env.whyformer_pages.values()}  # type: ignore[attr-defined]
    names = [app.config.root_doc, *pages_in_order(app.env)]
    addresses = [app.builder.get_target_uri(name) for name in names]
    pages = [known[address] for address in addresses if address in known]
    text = BEGINNING + json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    if not (file.is_file() and file.read_text(encoding="utf-8") == text):
        file.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Pages are taken when all of their text is known, before answers are folded."""
    app.connect("builder-inited", _instead_of_sphinx)
    app.connect("doctree-resolved", _take)
    app.connect("html-collect-pages", _page_of_search)
    app.connect("build-finished", _write)
    app.add_js_file(f"{FOLDER}/search-button.js", loading_method="defer")
