"""Every check of every question holds, and every chapter says what its checks found."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest
from whyformer.lab.teach.exercise import Check
from whyformer_book.chapter import all_problems
from whyformer_book.proof.completeness import empty
from whyformer_book.proof.question import question_of
from whyformer_book.questions import is_chapter, is_draft

ROOT = Path(__file__).parents[2]
MOVED = [file for file in sorted((ROOT / "chapters").glob("*.md")) if question_of(file.stem)]


@pytest.mark.parametrize("file", MOVED, ids=[file.stem for file in MOVED])
def test_a_chapter_says_what_its_checks_found(file: Path) -> None:
    question = question_of(file.stem)
    text = file.read_text(encoding="utf-8")
    assert question and all_problems(text, question, file.parent) == []
    assert is_draft(file.stem) or not is_chapter(file.stem) or [*empty(text, file.stem)] == []


def test_every_setting_is_used() -> None:
    """A setting may be printed, so that a check has to use it."""
    for file in MOVED:
        for name, code in question_of(file.stem).sources.items():
            (function,) = ast.parse(code).body
            used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            assert {one.arg for one in [*function.args.args, *function.args.kwonlyargs]} <= used, (file.stem, name)


def test_there_are_chapters_with_marks() -> None:
    assert sum(len(question_of(file.stem).checks) for file in MOVED) > 400


def test_a_field_takes_the_number_that_its_solution_prints():
    fields = 0
    for file in MOVED:
        text = file.read_text(encoding="utf-8").replace("{,}", ",")
        for name in re.findall(r"import (check_\w+)\n", text):
            check = getattr(importlib.import_module(f"whyformer.questions.{file.stem}.exercises"), name)
            if not isinstance(check, Check):
                continue
            solution = text[text.index("{solution}", text.index(f"import {name}")) :].partition("\n```\n")[0]
            printed = [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", solution)]
            near = [one for n in printed for one in (n, n / 100) if abs(one - check.right) < 0.02 * abs(check.right)]
            assert not near or any(abs(one - check.right) <= check.rtol * abs(check.right) for one in near), name
            fields += bool(near)
    assert fields > 20
