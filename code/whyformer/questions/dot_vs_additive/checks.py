"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.maths import softmax
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.dot_vs_additive.cost_lab import CostLab

report = reporter(__name__)

LINE = np.linspace(-2, 2, 9)[:, None]  # nine tokens, each a number


def additive(q: np.ndarray, k: np.ndarray, a: np.ndarray, squash: Callable[[Any], Any] = np.tanh) -> np.ndarray:
    """Scores (n, n) of queries and keys (n, d_k) with a vector a (d_k,)."""
    scores: np.ndarray = squash(q[:, None] + k) @ a
    return scores


def spread(scores: np.ndarray) -> float:
    """The standard deviation of rows over their keys, root of the mean square over the rows."""
    return float(np.sqrt(scores.var(axis=-1, ddof=1).mean()))


class Entry:
    """Stands for any number, and counts what is done with it."""

    done: Counter[str] = Counter()

    def __mul__(self, other: Entry) -> Entry:
        self.done["products"] += 1
        return self

    def __add__(self, other: Entry) -> Entry:
        return self

    def tanh(self) -> Entry:
        """Counted, too."""
        self.done["tanhs"] += 1
        return self


@check
def cost_of_both_scores() -> Numbers:
    """We counted products and values of tanh for 4 to 16 tokens, and compared ranks: an additive score is no Q Kᵀ."""
    for n, d_k in ((4, 2), (4, 8), (9, 2), (16, 8)):
        entries = np.full((n, d_k), Entry(), dtype=object)
        for score, tanhs in (((lambda q, k, a: q @ k.T), 0), (additive, n * n * d_k)):
            Entry.done.clear()
            score(entries, entries, entries[0])
            holds(Entry.done["products"] == n * n * d_k and Entry.done["tanhs"] == tanhs, done=Entry.done)
        holds((np.zeros((n, d_k))[:, None] + np.zeros((n, d_k))).shape == (n, n, d_k))
    for rng in draws(5):
        q, k = rng.standard_normal((2, 9, 4))
        pair_by_pair = [[sum(x * y for x, y in zip(one, other, strict=True)) for other in k] for one in q]
        always_close(q @ k.T, pair_by_pair, within=1e-12)
        holds(np.linalg.matrix_rank(q @ k.T) <= 4 < np.linalg.matrix_rank(additive(q, k, rng.standard_normal(4))))
    return {}


@check
def both_spread_like_the_root() -> Numbers:
    """We drew queries, keys and a with entries of variance 1 at three sizes, five times, and divided by the root."""
    for rng in draws(5):
        rows = []
        for d_k in (16, 64, 256):
            q, k, a = (rng.standard_normal((80, many, d_k)) for many in (1, 40, 1))
            rows.append([spread((k * q).sum(-1)), spread((np.tanh(q + k) * a).sum(-1))])
            always_close(rows[-1] / np.sqrt(d_k), [1, 0.533], within=0.12)
        always_larger(rows[1:], rows[:-1], by=0.3)
    return {}


@check
def two_tokens_side_by_side() -> Numbers:
    """We put two tokens side by side into a network with one hidden layer, for 20 random draws."""
    for rng in draws(20):
        x, w_q, w_k, a = rng.standard_normal((6, 12)), *rng.standard_normal((2, 12, 8)), rng.standard_normal(8)
        network = [[a @ np.tanh(np.r_[one, other] @ np.r_[w_q, w_k]) for other in x] for one in x]
        always_close(additive(x @ w_q, x @ w_k, a), network, within=1e-9)
    return {}


@check
def without_tanh() -> Numbers:
    """We left tanh out and compared the rows of weights of 20 random draws; with tanh they differ."""
    for rng in draws(20):
        q, k, a = rng.standard_normal((6, 8)), rng.standard_normal((6, 8)), rng.standard_normal(8)
        weights = softmax(additive(q, k, a, squash=lambda x: x))
        always_close(weights, softmax(k @ a), within=1e-9)
        always_larger(np.ptp(softmax(additive(q, k, a)), axis=0).max(), 0.01)
    return {}


@check
def nonlinearity_behind_the_sum() -> Numbers:
    """We put tanh and a leaky ReLU after the product with a, for 50 random draws, and sorted each query's keys."""
    for rng in draws(50):
        q, k, a = rng.standard_normal((6, 8)), rng.standard_normal((7, 8)), rng.standard_normal(8)
        sums = additive(q, k, a, squash=lambda x: x)
        for scores in (np.tanh(sums / 10), np.where(sums > 0, sums, 0.2 * sums)):
            holds((scores.argsort(1) == (k @ a).argsort()).all())
        holds((additive(q, k, a).argsort(1) != (k @ a).argsort()).any())
    return {}


@check
def memory_of_all_pairs(n: int = 512, d_k: int = 64) -> Numbers:
    """We counted the bytes of an array of all pairs and of the scores, in single precision."""
    mib = np.dtype(np.float32).itemsize / 2**20
    return {"64": n * n * d_k * mib, "1": n * n * mib}


@check
def measured_times() -> Numbers:
    """We timed six ways to compute the scores once, on one machine, with NumPy in single precision and one thread."""
    lab = CostLab().series
    return {
        "149": lab["times_additive"],
        "50": lab["times_dot_by_pair"],
        "58": lab["times_additive_relu"],
        "2.6": lab["tanh_over_relu"],
    }


@check
def one_query_at_a_time() -> Numbers:
    """We timed both scores for one query after the other, on one machine, with 512 tokens and 64 entries."""
    lab = CostLab().series
    always_close(lab["times_additive_by_query"] / lab["times_additive"], 1, within=0.33)
    return {
        "24": lab["times_additive_by_query"] / lab["times_dot_by_query"],
        "0.125": lab["mib_query"],
        "512": 512,
    }


def tau(size_q: float = 1.0, size_k: float = 1.0, points: int = 200) -> float:
    """Root of the mean over queries of the variance of tanh(q + k) over keys, by Gauss and Hermite."""
    z, w = np.polynomial.hermite_e.hermegauss(points)
    w = w / w.sum()
    values = np.tanh(size_q * z[:, None] + size_k * z)
    return float(np.sqrt(w @ (values**2 @ w - (values @ w) ** 2)))


@check
def spread_of_additive_scores() -> Numbers:
    """We integrated the variance of one tanh, and compared with draws at d_k = 16 and 128, for both starts of a."""
    for d_k in (16, 128):
        rng = np.random.default_rng(d_k)
        q, k, a = (rng.standard_normal((1500, many, d_k)) for many in (1, 20, 1))
        scores = (np.tanh(q + k) * a).sum(-1)
        always_close([spread(scores) / np.sqrt(d_k), spread(scores / np.sqrt(d_k))], tau(), within=0.03)
    return {"0.533": tau()}


@check
def bound_of_tanh() -> Numbers:
    """We made all entries 2 and 4 times as large, took signs in the limit, and looked at 100 rows of long vectors."""
    growing = [tau(g, g) for g in (1.0, 2.0, 4.0)]
    rng = np.random.default_rng(0)
    signs = np.sign(rng.standard_normal((4000, 1)) + rng.standard_normal((4000, 200)))
    end = np.sqrt(2 / 3)
    always_close(spread(signs), end, within=0.02)
    always_larger([*growing[1:], end, 2 * growing[0]], [*growing, end])
    q, k = rng.standard_normal((200, 1, 16)), rng.standard_normal((200, 30, 16))
    always_close(spread((9 * q * k).sum(-1)) / spread((q * k).sum(-1)), 9, within=1e-9)
    for rng in draws(100):
        q, k, a = 30 * rng.standard_normal((4, 64)), 30 * rng.standard_normal((9, 64)), rng.standard_normal(64)
        holds((abs(additive(q, k, a)) <= abs(a).sum()).all())
    return {"0.816": end}


@check
def a_long_query(length: float = 16.0) -> Numbers:
    """We integrated over a long query on a fine grid, and over keys by Gauss and Hermite."""
    z, w = np.polynomial.hermite_e.hermegauss(60)
    w = w / w.sum()
    q = np.linspace(-24, 24, 2401)
    values = np.tanh(q[:, None] + z)
    within = values**2 @ w - (values @ w) ** 2
    density = np.exp(-((q / length) ** 2) / 2) * (q[1] - q[0]) / (length * np.sqrt(2 * np.pi))
    found = float(np.sqrt((density * within).sum()))
    clearly_larger(tau(), found)
    return {"0.160": found}


@check
def dot_products_favour_corners() -> Numbers:
    """We mixed ten random keys, 50 times, and tried 200 queries on each mixture."""
    for rng in draws(50):
        k = rng.standard_normal((10, 5))
        mixed, q = rng.dirichlet(np.ones(10)) @ k, 3 * rng.standard_normal((200, 5))
        holds((q @ mixed <= (q @ k.T).max(1) + 1e-9).all())
    for factor in (-2.0, 0.5, 3.0):
        holds(set((factor * LINE @ LINE.T).argmax(1)[np.arange(9) != 4]) == {0, 8})
    return {}


def wins_its_own(scores: np.ndarray) -> bool:
    """Whether the key with the query's number has the largest score in each row."""
    return all(row[i] > np.delete(row, i).max() + 1e-9 for i, row in enumerate(scores))


@check
def a_hill_either_way() -> Numbers:
    """We compared both hills with their formulas and tops on 20 random lines, and turned signs without biases."""
    lines = [LINE, *(np.sort(rng.uniform(-2, 2, (9, 1)), axis=0) for rng in draws(20))]
    for x in lines:
        hill = additive(x @ [[-1, -1]], x @ [[1, 1]] + [0.5, -0.5], np.array([1, -1]))
        same(hill, np.tanh(x.T - x + 0.5) - np.tanh(x.T - x - 0.5))
        square = np.hstack([2 * x, -np.ones_like(x)]) @ np.hstack([x, x**2]).T
        same(square, x**2 - (x.T - x) ** 2)
        holds(wins_its_own(hill) and wins_its_own(square))
        bare = [additive(turn * x @ [[-1, -1]], turn * x @ [[1, 1]], np.array([1, -2])) for turn in (1, -1)]
        same(bare[0], -bare[1])
    return {}


@check
def one_entry_each() -> Numbers:
    """We tried 50 random scores with one entry: the order of nine keys for a query and for its opposite."""
    for rng in draws(50):
        w_q, w_k, bias, a = rng.standard_normal(4)
        course = np.diff(a * np.tanh(w_q * LINE + w_k * LINE.T + bias), axis=1)
        holds((course >= 0).all() or (course <= 0).all())
        dots = w_q * w_k * LINE @ LINE.T
        same(dots[0], -dots[8])
    return {}


@check
def many_dimensions_help(keys: int = 200, d_k: int = 64) -> Numbers:
    """We drew 200 keys 20 times and let each be asked for by a query that equals it."""
    for rng in draws(20):
        k = rng.standard_normal((keys, d_k))
        holds(((k @ k.T).argmax(1) == np.arange(keys)).all())
    return {}


def steps(d_k: int, name: str, rate: float, seed: int) -> float:
    """When a run has learned the lookup task; infinite if it does not within the steps allowed."""
    run = f"{d_k} {name} {rate:g} {seed}"
    added = evidence.read("additive")["arrived"]
    found = added[run] if run in added else evidence.read("training")["runs"][run]["arrived"]
    return float(found or np.inf)


@check
def the_start_of_a_decides() -> Numbers:
    """We trained a head with additive scores at three sizes and four rates, with three seeds, from both starts of a."""
    added = evidence.read("additive")
    settings = product(added["d_k"], added["rates"], range(3))
    pairs = np.array([[steps(d_k, start, rate, seed) for start in ("fan_in", "one")] for d_k, rate, seed in settings])
    arriving = pairs[np.isfinite(pairs).any(1)]
    holds(arriving[:, 0] < arriving[:, 1])
    return {"36": len(pairs), "34": len(arriving)}


def medians(score: str, d_k: int) -> dict[tuple[float, float], float]:
    """Steps of the median seed of a score at a size, by the rate and the rate of W_V."""
    found = evidence.read("additive_rates")
    middle = {}
    for pair in product(found["rates"], found["rates_of_v"]):
        runs = found["arrived"][f"{score} {d_k} {pair[0]:g} {pair[1]:g}"]
        middle[pair] = float(np.median([one or np.inf for one in runs]))
    return middle


@check
def additive_is_not_faster() -> Numbers:
    """We trained with both scores at three sizes, with ten seeds and rates on both sides of the best pair."""
    best = {}
    for d_k, score in product((16, 64, 256), ("dot", "additive")):
        middle = medians(score, d_k)
        rate, of_v = min(middle, key=lambda pair: middle[pair])
        best[score, d_k] = middle[rate, of_v]
        for at, all_of in ((rate, {one for one, _ in middle}), (of_v, {one for _, one in middle})):
            holds(min(all_of) < at < max(all_of), rate=at)  # the best is not at an edge
    for d_k in (16, 64, 256):
        clearly_larger(best["additive", d_k], best["dot", d_k])
    seeds = evidence.read("additive_rates")["header"]["seeds"]
    return {"ten": len(seeds), **{f"{value:g}": value for value in best.values()}}


@check
def without_the_division(d_k: int = 256) -> Numbers:
    """We looked up the best pair of rates of dot products that are not divided, with five seeds."""
    runs = {name: found for name, found in evidence.read("rates")["arrived"].items() if name.startswith(f"{d_k} 1 ")}
    best = min(float(np.median([one or np.inf for one in found])) for found in runs.values())
    scaled = medians("additive", d_k)
    clearly_larger(best, min(scaled.values()))
    return {"331": best, "five": len(next(iter(runs.values())))}


@check
def scores_block_by_block(block: int = 16) -> Numbers:
    """We ran attention block by block of keys, with a running maximum and sum, for 20 random draws."""
    for rng in draws(20):
        q, k, v = rng.standard_normal((3, 64, 8))
        top, total, out = np.full(64, -np.inf), np.zeros(64), np.zeros((64, 8))
        for at in range(0, 64, block):
            scores = q @ k[at : at + block].T / np.sqrt(8)
            new = np.maximum(top, scores.max(1))
            parts = np.exp(scores - new[:, None])
            kept = np.exp(top - new)
            total, out = kept * total + parts.sum(1), kept[:, None] * out + parts @ v[at : at + block]
            top = new
        always_close(out / total[:, None], softmax(q @ k.T / np.sqrt(8)) @ v, within=1e-9)
    return {}


@check
def spread_in_a_decoder() -> Numbers:
    """We took the standard deviations of scores within rows in all heads of a decoder, over 30 texts of our own."""
    spread = evidence.read("decoder_scores")["spread"]
    heads = np.array(spread["raw"])
    return {
        "270": heads.size,
        "0.75": spread["divided_of_heads"]["least"],
        "7.3": spread["divided_of_heads"]["largest"],
    }


@check
def tanh_does_not_protect(d_k: int = 1024, keys: int = 16) -> Numbers:
    """We drew 1,000 queries, each with 16 keys and an a of variance 1, and looked at the largest weights."""
    rng = np.random.default_rng(0)
    hard = []
    for _ in range(1000):
        q, k, a = rng.standard_normal(d_k), rng.standard_normal((keys, d_k)), rng.standard_normal(d_k)
        hard.append(softmax(np.tanh(q + k) @ a).max() > 1 / 2)
    return {"98 %": np.mean(hard)}
