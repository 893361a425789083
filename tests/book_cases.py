"""Books to test: the whole site, built in place, and books of one chapter. Loaded by conftest as a plugin."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parent.parent
HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

"""


def build_book(folder: Path) -> subprocess.CompletedProcess[str]:
    """What ``make book`` runs, in ``folder``; ``stdout`` is the output of both streams."""
    program = Path(sys.executable).with_name("jupyter-book")
    command = [str(program), "build", str(folder), "-W", "-n", "--keep-going"]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


@pytest.fixture(scope="session")
def book_html(testrun_uid: str) -> Path:
    """The site, built in place and up to date: once in a run, by the worker that needs it first."""
    stamp = ROOT / "_build" / ".tested"
    stamp.parent.mkdir(exist_ok=True)
    with FileLock(stamp.with_suffix(".lock")):
        if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == testrun_uid):
            built = build_book(ROOT)
            log = stamp.with_suffix(".log")
            log.write_text(built.stdout, encoding="utf-8")
            if built.returncode != 0:  # said by every test that needs the book, so in few words
                worst = [line for line in built.stdout.splitlines() if re.search("ERROR:|WARNING:|Error\\b", line)]
                pytest.fail("\n".join(["The book does not build:", *worst[-6:], f"All of it: {log}"]), pytrace=False)
            stamp.write_text(testrun_uid, encoding="utf-8")
    return ROOT / "_build" / "html"


@pytest.fixture
def small_book(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that writes a book of one chapter into ``tmp_path`` and builds it.

    ``edit`` rewrites the text of ``_config.yml``. What stays the same is not written again. The chapter is called
    ``small``, which has no checks, or ``name``.
    """

    def put(name: str, text: str) -> None:
        file = tmp_path / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def build(text: str, edit: Callable[[str], str] = str, name: str = "small") -> subprocess.CompletedProcess[str]:
        put("references.bib", (ROOT / "references.bib").read_text(encoding="utf-8"))
        put("_config.yml", edit((ROOT / "_config.yml").read_text(encoding="utf-8")))
        put("_toc.yml", f"format: jb-book\nroot: chapters/{name}\n")
        put(f"chapters/{name}.md", HEADER + text)
        return build_book(tmp_path)

    return build
