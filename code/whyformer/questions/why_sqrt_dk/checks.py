"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.evidence import fresh, jacobians, retrieval
from whyformer.maths import (
    critical_std,
    dot_variance,
    needle_gap,
    needle_weight,
    product_variance,
    softmax,
    softmax_vjp,
)
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter

report = reporter(__name__)

SEEDS, RATES, SIZES = range(5), retrieval.RATES, retrieval.D_K
KEYS = (8, 64, 512)


def rows_at_the_start(n_keys: int, d_k: int, divisor: str, what: str) -> float:
    """What was measured of fresh rows (``evidence.fresh``), the mean over seeds."""
    return float(np.mean(evidence.read("fresh")["rows"][f"{n_keys} {d_k}"][divisor][what]))


def typical(n_keys: int, d_k: int, what: str) -> float:
    """What was measured of the gradient at a typical query, at variance 1 (``evidence.fresh.start``)."""
    return float(evidence.read("fresh")["typical"][f"{n_keys} {d_k}"][what])


def layer_at_the_start(divisor: str, matrix: str, tokens: int = 128, heads: int = 8) -> list[float]:
    """Gradients of a fresh layer as multiples of those divided by √d_k, for each seed."""
    found: list[float] = evidence.read("fresh")["layers"][f"{tokens} {heads}"][divisor][matrix]
    return found


# From terms to the variance


@check
def mean_of_a_score() -> Numbers:
    """We drew 10,000 pairs at four head sizes, from three distributions with mean 0."""
    for rng in draws(1):
        for d_k in (1, 16, 64, 256):
            for draw in distributions(rng):
                dots = sum(draw(10_000) * draw(10_000) for _ in range(d_k))
                always_close(np.mean(dots) / np.sqrt(d_k), 0, within=0.06)
    return {}


def distributions(rng: np.random.Generator) -> list[Any]:
    """Normal, plus or minus one, uniform: each with mean 0 and variance 1."""
    return [
        rng.standard_normal,
        lambda size: rng.choice([-1.0, 1.0], size),
        lambda size: rng.uniform(-np.sqrt(3), np.sqrt(3), size),
    ]


@check
def uncorrelated_is_not_enough() -> Numbers:
    """We integrated q⁴ over the normal density, and drew a million pairs (q, ±q) and a million independent ones."""
    places, shares = np.polynomial.hermite_e.hermegauss(20)
    fourth = (shares * places**4).sum() / shares.sum()
    rng = np.random.default_rng(0)
    q, other = rng.standard_normal((2, 1_000_000))
    k = rng.choice([-1.0, 1.0], q.size) * q
    always_close((q * k).mean(), 0, within=0.01)
    always_close((q * k).var(), fourth, within=0.05)
    always_close((q * other).var(), 1, within=0.02)
    return {"3": fourth}


@check
def variance_of_a_product() -> Numbers:
    """We drew a million pairs with several means and variances and compared the variance of their products."""
    a, b = np.random.default_rng(0).standard_normal((2, 1_000_000))
    for mean_q, var_q, mean_k, var_k in ((0, 1, 0, 1), (1, 1, 1, 1), (1, 4, -2, 9), (0, 1, 3, 2)):
        drawn = ((mean_q + np.sqrt(var_q) * a) * (mean_k + np.sqrt(var_k) * b)).var()
        always_close(drawn / product_variance(mean_q, var_q, mean_k, var_k), 1, within=0.03)
    return {}


@check
def variance_of_the_sum() -> Numbers:
    """We drew 10,000 pairs at d_k = 16, 64 and 256 from three distributions and from components that are not alike."""
    for rng in draws(1):
        for draw in distributions(rng):
            for d_k in (16, 64, 256):
                dots = sum(draw(10_000) * draw(10_000) for _ in range(d_k))
                always_close(np.var(dots) / d_k, 1, within=0.08)
        normal, coin, uniform = distributions(rng)
        mixed = sum((coin if i % 2 else uniform)(10_000) * normal(10_000) for i in range(64))
        same = normal(10_000)  # all components of q are this one number: dependent, and their products uncorrelated
        in_step = sum(same * coin(10_000) for _ in range(64))
        always_close([np.var(mixed) / 64, np.var(in_step) / 64], 1, within=0.1)
    return {}


@check
def variance_divided() -> Numbers:
    """We divided 10,000 dot products at three head sizes by √d_k and by d_k."""
    rng = np.random.default_rng(0)
    for d_k in (16, 64, 256):
        dots = np.asarray(sum(rng.standard_normal(10_000) * rng.standard_normal(10_000) for _ in range(d_k)))
        always_close([(dots / np.sqrt(d_k)).var(), (dots / d_k).var() * d_k], 1, within=0.08)
    return {}


@check
def pairs_and_rows(d_k: int = 64) -> Numbers:
    """We drew 3,000 queries with 8 keys each, means and variances 1, and took variances over pairs and within rows."""
    pair, row = d_k * product_variance(1, 1, 1, 1), d_k * (product_variance(1, 1, 1, 1) - 1)
    rng = np.random.default_rng(0)
    q, k = 1 + rng.standard_normal((3000, 1, d_k)), 1 + rng.standard_normal((3000, 8, d_k))
    dots = (q * k).sum(-1)
    always_close([dots[:, 0].var() / pair, dots.var(1, ddof=1).mean() / row], 1, within=0.12)
    always_close(softmax((q * (k + 5)).sum(-1)), softmax(dots), within=1e-9)
    return {"192": pair, "128": row}


@check
def any_means_and_covariances() -> Numbers:
    """We drew 100,000 pairs with random means and covariances, three times, and compared with the formula."""
    for rng in draws(3):
        A, B = rng.standard_normal((2, 8, 8))
        cov_q, cov_k = A @ A.T / 8, B @ B.T / 8
        mean_q, mean_k = 0.3 * rng.standard_normal((2, 8))
        q = rng.multivariate_normal(mean_q, cov_q, 100_000)
        k = rng.multivariate_normal(mean_k, cov_k, 100_000)
        always_close(np.vecdot(q, k).var() / dot_variance(mean_q, cov_q, mean_k, cov_k), 1, within=0.06)
    return {}


# From the spread to the weights


@check
def a_lead_of_one_standard_deviation(d_k: int = 64) -> Numbers:
    """We took ratios of weights, and the standard deviation of 16,000 scores at three head sizes."""
    rng = np.random.default_rng(0)
    for size in (4, d_k, 256):
        scores = np.einsum("qnd,qd->qn", rng.standard_normal((1000, 16, size)), rng.standard_normal((1000, size)))
        always_close(scores.std() / np.sqrt(size), 1, within=0.06)
    y = softmax(rng.standard_normal((1000, 2)) * [1, 0])
    always_close(np.log(y[:, 0] / y[:, 1]).std(), 1, within=0.08)
    return {"2,981": np.exp(np.sqrt(d_k)), "2.72": np.exp(1)}


@check
def shares_of_hard_rows() -> Numbers:
    """We drew thousands of queries and their keys for each entry of the table, three times."""
    table = {
        (4, 16): "47 %", (4, 64): "72 %", (4, 256): "86 %",
        (16, 16): "23 %", (16, 64): "55 %", (16, 256): "77 %",
        (64, 16): "13 %", (64, 64): "44 %", (64, 256): "69 %",
        (512, 16): "5 %", (512, 64): "32 %", (512, 256): "61 %",
    }  # fmt: skip
    return {printed: rows_at_the_start(n, d, "1", "hard") for (n, d), printed in table.items()}


def fresh_rows(d_k: int, n_keys: int, seeds: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights of random queries, not divided and divided: 8,000 a seed with 8 keys, 1,000 with 64."""
    queries = 64_000 // n_keys
    shapes = ((queries, n_keys, d_k), (queries, 1, d_k))
    dots = np.concatenate([np.vecdot(*map(rng.standard_normal, shapes)) for rng in draws(seeds)])
    return softmax(dots), softmax(dots / np.sqrt(d_k))


def passed(y: np.ndarray) -> np.ndarray:
    """The trace of the softmax Jacobian, as a share of the largest it can have."""
    return (y * (1 - y)).sum(1) / (1 - 1 / y.shape[1])


@check
def gradient_through_the_softmax(d_k: int = 64, n_keys: int = 8) -> Numbers:
    """We drew queries with 8 and with 64 keys and took the trace of the softmax Jacobian as a share of the largest."""
    bare, divided = fresh_rows(d_k, n_keys, seeds=2)
    always_larger(np.median(bare.max(1)), 0.9)  # most rows are nearly one-hot
    holds(bool((passed(divided) > passed(bare)).all()))
    fewer = np.median(passed(fresh_rows(16, n_keys, seeds=1)[0]))
    always_larger(fewer, np.median(passed(bare)))
    always_larger(np.median(passed(divided)), 0.9)
    always_larger(0.1, np.median(passed(bare)))
    for keys, sizes in ((8, (16, 64, 256)), (64, (16, 64, 256))):  # more keys need larger heads for the same loss
        left = [np.median(passed(fresh_rows(size, keys, seeds=1)[0])) for size in sizes]
        always_larger(left[:-1], left[1:])
        always_larger(0.05, left[-1])
    return {}


@check
def divided_rows_are_soft() -> Numbers:
    """We drew the same rows as for the table, divided by √d_k, and 20,000 rows of two keys."""
    shares = [rows_at_the_start(n, d, "sqrt", "hard") for n in (4, 16, 64, 512) for d in (16, 64, 256)]
    always_larger(0.01, shares)
    rng = np.random.default_rng(0)
    length = np.sqrt(rng.chisquare(64, (20_000, 1)) / 64)
    two = (softmax(length * rng.standard_normal((20_000, 2))).max(1) > 0.9).mean()
    return {"below": (max(shares), 0.01), "2": 2, "12 %": two}


@check
def alike_at_every_head_size() -> Numbers:
    """We drew divided scores at d_k = 4 to 512, and at 16 to 512 the weights and gradients of thousands of queries."""
    rng = np.random.default_rng(0)
    for d_k in (4, 16, 64, 256, 512):
        q, k = rng.standard_normal((1000, d_k)), rng.standard_normal((1000, 8, d_k))
        always_close((np.vecdot(k, q[:, None]) / np.sqrt(d_k)).std(), 1, within=0.08)
    for n_keys in (8, 64, 512):
        largest = [rows_at_the_start(n_keys, d_k, "sqrt", "largest") for d_k in SIZES]
        gradient = [typical(n_keys, d_k, "divided") for d_k in SIZES]
        always_close([max(largest) / min(largest), max(gradient) / min(gradient)], 1, within=0.06)
        always_larger(0.01, [rows_at_the_start(n_keys, d_k, "sqrt", "hard") for d_k in SIZES])
    return {
        "8": 8,
        "0.36": typical(8, 16, "divided"),
        "0.37": typical(8, 512, "divided"),
        "64": 64,
        "0.18": typical(64, 16, "divided"),
        "512": 512,
        "0.07": typical(512, 16, "divided"),
    }


@check
def movable_is_not_the_gradient() -> Numbers:
    """We drew 18,000 rows of 8 keys at each of four sizes: the trace of the Jacobian, and the gradient at the query."""
    for what, order in (("trace", -1), ("median", 1)):
        found = [rows_at_the_start(8, d_k, "1", what) for d_k in (2, 4, 8, 16)][::order]
        always_larger(found[1:], found[:-1])
    return {"8": 8}


@check
def two_regimes() -> Numbers:
    """We took √(2 ln n), and drew 2,000 rows of normal scores of half and of three times that spread."""
    rng = np.random.default_rng(0)
    for n in (64, 512):
        scores = critical_std(n) * rng.standard_normal((1000, n))
        few = [np.sort(softmax(times * scores))[:, -4:].sum(1).mean() for times in (0.25, 3)]
        always_larger(0.3, few[0])
        always_larger(few[1], 0.9)
    return {"2.15": critical_std(10), "10": 10, "3.53": critical_std(512), "512": 512}


# Four gradients


def at_the_query(n_keys: int, d_k: int, queries: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of the gradient at each of many queries, not divided and divided by √d_k, from whole vectors."""
    q, k, u = (rng.standard_normal((queries, *shape)) for shape in ((d_k,), (n_keys, d_k), (n_keys,)))
    dots = np.vecdot(k, q[:, None])
    lengths = [
        np.linalg.norm(np.einsum("qn,qnd->qd", softmax_vjp(dots / c, u), k), axis=1) / c for c in (1, np.sqrt(d_k))
    ]
    return lengths[0], lengths[1]


def ratio(n_keys: int, d_k: int, what: str) -> float:
    """Of fresh rows: not divided, as a multiple of divided."""
    return rows_at_the_start(n_keys, d_k, "1", what) / rows_at_the_start(n_keys, d_k, "sqrt", what)


@check
def gradient_at_the_query() -> Numbers:
    """We drew a query and 12 keys, sent 20,000 gradients back through both softmaxes, and took the mean of squares."""
    rng = np.random.default_rng(0)
    q, k, u = (rng.standard_normal(shape) for shape in ((24,), (12, 24), (20_000, 12)))
    for divisor in (1, np.sqrt(24)):
        y = softmax(k @ q / divisor)
        lengths = np.linalg.norm(softmax_vjp(np.tile(k @ q / divisor, (len(u), 1)), u) @ k / divisor, axis=1)
        whole = np.linalg.norm(k.T @ (np.diag(y) - np.outer(y, y))) / divisor
        always_close(np.sqrt((lengths**2).mean()) / whole, 1, within=0.03)
    return {}


@check
def typical_query() -> Numbers:
    """We drew 12,000 to 200,000 queries with whole keys for each entry of the table."""
    table = {
        (8, 16): "2.9", (64, 16): "6.9", (512, 16): "16",
        (8, 64): "1.3", (64, 64): "8.7", (512, 64): "31",
        (8, 128): "0.44", (64, 128): "5.5", (512, 128): "26",
        (8, 256): "0.08", (64, 256): "2.1", (512, 256): "15",
        (8, 512): "0.006", (64, 512): "0.46", (512, 512): "5",
    }  # fmt: skip
    bare, divided = at_the_query(16, 64, 2000, np.random.default_rng(0))  # with a drawn gradient that arrives
    always_close(np.median(bare) / np.median(divided) / ratio(16, 64, "median"), 1, within=0.25)
    always_larger(typical(8, 512, "hard"), 0.8)  # most queries of 8 keys have one with nearly all weight
    return {"8": 8, "64": 64, "512": 512} | {printed: typical(n, d, "median") for (n, d), printed in table.items()}


@check
def sum_over_queries() -> Numbers:
    """We drew thousands of queries, keys and arriving gradients at 4 to 4,096 keys and d_k from 16 to 512."""
    always_larger([ratio(n, d, "mean_square") for n in (4, 16, 64, 512, 4096) for d in (16, 64, 128, 256, 512)], 2)
    found = [ratio(n, d, "mean_square") for n in KEYS for d in (16, 64, 128, 256, 512)]
    return {"8": 8, "64": 64, "512": 512, "16": 16, "3": min(found), "62": max(found)}


@check
def few_queries() -> Numbers:
    """We drew a layer with one head of size 512 and 4 tokens five times; in one draw the gradient was smaller."""
    holds(min(layer_at_the_start("1", "q", tokens=4, heads=1)) < 1)
    return {"4": 4}


@check
def a_layer_at_the_start() -> Numbers:
    """We drew such a layer five times and took the gradients of its matrices, divided and not."""
    w_q, w_v = layer_at_the_start("1", "q"), layer_at_the_start("1", "v")
    always_larger([*w_q, *w_v], 4)
    return {"8": 8, "128": 128, "15.5": np.mean(w_q), "5.7": np.mean(w_v)}


@check
def gradients_are_spread() -> Numbers:
    """We drew 12,000 queries with 16 keys each and compared the 90 % and the 10 % quantile of their gradients."""
    span = [rows_at_the_start(16, 64, divisor, "span") for divisor in ("1", "sqrt")]
    return {
        "16": 16,
        "10 %": 0.1,
        "more than": (span[0], 1000),
        "1,000": 1000,
        "2.5": span[1],
        "55 %": rows_at_the_start(16, 64, "1", "hard"),
        "3 %": rows_at_the_start(16, 64, "1", "from_hard"),
    }


# Learning


def arrived(d_k: int, divisor: str, rate: float) -> list[float]:
    """Steps that the runs need, by seed; infinite for one that does not arrive."""
    runs = evidence.read("training")["runs"]
    found = [runs[f"{d_k} {divisor} {rate:g} {seed}"]["arrived"] for seed in SEEDS]
    return [float("inf") if steps is None else float(steps) for steps in found]


def median_steps(d_k: int, divisor: str, rate: float) -> float:
    """Of the median seed."""
    return float(np.median(arrived(d_k, divisor, rate)))


@check
def the_undivided_head_learns_last() -> Numbers:
    """We trained 160 heads, not divided and divided by √d_k: four sizes, four learning rates, five seeds."""
    runs = evidence.read("training")["runs"]
    for d_k in SIZES:
        for rate in RATES:
            always_larger(np.minimum(median_steps(d_k, "1", rate), 1e9), 1.2 * median_steps(d_k, "sqrt", rate))
            for seed in SEEDS:
                first = [runs[f"{d_k} {v} {rate:g} {seed}"]["gradient_q"][0] for v in ("1", "sqrt", "d_k")]
                always_larger(first[0], first[1:])
    return {"0.001": 0.001, "515": median_steps(64, "1", 0.001), "202": median_steps(64, "sqrt", 0.001)}


@check
def d_k_is_slower_at_small_rates() -> Numbers:
    """We compared the steps of heads divided by d_k and by √d_k: four sizes, two learning rates, five seeds."""
    ratios = [median_steps(d, "d_k", rate) / median_steps(d, "sqrt", rate) for d in SIZES for rate in (3e-4, 1e-3)]
    always_larger(ratios, 1.05)
    return {"0.001": 0.001, "1.9": max(ratios)}


def adam_step(divisor: float, d_k: int, seed: int, queries: int = 32, n_keys: int = 20) -> tuple[float, float]:
    """Adam's first step on W_Q: how long it is, and by how much it moves the scores."""
    draw = np.random.default_rng(seed).standard_normal
    x, w_q = draw((queries, 48)), draw((48, d_k)) / np.sqrt(48)
    keys, u = draw((n_keys, d_k)), draw((queries, n_keys))
    gradient = x.T @ (softmax_vjp(x @ w_q @ keys.T / divisor, u) @ keys / divisor)
    step = 1e-3 * gradient / (abs(gradient) + 1e-12)
    return float(np.linalg.norm(step)), float((x @ step @ keys.T / divisor).std())


@check
def first_step_of_adam(d_k: int = 64) -> Numbers:
    """We took Adam's first step on W_Q at three head sizes, with 20 and 256 keys, ten draws each, three divisors."""
    ratios: dict[int, list[float]] = {16: [], d_k: [], 256: []}
    for size, found in ratios.items():
        for n_keys in (20, 256):
            for seed in range(10):
                bare, root, full = (adam_step(c, size, seed, n_keys=n_keys) for c in (1.0, np.sqrt(size), float(size)))
                always_close([bare[0] / root[0], root[0] / full[0]], 1, within=1e-3)
                found += [bare[1] / root[1], root[1] / full[1]]
        always_close(np.array(found) / np.sqrt(size), 1, within=0.5)
    return {"8": np.median(ratios[d_k])}


@check
def a_start_and_a_rate() -> Numbers:
    """We trained both heads for 30 steps, at two sizes and two rates, and compared their losses at every stage."""
    for d_k, rate in ((16, 1e-3), (64, 1e-2)):
        more = d_k**0.25
        bare = retrieval.train(d_k, "1", rate, seed=0, steps=30)
        other = retrieval.train(
            d_k, "sqrt", rate, seed=0, steps=30, spread=float(np.sqrt(d_k)), faster=(more, more, 1.0)
        )
        always_close(bare.loss, other.loss, within=1e-3)
    return {}


def from_other_start(d_k: int, divisor: str, rate: float) -> float:
    """Steps of the median seed from the start that a head with the other divisor has; infinite for never."""
    steps = evidence.read("starts")["arrived"][f"{d_k} {divisor} {rate:g}"]
    return float(np.median([np.inf if one is None else one for one in steps]))


@check
def start_and_rate_apart() -> Numbers:
    """We trained heads with the start of one divisor and the learning rate of the other, five seeds each."""
    never = [evidence.read("starts")["arrived"]["64 1 0.01"], evidence.read("training")["runs"]]
    holds(never[0] == [None] * 5 and all(never[1][f"64 1 0.01 {seed}"]["arrived"] is None for seed in SEEDS))
    return {
        "202": median_steps(64, "sqrt", 0.001),
        "63": median_steps(64, "sqrt", 0.01),
        "718": from_other_start(64, "sqrt", 0.001),
        "234": from_other_start(64, "sqrt", 0.01),
        "170": from_other_start(64, "1", 0.001),
        "515": median_steps(64, "1", 0.001),
        "5": len(SEEDS),
    }


@check
def the_rate_alone() -> Numbers:
    """We compared heads that are not divided and start with soft rows with divided heads, five seeds a setting."""
    for d_k in (16, 64):
        for rate in (3e-4, 1e-3):
            always_larger(median_steps(d_k, "sqrt", rate), 1.1 * from_other_start(d_k, "1", rate))
    wide = from_other_start(512, "1", 0.003), median_steps(512, "sqrt", 0.003)
    return {"0.001": 0.001, "0.003": 0.003, "1,257": wide[0], "90": wide[1]}


@check
def divided_by_d_k() -> Numbers:
    """We drew 8,000 scores at three head sizes, and the layer above five times."""
    rng = np.random.default_rng(0)
    for d_k in (16, 64, 256):
        q, k = rng.standard_normal((1000, d_k)), rng.standard_normal((1000, 8, d_k))
        always_close((np.vecdot(k, q[:, None]) / d_k).std() * np.sqrt(d_k), 1, within=0.08)
    return {"12": 1 / np.mean(layer_at_the_start("d_k", "q")), "8": 8}


# The number of keys, and training


@check
def lead_for_half_the_weight() -> Numbers:
    """We gave one key the lead of the formula over 511 rivals, 4,000 times, and averaged its weight."""
    rivals = np.random.default_rng(5).standard_normal((4000, 511))
    weight = softmax(np.c_[np.full(4000, needle_gap(512, 1)), rivals])[:, 0]
    always_close(weight.mean(), 0.5, within=0.01)
    return {"6.74": needle_gap(512, 1), "512": 512, "12.28": needle_gap(131_072, 1), "131,072": 131_072}


@check
def needle_in_a_million(lead: float = 5.0, factor: float = 0.43) -> Numbers:
    """We took the weight of one key with that lead over equal rivals, plain and with scores times 0.43 ln n."""
    n = 10**6
    always_close(softmax(np.r_[lead, np.zeros(99)])[0], needle_weight(100, lead), within=1e-12)
    return {"0.00015": needle_weight(n, lead), "1.0": needle_weight(n, factor * np.log(n) * lead)}


@check
def correlated_keys(d_k: int = 512, rho: float = 0.1) -> Numbers:
    """We drew 4,000 queries with a key of correlation 0.1, 0.3 and 0.6, at d_k = 64 and 512."""
    rng = np.random.default_rng(0)
    for size in (64, d_k):
        for r in (rho, 0.3, 0.6):
            q, noise = rng.standard_normal((2, 4000, size))
            scores = np.vecdot(q, r * q + np.sqrt(1 - r**2) * noise) / np.sqrt(size)
            always_close(scores.mean(), r * np.sqrt(size), within=0.1)
            always_close(scores.var() / (1 + r**2), 1, within=0.12)
    return {"2.26": rho * np.sqrt(d_k)}


def layer_norm(x: np.ndarray) -> np.ndarray:
    """LayerNorm with gain 1 and bias 0."""
    return (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)


@check
def layer_norm_on_q_and_k(d_k: int = 64) -> Numbers:
    """We put LayerNorm on 1,000 queries and 1,000 keys and took the variance of a million dot products."""
    q, k = np.random.default_rng(6).standard_normal((2, 1000, d_k))
    variance = d_k**2 / (d_k - 1)
    always_close((layer_norm(q) @ layer_norm(k).T).var() / variance, 1, within=0.02)
    return {"65.02": variance}


def rms_norm(x: np.ndarray) -> np.ndarray:
    """RMSNorm with gain 1."""
    normed: np.ndarray = x / np.sqrt((x**2).mean(1, keepdims=True))
    return normed


@check
def rms_norm_on_q_and_k(d_k: int = 256) -> Numbers:
    """We put RMSNorm on 1,000 queries and 1,000 keys, at three sizes, and took the deviation of a million products."""
    rng = np.random.default_rng(6)
    for size in (16, 64, d_k):
        q, k = rng.standard_normal((2, 1000, size))
        always_close((rms_norm(q) @ rms_norm(k).T).std() / np.sqrt(size), 1, within=0.02)
    return {"16": np.sqrt(d_k)}


@check
def layer_norm_bounds_scores(d_k: int = 64) -> Numbers:
    """We tried queries that are large and aligned with the keys."""
    q, k = np.random.default_rng(6).standard_normal((2, 1000, d_k))
    for norm in (layer_norm, rms_norm):
        scores = norm(1e3 * q**3 + 5 * k) @ norm(k).T / np.sqrt(d_k)
        holds(bool(abs(scores).max() <= np.sqrt(d_k) + 1e-9), largest=abs(scores).max())
        always_close(np.vecdot(norm(k), norm(7 * k)) / np.sqrt(d_k), np.sqrt(d_k), within=1e-9)  # it is attained
    return {}


def score_std(x: np.ndarray, variance: float, heads: int, rng: np.random.Generator) -> float:
    """Standard deviation of divided scores over all pairs, for W_Q and W_K (512, 512) with weights of this variance."""
    w_q, w_k = rng.standard_normal((2, 512, 512)) * np.sqrt(variance)
    q, k = (z.reshape(len(x), heads, -1).transpose(1, 0, 2) for z in (x @ w_q, x @ w_k))
    return float((q @ k.transpose(0, 2, 1) / np.sqrt(512 / heads)).std())


@check
def scores_at_the_start() -> Numbers:
    """We drew scores of 256 normed tokens at width 512 from three variances of W_Q and W_K, with 8 heads and with 2."""
    normed = layer_norm(np.random.default_rng(7).standard_normal((256, 512)))
    for seed, variance in enumerate((1, 1 / 3, 512 * 0.02**2)):
        for heads in (8, 2):
            found = score_std(normed, variance / 512, heads, np.random.default_rng(seed))
            always_close(found / variance, 1, within=0.04)
    return {}


@check
def other_starts() -> Numbers:
    """We drew 8,000 to 20,000 queries with 8, 64 and 512 keys at each start of the table."""
    found = evidence.read("fresh")["starts"]
    always_larger([row["mean_square"] for row in found.values()], 2)  # the gradient of W_Q, not divided
    numbers: dict[str, Any] = {"8": 8, "64": 64, "512": 512}
    table = {
        "this book": ("1.00", "63 %", "44 %", "32 %"),
        "GPT-2": ("0.31", "12 %", "1.5 %", "0.2 %"),
        "BERT": ("0.24", "4 %", "0.2 %", "0.0 %"),
        "nn.Linear": ("0.33", "15 %", "2.4 %", "0.4 %"),
        "nn.MultiheadAttention": ("0.50", "34 %", "13 %", "5 %"),
        "0.02 at width 4096": ("1.64", "83 %", "73 %", "67 %"),
    }
    for name, (divided, *shares) in table.items():
        numbers[divided] = fresh.STARTS[name][0]
        numbers |= {share: found[f"{name}, {n}"]["hard"] for share, n in zip(shares, KEYS, strict=True)}
    numbers["2.5"] = fresh.STARTS["GPT-2"][0] * np.sqrt(64)
    wide = [found[f"0.02 at width 4096, {n}"]["median"] for n in KEYS]
    return numbers | {"19": found["GPT-2, 64"]["median"], "2 %": wide[0], "52 %": wide[1], "3.3": wide[2]}


@check
def softcapping() -> Numbers:
    """We took 50 tanh(s/50) of scores from -500 to 500: in order, within 50, and near s where s is small."""
    s = np.linspace(-500, 500, 1001)
    capped = 50 * np.tanh(s / 50)
    holds(bool((np.diff(capped) >= 0).all() and (abs(capped) <= 50).all()))
    always_close(capped[abs(s) <= 5] - s[abs(s) <= 5], 0, within=0.02)
    return {"7.93": 50 * np.tanh(8 / 50), "49.97": 50 * np.tanh(200 / 50)}


@check
def layer_norm_on_the_scores() -> Numbers:
    """We put LayerNorm over 300 rows of scores at three sizes, with 8 and 128 keys, and over one lone leader."""
    rng = np.random.default_rng(4)
    for d_k in (16, 64, 512):
        for n_keys in (8, 128):
            q, k = rng.standard_normal((300, 1, d_k)), rng.standard_normal((300, n_keys, d_k))
            rows = layer_norm(np.vecdot(k, q))
            always_close(rows.std(1), 1, within=1e-9)
            cap = 1 / (1 + (n_keys - 1) * np.exp(-n_keys / np.sqrt(n_keys - 1)))
            always_larger(cap + 1e-12, softmax(rows).max(1))
            always_close(softmax(layer_norm(np.eye(n_keys)))[0, 0], cap, within=1e-9)  # the bound is attained
    always_larger(0.9, softmax(layer_norm(rng.standard_normal((300, 8)))).max(1))
    return {"8": 8, "128": 128, "0.76": 1 / (1 + 9 * np.exp(-10 / 3)), "10": 10}


# The trained model


@check
def trained_scores() -> Numbers:
    """We measured the divided scores in all 72 heads, over 200 sentences."""
    std = np.array(evidence.read("trained")["scores"]["score_std"]) / np.sqrt(32)
    return {"0.70": std.min(), "10.6": std.max()}


@check
def divisor_in_a_decoder() -> Numbers:
    """We read 30 texts of our own, 2,274 tokens, with seven divisors in all heads of all layers."""
    found = evidence.read("decoder_scores")
    loss = {divisor: found[f"divisor_{divisor}"]["loss"]["mean"] for divisor in (1, 2, 4, 8, 10, 16, 64)}
    clearly_larger([loss[1], loss[2], loss[4], loss[16], loss[64]], loss[8])
    clearly_larger(loss[64], loss[1])
    return {
        "3.27": loss[8],
        "6.4": loss[1],
        "7.3": loss[64],
    }


@check
def too_flat_moves_more() -> Numbers:
    """We replaced the divisor in all 72 heads and compared the vectors of 200 sentences with the intact ones."""
    replaced = evidence.read("trained")["replaced_scale"]
    sharp, flat = (replaced[name]["cosine_to_intact"]["mid"] for name in ("1", "1/d_k"))
    clearly_larger(sharp, flat)
    always_larger(replaced["1"]["same_nearest_sentence"], replaced["1/d_k"]["same_nearest_sentence"])
    return {"0.87": sharp, "0.65": flat}


@check
def cls_is_a_sink() -> Numbers:
    """We averaged the weight on [CLS] over the heads of each layer, and compared the length of its value."""
    heads = evidence.read("trained")["heads"]
    weight = np.mean(heads["weight_on_first"], axis=1)[1:5]
    value = np.median(heads["value_of_first"], axis=1)[1:5]
    always_larger(weight, 0.5)
    return {"more than half": (weight, np.full(4, 0.5)), "4 %": value.max()}


# Wrong answers


@check
def variance_is_not_the_standard_deviation(d_k: int = 64) -> Numbers:
    """We multiplied 1,500 queries with 1,500 keys whose components are plus or minus one."""
    q, k = np.random.default_rng(0).choice([-1.0, 1.0], (2, 1500, d_k))
    dots = q @ k.T
    always_close(dots.var() / d_k, 1, within=0.02)
    return {"64": dots.var(), "8": dots.std()}


def best(divisor: str, d_k: int) -> float:
    """The fewest steps of the median seed over the rates of ``evidence.rates``, one of W_Q and W_K, one of W_V."""
    found = evidence.read("rates")["arrived"]
    medians = [
        float(np.median([np.inf if one is None else one for one in steps]))
        for name, steps in found.items()
        if name.split()[:2] == [str(d_k), divisor]
    ]
    return min(medians)


@check
def best_rates() -> Numbers:
    """We trained heads at 125 pairs of rates, the second for W_V: three divisors, three sizes, five seeds."""
    for d_k in (16, 64, 256):
        holds(best("d_k", d_k) <= best("sqrt", d_k), d_k=d_k)
        always_larger(best("1", d_k), 2 * best("sqrt", d_k))
    return {"36": best("d_k", 64), "46": best("sqrt", 64), "200": best("1", 64)}


@check
def flat_starts_do_no_harm() -> Numbers:
    """We trained heads from flat and from usual starts, at three sizes and three rates, with five seeds each."""
    flat, settings = evidence.read("rates")["flat"], []
    for d_k in (16, 64, 256):
        for rate in (0.001, 0.003, 0.01):
            steps = np.median([np.inf if one is None else one for one in flat[f"{d_k} W_Q {rate:g}"]])
            settings.append((median_steps(d_k, "sqrt", rate), steps))
    always_larger([usual for usual, _ in settings], [1.1 * steps for _, steps in settings])
    return {"faster": tuple(np.transpose(settings)[::-1]), "nine": len(settings)}


@check
def hard_rows_and_their_jacobians() -> Numbers:
    """We trained heads whose weights and whose Jacobians come from different spreads: two rates, five seeds each."""
    steps = {name: float(np.median(found)) for name, found in evidence.read("jacobians")["arrived"].items()}
    for rate in (0.001, 0.003):
        rows, back = (steps[f"{arm}, {rate:g}"] for arm in jacobians.ARMS)
        soft, both = median_steps(64, "sqrt", rate), median_steps(64, "1", rate)
        always_larger(rows, 1.2 * soft)
        always_larger(back, 1.3 * rows)
        always_larger(both, 1.2 * back)
    return {
        "0.001": 0.001,
        "202": median_steps(64, "sqrt", 0.001),
        "394": steps["soft rows, Jacobians of hard, 0.001"],
        "274": steps["hard rows, Jacobians of soft, 0.001"],
        "515": median_steps(64, "1", 0.001),
    }
