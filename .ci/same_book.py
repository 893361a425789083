"""Fail unless two built sites have the same pages with the same main text, and offer the same files."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from bs4 import BeautifulSoup


def offered(site: Path) -> set[str]:
    """Pages, notebooks, zip and wheel."""
    files = (file for file in site.rglob("*") if file.suffix in {".html", ".ipynb", ".zip", ".whl"})
    return {file.relative_to(site).as_posix() for file in files if "_static" not in file.parts}


def main_text(file: Path) -> str:
    """The words of a page, without those of scripts and without addresses in memory or temporary folders."""
    page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
    main = page.find("main") or page
    for script in main.find_all("script"):
        script.decompose()
    return re.sub(r"\s+", " ", main.get_text(" "))


def main(first: Path, second: Path) -> None:
    names = offered(first)
    if names != offered(second):
        sys.exit(f"only in one of the books: {sorted(names ^ offered(second))}")
    pages = sorted(name for name in names if name.endswith(".html"))
    different = [name for name in pages if main_text(first / name) != main_text(second / name)]
    notebooks = [name for name in names if name.endswith(".ipynb")]
    different += [name for name in notebooks if (first / name).read_bytes() != (second / name).read_bytes()]
    if different:
        sys.exit(f"these differ: {different}")
    if len(pages) < 5 or len(notebooks) < 4:
        sys.exit(f"too little to compare: {pages}, {notebooks}")
    print(f"the same {len(pages)} pages and {len(notebooks)} notebooks")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
