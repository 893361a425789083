"""``make paper``: for each lesson of 50 minutes a handout, and its answers, in ``_build/paper``.

On the first page of the handout stand the predictions, with a box for either vote, and the lesson's exercise. From the
second on it follows the lesson: for each lab that the class looks at the axes to draw into, for each line that it
derives the line with gaps. Who turns the sheet before a vote finds no answer there. The answers are a sheet of their
own, for the teacher: what is right and why, the solution, the pictures with their sentences, the lines. Both are made
as HTML and as PDF. If the address of the site is given, a QR code opens the lab.

The book has to be built before; Chromium prints.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import parse_qsl

import segno
from bs4 import BeautifulSoup, Tag
from whyformer.lab.discover import lab_classes
from whyformer.lab.host import still
from whyformer.lab.teach.veil import unveil

from whyformer_book.notebooks.labels import pages
from whyformer_book.pages.lab_links import coerced
from whyformer_book.teach.gaps import line, plain, to_draw, with_gaps
from whyformer_book.teach.lesson import Lesson, Moment, lesson_of

LONG = 50  # minutes of a lesson that has a handout
# Pixels of a page on paper, of one of two columns, and of letters: a picture is laid out as large as it is printed.
PAGE_WIDE, COLUMN, TYPE = 688, 336, 11.5
LETTERS = "ABCDEF"
PAGE = """<!doctype html>
<html lang="en" data-theme="light"><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="{static}/katex/katex.min.css"><link rel="stylesheet" href="{static}/type.css">
<style>
@page {{ size: A4; margin: 13mm 14mm; }}
body {{ margin: 0; font: 10.5pt/1.35 "Whyformer Sans", sans-serif; color: #111; }}
h1 {{ margin: 0 0 2mm; font-size: 17pt; }}
h2 {{ margin: 4mm 0 1.5mm; font-size: 12pt; break-after: avoid; }}
p {{ margin: 0 0 1.5mm; }}
a {{ color: inherit; text-decoration: none; }}
ul {{ margin: 0; padding: 0; list-style: none; }}
.who {{ float: right; }}
.options th {{ padding: 0 2mm; text-align: left; font-weight: normal; vertical-align: top; }}
.options td {{ padding: .6mm 2mm; }}
.box {{ display: inline-block; width: 4mm; height: 4mm; margin: 0 3mm; border: .3mm solid; }}
.moments {{ display: grid; grid-template-columns: 1fr 1fr; gap: 4mm 6mm; align-items: start; }}
.moments > div {{ break-inside: avoid; }}
.moments > .wide {{ grid-column: 1 / -1; }}
.moments > div > p:first-child {{ font-weight: 600; }}
.moments > div > svg {{ width: 100%; height: auto; }}
.wide p {{ margin-bottom: 2.5mm; }}
.katex-display {{ display: block; text-align: center; margin: 1mm 0 3mm; }}
.katex-html {{ white-space: nowrap; }}
.frame {{ height: 45mm; border: .2mm solid #999; }}
.line {{ height: 8.5mm; border-bottom: .2mm solid #999; }}
.gap {{ display: inline-block; width: 52mm; margin: 0 1mm; border-bottom: .3mm solid; }}
.second {{ break-before: page; }}
.link {{ display: flex; gap: 5mm; align-items: center; margin-top: 6mm; break-inside: avoid; }}
.link svg {{ width: 28mm; height: 28mm; }}
{style}
</style>
{sheet}</html>"""
SHEET = """<p class="who">Name: ______________________</p>
<h1>{title}</h1>
{predictions}
<h2>{exercise_title}</h2>{exercise}{room}
<h2>At the end: in three sentences, for someone who asks you</h2>{room}{link}
<div class="second"><h2>What we look at, and what we derive</h2><div class="moments">{moments}</div></div>"""
ANSWERS = """<p class="who">For the teacher</p>
<h1>{title}</h1>
{predictions}
<h2>{exercise_title}</h2>{exercise}<h3>Solution</h3>{solution}
<div class="second"><h2>What we look at, and what we derive</h2><div class="moments">{moments}</div></div>"""
RULE = '<div class="line"></div>'


@dataclass(frozen=True)
class Bet:
    """A prediction that the lesson votes on: where it stands, what it asks, and each option with what is said to it."""

    section: str
    question: str
    options: list[tuple[str, str, bool]]

    def to_vote(self, title: str) -> str:
        """With a box for either vote."""
        rows = "".join(
            f'<tr><th><b>{letter}</b></th><th>{escape(option)}</th><td><span class="box"></span></td>'
            '<td><span class="box"></span></td></tr>'
            for letter, (option, _, _) in zip(LETTERS, self.options, strict=False)
        )
        return (
            f"<h2>{title}</h2><p>{escape(self.question)}</p>"
            f'<table class="options"><tr><th></th><th></th><th>alone</th><th>after talking</th></tr>{rows}</table>'
            f"<p>Because: {'_' * 60}</p>"
        )

    def told(self, title: str) -> str:
        """With what is right, and what is said to each option."""
        rows = "".join(
            f"<li>{f'<b>{letter}. {escape(option)}: right.</b>' if right else f'{letter}. {escape(option)}:'} "
            f"{escape(feedback)}</li>"
            for letter, (option, feedback, right) in zip(LETTERS, self.options, strict=False)
        )
        return f"<h2>{title}</h2><p>{escape(self.question)}</p><ul>{rows}</ul>"


def bets(lesson: Lesson, page: BeautifulSoup) -> list[Bet]:
    """The predictions that the lesson votes on, each once, in its order."""
    found: dict[str, Bet] = {}
    for moment in lesson.moments:
        target = moment.target() or {}
        name = f'[name="{target["name"]}"]' if target.get("name") else ""
        asked = page.select_one(f"whyformer-predict{name} > script") if target.get("kind") == "prediction" else None
        section = asked and asked.find_parent("section")
        if asked and section:
            given = json.loads(asked.text)
            told = [(option, *said) for option, said in zip(given["options"], unveil(given["veiled"]), strict=True)]
            found.setdefault(given["question"], Bet(str(section["id"]), given["question"], told))
    return list(found.values())


def picture(moment: Moment, empty: bool, width: int) -> str:
    """The lab as a moment shows it: as it is, with its sentence, or its panels and axes to draw into."""
    place, _, state = moment.look.partition("?")
    name, _, number = place.partition(":")
    lab = lab_classes()[name]
    step = lab.steps[int(number) - 1] if number else None
    given = {control: coerced(lab.controls()[control], value) for control, value in parse_qsl(state)}
    one = lab(**{**((step.state if step else None) or {}), **given})
    asked = {"declaration": one.declaration(), "state": one.state, "size": "full"}
    if step:
        asked["shows"] = list(step.shows)
    blocks = still.picture(asked)
    said = one.said(step.says) if step else ""
    if not empty:
        return f"<p>{escape(said)}</p>{still.draw(blocks, asked, one.description, width, TYPE)}"
    panels = to_draw(blocks, said)
    return still.draw(panels, asked, "", width, TYPE) if panels else '<div class="frame"></div>'


def followed(lesson: Lesson, page: BeautifulSoup, empty: bool) -> str:
    """What the class looks at and derives, moment by moment, as HTML: with gaps and axes only, or as it is.

    Two labs that follow each other stand side by side; one alone is as wide as the page.
    """
    kinds = [(moment.target() or {}).get("kind", "") for moment in lesson.moments]
    shown = [at for at, kind in enumerate(kinds) if kind in ("lab", "lines")]
    parts: list[str] = []
    beside = False  # whether there is a lab on the left of this place
    for before, at in enumerate(shown):
        moment, target = lesson.moments[at], lesson.moments[at].target() or {}
        if kinds[at] == "lines":
            lines = [with_gaps(page, each) if empty else plain(line(page, each)) for each in target["lines"]]
            inside, wide = "".join(lines), True
        else:
            following = shown[before + 1 :][:1]
            wide = not beside and not (following and kinds[following[0]] == "lab")
            inside = picture(moment, empty, PAGE_WIDE if wide else COLUMN)
        beside = not wide and not beside
        kind = ' class="wide"' if wide else ""
        parts.append(f"<div{kind}><p>{at + 1}. {escape(moment.do)}</p>{inside}</div>")
    return "".join(parts)


def sheets(lesson: Lesson, page: BeautifulSoup, name: str, static: str, site: str = "") -> tuple[str, str]:
    """The handout and its answers as HTML. ``ValueError`` if the lesson has no lab, prediction or exercise to print."""
    targets = [target for moment in lesson.moments if (target := moment.target())]
    labs = [target["name"] for target in targets if target["kind"] == "lab"]
    exercises = [part for one in targets if (part := page.find(id=one.get("id", ""))) and "exercise" in classes(part)]
    asked = bets(lesson, page)
    if not (labs and exercises and asked):
        raise ValueError("a handout needs a lesson with a prediction, a lab and an exercise")
    exercise, link = exercises[0], ""
    if site:
        chapter = f"{site.rstrip('/')}/chapters/{name}.html"
        bet = f"{chapter}#{asked[0].section}"
        code = segno.make(bet, micro=False).svg_inline(border=0, omitsize=True)
        lab = labs[0].rpartition("/")[2]
        places = f"<p>The question: {escape(bet)}</p><p>The lab: {chapter}#{lab}:1</p>"
        link = f'<div class="link">{code}<div>{places}</div></div>'
    titles = [f"Vote {number} of {len(asked)}" for number in range(1, len(asked) + 1)] if asked[1:] else ["Vote"]
    parts = {
        "title": escape(own_text(page.select_one("article h1"))),
        "exercise_title": escape(own_text(exercise.select_one(".admonition-title"))),
        "exercise": content(exercise),
    }
    handout = SHEET.format(
        **parts,
        predictions="".join(bet.to_vote(title) for bet, title in zip(asked, titles, strict=True)),
        room=RULE * (8 - 2 * len(asked)),
        moments=followed(lesson, page, empty=True),
        link=link,
    )
    answers = ANSWERS.format(
        **parts,
        predictions="".join(bet.told(title) for bet, title in zip(asked, titles, strict=True)),
        solution=content(exercise.find_next(class_="solution")),
        moments=followed(lesson, page, empty=False),
    )
    style = still.style(type_inside=False)
    whole = [PAGE.format(title=parts["title"], static=static, style=style, sheet=one) for one in (handout, answers)]
    return whole[0], whole[1]


def content(part: object) -> str:
    """What stands in an exercise or a solution, as HTML for paper, on which no solution can be opened."""
    inside = part.select_one(".exercise-content, section") if isinstance(part, Tag) else None
    made = plain([copy.copy(inside)]) if inside else ""
    return re.sub(r",? before you open the solution", "", made)


def classes(part: object) -> list[str]:
    """The classes of an element; none for anything else."""
    return list(part.get_attribute_list("class")) if isinstance(part, Tag) else []


def own_text(part: Tag | None) -> str:
    """The words of a heading without the sign that links to it."""
    return re.sub(r"\s*#$", "", part.get_text()).strip() if part else ""


def write(root: Path, site: str, chromium: str) -> list[Path]:
    """Write and print the handouts and answers of the book at ``root``; the files that were printed."""
    out = root / "_build/paper"
    out.mkdir(parents=True, exist_ok=True)
    made = []
    for name, file in pages(root, root / "_toc.yml").items():
        lesson = lesson_of(file.read_text(encoding="utf-8"))
        if lesson is None or lesson.minutes < LONG:
            continue
        page = BeautifulSoup((root / f"_build/html/chapters/{name}.html").read_text(encoding="utf-8"), "html.parser")
        both = sheets(lesson, page, name, "../html/_static/whyformer", site)
        for sheet, text in zip((out / f"{name}.html", out / f"{name}-answers.html"), both, strict=True):
            sheet.write_text(text, encoding="utf-8")
            pdf = sheet.with_suffix(".pdf")
            print(f"{pdf.relative_to(root)} …", flush=True)
            subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                 f"--print-to-pdf={pdf}", sheet.as_uri()],
                check=True, capture_output=True, timeout=120,
            )  # fmt: skip
            made.append(pdf)
    return made


def main() -> int:
    """The command line; 1 if the book is not built."""
    parser = argparse.ArgumentParser(description="Print a handout and its answers for each lesson of 50 minutes.")
    parser.add_argument(
        "--site", default="", help="the address of the published book, for a QR code that opens the lab"
    )
    given = parser.parse_args()
    if not Path("_build/html/index.html").is_file():
        print("There is no book in _build/html. Build it first: make book", file=sys.stderr)
        return 1
    write(Path.cwd(), given.site, os.environ.get("CHROMIUM", "chromium"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
