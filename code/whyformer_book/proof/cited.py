"""The role ``{cited}``: a number that others report, beside the citation that reports it.

``{cited}`79.36`` stands in the same paragraph as a ``{cite}``; the build refuses one without (``chapter``).
A page shows where the number is from when pointed at; a notebook and paper show the number.
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from whyformer_book.proof.page import Problem, read
from whyformer_book.proof.sentences import quoted, written

WORDS = "as reported in the work cited here; not computed in this book"


class CitedRole(SphinxRole):
    """A number with where it is from as its title."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The number as an abbreviation, which a page explains when pointed at."""
        return [nodes.abbreviation(self.rawtext, self.text, explanation=WORDS)], []


def uncited(text: str) -> Iterator[Problem]:
    """Numbers marked as cited in a paragraph without a citation."""
    for paragraph in read(text).paragraphs:
        roles = [child for child in paragraph.token.children or () if child.type == "myst_role"]
        if not any(role.meta["name"].partition(":")[0] == "cite" for role in roles):
            for number in (role.content for role in roles if role.meta["name"] == "cited"):
                what = f"the number {number} is marked as cited, but its paragraph has no {{cite}}"
                yield Problem(paragraph.line + 1, what + quoted(written(paragraph.pieces), number))


def setup(app: Sphinx) -> None:
    """Register the role."""
    app.add_role("cited", CitedRole())
