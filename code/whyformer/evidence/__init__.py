"""Measurements on trained weights and on training itself, kept as small data files that chapters and labs read.

``make evidence`` reruns all of them. Each file begins with a header: the command, the versions, the seeds, the date.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from whyformer.evidence.packing import unpacked
from whyformer.maths.softmax import Array


@cache
def read(name: str) -> dict[str, Any]:
    """The data file ``name`` without its suffix. Raises ``FileNotFoundError`` that names those there are."""
    folder = files(__package__) / "data"
    path = folder / f"{name}.json"
    if not path.is_file():
        there = sorted(p.name.removesuffix(".json") for p in folder.iterdir() if p.name.endswith(".json"))
        raise FileNotFoundError(f"there is no evidence {name!r}; there is {', '.join(there)}")
    return json.loads(path.read_text(encoding="utf-8"))


class Opened(NamedTuple):
    """What the trained model computed for one sentence of n tokens."""

    text: str
    tokens: list[str]
    scores: Array  #: (n_layers, n_heads, n, n): q.k, not divided by anything
    values: Array  #: (n_layers, n_heads, n, n): lower triangles L with L L^T = V V^T


@cache
def opened() -> tuple[Opened, ...]:
    """What the trained model computed for three sentences (``trained.opened``), unpacked."""
    return tuple(_unpack(found) for found in read("trained")["opened"])


def _unpack(found: dict[str, Any]) -> Opened:
    n, shape = len(found["tokens"]), np.shape(found["scores"]["scale"])
    values = np.zeros((*shape, n, n))
    values[..., *np.tril_indices(n)] = unpacked(found["values"], "i1")
    return Opened(found["text"], found["tokens"], unpacked(found["scores"], "<i2").reshape(values.shape), values)


def sentences() -> list[str]:
    """The 200 sentences written for these measurements."""
    return (files(__package__) / "sentences.txt").read_text(encoding="utf-8").splitlines()
