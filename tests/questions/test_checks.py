"""Every check of every question holds, and every chapter says what its checks found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
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
