"""The two-places lab: read the colours of two boxes into two slots, with one head and with two.

Twin: ``two_places_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Seed, Vector
from whyformer.lab.lab import Series
from whyformer.maths.random import uniform
from whyformer.maths.softmax import Array, softmax

N_BOXES = 5
PARALLEL = 1e-6  # a second head that differs less than this from the first (relative) adds nothing
AXES = np.array([[1.0, 2.0, 3.0], [3.0, -1.0, 2.0]])  # head h mirrors values along axis h: its own coordinates


def mirror(head: int) -> Array:
    """(3, 3): W_V of a head, a reflection. It is its own inverse, so W_O can undo it."""
    axis = AXES[head]
    return np.eye(3) - 2 * np.outer(axis, axis) / (axis @ axis)


def best_read_out(rows: Array, place: int) -> tuple[Array, float]:
    """The best linear estimate of the content of one place from blends: coefficients, and the error that is left.

    rows: (1 or 2, n), the attention weights of each head. Contents are independent with mean 0 and variance 1. The
    blends c @ rows of all coefficients c form the span of the rows; the nearest to the unit vector of ``place`` is
    its orthogonal projection, and the squared distance is the mean squared error. Gram-Schmidt, so that a small error
    keeps its digits.
    """
    target = np.zeros(rows.shape[1])
    target[place] = 1
    length = np.linalg.norm(rows[0])
    first = rows[0] / length
    on_first = first[place]
    coefficients, nearest = np.array([on_first / length, 0.0]), on_first * first
    if len(rows) == 2:
        along = rows[1] @ first
        rest = rows[1] - along * first
        left = np.linalg.norm(rest)
        if left > PARALLEL * np.linalg.norm(rows[1]):
            second = rest / left
            on_second = second[place]
            nearest = nearest + on_second * second
            coefficients = np.array([(on_first - on_second * along / left) / length, on_second / left])
    return coefficients, float(((target - nearest) ** 2).sum())


def compute(*, heads: str, first: list[float], second: list[float], left: int, right: int, seed: int) -> Series:
    r"""Weights, blends, the best linear read-out W_O for two slots, and what it misses.

    Five boxes hold colours c_j of three numbers. Head h has the weights :math:`A_h` = softmax of its scores (``first``,
    ``second``; the second counts only if ``heads`` is ``"two"``) and puts out the blend :math:`\sum_j A_{hj} c_j`. Slot
    1 should hold box ``left``, slot 2 box ``right``, counted from 1. The read-out C is the best on average over
    contents with mean 0 and equal variances: the projection of the wanted box onto the span of the rows of A.

    * ``colours`` (5, 3): entries from -1 to 1, drawn by ``seed``; ``weights_first``, ``weights_second`` (5,);
      ``blends`` (2, 3): by head
    * ``read_out`` (2, 2): C, by slot and head, 0 for a head that is not there; ``slots`` (2, 3): what the layer puts
      out
    * ``error_left``, ``error_right``: missed on average over all contents, in percent of the variance; ``total``: their
      sum; ``least``: what no scores get it below, with these heads; ``drawn_left``, ``drawn_right``: the squared error
      in this draw, in the same unit
    * ``difference``: the largest between (heads side by side) times W_O and the sum over the heads, 0 but for rounding
    """
    n_heads = 1 if heads == "one" else 2
    colours = 2 * uniform(seed, np.arange(N_BOXES)[:, None], np.arange(3)) - 1
    rows = np.stack([softmax(np.array(scores, float)) for scores in (first, second)])
    blends = rows @ colours
    read_out, errors = zip(*(best_read_out(rows[:n_heads], place - 1) for place in (left, right)), strict=True)
    values = [blends[h] @ mirror(h) for h in range(2)]
    blocks = [np.concatenate([c[h] * mirror(h) for c in read_out], axis=1) for h in range(2)]  # W_O^h, (3, 6)
    slots = np.concatenate(values) @ np.concatenate(blocks)
    summed = values[0] @ blocks[0] + values[1] @ blocks[1]
    slots_2 = slots.reshape(2, 3)
    drawn = ((slots_2 - colours[[left - 1, right - 1]]) ** 2).sum(1)  # a colour has mean square length 3 · 1/3
    return {
        "colours": colours,
        "weights_first": rows[0],
        "weights_second": rows[1],
        "blends": blends,
        "read_out": np.stack(read_out),
        "slots": slots_2,
        "error_left": 100 * errors[0],
        "error_right": 100 * errors[1],
        "total": 100 * (errors[0] + errors[1]),
        "least": 100.0 if n_heads == 1 and left != right else 0.0,
        "drawn_left": 100 * drawn[0],
        "drawn_right": 100 * drawn[1],
        "difference": float(np.abs(slots - summed).max()),
    }


class TwoPlacesLab(Lab):
    """Drag the scores of one head and try to read two boxes apart; then add a head."""

    title = "Two-places lab"
    hint = "Drag the scores of head 1 and try to get the dot below the dashed line. Then add a head."
    sentence = (
        "With {heads}, the best read-out misses {error_left:.0f} % of box {left} in slot 1 and {error_right:.0f} % of "
        "box {right} in slot 2, together {total:.0f} %. No scores get that below {least:.0f} %."
    )
    columns = ("weights_first", "weights_second")
    row = "box"
    presets = {
        "one head, half and half": {"heads": "one", "first": [0, 4, 0, 4, 0], "left": 2, "right": 4},
        "one head, all on box 2": {"heads": "one", "first": [0, 8, 0, 0, 0], "left": 2, "right": 4},
        "a head for each box": {
            "heads": "two", "first": [0, 8, 0, 0, 0], "second": [0, 0, 0, 8, 0], "left": 2, "right": 4,
        },
        "two heads that both blend": {
            "heads": "two", "first": [0, 8, 0, 7, 0], "second": [0, 7, 0, 8, 0], "left": 2, "right": 4,
        },
    }  # fmt: skip
    compute = staticmethod(compute)

    heads = Choice("one", options={"one": "one head", "two": "two heads"}, label="the layer has")
    first = Vector(
        [0, 4, 0, 4, 0], min=0, max=8, step=0.1, min_length=N_BOXES, max_length=N_BOXES,
        label="scores of head 1", help="drag a bar, or choose it with Tab and use the arrow keys",
    )  # fmt: skip
    second = Vector(
        [0, 0, 0, 8, 0], min=0, max=8, step=0.1, min_length=N_BOXES, max_length=N_BOXES,
        label="scores of head 2", help="drag a bar, or choose it with Tab and use the arrow keys",
    )  # fmt: skip
    left = Integer(2, min=1, max=N_BOXES, label="slot 1 should hold box")
    right = Integer(4, min=1, max=N_BOXES, label="slot 2 should hold box")
    seed = Seed(2172, label="draw", help="which colours are in the boxes")
