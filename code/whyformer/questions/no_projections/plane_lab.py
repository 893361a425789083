"""The plane lab: four tokens as arrows, used as queries, keys and values at once. Drag one until it ignores itself.

Twin: ``plane_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Integer, Lab, Number, Step, Vector
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

    formerly = ("many",)
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
            "The score of token 1 is {first_largest:.2f} with token {first_at:.0f} and {first_own:.2f} with itself: a "
            "longer token in a near direction has the larger dot product.",
            asks="All four tokens are equally long, and each gives itself its largest weight. Drag tips until token 1 "
            "gives its largest weight to another token.",
            moved=("first_at != 1",),
            told_at={"lengths": [0.7, 2.6, 1.2, 1.0]},
            cases=(
                (
                    ("first_at == 1",),
                    "The score of token 1 with itself is {first_own:.2f}, and none of its other scores is larger. Only "
                    "a longer token can have a larger one.",
                ),
            ),
            shows=("plane", "weights", "verdict"),
            narrow=2,
            controls=("lengths", "angles"),
            when=("first_at != 1", "first_largest > first_own"),
        ),
        Step(
            "The score of token 1 with itself is {first_own:.2f}, and none of its other scores is larger. If no token "
            "is longer, a token always prefers itself.",
            asks="The short token 1 gives its largest weight to token 2. Drag its tip until it prefers itself. How "
            "long does it have to be?",
            state={"lengths": [0.7, 2.6, 1.2, 1.0]},
            moved=("first_at == 1",),
            told_at={"lengths": [2.6, 2.6, 1.2, 1.0]},
            cases=(
                (
                    ("first_at != 1",),
                    "The score of token 1 is {first_largest:.2f} with token {first_at:.0f} and {first_own:.2f} with "
                    "itself. If no token were longer, it would prefer itself.",
                ),
            ),
            shows=("plane", "weights", "verdict"),
            narrow=2,
            controls=("lengths", "angles"),
            when=("first_at == 1", "first_own >= first_largest"),
        ),
        Step(
            "The longest token cannot do that: none of its scores exceeds the square of its own length.",
            asks="Drag tips until three of the four tokens give their largest weight to another token. Which "
            "one cannot?",
            moved=("n_own == 1",),
            told_at={"lengths": [0.5, 2.8, 0.6, 0.7], "angles": [5, 40, 75, 100]},
            shows=("plane", "weights", "verdict"),
            controls=("lengths", "angles"),
            when=("n_own >= 1",),
        ),
        Step(
            "The largest distance was {apart_start:.2f}, and after {rounds} {rounds:round|rounds} it is "
            "{apart_now:.3f}. Each output is an average of the tokens, so the distance never grows.",
            asks="Feed the outputs in again as tokens: drag the rounds to 20. Do the tokens stay apart?",
            state={"lengths": [0.7, 2.6, 1.2, 1.0]},
            moved=("rounds >= 15",),
            told_at={"rounds": 20},
            shows=("apart", "plane"),
            narrow=2,
            controls=("rounds", "divisor"),
            when=("apart_now <= apart_start",),
        ),
        Step(
            "They hardly come together: the largest distance was {apart_start:.2f}, and after {rounds} "
            "{rounds:round|rounds} it is {apart_now:.2f}. A token that attends only to itself stays where it is.",
            asks="Here are four long tokens, and their scores are divided by only 0.5. Drag the rounds to 20. Do these "
            "tokens come together?",
            state={"lengths": [2.6, 2.6, 2.6, 2.6], "divisor": 0.5},
            moved=("rounds >= 15",),
            told_at={"rounds": 20},
            cases=(
                (
                    ("apart_now < 0.7 * apart_start",),
                    "Here they come together: the largest distance was {apart_start:.2f}, and after {rounds} "
                    "{rounds:round|rounds} it is {apart_now:.3f}. If scores are divided by less, each token gives "
                    "itself more.",
                ),
            ),
            shows=("apart", "plane"),
            narrow=2,
            controls=("rounds", "divisor"),
            when=("apart_now >= 0.7 * apart_start",),
        ),
    )

    lengths: Vector = Vector(
        default=[1.6, 1.6, 1.6, 1.6], min=0, max=REACH, step=0.05, min_length=N, max_length=N,
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
