"""The checks of the exercises' answers. The students' edition does not have this file."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from whyformer.maths import softmax
from whyformer.proof import Numbers, always_close, check, draws, holds
from whyformer.questions.qk_weights.exercises import check_back, check_lead, check_superfluous, check_triangle


@check
def the_weight_of_the_other_row() -> Numbers:
    """We put both rows of scores through the softmax, and checked that one matrix can have these scores."""
    scores = np.array([[1, 1.5], [1.5, 4]])
    holds(np.linalg.eigvalsh(scores).min() > 0)
    weights = softmax(scores)
    holds(check_back.judge(weights[1, 0]).right and check_back.judge("0.076").right)
    return {"0.076": weights[1, 0], "0.62": weights[0, 1]}


@check
def the_lead_of_the_other() -> Numbers:
    """We looked in 40,000 random heads of one matrix for words that get nine times the own weight."""
    q = 2 * np.random.default_rng(0).standard_normal((40_000, 2, 4))
    scores = q @ q.swapaxes(1, 2) / 2
    nine = scores[scores[:, 0, 1] - scores[:, 0, 0] >= np.log(9)]
    holds(len(nine) > 100 and (nine[:, 1, 1] - nine[:, 0, 0] > 2 * np.log(9)).all())
    holds(check_lead.judge(2 * np.log(9)).right and check_lead.judge("4.39").right)
    return {"4.39": 2 * np.log(9)}


@check
def the_idle_directions() -> Numbers:
    """We counted in a small model in how many directions the product moves when the two matrices do."""
    d, k = 12, 5
    w_q, w_k = np.random.default_rng(0).standard_normal((2, d, k))
    moves = [np.outer(e, w_k[:, a]).ravel() for a in range(k) for e in np.eye(d)]
    moves += [np.outer(w_q[:, a], e).ravel() for a in range(k) for e in np.eye(d)]
    rank = np.linalg.matrix_rank(np.array(moves))
    holds(check_superfluous.judge(64**2).right)
    return {"4,096": 64**2, "16": 65_536 / 64**2, "95": rank}


@check
def around_a_triangle() -> Numbers:
    """We added random numbers to rows and columns of 100 score matrices, and tried weights that one matrix forbids."""

    def triangle(s: np.ndarray) -> float:
        return s[0, 1] + s[1, 2] + s[2, 0] - s[0, 2] - s[2, 1] - s[1, 0]

    with redirect_stdout(StringIO()):
        holds(check_triangle(triangle))
    for rng in draws(100):
        s, r, c = rng.standard_normal((3, 3)), rng.standard_normal((3, 1)), rng.standard_normal(3)
        always_close(triangle(s + r + c), triangle(s), within=1e-9)
        always_close(triangle(np.log(softmax(s))), triangle(s), within=1e-9)
    passes = np.array([[0.1, 0.8, 0.1], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
    always_close(triangle(np.log(passes)), 0, within=1e-9)
    return {"0.8": passes[0, 1]}
