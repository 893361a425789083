"""A check does not interrupt: it stands as a small mark beside what it proves, and opens to the code and its result.

A folded code cell becomes ``<details>`` whose mark stands in the margin, or at the end of the text where there is no
margin; with what stands right before it, it is one block. A sentence that the cell wrote (``claims``) is marked, so
that pointing at the mark shows the sentence, and touching the sentence opens the check. Cells that prove the same text
share one mark. A check of a solution goes into the solution.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import solution_node

from whyformer.book.assets import FOLDER
from whyformer.book.claims import places_of, written
from whyformer.book.sentences import pieces_of_node, plain, plain_words
from whyformer.lab.words import t


def _text(node: nodes.Node) -> bool:
    """Whether a node is a text in which a sentence may stand."""
    return isinstance(node, nodes.paragraph | nodes.entry)


class check(nodes.container):  # type: ignore[misc]  # noqa: N801  # docutils names nodes so
    """A folded cell, with a mark that opens it."""


def _visit(self: HTML5Translator, node: nodes.Element) -> None:
    words, sort = node["words"], " ".join(["wf-check", *node["classes"]])
    self.body.append(f'<details class="{sort}"><summary title="{words}"><span>{words}</span></summary>')


def _depart(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</details>")


def _pass(self: Any, node: nodes.Element) -> None:
    """Other formats show what is inside."""


def _words(claims: int) -> str:
    """What a mark says of itself."""
    return t("Check: {count} {count:sentence|sentences}", count=claims) if claims else t("Check")


def mark(paragraph: nodes.Element, claims: list[str]) -> None:
    """Mark the sentences that a check wrote, in place."""
    pieces = pieces_of_node(paragraph)
    taken: dict[int, set[int]] = {}
    for place in places_of(claims, pieces):
        taken.setdefault(place.piece, set()).add(place.letter)
    for number, letters in taken.items():
        node, kind = pieces[number].source, pieces[number].kind
        words = node.astext()
        low, high = (0, len(words)) if kind == "formula" else (min(letters), max(letters) + 1)
        if number < max(taken) and not words[high:].strip():
            high = len(words)
        inside = nodes.Text(words[low:high])
        whole = node.parent if kind == "formula" else node
        claimed = nodes.inline("", "", whole.deepcopy() if kind == "formula" else inside, classes=["wf-claimed"])
        parts = [nodes.Text(words[:low]), claimed, nodes.Text(words[high:])] if kind != "formula" else [claimed]
        whole.parent.replace(whole, [part for part in parts if part.astext()])


def proven(parent: nodes.Element, at: int, claims: list[str]) -> nodes.Element | None:
    """What a check at this place stands beside: the last text before it that holds one of its claims, else the last."""
    before = [node for node in parent[:at] if isinstance(node, nodes.Element)]
    for node in reversed(before):
        if claims and any(claim in plain(pieces_of_node(part))[0] for part in node.findall(_text) for claim in claims):
            return node
    return before[-1] if before and not isinstance(before[-1], nodes.title | nodes.section) else None


def fold(cell: nodes.Element) -> None:
    """Put a folded cell beside what it proves."""
    parent = cell.parent
    claims = [plain_words(sentence) for sentence, _ in written(cell)]
    del cell["hide_mode"]
    if claims:  # what was claimed comes before the code
        cell.children.sort(key=lambda child: child.get("nb_element") == "cell_code_source")
    beside = proven(parent, parent.index(cell), claims)
    folded = check("", words=_words(len(claims)), claims=len(claims))
    parent.replace(cell, folded)
    folded.append(cell)
    if isinstance(beside, solution_node):
        parent.remove(folded)
        beside.append(folded)
        return
    if beside is None or "wf-proven" not in beside["classes"]:
        block = nodes.container(classes=["wf-proven"])
        parent.replace(beside or folded, block)
        if beside is not None:
            block.append(beside)
        beside = block
    if folded.parent is parent and folded in parent.children:
        parent.remove(folded)
    earlier = next((child for child in beside.children if isinstance(child, check) and "claims" in child), None)
    if earlier is None:
        beside.append(folded)
    else:
        earlier["claims"] += len(claims)
        earlier["words"] = _words(earlier["claims"])
        earlier.append(cell)
    for paragraph in list(beside.findall(_text)):
        mark(paragraph, claims)


def fold_code(cell: nodes.Element) -> None:
    """Put the code of a cell whose result is shown behind a mark beside the result."""
    del cell["hide_mode"]
    code = cell.children[0]
    cell.remove(code)
    cell.append(check("", code, words=t("Code"), classes=["wf-code"]))
    cell["classes"].append("wf-proven")


def _fold_all(app: Sphinx, document: nodes.document) -> None:
    for cell in list(document.findall(nodes.container)):
        if cell.get("hide_mode") == "all":
            fold(cell)
        elif cell.get("hide_mode") == "input" and len(cell.children) > 1:
            fold_code(cell)


def setup(app: Sphinx) -> None:
    """Cells are folded once the page's claims were compared with its text (``claims``, which comes first)."""
    app.add_node(check, html=(_visit, _depart), latex=(_pass, _pass), text=(_pass, _pass))
    app.connect("doctree-read", _fold_all, priority=600)
    app.add_js_file(f"{FOLDER}/checks.js", loading_method="defer")
