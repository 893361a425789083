"""``make paper``: for each lesson of 50 minutes a handout of two pages, and its answers, in ``_build/paper``.

On the first page of the handout stand the prediction and the lesson's exercise, with room to write. On the second is
room for each step of the lab that the lesson looks at first: who turns the sheet before the vote finds no answer there.
The answers are a sheet of their own, for the teacher: what is right and why, the solution, and the steps with picture
and sentence. Both are made as HTML and as PDF. If the address of the site is given, a QR code opens the lab.

The book has to be built before; Chromium prints.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path

import segno
from bs4 import BeautifulSoup, Tag
from whyformer.lab.discover import lab_classes
from whyformer.lab.host import still
from whyformer.lab.lab import Lab
from whyformer.lab.teach.veil import unveil

from whyformer_book.notebooks.labels import pages
from whyformer_book.teach.lesson import Lesson, lesson_of

LONG = 50  # minutes of a lesson that has a handout
WIDTH = 470  # pixels in which a picture is laid out, before it is fitted into its column
PAGE = """<!doctype html>
<html lang="en" data-theme="light"><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="{static}/katex/katex.min.css"><link rel="stylesheet" href="{static}/type.css">
<style>
@page {{ size: A4; margin: 13mm 14mm; }}
body {{ margin: 0; font: 10.5pt/1.35 "Whyformer Sans", sans-serif; color: #111; }}
h1 {{ margin: 0 0 2mm; font-size: 17pt; }}
h2 {{ margin: 4mm 0 1.5mm; font-size: 12pt; }}
p {{ margin: 0 0 1.5mm; }}
ul {{ margin: 0; padding: 0; list-style: none; }}
.who {{ float: right; }}
.box {{ display: inline-block; width: 3.2mm; height: 3.2mm; margin-right: 2mm; border: .3mm solid; }}
.steps {{ display: grid; grid-template-columns: 1fr 1fr; gap: 3mm 6mm; }}
.steps > div {{ break-inside: avoid; }}
.steps svg, .frame {{ width: 100%; max-height: 52mm; }}
.frame {{ box-sizing: border-box; height: 48mm; border: .2mm solid #999; }}
.steps p {{ font-size: 9pt; line-height: 1.25; }}
.line {{ height: 8.5mm; border-bottom: .2mm solid #999; }}
.second {{ break-before: page; }}
.link {{ display: flex; gap: 5mm; align-items: center; margin-top: 6mm; }}
.link svg {{ width: 28mm; height: 28mm; }}
{style}
</style>
{sheet}</html>"""
SHEET = """<p class="who">Name: ______________________</p>
<h1>{title}</h1>
<h2>Predict</h2>{prediction}
<h2>{exercise_title}</h2>{exercise}{few}
<h2>At the end: in three sentences, for someone who asks you</h2>{many}
<div class="second"><h2>{lab}: draw what you see at each step</h2><div class="steps">{frames}</div>{link}</div>"""
ANSWERS = """<p class="who">For the teacher</p>
<h1>{title}</h1>
<h2>The prediction</h2>{answer}
<h2>{exercise_title}</h2>{exercise}<h3>Solution</h3>{solution}
<div class="second"><h2>{lab}: the steps</h2><div class="steps">{steps}</div></div>"""


def steps(lab: type[Lab]) -> str:
    """The steps of a lab, each with its picture and its sentence, as HTML."""
    parts = []
    for number, step in enumerate(lab.steps, 1):
        one = lab(**(step.state or {}))
        asked = {"declaration": one.declaration(), "state": one.state, "size": "full", "shows": list(step.shows)}
        svg = still.draw(still.picture(asked), asked, one.description, WIDTH)
        parts.append(f"<div><p><b>{number}.</b> {escape(one.said(step.says))}</p>{svg}</div>")
    return "".join(parts)


def sheets(lesson: Lesson, page: BeautifulSoup, name: str, static: str, site: str = "") -> tuple[str, str]:
    """The handout and its answers as HTML. ``ValueError`` if the lesson has no lab, prediction or exercise to print."""
    looks = [(moment.look, target) for moment in lesson.moments if (target := moment.target())]
    labs = [target["name"] for _, target in looks if target["kind"] == "lab"]
    exercises = [
        part for _, target in looks if (part := page.find(id=target.get("id", ""))) and "exercise" in classes(part)
    ]
    asked = page.select_one("whyformer-predict > script")
    section = asked.find_parent("section") if asked else None
    if not (labs and exercises and asked and section):
        raise ValueError("a handout needs a lesson with a prediction, a lab and an exercise")
    prediction = json.loads(asked.text)
    lab, exercise = lab_classes()[labs[0]], exercises[0]
    link = ""
    if site:
        chapter = f"{site.rstrip('/')}/chapters/{name}.html"
        bet = f"{chapter}#{section['id']}"
        code = segno.make(bet, micro=False).svg_inline(border=0, omitsize=True)
        places = f"<p>The question: {escape(bet)}</p><p>The lab: {chapter}#{lab.slug.rpartition('/')[2]}:1</p>"
        link = f'<div class="link">{code}<div>{places}</div></div>'
    question, options = f"<p>{escape(prediction['question'])}</p>", [escape(one) for one in prediction["options"]]
    boxes = "".join(f'<li><span class="box"></span>{option}</li>' for option in options)
    told = zip(options, unveil(prediction["veiled"]), strict=True)
    judged = "".join(
        f"<li>{f'<b>{option}: right.</b>' if right else f'{option}:'} {escape(feedback)}</li>"
        for option, (feedback, right) in told
    )
    parts = {
        "title": escape(own_text(page.select_one("article h1"))),
        "lab": escape(lab.title),
        "exercise_title": escape(own_text(exercise.select_one(".admonition-title"))),
        "exercise": content(exercise),
    }
    handout = SHEET.format(
        **parts,
        prediction=f"{question}<ul>{boxes}</ul><p>Because: {'_' * 60}</p>",
        few='<div class="line"></div>' * 9,
        many='<div class="line"></div>' * 8,
        frames="".join(
            f'<div><p><b>{number}.</b></p><div class="frame"></div></div>' for number in range(1, len(lab.steps) + 1)
        ),
        link=link,
    )
    answers = ANSWERS.format(
        **parts,
        answer=f"{question}<ul>{judged}</ul>",
        solution=content(exercise.find_next(class_="solution")),
        steps=steps(lab),
    )
    style = still.style(type_inside=False)
    whole = [PAGE.format(title=parts["title"], static=static, style=style, sheet=one) for one in (handout, answers)]
    return whole[0], whole[1]


def content(part: object) -> str:
    """What stands in an exercise or a solution, as HTML."""
    inside = part.select_one(".exercise-content, section") if isinstance(part, Tag) else None
    return inside.decode_contents() if inside else ""


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
