"""The clocks lab: positions as hands of clocks; two words move together, and the score stays or does not.

Twin: ``clocks_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths import explained_by_distance
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

N, D, CLOCKS = 32, 8, 4  # positions, length of a query and of a position vector, clocks of two components
BASE = 100.0  # the paper has 10000, with 256 clocks
FURTHEST = 12
STARTS = N - FURTHEST  # places of the query with room for the key
SCHEMES = {
    "added": "sinusoids, W",
    "bare": "sinusoids alone",
    "full": "words + sinusoids, W",
    "rotary": "words, W, rotary",
}
CLOCK_FACES = tuple(f"clock {clock + 1}" for clock in range(CLOCKS))
SPEEDS: Array = BASE ** (-np.arange(CLOCKS) / CLOCKS)
ANGLES: Array = np.outer(np.arange(N), SPEEDS)
SINUSOIDS: Array = np.stack([np.cos(ANGLES), np.sin(ANGLES)], -1).reshape(N, D)


def turned(vector: Array) -> Array:
    """(n, d): the vector (d,) with its pairs of components turned by the angles of each position."""
    one, other = vector[0::2], vector[1::2]
    cos, sin = np.cos(ANGLES), np.sin(ANGLES)
    return np.stack([cos * one - sin * other, sin * one + cos * other], -1).reshape(N, D)


def compute(*, scheme: str, position: int, distance: int, seed: int) -> Series:
    r"""Queries and keys of two words at all pairs of positions, as hands of four clocks, and their scores.

    Clock t turns by :math:`\omega_t = 100^{-t/4}` a position, t = 0..3 (Vaswani et al. 2017, section 3.5, with base
    10000). :math:`p_i` (8,) holds the cosine and sine of all :math:`\omega_t i`. Two words a, b (8,) and W_Q, W_K
    (8, 8) are drawn by ``seed``. Query at i and key at j are, by ``scheme``: ``"bare"`` :math:`p_i`, :math:`p_j`;
    ``"added"`` :math:`p_i W_Q`, :math:`p_j W_K`; ``"full"`` :math:`(a + p_i) W_Q`, :math:`(b + p_j) W_K`; ``"rotary"``
    a W_Q and b W_K, each pair of components turned by :math:`\omega_t i`, :math:`\omega_t j` (Su et al. 2021). Scores
    are divided by :math:`\sqrt 8`. The query is at ``position``, the key ``distance`` places after it.

    * ``query``, ``key`` (4, 2): the pair's hands, over the longest of a clock at any position; ``parts`` (4,): what
      each clock adds to the ``score``
    * ``along`` (20,): the score for the query at 0..19 and the same distance; ``lowest``, ``highest``, ``spread`` of
      it; ``by_distance`` (13,): for the query at ``position`` and a key 0..12 places after it
    * ``word_word``, ``word_position``, ``position_word``, ``position_position`` (20,): the four terms of ``"full"``,
      along; ``spread_words``: spread of the first, ``spread_others``: smallest spread of the others
    * ``scores`` (32, 32): of all pairs; ``explained``: percent of their variance that the distance alone explains;
      ``reach``: no score of this draw is larger in this scheme, nor a term
    """
    w_q, w_k = (normal(seed, stream, np.arange(D * D)).reshape(D, D) / np.sqrt(D) for stream in (0, 1))
    a, b = (normal(seed, stream, np.arange(D)) for stream in (2, 3))
    there, back = (SINUSOIDS @ w_q, SINUSOIDS @ w_k)
    pairs = {
        "added": (there, back),
        "bare": (SINUSOIDS, SINUSOIDS),
        "full": (a @ w_q + there, b @ w_k + back),
        "rotary": (turned(a @ w_q), turned(b @ w_k)),
    }
    scores = {name: q @ k.T / np.sqrt(D) for name, (q, k) in pairs.items()}
    words = np.full((N, N), a @ w_q @ (b @ w_k) / np.sqrt(D))
    to_key = np.broadcast_to(a @ w_q @ back.T / np.sqrt(D), (N, N))
    to_query = np.broadcast_to((there @ (b @ w_k) / np.sqrt(D))[:, None], (N, N))
    terms = [words, to_key, to_query, scores["added"]]
    starts = np.arange(STARTS)
    along = scores[scheme][starts, starts + distance]
    lines = [term[starts, starts + distance] for term in terms]
    queries, keys = (one.reshape(N, CLOCKS, 2) for one in pairs[scheme])
    query, key = queries[position], keys[position + distance]
    return {
        "query": query / np.hypot(queries[..., 0], queries[..., 1]).max(0)[:, None],
        "key": key / np.hypot(keys[..., 0], keys[..., 1]).max(0)[:, None],
        "parts": (query * key).sum(1) / np.sqrt(D),
        "score": along[position],
        "along": along,
        "by_distance": scores[scheme][position, position : position + FURTHEST + 1].copy(),
        "lowest": along.min(),
        "highest": along.max(),
        "spread": np.ptp(along),
        "word_word": lines[0],
        "word_position": lines[1],
        "position_word": lines[2],
        "position_position": lines[3],
        "spread_words": np.ptp(lines[0]),
        "spread_others": min(np.ptp(line) for line in lines[1:]),
        "scores": scores[scheme],
        "explained": 100 * explained_by_distance(scores[scheme]),
        "reach": np.ceil(max(np.abs(one).max() for one in (scores[scheme], *(terms if scheme == "full" else ())))),
    }


class ClocksLab(Lab):
    """Two words move together through a sentence: do the hands keep their angle, does the score stay?"""

    title = "Clocks lab"
    hint = ""
    sentence = (
        "Query at {position}, key {distance} after it: score {score:.2f}; moved together, {lowest:.2f} to "
        "{highest:.2f}. Distance explains {explained:.0f} % over all pairs."
    )
    columns = ("along", "word_word", "word_position", "position_word", "position_position")
    compute = staticmethod(compute)
    steps = (
        Step(
            "While both words move, {distance} apart, the score stays {score:.2f}: the two hands of a clock turn by "
            "the same angle, so the angle between them stays.",
            asks="The position of a word turns the hands of its query or key. Drag the query, and the key goes with "
            "it. Does the score change?",
            shows=("places", *CLOCK_FACES, "sum", "along"),
            narrow=7,
            controls=("position", "distance"),
            moved=("position > 5",),
            told_at={"position": 14},
            when=("scheme == 'rotary'", "spread < 0.000001"),
        ),
        Step(
            "It changes: while both words move, {distance} apart, it runs from {lowest:.1f} to {highest:.1f}. The "
            "random matrices mix the hands, and the angles between them do not stay.",
            asks="Now the positions are sines and cosines that stand before random W_Q and W_K, without any word. "
            "Drag the query again. Does the score change?",
            state={"scheme": "added"},
            shows=("places", *CLOCK_FACES, "sum", "along"),
            narrow=7,
            controls=("position", "distance"),
            moved=("position > 5",),
            told_at={"position": 14},
            when=("scheme == 'added'", "spread > 0.3"),
        ),
        Step(
            "With sinusoids alone it stays {score:.2f} while both words move: the product of two position vectors is "
            "a sum of cosines of their distance.",
            asks="Take the two random matrices away: choose “sinusoids alone”. Does the score change when you drag the "
            "query?",
            state={"scheme": "added"},
            shows=("places", "along", *CLOCK_FACES),
            narrow=2,
            controls=("scheme", "position", "distance"),
            moved=("scheme == 'bare'", "position > 5"),
            told_at={"scheme": "bare", "position": 14},
            cases=(
                (
                    ("scheme == 'rotary'",),
                    "With rotary positions it stays {score:.2f} while both words move, although random matrices are "
                    "there: the hands turn after them.",
                ),
                (
                    ("scheme == 'added'",),
                    "With random W_Q and W_K it changes while both words move, from {lowest:.1f} to {highest:.1f}.",
                ),
                (
                    ("scheme == 'full'",),
                    "With words and random W_Q and W_K it changes while both words move, from {lowest:.1f} to "
                    "{highest:.1f}.",
                ),
            ),
            when=("scheme == 'bare'", "spread < 0.000001"),
        ),
        Step(
            "Only word · word stays. The three terms with a position change, so the score runs from {lowest:.1f} to "
            "{highest:.1f}.",
            asks="In a model a word stands beside each position, so the score is a sum of four terms: the four small "
            "dots. Drag the query. Which of them stays?",
            state={"scheme": "full"},
            shows=("places", "along"),
            narrow=2,
            controls=("position", "distance"),
            moved=("position > 5",),
            told_at={"position": 14},
            when=("scheme == 'full'", "spread_words < 0.000001", "spread_others > 0.1", "spread > 0.1"),
        ),
        Step(
            "This key is {distance} places away and scores {score:.2f}. A rotary score need not fall with the "
            "distance: the two words decide at which distance it is highest.",
            asks="Back to rotary positions. Do near keys score higher? Drag the key, and find one more than 5 places "
            "away whose score is above 0.6.",
            shows=("places", "by distance", *CLOCK_FACES),
            narrow=2,
            controls=("distance",),
            moved=("distance > 5", "score > 0.6"),
            told_at={"distance": 9},
            cases=(
                (
                    ("distance <= 5",),
                    "This key is {distance} {distance:place|places} away and scores {score:.2f}. A key farther than 5 "
                    "places away scores more than 0.6.",
                ),
                (
                    ("score <= 0.6",),
                    "This key is {distance} places away and scores {score:.2f}. Another key farther than 5 places away "
                    "scores more than 0.6.",
                ),
            ),
            when=("scheme == 'rotary'", "distance > 5", "score > 0.6"),
        ),
        Step(
            "Each diagonal has one colour, because the distance explains {explained:.0f} % of the variance of the "
            "scores.",
            asks="All pairs at once: a row for each query, a column for each key. Choose another scheme, and find one "
            "in which each diagonal has one colour.",
            state={"scheme": "full"},
            shows=("scores",),
            controls=("scheme",),
            moved=("explained > 99.9",),
            told_at={"scheme": "rotary"},
            cases=(
                (
                    ("explained < 99.9",),
                    "Here a diagonal has many colours, because the distance explains only {explained:.0f} % of the "
                    "variance of the scores. Two of the other schemes have one colour in each.",
                ),
            ),
            when=("explained > 99.9999",),
        ),
    )

    scheme: Choice = Choice(default="rotary", options=SCHEMES, label="query and key: W is W_Q, W_K")
    position: Integer = Integer(default=2, min=0, max=STARTS - 1, label="both move: query at")
    distance: Integer = Integer(default=3, min=0, max=FURTHEST, label="key after it by")
    seed: Seed = Seed(default=44, label="draw", help="of both words, W_Q and W_K")
