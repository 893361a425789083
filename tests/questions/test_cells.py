"""The cells that teach: each runs alone after the imports and the lab, and with any number in its commented range."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from lab_cases import LABS
from whyformer_book import myst
from whyformer_book.proof import rooms

ROOT = Path(__file__).parents[2]
RANGE = re.compile(r"^(\w+ = )(\S+)( +# change this: (\S+) to (\S+))$", re.MULTILINE)


def tags(directive: myst.Directive) -> str:
    return directive.options.get("tags", "")


def cells(file: Path) -> list[myst.Directive]:
    found = [directive for _, _, directive in myst.walk(file.read_text(encoding="utf-8")) if directive]
    return [one for one in found if one.name == "code-cell"]


MOVED = [
    file
    for file in sorted((ROOT / "chapters").glob("*.md"))
    if rooms.room_of(file.stem) and any(name.startswith(f"{file.stem}/") for name in LABS)
]
VISIBLE = [
    (file, cell)
    for file in MOVED
    for cell in cells(file)
    if not {"remove-input", "skip-execution"} & set(re.findall(r"[\w-]+", tags(cell)))
]


def names_after(file: Path) -> dict[str, Any]:
    """What a reader has who has run the imports, and the cell that makes the lab."""
    names: dict[str, Any] = {"__name__": "__main__"}
    first = next(cell for cell in cells(file) if "import numpy" in cell.body)
    for cell in (first, *(cell for cell in cells(file) if "teach" in tags(cell))):
        exec(cell.body, names)  # noqa: S102
    return names


def run(file: Path, body: str) -> None:
    mpl.use("agg")
    exec(body, names_after(file))  # noqa: S102


@pytest.mark.parametrize(("file", "cell"), VISIBLE, ids=[f"{file.stem}:{cell.line + 1}" for file, cell in VISIBLE])
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_a_cell_runs_alone_and_with_both_ends_of_its_range(file: Path, cell: myst.Directive) -> None:
    run(file, cell.body)
    for low_or_high in (4, 5):
        changed = RANGE.sub(lambda found: f"{found[1]}{found[low_or_high]}", cell.body)  # noqa: B023
        if changed != cell.body:
            run(file, changed)


def test_the_notebooks_teach() -> None:
    for file in MOVED:
        visible = [cell for one, cell in VISIBLE if one == file]
        assert len(visible) >= 7 and any(RANGE.search(cell.body) for cell in visible)
        assert not any("hide-cell" in tags(cell) for cell in cells(file)), "no cell is there for the build"
        assert any("interact(" in cell.body and "skip-execution" in tags(cell) for cell in cells(file))
        assert all(len(cell.body.splitlines()) <= 20 for cell in cells(file) if "def draw" in cell.body)
