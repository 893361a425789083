"""The clocks lab: positions as hands of clocks; two words move together, and the score stays or does not.

Twin: ``clocks_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Over, Seed, Step
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
      it
    * ``word_word``, ``word_position``, ``position_word``, ``position_position`` (20,): the four terms of ``"full"``,
      along; ``spread_words``: spread of the first, ``spread_others``: smallest spread of the others
    * ``scores`` (32, 32): of all pairs; ``explained``: percent of their variance that the distance alone explains;
      ``reach``: no score of this draw is larger in this
      scheme, nor a term
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
    sentence = (
        "Query at {position}, key {distance} after it: score {score:.2f}; moved together, {lowest:.2f} to "
        "{highest:.2f}. Distance explains {explained:.0f} % over all pairs."
    )
    columns = ("along", "word_word", "word_position", "position_word", "position_position")
    compute = staticmethod(compute)
    steps = (
        Step(
            "Rotary positions turn query and key. Move both, {distance} apart: the angles between the hands stay, and "
            "so does the score.",
            shows=("places", "along", *CLOCK_FACES),
            narrow=4,
            controls=("position", "distance"),
            when=("scheme == 'rotary'", "spread < 0.000001"),
            over=Over(near=({"distance": 0}, {"distance": 6}, {"distance": 12})),
        ),
        Step(
            "Sinusoids added to the input, seen through random W_Q and W_K: move both, and the score runs from "
            "{lowest:.1f} to {highest:.1f}.",
            state={"scheme": "added"},
            shows=("places", "along", *CLOCK_FACES),
            narrow=4,
            controls=("position", "distance"),
            when=("spread > 0.3", "explained < 50"),
            over=Over(near=({"distance": 0}, {"distance": 6}, {"distance": 12})),
        ),
        Step(
            "Without the two matrices sinusoids keep their angles, and the score stays {score:.2f}.",
            state={"scheme": "bare"},
            shows=("places", "along", *CLOCK_FACES),
            narrow=4,
            controls=("position", "distance"),
            when=("spread < 0.000001", "explained > 99.9999"),
            over=Over(seeds=0, near=({"distance": 0}, {"distance": 1}, {"distance": 7}, {"distance": 12})),
        ),
        Step(
            "Words and sinusoids make four terms. Word · word stays; the three with a position move.",
            state={"scheme": "full"},
            shows=("along",),
            controls=("position", "distance"),
            when=("spread_words < 0.000001", "spread_others > 0.1"),
            over=Over(near=({"distance": 0}, {"distance": 6}, {"distance": 12})),
        ),
        Step(
            "A rotary score need not fall with distance. Find a key more than 5 places away whose score is above 0.6.",
            state={"distance": 3},
            shows=("places", "along", *CLOCK_FACES),
            narrow=4,
            controls=("distance",),
            goal=("scheme == 'rotary'", "distance > 5", "score > 0.6"),
            solution={"distance": 9},
            learned="Words set where a rotary score is highest: near, or far.",
        ),
        Step(
            "All pairs at once. With rotary positions each diagonal has one colour: distance explains {explained:.0f} "
            "% of the variance.",
            shows=("scores", "along"),
            controls=("scheme", "seed"),
            when=("scheme == 'rotary'", "explained > 99.9999"),
        ),
    )

    scheme: Choice = Choice(default="rotary", options=SCHEMES, label="query and key: W is W_Q, W_K")
    position: Integer = Integer(default=6, min=0, max=STARTS - 1, label="both move: query at")
    distance: Integer = Integer(default=3, min=0, max=FURTHEST, label="key after it by")
    seed: Seed = Seed(default=44, label="draw", help="of both words, W_Q and W_K")
