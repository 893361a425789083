"""The two-places lab: read two boxes into two slots, with one head, or with two of half or of full width.

Twin: ``two_places_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Over, Seed, Step, Vector
from whyformer.lab.lab import Series
from whyformer.maths.random import uniform
from whyformer.maths.softmax import Array, softmax

N_BOXES = 5
PARALLEL = 1e-6  # a second head that differs less than this from the first (relative) adds nothing
N_NUMBERS = 6  # in a box: a colour of three numbers on top, another at the bottom
TOP = slice(0, 3)
BOTTOM = slice(3, 6)
HEADS = {"one": "one", "half": "two, half width", "two": "two, full width"}
ASKED = {"whole": "whole boxes", "parts": "a top and a bottom"}


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


def compute(
    *, heads: str, asked: str, first: list[float], second: list[float], left: int, right: int, seed: int
) -> Series:
    r"""Weights, blends, the best linear read-out W_O for two slots, and what it misses.

    Five boxes hold six numbers each: a colour on top, another at the bottom. Head h has the weights :math:`A_h` =
    softmax of its scores (``first``, ``second``; the second counts unless ``heads`` is ``"one"``) and puts out the
    blend :math:`\sum_j A_{hj} c_j W_V^h`. At full width :math:`W_V^h` keeps all six numbers, at half width three: head
    1 the tops, head 2 the bottoms. Slot 1 should hold box ``left``, slot 2 box ``right``, counted from 1; with
    ``asked="parts"`` only the top of the one and the bottom of the other. The read-out is the best on average over
    contents with mean 0 and equal variances: for each part the projection of the wanted box onto the span of the
    weights of the heads that read this part.

    * ``colours`` (5, 6): entries from -1 to 1, drawn by ``seed``; ``weights_first``, ``weights_second`` (5,);
      ``blends`` (2, 6): by head, 0 where a head reads nothing
    * ``read_out`` (2, 2): the factor by slot and head, 0 for a head that is not used; ``slots`` (2, 6): what the layer
      puts out, 0 where nothing is asked
    * ``error_left``, ``error_right``: missed on average over all contents, in percent of the variance that the slot
      asks for; ``total``: their sum; ``least``: what no scores get it below
    * ``numbers``: how many numbers all heads together hand to W_O; ``wanted``: how many the slots ask for
    * ``largest_first``, ``largest_second``: the largest weight of each head
    """
    reads = {"one": [[0], [0]], "half": [[0], [1]], "two": [[0, 1], [0, 1]]}[heads]  # which heads, of tops and bottoms
    parts = [[0, 1], [0, 1]] if asked == "whole" else [[0], [1]]  # of each slot
    colours = 2 * uniform(seed, np.arange(N_BOXES)[:, None], np.arange(N_NUMBERS)) - 1
    rows = np.stack([softmax(np.array(scores, float)) for scores in (first, second)])
    blends, read_out, slots, errors = rows @ colours, np.zeros((2, 2)), np.zeros((2, N_NUMBERS)), [0.0, 0.0]
    for part, numbers in enumerate((TOP, BOTTOM)):
        for head in {0, 1} - set(reads[part]):
            blends[head, numbers] = 0
        for slot, place in enumerate((left, right)):
            if part in parts[slot]:
                factors, missed = best_read_out(rows[reads[part]], place - 1)
                for at, head in enumerate(reads[part]):
                    read_out[slot, head] = factors[at]
                    slots[slot, numbers] += factors[at] * blends[head, numbers]
                errors[slot] += 100 * missed / len(parts[slot])
    enough = left == right or heads == "two" or (heads == "half" and asked == "parts")
    return {
        "colours": colours,
        "weights_first": rows[0],
        "weights_second": rows[1],
        "blends": blends,
        "read_out": read_out,
        "slots": slots,
        "error_left": errors[0],
        "error_right": errors[1],
        "total": errors[0] + errors[1],
        "least": 0.0 if enough else 100.0,
        "numbers": float(sum(3 * len(of_part) for of_part in reads)),
        "wanted": float(sum(3 * len(of_slot) for of_slot in parts)),
        "largest_first": rows[0].max(),
        "largest_second": rows[1].max(),
    }


ON_2, ON_4, BETWEEN = [0, 8, 0, 0, 0], [0, 0, 0, 8, 0], [0, 4, 0, 4, 0]


class TwoPlacesLab(Lab):
    """Drag the scores of one head and try to read two boxes apart; then take two heads."""

    title = "Two-places lab"
    hint = ""
    sentence = (
        "Heads: {heads}. Slots ask for {asked} and miss {error_left:.0f} % of box {left} and {error_right:.0f} % of "
        "box {right}, together {total:.0f} %. No scores get below {least:.0f} %."
    )
    columns = ("weights_first", "weights_second")
    row = "box"
    presets = {
        "one head, half and half": {
            "heads": "one", "asked": "whole", "first": BETWEEN, "left": 2, "right": 4,
        },
        "a head for each box": {
            "heads": "two", "asked": "whole", "first": ON_2, "second": ON_4, "left": 2, "right": 4,
        },
        "two heads that both blend": {
            "heads": "two", "asked": "whole", "first": [0, 8, 0, 7, 0], "second": [0, 7, 0, 8, 0], "left": 2,
            "right": 4,
        },
        "half width, a part each": {
            "heads": "half", "asked": "parts", "first": ON_2, "second": ON_4, "left": 2, "right": 4,
        },
    }  # fmt: skip
    compute = staticmethod(compute)

    steps = (
        Step(
            "One head, half on box 2 and half on box 4: either slot gets the same blend and misses "
            "{error_left:.0f} %. Drag the bars: can you get the dot below the dashed line?",
            shows=("missed", "scores 1", "colours 1", "slots"),
            narrow=2,
            controls=("heads",),
            when=("error_left > 49.9", "error_left < 50.1", "error_right > 49.9", "error_right < 50.1"),
            over=Over(near=({"first": [0, 8, 0, 8, 0]}, {"first": [4, 0, 0, 0, 4], "left": 1, "right": 5})),
        ),
        Step(
            "All on box 2: slot 1 is right, slot 2 gets nothing of box 4, and {total:.0f} % is missed together as "
            "before. However you split the weight, the dot slides along the line.",
            state={"first": ON_2},
            shows=("missed", "scores 1", "colours 1", "slots"),
            narrow=2,
            controls=("heads",),
            when=("total > 99.999", "total < 100.1"),
            over=Over(near=({"first": BETWEEN}, {"first": [0, 8, 0, 7, 0]}, {"first": [0, 5, 0, 6.5, 0]})),
        ),
        Step(
            "Two heads of half width hand on {numbers:.0f} numbers, as many as the one did: three of the tops, three "
            "of the bottoms. Asked for whole boxes they miss {total:.0f} % too.",
            state={"heads": "half", "first": ON_2, "second": ON_4},
            shows=("missed", "scores 1", "colours 1", "scores 2", "colours 2"),
            controls=("heads",),
            when=("total > 99.999", "total < 100.1", "numbers == 6", "numbers < wanted"),
            over=Over(
                near=(
                    {"first": BETWEEN, "second": BETWEEN},
                    {"second": ON_2},
                    {"first": ON_4, "second": [0, 6, 0, 7, 0]},
                )
            ),
        ),
        Step(
            "Ask for less: the top of box 2, the bottom of box 4. One head still misses 100 % at least. With two of "
            "half width, get below 10 %.",
            state={"heads": "half", "asked": "parts", "first": BETWEEN, "second": BETWEEN},
            shows=("missed", "scores 1", "colours 1", "scores 2", "colours 2"),
            narrow=2,
            controls=("heads",),
            when=("total > 99.999",),
            over=Over(
                near=(
                    {"heads": "one"},
                    {"heads": "one", "first": ON_2},
                    {"heads": "one", "first": [0, 5, 0, 6.5, 0]},
                    {"heads": "one", "first": [3, 1, 4, 1, 5]},
                )
            ),
            goal=("total < 10", "heads == 'half'", "asked == 'parts'", "left != right"),
            solution={"first": ON_2, "second": ON_4},
            learned="Two heads of half width can look at two places at once; one head has one blend for both.",
        ),
        Step(
            "Two heads of full width read both boxes whole, and hand on {numbers:.0f} numbers. Here both blend, "
            "neither has more than {largest_first:.0%} on one box, and W_O takes the blends apart.",
            state={"heads": "two", "first": [0, 8, 0, 7, 0], "second": [0, 7, 0, 8, 0]},
            shows=("missed", "scores 1", "colours 1", "scores 2", "colours 2"),
            controls=("heads",),
            when=("total < 0.001", "numbers == 12", "largest_first < 0.74", "largest_second <= largest_first"),
            over=Over(near=({"first": [0, 8, 0, 7.5, 0], "second": [0, 7.5, 0, 8, 0]},)),
        ),
    )

    heads: Choice = Choice(default="one", options=HEADS, label="heads")
    asked: Choice = Choice(default="whole", options=ASKED, label="asked for")
    first: Vector = Vector(
        default=[0, 4, 0, 4, 0], min=0, max=8, step=0.1, min_length=N_BOXES, max_length=N_BOXES,
        label="scores of head 1", help="drag a bar, or choose it with Tab and use the arrow keys",
    )  # fmt: skip
    second: Vector = Vector(
        default=[0, 0, 0, 8, 0], min=0, max=8, step=0.1, min_length=N_BOXES, max_length=N_BOXES,
        label="scores of head 2", help="drag a bar, or choose it with Tab and use the arrow keys",
    )  # fmt: skip
    left: Integer = Integer(default=2, min=1, max=N_BOXES, label="slot 1 should hold box")
    right: Integer = Integer(default=4, min=1, max=N_BOXES, label="slot 2 should hold box")
    seed: Seed = Seed(default=2172, label="draw", help="which colours are in the boxes")
