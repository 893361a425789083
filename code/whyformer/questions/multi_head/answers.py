"""The checks of the exercises' answers. The students' edition does not have this file."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from whyformer.maths import softmax
from whyformer.proof import Numbers, always_close, check, holds
from whyformer.questions.multi_head.checks import missed
from whyformer.questions.multi_head.exercises import check_factor, check_least, check_missed, check_without


@check
def the_share_missed() -> Numbers:
    """We put the three weights into the error of the best read-out, and fitted it by least squares."""
    y = np.array([0.6, 0.3, 0.1])
    share = 1 - y[0] ** 2 / (y @ y)
    always_close(missed(y[None], np.eye(3)[[0]]), share, within=1e-9)
    holds(check_missed.judge(share).right)
    return {"0.217": share}


@check
def the_factor() -> Numbers:
    """We solved the two equations for the factors of both heads."""
    a, b = np.linalg.solve(np.array([[0.7, 0.4], [0.3, 0.6]]), [1, 0])
    always_close(b, -1, within=1e-9)
    holds(check_factor.judge(a).right)
    return {"twice": a}


@check
def the_least() -> Numbers:
    """We fitted the best matrix after two heads of width 32, and after one head of width 64, to the 96 numbers."""
    keep = np.eye(64)
    asked = np.concatenate([np.kron([1, 0], keep), np.kron([0, 1], keep[32:])])
    of_two = len(asked) * missed(np.concatenate([np.kron([1, 0], keep[:32]), np.kron([0, 1], keep[32:])]), asked)
    of_one = len(asked) * missed(np.kron([1, 0], keep), asked)
    always_close([of_two, of_one], 32, within=1e-6)
    holds(check_least.judge(round(of_two, 6)).right)
    return {"32": of_two}


def without_heads(X, W_Q, W_K, W_V, W_O, h, gone):  # type: ignore[no-untyped-def]
    """As the solution adds up the heads that stay."""
    width = W_Q.shape[1] // h
    out = np.zeros((len(X), W_O.shape[1]))
    for i in set(range(h)) - set(gone):
        own = slice(i * width, (i + 1) * width)
        scores = (X @ W_Q[:, own]) @ (X @ W_K[:, own]).T / np.sqrt(width)
        out += softmax(scores) @ (X @ W_V[:, own]) @ W_O[own]
    return out


@check
def heads_left_out() -> Numbers:
    """We gave the function of the solution to the check of the exercise."""
    with redirect_stdout(StringIO()):
        holds(check_without(without_heads))
    return {}
