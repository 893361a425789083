"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.maths import softmax
from whyformer.maths.softmax import Array
from whyformer.model import Config, count_parameters
from whyformer.model.layers import Linear, MultiHead
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.head_size.budget_lab import HEADS, BudgetLab, fitted_scores, wanted_scores

report = reporter(__name__)

PLACES = 24  # tokens of the lab


def attention(heads: int, d_k: int, d_model: int, d_v: int | None = None) -> MultiHead:
    """An attention layer of zeros, of which only the shapes count."""
    width = d_k if d_v is None else d_v
    q, k = (Linear(np.zeros((d_model, heads * d_k))) for _ in range(2))
    return MultiHead(
        heads, q, k, Linear(np.zeros((d_model, heads * width))), Linear(np.zeros((heads * width, d_model)))
    )


def bill(heads: int, d_k: int, d_model: int, n: int = 6) -> tuple[int, int, int]:
    """Parameters, multiplications for the scores, and weights, counted on the arrays of a layer."""
    layer = attention(heads, d_k, d_model)
    x = np.ones((n, d_model))
    found = layer.heads(x, x)
    return count_parameters(layer), found.weights.size * found.k.shape[-1], found.weights.size


def rank(matrix: Any, least: float = 1e-9) -> int:
    """How many singular values are above ``least`` of the largest one."""
    found = np.linalg.svd(np.asarray(matrix, float), compute_uv=False)
    return int((found > least * found[0]).sum())


def centred(matrix: Any) -> np.ndarray:
    """Each row minus its mean: what a softmax cannot see is gone."""
    return np.asarray(matrix) - np.mean(matrix, axis=1, keepdims=True)


def misplaced(weights: Any, wanted: Any) -> float:
    """The share of a query's weight that would have to move to other keys, mean over the queries."""
    return float(np.abs(np.asarray(weights) - wanted).sum(1).mean() / 2)


def nearest(scores: np.ndarray, d_k: int) -> np.ndarray:
    """The nearest matrix of rank d_k."""
    u, s, vt = np.linalg.svd(scores)
    return np.asarray((u[:, :d_k] * s[:d_k]) @ vt[:d_k])


# The bill


@check
def same_bill(d_model: int = 512) -> Numbers:
    """We counted parameters and multiplications of layers of width 64, 192 and 512, cut into 1 to 64 heads."""
    for width in (d_model, 64, 192):
        for heads in (1, 2, 4, 8, 16, 64):
            holds(bill(heads, width // heads, width, 3)[:2] == (4 * width**2, 3**2 * width))
    one, whole = bill(8, 64, d_model, 2), bill(1, d_model, d_model, 2)
    return {"1,048,576": one[0], "same": (one[0], whole[0])}


@check
def full_heads_cost_h_times(d_model: int = 512, heads: int = 8) -> Numbers:
    """We counted layers of width 64 and 512 with 1, 2 and 8 heads, each of them as wide as the model."""
    for width in (d_model, 64):
        one = bill(1, width, width, 2)
        for h in (2, 8):
            holds(bill(h, width, width, 2) == tuple(h * count for count in one))
    for h in HEADS:
        series = BudgetLab(heads=h, width="full").series
        holds(series["parameters"] == h * 4 * 64**2 and series["products"] == h * PLACES**2 * 64)
    return {"8,388,608": bill(heads, d_model, d_model, 2)[0]}


@check
def weights_grow(tokens: int = 2048) -> Numbers:
    """We counted the weights of layers with 1 to 64 heads, and their bytes in single precision at 2,048 tokens."""
    counts = [bill(h, 64 // h, 64)[2] for h in HEADS]
    same(counts, [h * 6**2 for h in HEADS])
    return {"grow": counts, "8": 8, "134": 4 * 8 * tokens**2 / 1e6, "32": 32, "537": 4 * 32 * tokens**2 / 1e6}


# Rank


@check
def scores_have_low_rank(d_k: int = 4, tokens: int = 32) -> Numbers:
    """We drew queries and keys of 1 to 16 numbers for 32 tokens, 20 times, and counted ranks before and after."""
    full = []
    for rng in draws(20):
        for size in (1, 2, 4, 8, 16):
            q, k = rng.standard_normal((2, tokens, size))
            scores = q @ k.T / np.sqrt(size)
            holds(rank(scores) == size and rank(centred(np.log(softmax(scores)))) == size)
            holds(rank(np.log(softmax(scores))) <= size + 1)
            if size == d_k:
                full.append(np.linalg.matrix_rank(softmax(scores)))
    return {"32": max(full)}


@check
def exactly_which_weights(tokens: int = 13) -> Numbers:
    """We drew weights of 9, 13 and 24 tokens, built scores from them, and cut those down by one dimension."""
    for n in (9, tokens, 24):
        for rng in draws(10, seed=n):
            logs = centred(np.log(softmax(2 * rng.standard_normal((n, n)))))
            holds(rank(logs) == n - 1, rank=rank(logs))
            wanted = softmax(logs)
            u, s, vt = np.linalg.svd(logs)
            q, k = u[:, : n - 1] * s[: n - 1] * np.sqrt(n - 1), vt[: n - 1].T
            always_close(softmax(q @ k.T / np.sqrt(n - 1)), wanted, within=1e-9)
            always_larger(misplaced(softmax(nearest(logs, n - 2)), wanted), 1e-5)
    return {"12": tokens - 1, "11": tokens - 2}


@check
def positions_and_rank(d_k: int = 8) -> Numbers:
    """We rotated queries and keys of 8 numbers by their place, and added a bias by distance to the scores, 20 times."""
    at = np.arange(32)
    for rng in draws(20):
        q, k = rng.standard_normal((2, 32, d_k // 2, 2))
        turn = at[:, None] * 10 ** -np.linspace(0, 3, d_k // 2)
        q, k = ((one[..., 0] + 1j * one[..., 1]) * np.exp(1j * turn) for one in (q, k))
        holds(rank((q @ k.conj().T).real) == d_k)
        bias = rng.standard_normal(63)[at[:, None] - at + 31]
        holds(rank((q @ k.conj().T).real + bias) > 2 * d_k)
    return {}


@check
def more_tokens_than_rank(d_k: int = 8) -> Numbers:
    """We fitted random weights of 8 to 48 tokens by the nearest scores of rank 8, 5 times each."""
    found = {}
    for n in (d_k, d_k + 1, 16, 24, 48):
        off = []
        for rng in draws(5, seed=n):
            logs = centred(2 * rng.standard_normal((n, n)))
            off.append(misplaced(softmax(nearest(logs, d_k)), softmax(logs)))
        found[n] = float(np.median(off))
    always_close([found[d_k], found[d_k + 1]], 0, within=1e-9)
    holds(found[16] > 0.1, found=found)
    return {"9": d_k + 1, "24": 24, "a third": found[24], "grows": [found[n] for n in (d_k + 1, 16, 24, 48)]}


# Near


@check
def the_fit_of_the_lab() -> Numbers:
    """We compared the lab's scores with what singular values allow, for all its patterns at five sizes."""
    for pattern in ("itself", "previous", "blocks", "shuffled", "three"):
        wanted = wanted_scores(pattern, 3)
        singular = np.linalg.svd(wanted, compute_uv=False)
        for size in (1, 2, 4, 8, 16):
            fitted = fitted_scores(pattern, 3, size)
            holds(rank(fitted, 1e-8) <= size)
            always_close(((fitted - wanted) ** 2).sum(), (singular[size:] ** 2).sum(), within=1e-8)
    one_key = np.linalg.svd(wanted_scores("shuffled", 3), compute_uv=False)[: PLACES - 1]
    always_close(one_key, one_key[0], within=1e-9)
    turn = 2 * np.pi * np.subtract.outer(np.arange(PLACES), np.arange(PLACES)) / PLACES
    always_close(fitted_scores("itself", 3, 2), np.cos(turn) / 2, within=1e-9)
    return {}


def clock(n: int, rng: np.random.Generator | None = None) -> np.ndarray:
    """Hands of length 1 on a circle, in order or shuffled, (n, 2)."""
    place = np.arange(n) if rng is None else rng.permutation(n)
    angle = 2 * np.pi * place / n
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@check
def two_numbers_point_anywhere(keys: int = 24) -> Numbers:
    """We put 24 and 100 keys on a circle in random orders, and let queries of two numbers ask for each of them."""
    for rng in draws(5):
        for n in (keys, 100):
            hands = clock(n, rng)
            holds(rank(hands @ hands.T) == 2)
            always_larger(softmax(16 * n**2 * hands @ hands.T).diagonal(), 0.99)
            always_larger(0.2, softmax(hands @ hands.T).diagonal())
    return {}


@check
def the_gap_needs_length() -> Numbers:
    """We computed the gap between the wanted key and its neighbour on clocks of 50 to 400 keys."""
    gap = np.array([1 - (clock(n) @ clock(n)[0])[1] for n in (50, 100, 200, 400)])
    always_close(gap * np.array([50, 100, 200, 400]) ** 2 / (2 * np.pi**2), 1, within=2e-3)
    always_close(gap[:-1] / gap[1:], 4, within=0.01)
    return {}


@check
def any_few_keys(gain: float = 1e7) -> Numbers:
    """We gave 24 keys the powers of their place and let every query ask for 1, 2 or 3 random keys by a polynomial."""
    at = np.linspace(-1, 1, PLACES)
    for m in (1, 2, 3):
        keys = at[:, None] ** np.arange(1, 2 * m + 1)
        for rng in draws(10, seed=m):
            sets = [rng.choice(PLACES, m, replace=False) for _ in range(PLACES)]
            factors = np.array([-gain * np.poly(np.repeat(at[chosen], 2))[::-1] for chosen in sets])
            near = softmax(factors[:, 1:] @ keys.T)
            wanted = np.array([np.isin(np.arange(PLACES), chosen) / m for chosen in sets])
            always_close(near, wanted, within=0.01)
    return {}


@check
def it_depends_on_the_pattern() -> Numbers:
    """We took the lab's fits at 32 heads with the best gain of its slider, for one key each in five orders."""
    best = {name: BudgetLab(pattern=name, heads=32).series["error_best"][5] for name in ("blocks", "shuffled", "three")}
    others = [BudgetLab(pattern="shuffled", heads=32, seed=seed).series["error_best"][5] for seed in range(5)]
    clearly_larger(min(others), best["blocks"])
    clearly_larger(best["three"], max(others))
    return {}


@check
def three_scattered_keys() -> Numbers:
    """We tried every gain of the lab's slider."""
    errors = [BudgetLab(pattern="three", heads=32, gain=2**power).series["error"] for power in range(11)]
    return {"more than half": (min(errors) / 100, 0.5)}


@check
def three_even_keys(gain: float = 1000) -> Numbers:
    """We put 24 keys on a circle, three at each place, and let each query point at the three at its own place."""
    at = np.arange(PLACES)
    turn = 2 * np.pi * 3 * (at - at[:, None]) / PLACES
    holds(rank(np.cos(turn)) == 2)
    always_close(softmax(gain * np.cos(turn)), np.isin((at - at[:, None]) % PLACES, [0, 8, 16]) / 3, within=1e-9)
    return {"two": 2}


@check
def a_norm_bounds_the_scores(d_k: int = 2, keys: int = 24) -> Numbers:
    """We gave random queries and keys length sqrt(d_k), and put 24 such keys of two numbers on a circle."""
    for rng in draws(5):
        for size in (d_k, 8, 64):
            q, k = rng.standard_normal((2, 200, size))
            q, k = (np.sqrt(size) * one / np.linalg.norm(one, axis=1, keepdims=True) for one in (q, k))
            holds(abs(q @ k.T / np.sqrt(size)).max() <= np.sqrt(size) * (1 + 1e-9))
    hands = np.sqrt(d_k) * clock(keys)
    weights = softmax(hands @ hands.T / np.sqrt(d_k)).diagonal()
    return {"24": keys, "11 %": weights.mean()}


@check
def any_few_keys_in_single_precision(gain: float = 1e7, m: int = 3) -> Numbers:
    """We let every query ask for 3 random keys by line 6, with all numbers in single precision, 10 times."""
    at, off = np.linspace(-1, 1, PLACES), []
    keys = (at[:, None] ** np.arange(1, 2 * m + 1)).astype(np.float32)
    for rng in draws(10, seed=m):
        sets = [rng.choice(PLACES, m, replace=False) for _ in range(PLACES)]
        factors = np.array([-gain * np.poly(np.repeat(at[chosen], 2))[::-1] for chosen in sets], np.float32)
        scores = np.add.reduce([factors[:, i + 1, None] * keys[:, i] for i in range(2 * m)])  # in one order
        holds(abs(scores).max() > 1e7)
        wanted = np.array([np.isin(np.arange(PLACES), chosen) / m for chosen in sets])
        off.append(misplaced(softmax(scores), wanted))
    return {"3": m, "24": PLACES, "more than 5 %": (np.array(off), 0.05)}


@check
def three_heads_together(gain: float = 1000) -> Numbers:
    """We let three heads of two numbers take one of three scattered keys each, and added up a third of each."""
    at = np.arange(PLACES)
    wanted = np.isin((at - at[:, None]) % PLACES, [0, 2, 8]) / 3
    heads = [softmax(gain * np.cos(2 * np.pi * (at[:, None] + ahead - at) / PLACES)) for ahead in (0, 2, 8)]
    always_close(np.mean(heads, axis=0), wanted, within=1e-9)
    return {"2": 2, "a third": np.mean(heads, axis=0)[wanted > 0].mean()}


# What training finds


@cache
def descended(wanted: str, d_k: int, rate: float = 0.1, nearer: bool = False, starts: int = 3, seed: int = 0) -> Array:
    """Misplaced weight, (starts,), of queries and keys that Adam found by the cross-entropy in 800 steps.

    wanted: a pattern of the lab, or "random": log-weights of standard deviation 2. ``nearer``: another 800 steps bring
    down the misplaced weight itself, smoothed around 0 less and less. The rate falls to 0 as a cosine. Two digits are
    left: so many steps make the later ones differ between processors.
    """
    rng = np.random.default_rng(seed)
    logs = 2 * draw_of(PLACES) if wanted == "random" else wanted_scores(wanted, 3)
    goal = softmax(logs)
    both = (
        1.5 * rng.standard_normal((2, starts, PLACES, d_k)) if nearer else rng.standard_normal((2, starts, PLACES, d_k))
    )
    first, second = np.zeros_like(both), np.zeros_like(both)
    steps = 1600 if nearer else 800
    for step in range(1, steps + 1):
        q, k = both
        weights = softmax(q @ k.swapaxes(1, 2) / np.sqrt(d_k))
        behind = weights - goal
        if step > 800:
            pull = behind / np.sqrt(behind**2 + (0.02 * (1 - step / steps) + 0.001) ** 2)
            behind = weights * (pull - (weights * pull).sum(2, keepdims=True)) / 2
        slope = np.stack([behind @ k, behind.swapaxes(1, 2) @ q]) / np.sqrt(d_k)
        first += 0.1 * (slope - first)
        second += 0.001 * (slope**2 - second)
        now = rate * np.cos(np.pi / 2 * step / steps) ** 2
        both = both - now * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    weights = softmax(both[0] @ both[1].swapaxes(1, 2) / np.sqrt(d_k))
    return np.array([float(f"{one:.2g}") for one in np.abs(weights - goal).sum(2).mean(1) / 2])


def draw_of(n: int) -> Array:
    """The random numbers of the first cell, (n, n)."""
    return np.random.default_rng(0).standard_normal((n, n))


def learned(pattern: str, d_k: int, seed: int = 0) -> float:
    """Misplaced weight, median over three starts, of what Adam finds by the cross-entropy."""
    return float(np.median(descended(pattern, d_k, seed=seed)))


def nearest_found(wanted: str, d_k: int) -> float:
    """The least misplaced weight over three starts and two rates, if Adam minimises it."""
    return float(min(descended(wanted, d_k, rate, nearer=True).min() for rate in (0.1, 0.3)))


@check
def what_adam_finds(d_k: int = 8) -> Numbers:
    """We let Adam minimise what is misplaced of random weights of 24 tokens, from three starts at two rates."""
    return {"8": d_k, "less than 5 %": (nearest_found("random", d_k), 0.05)}


@check
def three_keys_at_best() -> Numbers:
    """We let each query want three scattered keys, and Adam minimise what is misplaced, from three starts."""
    two, four = nearest_found("three", 2), nearest_found("three", 4)
    holds(two < min(BudgetLab(pattern="three", heads=32).series["error_best"][5], learned("three", 2)))
    return {
        "0": 0,
        "2": 2,
        "8": 8,
        "above": (two, 0.25),
        "more than a quarter": (two, 0.25),
        "below 3 %": (four, 0.03),
        "less than 3 %": (four, 0.03),
    }


@check
def training_need_not_find_the_clock(keys: int = 24) -> Numbers:
    """We let Adam find queries and keys of two numbers for one key each, at four rates, and then go on."""
    found = [descended("shuffled", 2, rate) for rate in (0.01, 0.03, 0.1, 0.3)]
    holds(misplaced(softmax(16 * keys**2 * clock(keys) @ clock(keys).T), np.eye(keys)) < 0.01)
    return {
        "24": keys,
        "more than half": (np.array(found), 0.5),
        "nothing": round(misplaced(softmax(16 * keys**2 * clock(keys) @ clock(keys).T), np.eye(keys)), 2),
        "less than a quarter": (nearest_found("shuffled", 2), 0.25),
    }


@check
def training_comes_nearer(d_k: int = 4) -> Numbers:
    """We let each query want three scattered keys, and Adam find queries and keys, from three starts, twice."""
    fit = BudgetLab(pattern="three").series["error_best"][HEADS.index(64 // d_k)]
    always_larger(0.12, [learned("three", d_k), learned("three", d_k, seed=1)])
    return {"12 %": 0.12, "38 %": fit}


@check
def training_gains_from_size() -> Numbers:
    """We let Adam find queries and keys of 2, 4 and 8 numbers for three patterns, from three starts each."""
    sizes = (2, 4, 8)
    course = [[learned(pattern, d_k) for d_k in sizes] for pattern in ("shuffled", "blocks", "three")]
    return {"falls": course, "2": sizes[0], "8": sizes[-1], "800": 800, "24": PLACES}


# The ablation of 2017


@check
def rows_b_shrink_queries_and_keys(vocabulary: int = 40_960) -> Numbers:
    """We counted the base model with a table of 40,960 tokens and shrank the maps of its 18 attention layers."""
    base = Config(vocabulary=vocabulary, d_model=512, n_heads=8, d_ff=2048).n_parameters()
    whole = count_parameters(attention(8, 64, 512))
    alone = {d_k: 18 * (whole - count_parameters(attention(8, d_k, 512, d_v=64))) for d_k in (32, 16)}
    both = {d_k: 18 * (whole - count_parameters(attention(8, d_k, 512))) for d_k in (32, 16)}
    holds([round((base - alone[d_k]) / 1e6) for d_k in (32, 16)] == [60, 58])
    holds(alone[16] == 18 * 2 * 8 * 512 * (64 - 16))
    return {
        "65": base / 1e6,
        "58": (base - alone[16]) / 1e6,
        "7.1": alone[16] / 1e6,
        "51": (base - both[16]) / 1e6,
        "18": 18,
    }


# The trained models


@check
def directions_of_a_trained_head() -> Numbers:
    """We took the singular values of W_Q W_Kᵀ of the 72 heads, and of 6 random pairs of the same shape."""
    found = {name: np.array(values) for name, values in evidence.read("trained")["rank"].items()}
    holds(found["for_90_percent"].shape == (6, 12))
    random = []
    for rng in draws(6):
        one, other = rng.standard_normal((2, 384, 32))
        squares = np.linalg.svd(np.linalg.qr(one)[1] @ np.linalg.qr(other)[1].T, compute_uv=False) ** 2
        random.append([(np.cumsum(squares) < 0.9 * squares.sum()).sum() + 1, squares.sum() ** 2 / (squares**2).sum()])
    of_layers = found["participation"].mean(1)
    always_larger(np.mean(random, axis=0)[1], of_layers)
    return {
        "10": found["for_90_percent"].min(),
        "27": found["for_90_percent"].max(),
        "32": 32,
        "72": found["for_90_percent"].size,
        "26": np.mean(random, axis=0)[0],
        "19.5": of_layers.min(),
        "24.3": of_layers.max(),
        "27.5": np.mean(random, axis=0)[1],
        "4.4": found["participation"].min(),
    }


def kept(sets: int, d_k: int, d_v: int | None = None) -> int:
    """Numbers that a layer keeps of a token: a key and a value in each set."""
    return sets * (d_k + (d_k if d_v is None else d_v))


@check
def output_takes_any_width() -> Numbers:
    """We ran layers of width 24 with 1 to 8 heads of 2 to 16 numbers, whatever their product, on random tokens."""
    for rng in draws(5):
        x = rng.standard_normal((5, 24))
        for heads, size in ((1, 2), (3, 8), (4, 16), (8, 16)):
            q, k, v = (Linear(rng.standard_normal((24, heads * size))) for _ in range(3))
            out = Linear(rng.standard_normal((heads * size, 24)))
            holds(MultiHead(heads, q, k, v, out)(x, x).shape == (5, 24))
    return {}


@check
def wider_heads_same_cache() -> Numbers:
    """We counted the keys and values that a layer keeps for a token, with 8 sets of size 128 and 16 of size 64."""
    return {
        "16": 16,
        "128": 128,
        "8": 8,
        "64": 1024 // 16,
        "2,048": kept(8, 128),
        "same": (kept(8, 128), kept(16, 1024 // 16)),
    }


@check
def latent_cache() -> Numbers:
    """We counted what 128 heads with keys of 192 and values of 128 numbers keep for a token, and the latent vector."""
    own = kept(128, 192, 128)
    return {"40,960": own, "576": 512 + 64, "56": 7168 / 128, "192": 128 + 64, "128": 128}


@check
def latent_keys_keep_their_rank() -> Numbers:
    """We made keys of 8 heads of 6 numbers from one latent of 20 random numbers, 5 times, and counted ranks."""
    for rng in draws(5):
        latent, up = rng.standard_normal((30, 20)), rng.standard_normal((8, 20, 6))
        q = rng.standard_normal((8, 30, 6))
        keys = latent @ up
        holds(rank(np.concatenate(list(keys), axis=1)) == 20)
        holds([rank(a @ b.T) for a, b in zip(q, keys, strict=True)] == [6] * 8)
        for a, b in zip(q, up, strict=True):  # the query moved into the latent space gives the same scores
            same(a @ (latent @ b).T, (a @ b.T) @ latent.T)
    return {}


@check
def sharing_has_to_be_trained() -> Numbers:
    """We gave all 9 heads of each layer the mean of their 3 sets of keys and values, on 30 texts."""
    groups = evidence.read("decoder_scores")["groups"]
    holds(groups["one_head"]["worse"] == 30)
    return {
        "9": 9,
        "3": 9 * groups["cache"]["shared"] / groups["cache"]["own"],
        "5.3": groups["one_head"]["mean"],
        "30": groups["one_head"]["worse"],
    }


# Deeper


def off_if_masked(scores: np.ndarray, d_k: int) -> float:
    """How far some weight is off if keys and queries of d_k numbers are to give these scores under a causal mask."""
    wanted = (scores - scores[:, :1])[1:, 1:]  # the first key and the first query are zeros
    q, k = wanted[:, :d_k], np.eye(len(wanted), d_k)
    for j in range(d_k, len(wanted)):
        k[j] = np.linalg.lstsq(q[j:], wanted[j:, j], rcond=None)[0]
    q, k = np.pad(q, ((1, 0), (0, 0))), np.pad(k, ((1, 0), (0, 0)))
    seen = np.tri(len(scores)) > 0
    masked = [softmax(np.where(seen, one, -np.inf)) for one in (q @ k.T, scores)]
    return float(abs(masked[0] - masked[1]).max())


@check
def a_mask_halves_the_limit(tokens: int = 9) -> Numbers:
    """We built queries and keys for random scores of 8 to 20 tokens under a causal mask, and tried one number less."""
    for n in (8, tokens, 12, 13, 20):
        for rng in draws(10, seed=n):
            scores = rng.standard_normal((n, n))
            always_close(off_if_masked(scores, n // 2), 0, within=1e-6)
            last = scores[-(n // 2) :, : n // 2 + 1]  # the last queries see all of these keys
            holds(rank(centred(last)) == n // 2)
            holds(rank(centred(scores)) == n - 1)
    return {"4": tokens // 2, "8": tokens - 1, "half": (2 * (tokens // 2), 2 * (tokens - 1))}


def off_with_one_pair(inputs: int, d_model: int, rng: np.random.Generator, n: int = 12) -> float:
    """How far some weight is off if one W_Q and W_K is to give each input its own weights, with d_k = n - 1."""
    X = rng.standard_normal((inputs, n, d_model))
    A = softmax(2 * rng.standard_normal((inputs, n, n)))
    u, s, vt = np.linalg.svd(np.log(A) - np.log(A).mean(2, keepdims=True))
    Q, K = u[..., : n - 1] * s[:, None, : n - 1] * np.sqrt(n - 1), vt[:, : n - 1].swapaxes(1, 2)
    back = np.linalg.pinv(X.reshape(-1, d_model))
    W_Q, W_K = (back @ wanted.reshape(-1, n - 1) for wanted in (Q, K))
    return float(abs(softmax(X @ W_Q @ (X @ W_K).swapaxes(1, 2) / np.sqrt(n - 1)) - A).max())


@check
def one_pair_for_several_inputs() -> Numbers:
    """We solved for one W_Q and W_K that give 1 to 5 inputs of 12 tokens random weights, with room and without."""
    for rng in draws(5):
        for inputs, d_model in ((1, 12), (1, 20), (2, 24), (3, 36), (5, 64)):
            always_close(off_with_one_pair(inputs, d_model, rng), 0, within=1e-6)
        for inputs in (2, 3):
            always_larger(off_with_one_pair(inputs, 20, rng), 0.01)
    return {}


@check
def no_size_is_enough_for_many_tokens() -> Numbers:
    """We asked 12 to 40 random tokens of width 20 for random weights, and looked which scores they can have at all."""
    for rng in draws(5):
        for n in (12, 20, 21, 22, 40):
            X = rng.standard_normal((n, 20))
            wanted = centred(2 * rng.standard_normal((n, n)))
            left = abs(wanted - X @ np.linalg.lstsq(X, wanted, rcond=None)[0]).max()
            if n > 20:
                always_larger(left, 0.1)
            else:
                always_close(left, 0, within=1e-6)
    return {}
