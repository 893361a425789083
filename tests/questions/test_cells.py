"""The cells that teach: each runs alone after the imports and the lab, and with any number in its commented range."""

from __future__ import annotations

import builtins
import dis
import re
from collections.abc import Callable, Iterable
from inspect import ismodule
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import ipywidgets
import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from lab_cases import LABS
from whyformer_book import myst
from whyformer_book.proof.question import question_of

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
    if question_of(file.stem) and any(name.startswith(f"{file.stem}/") for name in LABS)
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
        assert len(visible) >= 5 and any(RANGE.search(cell.body) for cell in visible)
        assert not any("hide-cell" in tags(cell) for cell in cells(file)), "no cell is there for the build"
        assert any("interact(" in cell.body and "skip-execution" in tags(cell) for cell in cells(file))
        assert all(len(cell.body.splitlines()) <= 24 for cell in cells(file) if "def draw" in cell.body)


# ---- any order of cells


class Played:
    """A notebook without a kernel: its cells run in one set of names, in any order. Magic commands do nothing."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        bodies = [cell.body for cell in cells(file) if "import checks" not in cell.body]  # these read nothing of it
        self.cells = [*map(TransformerManager().transform_cell, bodies)]
        self.names: dict[str, Any] = {"__name__": "__main__", "get_ipython": Mock, "display": lambda *_: None}
        self.slid: list[tuple[Callable[..., None], dict[str, Any]]] = []
        monkeypatch.setattr(ipywidgets, "interact", lambda function, **moved: self.slid.append((function, moved)))

    def run(self, cells: Iterable[str]) -> None:
        for cell in cells:
            exec(cell, self.names)  # noqa: S102
            plt.close("all")

    def drag(self) -> None:
        """Each slider of each ``interact`` to its ends; each of its choices."""
        for function, moved in self.slid:
            controls = ipywidgets.interactive(function, {"manual": True}, **moved).kwargs_widgets
            start = {one._kwarg: one.value for one in controls}
            for one in controls:
                for value in {*getattr(one, "options", ())} or {getattr(one, "min", False), getattr(one, "max", True)}:
                    function(**start | {one._kwarg: value})
                    plt.close("all")


PLAYED = [file for file in sorted((ROOT / "chapters").glob("*.md")) if len(cells(file)) > 1]


@pytest.mark.parametrize("file", PLAYED, ids=[file.stem for file in PLAYED])
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_cells_run_in_any_order(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run all; then each cell again from the first, and from the last; then drag each slider to its ends."""
    mpl.use("agg")
    played = Played(file, monkeypatch)
    played.run(played.cells)
    played.run(played.cells)
    played.run(reversed(played.cells))
    played.drag()
    for function, _ in played.slid:
        loads = [one.argval for one in dis.get_instructions(function) if one.opname == "LOAD_GLOBAL"]
        data = {name for name in loads if not callable(value := played.names.get(name)) and not ismodule(value)}
        assert not data - set(dir(builtins)), "what it needs are its arguments"
