"""Checks of the answers to exercises."""

from __future__ import annotations

import numpy as np

from whyformer.maths import softmax
from whyformer.maths.softmax import Array
from whyformer.proof import Numbers, check, holds, same
from whyformer.questions.advantages.checks import count
from whyformer.questions.advantages.exercises import check_cache, check_crossing, check_leak


@check
def a_leak(steps: int = 1000) -> Numbers:
    """We took the root and raised it to the power again."""
    f = 0.5 ** (1 / steps)
    holds(bool(check_leak(0.999307)) and np.isclose(f**steps, 0.5))
    return {"0.999307": f}


@check
def shared_keys_cross(d: int = 1024) -> Numbers:
    """We counted each multiplication at a width of 16, below, at and above the crossing."""
    small, part = 16, 2
    for n, sign in ((28, -1), (30, 0), (32, 1)):
        gru = count(*[(small, small, 1)] * 6 * n)
        shared = count(*[(n, small, small)] * 2, *[(n, small, part)] * 2, (n, small, n), (n, n, small))
        holds(np.sign(shared - gru) == sign)
    holds(bool(check_crossing(1920)))
    same(30 / small, 1.875)
    return {"1920": 30 / small * d}


@check
def a_mended_cache() -> Numbers:
    """We ran the mended function, and it with either slip, through the exercise's check."""

    def made(empty: bool, by_width: bool) -> object:
        def with_cache(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
            keys = [] if empty else [np.zeros(w_k.shape[1])]
            values = [] if empty else [np.zeros(w_v.shape[1])]
            rows = []
            for one in x:
                keys.append(one @ w_k)
                values.append(one @ w_v)
                by = w_k.shape[1] if by_width else len(keys)
                rows.append(softmax(np.array(keys) @ (one @ w_q) / np.sqrt(by)) @ np.array(values))
            return np.array(rows)

        return check_cache(with_cache)

    for empty in (True, False):
        for by_width in (True, False):
            holds(bool(made(empty, by_width)) == (empty and by_width))
    return {"0": 0}
