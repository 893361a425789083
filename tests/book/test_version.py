"""The version stands once in the package, and those who cite it or read what is new are told the same."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import yaml
from book_cases import ROOT
from whyformer import __version__
from whyformer_book.notebooks.archive import build_wheel
from whyformer_book.notebooks.convert import WHEEL


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_the_same_wherever_it_is_said() -> None:
    assert str(yaml.safe_load(text("CITATION.cff"))["version"]) == __version__
    assert re.findall(r"Interactive book, version ([\d.]+)\.$", text("README.md"), re.MULTILINE) == [__version__]
    newest, *_, first = re.findall(r"^## .*\((.+)\)$", text("CHANGELOG.md"), re.MULTILINE)
    assert newest == __version__ != first, "what is new must take the place of what a reader has"


def test_the_wheel_has_the_version_that_notebooks_name(tmp_path: Path) -> None:
    build_wheel(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [WHEEL]
    with zipfile.ZipFile(tmp_path / WHEEL) as wheel:
        metadata = wheel.read(f"whyformer-{__version__}.dist-info/METADATA").decode()
    assert f"\nVersion: {__version__}\n" in metadata
