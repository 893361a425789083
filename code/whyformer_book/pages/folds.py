"""What is folded under its own heading: the short answer where a bet is asked for, and the long parts of a chapter.

``<details>`` is the browser's own, so that it can be read without a script, and is found when the page is searched.
``teach/answer.ts`` opens the answer with the bet, and what a link leads to.

A chapter in the order of the third edition (*See it*, *Say it* …) folds its small headings and its last parts, and
keeps the names by which links knew its sections. The notation folds the letters of each chapter.
"""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from whyformer.lab.words import t

NEEDS = ("pages.terms",)  # what looks at sections finds the title first
ANSWERS = ("say-it",)
SHORT = "see-it"  # a section of the third edition
FOLDED = {"exercises", "deeper", "sources"}
BY_CHAPTER = "letters-in-the-sense-of-one-chapter"  # of the notation: one fold for each
FORMER = {
    "see-it": "lab",
    "say-it": "short-answer",
    "prove-it": "derivation",
    "wrong-answers": "answers-that-are-wrong",
}


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _fold(section: nodes.section, name: str, hint: str = "") -> None:
    title, *rest = section.children
    opening = _html(f'<details class="{name}"><summary>')
    section[:] = [opening, title, _html(f"{hint}</summary>"), *rest, _html("</details>")]


def _has_see_it(document: nodes.document) -> bool:
    """Whether a page is a chapter."""
    return any(SHORT in section["ids"] for section in document.findall(nodes.section))


def _fold_parts(document: nodes.document) -> None:
    for section in list(document.findall(nodes.section)):
        section["ids"] += [FORMER[name] for name in section["ids"] if name in FORMER]
        depth = sum(isinstance(above, nodes.section) for above in _above(section))
        inside = any(FOLDED & set(above["ids"]) for above in _above(section) if isinstance(above, nodes.section))
        if FOLDED & set(section["ids"]) or (depth == 2 and not inside):
            _fold(section, "wf-fold")
    next(document.findall(nodes.section))["classes"].append("wf-chapter")


def _above(node: nodes.Node) -> list[nodes.Element]:
    found, above = [], node.parent
    while above is not None:
        found.append(above)
        above = above.parent
    return found


def _fold_letters(document: nodes.document) -> None:
    for section in list(document.findall(nodes.section)):
        if isinstance(section.parent, nodes.section) and BY_CHAPTER in section.parent["ids"]:
            _fold(section, "wf-fold")


def _fold_all(app: Sphinx, document: nodes.document, docname: str) -> None:
    if _has_see_it(document):
        _fold_parts(document)
    _fold_letters(document)
    if any("<whyformer-predict" in raw.astext() for raw in document.findall(nodes.raw)):
        for section in [one for one in document.findall(nodes.section) if {*ANSWERS} & set(one["ids"])]:
            _fold(section, "wf-answer", f'<span class="wf-hint">{escape(t("opens with your bet, or here"))}</span>')


def setup(app: Sphinx) -> None:
    """Folded last: what looks at sections finds the title first."""
    app.connect("doctree-resolved", _fold_all)
