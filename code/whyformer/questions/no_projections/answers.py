"""The checks of the exercises' answers. The students' edition does not have this file."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from whyformer.maths import attention_weights
from whyformer.proof import Numbers, always_close, check, holds
from whyformer.questions.no_projections.exercises import (
    check_chain,
    check_d,
    check_length,
    check_self_weight,
    check_share,
)
from whyformer.questions.no_projections.own_share import LAW_D, own_shares
from whyformer.questions.no_projections.plane_lab import PlaneLab


@check
def how_long() -> Numbers:
    """We put lengths a little below and above the answer into the lab."""
    best = [
        PlaneLab(lengths=[1, length, 0.2, 0.2], angles=[0, 60, 180, -90]).series["best"][0] for length in (1.95, 2.05)
    ]
    holds(best == [0, 1], best=best)
    holds(check_length.judge(2).right)
    return {"2": 1 / np.cos(np.radians(60))}


@check
def chain_of_looks() -> Numbers:
    """We made each token of the lab a little less, and a little more, than √2 times as long as the one before."""
    for times, looks in ((1.42, [1, 2, 3, 3]), (1.41, [0, 1, 2, 3])):
        turn, length = np.radians([0, 45, 90, 135]), times ** np.arange(4)
        x = length[:, None] * np.stack([np.cos(turn), np.sin(turn)], 1)
        holds((x @ x.T).argmax(1) == looks, times=times)
    holds(check_chain.judge(np.sqrt(2) ** 3).right and not check_chain.judge(2).right)
    return {"4": 4, "2.83": np.sqrt(2) ** 3}


@check
def weight_that_stays() -> Numbers:
    """We gave a hundred orthogonal tokens of length 8 to attention without projections."""
    kept = attention_weights(8 * np.eye(100), 8 * np.eye(100), divisor=8)
    always_close(np.diag(kept), 1 / (1 + 99 * np.exp(-8)), within=1e-12)
    holds(check_self_weight.judge(kept[0, 0]).right and check_self_weight.judge("0.968").right)
    return {"0.968": kept[0, 0]}


@check
def half_of_the_rows() -> Numbers:
    """We worked out both expected shares at 32 tokens by quadrature, and where they cross one half."""
    none, one = own_shares(32, 0.0)
    middle = [float(np.exp(np.interp(0.5, share, np.log(LAW_D)))) for share in (none, one)]
    holds(check_d.judge(middle[1]).right and not check_d.judge(middle[0]).right)
    return {"5": middle[0], "9": middle[1], "twice": middle[1] / middle[0]}


def mended(x: np.ndarray) -> float:
    """The function of the solution."""
    scores = x @ x.T
    largest = scores.max(axis=1)
    return float((scores.diagonal() >= largest - 1e-9 * abs(largest)).mean())


@check
def who_ties() -> Numbers:
    """We gave the function of the solution, and the wrong one, to the check of the exercise."""
    with redirect_stdout(StringIO()):
        holds(check_share(mended))
        holds(not check_share(lambda x: float(((x @ x.T).argmax(axis=1) == np.arange(len(x))).mean())))
    return {}
