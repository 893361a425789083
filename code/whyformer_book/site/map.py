"""The first page's map: one layer from left to right, each part of it with the questions that it asks.

``{layer-map}`` in a chapter draws it. What a reader has done with a question is read from their own browser
(``static/map.js``); without a script the map is a list of links. A notebook has the table of questions instead.
"""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from whyformer_book.site.assets import FOLDER, Context


class Stop(NamedTuple):
    """A question at its place: the page, what in the layer it is about, what it asks in few words, shapes beside it."""

    page: str
    about: str
    question: str
    shapes: tuple[str, ...] = ()


#: Parts of a layer in the order of the flow; the first is about the whole.
PARTS = {
    "The whole": (
        Stop("framework", "begin here", "How do the pieces fit?"),
        Stop("advantages", "against a recurrent network", "What is better than an RNN, and what is not?"),
    ),
    "Words go in": (
        Stop("embedding_scale", "words", "Why multiply embeddings by √d?"),
        Stop("relative_positions", "positions", "How does attention know distances?"),
    ),
    "Attention compares": (
        Stop("no_projections", "query, key, value", "What if there were no Q, K, V?", ("query", "key", "value")),
        Stop("qk_weights", "two matrices", "Why different weights for Q and K?", ("query", "key")),
        Stop("dot_vs_additive", "score", "Why a dot product?", ("score",)),
        Stop("why_sqrt_dk", "score ÷ √dₖ", "Why divide by √dₖ?", ("score",)),
        Stop("softmax_saturation", "weights", "How can a softmax lose its gradient?", ("weight",)),
    ),
    "Heads mix": (
        Stop("multi_head", "outputs", "Why several heads?", ("value",)),
        Stop("head_size", "small outputs", "Why shrink each head?", ("value",)),
    ),
    "The layer stays trainable": (
        Stop("layer_norm", "add and norm", "Why LayerNorm, not BatchNorm?"),
        Stop("dropout_sites", "dropout", "Where is dropout?"),
    ),
    "Words come out": (Stop("weight_tying", "output table", "Where are weights shared?"),),
}
STOPS = [stop for stops in PARTS.values() for stop in stops]


def _item(stop: Stop) -> str:
    shapes = "".join(f'<i class="wf-shape wf-shape-{shape}"></i>' for shape in stop.shapes)
    return (
        f'<li><a data-room="{stop.page}" href="{stop.page}.html"><small>{shapes}{escape(stop.about)}</small>'
        f"<b>{escape(stop.question)}</b></a>"
        '<span class="wf-answered"></span></li>'
    )


def picture() -> str:
    """The map as HTML: a list of questions for each part."""
    parts = "".join(
        f'<li class="wf-stations"><h3>{part}</h3><ol>{"".join(map(_item, stops))}</ol></li>'
        for part, stops in PARTS.items()
    )
    return f'<div class="wf-map"><ol class="wf-line">{parts}</ol><p class="wf-map-progress" role="status"></p></div>'


class LayerMap(SphinxDirective):
    """``{layer-map}``: the map, on a page; elsewhere nothing."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The map as raw HTML."""
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
