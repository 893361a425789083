"""The first page's map: one layer from left to right, each part of it with the questions that it asks.

``{layer-map}`` in a chapter draws it. What a reader has done with a question is read from their own browser
(``page/map.ts``); without a script the map is a list of links. A notebook has the table of questions instead.
"""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from whyformer.lab.words import t

from whyformer_book.paths import FOLDER, QUESTIONS, Context
from whyformer_book.questions import PARTS, Stop, stops


def _item(stop: Stop) -> str:
    shapes = "".join(f'<i class="wf-shape wf-shape-{shape}"></i>' for shape in stop.shapes)
    return (
        f'<li><a data-question="{stop.page}" href="{stop.page}.html"><small>{shapes}{escape(t(stop.about))}</small>'
        f"<b>{escape(t(stop.question))}</b></a>"
        '<span class="wf-answered"></span></li>'
    )


def picture() -> str:
    """The map as HTML: a list of questions for each part."""
    rows = {part: "".join(_item(stop) for stop in stops() if stop.part == part) for part in PARTS}
    heads = ((escape(t(part)), row) for part, row in rows.items())
    parts = "".join(f'<li class="wf-stations"><h3>{head}</h3><ol>{row}</ol></li>' for head, row in heads)
    return f'<div class="wf-map"><ol class="wf-line">{parts}</ol><p class="wf-map-progress" role="status"></p></div>'


class LayerMap(SphinxDirective):
    """``{layer-map}``: the map, on a page; elsewhere nothing."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The map as raw HTML."""
        for file in QUESTIONS.glob("*/page.toml"):
            self.env.note_dependency(str(file))
        return [nodes.raw("", picture(), format="html", classes=["wf-wide"])]


def _add_to_page(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    if 'class="wf-map"' in context.get("body", ""):
        app.add_js_file(f"{FOLDER}/map.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """The directive, and its script where it is used."""
    app.add_directive("layer-map", LayerMap)
    app.connect("html-page-context", _add_to_page)
