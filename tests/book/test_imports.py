"""A chapter and the package import what the book installs, and nothing that only tests or the trained model need."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_cases import ROOT
from whyformer_book import myst
from whyformer_book.notebooks.labels import pages

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = {re.split(r"[<>=]", need)[0].replace("-", "_") for need in PROJECT["dependencies"]}
#: traitlets comes with ipywidgets, IPython and its plots with every kernel; mini-racer calls its module otherwise.
NOTEBOOK = DECLARED | {"whyformer", "IPython", "matplotlib_inline", "traitlets", "py_mini_racer"}
#: What `make model` installs (tokenizers brings huggingface_hub), and the only files that import it.
MODEL = {
    ("huggingface_hub", "model/weights.py"),
    ("safetensors", "model/weights.py"),
    ("scipy", "model/layers.py"),
    ("tokenizers", "model/smollm.py"),
    ("tokenizers", "model/tokens.py"),
}


def imported(code: str) -> Iterator[str]:
    """The top-level names of the modules that code imports, its own parts apart."""
    for node in ast.walk(ast.parse(code)):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        yield from {name.partition(".")[0] for name in names} - sys.stdlib_module_names


@pytest.mark.parametrize("page", pages(ROOT, ROOT / "_toc.yml").values(), ids=lambda file: file.stem)
def test_a_chapter_imports_what_comes_with_the_book(page: Path) -> None:
    wrong = {
        f"{page.name}:{cell.line + 1} imports {name}"
        for cell in myst.cells(page.read_text(encoding="utf-8"))
        for name in imported(cell.source)
        if name not in NOTEBOOK
    }
    assert not wrong


def test_the_package_imports_what_it_declares_and_the_extra_of_the_model_where_weights_are_opened() -> None:
    folder = ROOT / "code/whyformer"
    found = {
        (name, file.relative_to(folder).as_posix())
        for file in folder.rglob("*.py")
        for name in imported(file.read_text(encoding="utf-8"))
        if name not in NOTEBOOK
    }
    assert found == MODEL


def test_an_import_is_seen_wherever_it_stands() -> None:
    code = "import numpy as np\ndef f():\n    from scipy.spatial import ConvexHull\nfrom .x import y\nimport os.path"
    assert sorted(imported(code)) == ["numpy", "scipy"]
