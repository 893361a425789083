"""The short answer of a chapter that asks for a bet is folded, under its own heading; ``teach/answer.ts`` opens it.

``<details>`` is the browser's own, so that it can be read without a script, and is found when the page is searched.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

ANSWER = "short-answer"


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _fold(app: Sphinx, document: nodes.document, docname: str) -> None:
    if not any("<whyformer-predict" in raw.astext() for raw in document.findall(nodes.raw)):
        return
    for section in document.findall(lambda node: isinstance(node, nodes.section) and ANSWER in node["ids"]):
        title, *rest = section.children
        hint = '<span class="wf-hint">opens with your bet, or here</span>'
        opening = _html('<details class="wf-answer"><summary>')
        section[:] = [opening, title, _html(f"{hint}</summary>"), *rest, _html("</details>")]


def setup(app: Sphinx) -> None:
    """Folded last: what looks at sections finds the title first."""
    app.connect("doctree-resolved", _fold, priority=950)
