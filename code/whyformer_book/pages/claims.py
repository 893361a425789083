"""What the documents with which the book began ask and say, each claim with its one verdict (``chapters/asked.toml``).

``{asked}`` with a document's number shows its rows; without one it shows how to revise with the page: guess first, or
see one verdict or one chapter alone. All of that is done by the style sheet, so the page needs no script, and where a
browser cannot do it everything is shown. ``{verdict}`001-1e``` in a text shows the verdict of a claim, linked.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.writers.html5 import HTML5Translator

from whyformer_book import myst

CHAPTERS = Path(__file__).parents[3] / "chapters"
FILE = CHAPTERS / "asked.toml"
#: In the page itself, since the one sheet of all pages looks inside of no block (``site/first_paint.py``).
SHEET = Path(__file__).parent / "asked.css"
#: The only verdicts there are, each with its Chinese name.
VERDICTS = {"right": "对", "right if": "有条件地对", "half": "一半对", "wrong": "错", "open": "尚无定论"}
ID = re.compile(r"(\d{3})-\d+[a-z]?")
FIELDS = {"en", "zh", "verdict", "if", "reason", "where"}


@dataclass(frozen=True)
class Claim:
    """A question (without a verdict) or a claim; ``where`` has places as ``page#anchor``."""

    id: str
    en: str
    zh: str
    verdict: str
    condition: str
    reason: str
    where: tuple[str, ...]


def read(text: str) -> dict[str, Claim]:
    """The claims of a data file by id. ``ValueError`` names the claim that is not whole, and says what is allowed."""
    data = tomllib.loads(text)
    return {name: _claim(name, given, data["shared"]) for name, given in data["claims"].items()}


def _claim(name: str, given: Mapping[str, Any], shared: Mapping[str, str]) -> Claim:
    verdict = given.get("verdict", "")
    needed = {"en", "zh", "where"} | ({"verdict", "reason"} if verdict else set())
    needed |= {"if"} if verdict == "right if" else set()
    if not ID.fullmatch(name):
        raise ValueError(f"asked.toml: an id is as 001-1e; got {name!r}")
    if verdict and verdict not in VERDICTS:
        raise ValueError(f"asked.toml, {name}: the verdicts are {', '.join(VERDICTS)}; got {verdict!r}")
    if set(given) != needed or not all(given.values()):
        raise ValueError(f"asked.toml, {name}: it needs {', '.join(sorted(needed))}; got {', '.join(sorted(given))}")
    condition, reason = (given.get(key, "").format_map(shared) for key in ("if", "reason"))
    return Claim(name, given["en"], given["zh"], verdict, condition, reason, tuple(given["where"]))


@cache
def claims() -> dict[str, Claim]:
    """Those of the book, in their order."""
    return read(FILE.read_text(encoding="utf-8"))


@cache
def headings(page: str) -> dict[str, str]:
    """The headings of a page by their anchors; its title has the anchor ""."""
    text = (CHAPTERS / f"{page}.md").read_text(encoding="utf-8")
    found = re.findall(r"^(#{1,3}) (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {"" if level == "#" else slug(title): title for level, title in reversed(found)}


@cache
def errata() -> dict[str, str]:
    """The numbers of the errata as their page prints them, in its order, by anchors, which are older."""
    text = (CHAPTERS / "errata.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\((errata-\d+)\)=\n\*\*(\d+)\. ", text, re.M))


def slug(title: str) -> str:
    """The anchor that MyST gives to a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def link(place: str) -> str:
    """A place as MyST: its chapter and heading, linked. ``ValueError`` if there is no such heading."""
    page, _, anchor = place.partition("#")
    if page == "errata":
        return f"{{ref}}`Errata, row {errata()[anchor]} <{anchor}>`"
    known = headings(page)
    if anchor not in known:
        raise ValueError(f"asked.toml: {page}.md has no heading with the anchor {anchor!r}")
    return f"[{known['']} › {known[anchor]}]({page}.md#{anchor})"


class zh(nodes.inline):  # type: ignore[misc]  # noqa: N801  # docutils names nodes so
    """Words in Chinese."""


def _visit_zh(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append('<span lang="zh-CN">')


def _depart_zh(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</span>")


def _pass(self: Any, node: nodes.Element) -> None:
    """Other formats show what is inside."""


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _class(verdict: str) -> str:
    return f"wf-is-{verdict.replace(' ', '-') or 'asked'}"


class Asked(SphinxDirective):
    """``{asked}``: the rows of a document, or how to revise with them."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The rows of the document whose number is given; without a number, what one can choose."""
        self.env.note_dependency(str(FILE))
        self.env.note_dependency(str(SHEET))
        if not self.arguments:
            return [_html(controls())]
        rows = [claim for claim in claims().values() if claim.id.startswith(self.arguments[0])]
        if not rows:
            raise self.error(f"asked.toml has no claims of a document {self.arguments[0]!r}")
        return [self._row(claim) for claim in rows]

    def _row(self, claim: Claim) -> nodes.container:
        pages = dict.fromkeys(f"wf-in-{place.partition('#')[0]}" for place in claim.where)
        row = nodes.container(classes=["wf-claim", _class(claim.verdict), *pages])
        self.set_source_info(row)
        row["names"].append(f"asked-{claim.id}")
        self.state.document.note_explicit_target(row)
        name = nodes.inline("", claim.id, classes=["wf-claim-id"])
        row += nodes.paragraph("", "", name, nodes.Text(f" {claim.en}"), classes=["wf-claim-en"])
        row += nodes.paragraph("", "", zh("", claim.zh), classes=["wf-claim-zh"])
        if claim.verdict:
            row += _html(guesses(claim))
        told = nodes.container(classes=["wf-claim-told"])
        if claim.verdict:
            said = nodes.strong("", claim.verdict)
            condition = f" {claim.condition}. " if claim.condition else ". "
            told += nodes.paragraph("", "", said, nodes.Text(condition + claim.reason))
        where = nodes.container()
        lines = StringList([" · ".join(map(link, claim.where))], str(FILE))
        self.state.nested_parse(lines, self.content_offset, where)
        where[0]["classes"].append("wf-claim-where")
        told.extend(where.children)
        row += told
        return row


class VerdictRole(SphinxRole):
    """``{verdict}`001-1e```: the verdict of a claim, linked to its row."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The verdict as a link; an error for a claim that there is not."""
        self.env.note_dependency(str(FILE))
        claim = claims().get(self.text)
        if claim is None or not claim.verdict:
            error = self.inliner.reporter.error(f"asked.toml has no verdict on {self.text!r}", line=self.lineno)
            return [], [error]
        words = nodes.inline("", spoken(self.text), classes=["wf-verdict"])
        target = {"refdomain": "std", "reftype": "ref", "reftarget": f"asked-{claim.id}", "refexplicit": True}
        return [addnodes.pending_xref("", words, refdoc=self.env.docname, refwarn=True, **target)], []


def spoken(name: str) -> str:
    """What a text says where it gives the verdict of a claim."""
    claim = claims()[name]
    return f"Verdict: {claim.verdict} {claim.condition}".rstrip() + "."


def listed(document: str) -> str:
    """The rows of a document as plain Markdown, for a notebook; nothing for the page's controls."""
    rows = [claim for claim in claims().values() if document and claim.id.startswith(document)]
    return "\n".join(f"* **{claim.id}** {claim.en} {claim.zh}{_told(claim)}" for claim in rows)


def _told(claim: Claim) -> str:
    condition = f" {claim.condition}" if claim.condition else ""
    return f" **{claim.verdict}**{condition}. {claim.reason}" if claim.verdict else ""


def guesses(claim: Claim) -> str:
    """The verdicts to choose from. Boxes to tick, so that the arrow keys choose none; a ticked one hides the others."""
    boxes = "".join(
        f'<label><input type="checkbox" form="wf-guesses" class="{_class(one)}"> {one}</label>' for one in VERDICTS
    )
    told = (
        '<span class="wf-guessed">This is the verdict.</span>'
        '<span class="wf-guessed-otherwise">The verdict is another.</span>'
    )
    return f'<div class="wf-guess" role="group" aria-label="Your guess about {claim.id}">{boxes}{told}</div>'


def controls() -> str:
    """Guess first, one verdict, one chapter; and the rules that hide what was not chosen, on a screen alone."""
    counts = Counter(claim.verdict for claim in claims().values() if claim.verdict)
    pages = dict.fromkeys(place.partition("#")[0] for claim in claims().values() for place in claim.where)
    radios = "".join(
        f'<label><input type="radio" name="wf-verdict" id="wf-only-{_class(one)}"> {one} ({counts[one]})'
        f' <span lang="zh-CN">{VERDICTS[one]}</span></label>'
        for one in VERDICTS
    )
    options = "".join(f'<option value="{page}">{escape(headings(page)[""])}</option>' for page in sorted(pages))
    return (
        f"<style>{SHEET.read_text(encoding='utf-8')}@media screen {{{''.join(_rules(pages))}}}</style>"
        '<form id="wf-guesses" class="wf-revise" aria-label="Revise">'
        '<p><label><input type="checkbox" id="wf-guess-first"> Guess each verdict before you see it</label> '
        '<button type="reset">Start again</button></p>'
        '<fieldset><legend>Show</legend><label><input type="radio" name="wf-verdict" checked> '
        f"all ({sum(counts.values())} claims)</label>{radios}</fieldset>"
        f'<p><label>Shown in <select id="wf-page"><option value="">all chapters</option>{options}</select></label></p>'
        '<p class="wf-none">No claim with this verdict is shown in this chapter.</p>'
        "</form>"
    )


def _rules(pages: Mapping[str, object]) -> Iterator[str]:
    verdicts = {one: f":has(#wf-only-{_class(one)}:checked)" for one in VERDICTS}
    chosen = {page: f':has(#wf-page option[value="{page}"]:checked)' for page in pages}
    for one, rule in verdicts.items():
        yield f".bd-article{rule} .wf-claim:not(.{_class(one)}){{display:none}}"
    for page, rule in chosen.items():
        yield f".bd-article{rule} .wf-claim:not(.wf-in-{page}){{display:none}}"
    there = {(claim.verdict, place.partition("#")[0]) for claim in claims().values() for place in claim.where}
    for one, page in product(VERDICTS, pages):
        if (one, page) not in there:
            yield f".bd-article{verdicts[one]}{chosen[page]} .wf-none{{display:block}}"


def given(text: str) -> list[str]:
    """The ids whose verdict a MyST text shows."""
    found = []
    for token, _, directive in myst.walk(text):
        if not directive or directive.name not in myst.CODE:
            roles = [child for child in token.children or () if child.type == "myst_role"]
            found += [role.content for role in roles if role.meta["name"] == "verdict"]
    return found


def setup(app: Sphinx) -> None:
    """Register the directive and the role."""
    app.add_node(zh, html=(_visit_zh, _depart_zh), latex=(_pass, _pass), text=(_pass, _pass))
    app.add_directive("asked", Asked)
    app.add_role("verdict", VerdictRole())
