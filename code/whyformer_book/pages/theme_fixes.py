"""The theme, changed where this book differs: own templates (``templates/``) and icons drawn by a small style sheet."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from jinja2 import FileSystemBytecodeCache
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import solution_node

from whyformer_book.paths import FOLDER, Context


def _add_templates(app: Sphinx, config: Config) -> None:
    config.templates_path.insert(0, str(Path(__file__).parent / "templates"))


def _keep_compiled(app: Sphinx) -> None:
    """Templates are compiled once and not in each build."""
    if isinstance(app.builder, StandaloneHTMLBuilder):
        folder = Path(app.outdir).parent / ".templates"
        folder.mkdir(exist_ok=True)
        app.builder.templates.environment.bytecode_cache = FileSystemBytecodeCache(str(folder))


def _visit_solution(self: HTML5Translator, node: nodes.Node) -> None:
    opened = {"open": "open"} if "open" in node["classes"] else {}  # the instructors' edition
    self.body.append(self.starttag(node, "details", CLASS="admonition", **opened))


def _depart_solution(self: HTML5Translator, node: nodes.Node) -> None:
    self.body.append("</details>\n")


#: The title of a folded solution, and the link in it to the exercise, which stands right above.
TITLE = re.compile(r'(<details class="solution[^>]*>\s*)<p class="admonition-title">(.*?)</p>', re.DOTALL)
LINK = re.compile(r"</?a\b[^>]*>")


def _fold_title(found: re.Match[str]) -> str:
    return f'{found[1]}<summary class="admonition-title">{LINK.sub("", found[2])}</summary>'


#: What a screen reader stumbles over: empty cells that pass as heads, a retired role, ids that stand on a page more
#: than once.
MENDED = {
    "<th></th>": "<td></td>",
    'role="doc-biblioentry"': 'role="listitem"',
    '<section id="exercise-content">': "<section>",
    '<section id="solution-content">': "<section>",
}


#: The head of a data frame whose index has names: they go beside those of the columns, not into a row below.
CELLS = r"((?:\s*<t[hd]>[^<]*</t[hd]>)+)"
HEAD = re.compile(rf'(<tr style="text-align: right;">){CELLS}\s*</tr>\s*<tr>{CELLS}(\s*</tr>\s*</thead>)')
BEFORE, AFTER = re.compile(r"[(\[“‘]+$"), re.compile(r"^[.,;:!?)\]”’]+")
PERCENT = re.compile(r"(?<=\d) %")
SHORT = 40  # letters of TeX that may stand in one line with what follows
TALK = 60  # letters in a cell that make a table one to read, not one of numbers


def _split(text: nodes.Node, found: re.Match[str]) -> nodes.Text:
    """Take what was found out of a text; it is given back."""
    kept = text.astext()[: found.start()] + text.astext()[found.end() :]
    text.parent.replace(text, [nodes.Text(kept)] if kept else [])
    return nodes.Text(found[0])


def _one_row(head: re.Match[str]) -> str:
    """Two rows of a head in one, if no column has a name in both."""
    above, below = (re.findall(r"\s*<t[hd]>[^<]*</t[hd]>", row) for row in (head[2], head[3]))
    empty = [[cell.strip() == "<td></td>" for cell in row] for row in (above, below)]
    if len(above) != len(below) or not all(a or b for a, b in zip(*empty, strict=True)):
        return head[0]
    return head[1] + "".join(b if a else c for a, b, c in zip(empty[0], below, above, strict=True)) + head[4]


def _letters(cell: nodes.entry) -> int:
    return sum(len(text) for text in cell.findall(nodes.Text) if not isinstance(text.parent, nodes.math))


def _set_type(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A full stop stays with its formula, a bracket too, % with its number; tables of sentences are known as such."""
    for text in list(doctree.findall(nodes.Text)):
        if PERCENT.search(text) and not isinstance(text.parent, nodes.raw | nodes.literal | nodes.literal_block):
            text.parent.replace(text, nodes.Text(PERCENT.sub("\N{NO-BREAK SPACE}%", text)))
    for math in [node for node in doctree.findall(nodes.math) if len(node.astext()) <= SHORT]:
        parent, at = math.parent, math.parent.index(math)
        after = parent[at + 1] if at + 1 < len(parent) else None
        before = parent[at - 1] if at else None
        follows = AFTER.search(after.astext()) if isinstance(after, nodes.Text) else None
        leads = BEFORE.search(before.astext()) if isinstance(before, nodes.Text) else None
        if not (follows or leads):
            continue
        parts = [_split(after, follows)] if follows else []
        parts = ([_split(before, leads)] if leads else []) + [math.deepcopy(), *parts]
        parent.replace(math, nodes.inline("", "", *parts, classes=["wf-together"]))
    for table in doctree.findall(nodes.table):
        if any(_letters(entry) > TALK for entry in table.findall(nodes.entry)):
            table["classes"].append("wf-talk")


def _mend_markup(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    body = context.get("body", "")
    for fault, mended in MENDED.items():
        body = body.replace(fault, mended)
    body = HEAD.sub(_one_row, body)
    context["body"] = TITLE.sub(_fold_title, body)


def setup(app: Sphinx) -> None:
    """Templates, style sheets, and what is changed in the HTML of each page."""
    app.connect("config-inited", _add_templates)
    app.connect("builder-inited", _keep_compiled)
    app.setup_extension("sphinx_exercise")
    app.add_node(solution_node, override=True, html=(_visit_solution, _depart_solution))
    app.connect("doctree-resolved", _set_type)
    app.connect("html-page-context", _mend_markup)
    app.add_js_file(f"{FOLDER}/print.js", loading_method="defer")
    app.add_js_file(f"{FOLDER}/contents.js", loading_method="defer")
    app.add_css_file(f"{FOLDER}/type.css")
    app.add_css_file(f"{FOLDER}/labs.css")  # it has the colours of all pages
    app.add_css_file(f"{FOLDER}/book.css")
    app.add_css_file(f"{FOLDER}/page.css")
    app.add_css_file(f"{FOLDER}/icons.css")
