"""What cells showed when the book was built, put into the notebooks that are offered: seen before anything is run.

A widget is not alive there, and of a notebook from elsewhere JupyterLab shows neither SVG nor scripts until it is run
or trusted. An image inside HTML it shows, as do others: so every SVG, a lab's picture too, becomes one.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from whyformer.lab.lab import as_image

WIDGET = "application/vnd.jupyter.widget-view+json"


def shown(output: NotebookNode) -> NotebookNode | None:
    """An output as it can be seen without a kernel; None where nothing of it can."""
    if output.output_type == "stream":
        return output
    if output.output_type == "error":
        return None
    data: dict[str, Any] = dict(output.data)
    alive = data.pop(WIDGET, None)
    if svg := data.pop("image/svg+xml", None):
        found = re.search('aria-label="([^"]*)"', svg)
        data["text/html"] = as_image(svg, html.unescape(found[1]) if found else data.get("text/plain", ""))
    elif alive:
        return None
    seen: NotebookNode = nbformat.v4.new_output("display_data", data=data)
    return seen


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """What was printed in one piece: in how many a kernel sends it depends on its haste."""
    together: list[NotebookNode] = []
    for one in outputs:
        last = together[-1] if together else None
        if last and one.output_type == last.output_type == "stream" and one.name == last.name:
            together[-1] = nbformat.v4.new_output("stream", name=one.name, text=last.text + one.text)
        else:
            together.append(one)
    return together


def fill(notebook: NotebookNode, executed: NotebookNode) -> None:
    """Give the code cells of ``notebook`` what those with the same source in ``executed`` have shown."""
    found: dict[str, list[list[NotebookNode]]] = defaultdict(list)
    for cell in executed.cells:
        if cell.cell_type == "code":
            found[cell.source.strip()].append(cell.get("outputs", []))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            outputs = found[cell.source.strip()].pop(0) if found[cell.source.strip()] else []
            cell.outputs = joined([seen for one in outputs if (seen := shown(one))])


def _code(notebook: NotebookNode) -> set[str]:
    return {cell.source.strip() for cell in notebook.cells if cell.cell_type == "code"}


def fill_all(folder: Path, executed: dict[str, list[NotebookNode]]) -> None:
    """``executed``: by page what was run of it, the newest last; that with the same cells counts."""
    for page, several in executed.items():
        file = folder / f"{page}.ipynb"
        notebook = nbformat.read(file, as_version=4)
        fill(notebook, max(reversed(several), key=lambda one: len(_code(one) & _code(notebook))))
        file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
