r"""The lookup task of ``retrieval``, learned by a head whose scores are additive: a^T tanh(q + k).

World, W_Q, W_K, W_V and batches are those of ``retrieval.train`` at the same seed and d_k, so that runs compare one by
one. The vector a (d_k,) starts normal, with variance 1 ("one") or 1/d_k ("fan_in"), from a generator of its own.

``additive`` has three seeds and the rates of ``training``. ``additive_rates`` has both scores, scaled (the dot product
divided by sqrt(d_k), a from variance 1/d_k), with ten seeds and a rate of its own for W_V.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whyformer.evidence import retrieval
from whyformer.evidence.retrieval import D_X, N_SYMBOLS, STEPS, THRESHOLD, Batch, World
from whyformer.maths import entropy, softmax_vjp
from whyformer.maths.softmax import Array, Integers

STARTS, D_K, RATES, SEEDS = ("one", "fan_in"), (16, 64, 256), retrieval.RATES, (0, 1, 2)
# Of ``additive_rates``: scores, rates of W_Q, W_K and a, rates of W_V, seeds and steps
SCORES, BEST_RATES, OF_V = ("dot", "additive"), (0.0025, 0.005, 0.01, 0.02, 0.04), (0.02, 0.04, 0.08, 0.16)
TEN, ALLOWED = tuple(range(10)), 200
HALF = len(TEN) // 2 + 1  # so many runs that do not arrive, and neither does the median


class Head(NamedTuple):
    """The parameters of the head, or a gradient at them."""

    q: Array  # W_Q (d_x, d_k)
    k: Array  # W_K (d_x, d_k)
    v: Array  # W_V (d_x, n_values)
    a: Array  # (d_k,)


class Step(NamedTuple):
    """What one batch gives: loss in nats, gradient, entropy."""

    loss: float
    gradient: Head
    entropy: float  # mean over the rows, nats


def _by_symbol(symbols: Integers, values: Array) -> Array:
    """Sums (n_symbols, d_k) of the rows of ``values`` (rows, d_k) that have the same symbol."""
    return np.eye(N_SYMBOLS)[symbols].T @ values


def step(head: Head, there: World, b: Batch) -> Step:
    """Loss and gradient of one batch, written out."""
    asked = b.keys[np.arange(len(b.asked)), b.asked]
    queries = np.sqrt(2) * there.keys @ head.q  # (n_keys, d_k): the query for each key
    keys = (there.keys @ head.k)[b.keys] + (there.values @ head.k)[b.values]  # (batch, n_positions, d_k)
    terms = np.tanh(queries[asked][:, None] + keys)
    scores = terms @ head.a
    weights = retrieval.row_softmax(scores)
    loss, at_weights, d_v = retrieval.answered(head.v, there, b, weights)
    at_scores = softmax_vjp(scores, at_weights)
    d_a = np.einsum("bj,bjt->t", at_scores, terms)
    at_sums = at_scores[..., None] * head.a * (1 - terms**2)
    d_q = np.sqrt(2) * there.keys.T @ _by_symbol(asked, at_sums.sum(1))
    rows = at_sums.reshape(-1, len(head.a))
    d_k = there.keys.T @ _by_symbol(b.keys.ravel(), rows) + there.values.T @ _by_symbol(b.values.ravel(), rows)
    return Step(loss, Head(d_q, d_k, d_v, d_a), float(entropy(weights).mean()))


def start_of(d_k: int, start: str, seed: int) -> tuple[Head, np.random.Generator]:
    """The first parameters, and the generator that draws the batches."""
    generator = np.random.default_rng([seed, d_k])
    q, k, v = (generator.standard_normal((D_X, n)) / np.sqrt(D_X) for n in (d_k, d_k, N_SYMBOLS))
    a = np.random.default_rng([seed, d_k, 1]).standard_normal(d_k)
    return Head(q, k, v, a / np.sqrt(d_k) if start == "fan_in" else a), generator


def train(
    d_k: int, start: str, rate: float, seed: int, steps: int = STEPS, of_v: float | None = None
) -> tuple[int | None, float]:
    """Train one head by Adam: the first step at which the running loss is below THRESHOLD, and the running loss.

    ``of_v`` is the rate of W_V if it is another. A run stops where it arrives. None: it does not in ``steps`` steps.
    """
    rates = (rate, rate, of_v or rate, rate)  # in the order of Head
    there = retrieval.world(np.random.default_rng([seed]))
    head, generator = start_of(d_k, start, seed)
    first, second = (Head(*(np.zeros_like(p) for p in head)) for _ in range(2))
    running = None
    for t in range(1, steps + 1):
        now = step(head, there, retrieval.batch(generator))
        running = now.loss if running is None else 0.9 * running + 0.1 * now.loss
        if running < THRESHOLD:
            return t, running
        first = Head(*(0.9 * m + 0.1 * g for m, g in zip(first, now.gradient, strict=True)))
        second = Head(*(0.999 * s + 0.001 * g * g for s, g in zip(second, now.gradient, strict=True)))
        moves = (r * retrieval.adam(m, g2, t) for r, m, g2 in zip(rates, first, second, strict=True))
        head = Head(*(p - move for p, move in zip(head, moves, strict=True)))
    return None, float("nan") if running is None else running


def named_run(job: tuple[int, str, float, int]) -> tuple[str, int | None]:
    """When one run arrives, under the name it has in the data file: "d_k start rate seed"."""
    d_k, start, rate, seed = job
    return f"{d_k} {start} {rate:g} {seed}", train(d_k, start, rate, seed)[0]


def arrival(score: str, d_k: int, rate: float, of_v: float, seed: int) -> int | None:
    """When one run with scaled scores arrives; None: not in ALLOWED steps."""
    if score == "additive":
        return train(d_k, "fan_in", rate, seed, ALLOWED, of_v)[0]
    faster = (1, 1, of_v / rate)
    return retrieval.train(d_k, "sqrt", rate, seed, ALLOWED, faster=faster, until_arrived=True).arrived


def arrivals(job: tuple[str, int, float, float]) -> tuple[str, list[int | None]]:
    """When the runs of a score arrive, by seed, under the name "score d_k rate rate_of_v".

    After HALF that do not arrive the seeds that are left are not run.
    """
    score, d_k, rate, of_v = job
    found: list[int | None] = []
    for seed in TEN:
        if found.count(None) < HALF:
            found.append(arrival(score, d_k, rate, of_v, seed))
    return f"{score} {d_k} {rate:g} {of_v:g}", found
