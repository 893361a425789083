"""Every page as a notebook that runs elsewhere; ``archive`` puts them beside the pages.

``python -m whyformer_book.notebooks.convert FOLDER`` writes the notebooks alone, for a JupyterLab that has the package;
those that a reader has changed there are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode
from whyformer import __version__
from whyformer.lab.words import t

from whyformer_book.notebooks.labels import Labels, pages
from whyformer_book.notebooks.plain import CELL, Plain, Problem
from whyformer_book.pages import citations

FOLDER = "notebooks"
ARCHIVE = "whyformer-notebooks.zip"
TRAINED = "from whyformer.workbench import EXPERIMENTS, train"
LANGUAGE = os.environ.get("WHYFORMER_LANGUAGE")  # of this build
WHEEL = f"whyformer-{__version__}-py3-none-any.whl"


def language_cells() -> list[NotebookNode]:
    """A notebook of the Chinese book lets labs speak Chinese."""
    if not LANGUAGE:
        return []
    return [nbformat.v4.new_code_cell(f'import whyformer\n\nwhyformer.language("{LANGUAGE}")')]


def install_cells(repository: str | None) -> list[NotebookNode]:
    """How to get the package, as the first thing in a notebook.

    Without a repository to name ("") it lies beside the notebook; None says that the reader has it.
    """
    if repository is None:
        return []
    source, where = (f"whyformer[pictures] @ git+{repository}", t("from its repository"))
    if not repository:
        where = t("`{wheel}`, which lies beside it in `{archive}`", wheel=WHEEL, archive=ARCHIVE)
        source = f"./{WHEEL}[pictures]"
    words = t(
        "This notebook needs the package `whyformer`: {where}. If it is missing, the next cell installs it.",
        where=where,
    )
    code = f"""try:
    import whyformer
except ModuleNotFoundError:
    from importlib.util import find_spec

    shown = find_spec("ipywidgets") and find_spec("anywidget")
    %pip install -q "{source}"
    import whyformer

    if not shown:
        print("In JupyterLab, now reload this page in the browser and run all cells again.")
        print("Until then labs are still pictures: JupyterLab looks for widgets when a page is loaded.")"""
    return [nbformat.v4.new_markdown_cell(words), nbformat.v4.new_code_cell(code)]


def fold(cell: NotebookNode) -> None:
    """Fold the code of a cell that only shows a lab, as its page does; one that teaches stays open.

    Colab has a word of its own for a cell whose code is hidden.
    """
    tags = cell.metadata.get("tags", [])
    if "remove-input" in tags and "teach" not in tags:
        cell.metadata["jupyter"] = {"source_hidden": True}
        cell.metadata["cellView"] = "form"


def with_cells(cell: NotebookNode) -> list[NotebookNode]:
    """A cell of text, parted where cells of code stand in it."""
    parts = re.split("^" + re.escape(CELL).replace(r"\{\}", "(.*)") + "$", cell.source, flags=re.MULTILINE)
    if len(parts) == 1:
        return [cell]
    code = [f"{TRAINED}\n\n{line}" for line in parts[1::2]]
    made = [nbformat.v4.new_markdown_cell(parts[0].strip())]
    for line, text in zip(code, parts[2::2], strict=True):
        made += [nbformat.v4.new_code_cell(line), nbformat.v4.new_markdown_cell(text.strip())]
    return made


def convert(page: str, text: str, plain: Plain, repository: str | None) -> str:
    """The notebook of one page, as JSON. ``Problem`` if something has no plain form."""
    from jupytext.myst import myst_to_notebook  # takes a tenth of a second, and builds without changes need none

    notebook = myst_to_notebook(text, add_source_map=True)
    starts = notebook.metadata.pop("source_map")
    lines = text.split("\n")
    for cell, line in zip(notebook.cells, starts, strict=True):
        if cell.cell_type == "markdown":
            line += next((i for i, row in enumerate(lines[line:]) if row.strip()), 0)  # blank lines are not in the cell
            cell.source = plain.text(cell.source, line).strip()
        else:
            fold(cell)
    cells = [part for cell in notebook.cells for part in with_cells(cell) if part.source]
    if any(cell.cell_type == "code" for cell in cells):
        cells = install_cells(repository) + language_cells() + cells
    for number, cell in enumerate(cells):
        cell.id = f"{page.replace('_', '-')[:50]}-{number}"
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": python, "language_info": {"name": "python"}}
    made = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.validate(made)
    return f"{nbformat.writes(made)}\n"


def convert_all(
    files: Mapping[str, Path],
    bibliography: Path,
    macros: Mapping[str, str],
    repository: str | None,
    kept: Callable[[str, str, Labels], str | None] = lambda *_: None,
) -> tuple[dict[str, str], list[tuple[str, int, str]]]:
    """All notebooks by page, and the problems: page, line from 1, message.

    kept: of a page, its text and what labels stand for, the notebook that was made of them before, if it was.
    """
    labels = Labels()
    texts = {page: file.read_text(encoding="utf-8") for page, file in files.items()}
    for page, text in texts.items():
        labels.read(page, text)
    entries = citations.read(bibliography)
    made, problems = {}, []
    for page, text in texts.items():
        try:
            earlier = kept(page, text, labels)
            made[page] = earlier or convert(page, text, Plain(page, labels, entries, macros), repository)
        except Problem as problem:
            problems.append((page, problem.line, str(problem)))
    return made, problems


def write_for_reader(folder: Path, made: Mapping[str, str]) -> list[str]:
    """Write notebooks for playing; one that was changed is kept, and its new version put beside it. Returns notes."""
    folder.mkdir(parents=True, exist_ok=True)
    memory = folder / ".written.json"
    written = json.loads(memory.read_text()) if memory.is_file() else {}
    notes = []
    for page, text in made.items():
        file, new = folder / f"{page}.ipynb", hashlib.sha256(text.encode()).hexdigest()
        changed = file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() != written.get(page)
        if changed and new != written.get(page):
            beside = folder / f"{page}.new.ipynb"
            beside.write_text(text, encoding="utf-8")
            notes.append(f"{file} was changed, so it is kept; the book's new version is {beside}")
        elif not changed:
            file.write_text(text, encoding="utf-8")
            written[page] = new
    memory.write_text(json.dumps(written, indent=1))
    return notes


def main(folder: str) -> None:
    """Write the notebooks of the book in this folder, for a reader."""
    root = Path.cwd()
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    sphinx = config["sphinx"]["config"]
    bibliography = root / sphinx["bibtex_bibfiles"][0]
    files = pages(root, root / "_toc.yml")
    made, problems = convert_all(files, bibliography, sphinx.get("whyformer_macros", {}), repository=None)
    if problems:
        sys.exit("\n".join(f"{files[page]}:{line}: {message}" for page, line, message in problems))
    for note in write_for_reader(Path(folder), made):
        print(note)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m whyformer_book.notebooks.convert OUTPUT_DIR")
    main(sys.argv[1])
