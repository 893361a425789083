"""The theme, changed where this book differs: own templates (``templates/``) and icons drawn by a small style sheet."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from whyformer.book.assets import FOLDER


def add_templates(app: Sphinx, config: Config) -> None:
    config.templates_path.insert(0, str(Path(__file__).parent / "templates"))


def mend_markup(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Two faults that a screen reader meets: folded cells that all have one name, empty cells that pass as heads."""
    body = context.get("body", "")
    body = body.replace('<summary aria-label="Toggle hidden content">', "<summary>").replace("<th></th>", "<td></td>")
    context["body"] = body


def setup(app: Sphinx) -> None:
    app.connect("config-inited", add_templates)
    app.connect("html-page-context", mend_markup)
    app.add_css_file(f"{FOLDER}/book.css")
    app.add_css_file(f"{FOLDER}/icons.css")
