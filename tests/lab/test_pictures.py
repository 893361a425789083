"""Each picture of each lab shows what its table says, and no two of its words touch, at all widths in use."""

from __future__ import annotations

import importlib.util
from itertools import combinations
from pathlib import Path

import pytest
from lab_cases import LABS, LIVELY, random_states
from picture_axes import Case
from picture_checks import compare
from picture_svg import drawn, words_in_panel
from some import some

QUESTIONS = Path(__file__).parent.parent / "questions"
WIDTHS = (1040, 660, 354, 324)  # of a lab on a page 1366 wide, in a cell of a notebook, on phones 390 and 360 wide


def tables_of(room, which="PICTURES"):
    file = QUESTIONS / room / "pictures.py"
    spec = importlib.util.spec_from_file_location(f"pictures_of_{room}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, which, {})


TABLES = {
    f"{folder.name}/{lab}": table
    for folder in sorted(QUESTIONS.iterdir())
    if (folder / "pictures.py").exists()
    for lab, table in tables_of(folder.name).items()
}


def states_of(name, count, seed):
    return [{}, LIVELY.get(name, {}), *random_states(LABS[name], count, seed)]


def test_every_lab_has_a_table():
    assert {*LABS} - {*TABLES} == {"why_sqrt_dk/start"}


@pytest.mark.parametrize("name", TABLES)
def test_every_mark_is_read_back_as_its_series(name):
    for state in states_of(name, 10, 5):
        lab = LABS[name](**state)
        compare(drawn(lab), TABLES[name], Case(f"{name} at {state}", lab.series, lab.state))


@pytest.mark.parametrize("width", some(WIDTHS, (1040, 354)))
@pytest.mark.parametrize("name", LABS)
def test_no_words_touch_or_leave_their_panel(name, width):
    for state in states_of(name, 6, width):
        for panel, (room, words) in words_in_panel(drawn(LABS[name](**state), width)).items():
            where = f"{panel} at {state}, {width} wide"
            for word, (left, _, right, _) in words:
                assert left >= -0.5 and right <= room + 0.5, f"{word!r} leaves {where}"
            for (one, a), (other, b) in combinations(words, 2):
                apart = min(a[2], b[2]) - max(a[0], b[0]) < 0.5 or min(a[3], b[3]) - max(a[1], b[1]) < 0.5
                assert apart, f"{one!r} and {other!r} touch in {where}"
