"""What a style sheet would have to look inside for is said in a class when the page is made.

A browser keeps account of ``:has(…)`` at every change of a page: with some twenty such rules a move of a lab cost up to
10 ms of styling more. What is inside of what does not change once a page is written, so no rule of the book's sheets
asks for it, and those of the theme that do are left out (``first_paint``).
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from whyformer_book.proof.ticks import Tick

#: They move what stands in a page, or name it.
NEEDS = ("pages.theme_fixes", "pages.cards", "pages.citations", "proof.ticks")
#: Elements of the labs, and the class of the output that holds one.
HELD = {
    "<whyformer-lab": "wf-holds-lab",
    "<whyformer-predict": "wf-holds-question",
    "<whyformer-exercise": "wf-holds-question",
}


def _holds(node: nodes.Element, start: str) -> bool:
    return any(start in raw.astext() for raw in node.findall(nodes.raw))


def _named(node: nodes.Element, name: str) -> None:
    if name not in node["classes"]:
        node["classes"].append(name)


def _is(node: nodes.Node | None, part: str) -> bool:
    """Whether a node is a cell, or that part of one."""
    return isinstance(node, nodes.container) and node.get("nb_element") == part


def _sort_cells(document: nodes.document) -> None:
    for cell in document.findall(lambda node: _is(node, "cell_code")):
        for start, name in HELD.items():
            for part in [cell, *cell.children]:
                if _holds(part, start):
                    _named(part, name)


def _sort_proven(document: nodes.document) -> None:
    """What a tick stands beside: a paragraph, or a table or a picture, which are as wide as they are."""
    for tick in document.findall(Tick):
        block = tick.parent
        before = block[block.index(tick) - 1]
        if isinstance(before, nodes.paragraph):
            _named(before, "wf-marked")
        if isinstance(before, nodes.figure | nodes.table):
            _named(block, "wf-beside-picture")


def _place_notes(document: nodes.document) -> None:
    """A note of the margin and the block before it, which it stands beside, in one box."""
    for note in list(document.findall(lambda node: isinstance(node, nodes.sidebar) and "margin" in node["classes"])):
        parent, at = note.parent, note.parent.index(note)
        opening, closing = (nodes.raw("", tag, format="html") for tag in ('<aside class="wf-aside">', "</aside>"))
        words = [child for child in note if not isinstance(child, nodes.title)]
        parent[at - 1 : at + 1] = [nodes.container("", parent[at - 1], opening, *words, closing, classes=["wf-noted"])]


def _sort(app: Sphinx, document: nodes.document, docname: str) -> None:
    _place_notes(document)
    _sort_cells(document)
    _sort_proven(document)


def setup(app: Sphinx) -> None:
    """Sorted when nothing else moves in the page any more."""
    app.connect("doctree-resolved", _sort)
