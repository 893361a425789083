"""Measurements on trained weights and on training itself, kept as small data files that chapters and labs read.

``make evidence`` reruns all of them. Each file begins with a header: the command, the versions, the seeds, the date.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read(name: str) -> dict[str, Any]:
    """The data file ``name`` without its suffix. Raises ``FileNotFoundError`` that names those there are."""
    folder = files(__package__) / "data"
    path = folder / f"{name}.json"
    if not path.is_file():
        there = sorted(p.name.removesuffix(".json") for p in folder.iterdir() if p.name.endswith(".json"))
        raise FileNotFoundError(f"there is no evidence {name!r}; there is {', '.join(there)}")
    return json.loads(path.read_text(encoding="utf-8"))


def sentences() -> list[str]:
    """The 200 sentences written for these measurements."""
    return (files(__package__) / "sentences.txt").read_text(encoding="utf-8").splitlines()
