"""The theme, changed where this book differs: own templates (``templates/``) and icons drawn by a small style sheet."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import solution_node

from whyformer.book.assets import FOLDER, Context


def _add_templates(app: Sphinx, config: Config) -> None:
    config.templates_path.insert(0, str(Path(__file__).parent / "templates"))


def _visit_solution(self: HTML5Translator, node: nodes.Node) -> None:
    self.body.append(self.starttag(node, "details", CLASS="admonition"))


def _depart_solution(self: HTML5Translator, node: nodes.Node) -> None:
    self.body.append("</details>\n")


#: The title of a folded solution, and the link in it to the exercise, which stands right above.
TITLE = re.compile(r'(<details class="solution[^>]*>\s*)<p class="admonition-title">(.*?)</p>', re.DOTALL)
LINK = re.compile(r"</?a\b[^>]*>")


def _fold_title(found: re.Match[str]) -> str:
    return f'{found[1]}<summary class="admonition-title">{LINK.sub("", found[2])}</summary>'


#: What a screen reader stumbles over: folded cells of one name, empty cells that pass as heads, a retired role.
MENDED = {
    '<summary aria-label="Toggle hidden content">': "<summary>",
    "<th></th>": "<td></td>",
    'role="doc-biblioentry"': 'role="listitem"',
}


def _mend_markup(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    body = context.get("body", "")
    for fault, mended in MENDED.items():
        body = body.replace(fault, mended)
    context["body"] = TITLE.sub(_fold_title, body)


def setup(app: Sphinx) -> None:
    """Templates, style sheets, and what is changed in the HTML of each page."""
    app.connect("config-inited", _add_templates)
    app.setup_extension("sphinx_exercise")
    app.add_node(solution_node, override=True, html=(_visit_solution, _depart_solution))
    app.connect("html-page-context", _mend_markup)
    app.add_js_file(f"{FOLDER}/print.js", loading_method="defer")
    app.add_css_file(f"{FOLDER}/type.css")
    app.add_css_file(f"{FOLDER}/book.css")
    app.add_css_file(f"{FOLDER}/icons.css")
