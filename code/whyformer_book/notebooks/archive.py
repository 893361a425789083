"""What the site offers to take away: each page as a notebook, and all of them in one zip together with the package.

``downloads`` runs this in a process of its own while pages are written:
``python -m whyformer_book.notebooks.archive OFFER``.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyformer_book.notebooks.convert import ARCHIVE, FOLDER, WHEEL, convert_all
from whyformer_book.notebooks.labels import Labels
from whyformer_book.paths import PACKAGE, fingerprint

STAMP = ".notebooks.json"

README = f"""The notebooks of the book "Whyformer: the Transformer, question by question".

They need Python 3.11 or newer. In this folder:

    pip install jupyterlab "./{WHEEL}[pictures]"
    jupyter lab

Turn on Settings > Save Widget State Automatically there, and the labs in a saved notebook are alive when you open it
again.

Text: CC BY 4.0. Code: BSD-3-Clause.
"""


def build_wheel(folder: Path, answers: bool = True) -> None:
    """The package as a wheel, made in this process: no network, no second environment.

    answers: with the checks of exercises' answers, which the students' edition does not have.
    """
    from hatchling.builders.wheel import WheelBuilder

    root = PACKAGE.parent.parent
    if not (root / "pyproject.toml").is_file():
        raise RuntimeError("the book is built from a checkout: pip install -r requirements.txt in it")
    config = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    if not answers:
        config["tool"]["hatch"]["build"]["targets"]["wheel"]["exclude"].append("answers.py")
    list(
        WheelBuilder(str(root), config=config).build(directory=str(folder), versions=["standard"])
    )  # builds when asked


def write_archive(file: Path, folder: Path, pages: list[str]) -> None:
    """The zip, the same bytes for the same content."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        contents = {name: (folder / name).read_bytes() for name in [*(f"{page}.ipynb" for page in pages), WHEEL]}
        for name, content in {"README.txt": README.encode(), **contents}.items():
            archive.writestr(zipfile.ZipInfo(f"whyformer-notebooks/{name}"), content, zipfile.ZIP_DEFLATED)


class Memory:
    """Which notebooks in ``folder`` were made of what; ``common`` stands for what all of them are made of."""

    def __init__(self, folder: Path, common: str, written: Mapping[str, str]) -> None:
        self.folder, self.common, self.written = folder, common, written
        self.now: dict[str, str] = {}

    def kept(self, page: str, text: str, labels: Labels) -> str | None:
        """The notebook that is there, if it was made of this text with these labels."""
        targets = {label: str(target) for label, target in labels.targets.items()}
        stated = [labels.titles, targets, sorted(labels.cited), labels.cards]
        self.now[page] = fingerprint([], [self.common, text, stated])
        file = self.folder / f"{page}.ipynb"
        same = self.written.get(page) == self.now[page] and file.is_file()
        return file.read_text(encoding="utf-8") if same else None


@dataclass(frozen=True)
class Offer:
    """What is to be made of what: the sources by page, what notebooks need to know, and where the site is."""

    files: Mapping[str, str]
    bibliography: str
    macros: Mapping[str, str]
    repository: str
    answers: bool  # whether the package has the checks of exercises' answers
    site: str

    def states(self) -> tuple[str, str]:
        """Fingerprints of all that notebooks are made of, and of what is common to them."""
        package = [file for file in PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        project = [PACKAGE.parent.parent / name for name in ("pyproject.toml", "README.md", "LICENSE")]
        shared = sorted([Path(self.bibliography), *package, *(file for file in project if file.is_file())])
        common = fingerprint(shared, [self.macros, self.repository, self.answers])
        return fingerprint(sorted(map(Path, self.files.values())), common), common

    def names(self) -> set[str]:
        """Of the files that belong in the folder of notebooks."""
        return {WHEEL, *(f"{page}.ipynb" for page in self.files)}

    def earlier(self) -> dict[str, Any]:
        """What an earlier run has left, if all of it is still there."""
        folder, stamp = Path(self.site, FOLDER), Path(self.site).parent / STAMP
        whole = Path(self.site, ARCHIVE).is_file() and folder.is_dir()
        if not (stamp.is_file() and whole and self.names() == {file.name for file in folder.iterdir()}):
            return {}
        return dict(json.loads(stamp.read_text()))

    def due(self) -> bool:
        """Whether anything has to be made."""
        return self.earlier().get("book") != self.states()[0]


def make(offer: Offer) -> list[tuple[str, int, str]]:
    """Notebooks and wheel, as far as anything that they are made of has changed; returns pages' problems."""
    now, common = offer.states()
    folder, stamp = Path(offer.site, FOLDER), Path(offer.site).parent / STAMP
    memory = Memory(folder, common, offer.earlier().get("pages", {}))
    stamp.unlink(missing_ok=True)
    Path(offer.site, ARCHIVE).unlink(missing_ok=True)  # written when the notebooks have what their cells showed
    files = {page: Path(file) for page, file in offer.files.items()}
    made, problems = convert_all(files, Path(offer.bibliography), offer.macros, offer.repository, kept=memory.kept)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in offer.names():
            old.unlink()
    for page, text in made.items():
        (folder / f"{page}.ipynb").write_text(text, encoding="utf-8")
    build_wheel(folder, offer.answers)
    if not problems:
        stamp.write_text(json.dumps({"book": now, "pages": memory.now}))
    return problems


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(5)  # kernels and pages go first
    json.dump(make(Offer(**json.loads(sys.argv[1]))), sys.stdout)
