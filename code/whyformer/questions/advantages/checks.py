"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.maths import softmax
from whyformer.maths.softmax import Array
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.advantages.layers_lab import LENGTHS, WIDTHS
from whyformer.questions.advantages.layers_lab import compute as layers
from whyformer.questions.advantages.path_lab import D as UNITS
from whyformer.questions.advantages.path_lab import compute as path

report = reporter(__name__)

Layer = Callable[[Array], Array]
PATH: dict[str, Any] = {"scale": 1.0, "matrix": "normal", "unit": "loud", "gate": 0.0, "lead": 0.0, "seed": 1}
LAYERS: dict[str, Any] = {"n": 4096, "d": 512, "kernel": 3, "window": 64, "count": "table"}


class Number:
    """Stands for any number, and counts how often two are multiplied."""

    products = 0

    def __mul__(self, other: object) -> Number:
        Number.products += 1
        return self

    def __add__(self, other: object) -> Number:
        return self


def count(*shapes: tuple[int, int, int]) -> int:
    """Multiplications in products of an a x b by a b x c matrix, each given as (a, b, c), counted as they are made."""
    Number.products = 0
    for a, b, c in shapes:
        np.full((a, b), Number()) @ np.full((b, c), Number())
    return Number.products


def attention_counted(n: int, d: int, wide: int = 0) -> int:
    """Multiplications of an attention layer of four d x d matrices, with a feed-forward network of ``wide`` units."""
    return count(*[(n, d, d)] * 4, (n, d, n), (n, n, d), *[(n, d, wide), (n, wide, d)] * bool(wide))


def masked(rng: np.random.Generator, d: int, mask: bool = True) -> Layer:
    """One head of attention with random matrices, (n, d) to (n, d)."""
    w_q, w_k, w_v = rng.standard_normal((3, d, d)) / np.sqrt(d)

    def layer(x: Array) -> Array:
        scores = x @ w_q @ (x @ w_k).T / np.sqrt(d)
        looks = np.tri(len(x), dtype=bool) if mask else np.ones((len(x), len(x)), bool)
        return np.asarray(softmax(np.where(looks, scores, -np.inf)) @ x @ w_v)

    return layer


def recurrent(rng: np.random.Generator, d: int, cut: int = -1) -> Layer:
    """A simple RNN with a random matrix; after step ``cut`` its state is forgotten."""
    w = rng.standard_normal((d, d)) / np.sqrt(d)

    def layer(x: Array) -> Array:
        h, states = np.zeros(d), []
        for t, one in enumerate(x):
            h = np.tanh(w @ h + one)
            states.append(h)
            if t == cut:
                h = np.zeros(d)
        return np.array(states)

    return layer


def moved(layer: Layer, x: Array, j: int, rng: np.random.Generator) -> Array:
    """Which rows of the layer's output move when row j of x does."""
    other = x.copy()
    other[j] = rng.standard_normal(x.shape[1])
    return np.asarray(np.abs(layer(other) - layer(x)).max(1) > 1e-12)


def texts() -> Iterable[tuple[np.random.Generator, Array]]:
    """Twelve short texts of two lengths and two widths, each with a generator for its layers."""
    for n in (4, 12):
        for d in (3, 8):
            for rng in draws(3, seed=n + d):
                yield rng, rng.standard_normal((n, d))


# ---- waiting, hops, and the price


@check
def training_waits_for_nothing() -> Numbers:
    """We computed the rows of masked layers alone and in random order, and cut a recurrence between its steps."""
    for rng, x in texts():
        layer = masked(rng, x.shape[1])
        rows = layer(x)
        for t in rng.permutation(len(x)):  # each row from the inputs alone: no other output is there yet
            same(layer(x[: t + 1])[-1], rows[t])
        for cut in range(len(x) - 1):  # a recurrence does need the state before
            holds(not moved(recurrent(np.random.default_rng(cut), x.shape[1], cut), x, 0, rng)[-1])
    return {}


@check
def one_hop_between_any_two() -> Numbers:
    """We moved one token after another, and cut a recurrence after each step between the first token and the last."""
    for rng, x in texts():
        attention, d = masked(rng, x.shape[1]), x.shape[1]
        holds(all(moved(attention, x, j, rng)[j:].all() for j in range(len(x))))
        holds(moved(recurrent(np.random.default_rng(5), d), x, 0, rng)[-1])
        for cut in range(len(x) - 1):
            holds(not moved(recurrent(np.random.default_rng(5), d, cut), x, 0, rng)[-1])
    found = layers(**LAYERS | {"n": 1024})
    same(found["hops_recurrence"], 1023)
    return {"one": found["hops_attention"]}


@check
def the_price() -> Numbers:
    """We counted scores and the cache at growing lengths, and moved the token before the last."""
    for n in (4, 8, 16):
        same(count((2 * n, 3, 2 * n)) / count((n, 3, n)), 4)
    for rng, x in texts():
        holds(moved(masked(rng, x.shape[1]), x, len(x) - 2, rng)[-1])
    kept = layers(**LAYERS)["kept"]
    return {"grow": layers(**LAYERS)["work"][0], "grows": kept[0]}


@check
def scores_grow_with_the_square() -> Numbers:
    """We counted the multiplications of all scores for texts of 4 to 32 tokens, as they were made."""
    times = [count((2 * n, d, 2 * n)) / count((n, d, n)) for n in (4, 8, 16) for d in (2, 5)]
    same(times, 4)
    return {"four": times[0]}


@check
def three_things() -> Numbers:
    """We compared the three counts of a whole Transformer layer and of an LSTM at thirteen lengths."""
    for n in LENGTHS:
        one = layers(**LAYERS | {"n": n, "count": "layer"})
        holds(one["ratio"] > 1 and one["waits_attention"] < one["waits_recurrence"])
        holds(one["hops_attention"] < one["hops_recurrence"])
    return {}


# ---- the cost, line by line


@check
def multiplications() -> Numbers:
    """We counted the multiplications of small layers one by one, as they were made."""
    for n, d in ((3, 5), (6, 6), (12, 6)):
        step = [(d, d, 1)] * n
        same(count(*step * 2), 2 * n * d**2)
        same(count(*step * 8), 8 * n * d**2)
        same(count((n, d, n)), n**2 * d)
        same(attention_counted(n, d), 4 * n * d**2 + 2 * n**2 * d)
        same(attention_counted(n, d, 4 * d), 12 * n * d**2 + 2 * n**2 * d)
    return {}


@check
def where_they_meet(d: int = 512) -> Numbers:
    """We compared both layers at seven widths and thirteen lengths by each of the four counts."""
    for width in WIDTHS:
        over = {
            which: layers(**LAYERS | {"d": width, "count": which})["relative"][0]
            for which in ("table", "lstm", "simple", "layer")
        }
        lengths = np.array(LENGTHS)
        holds(((over["table"] < 1 - 1e-12) == (lengths < width)).all())
        holds(((over["lstm"] < 1 - 1e-12) == (lengths < 2 * width)).all())
        always_larger(over["simple"], 2)
        always_larger(over["layer"], 1.5)
    small = 8  # at which each multiplication can be counted
    same(attention_counted(small, small, 4 * small) / count(*[(small, small, 1)] * 8 * small), 1.75)
    return {"1.75": layers(**LAYERS | {"n": d, "d": d, "count": "layer"})["ratio"]}


@check
def equal_parameters(d: int = 512) -> Numbers:
    """We counted both layers, one by one at small widths, with an LSTM that has as many parameters."""
    for small, wide in ((2, 4), (4, 4)):  # 12 d^2 = 8 w^2 has no whole solution: what an LSTM takes is 8 n w^2
        same(count(*[(wide, wide, 1)] * 8 * small), 8 * small * wide**2)
    ratio = {}
    for n in LENGTHS:
        for width in WIDTHS:
            lstm = 8 * n * (1.5 * width**2)  # of width sqrt(1.5) d
            work = layers(**LAYERS | {"n": n, "d": width, "count": "layer"})["work"][0][LENGTHS.index(n)]
            holds(work > lstm)
            if n == width == d:
                ratio = {"1.17": work / lstm, "1.08": (work - n**2 * width) / lstm}
    return {"1.22": np.sqrt(12 / 8), **ratio}


def layers_until_seen(n: int, places: Sequence[Iterable[int]]) -> int:
    """How many layers until the last of n tokens has heard of the first; layer i looks back by places[i]."""
    heard, number = {n - 1}, 0
    while 0 not in heard:
        heard |= {at - back for at in heard for back in places[number] if at >= back}
        number += 1
    return number


@check
def layers_until_heard() -> Numbers:
    """We walked back from the last of 16 to 300 tokens, layer by layer, for kernels and windows of five sizes."""
    for n, k in ((16, 2), (100, 3), (243, 3), (244, 3), (300, 9)):
        holds(layers_until_seen(n, [range(k)] * n) == -(-(n - 1) // (k - 1)))
        needed = next(number for number in range(20) if k**number >= n)
        holds(layers_until_seen(n, [range(0, k ** (i + 1), k**i) for i in range(20)]) == needed)
    return {}


@check
def decoding_with_a_cache() -> Numbers:
    """We generated the rows of a masked head one by one with a cache, and compared them with all rows at once."""
    for rng in draws(5):
        d, t = 6, np.arange(1, 12)
        x, (w_q, w_k, w_v, w_o) = rng.standard_normal((11, d)), rng.standard_normal((4, d, d))
        keys, values, bill = np.zeros((0, d)), np.zeros((0, d)), []
        scores = np.where(np.tri(11, dtype=bool), x @ w_q @ (x @ w_k).T / np.sqrt(d), -np.inf)
        at_once = softmax(scores) @ x @ w_v @ w_o
        for i, one in enumerate(x):
            keys, values = np.vstack([keys, one @ w_k]), np.vstack([values, one @ w_v])
            always_close(softmax(keys @ (one @ w_q) / np.sqrt(d)) @ values @ w_o, at_once[i], within=1e-9)
            made = count(*[(1, d, d)] * 4, (1, d, i + 1), (1, i + 1, d))
            bill.append((made, keys.size + values.size))
        same(bill, np.stack([4 * d**2 + 2 * t * d, 2 * t * d], 1))
    kept = [layers(**LAYERS | {"count": which})["kept"] for which in ("simple", "lstm")]
    same(kept[0][1], 512)
    same(kept[1][1], 2 * 512)
    return {"grows": kept[0][0], "one state": np.unique(kept[0][1]).size}


@check
def a_large_cache(n_layers: int = 32, width: int = 4096, bits: int = 16) -> Numbers:
    """We took the numbers that the lab keeps for a token, times layers and bytes."""
    per_token = layers(**LAYERS | {"d": width})["kept"][0][0] / LENGTHS[0]
    return {"0.5": n_layers * per_token * bits / 8 / 2**20}


# ---- what comes back


@check
def product_of_steps() -> Numbers:
    """We multiplied the steps of small RNNs, compared with derivatives at complex inputs, and with the bound."""
    d, n = 6, 20
    for rng in draws(3):
        for size in (0.5, 0.9, 2.0):
            w = rng.standard_normal((d, d))
            w *= size / np.linalg.norm(w, 2)
            inputs = rng.standard_normal((n, d))
            h = np.tanh(inputs[0])
            start, product = h.copy(), np.eye(d)
            for x in inputs[1:]:
                h = np.tanh(w @ h + x)
                product = np.diag(1 - h**2) @ w @ product
            holds(np.linalg.norm(product, 2) <= size ** (n - 1))
            for j in range(d):
                z = start + 1e-30j * np.eye(d)[j]
                for x in inputs[1:]:
                    z = np.tanh(w @ z + x)
                holds(np.allclose(z.imag / 1e-30, product[:, j], rtol=1e-9, atol=1e-300))
    for seed in range(5):  # the norm is above 1, and what comes back can be more or less than was sent
        holds(path(**PATH | {"scale": 1.8, "unit": "none", "matrix": "rotation", "seed": seed})["end_recurrence"] > 1)
        holds(path(**PATH | {"scale": 1.5, "seed": seed})["end_recurrence"] < 1)
    return {}


def left(size: float, scale: float, d: int, steps: int, seed: int, runs: int = 20) -> float:
    """What is left of a unit gradient after so many steps of a simple RNN with tanh, median over runs."""
    rng = np.random.default_rng(seed)
    w, h, slopes = scale * rng.standard_normal((runs, d, d)) / np.sqrt(d), np.zeros((runs, d)), []
    for _ in range(steps + 1):
        h = np.tanh((w @ h[..., None])[..., 0] + size * rng.standard_normal((runs, d)))
        slopes.append(1 - h**2)
    back = rng.standard_normal((runs, d))
    back /= np.linalg.norm(back, axis=1, keepdims=True)
    for slope in slopes[:0:-1]:
        back = ((slope * back)[:, None] @ w)[:, 0]
    return float(np.median(np.linalg.norm(back, axis=1)))


@check
def inputs_decide(d: int = 64, steps: int = 49, scale: float = 1.0) -> Numbers:
    """We sent a gradient back through RNNs with random matrices, at three sizes of the inputs, for six seeds each."""
    default = 3**-0.5  # torch.nn.RNN draws evenly from -1/sqrt(d) to 1/sqrt(d)
    loud, quiet, tiny, less, least = (
        np.array([left(size, by * scale, d, steps, seed) for seed in range(6)])
        for size, by in ((0.5, 1), (0.1, 1), (0.05, 1), (0.1, 0.9), (0.1, default))
    )
    return {
        "less than 0.00001": (loud, 0.00001),
        "0.5": 0.5,
        "0.1": 0.1,
        "more than 0.02": (quiet, 0.02),
        "more than 0.1": (tiny, 0.1),
        "0.05": 0.05,
        "0.9": 0.9,
        "less than 0.01": (less, 0.01),
        "0.58": default,
        "less than 0.000001": (least, 0.000001),
    }


@check
def without_tanh() -> Numbers:
    """We took tanh away in the path lab, with rotations and with random matrices, for six draws of 21 runs."""
    turned = [path(**PATH | {"unit": "none", "matrix": "rotation", "seed": seed}) for seed in range(6)]
    same([one["end_recurrence"] for one in turned], 1)
    orders = [path(**PATH | {"unit": "none", "seed": seed})["orders"] for seed in range(6)]
    return {"12": UNITS, "more than 3": (np.array(orders), 3)}


@check
def a_gate_keeps(gate: float = 0.99, steps: int = 49) -> Numbers:
    """We multiplied 49 steps of a gated recurrence with any slopes, 200 times, and took the worst direction."""
    least = (gate - (1 - gate)) ** steps
    for rng in draws(5):
        w = rng.standard_normal((40, 6, 6))
        w /= np.linalg.norm(w, 2, axis=(1, 2), keepdims=True)
        product = np.broadcast_to(np.eye(6), w.shape)
        for _ in range(steps):
            slopes = rng.uniform(0, 1, (40, 6, 1))
            product = (gate * np.eye(6) + (1 - gate) * slopes * w) @ product
        holds(np.linalg.svd(product, compute_uv=False)[:, -1].min() >= least)
    return {"37 %": least}


def left_at_the_cell(bias: float, steps: int, seed: int, size: float = 1.0, runs: int = 60, d: int = 12) -> float:
    """How far the cell of a random LSTM moves for each unit that it was moved so many steps before, median."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((runs, 4 * d, 2 * d)) / np.sqrt(2 * d)
    start = rng.standard_normal((runs, d))
    c = 1e-30j * start / np.linalg.norm(start, axis=1, keepdims=True)  # a move in the imaginary direction
    h = np.zeros((runs, d), complex)
    for _ in range(steps):
        x = size * rng.standard_normal((runs, d))
        enter, forget, leave, new = np.split((w @ np.concatenate([h, x], 1)[..., None])[..., 0], 4, axis=1)
        c = 1 / (1 + np.exp(-forget - bias)) * c + 1 / (1 + np.exp(-enter)) * np.tanh(new)
        h = 1 / (1 + np.exp(-leave)) * np.tanh(c)
    return float(np.median(np.linalg.norm(c.imag, axis=1) / 1e-30))


@check
def bias_of_the_forget_gate(steps: int = 49) -> Numbers:
    """We moved the cells of 60 random LSTMs of 12 cells with inputs of size 1, for five seeds and three biases."""
    zero, one, opened = (np.array([left_at_the_cell(bias, steps, seed) for seed in range(5)]) for bias in (0, 1, 3))
    closed = np.concatenate([zero, one])
    holds(((opened > 0.2) & (opened < 2)).all(), opened=opened)
    return {"12": 12, "0": 0, "1": 1, "less than 0.0001": (closed, 0.0001), "3": 3, "0.2": 0.2, "2": 2}


@check
def bias_and_inputs(bias: float = 3, steps: int = 49) -> Numbers:
    """We moved the cells of 60 random LSTMs with small and with large inputs, for five seeds."""
    quiet, loud = (np.array([left_at_the_cell(bias, steps, seed, size) for seed in range(5)]) for size in (0.1, 3.0))
    return {"more than 3": (quiet, 3), "0.1": 0.1, "3": 3, "less than 0.05": (loud, 0.05)}


@check
def the_cell_of_1997(steps: int = 1000, d: int = 12) -> Numbers:
    """We moved the cells of random LSTMs without a forget gate, and passed on what comes along the cell alone."""
    for rng in draws(5):
        w, h = rng.standard_normal((3 * d, 2 * d)) / np.sqrt(2 * d), np.zeros(d)
        move = rng.standard_normal(d)
        c = 1e-30j * move
        for _ in range(steps):
            enter, leave, new = np.split(w @ np.concatenate([h, rng.standard_normal(d)]), 3)
            c = c + 1 / (1 + np.exp(-enter)) * np.tanh(new)
            h = 1 / (1 + np.exp(-leave)) * np.tanh(c.real)  # the state passes nothing on
        always_close(c.imag / 1e-30, move, within=1e-9)
    return {"same": (c.imag / 1e-30, move), "1000": steps}


@check
def gradient_through_attention() -> Numbers:
    """We compared the formula with derivatives at complex inputs, for 20 random heads."""
    d, d_k, d_v, n, j = 7, 3, 4, 9, 2
    for rng in draws(20):
        w_k, w_v, q = rng.standard_normal((d, d_k)), rng.standard_normal((d, d_v)), rng.standard_normal(d_k)
        x = rng.standard_normal((n, d))
        y = softmax(x @ w_k @ q / np.sqrt(d_k))
        o = y @ (x @ w_v)
        formula = y[j] * (w_v.T + np.outer(x[j] @ w_v - o, w_k @ q) / np.sqrt(d_k))
        for i in range(d):
            nudged = x.astype(complex)
            nudged[j, i] += 1e-30j
            e = np.exp(nudged @ w_k @ q / np.sqrt(d_k))
            holds(np.allclose((e @ (nudged @ w_v) / e.sum()).imag / 1e-30, formula[:, i], rtol=1e-9))
    return {}


@check
def a_hop_carries_its_weight(n_keys: int = 1000) -> Numbers:
    """We moved one value among others, with random weights and with equal ones."""
    for rng in draws(20):
        v, y = rng.standard_normal((30, 3)), softmax(rng.standard_normal(30))
        always_close(y @ (v + np.eye(30)[:, [4]]) - y @ v, y[4], within=1e-12)
    equal = softmax(np.zeros(n_keys))
    same(equal, 1 / 1000)
    return {}


def lead(n: int, w: float) -> float:
    """By how much one of n scores leads the others, which are equal, if its weight is w."""
    return float(np.log(n - 1) + np.log(w / (1 - w)))


@check
def lead_for_a_weight() -> Numbers:
    """We put the lead into a softmax for four numbers of keys and weights."""
    for n, w in ((50, 0.5), (1000, 0.5), (1000, 0.99), (7, 0.2)):
        same(softmax(np.r_[lead(n, w), np.zeros(n - 1)])[0], w)
    return {"50": 50, "3.89": lead(50, 0.5), "1000": 1000, "6.91": lead(1000, 0.5)}


@check
def ways_to_keep_a_gradient() -> Numbers:
    """We took the path lab's RNN with a gate, with small inputs and with a rotation without tanh, for six draws."""
    plain = np.array([path(**PATH | {"seed": seed})["end_recurrence"] for seed in range(6)])
    for way in ({"gate": 0.99}, {"unit": "quiet"}, {"unit": "none", "matrix": "rotation"}):
        always_larger([path(**PATH | {"seed": seed} | way)["end_recurrence"] for seed in range(6)], 100 * plain)
    return {}


# ---- a trained model, and today


@check
def reach_of_an_encoder() -> Numbers:
    """We moved the input vector of one word and measured how far the output at the last word moved, in 40 texts."""
    far = evidence.read("reach")["distance"]
    influence = np.array(far["influence"])
    median = np.median(influence, 0)
    doublings = np.log2(far["distances"][5:])  # 16, 32, 64, 120 words back
    slopes = np.polyfit(doublings, np.log(influence[:, 5:]).T, 1)[0]
    holds(abs(slopes.mean()) < 2 * slopes.std() / np.sqrt(len(slopes)), slope=slopes.mean())
    return {
        "22": int((influence[:, 7] < influence[:, 5]).sum()),
        "40": len(influence),
        "128": 128,
        "falls": median[1:6],
        **{shown: median[at] / median[1] for shown, at in (("0.15", 5), ("0.12", 6), ("0.10", 7), ("0.16", 8))},
        "one": far["distances"][1],
        **{str(far["distances"][at]): far["distances"][at] for at in (5, 6, 7, 8)},
    }


@check
def linear_attention_both_ways() -> Numbers:
    """We computed masked attention without its softmax from all pairs, and from one state token by token."""
    for n in (1, 7, 60):
        for rng in draws(3, seed=n):
            q, k, v = rng.standard_normal((n, 5)), rng.standard_normal((n, 5)), rng.standard_normal((n, 3))
            at_once = np.tril(q @ k.T) @ v
            state = np.zeros((5, 3))
            for t in range(n):
                state = state + np.outer(k[t], v[t])
                always_close(state.T @ q[t], at_once[t], within=1e-9)
            holds(state.shape == (5, 3))
    return {}


def in_rounds(a: Array, x: Array) -> tuple[Array, int]:
    """All states of h_t = a_t h_(t-1) + x_t, and how many rounds of joining that took; a is (n,), x is (n, d)."""
    a, h, joined, rounds = a.copy(), x.copy(), 1, 0
    while joined < len(x):
        h[joined:] = h[joined:] + a[joined:, None] * h[:-joined]
        a[joined:] = a[joined:] * a[:-joined]
        joined, rounds = 2 * joined, rounds + 1
    return h, rounds


@check
def linear_steps_in_rounds(n: int = 1000) -> Numbers:
    """We joined the steps of linear recurrences in pairs, pairs of pairs and so on, and compared with one by one."""
    for rng in draws(3):
        a, x = rng.uniform(-1, 1, n), rng.standard_normal((n, 3))
        h, states = np.zeros(3), []
        for t in range(n):
            h = a[t] * h + x[t]
            states.append(h)
        found, rounds = in_rounds(a, x)
        always_close(found, states, within=1e-9)
        holds(rounds == int(np.ceil(np.log2(n))))
    return {"10": rounds}


def pairs(n: int, width: int, seed: int) -> tuple[Array, Array]:
    """Keys of length 1 and values, (n, width) each."""
    k, v = np.random.default_rng([n, seed]).standard_normal((2, n, width))
    return k / np.linalg.norm(k, axis=1, keepdims=True), v


def recalled(out: Array, v: Array) -> Array:
    """Of which pairs the value is the nearest to what came out, (n,)."""
    return np.asarray((out @ v.T - (v**2).sum(1) / 2).argmax(1) == np.arange(len(v)))


@check
def recall_from_a_state(width: int = 32) -> Numbers:
    """We put pairs of random keys and values into a state, as a sum and fitted, and asked for each, in three draws."""
    found = {}
    for n in (32, 512):
        drawn = [pairs(n, width, seed) for seed in range(3)]
        found[n] = np.array([recalled(k @ (k.T @ v), v).mean() for k, v in drawn])
    # the best state there is, if it is read by a product, holds no more
    fitted = [recalled(k @ np.linalg.lstsq(k, v, rcond=None)[0], v).mean() for k, v in drawn]
    always_larger(0.1, fitted)
    clearly_larger(found[32], found[512])
    kept = np.array([recalled(softmax(40 * k @ k.T) @ v, v).mean() for k, v in drawn])
    return {
        "more than 95 %": (found[32].mean(), 0.95),
        "32": width,
        "less than a tenth": (found[512], 0.1),
        "512": 512,
        "fewer": (found[512], kept),
    }


@check
def recall_by_softmax(width: int = 32, n: int = 512) -> Numbers:
    """We multiplied the products of keys of length 1 by factors of three sizes before the softmax, in five draws."""
    drawn = [pairs(n, width, seed) for seed in range(5)]
    sharp, root, divided = (
        np.array([recalled(softmax(factor * k @ k.T) @ v, v).mean() for k, v in drawn])
        for factor in (10, np.sqrt(width), 1 / np.sqrt(width))
    )
    for k, v in drawn:
        holds(recalled(softmax(40 * k @ k.T) @ v, v).all())
    return {"all": sharp, "512": n, "10": 10, "a quarter": root.mean(), "less than 1 %": (divided, 0.01)}


@check
def recall_by_the_delta_rule(width: int = 32, n: int = 512) -> Numbers:
    """We put pairs into a state by a delta rule and as a sum, and asked for the last 16 and for all, in five draws."""
    last, whole, summed, few = [], [], [], []
    for many, seed in ((n, 0), (n, 1), (n, 2), (n, 3), (n, 4), (2 * width, 0), (2 * width, 1)):
        k, v = pairs(many, width, seed)
        state = np.zeros((width, width))
        for key, value in zip(k, v, strict=True):
            state += np.outer(key, value - key @ state)
            always_close(key @ state, value, within=1e-9)  # just written, it is recalled exactly
        right = recalled(k @ state, v)
        if many < n:
            few.append((right.mean(), recalled(k @ (k.T @ v), v).mean()))
            continue
        last.append(right[-16:].mean())
        whole.append(right.mean())
        summed.append(recalled(k @ (k.T @ v), v)[-16:].mean())
    return {
        "at least 70 %": (np.array(last), 0.7),
        "16": 16,
        "512": n,
        "less than a quarter": (np.array(summed), 0.25),
        "less than a tenth": (np.array(whole), 0.1),
        "64": 2 * width,
        "fewer": tuple(np.array(few).T),
        "more": (np.array(last), np.array(summed)),
    }


# ---- wrong answers


@check
def convolutions_wait_for_nothing() -> Numbers:
    """We computed the places of a convolution in random order, each from its inputs alone."""
    for rng in draws(3):
        taps, words = rng.standard_normal((3, 4)), rng.standard_normal((20, 4))
        padded = np.pad(words, ((2, 0), (0, 0)))
        whole = sum(padded[i : i + 20] * taps[i] for i in range(3))
        for t in rng.permutation(20):
            always_close((padded[t : t + 3] * taps).sum(0), whole[t], within=1e-12)
    return {}


@check
def attention_knows_no_order() -> Numbers:
    """We permuted the tokens of attention without mask and positions, and the rows came out permuted alike."""
    for rng, x in texts():
        layer, order = masked(rng, x.shape[1], mask=False), rng.permutation(len(x))
        always_close(layer(x[order]), layer(x)[order], within=1e-9)
        holds(moved(layer, x, len(x) - 1, rng)[0])
    return {}


@check
def weights_in_blocks(size: int = 16) -> Numbers:
    """We read 128 keys in blocks with a running sum and the largest score so far, and compared with all at once."""
    for rng in draws(5):
        q, k, v = rng.standard_normal(8), rng.standard_normal((128, 8)), rng.standard_normal((128, 5))
        top, total, out = -np.inf, 0.0, np.zeros(5)
        for start in range(0, 128, size):
            scores = k[start : start + size] @ q / np.sqrt(8)
            higher = max(top, scores.max())
            e, shrink = np.exp(scores - higher), np.exp(top - higher)
            total, out = shrink * total + e.sum(), shrink * out + e @ v[start : start + size]
            top = higher
        always_close(out / total, softmax(k @ q / np.sqrt(8)) @ v, within=1e-12)
    return {"same": (out / total, softmax(k @ q / np.sqrt(8)) @ v)}
