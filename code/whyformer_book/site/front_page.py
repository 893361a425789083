"""The first page: the formula of attention, each part of which is a question, and a head with the ways into the book.

::

    ```{formula-of-questions}
    Q: no_projections
    What a word would look at without it.
    ```

Each part has a page and, in the lines below, what there is to say about it. Parts are links; with a script
(``page/front.ts``) a part shows its question first. The √dₖ is struck out while the page's lab does not divide.
"""

from __future__ import annotations

import re
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator
from whyformer.lab.words import t

from whyformer_book.paths import FOLDER, Context

#: The parts of the formula by name, as HTML, with the role that gives the colour.
PARTS = {
    "softmax": ("softmax", "plain"),
    "Q": ("<i>Q</i>", "query"),
    "K": ("<i>K</i><sup>⊤</sup>", "key"),
    "root": ("<span class='wf-root'>√<span><i>d</i><sub><i>k</i></sub></span></span>", "score"),
    "V": ("<i>V</i>", "value"),
}
FIRST = "root"
#: The page is wider than others, and has its contents at the side only where they are a drawer.
STYLE = (
    "<style>:root { --wf-lab: 82.5rem }"
    "@media (min-width: 992px) { .bd-sidebar-primary:not(dialog) { display: none !important } }</style>"
)
LINE = re.compile(r"(\w+): (\w+)")


class formula(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801  # as docutils names its nodes
    """The formula with its parts: ``parts``, a list of (name, page, words)."""


class FormulaOfQuestions(SphinxDirective):
    """``{formula-of-questions}``: a line ``name: page`` for each part, and below it a sentence."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """A node whose questions are filled in when all titles are known."""
        parts: list[tuple[str, str, str]] = []
        for row in self.content:
            if found := LINE.fullmatch(row.strip()):
                parts.append((found[1], found[2], ""))
            elif row.strip():
                name, page, words = parts[-1]
                parts[-1] = (name, page, f"{words} {row.strip()}".strip())
        if [name for name, _, _ in parts] != list(PARTS):
            raise self.error(f"the parts of the formula are {', '.join(PARTS)}, in this order")
        for name, _, words in parts:
            if not words:
                raise self.error(f"{name} needs a sentence")
        return [formula("", parts=parts)]


def _visit(self: HTML5Translator, node: formula) -> None:
    titles = self.builder.env.titles

    def part(name: str) -> str:
        page = next(page for each, page, _ in node["parts"] if each == name)
        shown, role = PARTS[name]
        question = escape(titles[f"chapters/{page}"].astext())
        look = f"wf-part wf-part-{role}{' wf-shown' if name == FIRST else ''}"
        return f'<a class="{look}" data-part="{name}" href="{page}.html" title="{question}">{shown}</a>'

    notes = "".join(
        f'<p class="wf-part-note{" wf-shown" if name == FIRST else ""}" data-part="{name}"><a href="{page}.html"><b>'
        f"{escape(titles[f'chapters/{page}'].astext())}</b></a> {escape(words)}</p>"
        for name, page, words in node["parts"]
    )
    self.body.append(
        f'<div class="wf-formula" aria-label="{escape(t("Attention, part by part"))}">{part("softmax")}'
        '<span class="wf-paren">(</span>'
        f'<span class="wf-fraction"><span>{part("Q")}{part("K")}</span><span>{part("root")}</span></span>'
        f'<span class="wf-paren">)</span>{part("V")}'
        f'<span class="wf-not-divided">{escape(t("here: not divided"))}</span></div>'
        f'<div class="wf-part-notes">{notes}</div>'
        "<noscript><style>.wf-part-note { display: block !important }</style></noscript>"
    )
    raise nodes.SkipNode


def _skip(self: nodes.NodeVisitor, node: formula) -> None:
    raise nodes.SkipNode


def _show_head(app: Sphinx, config: Config) -> None:
    config.html_theme_options["article_header_start"] = ["front-header.html"]


def _add_to_page(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    context["whyformer_front"] = pagename == app.config.root_doc
    body = context.get("body", "")
    if 'class="wf-formula"' in body:
        context["body"] = body.replace('<section class="', '<section class="wf-front ', 1)
        context["metatags"] = context.get("metatags", "") + STYLE
        app.add_js_file(f"{FOLDER}/front.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """The directive, its script where it is used, and the head of the first page."""
    app.add_node(formula, html=(_visit, None), text=(_skip, None), latex=(_skip, None))
    app.add_directive("formula-of-questions", FormulaOfQuestions)
    app.connect("config-inited", _show_head)
    app.connect("html-page-context", _add_to_page)
    app.add_css_file(f"{FOLDER}/front.css")
