"""The two-wishes lab: one word needs who and how, two values of other words; what gets through one head, or two.

Twin: ``two_wishes_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import uniform
from whyformer.maths.softmax import Array

#: The running sentence of the book; which of its words asks, and which two it needs.
WORDS = ("The", "cat", "sat", "because", "it", "was", "tired", ".")
ASKS = WORDS.index("it")
NEEDED = (WORDS.index("cat"), WORDS.index("tired"))  # who, how
N_NUMBERS = 6  # in a value
PARTS = (slice(0, 3), slice(3, 6))  # the halves of a value
HEADS = {"one": "one", "half": "two, half size", "two": "two, full size"}
ASKED = {"whole": "both whole", "parts": "half of each"}


def best_read_out(rows: list[Array], wish: int) -> tuple[list[float], float]:
    """How the best matrix makes one of two values from blends of both: a factor for each blend, and what it misses.

    rows: of one head or two, the weights on the two words (2,). All numbers of both values are independent with one
    variance; what is missed is a share of it. Blends that differ span both values, so that nothing is missed; of one
    blend the best multiple misses one less the squared weight over the sum of both squares.
    """
    one, other = rows[0], rows[-1]
    apart = one[0] * other[1] - one[1] * other[0]
    if apart == 0:
        length = one @ one
        return [float(one[wish] / length)] + [0.0] * (len(rows) - 1), float(1 - one[wish] ** 2 / length)
    return [float(other[1] / apart), float(-one[1] / apart)] if wish == 0 else [
        float(-other[0] / apart),
        float(one[0] / apart),
    ], 0.0


def compute(*, heads: str, asked: str, first: int, second: int, seed: int) -> Series:
    r"""What the best W_O gets of the values of *cat* (who) and *tired* (how) from the blends of one head or two.

    There are one head, two of half size or two full ones, as ``heads`` says. A head has the weight ``first``
    (``second``) in percent on *tired* and the rest on *cat*, and passes on its blend of the two values: a full head all
    six numbers, one of half size three, head 1 the first half, head 2 the second. Wished for are both values, or with
    ``asked="parts"`` the first half of *cat* and the second half of *tired*. The read-out is the best on average over
    all values with independent numbers of one variance.

    * ``weights_first``, ``weights_second`` (8,): by word
    * ``values`` (2, 6): of *cat* and *tired*, entries from -1 to 1, drawn by ``seed``; ``wanted`` (2, 6): what is
      wished for of them, else 0; ``got`` (2, 6): what comes out for either wish
    * ``read_out`` (2, 2): the factor by wish and head, 0 for a head that is not used
    * ``missed_who``, ``missed_how``: of each wish in percent, on average over all values; ``missed``: of both together,
      their mean; ``least``: what no weights get it below
    * ``cost``: parameters, in units of one full head; ``on_cat_first``, ``on_cat_second``: the weight on *cat*, and
      ``apart``: how far both heads' weights differ, percent
    """
    reads = {"one": ((0,), (0,)), "half": ((0,), (1,)), "two": ((0, 1), (0, 1))}[heads]  # by half of a value
    wishes = ((0, 1), (0, 1)) if asked == "whole" else ((0,), (1,))  # which halves are wished for: who, how
    values = 2 * uniform(seed, np.arange(2)[:, None], np.arange(N_NUMBERS)) - 1
    rows = np.array([[100 - first, first], [100 - second, second]]) / 100
    weights = np.zeros((2, len(WORDS)))
    weights[:, NEEDED] = rows
    wanted, got, read_out, missed = np.zeros((2, N_NUMBERS)), np.zeros((2, N_NUMBERS)), np.zeros((2, 2)), [0.0, 0.0]
    for wish, halves in enumerate(wishes):
        for half in halves:
            numbers = PARTS[half]
            factors, left = best_read_out([rows[head] for head in reads[half]], wish)
            wanted[wish, numbers] = values[wish, numbers]
            for head, factor in zip(reads[half], factors, strict=True):
                read_out[wish, head] = factor
                got[wish, numbers] += factor * (rows[head] @ values[:, numbers])
            missed[wish] += 100 * left / len(halves)
    enough = heads == "two" or (heads == "half" and asked == "parts")
    return {
        "weights_first": weights[0],
        "weights_second": weights[1],
        "values": values,
        "wanted": wanted,
        "got": got,
        "read_out": read_out,
        "missed_who": missed[0],
        "missed_how": missed[1],
        "missed": (missed[0] + missed[1]) / 2,
        "least": 0.0 if enough else 50.0,
        "cost": 2.0 if heads == "two" else 1.0,
        "on_cat_first": 100.0 - first,
        "on_cat_second": 100.0 - second,
        "apart": float(abs(first - second)),
    }


class TwoWishesLab(Lab):
    """Split the weight of a head between two words that are both needed; then take two heads."""

    title = "Two wishes"
    formerly = ("two_places", "which_head", "removed_head")
    hint = ""
    sentence = "Missed: {missed_who:.0f} % of “cat”, {missed_how:.0f} % of “tired”, together {missed:.0f} %."
    names = {"words": WORDS, "asks": (WORDS[ASKS],)}
    columns = ("weights_first", "weights_second")
    row = "word"
    presets = {
        "one blend": {"heads": "one", "asked": "whole", "first": 50},
        "a head for each word": {"heads": "two", "asked": "whole", "first": 10, "second": 90},
        "both heads blend": {"heads": "two", "asked": "whole", "first": 40, "second": 60},
        "half size, half of each": {"heads": "half", "asked": "parts", "first": 5, "second": 95},
        "half size, both whole": {"heads": "half", "asked": "whole", "first": 5, "second": 95},
    }
    compute = staticmethod(compute)

    steps = (
        Step(
            "Together {missed:.0f} % is missed, however the weight is split. One head gives one blend: what it says "
            "about “cat” it cannot say about “tired”.",
            asks="“it” needs who (“cat”) and how (“tired”). Drag the head towards one of them. How much is missed "
            "together?",
            told_at={"first": 15},
            when=("heads == 'one'", "missed > 49.999", "missed < 50.001"),
            shows=("missed", "weights", "values"),
            narrow=3,
            controls=("first",),
        ),
        Step(
            "Nothing is missed, since the two blends differ. Two heads of full size cost twice as much as one.",
            asks="Now “it” has two heads. Drag them apart. How much is missed?",
            state={"heads": "two", "second": 50},
            moved=("apart > 0",),
            told_at={"first": 10, "second": 90},
            cases=(
                (
                    ("apart == 0", "missed > 49.999"),
                    "Both heads give the same blend, so half is missed as with one head. Drag them apart.",
                ),
            ),
            when=("missed < 0.001", "cost == 2", "apart > 0"),
            shows=("missed", "weights", "cost", "values"),
            narrow=3,
            controls=("first", "second"),
        ),
        Step(
            "Only {missed:.1f} % is missed, at the cost of one head: each half of the numbers has a place of its own.",
            asks="Two heads of half size cost as much as one, and half of each word is wanted. Drag them until less "
            "than 10 % is missed.",
            state={"heads": "half", "asked": "parts", "first": 5, "second": 50},
            moved=("missed < 10",),
            told_at={"second": 95},
            cases=(
                (
                    ("missed >= 10",),
                    "{missed:.0f} % is missed. Head 1 passes on the half that is wanted of “cat”, and head 2 the half "
                    "that is wanted of “tired”.",
                ),
            ),
            when=("missed < 10", "cost == 1", "least == 0"),
            shows=("missed", "weights", "cost", "values"),
            narrow=3,
            controls=("first", "second"),
        ),
        Step(
            "Nothing is missed as long as the two blends differ, because W_O takes them apart. So neither head has to "
            "be the head for “cat”.",
            asks="Each of two full heads looks at one word. Drag them nearly together. How much is missed?",
            state={"heads": "two", "first": 10, "second": 90},
            moved=("apart > 0", "apart <= 20"),
            told_at={"first": 40, "second": 60},
            cases=(
                (
                    ("apart == 0", "missed > 49.999"),
                    "Now both heads give the same blend, and half is missed: out of one blend W_O cannot make two "
                    "values.",
                ),
            ),
            when=("missed < 0.001", "apart > 0"),
            shows=("missed", "weights", "read-out"),
            narrow=3,
            controls=("first", "second"),
        ),
    )

    heads: Choice = Choice(default="one", options=HEADS, label="heads")
    asked: Choice = Choice(default="whole", options=ASKED, label="wanted of the two words")
    first: Integer = Integer(
        default=50,
        min=0,
        max=100,
        unit="% on tired",
        label="head 1: cat to tired",
        help="its weight on tired; the rest is on cat",
    )
    second: Integer = Integer(
        default=90,
        min=0,
        max=100,
        unit="% on tired",
        label="head 2: cat to tired",
        help="its weight on tired; the rest is on cat",
    )
    seed: Seed = Seed(default=2172, label="draw", help="which numbers the two values have")
