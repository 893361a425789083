"""A mark on a page: the sentence can be touched, and a tick beside its paragraph opens on how it was tested.

Opened, a tick shows for each check one plain sentence, what was found beside what is printed, and the code. A check
that several ticks open shows its code at the first and is linked to from the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator
from whyformer.lab.words import t
from whyformer.proof import Result
from whyformer.proof.judge import shown

from whyformer_book import foreign
from whyformer_book.paths import FOLDER
from whyformer_book.proof.question import Question, question_of

NEEDS = ("pages.figures",)  # a figure may hold a mark
#: A mark inside one of these has its tick beside the whole of it.
WHOLE = (nodes.table, nodes.figure)


class Tick(nodes.container):  # type: ignore[misc]
    """Stands beside a block with marks and opens on how they were tested."""


def _visit(self: HTML5Translator, node: nodes.Element) -> None:
    words = node["words"]
    self.body.append(f'<details class="wf-check"><summary title="{words}"><span>{words}</span></summary>')


def _depart(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</details>")


def _pass(self: Any, node: nodes.Element) -> None:
    """Other formats show what is inside."""


def _beside(marked: nodes.Element) -> nodes.Element:
    """The block that a tick stands beside: the paragraph of a mark, or the table that holds it."""
    block = marked
    above: nodes.Element | None = marked
    while above is not None:
        if isinstance(above, WHOLE):
            return above
        if isinstance(above, nodes.paragraph | nodes.title) and block is marked:
            block = above
        above = above.parent
    return block


def told(result: Result, source: str, anchor: str, first: bool) -> list[nodes.Node]:
    """What a tick shows of one check: how it was tested, settings, what was found, and its code, once on a page."""
    found = ((key, shown(value)) for key, value in result.values.items())
    rows = "".join(
        f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in found if key.replace(",", "") != value
    )
    parts: list[nodes.Node] = [nodes.paragraph("", said) for said in (result.how, result.told) if said]
    if rows:
        parts.append(nodes.raw("", f"<dl>{rows}</dl>", format="html"))
    if first:
        code = nodes.literal_block(source, source, language="python", classes=["wf-source-code"])
        opening = f'<details class="wf-source" id="{anchor}"><summary>{escape(t("The check in Python"))}</summary>'
        return [*parts, nodes.raw("", opening, format="html"), code, nodes.raw("", "</details>", format="html")]
    link = f'<p><a href="#{anchor}">{escape(t("The check in Python stands at its first tick on this page"))}</a></p>'
    return [*parts, nodes.raw("", link, format="html")]


def place_ticks(document: nodes.document, question: Question, results: Mapping[str, Result]) -> None:
    """A tick beside each block that has marks, with the checks that they name, each once."""
    sources, seen = question.sources, set[str]()
    blocks: dict[int, tuple[nodes.Element, list[str]]] = {}
    for marked in list(document.findall(lambda node: isinstance(node, nodes.Element) and "check" in node)):
        marked["classes"].append("wf-claimed")
        block = _beside(marked)
        _, names = blocks.setdefault(id(block), (block, []))
        names += [name for name in marked["check"] if name in results and name not in names]
    for block, names in blocks.values():
        if not names:
            continue
        words = t("How this was tested: {count} {count:check|checks}", count=len(names))
        tick = Tick("", words=words)
        for name in names:
            anchor = f"check-{name.replace('_', '-')}"
            how = nodes.container("", classes=["wf-how"])
            how.extend(told(results[name], sources[name], anchor, name not in seen))
            seen.add(name)
            tick.append(how)
        parent, at = block.parent, block.parent.index(block)
        parent.remove(block)
        parent.insert(at, nodes.container("", block, tick, classes=["wf-proven"]))


def _place(app: Sphinx, document: nodes.document) -> None:
    if question := question_of(app.env.docname):
        for file in question.files():
            app.env.note_dependency(str(file))
        place_ticks(document, question, question.recalled(Path(app.outdir).parent))


def setup(app: Sphinx) -> None:
    """Ticks are placed when a page has been read."""
    foreign.carry_checks()
    app.add_node(Tick, html=(_visit, _depart), latex=(_pass, _pass), text=(_pass, _pass))
    app.add_js_file(f"{FOLDER}/ticks.js", loading_method="defer")
    app.connect("doctree-read", _place)
