"""The balance lab: a word and its position are added; which of the two does the sum still show?

Twin: ``balance_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array
from whyformer.model.layers import positions as sines

TEXT = "the more the dog ran the more the cat ran".split()
WORDS = list(dict.fromkeys(TEXT))
IDS = np.array([WORDS.index(word) for word in TEXT])
N = len(TEXT)
FIRST, SECOND = np.triu_indices(N, 1)  # every pair of places once
APART = SECOND - FIRST
SAME = IDS[FIRST] == IDS[SECOND]
LEARNED = 100  # stream of the first learned position; word w is stream w
WIDTHS = [128, 256, 384, 512, 768, 1024]
SPREADS = {"small": "0.02", "root": "1 / √d_model", "one": "1"}


def spread_of(spread: str, d_model: int) -> float:
    """The standard deviation with which the entries of a table are drawn."""
    return {"small": 0.02, "root": d_model**-0.5, "one": 1.0}[spread]


def cosines(one: Array, other: Array) -> Array:
    """Cosine of each row of ``one`` (n, d) with the same row of ``other`` (n, d): (n,)."""
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return (one * other).sum(1) / lengths


def by_distance(values: Array) -> Array:
    """(n, n) to (n,): the mean over all pairs of places that are 0, 1, ... n - 1 apart."""
    return np.array([np.diagonal(values, apart).mean() for apart in range(N)])


def compute(*, spread: str, multiplier: str, positions: str, norm: str, d_model: int, seed: int) -> Series:
    r"""The sum :math:`x = m\,E_w + p` of a word's row and a position, for a sentence of n = 10 tokens with 5 words.

    The table E has normal entries with standard deviation ``spread`` ("root": :math:`1/\sqrt{d_{model}}`), drawn by
    ``seed``; m is 1 or :math:`\sqrt{d_{model}}` (``multiplier="on"``); ``positions`` are sines or drawn like the
    table and not multiplied. With ``norm="on"`` a LayerNorm follows. It divides by a length, which turns nothing, and
    before that takes away the mean; so the parts of the sum are then word and position without their means. Vectors
    have length ``d_model``.

    * ``word_lengths``, ``position_lengths`` (10,): of the parts, by token; ``to_word``, ``to_position`` (10,): cosine
      of the sum with each part; ``word``, ``position``: mean length; ``word_angle``, ``position_angle``: mean angle
      of the sum with its part, in degrees
    * ``similarity`` (10, 10): cosines of the sums; of the 45 pairs: ``apart`` (45,) how many places, ``same`` (45,) 1
      if they have one word, ``cosine`` (45,)
    * ``law_same``, ``law_other`` (10,): the cosine of two tokens with one word, and with two, that are 0, 1, ... 9
      places apart, expected over tables
    * ``share``: what part of the sum's squared length is the position's, expected, in percent
    * ``neighbours``: mean cosine of neighbours, which have different words; ``again``: of tokens with one word at least
      five apart; ``spots``: the least cosine of two tokens with one word, minus the largest of two with different words
    """
    std = spread_of(spread, d_model)
    m = np.sqrt(d_model) if multiplier == "on" else 1.0
    entry = np.arange(d_model)
    words = (m * std * normal(seed, np.arange(len(WORDS))[:, None], entry))[IDS]
    if positions == "sine":
        places = sines(N, d_model)
    else:
        places = std * normal(seed, LEARNED + np.arange(N)[:, None], entry)
    lost = 0
    if norm == "on":
        words = words - words.mean(1, keepdims=True)
        places = places - places.mean(1, keepdims=True)
        lost = 1
    x = words + places
    word_lengths, position_lengths = np.linalg.norm(words, axis=1), np.linalg.norm(places, axis=1)
    to_word, to_position = cosines(x, words), cosines(x, places)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    similarity = unit @ unit.T
    cosine = similarity[FIRST, SECOND]

    of_word = (m * std) ** 2 * (d_model - lost)  # squared length, expected
    if positions == "sine":
        products = places @ places.T
    else:
        products = std**2 * (d_model - lost) * np.eye(N)
    own = of_word + np.diag(products)
    between = np.sqrt(own[:, None] * own)
    degrees = 180 / np.pi
    return {
        "word_lengths": word_lengths,
        "position_lengths": position_lengths,
        "to_word": to_word,
        "to_position": to_position,
        "similarity": similarity,
        "apart": APART.astype(float),
        "same": SAME.astype(float),
        "cosine": cosine,
        "law_same": by_distance((of_word + products) / between),
        "law_other": by_distance(products / between),
        "word": word_lengths.mean(),
        "position": position_lengths.mean(),
        "word_angle": degrees * np.arccos(to_word).mean(),
        "position_angle": degrees * np.arccos(to_position).mean(),
        "share": 100 * (np.diag(products) / own).mean(),
        "neighbours": cosine[APART == 1].mean(),
        "again": cosine[SAME & (APART >= 5)].mean(),
        "spots": cosine[SAME].min() - cosine[~SAME].max(),
    }


class BalanceLab(Lab):
    """A word's row and a position are added: which of the two does the sum still show?"""

    title = "Balance lab"
    hint = ""
    sentence = (
        "A word is {word:.3g} long, a position {position:.3g}, or {share:.1f} % of the sum's squared length. "
        "Cosine of neighbours {neighbours:.2f}, of one word far apart {again:.2f}."
    )
    columns = ("word_lengths", "position_lengths", "to_word", "to_position")
    row = "token"
    compute = staticmethod(compute)

    steps = (
        Step(
            "Without the factor the position accounts for {share:.1f} % of the sum's squared length. The squares mark "
            "the pairs with the same word: by their cosine, no pair stands out any more.",
            asks="Multiply the words by 1. How much of the sum is the word then, and do the pairs with the same word "
            "still stand out?",
            told_at={"multiplier": "off"},
            cases=(
                (
                    ("multiplier == 'on'",),
                    "With the factor a word is {word:.0f} long and its position {position:.0f}, so the position "
                    "accounts for {share:.0f} % of the sum's squared length, and the pairs with the same word stand "
                    "out.",
                ),
            ),
            shows=("similarity", "parts"),
            narrow=2,
            controls=("multiplier",),
            when=("multiplier == 'off'", "spots < 0", "word < 1.3", "position > 15.9", "share > 99"),
        ),
        Step(
            "A word is now {word:.1f} long and its position {position:.1f}, so the position accounts for {share:.0f} % "
            "of the sum's squared length, at every width.",
            asks="Without the factor no pair with the same word stands out. Leave the table as it is, and make these "
            "pairs stand out again. Does the width help?",
            state={"multiplier": "off"},
            moved=("spots > 0",),
            told_at={"multiplier": "on"},
            cases=(
                (
                    ("multiplier == 'off'",),
                    "At width {d_model} a word without the factor is {word:.1f} long and its position {position:.0f}. "
                    "A larger width makes only the position longer.",
                ),
            ),
            shows=("similarity", "parts"),
            narrow=2,
            controls=("multiplier", "d_model"),
            when=("multiplier == 'on'", "share > 30", "share < 36"),
        ),
        Step(
            "No: neighbours, which are different words, have a cosine of {neighbours:.2f}, and one word five or more "
            "places on has {again:.2f}. To a fresh layer the sum says where a token stands, and hardly which it is.",
            asks="Each dot is a pair of tokens. Multiply the words by 1. Is a word still more like itself far away "
            "than like its neighbours?",
            moved=("multiplier == 'off'",),
            told_at={"multiplier": "off"},
            cases=(
                (
                    ("multiplier == 'on'",),
                    "With the factor one word five or more places on has a cosine of {again:.2f}, and neighbours have "
                    "{neighbours:.2f}.",
                ),
            ),
            shows=("distance",),
            controls=("multiplier",),
            when=("multiplier == 'off'", "neighbours > 0.9", "neighbours > 1.1 * again"),
        ),
        Step(
            "No: it divides word and position by one number, and the position still accounts for {share:.1f} %. A "
            "trained matrix can take the words out of such a sum; a LayerNorm cannot.",
            asks="The words are not multiplied. Put a LayerNorm after the sum. Does it bring the words back?",
            state={"multiplier": "off"},
            moved=("norm == 'on'",),
            told_at={"norm": "on"},
            cases=(
                (
                    ("norm == 'off'",),
                    "Before a LayerNorm the position accounts for {share:.1f} % of the sum's squared length.",
                ),
            ),
            shows=("similarity", "parts"),
            narrow=2,
            controls=("norm",),
            when=("norm == 'on'", "share > 98", "spots < 0"),
        ),
        Step(
            "Not here: positions that are drawn like the words account for half, whatever the spread. Then both are "
            "equally long without any factor.",
            asks="Now positions are drawn like the words, as learned ones are at their start, and the words are "
            "multiplied. Multiply them by 1. Is the factor needed?",
            state={"spread": "small", "positions": "learned"},
            moved=("multiplier == 'off'",),
            told_at={"multiplier": "off"},
            cases=(
                (
                    ("multiplier == 'on'",),
                    "With the factor positions that are drawn like words account for {share:.1f} % of the sum's "
                    "squared length: now the positions are hard to see.",
                ),
            ),
            shows=("similarity", "parts"),
            narrow=2,
            controls=("multiplier",),
            when=("share >= 50", "share <= 50", "spots > 0"),
        ),
    )

    multiplier: Choice = Choice(default="on", options={"off": "1", "on": "√d_model"}, label="multiply words by")
    spread: Choice = Choice(
        default="root", options=SPREADS, label="spread of the table", help="standard deviation of its entries"
    )
    positions: Choice = Choice(
        default="sine", options={"sine": "sines", "learned": "drawn like words"}, label="positions"
    )
    norm: Choice = Choice(default="off", options={"off": "nothing", "on": "LayerNorm"}, label="after the sum")
    d_model: Listed = Listed(default=512, values=WIDTHS, label="d_model")
    seed: Seed = Seed(default=3, label="draw", help="which random table")
