"""The decoder's one table for input and output: lengths of its rows, and what scaling, centring or feeding back does.

``start`` as in :mod:`whyformer.evidence.decoder_reading`. The model reads rows of the table as they are: nothing is
multiplied by the root of d_model, which is 24.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from whyformer.evidence.decoder_reading import (
    START,
    Intact,
    compared,
    cost,
    given,
    intact,
    losses,
    over,
    source,
    tokens_of,
)
from whyformer.maths.softmax import Array, Booleans, Integers
from whyformer.model.decoder import Decoder
from whyformer.model.smollm import SmolLM

EACH, PART = 8, 256  # each eighth row of the table, so many at a time


def parts(smol: SmolLM) -> dict[str, Callable[[], Any]]:
    """The measurements, by the name under which they are kept."""
    decoder, start = smol.decoder, intact(smol.decoder, tokens_of(smol).cut(START))
    return {
        **given(source(start)),
        "rows": lambda: rows(decoder.table),
        "input": lambda: at_input(decoder, start),
        "output": lambda: at_output(decoder, start),
        "fed_back": lambda: fed_back(decoder),
    }


def rows(table: Array) -> dict[str, Any]:
    """Lengths of the rows and the mean cosine of two; ``length_by_tenth``: the median of each tenth, by id."""
    x = table.astype(float)
    length = np.linalg.norm(x, axis=1)
    n, whole = len(x), (x / length[:, None]).sum(0)
    return {
        "count": n,
        "d_model": x.shape[1],
        "length": {"mean": length.mean(), **over(length)},
        "length_by_tenth": [np.median(part) for part in np.array_split(length, 10)],
        "mean_cosine": (whole @ whole - n) / (n * (n - 1)),
        "length_of_mean": np.linalg.norm(x.mean(0)),
    }


def equal_lengths(table: Array) -> Array:
    """Every row with the mean length."""
    length = np.linalg.norm(table, axis=1, keepdims=True)
    return table * (length.mean() / length)


def at_input(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The cost of another table at the input alone, and of the input's row taken away again after block 1."""
    x, ids, table = base.states[0], base.texts.flat(), decoder.table
    root = np.float32(np.sqrt(table.shape[1]))
    other = {
        "times_root": x * root,
        "over_root": x / root,
        "equal_lengths": equal_lengths(table)[ids],
        "without_mean_row": x - table.mean(0),
    }
    without_own = cost(decoder, base, begin=1, x=base.states[1] - x)
    return {**{name: cost(decoder, base, x=changed) for name, changed in other.items()}, "own_row_removed": without_own}


def at_output(decoder: Decoder, base: Intact) -> dict[str, Any]:
    """The cost of another table at the output alone. Without the mean row all logits of a place fall by one number."""
    tables = {
        "equal_lengths": equal_lengths(decoder.table),
        "without_mean_row": decoder.table - decoder.table.mean(0),
    }
    return {
        name: compared(losses(decoder, base.states[-1], base.texts, table), base.losses)
        for name, table in tables.items()
    }


def fed_back(decoder: Decoder) -> dict[str, Any]:
    """Each eighth row as if it were the last block's output: how many give another row a larger logit than themselves.

    ``lost_by_tenth``: the share of each tenth, by id.
    """
    lost = loses(decoder.table, decoder.norm.gain, np.arange(0, len(decoder.table), EACH))
    return {
        "rows": len(lost),
        "lost": int(lost.sum()),
        "share": lost.mean(),
        "lost_by_tenth": [part.mean() for part in np.array_split(lost, 10)],
    }


def loses(table: Array, gain: Array, asked: Integers) -> Booleans:
    """For each row e of the table that is asked for: does another row get a larger logit than e itself?

    The logits are the products of all rows with g e over e's root mean square, one number, which leaves their order.
    Ties within single precision are not lost.
    """
    out = []
    for some in np.array_split(asked, max(1, len(asked) // PART)):
        e = table[some]
        logits = (e * gain) @ table.T
        own = logits[np.arange(len(e)), some]
        out.append(logits.max(-1) > own + 1e-5 * np.abs(own))
    return np.concatenate(out)
