"""The first page's map: one layer from left to right, each part of it with the questions that it asks.

``{layer-map}`` in a chapter draws it. What a reader has done with a question is read from their own browser
(``static/map.js``); without a script the map is a list of links. A notebook has the table of questions instead.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from whyformer_book.paths import FOLDER, QUESTIONS, Context

#: Parts of a layer in the order of the flow; the first is about the whole.
PARTS = (
    *("The whole", "Words go in", "Attention compares", "Heads mix", "The layer stays trainable"),
    "Words come out",
)


@dataclass(frozen=True)
class Stop:
    """A question on the map: what in the layer it is about, what it asks in few words, shapes beside it.

    A room says this in its ``page.toml``, under ``[map]``, with the part, and its place among the stops of that part.
    """

    page: str
    part: str
    place: int
    about: str
    question: str
    shapes: tuple[str, ...] = ()


@cache
def stops() -> tuple[Stop, ...]:
    """All stops in the order of the map. ``ValueError`` for a part that the layer does not have."""
    found = []
    for file in QUESTIONS.glob("*/page.toml"):
        if given := tomllib.loads(file.read_text(encoding="utf-8")).get("map"):
            stop = Stop(file.parent.name, **{**given, "shapes": tuple(given.get("shapes", ()))})
            if stop.part not in PARTS:
                raise ValueError(f"{file}: the map has the parts {', '.join(PARTS)}; got {stop.part!r}")
            found.append(stop)
    return tuple(sorted(found, key=lambda stop: (PARTS.index(stop.part), stop.place, stop.page)))


def _item(stop: Stop) -> str:
    shapes = "".join(f'<i class="wf-shape wf-shape-{shape}"></i>' for shape in stop.shapes)
    return (
        f'<li><a data-room="{stop.page}" href="{stop.page}.html"><small>{shapes}{escape(stop.about)}</small>'
        f"<b>{escape(stop.question)}</b></a>"
        '<span class="wf-answered"></span></li>'
    )


def picture() -> str:
    """The map as HTML: a list of questions for each part."""
    rows = {part: "".join(_item(stop) for stop in stops() if stop.part == part) for part in PARTS}
    parts = "".join(f'<li class="wf-stations"><h3>{part}</h3><ol>{row}</ol></li>' for part, row in rows.items())
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
