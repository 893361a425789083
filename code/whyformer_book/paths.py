"""Where things are, and whether they have changed: what all parts of the book's builder stand on."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import whyformer
from whyformer.lab.words import LANGUAGES

PACKAGE = Path(whyformer.__file__).parent
BUNDLE = PACKAGE / "bundle"
QUESTIONS = PACKAGE / "questions"
BOOK = Path(__file__).parent
#: The folder below ``_static`` with the files of the book.
FOLDER = "whyformer"

Context = dict[str, Any]  # what the template of a page is given


def package_files() -> list[Path]:
    """All of the package except the front end, catalogues and compiled Python: what a cell or a check can see."""
    return sorted(
        file
        for file in PACKAGE.rglob("*")
        if file.is_file()
        and file.suffix not in {".ts", ".css", ".html", ".pyc"}
        and not {BUNDLE, LANGUAGES} & {*file.parents}
    )


def fingerprint(files: Iterable[Path], of: object = ()) -> str:
    """Of names and contents of files, and of what else matters, as 16 hexadecimal digits."""
    digest = hashlib.sha256(json.dumps(of, sort_keys=True).encode())
    for file in files:
        digest.update(os.path.relpath(file, PACKAGE.parent).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def versions() -> list[str]:
    """Python, and the libraries that the package stands on; those of its extras no cell may need."""
    needed = [line for line in metadata.requires("whyformer") or [] if "extra ==" not in line]
    names = [re.split(r"[^\w.-]", requirement)[0] for requirement in needed]
    return [sys.version, *(f"{name} {metadata.version(name)}" for name in names)]


@cache
def state() -> str:
    """Of all that a check can see."""
    return fingerprint(package_files(), versions())
