"""The first page's map: the Transformer drawn large, a pin for each question, and what the reader has answered so far.

``{transformer-map}`` in a chapter draws it. Answers are read from the reader's own browser (``static/map.js``), where
predictions keep them; without a script the map is a picture with links. A notebook has the list of questions instead.
The page of a question has the map once more, small and without words: it shows where on it the question sits.
"""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from whyformer.book.assets import FOLDER, Context


class Box(NamedTuple):
    """A block: its words, where it stands, how large it is."""

    text: str
    x: float
    y: float
    width: float = 150
    height: float = 34
    kind: str = "block"


class Pin(NamedTuple):
    """A question at its place: the page, what it asks in few words, where the pin is."""

    page: str
    question: str
    x: float
    y: float


WIDE, HIGH = 760, 560
ENCODER = [
    Box("words + positions", 40, 500),
    Box("attention", 40, 420),
    Box("add & norm", 40, 376),
    Box("feed-forward", 40, 316),
    Box("add & norm", 40, 272),
]
DECODER = [
    Box("words + positions", 260, 500),
    Box("masked attention", 260, 420),
    Box("add & norm", 260, 376),
    Box("cross-attention", 260, 316),
    Box("add & norm", 260, 272),
    Box("feed-forward", 260, 212),
    Box("add & norm", 260, 168),
    Box("linear, softmax", 260, 92),
]
HEAD = [
    Box("x W_Q, x W_K, x W_V", 510, 420, 200),
    Box("Q Kᵀ", 510, 340, 200),
    Box("÷ √dₖ", 510, 290, 200),
    Box("softmax", 510, 240, 200),
    Box("weights × V", 510, 180, 200),
    Box("heads side by side, W_O", 510, 110, 200),
]
FRAMES = [
    Box("N ×", 24, 258, 190, 206, "frame"),
    Box("N ×", 244, 154, 190, 310, "frame"),
    Box("inside each attention", 490, 60, 240, 420, "frame"),
]
PINS = [
    Pin("framework", "How do the pieces fit?", 115, 226),
    Pin("softmax_saturation", "How can a softmax lose its gradient?", 710, 257),
    Pin("why_sqrt_dk", "Why divide by √dₖ?", 710, 307),
    Pin("dot_vs_additive", "Why not additive attention?", 510, 357),
    Pin("no_projections", "What if there were no projections?", 710, 437),
    Pin("qk_weights", "Why different weights for Q and K?", 710, 357),
    Pin("multi_head", "Why several heads?", 710, 127),
    Pin("head_size", "Why shrink each head?", 668, 92),
    Pin("layer_norm", "Why LayerNorm, not BatchNorm?", 190, 289),
    Pin("dropout_sites", "Where is dropout?", 410, 393),
    Pin("embedding_scale", "Why multiply embeddings by √d_model?", 190, 517),
    Pin("weight_tying", "Where are weights shared?", 410, 109),
    Pin("relative_positions", "How far apart are two words?", 410, 517),
    Pin("advantages", "What is better than an RNN?", 190, 437),
]
WIRES = [
    "M115 500V454", "M115 420V410", "M115 376V350", "M115 316V306", "M115 272V240H232V333H260",
    "M335 500V454", "M335 420V410", "M335 376V350", "M335 316V306", "M335 272V246", "M335 212V202", "M335 168V126",
    "M335 92V64", "M610 470V454", "M610 420V374", "M610 340V324", "M610 290V274", "M610 240V214", "M610 180V144",
    "M610 110V84", "M115 478H32V393H40", "M115 362H32V289H40", "M335 478H252V393H260", "M335 362H252V289H260",
    "M335 258H252V185H260",
]  # fmt: skip


def _box(box: Box) -> str:
    place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" rx="6"'
    if box.kind == "frame":
        inside = 17 if box.width > 200 else -9
        words = f'<text class="wf-map-note" x="{box.x + 8:g}" y="{box.y + inside:g}">{escape(box.text)}</text>'
    else:
        middle = (box.x + box.width / 2, box.y + box.height / 2)
        words = f'<text x="{middle[0]:g}" y="{middle[1]:g}">{escape(box.text)}</text>'
    return f'<rect class="wf-map-{box.kind}" {place}/>{words}'


def _pin(number: int, pin: Pin) -> str:
    return (
        f'<a class="wf-pin" data-room="{pin.page}" href="{pin.page}.html"><title>{escape(pin.question)}</title>'
        f'<circle cx="{pin.x:g}" cy="{pin.y:g}" r="15"/><text x="{pin.x:g}" y="{pin.y:g}">{number}</text></a>'
    )


def _drawing(name: str, pins: str, words: str = "") -> str:
    """Boxes and wires with ``pins`` above them; ``name`` is what a screen reader hears."""
    wires = "".join(f'<path d="{wire}"/>' for wire in WIRES)
    boxes = "".join(map(_box, [*FRAMES, *ENCODER, *DECODER, *HEAD]))
    return f'<svg viewBox="0 0 {WIDE} {HIGH}" {name}>{wires}{boxes}{words}{pins}</svg>'


def picture() -> str:
    """The map and the list of its questions, as HTML."""
    pins = "".join(_pin(number, pin) for number, pin in enumerate(PINS, 1))
    names = "".join(
        f'<text class="wf-map-name" x="{stack[0].x + 75:g}" y="552">{name}</text>'
        for stack, name in ((ENCODER, "encoder"), (DECODER, "decoder"))
    )
    link = '<li><a data-room="{0}" href="{0}.html">{1}</a><span class="wf-answered"></span></li>'
    items = "".join(link.format(pin.page, escape(pin.question)) for pin in PINS)
    map_ = _drawing('role="group" aria-label="The Transformer, with a pin for each question"', pins, names)
    return (
        f'<div class="wf-map">{map_}<div class="wf-map-side"><ol>{items}</ol>'
        '<p class="wf-map-progress" role="status"></p></div></div>'
    )


def small_picture(pin: Pin) -> str:
    """The map with one pin and no words, a link to the map with all of them."""
    words = "Where this question sits in the Transformer: to the map of all questions"
    dot = f'<circle cx="{pin.x:g}" cy="{pin.y:g}" r="26"/>'
    drawing = _drawing('aria-hidden="true"', dot)
    return f'<a class="wf-map wf-sits" href="intro.html" aria-label="{words}">{drawing}</a>'


class TransformerMap(SphinxDirective):
    """``{transformer-map}``: the map, on a page; elsewhere nothing."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The map as raw HTML."""
        return [nodes.raw("", picture(), format="html", classes=["wf-wide"])]


def _add_to_page(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    """The script to the page with the map, the small map below the title of a question."""
    body = context.get("body", "")
    if 'class="wf-map"' in body:
        app.add_js_file(f"{FOLDER}/map.js", loading_method="defer")
    for pin in PINS:
        if pagename == f"chapters/{pin.page}":
            sited = body.replace('<section class="', '<section class="wf-sited ', 1)
            context["body"] = sited.replace("</h1>", f"</h1>{small_picture(pin)}", 1)


def setup(app: Sphinx) -> None:
    """The directive, its script where it is used, and the small map of each question."""
    app.add_directive("transformer-map", TransformerMap)
    app.connect("html-page-context", _add_to_page)
