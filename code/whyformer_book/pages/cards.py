"""``{practice-card}``: a question as it is asked in an interview, what to say to it, and what is asked next.

    ```{practice-card} Why does attention divide by √dₖ?
    :name: card-why-root

    [What to say.]{check=name}

    * must: a point that the answer has to have (two to four)
    * must: another
    * next: What is asked next? (one to three)
    * wrong: **A wrong answer that is often heard.** [What is right.]{check=other} (optional)
    * shown: [Where the book shows it](chapter.md#section) (optional)
    ```

What is said, and why a wrong answer is wrong, are claims (``marks``): each sentence has a mark, a citation, or says
"suspect". On a page the answer is folded; a script (``cards/main.ts``) adds a minute, and asks again after some days.
``{practice}`` on another page collects the cards of all chapters, without their ticks: each is linked to its own in
the chapter. ``{deck} Thursday`` there, with ``:name: thursday`` and ``:cards: why-root one-hot``, names some of them:
``practice.html?deck=thursday`` asks these, in this order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator
from whyformer.lab.lab import embed
from whyformer.lab.words import t

from whyformer_book.myst import Directive, walk
from whyformer_book.pages.tex import tex_in_letters
from whyformer_book.paths import FOLDER, Context
from whyformer_book.proof.page import Page, Problem
from whyformer_book.proof.ticks import Tick

NEEDS = ("proof.ticks",)  # a card has its ticks
logger = logging.getLogger(__name__)
POINTS = range(2, 5)
NAME = re.compile(r"card-[a-z0-9]+(?:-[a-z0-9]+)*")
#: What a point of a card is for, in the order in which a card shows them, and what stands above it.
LABELS = {"must": "Must be in it", "wrong": "A wrong answer", "next": "They ask next", "shown": "In the book"}
LABEL = re.compile(rf"({'|'.join(LABELS)}):\s+")


class card(nodes.container):  # type: ignore[misc]  # noqa: N801  # docutils names nodes so
    """A card: the question, and a fold with ``wf-card-say`` (paragraphs), ``wf-card-must`` and ``wf-card-next``."""


class deck(nodes.paragraph):  # type: ignore[misc]  # noqa: N801
    """Some cards by name: ``deck`` is its name in an address, ``cards`` the names without ``card-``."""


class practice(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """Takes the place of the cards of all chapters, which may not have been read yet."""


@dataclass(frozen=True)
class Chapter:
    """What a page has to practise: its cards by name with a digest of each, and how many bets and exercises."""

    title: str
    cards: dict[str, str]
    bets: int
    exercises: int


def chapters(env: BuildEnvironment) -> dict[str, Chapter]:
    """All pages that have cards."""
    if not hasattr(env, "whyformer_cards"):
        env.whyformer_cards = {}  # type: ignore[attr-defined]
    return env.whyformer_cards  # type: ignore[attr-defined, no-any-return]


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def points(listed: nodes.Element) -> Iterator[tuple[str, nodes.list_item]]:
    """The points of a card, each with its label, which is taken off; "" for a point without one."""
    for point in listed.children:
        first = next(iter(point.findall(nodes.Text)), None)
        label = LABEL.match(first.astext()) if first is not None else None
        if first is not None and label:
            first.parent.replace(first, nodes.Text(first.astext()[label.end() :]))
        yield label[1] if label else "", point


class PracticeCard(SphinxDirective):
    """Declares a card of its page."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"name": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """The card; nothing for one without a name."""
        name = self.options.get("name", "")
        if not NAME.fullmatch(name):
            return []
        made = card(classes=["wf-card"], card=f"{Path(self.env.docname).name}/{name.removeprefix('card-')}")
        self.set_source_info(made)
        self.add_name(made)
        asked, _ = self.parse_inline(self.arguments[0])
        made += nodes.paragraph("", "", *asked, classes=["wf-card-asked"])
        body = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, body)
        made.extend(self._folded(body.children))
        return [made]

    def _folded(self, body: list[nodes.Node]) -> Iterator[nodes.Node]:
        said = [block for block in body if not isinstance(block, nodes.bullet_list)]
        named = [point for listed in body if isinstance(listed, nodes.bullet_list) for point in points(listed)]
        parts = {label: [point for one, point in named if one == label] for label in LABELS}
        yield _html(f'<details class="wf-card-turn"><summary>{escape(t("Turn the card"))}</summary>')
        yield nodes.container("", *said, classes=["wf-card-say"])
        for label, found in parts.items():
            if not found:
                continue
            yield nodes.paragraph("", t(LABELS[label]), classes=["wf-card-label"])
            if label == "must":
                yield nodes.bullet_list("", *found, classes=["wf-card-must"])
            else:
                blocks = (block for point in found for block in point.children)
                yield nodes.container("", *blocks, classes=[f"wf-card-{label}"])
        yield _html("</details>")


def problems(page: Page) -> Iterator[Problem]:
    """What the cards of a page lack."""
    for one in page.directives:
        if one.name == "practice-card":
            yield from (Problem(one.line + 1, f"practice-card: {what}: “{one.argument}”") for what in _lacks(one))


def _lacks(one: Directive) -> Iterator[str]:
    name, depth, said, labels, then = one.options.get("name", ""), 0, "", [], []
    for token, *_ in walk(one.body, one.body_line):
        depth += token.type == "bullet_list_open"
        if token.type == "inline" and depth:
            label = LABEL.match(token.content)
            labels.append(label[1] if label else "")
            then += [token.content] if label and label[1] == "next" else []
        elif token.type == "inline":
            said += token.content
    if not NAME.fullmatch(name):
        yield f"a card has a name, as in `:name: card-why-root`; got {name!r}"
    if not said.strip():
        yield "a card says what to say"
    if "" in labels:
        yield f"each point of a card begins with one of {', '.join(f'`{label}:`' for label in LABELS)}"
    elif labels.count("must") not in POINTS:
        yield f"a card has two to four points `* must: …`; this one has {labels.count('must')}"
    elif not 1 <= len(then) <= 3 or not all(one.rstrip().endswith(("?", "？")) for one in then):
        yield "a card has one to three points `* next: …?`, each a question"


class Practice(SphinxDirective):
    """``{practice}``: the cards of all chapters."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """A place that is filled when all pages have been read."""
        place = practice()
        self.set_source_info(place)
        return [place]


class Deck(SphinxDirective):
    """``{deck}``: a link that asks some cards, how many they are, and what they are for."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"name": directives.unchanged_required, "cards": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """A paragraph; whether its cards are there is known when all pages have been read."""
        names = self.options["cards"].split()
        made = deck(deck=self.options["name"], cards=names, classes=["wf-deck"])
        self.set_source_info(made)
        count = t("{count} {count:card|cards}", count=len(names))
        link = nodes.reference("", "", nodes.strong("", self.arguments[0]), refuri=f"?deck={made['deck']}")
        made += [link, nodes.Text(t(" ({cards}). ", cards=count))]
        made += self.parse_inline(" ".join(self.content), lineno=self.content_offset + 1)[0]
        return [made]


def _visit_deck(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "p", **{"data-deck": node["deck"], "data-cards": " ".join(node["cards"])}))


def _depart_deck(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</p>\n")


def _visit(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "article", **{"data-card": node["card"]}))


def _depart(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append("</article>\n")


def _pass(self: Any, node: nodes.Element) -> None:
    """Other formats show what is inside."""


def _without_ticks(made: card) -> card:
    """A copy of a card as it stands in the chapter, whose ticks show how it was tested."""
    copy: card = made.deepcopy()
    for tick in list(copy.findall(Tick)):
        tick.parent.remove(tick)
    for node in list(copy.findall(nodes.Element)):
        if "wf-proven" in node["classes"]:
            node.parent.replace(node, node.children)
        node["classes"] = [name for name in node["classes"] if name != "wf-claimed"]
    return copy


def _collected(env: BuildEnvironment, docname: str) -> Iterator[nodes.Node]:
    """What stands on a page of practice: the chapters, and the cards in the order of the book."""
    found = chapters(env)
    order = [page for page in env.collect_relations() if page in found]
    yield _html('<div class="wf-practice"><ul class="wf-practice-chapters">')
    for page in order:
        slug, one = Path(page).name, found[page]
        totals = f'data-cards="{len(one.cards)}" data-exercises="{one.exercises}" data-bets="{one.bets}"'
        link = f'<a href="{slug}.html">{escape(one.title)}</a>'
        yield _html(f'<li>{link} <span class="wf-progress" data-question="{slug}" {totals}></span></li>')
    yield _html('</ul><div class="wf-pile">')
    for page in order:
        slug = Path(page).name
        for original in env.get_doctree(page).findall(card):
            copy = _without_ticks(original)
            for reference in copy.findall(lambda node: isinstance(node, nodes.Element) and "refdoc" in node):
                reference["refdoc"] = docname
            link = f'<a href="{slug}.html#{original["ids"][0]}">{escape(found[page].title)}</a>'
            copy.insert(0, _html(f'<p class="wf-card-from">{link}</p>'))
            yield copy
    yield _html("</div></div>")


class Fill(SphinxPostTransform):
    """Before references are resolved: those of a card lead from the page of practice as well."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Put the cards where they are asked for."""
        for place in list(self.document.findall(practice)):
            place.replace_self(list(_collected(self.env, self.env.docname)))
        known = {name.removeprefix("card-") for chapter in chapters(self.env).values() for name in chapter.cards}
        for made in self.document.findall(deck):
            for name in [one for one in made["cards"] if one not in known]:
                logger.warning("deck %s: no chapter has a card %r", made["deck"], name, location=made, type="whyformer")


def plain(node: nodes.Node) -> str:
    """What a node says, without markup: formulas as one would type them."""
    math = (nodes.math, nodes.math_block)
    texts = (
        tex_in_letters(text.astext()) if isinstance(text.parent, math) else text.astext()
        for text in node.findall(nodes.Text)
        if not isinstance(text.parent, nodes.raw)
    )
    return " ".join("".join(texts).split())


def _part(made: card, name: str) -> nodes.Element:
    found: nodes.Element = next(
        iter(made.findall(lambda node: isinstance(node, nodes.Element) and name in node["classes"]))
    )
    return found


def in_words(made: card) -> dict[str, Any]:
    """A card for programs that know no formulas, such as Anki."""
    said = "\n".join(plain(block) for block in _part(made, "wf-card-say").children)
    must = [plain(point) for point in _part(made, "wf-card-must").children]
    return {
        "asked": plain(_part(made, "wf-card-asked")),
        "say": said,
        "must": must,
        "next": " ".join(map(plain, _part(made, "wf-card-next").children)),
    }


def _tell(app: Sphinx, document: nodes.document, docname: str) -> None:
    """On a page of practice each card carries its words: the script makes a file for Anki of them."""
    if Path(docname).name == "practice":
        for made in document.findall(card):
            made += _html(f'<script type="application/json">{embed(in_words(made))}</script>')


def _note(app: Sphinx, document: nodes.document) -> None:
    """Once ticks are placed: what has changed of a page's cards makes the page of practice be written anew."""
    found = list(document.findall(card))
    if not found:
        return
    elsewhere = {name: page for page, chapter in chapters(app.env).items() for name in chapter.cards}
    for made in found:
        if (other := elsewhere.get(made["ids"][0], app.env.docname)) != app.env.docname:
            logger.warning("the page %s has a card %s too", other, made["ids"][0], location=made, type="whyformer")
    raw = "".join(one.astext() for one in document.findall(nodes.raw))
    chapters(app.env)[app.env.docname] = Chapter(
        title=next(iter(document.findall(nodes.title))).astext(),
        cards={made["ids"][0]: hashlib.sha256(made.pformat().encode()).hexdigest() for made in found},
        bets=raw.count("<whyformer-predict"),
        exercises=raw.count("<whyformer-exercise"),
    )


def _forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    chapters(env).pop(docname, None)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment) -> None:
    chapters(env).update({page: one for page, one in chapters(other).items() if page in docnames})


def _with_cards(app: Sphinx, env: BuildEnvironment) -> list[str]:
    now, before = repr(sorted(chapters(env).items())), getattr(env, "whyformer_practice", "")
    env.whyformer_practice = now  # type: ignore[attr-defined]
    return [page for page in env.found_docs if Path(page).name == "practice"] if now != before else []


def _add_script(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    if 'class="wf-card ' in context.get("body", "") or 'class="wf-card"' in context.get("body", ""):
        app.add_js_file(f"{FOLDER}/cards.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Both directives; the page of practice is filled when all pages are known."""
    app.add_directive("practice-card", PracticeCard)
    app.add_directive("practice", Practice)
    app.add_directive("deck", Deck)
    app.add_node(card, html=(_visit, _depart), latex=(_pass, _pass), text=(_pass, _pass))
    app.add_node(deck, html=(_visit_deck, _depart_deck), latex=(_pass, _pass), text=(_pass, _pass))
    app.add_node(practice)
    app.add_post_transform(Fill)
    app.connect("doctree-read", _note)
    app.connect("env-purge-doc", _forget)
    app.connect("env-merge-info", _merge)
    app.connect("env-updated", _with_cards)
    app.connect("doctree-resolved", _tell)
    app.connect("html-page-context", _add_script)
    app.add_css_file(f"{FOLDER}/cards.css")
    app.add_js_file(f"{FOLDER}/progress.js", loading_method="defer")
