"""``{lesson}``: how a chapter is taught, declared once in its source, in YAML.

    ```{lesson} 50
    objectives: [say where the variance of a score comes from]
    before: what a dot product and a softmax are
    moments:
      - minutes: 5
        do: Vote, alone and in silence
        look: prediction
        expect: Many choose √dₖ, since it is in the formula.
        ask: What would the variance of one product be?
    ```

A moment looks at a prediction (``prediction``, or ``prediction question/name``; ``vote question/name`` if it stands
in the lesson alone), at a lab (``why_sqrt_dk/scale:3?d_k=64``), at lines of the derivation (``line 3`` or ``line 3 to
4``), at a part of the page by its id (``#short-answer``, ``#ex-shifted``), or at nothing. ``talk: question/name``
keeps that question on the screen and on phones while the class talks about it, ``settle: question/name`` ends a
moment with what is right of it. ``?teach`` shows the moments as slides (``slides/slides.ts``), ``{lesson-plans}``
on another page prints all plans with their notes. Two minutes of a lesson are for coming in, before the first moment,
and a tenth stays free; a plan that leaves less says so to whoever teaches it. Moments of more minutes than the lesson
has, votes without a question, and targets that do not exist, are warnings with file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from whyformer.lab.discover import lab_classes
from whyformer.lab.lab import embed

from whyformer_book.notebooks.labels import pages
from whyformer_book.pages.folds import FORMER
from whyformer_book.pages.lab_links import checked
from whyformer_book.proof.page import Page, Problem
from whyformer_book.proof.page import read as read_page
from whyformer_book.teach.gift import predictions

JOINING = 2  # minutes in which phones come in, before the first moment
FREE = 0.1  # share of a lesson that no moment takes
LONGEST_LINE = 72  # letters of "do" that one line of a slide holds
TEXTS = ("do", "look", "talk", "settle", "expect", "ask")
_ABOUT_A_VOTE = re.compile(r"\b(vote|talk|settle)\b", re.IGNORECASE)
_LINES = re.compile(r"line (\d{1,2})(?: to (\d{1,2}))?")


class Fault(ValueError):
    """What is wrong with a lesson; ``line`` counts from 0, from the first line of its YAML."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Moment:
    """Some minutes of a lesson: what the class does and looks at, what it will say, what to ask next."""

    minutes: int
    do: str
    look: str
    talk: str
    settle: str
    expect: str
    ask: str
    line: int

    def target(self) -> dict[str, Any] | None:
        """What the slide shows, for the page's script; ``ValueError`` if there is no such lab, step or state."""
        kind, _, name = self.look.partition(" ")
        if not self.look:
            return None
        if lines := _LINES.fullmatch(self.look):
            first, last = int(lines[1]), int(lines[2] or lines[1])
            return {"kind": "lines", "lines": list(range(first, last + 1))}
        if self.look.startswith("#"):
            return {"kind": "part", "id": self.look[1:]}
        if kind in ("prediction", "vote"):
            return {"kind": "prediction", "name": name}
        question, fragment = checked(self.look)
        return {"kind": "lab", "name": re.split("[:?]", self.look)[0], "question": question, "address": f"#{fragment}"}


@dataclass(frozen=True)
class Lesson:
    """What a class will be able to do, what it has to know before, and the moments."""

    minutes: int
    objectives: list[str]
    before: str
    moments: list[Moment]

    @property
    def planned(self) -> int:
        """Minutes that the moments take."""
        return sum(moment.minutes for moment in self.moments)

    @property
    def joining(self) -> int:
        """Minutes before the first moment, in which phones come in, as far as the plan leaves them."""
        return min(JOINING, self.minutes - self.planned)

    @property
    def overfull(self) -> int:
        """Minutes that would have to go so that the class can come in and a tenth stays free; 0 if the plan fits."""
        return max(0, ceil(self.planned + JOINING - (1 - FREE) * self.minutes))

    def clock(self) -> Iterator[tuple[int, int, Moment]]:
        """Each moment with the minutes at which it begins and ends."""
        start = self.joining
        for moment in self.moments:
            yield start, start + moment.minutes, moment
            start += moment.minutes


def read(argument: str, text: str) -> Lesson:
    """The lesson that a directive declares. Raises ``Fault``."""
    if not argument.isdigit() or not int(argument):
        raise Fault(0, f"a lesson says how many minutes it has, as in {{lesson}} 50; got {argument!r}")
    try:
        tree, given = yaml.compose(text), yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise Fault(mark.line if mark else 0, f"no YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(given, dict) or set(given) != {"objectives", "before", "moments"}:
        raise Fault(0, "a lesson has objectives, before and moments, and nothing else")
    if not all(isinstance(given[name], list) and given[name] for name in ("objectives", "moments")):
        raise Fault(0, "objectives and moments are lists with something in them")
    rows = next(value for key, value in tree.value if key.value == "moments").value
    moments = [_moment(one, row.start_mark.line) for one, row in zip(given["moments"], rows, strict=True)]
    lesson = Lesson(int(argument), [str(one) for one in given["objectives"]], str(given["before"]), moments)
    if lesson.planned > lesson.minutes:
        raise Fault(0, f"the lesson has {argument} minutes, and its moments have {lesson.planned}")
    return lesson


def _moment(given: Any, line: int) -> Moment:
    if not isinstance(given, dict) or (strange := set(given) - {"minutes", *TEXTS}):
        raise Fault(line, f"a moment has minutes, {', '.join(TEXTS)}; got {strange if given else 'nothing'}")
    minutes, texts = given.get("minutes"), {name: given.get(name, "") for name in TEXTS}
    if type(minutes) is not int or not 1 <= minutes <= 60:
        raise Fault(line, f"minutes of a moment are a whole number from 1 to 60; got {minutes!r}")
    for name, value in texts.items():
        if not isinstance(value, str):
            raise Fault(line, f"{name} is a text: write it in quotes; got {value!r}")
    if not 1 <= len(texts["do"]) <= LONGEST_LINE:
        raise Fault(line, f"do says what the class does in 1 to {LONGEST_LINE} letters; it has {len(texts['do'])}")
    has_question = texts["look"].startswith(("prediction", "vote ")) or texts["talk"] or texts["settle"]
    if (about := _ABOUT_A_VOTE.search(texts["do"])) and not has_question:
        raise Fault(
            line, f"do says {about[0]!r}: look at a prediction or a vote, or name the question in talk or settle"
        )
    moment = Moment(minutes, line=line, **texts)
    try:
        moment.target()
    except ValueError as error:
        raise Fault(line, str(error)) from None
    return moment


def problems(page: Page) -> Iterator[Problem]:
    """What is wrong with the lesson of a page: its YAML, its minutes, and moments that look at what is not there."""
    for one in page.directives:
        if one.name == "lesson":
            try:
                lesson = read(one.argument, one.body)
                questions(lesson)
            except Fault as fault:
                yield Problem(one.body_line + fault.line + 1, f"lesson: {fault}")
                continue
            for moment, what in lost(lesson, page):
                yield Problem(one.body_line + moment.line + 1, f"lesson: {what}: “{moment.do}”")


def shown(page: Page) -> tuple[set[str], set[str]]:
    """The names of the labs and of the bets that the cells of a page show."""
    source = "\n".join(cell.source for cell in page.cells)
    labs = {name for name, lab in lab_classes().items() if re.search(rf"\b{lab.__name__}\b", source)}
    asked = {
        getattr(import_module(module), name)()._declaration["predict"]
        for module, names in re.findall(r"from (whyformer\.questions\.[\w.]+) import (.+)", source)
        for name in re.findall(r"\bpredict_\w+", names)
    }
    return labs, asked


def lost(lesson: Lesson, page: Page) -> Iterator[tuple[Moment, str]]:
    """Moments that look at what is not on the page, and what is missing."""
    labs, asked = shown(page)
    asked |= {one.look.removeprefix("vote ") for one in lesson.moments if one.look.startswith("vote ")}
    there: dict[str, set[Any]] = {
        "lab": labs,
        "prediction": asked | ({""} if asked else set()),
        "part": page.ids | {FORMER[one] for one in page.ids & FORMER.keys()},
        "lines": set(map(int, re.findall(r"\*\*(?:Line|Step) (\d+)\b", page.text))),
    }
    for moment in lesson.moments:
        for name in filter(None, (moment.talk, moment.settle)):
            if name not in asked:
                yield moment, f"the page has no prediction {name}"
        if target := moment.target():
            wanted = target.get("lines") or [target.get("name") or target.get("id") or ""]
            if not there[target["kind"]].issuperset(wanted):
                yield moment, f"the page has no {moment.look}"


def declaration(lesson: Lesson) -> dict[str, Any]:
    """What the page's script is given."""
    moments = [
        {"minutes": m.minutes, **{name: getattr(m, name) for name in TEXTS}, "look": m.target()} for m in lesson.moments
    ]
    timed = {"minutes": lesson.minutes, "joining": lesson.joining}
    return {**timed, "objectives": lesson.objectives, "moments": moments}


def questions(lesson: Lesson) -> str:
    """The questions that stand in the lesson alone, as HTML. Raises ``Fault`` for one that is not declared."""
    made = []
    for moment in lesson.moments:
        kind, _, name = moment.look.partition(" ")
        if kind == "vote":
            known = {str(one._declaration["predict"]): one for one in predictions(name.partition("/")[0])}
            if name not in known:
                raise Fault(
                    moment.line, f"there is no prediction {name}; its question has {', '.join(known) or 'none'}"
                )
            made.append(known[name].html())
    return "".join(made)


def plan(lesson: Lesson, page: str = "") -> str:
    """The plan as HTML: minutes and what the class does; with a ``page`` to link to also objectives and notes."""
    notes = "<td></td>" if page else ""
    rows = [f"<tr><td>0 to {lesson.joining}</td><td>Come in</td>{notes}</tr>"] if lesson.joining else []
    for start, end, moment in lesson.clock():
        ask = f"<br><b>Ask:</b> {escape(moment.ask)}" if moment.ask else ""
        note = f"<td>{escape(moment.expect)}{ask}</td>" if page else ""
        rows.append(f"<tr><td>{start} to {end}</td><td>{escape(moment.do)}</td>{note}</tr>")
    if free := lesson.minutes - lesson.planned - lesson.joining:
        rows.append(f"<tr><td>{lesson.minutes - free} to {lesson.minutes}</td><td>Free</td>{notes}</tr>")
    head = "".join(
        f"<th>{word}</th>" for word in ("minutes", "the class", "what it will say, and what to ask")[: 3 if page else 2]
    )
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    table = f'<div class="wf-wide"><table class="table wf-plan">{body}</table></div>'
    if not page:
        return table
    goals = "".join(f"<li>{escape(one)}</li>" for one in lesson.objectives)
    if lesson.overfull:
        said = f"This plan is too long by {lesson.overfull} minutes: leave out a moment."
        table = f"<p>{said}</p>{table}"
    return (
        f'<p>{lesson.minutes} minutes. <a href="{page}.html?teach">Show the slides</a>. '
        f"Before: {escape(lesson.before)}. Afterwards the class can</p><ul>{goals}</ul>{table}"
    )


class LessonDirective(SphinxDirective):
    """Declares the lesson of its page, and prints the plan folded."""

    has_content = True
    required_arguments = 1
    option_spec = {"open": directives.flag}  # the instructors' edition: unfolded, with its notes

    def run(self) -> list[nodes.Node]:
        """The plan as raw HTML; nothing for a lesson that cannot be read, which ``problems`` names."""
        try:
            lesson = read(self.arguments[0], "\n".join(self.content))
            asked = questions(lesson)
        except Fault:
            return []
        told = "open" in self.options
        data = f'<script type="application/json">{embed(declaration(lesson))}</script>'
        html = (
            f'<details class="wf-lesson"{" open" if told else ""}>'
            f"<summary>Teach this question in {lesson.minutes} minutes</summary>"
            '<p><a href="?teach">Show this page as slides</a>: arrow keys or a clicker go on, O shows all moments, '
            "A shows what is right of a vote, S hides a lab's sentences, N has the teacher's notes, B blanks, "
            "Escape gives the page back.</p>"
            f"{plan(lesson, Path(self.env.docname).name if told else '')}{data}{asked}</details>"
        )
        return [nodes.raw("", html, format="html")]


def lesson_of(source: str) -> Lesson | None:
    """The lesson that a chapter's source declares, if it does. Raises ``Fault``."""
    found = [one for one in read_page(source).directives if one.name == "lesson"]
    return read(found[0].argument, found[0].body) if found else None


class LessonPlans(SphinxDirective):
    """``{lesson-plans}``: a list of all plans, and each with its notes as a section, in the order of the contents."""

    def run(self) -> list[nodes.Node]:
        """Sections; a lesson that cannot be read is named where it is declared."""
        root = Path(self.env.srcdir)
        made: list[nodes.section] = []
        for page, file in pages(root, root / "_toc.yml").items():
            source = file.read_text(encoding="utf-8")
            self.env.note_dependency(str(file))
            try:
                lesson = lesson_of(source)
            except Fault:
                continue
            if lesson:
                title = next(line[2:] for line in source.split("\n") if line.startswith("# "))
                section = nodes.section("", nodes.title(title, title), names=[nodes.fully_normalize_name(title)])
                section += nodes.raw("", plan(lesson, page), format="html")
                self.state.document.note_implicit_target(section, section)
                made.append(section)
        links = (f'<li><a href="#{one["ids"][0]}">{escape(one[0].astext())}</a></li>' for one in made)
        return [nodes.raw("", f"<ul>{''.join(links)}</ul>", format="html"), *made]


def setup(app: Sphinx) -> None:
    """Both directives."""
    app.add_directive("lesson", LessonDirective)
    app.add_directive("lesson-plans", LessonPlans)
