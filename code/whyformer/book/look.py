"""The theme, changed where this book differs: own templates (``templates/``) and icons drawn by a small style sheet."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from whyformer.book.assets import FOLDER


def add_templates(app: Sphinx, config: Config) -> None:
    config.templates_path.insert(0, str(Path(__file__).parent / "templates"))


#: What a screen reader stumbles over: folded cells of one name, empty cells that pass as heads, a retired role.
MENDED = {
    '<summary aria-label="Toggle hidden content">': "<summary>",
    "<th></th>": "<td></td>",
    'role="doc-biblioentry"': 'role="listitem"',
}


def mend_markup(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    for fault, mended in MENDED.items():
        context["body"] = context.get("body", "").replace(fault, mended)


def setup(app: Sphinx) -> None:
    app.connect("config-inited", add_templates)
    app.connect("html-page-context", mend_markup)
    app.add_css_file(f"{FOLDER}/book.css")
    app.add_css_file(f"{FOLDER}/icons.css")
