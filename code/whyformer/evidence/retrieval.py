r"""Training with and without the scale: one attention head learns to look up a value by its key.

The task. There are 64 keys and 64 values, each a fixed random vector of d_x = 128 numbers with variance 1/2. A sequence
has 32 positions; position j carries x_j = key a_j + value b_j, keys without repetition. The query is sqrt(2) times one
of the keys, and the answer is the value that stands with it. The head: q = W_Q^T query, k_j = W_K^T x_j, weights =
softmax(q.k / divisor), logits = sum over j of weight_j W_V^T x_j, one for each value; loss: cross-entropy in nats,
ln 64 = 4.16 for a guess. W_Q, W_K (128, d_k) and W_V (128, 64) start normal with variance 1/128, so that q and k have
components of variance 1; trained by Adam (Kingma and Ba 2015), batches of 64 sequences, at most 1500 steps.

Since x_j is a sum of two of 128 fixed vectors, every score is a sum of two entries of a small table, and so is every
logit; the gradient goes back the same way. Nothing is approximated by that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whyformer.maths import entropy, softmax_vjp
from whyformer.maths.softmax import Array, Integers

N_SYMBOLS, N_POSITIONS, D_X, BATCH, STEPS, THRESHOLD = 64, 32, 128, 64, 1500, 1.0
D_K, DIVISORS = (16, 64, 256, 512), ("1", "sqrt", "d_k")
RATES, SEEDS = (3e-4, 1e-3, 3e-3, 1e-2), (0, 1, 2, 3, 4)
RECORDED = tuple(int(s) for s in np.unique(np.geomspace(1, STEPS, 20).round()))  # steps whose state is kept


class Head(NamedTuple):
    """The parameters of the head, or a gradient at them."""

    q: Array  # W_Q (d_x, d_k)
    k: Array  # W_K (d_x, d_k)
    v: Array  # W_V (d_x, n_values)


class Batch(NamedTuple):
    """Sequences as numbers of their keys and values."""

    keys: Integers  # (batch, n_positions) which key stands where
    values: Integers  # (batch, n_positions)
    asked: Integers  # (batch,) the position whose key is asked for


class World(NamedTuple):
    """The fixed vectors that keys and values are."""

    keys: Array  # (n_keys, d_x)
    values: Array  # (n_values, d_x)


def world(generator: np.random.Generator) -> World:
    """Vectors with entries of variance 1/2."""
    return World(*(generator.standard_normal((2, N_SYMBOLS, D_X)) / np.sqrt(2)))


def batch(generator: np.random.Generator) -> Batch:
    """BATCH sequences, each with keys without repetition and one of them asked for."""
    keys = generator.permuted(np.tile(np.arange(N_SYMBOLS), (BATCH, 1)), axis=1)[:, :N_POSITIONS]
    return Batch(keys, generator.integers(N_SYMBOLS, size=keys.shape), generator.integers(N_POSITIONS, size=BATCH))


class Step(NamedTuple):
    """What one batch gives: loss in nats, gradient, entropy."""

    loss: float
    gradient: Head
    entropy: float  # mean over the rows, nats


def step(head: Head, there: World, b: Batch, divisor: float, back: float = 1) -> Step:
    """Loss and gradient of one batch, written out.

    back: the gradient passes the softmax Jacobian of ``back`` times the scores; 1 is the true one.
    """
    rows = np.arange(len(b.asked))
    asked = b.keys[rows, b.asked]
    queries = np.sqrt(2) * there.keys @ head.q  # (n_keys, d_k): the query for each key
    key_part, value_part = there.keys @ head.k, there.values @ head.k
    table_keys, table_values = queries @ key_part.T / divisor, queries @ value_part.T / divisor
    scores = table_keys[asked[:, None], b.keys] + table_values[asked[:, None], b.values]  # (batch, n_positions)
    weights = row_softmax(scores)
    loss, at_weights, d_v = answered(head.v, there, b, weights)
    at_scores = softmax_vjp(back * scores, at_weights) / divisor
    d_table_keys, d_table_values = np.zeros((2, N_SYMBOLS, N_SYMBOLS))
    np.add.at(d_table_keys, (asked[:, None], b.keys), at_scores)
    np.add.at(d_table_values, (asked[:, None], b.values), at_scores)
    d_queries = d_table_keys @ key_part + d_table_values @ value_part
    d_q = np.sqrt(2) * there.keys.T @ d_queries
    d_k = there.keys.T @ (d_table_keys.T @ queries) + there.values.T @ (d_table_values.T @ queries)
    return Step(loss, Head(d_q, d_k, d_v), float(entropy(weights).mean()))


def answered(v: Array, there: World, b: Batch, weights: Array) -> tuple[float, Array, Array]:
    """Loss of the answers read with these weights (batch, n_positions); gradients at the weights and at W_V."""
    rows = np.arange(len(b.asked))
    answer = b.values[rows, b.asked]
    logits_keys, logits_values = there.keys @ v, there.values @ v  # (n_symbols, n_values)
    # what each symbol weighs in each sequence, (batch, n_symbols): the sum over positions becomes a product
    weight_keys, weight_values = np.zeros((2, len(rows), N_SYMBOLS))
    weight_keys[rows[:, None], b.keys] = weights  # no key stands twice
    np.add.at(weight_values, (rows[:, None], b.values), weights)
    logits = weight_keys @ logits_keys + weight_values @ logits_values  # (batch, n_values)
    probability = row_softmax(logits)
    loss = -np.log(np.maximum(probability[rows, answer], 1e-300)).mean()

    at_logits = probability
    at_logits[rows, answer] -= 1
    at_logits = at_logits / len(rows)
    at_keys, at_values = at_logits @ logits_keys.T, at_logits @ logits_values.T  # at the weight of each symbol
    at_weights = np.take_along_axis(at_keys, b.keys, 1) + np.take_along_axis(at_values, b.values, 1)
    d_v = there.keys.T @ (weight_keys.T @ at_logits) + there.values.T @ (weight_values.T @ at_logits)
    return float(loss), at_weights, d_v


def row_softmax(z: Array) -> Array:
    """Softmax along the last axis."""
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Run(NamedTuple):
    """One training run; lists hold one number for each of RECORDED, as far as the run came."""

    arrived: int | None  # first step at which the running loss is below THRESHOLD; None: never
    diverged: int | None  # step at which a number was no longer finite
    loss: list[float]  # running mean, 0.9 of the last and 0.1 of the new
    gradient_q: list[float]  # norm of the gradient at W_Q
    gradient_k: list[float]
    entropy: list[float]


def divisor_of(name: str, d_k: int) -> float:
    """The number for a divisor's name in the data file."""
    return {"1": 1.0, "sqrt": float(np.sqrt(d_k)), "d_k": float(d_k)}[name]


def train(
    d_k: int,
    divisor: str,
    rate: float,
    seed: int,
    steps: int = STEPS,
    spread: float | None = None,
    faster: tuple[float, float, float] = (1, 1, 1),
    *,
    back: float = 1,
    until_arrived: bool = False,
) -> Run:
    """Train one head from ``seed``. World, first weights and batches are the same for all divisors and rates.

    spread: standard deviation of the divided scores at the start; W_Q and W_K are multiplied by one number for it.
    None leaves them as they are drawn: a spread of sqrt(d_k) over the divisor. faster: how many times ``rate`` the
    rates of W_Q, W_K and W_V are. back: as in :func:`step`. until_arrived: stop there.
    """
    generator = np.random.default_rng([seed, d_k])
    there = world(np.random.default_rng([seed]))
    head = Head(*(generator.standard_normal((D_X, n)) / np.sqrt(D_X) for n in (d_k, d_k, N_SYMBOLS)))
    if spread is not None:
        louder = np.sqrt(spread * divisor_of(divisor, d_k) / np.sqrt(d_k))
        head = head._replace(q=louder * head.q, k=louder * head.k)
    first, second = (Head(*(np.zeros_like(p) for p in head)) for _ in range(2))
    run = Run(None, None, [], [], [], [])
    running = None
    for t in range(1, steps + 1):
        now = step(head, there, batch(generator), divisor_of(divisor, d_k), back)
        if not np.isfinite(now.loss):
            return run._replace(diverged=t)
        running = now.loss if running is None else 0.9 * running + 0.1 * now.loss
        if t in RECORDED:
            run.loss.append(running)
            run.gradient_q.append(float(np.linalg.norm(now.gradient.q)))
            run.gradient_k.append(float(np.linalg.norm(now.gradient.k)))
            run.entropy.append(now.entropy)
        if run.arrived is None and running < THRESHOLD:
            run = run._replace(arrived=t)
            if until_arrived:
                return run
        first = Head(*(0.9 * m + 0.1 * g for m, g in zip(first, now.gradient, strict=True)))
        second = Head(*(0.999 * s + 0.001 * g * g for s, g in zip(second, now.gradient, strict=True)))
        moves = (rate * times * adam(m, g2, t) for times, m, g2 in zip(faster, first, second, strict=True))
        head = Head(*(p - move for p, move in zip(head, moves, strict=True)))
    return run


def adam(first: Array, second: Array, t: int) -> Array:
    """The step of Kingma and Ba (2015), algorithm 1, with their beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8."""
    return first / (1 - 0.9**t) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)


def other_start(job: tuple[int, str, float]) -> tuple[str, list[int | None]]:
    """When runs arrive that start with the spread of the other divisor, by seed, under the name "d_k divisor rate".

    Not divided ("1") they start with scores of spread 1, divided by sqrt(d_k) with a spread of sqrt(d_k). Under Adam,
    epsilon aside, not to divide is to start W_Q and W_K d_k^(1/4) times larger and to learn them at a rate d_k^(1/4)
    times larger: here each is done without the other.
    """
    d_k, divisor, rate = job
    spread = {"1": 1.0, "sqrt": float(np.sqrt(d_k))}[divisor]
    runs = (train(d_k, divisor, rate, seed, spread=spread, until_arrived=True) for seed in SEEDS)
    return f"{d_k} {divisor} {rate:g}", [run.arrived for run in runs]


def named_run(job: tuple[int, str, float, int]) -> tuple[str, dict[str, object]]:
    """One run under the name it has in the data file: "d_k divisor rate seed"."""
    d_k, divisor, rate, seed = job
    return f"{d_k} {divisor} {rate:g} {seed}", train(d_k, divisor, rate, seed)._asdict()
