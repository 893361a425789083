"""Words of the glossary (``chapters/glossary.md``), explained where they first stand in the prose of a chapter.

A chapter says nothing for it: its words are found when it is written, not in headings, links, formulas, code or labs. A
word becomes a link to the glossary that carries its sentence, and ``page/terms.ts`` shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx_exercise.nodes import exercise_node, solution_node

from whyformer_book.pages.claims import zh
from whyformer_book.paths import FOLDER, QUESTIONS
from whyformer_book.proof.ticks import Tick

NEEDS = ("site.search",)  # it takes the text, which explained words split
PAGE = "glossary"
CLOSED = (
    nodes.title | nodes.rubric | nodes.reference | nodes.literal | nodes.math | nodes.raw | nodes.FixedTextElement
    | nodes.table | nodes.image | addnodes.pending_xref | Tick | exercise_node | solution_node
)  # fmt: skip
HAN = re.compile(r"[\u4e00-\u9fff]")
#: Words that mean something else as well: where they stand for what the field calls so.
ONLY = {
    "key": r"\bkeys?(?= and values?\b)|(?<=queries and )keys\b",
    "value": r"(?<=keys and )values\b|(?<=key and )value\b",
    "weight": r"\battention weights?\b",
    "rank": r"\b(?<!of )ranks?\b",
    "head": r"\bheads?\b(?! of)",
}


class Term(NamedTuple):
    """A word of the glossary: where it stands there, its sentence, and what one says in Chinese, if anything else."""

    word: str
    anchor: str
    sentence: str
    zh: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        """How it stands in a text. A Chinese word has no spaces beside it, and one of one character is in many."""
        if HAN.search(self.word):
            return re.compile(re.escape(self.word.partition("（")[0]) if len(self.word) > 1 else r"(?!)")
        return re.compile(ONLY.get(self.word, rf"(?<![-\w]){re.escape(self.word)}(?:s|es)?(?![-\w])"), re.IGNORECASE)


def terms(document: nodes.document) -> list[Term]:
    """Those that a page's glossary has: of each entry the first word, and below it the Chinese one."""
    found = []
    for item in document.findall(nodes.definition_list_item):
        named = [term for term in item.findall(nodes.term) if term["ids"]]
        if named:
            sentence = item[-1][0].astext()  # below its sentence a link says where to read on
            chinese = "".join(one.astext() for one in named[1:])
            found.append(Term(named[0].astext(), named[0]["ids"][0], sentence, chinese))
    return found


def _say_which_language(document: nodes.document) -> None:
    for item in document.findall(nodes.definition_list_item):
        for term in list(item.findall(nodes.term))[1:]:
            term[:] = [zh("", "", *term.children)]


def explain(document: nodes.document, all_terms: list[Term], glossary: str) -> None:
    """Each term where it first stands in the page's prose becomes a link with its sentence."""
    waiting = {term.word: term for term in all_terms}
    for text in list(prose(document)):
        parts: list[nodes.Node] = [text]
        for term in list(waiting.values()):
            for at, part in enumerate(parts):
                found = term.pattern.search(str(part)) if isinstance(part, nodes.Text) else None
                if found:
                    parts[at : at + 1] = linked(str(part), found, term, glossary)
                    del waiting[term.word]
                    break
        if len(parts) > 1:
            text.parent.replace(text, [part for part in parts if part.astext()])


def prose(node: nodes.Element) -> Iterator[nodes.Text]:
    """The texts in which a word may be explained."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child
        elif not isinstance(child, CLOSED):
            yield from prose(child)


def linked(text: str, found: re.Match[str], term: Term, glossary: str) -> list[nodes.Node]:
    """A text with the word in it as a link."""
    chinese = f' data-zh="{escape(term.zh)}"' if term.zh else ""
    opening = f'<a class="wf-term" href="{glossary}#{term.anchor}" data-says="{escape(term.sentence)}"{chinese}>'
    word = [nodes.raw("", opening, format="html"), nodes.Text(found[0]), nodes.raw("", "</a>", format="html")]
    return [nodes.Text(text[: found.start()]), *word, nodes.Text(text[found.end() :])]


def _take(app: Sphinx, document: nodes.document) -> None:
    if Path(app.env.docname).name == PAGE:
        app.env.whyformer_terms = terms(document)  # type: ignore[attr-defined]
        _say_which_language(document)


def _with_terms(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Chapters are written anew when the glossary has changed."""
    now, before = getattr(env, "whyformer_terms", []), getattr(env, "whyformer_terms_written", [])
    env.whyformer_terms_written = now  # type: ignore[attr-defined]
    return [page for page in env.found_docs if _is_chapter(page)] if now != before else []


def _is_chapter(docname: str) -> bool:
    return (QUESTIONS / Path(docname).name / "predictions.py").is_file()


def _explain(app: Sphinx, document: nodes.document, docname: str) -> None:
    if _is_chapter(docname) and app.builder.format == "html":
        glossary = app.builder.get_relative_uri(docname, f"{Path(docname).parent.as_posix()}/{PAGE}")
        explain(document, getattr(app.env, "whyformer_terms", []), glossary)


def setup(app: Sphinx) -> None:
    """Words are found when the search has taken the page's text (``search``), which they split."""
    app.connect("doctree-read", _take)
    app.connect("env-updated", _with_terms)
    app.connect("doctree-resolved", _explain)
    app.add_js_file(f"{FOLDER}/terms.js", loading_method="defer")
