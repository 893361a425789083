"""Formulas become HTML when the book is built, by KaTeX in an embedded V8; a page needs no script to show them.

The output carries MathML beside the visible HTML, for screen readers and for copying. A formula that KaTeX cannot
read is a warning with file and line, so it fails a strict build.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from weakref import WeakKeyDictionary

from docutils import nodes
from py_mini_racer import MiniRacer
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from whyformer_book.myst import join_rows
from whyformer_book.paths import BUNDLE, FOLDER, Context

logger = logging.getLogger(__name__)

_RENDER = """
function render(tex, display, macros) {
  const options = {displayMode: display, macros: JSON.parse(macros), output: "htmlAndMathml", strict: "error"};
  try { return JSON.stringify({html: katex.renderToString(tex, options)}); }
  catch (error) { return JSON.stringify({error: error.message}); }
}
"""
_INLINE = re.compile(r"(?<![\\$])\$([^\s$](?:[^$]*[^\s$])?)\$(?!\$)")
_NUMBERING = re.compile(r"\\(begin|end)\{(equation|align|alignat|gather)\}")


class Renderer:
    """KaTeX, loaded at the first formula; each formula is rendered once in a build."""

    def __init__(self, macros: dict[str, str]) -> None:
        self.macros = json.dumps(macros)
        self.engine: MiniRacer | None = None
        self.done: dict[tuple[str, bool], str] = {}

    def __call__(self, tex: str, *, display: bool) -> str:
        """The HTML of a formula; ``ValueError`` with KaTeX's words if it is none."""
        if (tex, display) not in self.done:
            if self.engine is None:
                self.engine = MiniRacer()
                self.engine.eval((BUNDLE / "katex" / "katex.min.js").read_text(encoding="utf-8"))
                self.engine.eval(_RENDER)
            answer = json.loads(self.engine.call("render", tex, display, self.macros))
            if "error" in answer:
                raise ValueError(answer["error"])
            self.done[tex, display] = answer["html"]
        return self.done[tex, display]


#: The renderer of each build in this process.
RENDERERS: WeakKeyDictionary[Sphinx, Renderer] = WeakKeyDictionary()


def display_tex(node: nodes.math_block) -> str:
    r"""The formula of a display, lines joined as Sphinx does: blank lines and ``\\`` make aligned rows."""
    if node["nowrap"]:  # a whole environment, such as align; its number is Sphinx's, not KaTeX's
        return _NUMBERING.sub(r"\\\1{\2*}", node.astext())
    return join_rows(node.astext())


def _rendered(self: HTML5Translator, node: nodes.Element, tex: str, *, display: bool) -> str:
    try:
        return RENDERERS[self.builder.app](tex, display=display)
    except ValueError as error:
        logger.warning("%s", error, location=node, type="whyformer", subtype="math")
        return f'<code class="wf-math-error">{self.encode(tex)}</code>'


def _visit_math(self: HTML5Translator, node: nodes.math) -> None:
    html = _rendered(self, node, node.astext(), display=False)
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight") + html + "</span>")
    raise nodes.SkipNode


def _visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    html = _rendered(self, node, display_tex(node), display=True)
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight wf-math"))
    # The theme's script lets the keyboard reach what has this class, when it scrolls.
    self.body.append(f'<div class="wf-math-scroll pst-scrollable-table-container">{html}</div>')
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def _render_ahead(app: Sphinx, docname: str, source: list[str]) -> None:
    """While the chapter's cells run. What is no formula after all is not shown; faults are told where they are."""
    if app.builder.format == "html":
        for tex in _INLINE.findall(source[0]):
            with suppress(ValueError):
                RENDERERS[app](tex, display=False)


def _add_style(app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None) -> None:
    in_titles = any(next(title.findall(nodes.math), None) for title in app.env.titles.values())  # shown in the sidebar
    if in_titles or 'class="katex' in context.get("body", ""):
        app.add_css_file(f"{FOLDER}/katex/katex.min.css")


def _make_renderer(app: Sphinx, config: Config) -> None:
    for name, text in config.whyformer_macros.items():
        if not re.fullmatch(r"\\[A-Za-z]+", name) or re.search(r"#\d", text):
            raise ConfigError(f"whyformer_macros: {name!r} must be a backslash and letters, and take no arguments")
    RENDERERS[app] = Renderer(config.whyformer_macros)


def setup(app: Sphinx) -> None:
    """Formulas are rendered by this part; pages that have one get the style sheet."""
    app.add_config_value("whyformer_macros", {}, "env", dict)
    app.add_html_math_renderer("katex", (_visit_math, None), (_visit_math_block, None))
    app.connect("config-inited", _make_renderer)
    app.connect("source-read", _render_ahead)
    app.connect("html-page-context", _add_style)
