"""The rows lab: rows of an output table and a hidden state as arrows; who wins, and which row is nearest.

Twin: ``rows_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Over, Step, Vector
from whyformer.lab.lab import Series
from whyformer.maths import softmax
from whyformer.maths.softmax import Array

N, REACH, ONE_LENGTH = 4, 3.0, 1.6
TIE = 1e-9  # what is only this much behind counts as largest, or as nearest, too; the first of these is named
ROWS = {"own": "their own", "one": "one for all"}


def winning_share(rows: Array) -> Array:
    """(n,): for each row of (n, 2) the share of all directions of h in which its product is the largest.

    Row k wins in direction u if (row k - row j) . u > 0 for all others j. The differences have directions; if these
    leave a gap wider than half a turn, u may be whatever is less than a quarter turn from all of them.
    """
    shares = []
    for k, row in enumerate(rows):
        differences = row - np.delete(rows, k, 0)
        turns = np.sort(np.arctan2(differences[:, 1], differences[:, 0]))
        gap = max(*np.diff(turns), turns[0] + 2 * np.pi - turns[-1])
        coincide = (np.hypot(*differences.T) < TIE).any()
        shares.append(0.0 if coincide or gap <= np.pi + TIE else (gap - np.pi) / (2 * np.pi))
    return np.array(shares)


def compute(*, lengths: list[float], angles: list[float], rows: str) -> Series:
    r"""Logits of four words for a hidden state h in the plane, and the distances of their rows from it.

    ``lengths``, and ``angles`` in degrees: of the four rows and, last, of h. With ``rows="one"`` the rows keep their
    directions and all get the length 1.6. :math:`z_w = h \cdot e_w = \frac12 (|h|^2 + |e_w|^2 - |h - e_w|^2)`.

    * ``e`` (4, 2): the rows as they count; ``h`` (2,); ``size`` (4,): lengths of the rows
    * ``logits``, ``distances``, ``y`` (4,): :math:`h \cdot e_w`, :math:`|h - e_w|`, the softmax of the logits
    * ``share`` (4,): of all directions of h, in how many this word has the largest logit; ``n_can_win``: how many words
      win somewhere
    * ``best``, ``nearest``: the word with the largest logit, and that with the nearest row, from 1; ``y_best``,
      ``y_nearest``, ``logit_best``, ``logit_nearest``, ``distance_best``, ``distance_nearest``: theirs; ``share_last``:
      share of word 4
    """
    turn = np.radians(np.array(angles, float))
    size = np.full(N, ONE_LENGTH) if rows == "one" else np.array(lengths[:N], float)
    points = np.append(size, lengths[N])[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    e, h = points[:N], points[N]
    logits = e @ h
    distances = np.hypot(*(e - h).T)
    y = softmax(logits)
    best = int((logits >= logits.max() - TIE).argmax())
    nearest = int((distances <= distances.min() + TIE).argmax())
    share = winning_share(e)
    return {
        "e": e,
        "h": h,
        "size": size,
        "logits": logits,
        "distances": distances,
        "y": y,
        "share": share,
        "n_can_win": float((share > 0).sum()),
        "best": 1.0 + best,
        "nearest": 1.0 + nearest,
        "y_best": y[best],
        "y_nearest": y[nearest],
        "logit_best": logits[best],
        "logit_nearest": logits[nearest],
        "distance_best": distances[best],
        "distance_nearest": distances[nearest],
        "share_last": share[-1],
    }


def _turned(angle: float, length: float = 1.1) -> dict[str, list[float]]:
    """The default rows with h in another place."""
    return {"lengths": [1.3, 2.5, 2.2, 0.6, length], "angles": [-60, 30, 140, 70, angle]}


class RowsLab(Lab):
    """Four rows of an output table in the plane, and a hidden state: the largest product wins, not the nearest row."""

    formerly = ("plane",)
    title = "Rows lab"
    hint = ""
    sentence = (
        "Word {best:.0f} has the largest product with h, {logit_best:.2f}, and the probability {y_best:.2f}. Nearest "
        "is row {nearest:.0f}, {distance_nearest:.2f} away. {n_can_win:.0f} of 4 words win somewhere."
    )
    columns = ("size", "distances", "logits", "y", "share")
    row = "word"
    presets = {
        "nearest and winner differ": _turned(-12),
        "inside the others": _turned(70, 0.6),
    }
    compute = staticmethod(compute)

    steps = (
        Step(
            "Row {nearest:.0f} is nearest to h, but word {best:.0f} is most probable: its product with h is "
            "{logit_best:.2f}, that of word {nearest:.0f} only {logit_nearest:.2f}. Drag h.",
            shows=("plane", "numbers"),
            narrow=2,
            controls=("rows",),
            when=("nearest == 1", "best == 2", "logit_best > 1.5 * logit_nearest", "distance_best > distance_nearest"),
            over=Over(near=(_turned(-8), _turned(-20), _turned(-12, 0.9), _turned(-12, 1.6))),
        ),
        Step(
            "All rows of one length: the grey and the violet region are the same, and the nearest row wins. Drag what "
            "you like.",
            state={"rows": "one"},
            shows=("plane", "numbers"),
            controls=("rows",),
            when=("nearest == best", "distance_best <= distance_nearest"),
            over=Over(near=tuple({"angles": [-60, 30, 140, 70, a]} for a in range(-175, 180, 10))),
        ),
        Step(
            "Their own lengths again, and h is pulled out: word 2 still wins, surer now with {y_best:.2f}, and its row "
            "has become the nearest.",
            state={"lengths": [1.3, 2.5, 2.2, 0.6, 3.0]},
            shows=("plane", "numbers"),
            narrow=2,
            controls=("rows",),
            when=("best == 2", "nearest == 2", "y_best > 0.8"),
            over=Over(near=(_turned(-9, 3.0), _turned(-15, 2.9))),
        ),
        Step(
            "Here h stands on the row of word 4, and word 4 does not win. Its row lies inside the triangle of the "
            "others: it wins in no direction.",
            state=_turned(70, 0.6),
            shows=("plane", "numbers"),
            controls=("rows",),
            when=("best != 4", "share_last == 0", "n_can_win == 3"),
            over=Over(near=tuple(_turned(a, r) for a in range(-180, 180, 15) for r in (0.3, 1.1, 3.0))),
        ),
        Step(
            "Let each of the four words win somewhere, with their own lengths.",
            shows=("plane", "numbers"),
            controls=("rows",),
            goal=("n_can_win == 4", "rows == 'own'"),
            solution={"lengths": [1.3, 2.5, 2.2, 2.6, 1.1]},
            learned="A word wins somewhere exactly when its row is a corner of the hull of all rows.",
        ),
    )

    lengths: Vector = Vector(
        default=[1.3, 2.5, 2.2, 0.6, 1.1], min=0, max=REACH, step=0.05, min_length=N + 1, max_length=N + 1,
        label="lengths", help="of the four rows and of h; drag a bar or the tip of an arrow",
    )  # fmt: skip
    angles: Vector = Vector(
        default=[-60, 30, 140, 70, -12], min=-180, max=180, step=1, min_length=N + 1, max_length=N + 1,
        label="angles", help="in degrees; drag a bar or the tip of an arrow",
    )  # fmt: skip
    rows: Choice = Choice(default="own", options=ROWS, label="length of the rows")
