"""Measurements on trained weights and on training itself, kept as small data files that chapters and labs read.

``make evidence`` reruns all of them. Each file begins with a header: the command, the versions, the seeds, the date.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whyformer.evidence.packing import unpacked
from whyformer.maths.softmax import Array

if TYPE_CHECKING:
    import pandas as pd


@cache
def read(name: str) -> dict[str, Any]:
    """The data file ``name`` without its suffix. Raises ``FileNotFoundError`` that names those there are."""
    folder = files(__package__) / "data"
    path = folder / f"{name}.json"
    if not path.is_file():
        there = sorted(p.name.removesuffix(".json") for p in folder.iterdir() if p.name.endswith(".json"))
        raise FileNotFoundError(f"there is no evidence {name!r}; there is {', '.join(there)}")
    return json.loads(path.read_text(encoding="utf-8"))


def training(d_k: int | None = None) -> pd.DataFrame:
    """The heads that were trained for √d_k, a row for each run; those of one size, if ``d_k`` is given.

    Columns: d_k; divisor, "1", "sqrt" or "d_k"; rate, Adam's; seed; arrived, the step at which it had learned, inf for
    never. Raises ``ValueError`` for a size that was not trained.
    """
    import pandas as pd  # a quarter of a second, and only tables need it

    found = read("training")
    if d_k is not None and d_k not in found["d_k"]:
        raise ValueError(f"heads of d_k = {', '.join(map(str, found['d_k']))} were trained; got {d_k!r}")
    rows = []
    for name, run in found["runs"].items():
        size, divisor, rate, seed = name.split()
        arrived = np.inf if run["arrived"] is None else run["arrived"]
        rows.append((int(size), divisor, float(rate), int(seed), arrived))
    table = pd.DataFrame(rows, columns=["d_k", "divisor", "rate", "seed", "arrived"])
    return table if d_k is None else table[table["d_k"] == d_k].reset_index(drop=True)


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
