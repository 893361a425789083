"""How long the book takes to build, and its slowest cells."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import jupytext
from nbclient import NotebookClient

from bench.common import ROOT, Rows


def measure(rows: Rows) -> None:
    """Cells first, then builds."""
    measure_cells(rows)
    measure_builds(rows)


def measure_builds(rows: Rows) -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book"
        leave = shutil.ignore_patterns(".venv", "_build", "node_modules", ".git", "__pycache__")
        shutil.copytree(ROOT, book, ignore=leave)
        command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "-W", "-n", "--keep-going"]
        chapter = book / "chapters/why_sqrt_dk.md"
        for name, aim in (("cold", 60), ("nothing changed", 5), ("one sentence changed", 6), ("one cell changed", 12)):
            text = chapter.read_text(encoding="utf-8")
            if name == "one sentence changed":
                chapter.write_text(text + "\n\nOne more sentence.\n", encoding="utf-8")
            if name == "one cell changed":
                chapter.write_text(text.replace("ScaleLab()\n", "ScaleLab()  # the same\n", 1), encoding="utf-8")
            start = time.perf_counter()
            subprocess.run(command, cwd=book, check=True, capture_output=True)
            rows.add(f"book build, {name}", time.perf_counter() - start, "s", aim)


def measure_cells(rows: Rows) -> None:
    """The slowest cell of each chapter, from the kernel's own times."""
    for chapter in sorted((ROOT / "chapters").glob("*.md")):
        notebook = jupytext.read(chapter)
        if not any(cell.cell_type == "code" for cell in notebook.cells):
            continue
        NotebookClient(
            notebook, kernel_name="python3", record_timing=True, timeout=300, shutdown_kernel="immediate"
        ).execute()
        slowest = max(map(seconds, notebook.cells))
        rows.add(f"slowest cell, {chapter.stem}", slowest, "s", 2)


def seconds(cell: Any) -> float:
    times = cell.metadata.get("execution", {})
    if "iopub.execute_input" not in times:
        return 0.0
    began, ended = (datetime.fromisoformat(times[name]) for name in ("iopub.execute_input", "shell.execute_reply"))
    return (ended - began).total_seconds()
