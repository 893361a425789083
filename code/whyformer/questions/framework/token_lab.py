"""The token lab: one word from end to end through one layer with d_model = 4, every number in sight.

Twin: ``token_lab.ts``.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from whyformer.lab import Choice, Integer, Lab, Number, Over, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array, softmax
from whyformer.model.layers import FeedForward, LayerNorm, Linear, MultiHead, positions

D_MODEL, D_FF, N_PLACES = 4, 8, 3
WORDS = ("dog", "bites", "man", "cat", "sees", "the")


class Weights(NamedTuple):
    """One layer of an encoder with one head, and the table of the words."""

    table: Array  # (6, 4)
    attention: MultiHead
    feed: FeedForward


@cache
def weights(seed: int) -> Weights:
    """Drawn by ``seed``: normal, the table with variance 1/4, matrices with variance 1/4, W_1 and W_2 with 2/d_in."""
    streams = iter(range(99))

    def matrix(rows: int, columns: int, variance: float) -> Array:
        return np.sqrt(variance) * normal(seed, next(streams), np.arange(rows * columns)).reshape(rows, columns)

    table = matrix(len(WORDS), D_MODEL, 1 / D_MODEL)
    q, k, v, o = (Linear(matrix(D_MODEL, D_MODEL, 1 / D_MODEL)) for _ in range(4))
    feed = FeedForward(Linear(matrix(D_MODEL, D_FF, 2 / D_MODEL)), Linear(matrix(D_FF, D_MODEL, 2 / D_FF)))
    return Weights(table, MultiHead(1, q, k, v, o), feed)


def cosine(a: Array, b: Array) -> float:
    """Of the angle between two vectors."""
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def compute(*, first: str, second: str, third: str, token: int, divisor: str, w_q: float, seed: int) -> Series:
    r"""Three words through one post-norm layer of an encoder, with one head of :math:`d_k = d_{model} = 4`.

    Words ``first``, ``second`` and ``third`` stand at places 1 to 3; ``token`` is the place that is followed, i. Scores
    are :math:`q_i \cdot k_j / c` with c = ``divisor``, 2 or 1; W_Q is multiplied by ``w_q``; weights are drawn by
    ``seed``. Rows of matrices are places.

    * ``lookup`` (3, 4): rows of the table, times 2; ``position`` (3, 4); ``x`` (3, 4): their sum
    * ``q``, ``k``, ``v`` (3, 4); ``dots`` (3,): :math:`q_i \cdot k_j`; ``scores`` (3,): divided; ``weights`` (3,)
    * ``fetched`` (4,): the mean of the values; ``projected`` (4,): times W_O; ``summed`` (4,): plus :math:`x_i`;
      ``normed`` (4,): after LayerNorm
    * ``hidden`` (8,): :math:`\max(0, \cdot W_1)`; ``fed`` (4,): times W_2; ``total`` (4,): plus what came in; ``out``
      (4,): after LayerNorm
    * ``logits`` (6,): with each row of the table; ``probabilities`` (6,)
    * ``apart``: distance of :math:`x_i` from the same word at another place (1, or 2 if it stands at 1); ``alike``:
      cosine of query and key of the token; ``largest``: weight; ``kept``: cosine of ``summed`` and :math:`x_i`;
      ``silent``: hidden numbers that are 0; ``likeliest``: probability
    """
    layer, i = weights(seed), token - 1
    ids = [WORDS.index(word) for word in (first, second, third)]
    lookup, position = np.sqrt(D_MODEL) * layer.table[ids], positions(N_PLACES, D_MODEL)
    x = lookup + position
    attention = layer.attention._replace(
        q=layer.attention.q._replace(weight=w_q * layer.attention.q.weight), divisor=1.0 if divisor == "1" else None
    )
    heads = attention.heads(x, x)
    q, k, v = heads.q[0], heads.k[0], heads.v[0]
    dots = k @ q[i]
    norm = LayerNorm(np.ones(D_MODEL), np.zeros(D_MODEL))
    projected = attention.o(heads.output[0, i])
    summed = x[i] + projected
    normed = norm(summed)
    hidden = np.maximum(0, layer.feed.up(normed))
    fed = layer.feed.down(hidden)
    out = norm(normed + fed)
    logits = layer.table @ out
    elsewhere = lookup[i] + position[1 if i == 0 else 0]
    return {
        "lookup": lookup,
        "position": position,
        "x": x,
        "q": q,
        "k": k,
        "v": v,
        "dots": dots,
        "scores": dots / (1 if divisor == "1" else np.sqrt(D_MODEL)),
        "weights": heads.weights[0, i],
        "fetched": heads.output[0, i],
        "projected": projected,
        "summed": summed,
        "normed": normed,
        "hidden": hidden,
        "fed": fed,
        "total": normed + fed,
        "out": out,
        "logits": logits,
        "probabilities": softmax(logits),
        "apart": float(np.sqrt(((x[i] - elsewhere) ** 2).sum())),
        "alike": cosine(q[i], k[i]),
        "largest": heads.weights[0, i].max(),
        "kept": cosine(summed, x[i]),
        "silent": float((hidden == 0).sum()),
        "likeliest": softmax(logits).max(),
    }


def word(default: str, place: str) -> Choice:
    """A choice among the words, for one place."""
    return Choice(default, options={one: one for one in WORDS}, label=place)


class TokenLab(Lab):
    """One word on its way through a layer: every number, and where it came from."""

    title = "Token lab"
    hint = ""
    sentence = (
        "The word at place {token} of “{first} {second} {third}”: its largest weight is {largest:.0%}, its likeliest "
        "word has {likeliest:.0%}."
    )
    columns = ("dots", "scores", "weights")
    row = "place"
    compute = staticmethod(compute)

    steps = (
        Step(
            "A word becomes four numbers: its row of a table, times √4, plus a vector for its place. At another place "
            "the same word would lie {apart:.2f} away.",
            shows=("input",),
            controls=("second", "token"),
            when=("apart > 0.5",),
            over=Over(seeds=20, near=({"token": 1}, {"token": 3}, {"second": "cat"})),
        ),
        Step(
            "Three matrices make of it a query, a key and a value. Query and key of one word need not be alike: here "
            "their cosine is {alike:.2f}.",
            shows=("projections",),
            controls=("token",),
            when=("alike < 0.9",),
        ),
        Step(
            "The word asks: its query times each key, divided by √4. A softmax makes weights of these scores, and the "
            "largest is {largest:.0%}.",
            shows=("scores",),
            controls=("token", "divisor"),
            when=("largest > 0.34", "divisor == 'sqrt'"),
        ),
        Step(
            "The weights mix the values, W_O turns the mixture, and the word's own numbers are added. They stay in "
            "sight: the cosine of the sum with them is {kept:.2f}, and above 0.5 in at least 85 % of all draws.",
            shows=("attention",),
            controls=("token", "divisor"),
            when=("kept > 0.5",),
            over=Over(seeds=100, near=({"token": 1}, {"token": 3}), share=0.85),
        ),
        Step(
            "The feed-forward network works on this word alone. Eight numbers, of which it cuts {silent:.0f} to 0, and "
            "four again, added to what came in.",
            shows=("hidden", "feed-forward"),
            controls=("token",),
            when=("silent > 0.5", "silent < 7.5"),
        ),
        Step(
            "What comes out is compared with each row of the table: a logit for each word. The likeliest gets "
            "{likeliest:.0%}.",
            shows=("logits",),
            controls=("token",),
            when=("likeliest > 0.17",),
        ),
    )

    first = word("dog", "word 1")
    second = word("bites", "word 2")
    third = word("man", "word 3")
    token: Integer = Integer(default=2, min=1, max=3, label="follow word")
    divisor: Choice = Choice(default="sqrt", options={"sqrt": "÷ √4", "1": "not divided"}, label="scores")
    w_q: Number = Number(default=1.0, min=0.1, max=10.0, step=0.1, label="W_Q times")
    seed: Seed = Seed(default=5, label="draw", help="which random weights")
