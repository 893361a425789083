"""Lessons: what a directive may declare, what is refused with its line, and what the page has to have."""

import pytest
import yaml
from book_cases import ROOT
from bs4 import BeautifulSoup
from whyformer_book.proof.page import read as read_page
from whyformer_book.teach.lesson import Fault, declaration, lesson_of, lost, plan, questions, read

MOMENTS = [
    {"minutes": 5, "do": "Vote", "look": "prediction", "expect": "They <b>vanish</b>", "ask": "Whose?"},
    {"minutes": 10, "do": "Look", "look": "why_sqrt_dk/scale:3?d_k=64"},
    {"minutes": 4, "do": "Derive", "look": "line 2 to 3"},
    {"minutes": 1, "do": "Read", "look": "#short-answer"},
]
PAGE = """## Say it

**Line 2.** **Line 3, more.**

```{code-cell} python
from whyformer.questions.why_sqrt_dk import ScaleLab, predict_gradient
```
"""


def written(moments=MOMENTS, **other):
    return yaml.safe_dump(
        {"objectives": ["say why"], "before": "nothing", "moments": moments} | other,
        allow_unicode=True,
        sort_keys=False,
    )


def test_a_lesson_says_when_each_moment_begins_and_what_it_shows():
    lesson = read("20", written())
    assert [(start, end) for start, end, _ in lesson.clock()] == [(0, 5), (5, 15), (15, 19), (19, 20)]
    shown = [moment["look"] for moment in declaration(lesson)["moments"]]
    assert shown == [
        {"kind": "prediction", "name": ""},
        {"kind": "lab", "name": "why_sqrt_dk/scale", "question": "why_sqrt_dk", "address": "#scale:3?d_k=64"},
        {"kind": "lines", "lines": [2, 3]},
        {"kind": "part", "id": "short-answer"},
    ]
    assert list(lost(lesson, read_page(PAGE))) == []


@pytest.mark.parametrize(
    ("minutes", "text", "words", "line"),
    [
        ("", written(), "how many minutes", 0),
        ("19", written(), "the lesson has 19 minutes, and its moments have 20", 0),
        ("20", "objectives: [a", "no YAML", 0),
        ("20", written(extra=1), "nothing else", 0),
        ("20", written(objectives=[]), "lists with something in them", 0),
        ("5", written([{"minutes": 5, "do": "a" * 73}]), "1 to 72 letters; it has 73", 4),
        ("5", written([{"minutes": 5, "do": ""}]), "letters; it has 0", 4),
        ("5", written([{"minutes": 5, "do": "a", "note": "b"}]), "got {'note'}", 4),
        ("5", written([{"minutes": "5", "do": "a"}]), "whole number from 1 to 60; got '5'", 4),
        ("5", written([{"minutes": True, "do": "a"}]), "whole number from 1 to 60", 4),
        ("5", written([{"minutes": 5, "do": "a", "look": "why_sqrt_dk/scale:9"}]), "no step '9'", 4),
        ("5", written([{"minutes": 5, "do": "a", "look": "why_sqrt_dk/nothing"}]), "no lab named", 4),
        ("6", written([{"minutes": 5, "do": "a"}, {"minutes": 1, "do": 3}]), "do is a text", 6),
        (
            "5",
            written([{"minutes": 5, "do": "Talk in pairs", "look": "#a"}]),
            "do says 'Talk': look at a prediction",
            4,
        ),
        (
            "5",
            written([{"minutes": 5, "do": "Derive. Then settle the vote"}]),
            "or name the question in talk or set",
            4,
        ),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(minutes, text, words, line):
    with pytest.raises(Fault) as refused:
        read(minutes, text)
    assert words in str(refused.value) and refused.value.line == line


@pytest.mark.parametrize(
    ("minutes", "joining", "overfull"), [("20", 0, 4), ("21", 1, 4), ("22", 2, 3), ("24", 2, 1), ("25", 2, 0)]
)
def test_a_plan_leaves_two_minutes_to_come_in_and_a_tenth_free(minutes, joining, overfull):
    lesson = read(minutes, written())
    assert (lesson.joining, lesson.overfull) == (joining, overfull)
    assert declaration(lesson)["joining"] == joining and next(lesson.clock())[0] == joining
    rows = BeautifulSoup(plan(lesson, "chapter"), "html.parser").select("tbody tr")
    said = [(row.td.text, row.select("td")[1].text) for row in rows]
    assert (said[0] == (f"0 to {joining}", "Come in")) == bool(joining)
    free = int(minutes) - 20 - joining
    assert (said[-1] == (f"{int(minutes) - free} to {minutes}", "Free")) == bool(free)
    assert ("too long" in plan(lesson, "chapter")) == bool(overfull) and "too long" not in plan(lesson)


@pytest.mark.parametrize(
    ("name", "minutes"),
    [
        ("why_sqrt_dk", 50),
        ("layer_norm", 50),
        ("framework", 50),
        ("dot_vs_additive", 20),
        ("qk_weights", 50),
        ("no_projections", 20),
    ],
)
def test_the_plans_that_were_made_to_fit_fit(name, minutes):
    lesson = lesson_of((ROOT / f"chapters/{name}.md").read_text(encoding="utf-8"))
    assert lesson.minutes == minutes and not lesson.overfull


@pytest.mark.parametrize(
    ("gone", "missing"),
    [
        ("## Say it", "#short-answer"),
        ("predict_gradient", "prediction"),
        ("ScaleLab", "why_sqrt_dk/scale:3?d_k=64"),
        ("Line 3", "line 2 to 3"),
    ],
)
def test_a_moment_that_looks_at_nothing_is_found(gone, missing):
    [(moment, words)] = lost(read("20", written()), read_page(PAGE.replace(gone, "x")))
    assert moment.look == missing and words == f"the page has no {missing}"


def test_a_question_that_is_talked_about_or_settled_has_to_be_on_the_page():
    talks = {"minutes": 5, "do": "Talk", "talk": "why_sqrt_dk/gradient"}
    settles = {"minutes": 5, "do": "Settle", "settle": "a/c", "look": "line 2"}
    lesson = read("10", written([talks, settles]))
    assert [one["talk"] for one in declaration(lesson)["moments"]] == ["why_sqrt_dk/gradient", ""]
    assert [words for _, words in lost(lesson, read_page(PAGE))] == ["the page has no prediction a/c"]


def test_a_question_may_stand_in_the_lesson_alone():
    lesson = read("5", written([{"minutes": 5, "do": "Vote", "look": "vote framework/mask"}]))
    assert questions(lesson).startswith('<whyformer-predict name="framework/mask">')
    assert list(lost(lesson, read_page(PAGE))) == []
    with pytest.raises(Fault, match="no prediction framework/none; its question has framework/parameters"):
        questions(read("5", written([{"minutes": 5, "do": "Vote", "look": "vote framework/none"}])))


def test_notes_are_text_and_stand_where_the_teacher_plans():
    lesson = read("20", written())
    assert "Whose?" not in plan(lesson)
    assert "They &lt;b&gt;vanish&lt;/b&gt;<br><b>Ask:</b> Whose?" in plan(lesson, "chapter")
    assert 'href="chapter.html?teach"' in plan(lesson, "chapter")
