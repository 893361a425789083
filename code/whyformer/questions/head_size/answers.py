"""The checks of the exercises' answers. The students' edition does not have this file."""

from __future__ import annotations

from contextlib import redirect_stdout
from functools import partial
from io import StringIO

import numpy as np

from whyformer.maths import softmax
from whyformer.maths.softmax import Array
from whyformer.model import Config, count_parameters
from whyformer.proof import Numbers, check, holds, same
from whyformer.questions.head_size.budget_lab import BudgetLab
from whyformer.questions.head_size.checks import attention, bill, centred, rank
from whyformer.questions.head_size.exercises import (
    check_blocks,
    check_full_width,
    check_gain,
    check_rows_b,
    check_split,
)


@check
def twelve_wide_heads() -> Numbers:
    """We counted the parameters of 12 heads that are as wide as the model, at an eighth of the width."""
    wide = count_parameters(attention(12, 96, 96)) * (768 // 96) ** 2
    same(wide / bill(1, 96, 96, 2)[0], 12 * 64)
    holds(bool(check_full_width(wide)))
    return {"28,311,552": wide, "2,359,296": wide / 12}


@check
def half_of_queries_and_keys() -> Numbers:
    """We counted an attention layer with keys of 64 numbers and with keys of 32, and the whole model with either."""
    less = 18 * (count_parameters(attention(8, 64, 512)) - count_parameters(attention(8, 32, 512, d_v=64)))
    holds(bool(check_rows_b(less)))
    base = Config(vocabulary=40_960, d_model=512, n_heads=8, d_ff=2048).n_parameters()
    return {"18": 18, "4,718,592": less, "65": base / 1e6, "60": (base - less) / 1e6}


def mended(X: Array, W_Q: Array, W_K: Array, h: int, columns: bool = True, own: bool = True) -> Array:
    """As the solution cuts queries and keys, or with one of both slips."""
    n, d_model = X.shape
    q, k = X @ W_Q, X @ W_K
    if columns:
        q, k = (one.reshape(n, h, d_model // h).swapaxes(0, 1) for one in (q, k))
    else:
        q, k = (one.reshape(h, n, d_model // h) for one in (q, k))
    return softmax(q @ k.swapaxes(1, 2) / np.sqrt(d_model // h if own else d_model))


@check
def cut_into_heads() -> Numbers:
    """We ran the mended function, and it with either slip, through the exercise's check."""
    for columns in (True, False):
        for own in (True, False):
            with redirect_stdout(StringIO()):
                right = check_split(partial(mended, columns=columns, own=own))
            holds(bool(right) == (columns and own))
    return {}


@check
def rank_of_blocks() -> Numbers:
    """We counted the rank of the logarithms of the weights, before and after centring, and looked into the lab."""
    block = np.arange(24) // 4
    logs = np.log(400) * (block[:, None] == block)
    answer = rank(centred(logs))
    holds(bool(check_blocks(answer)))
    holds((BudgetLab(pattern="blocks").series["error_plain"][:4] == 0).all())
    return {"6": rank(logs), "5": answer, "8": 8}


@check
def the_gain() -> Numbers:
    """We solved for the factor, and put it into the softmax of a clock of 24 keys, and of 48."""
    g = {n: np.log(100) / (1 - np.cos(2 * np.pi / n)) for n in (24, 48)}
    for n, factor in g.items():
        weights = softmax(factor * np.cos(2 * np.pi * np.arange(n) / n))
        same(weights[0] / weights[1], 100)
    holds(bool(check_gain(g[24])))
    return {"135": g[24], "48": 48, "538": g[48], "four": round(g[48] / g[24])}
