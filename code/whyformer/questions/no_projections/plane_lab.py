"""The plane lab: four tokens as arrows, used as queries, keys and values at once. Drag one until it ignores itself.

Twin: ``plane_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Integer, Lab, Number, Over, Step, Vector
from whyformer.lab.lab import Series
from whyformer.maths.softmax import Array, softmax

Point = tuple[float, float]
N, REACH, MOST_ROUNDS = 4, 3.0, 20
TIE = 1e-9  # a score that is only this much behind another counts as largest, too


def largest_distance(points: Array) -> float:
    """Between any two of the points (n, 2)."""
    return float(np.linalg.norm(points[:, None] - points[None], axis=-1).max())


def compute(*, lengths: list[float], angles: list[float], divisor: float, rounds: int) -> Series:
    r"""Attention without projections, softmax(X X^T / divisor) X, applied ``rounds`` times; X has one row for a token.

    Four tokens in the plane: ``lengths``, and ``angles`` in degrees; scores are divided by ``divisor``. Scores, weights
    and what is said of them belong to the vectors as dragged, before any round.

    * ``x`` (4, 2); ``scores`` (4, 4): X X^T, not divided; ``weights`` (4, 4)
    * ``own`` (4,): 1 for a token whose largest weight is on itself; ``best`` (4,): where the largest weight is, from 0;
      of several that tie its own, else the first; ``own_weight`` (4,): each on itself; ``n_own``: sum of ``own``
    * ``first_own``, ``first_largest``: the score of the first token with itself, and its largest; ``first_at``: with
      which token that is, counted from 1
    * ``path`` (21, 4, 2): the tokens after 0 to 20 rounds; ``now`` (4, 2): after ``rounds``; ``after``: that number
    * ``apart`` (21,): the largest distance between two tokens after each round; ``apart_start``, ``apart_now``: at
      first, and now; ``bounds`` (21,): what is proved of ``apart``: each round shrinks the largest distance at least
      by the factor :math:`1 - e^{-2 R^2 / \text{divisor}}`, R being the largest length; ``bound``: of ``apart_now``
    """
    turn = np.radians(np.array(angles, float))
    x = np.array(lengths, float)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    path = [x]
    for _ in range(MOST_ROUNDS):
        path.append(softmax(path[-1] @ path[-1].T / divisor) @ path[-1])
    scores = x @ x.T
    weights = softmax(scores / divisor)
    largest = scores >= scores.max(1, keepdims=True) - TIE
    own = np.diag(largest)
    best = np.where(own, np.arange(N), largest.argmax(1))
    apart = np.array([largest_distance(points) for points in path])
    bounds = apart[0] * (-np.expm1(-2 * max(lengths) ** 2 / divisor)) ** np.arange(MOST_ROUNDS + 1)
    return {
        "x": x,
        "scores": scores,
        "weights": weights,
        "own": own.astype(float),
        "best": best.astype(float),
        "own_weight": np.diag(weights).copy(),
        "path": np.array(path),
        "now": path[rounds],
        "apart": apart,
        "bounds": bounds,
        "after": float(rounds),
        "n_own": float(own.sum()),
        "first_own": scores[0, 0],
        "first_largest": scores[0].max(),
        "first_at": 1.0 + best[0],
        "apart_now": apart[rounds],
        "apart_start": apart[0],
        "bound": bounds[rounds],
    }


class PlaneLab(Lab):
    """Four tokens in the plane attend to each other without projections."""

    title = "Plane lab"
    hint = ""
    sentence = (
        "{n_own:.0f} of 4 tokens {n_own:gives its|give their} largest weight to {n_own:itself|themselves}. After "
        "{rounds} of 20 rounds of attention the tokens are at most {apart_now:.3f} apart; they were "
        "{apart_start:.3f} apart."
    )
    columns = ("own", "best", "own_weight")
    row = "token"
    places = ("best",)
    presets = {
        "short beside long": {"lengths": [0.7, 2.6, 1.2, 1.0], "angles": [15, 40, 155, -75]},
        "all equally long": {"lengths": [1.6, 1.6, 1.6, 1.6], "angles": [15, 40, 155, -75]},
        "all look at one": {"lengths": [0.5, 2.8, 0.6, 0.7], "angles": [5, 40, 75, 100]},
        "collapsed": {"rounds": 20},
    }
    compute = staticmethod(compute)

    steps = (
        Step(
            "Token 1 is short: it scores {first_largest:.2f} with the long token 2, {first_own:.2f} with itself. Drag "
            "a tip.",
            shows=("plane", "weights", "verdict"),
            narrow=2,
            controls=("divisor",),
            when=("first_largest > 2 * first_own", "first_at == 2", "n_own == 3"),
            over=Over(near=({"divisor": 0.2}, {"divisor": 5.0}, {"angles": [-15, 10, -170, 80]})),
        ),
        Step(
            "All equally long: each token prefers itself. Turn the arrows.",
            state={"lengths": [1.6, 1.6, 1.6, 1.6]},
            shows=("plane", "weights", "verdict"),
            controls=("divisor",),
            when=("n_own == 4",),
            over=Over(
                near=(
                    {"angles": [10, 11, 12, 13]},
                    {"angles": [0, 90, 180, -90]},
                    {"angles": [5, 40, 75, 100]},
                    {"lengths": [0.3, 0.3, 0.3, 0.3]},
                    {"lengths": [3, 3, 3, 3], "divisor": 5.0},
                )
            ),
        ),
        Step(
            "Make three of the four tokens look past themselves. Which one cannot?",
            shows=("plane", "weights", "verdict"),
            controls=("divisor",),
            goal=("n_own == 1",),
            solution={"lengths": [0.5, 2.8, 0.6, 0.7], "angles": [5, 40, 75, 100]},
            learned="The longest token cannot: none of its scores exceeds the square of its own length.",
        ),
        Step(
            "Feed the outputs in again, 20 times: the largest distance falls from {apart_start:.2f} to "
            "{apart_now:.2f}.",
            state={"rounds": 20},
            shows=("plane", "apart"),
            controls=("rounds", "divisor"),
            when=("apart_now < 0.001 * apart_start",),
            over=Over(near=({"divisor": 0.7}, {"divisor": 5.0}, {"angles": [-15, 10, -170, 80]})),
        ),
        Step(
            "Four long arrows look at themselves alone. They stay {apart_now:.2f} apart, of {apart_start:.2f}. Grey: "
            "what is proved.",
            state={"lengths": [2.6, 2.6, 2.6, 2.6], "divisor": 0.5, "rounds": 20},
            shows=("apart", "plane"),
            narrow=2,
            controls=("divisor",),
            when=("apart_now > 0.7 * apart_start", "apart_now <= bound", "bound > 0.9 * apart_start", "n_own == 4"),
            over=Over(
                near=(
                    {"lengths": [3, 3, 3, 3]},
                    {"divisor": 0.2},
                    {"divisor": 1.0},
                    {"angles": [0, 70, 150, -90]},
                    {"angles": [0, 90, 180, -90]},
                    {"angles": [20, 110, -160, -60]},
                )
            ),
        ),
    )

    lengths: Vector = Vector(
        default=[0.7, 2.6, 1.2, 1.0], min=0, max=REACH, step=0.05, min_length=N, max_length=N,
        label="lengths", help="drag a bar or the tip of an arrow",
    )  # fmt: skip
    angles: Vector = Vector(
        default=[15, 40, 155, -75], min=-180, max=180, step=1, min_length=N, max_length=N,
        label="angles", help="in degrees; drag a bar or the tip of an arrow",
    )  # fmt: skip
    divisor: Number = Number(
        default=1.4, min=0.2, max=5.0, step=0.1, label="divide the scores by", help="√2 = 1.4 for two dimensions"
    )
    rounds: Integer = Integer(default=0, min=0, max=MOST_ROUNDS, label="rounds of attention")
