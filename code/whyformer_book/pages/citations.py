"""References in words: "Vaswani et al. (2017)" from ``references.bib``, for notebooks, which know no ``{cite}``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from pybtex.database import BibliographyData, Entry, parse_file
from pybtex.plugin import find_plugin, register_plugin
from pybtex.richtext import Text
from pybtex.style import FormattedEntry
from pybtex.style.formatting.plain import Style
from sphinx.application import Sphinx
from whyformer.lab.words import t

from whyformer_book.proof.sources import told

CHAPTERS = Path(__file__).parents[3] / "chapters"
STYLE = "whyformer"
_FORMULA = re.compile(r"\$([^$]+)\$")


class PreprintStyle(Style):  # type: ignore[misc]  # pybtex ships no types
    """The plain style, which also takes an article that has no journal: a preprint."""

    def get_article_template(self, entry: Entry) -> object:
        """The template of an article, or of a work of any kind for a preprint."""
        return super().get_article_template(entry) if "journal" in entry.fields else self.get_misc_template(entry)

    def format_entry(self, label: str, entry: Entry, bib_data: BibliographyData | None = None) -> FormattedEntry:
        """An entry as it is listed: made once, though it is asked for again as the tip of a citation."""
        texts = self.__dict__.setdefault("texts", {})
        if entry.key not in texts:
            texts[entry.key] = super().format_entry(label, entry, bib_data).text
        return FormattedEntry(entry.key, texts[entry.key], label)


def read(file: Path) -> BibliographyData:
    """The entries of a BibTeX file."""
    return parse_file(str(file), bib_format="bibtex")


def authors(entry: Entry) -> str:
    """One name, two names, or the first "et al."."""
    people = entry.persons.get("author") or entry.persons.get("editor") or []
    names = [str(Text.from_latex(" ".join([*person.prelast_names, *person.last_names]))) for person in people]
    if not names:
        return str(Text.from_latex(entry.fields.get("title", entry.key)))
    return names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."


def address(entry: Entry) -> str:
    """Where to read it: the entry's own address, its DOI, or arXiv."""
    fields = entry.fields
    if "url" in fields:
        return str(fields["url"])
    if "doi" in fields:
        return f"https://doi.org/{fields['doi']}"
    return f"https://arxiv.org/abs/{fields['eprint']}" if "eprint" in fields else ""


def cite(bibliography: BibliographyData, keys: Iterable[str], *, textual: bool) -> str:
    """Markdown for a citation: "Vaswani et al. (2017)", or "(Vaswani et al., 2017)". ``KeyError`` for a missing key."""
    parts = []
    for key in keys:
        entry = bibliography.entries[key]
        who, year = authors(entry), entry.fields.get("year", "n.d.")
        words = f"{who} ({year})" if textual else f"{who}, {year}"
        parts.append(f"[{words}]({address(entry)})" if address(entry) else words)
    return "; ".join(parts) if textual else f"({'; '.join(parts)})"


def listing(bibliography: BibliographyData, keys: Iterable[str], folder: Path = CHAPTERS) -> str:
    """A Markdown list of the entries, in the order of a bibliography, each with what ``folder`` says was read of it."""
    style = PreprintStyle()
    backend = find_plugin("pybtex.backends", "markdown")()
    wanted = [bibliography.entries[key] for key in sorted(set(keys), key=str.lower)]
    entries = [
        (entry.key, " ".join(entry.text.render(backend).split())) for entry in style.format_entries(style.sort(wanted))
    ]
    read = {key: "{}: {}.".format(*what) if any(what := told(folder, key)) else "" for key, _ in entries}
    text = "\n".join(f"* {entry} {read[key]}".rstrip() for key, entry in entries)
    # The backend escapes what is in formulas too.
    return _FORMULA.sub(lambda match: re.sub(r"\\([^A-Za-z])", r"\1", match[0]), text)


def _say_what_was_read(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Below each work of the bibliography what was read of it."""
    known = {one.citation_id: one.key for one in app.env.get_domain("cite").citations}  # type: ignore[attr-defined]
    for citation in document.findall(nodes.citation):
        kind, words = told(Path(app.srcdir, docname).parent, known.get(citation["ids"][0], ""))
        if kind:
            name = nodes.strong("", f"{t(kind)}:")
            citation += nodes.paragraph("", "", name, nodes.Text(f" {words}."), classes=["wf-source-read"])


def _typeset_titles(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Formulas in titles, which pybtex leaves as text with dollars."""
    for citation in document.findall(nodes.citation):
        for text in list(citation.findall(nodes.Text)):
            pieces = _FORMULA.split(text.astext())
            if len(pieces) > 1:
                new = [nodes.math(p, p) if i % 2 else nodes.Text(p) for i, p in enumerate(pieces) if p]
                text.parent.replace(text, new)


def setup(app: Sphinx) -> None:
    """Register the style of the list of sources."""
    register_plugin("pybtex.style.formatting", STYLE, PreprintStyle)
    # Asked for at each citation, and found by reading what every installed package says of itself, unless registered.
    register_plugin("pybtex.backends", "plaintext", find_plugin("pybtex.backends", "plaintext"), force=True)
    app.connect("doctree-resolved", _typeset_titles)
    app.connect("doctree-resolved", _say_what_was_read)
