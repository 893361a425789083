"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from whyformer import evidence
from whyformer.maths import attention, attention_gradients, attention_weights, scores, softmax
from whyformer.model.layers import LayerNorm
from whyformer.proof import (
    Numbers,
    always_close,
    always_larger,
    check,
    draws,
    holds,
    reporter,
    same,
)
from whyformer.questions.no_projections.own_share import LAW_D, own_shares

report = reporter(__name__)

Score = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def swap(matrices: np.ndarray) -> np.ndarray:
    """The last two axes exchanged."""
    return matrices.swapaxes(-1, -2)


def square(rng: np.random.Generator, d: int, *count: int) -> np.ndarray:
    """Random d × d matrices with entries of variance 1/d."""
    return rng.standard_normal((*count, d, d)) / np.sqrt(d)


def of_length(rng: np.random.Generator, length: float, *shape: int) -> np.ndarray:
    """Random tokens that are all equally long."""
    x = rng.standard_normal(shape)
    return length * x / np.linalg.norm(x, axis=-1, keepdims=True)


def prefer_themselves(table: np.ndarray) -> np.ndarray:
    """Of each row of scores (..., n, n): is the one with itself the largest, or within rounding of it?"""
    largest = table.max(-1)
    return np.diagonal(table, axis1=-2, axis2=-1) >= largest - 1e-9 * abs(largest)


def own_weight(x: np.ndarray) -> np.ndarray:
    """What each token keeps for itself without projections, divided by the root of d."""
    return np.diagonal(attention_weights(x, x), axis1=-2, axis2=-1)


def raw(x: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """No matrix at all."""
    return x @ swap(x)


def by_queries(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One matrix, on the queries."""
    return x @ square(rng, x.shape[-1], len(x)) @ swap(x)


def by_both(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Two matrices."""
    d = x.shape[-1]
    return (x @ square(rng, d, len(x))) @ swap(x @ square(rng, d, len(x)))


def by_one(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One matrix for queries and keys."""
    y = x @ square(rng, x.shape[-1], len(x))
    return y @ swap(y)


def share(score: Score, n: int, d: int, times: int = 400, spread: float = 0.0, seed: int = 1) -> float:
    """Of random tokens, lengths spread or not, the share that prefers itself; tokens and matrices are drawn anew."""
    rng = np.random.default_rng([seed, n, d])
    x = np.exp(spread * rng.standard_normal((times, n, 1))) * rng.standard_normal((times, n, d))
    return float(prefer_themselves(score(x, rng)).mean())


def leaning(rng: np.random.Generator, n: int, d: int, cosine: float, times: int) -> np.ndarray:
    """Tokens of length 1 with such cosines to each other."""
    x = np.sqrt(cosine) * rng.standard_normal((times, 1, d)) + np.sqrt(1 - cosine) * rng.standard_normal((times, n, d))
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


@check
def three_views() -> Numbers:
    """We stepped down the gradient at W_Q, W_K and W_V in turn, in 20 random heads: each step lowered a loss."""
    for rng in draws(20):
        x, arriving = rng.standard_normal((2, 6, 8))
        matrices = square(rng, 8, 3)

        def loss(
            q: np.ndarray, k: np.ndarray, v: np.ndarray, x: np.ndarray = x, arriving: np.ndarray = arriving
        ) -> float:
            return float((attention(x @ q, x @ k, x @ v) * arriving).sum())

        views = [x @ w for w in matrices]
        for one, other in ((0, 1), (0, 2), (1, 2)):
            always_larger(np.linalg.norm(views[one] - views[other], axis=1), 0.1)
        for which, at in enumerate(attention_gradients(views[0], views[1], views[2], arriving)):
            step = x.T @ at
            moved = [w - 0.01 * step * (i == which) for i, w in enumerate(matrices)]
            always_larger(loss(*matrices) - loss(*moved), 1e-3 * (step**2).sum())
    return {"three": len(matrices)}


@check
def one_vector_in_all_roles() -> Numbers:
    """We compared scores both ways in 300 sets of tokens, gave them to several heads, and turned them all alike."""
    for rng in draws(100):
        for n, d in ((5, 2), (12, 16), (40, 64)):
            x = rng.uniform(0.1, 3) * rng.standard_normal((n, d))
            table = scores(x, x)
            same(table, table.T)
            heads = attention(*(np.stack([x, x, x]),) * 3)
            same(heads, np.stack([heads[0]] * 3))
            turned = x @ np.linalg.qr(rng.standard_normal((d, d)))[0]  # similarity is fixed: products alone count
            always_close(attention_weights(turned, turned), attention_weights(x, x), within=1e-9)
    return {}


@check
def a_squared_length() -> Numbers:
    """We drew sets of 5 and 200 equally long tokens, in 2 to 128 dimensions, and counted who prefers itself."""
    for length in (0.1, 1, 30):
        for n in (5, 200):
            for d in (2, 16, 128):
                x = of_length(np.random.default_rng([n, d]), length, 4, n, d)
                table = x @ swap(x)
                same(np.diagonal(table, axis1=-2, axis2=-1), np.full((4, n), length**2))
                holds(prefer_themselves(table).all(), length=length, n=n, d=d)
    return {}


@check
def a_longer_neighbour_wins() -> Numbers:
    """We compared 1,800,000 pairs of tokens of all lengths with the rule, and tried (1, 0) with (3, 0)."""
    for rng in draws(20):
        x = rng.standard_normal((300, 3)) * rng.uniform(0.1, 3, (300, 1))
        length = np.linalg.norm(x, axis=1)
        shadow = x @ x.T / length[:, None]
        clear = (abs(shadow - length[:, None]) > 1e-9) & ~np.eye(300, dtype=bool)
        holds(((x @ x.T > length[:, None] ** 2) == (shadow > length[:, None]))[clear])
    two = np.array([[1.0, 0.0], [3.0, 0.0]])
    holds(bool((two @ two.T)[0].argmax() == 1))
    return {}


@check
def cauchy_and_schwarz() -> Numbers:
    """We drew 300 sets of 20 tokens of unequal length in 2, 3 and 16 dimensions: none prefers one no longer than it."""
    for d in (2, 3, 16):
        rng = np.random.default_rng(d)
        x = rng.standard_normal((300, 20, d)) * rng.uniform(0.1, 3, (300, 20, 1))
        length, table = np.linalg.norm(x, axis=-1), x @ swap(x)
        not_longer = length[:, None] <= length[:, :, None]
        holds((table <= length[:, :, None] ** 2 + 1e-9)[not_longer])
        at_own = prefer_themselves(table)
        holds(np.take_along_axis(at_own, length.argmax(1)[:, None], 1))  # the longest always
        holds(not at_own.all())  # not if another one is longer
    return {}


@check
def scores_are_symmetric_weights_are_not() -> Numbers:
    """We compared scores and weights both ways in 100 sets of six tokens."""
    for rng in draws(100):
        x = rng.standard_normal((6, 4))
        same(scores(x, x), scores(x, x).T)
        weights = attention_weights(x, x)
        always_larger(abs(weights - weights.T).max(), 1e-3)
    return {}


@check
def weight_that_is_kept(d: int = 64, few: int = 10, many: int = 512) -> Numbers:
    """We compared the formula with what thousands of random tokens of length √d keep, and drew ten of length 1."""
    rng = np.random.default_rng(0)
    told = {n: 1 / (1 + (n - 1) * np.exp(0.5 - np.sqrt(d))) for n in (few, many)}
    for n, times in ((few, 600), (many, 8)):
        always_close(own_weight(of_length(rng, np.sqrt(d), times, n, d)).mean(), told[n], within=3e-3)
    short = own_weight(of_length(rng, 1, 1000, few, d)).mean()
    return {"0.995": told[few], "0.780": told[many], "11.2 %": short, "10.0 %": 1 / few}


@check
def nearly_all_stays() -> Numbers:
    """We drew 10, 128 and 512 random tokens, of length √d and of length 1, and took the mean weight on themselves."""
    kept = [
        own_weight(of_length(np.random.default_rng([n, d]), np.sqrt(d), 1, n, d)).mean()
        for n, d in ((10, 128), (10, 512), (128, 256), (512, 128), (512, 256))
    ]
    always_larger(kept, 0.95)
    short = [own_weight(of_length(np.random.default_rng(n), 1, 2, n, 128)).mean() * n for n in (10, 128, 512)]
    always_close(short, 1, within=0.2)
    return {"nearly all": np.array(kept)}


@check
def share_that_prefers_itself(n: int = 16) -> Numbers:
    """We worked out the expected share by quadrature and compared it with 400 sets of random tokens."""
    at = {d: float(own_shares(n, 0.0)[0][LAW_D.index(d)]) for d in (2, 4, 16)}
    spread = float(own_shares(n, 1.0)[0][LAW_D.index(64)])
    for d, told in at.items():
        always_close(share(raw, n, d), told, within=0.025)
    always_close(share(raw, n, 64, spread=1.0), spread, within=0.025)
    return {"16": n, "27.7 %": at[2], "56.0 %": at[4], "99.3 %": at[16], "74.9 %": spread}


@check
def one_matrix_on_the_queries(n: int = 16) -> Numbers:
    """We put random matrices on queries, or on queries and keys, of seven kinds of tokens, and counted rows."""
    for score in (by_queries, by_both):
        for count, d, spread in ((n, 4, 0.0), (n, 64, 0.0), (n, 32, 1.0), (40, 8, 0.5)):
            always_close(count * share(score, count, d, spread=spread), 1, within=0.2)
    kinds = np.random.default_rng(2)
    one_way = np.ones(16) + 0.3 * kinds.standard_normal((16, 16))
    on_axes = np.concatenate([np.eye(16), -np.eye(16), kinds.choice([-1, 1], (32, 16)) / 4])
    very_long = kinds.standard_normal((6, 5)) * np.array([[10, 1, 1, 1, 1, 1]]).T
    for x in (one_way, on_axes, very_long):
        again = np.broadcast_to(x, (1500, *x.shape))
        always_close(len(x) * prefer_themselves(by_queries(again, kinds)).mean(), 1, within=0.2)
    copied = np.repeat(kinds.standard_normal((8, 16)), 2, axis=0)  # copies share what they win
    always_larger(16 * prefer_themselves(by_queries(np.broadcast_to(copied, (400, 16, 16)), kinds)).mean(), 1.6)
    always_larger(share(raw, n, 64), 0.95)
    return {}


@check
def one_matrix_for_both(n: int = 16, d: int = 16) -> Numbers:
    """We worked out the expected share by quadrature, and drew tokens and matrices 400 times at six sizes."""
    none, one = (float(law[LAW_D.index(d)]) for law in own_shares(n, 0.0))
    for count, size in ((n, d), (n, 4), (32, 64)):
        law = own_shares(count, 0.0)[1][LAW_D.index(size)]
        always_close(share(by_one, count, size), law, within=0.025)
    for count in (16, 32, 64):
        enough = round(8 * np.log(count))
        always_larger(share(by_one, count, enough, times=100), 0.95)
        holds(share(by_one, count, round(2 * np.log(count)), times=100) < 0.55)
    return {"90.5 %": one, "99.3 %": none}


@check
def any_projection_will_not_do(n: int = 16) -> Numbers:
    """We drew random tokens of equal and of spread length in 64 and 128 dimensions, and matrices, square and narrow."""
    for d in (64, 128):
        for spread in (0.0, 0.5, 1.0):
            always_larger(share(by_one, n, d, times=100, spread=spread), 0.5)
        always_larger(share(by_one, n, d, times=100), 0.95)
    narrow = np.random.default_rng(0)
    x = narrow.standard_normal((200, n, 64))
    y = x @ narrow.standard_normal((200, 64, 2))
    holds(prefer_themselves(y @ swap(y)).mean() < 0.4)
    z = leaning(narrow, n, 64, 0.97, 200) @ square(narrow, 64, 200)
    holds(prefer_themselves(z @ swap(z)).mean() < 0.5)  # not if all tokens lean one way
    return {}


@check
def w_v_cannot_touch_the_weights() -> Numbers:
    """We read the weights back from the outputs of 50 heads with two sets of values: they are the same."""
    for rng in draws(50):
        x, v = rng.standard_normal((2, 8, 8))
        found = [np.linalg.solve(values.T, attention(x, x, values).T).T for values in (v, x @ v)]
        always_close(found[0], found[1], within=1e-6)
    return {}


@check
def outputs_stay_in_the_hull() -> Numbers:
    """We looked along 2,000 directions, in 20 heads: no output lies beyond all inputs without a W_V or a W_O."""
    for rng in draws(20):
        x, along = rng.standard_normal((10, 8)), rng.standard_normal((8, 2000))
        q, k, v = square(rng, 8, 3)
        end = (x @ along).max(0)
        for inside in (attention(x, x, x), attention(x @ q, x @ k, x)):
            holds((inside @ along).max(0) <= end + 1e-12)
        values = 3 * x @ v
        outside = (attention(x @ q, x @ k, values) @ along).max(0)
        holds(bool((outside > end).any()))
        holds(outside <= (values @ along).max(0) + 1e-12)
        holds(bool((attention(x @ q, x @ k, x) @ (3 * v) @ along > end).any()))  # any matrix behind does it, too
    return {}


@check
def only_two_products_count(d: int = 48, heads: int = 12) -> Numbers:
    """We moved invertible matrices from W_Q to W_K and from W_V to W_O in 20 heads, and took both products' ranks."""
    size = d // heads
    for rng in draws(20):
        x = rng.standard_normal((6, d))
        q, k, v, o = rng.standard_normal((4, d, size)) / np.sqrt(d)
        into, onto = np.linalg.qr(rng.standard_normal((2, size, size)))[0] * rng.uniform(0.5, 2, (2, 1, size))
        there = attention(x @ q, x @ k, x @ v, divisor=1) @ o.T
        moved = attention(
            x @ q @ into, x @ k @ np.linalg.inv(into).T, x @ v @ onto, divisor=1
        ) @ (np.linalg.inv(onto) @ o.T)  # fmt: skip
        always_close(moved, there, within=1e-9)
        composed = attention(x @ q @ k.T, x, x, divisor=1) @ (v @ o.T)
        always_close(composed, there, within=1e-9)
        same([np.linalg.matrix_rank(q @ k.T), np.linalg.matrix_rank(v @ o.T)], [size, size])
        biased = [(x @ q @ m + 1) @ (x @ k @ np.linalg.inv(m).T - 1).T for m in (np.eye(size), into)]
        always_larger(abs(softmax(biased[0]) - softmax(biased[1])).max(), 1e-3)  # not with biases
    return {}


@check
def one_head_needs_two_matrices(d: int = 8) -> Numbers:
    """We folded W_K into W_Q and W_V into W_O in 20 heads as wide as the stream, and counted parameters."""
    for rng in draws(20):
        x = rng.standard_normal((6, d))
        q, k, v, o = square(rng, d, 4)
        always_close(attention(x @ (q @ k.T), x, x) @ (v @ o), attention(x @ q, x @ k, x @ v) @ o, within=1e-9)
    wide, heads = 768, 12
    composed, apart = heads * wide**2, 2 * wide * heads * (wide // heads)
    return {"12": heads, "6": composed / apart}


def rotated(rows: np.ndarray) -> np.ndarray:
    """Rotary positions: pairs of entries of row i, turned by i, i/10, i/100, ..."""
    pairs = rows[..., ::2] + 1j * rows[..., 1::2]
    n, half = pairs.shape[-2:]
    pairs = pairs * np.exp(1j * np.arange(n)[:, None] * 10.0 ** -np.arange(half))
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(rows.shape)


@check
def one_of_three_can_go(d: int = 48, heads: int = 12) -> Numbers:
    """We changed the basis to X W_Q, X W_K or X W_V in 20 layers, with rotary positions and without, then in two."""

    def layer(
        x: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, o: np.ndarray, rotary: bool = False
    ) -> np.ndarray:
        cut = [(x @ w).reshape(len(x), heads, -1).swapaxes(0, 1) for w in (q, k, v)]
        if rotary:
            cut[:2] = (rotated(part) for part in cut[:2])
        return x + attention(*cut).swapaxes(0, 1).reshape(len(x), d) @ o

    for rng in draws(20):
        x = rng.standard_normal((6, d))
        q, k, v, o = square(rng, d, 4)
        there = layer(x, q, k, v, o)
        for gone, rotary in product((q, k, v), (False, True)):
            back = np.linalg.inv(gone)
            moved = layer(x @ gone, back @ q, back @ k, back @ v, o @ gone, rotary)
            always_close(back @ gone, np.eye(d), within=1e-6)
            found = layer(x, q, k, v, o, rotary) @ gone
            always_close(moved, found, within=max(1e-8, 1e-12 * np.linalg.cond(gone) ** 2))
        q_2, k_2, v_2, o_2 = square(rng, d, 4)
        back = np.linalg.inv(q)
        both = layer(layer(x @ q, np.eye(d), back @ k, back @ v, o @ q), back @ q_2, back @ k_2, back @ v_2, o_2 @ q)
        two = layer(there, q_2, k_2, v_2, o_2) @ q
        always_close(both, two, within=max(1e-8, 1e-12 * np.linalg.cond(q) ** 2) * abs(two).max())
        always_larger(abs(back @ q_2 - np.eye(d)).max(), 0.1)  # of two layers with a residual path one keeps its matrix
        norm = LayerNorm(np.ones(d), np.zeros(d), 0.0)
        always_larger(abs(norm(x @ q) - norm(x) @ q).max(), 0.1)
    return {}


@check
def rotations_stand_between(d: int = 4) -> Numbers:
    """We rotated queries and keys by their positions in 20 heads: the composed matrix changes with the distance."""
    for rng in draws(20):
        q, k = square(rng, d, 2)
        composed = []
        for distance in (0, 1, 5):
            turn = np.eye(d)
            for pair, speed in enumerate((1.0, 0.1)):
                c, s = np.cos(distance * speed), np.sin(distance * speed)
                turn[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[c, s], [-s, c]]
            composed.append(q @ turn @ k.T)
        always_larger([abs(composed[0] - later).max() for later in composed[1:]], 1e-3)
    return {}


@check
def latent_matrices_are_absorbed() -> Numbers:
    """We built keys and values from 10 latent vectors in 20 heads, and then attended to the vectors themselves."""
    for rng in draws(20):
        latent, q = rng.standard_normal((10, 6)), rng.standard_normal((1, 8))
        u_k, u_v = rng.standard_normal((2, 6, 8))
        built = attention(q, latent @ u_k, latent @ u_v, divisor=1)
        absorbed = attention(q @ u_k.T, latent, latent, divisor=1) @ u_v
        always_close(absorbed, built, within=1e-9)
    return {}


@check
def slices_are_given() -> Numbers:
    """We gave 50 sets of tokens to two heads: whole, as slices, and with matrices of their own."""
    for rng in draws(50):
        x = rng.standard_normal((8, 8))
        whole = [attention_weights(x, x) for _ in range(2)]
        same(whole[0], whole[1])
        cut = [attention_weights(half, half) for half in (x[:, :4], x[:, 4:])]
        own = [attention_weights(x @ q, x @ k) for q, k in square(rng, 8, 2, 2)]
        for one, other in (cut, own):
            always_larger(abs(one - other).max(), 0.05)
    return {}


def row_of(head: str) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the running sentence (10, 10), with the matrices of a trained head and without."""
    found = evidence.read("roles")["heads"][head]
    return softmax(np.array(found["with"])), softmax(np.array(found["without"]))


@check
def every_word_of_the_sentence() -> Numbers:
    """We gave the vectors of the eight words, at three layers of the trained model, to attention as they are."""
    own = []
    for head in ("who", "how", "before"):
        without = row_of(head)[1][1:9]
        holds(without.argmax(1) == np.arange(1, 9), head=head)
        own.append(without[np.arange(8), np.arange(1, 9)])
    least = np.sort(np.ravel(own))
    return {"three": len(own), "eight": len(own[0]), "48 %": least[0], "each": least.size == 24}


@check
def trained_heads_are_no_mirrors() -> Numbers:
    """We counted, over 200 sentences, the tokens whose largest score is the one with themselves, in all 72 heads."""
    found = evidence.read("trained")["self_scores"]
    heads = np.array(found["heads_without_first"])
    holds(found["input"]["own"] == 1)
    always_larger(0.8, heads)
    return {
        "all": found["input"]["own"],
        "69 %": found["weight"]["input"],
        "200": evidence.read("trained")["n_sentences"],
        "72": heads.size,
        "0.5 %": heads.min(),
        "74 %": heads.max(),
        "11.8 %": np.median(heads),
        "8.3 %": found["chance_without_first"],
    }


@check
def lengths_decide_in_the_model() -> Numbers:
    """We compared the rows of the model's word table, and the vectors that enter layer 1, over 200 sentences."""
    found = evidence.read("trained")["self_scores"]
    holds(found["token"]["other"] == 0)  # copies tie, and a tie counts
    table, entering = found["length"]["token"], found["length"]["input"]
    return {
        "8.1 %": found["weight"]["token"],
        "7.6 %": found["chance"],
        "0.86": table[0],
        "1.55": table[1],
        "6.6": entering[0],
        "12.1": entering[1],
    }


@check
def keys_of_length_one() -> Numbers:
    """We took queries of unequal length, scaled to length 1, as keys: each of 1,200 tokens prefers itself."""
    for rng in draws(40):
        q = rng.standard_normal((30, 8)) * rng.uniform(0.1, 5, (30, 1))
        holds(prefer_themselves(q @ (q / np.linalg.norm(q, axis=1, keepdims=True)).T))
    return {}


@check
def sums_are_not_fixed() -> Numbers:
    """We wrote 500 products as differences of squares, and added the vectors of the example."""
    rng = np.random.default_rng(0)
    x, y, half = rng.standard_normal((3, 500, 6))
    same((x * y).sum(1), (((x + y) ** 2).sum(1) - ((x - y) ** 2).sum(1)) / 4)
    holds(((half + x) * (half - x)).sum(1) <= (half**2).sum(1))
    one, three = np.array([1.0, 0.0]), np.array([3.0, 0.0])
    same(one + one, [2, 0])
    same(one + three, [4, 0])
    return {}


@check
def layer_norm_and_lengths() -> Numbers:
    """We normed 100 tokens with gain 1, and with 20 random gains: then lengths differ and some look past themselves."""
    for rng in draws(20):
        for d in (4, 16):
            plain = LayerNorm(np.ones(d), np.zeros(d), 0.0)(rng.standard_normal((100, d)))
            same(np.linalg.norm(plain, axis=1), np.full(100, np.sqrt(d)))
            holds(prefer_themselves(plain @ plain.T))
            gained = plain * np.exp(rng.standard_normal(d))
            always_larger(np.ptp(np.linalg.norm(gained, axis=1)), 0.1)
            holds(not prefer_themselves(gained @ gained.T).all())
    return {}


@check
def largest_is_not_most(n: int = 1000) -> Numbers:
    """We took a thousand orthogonal tokens of length 1."""
    weights = attention_weights(np.eye(n), np.eye(n))
    holds(weights.argmax(1) == np.arange(n))
    return {"0.103 %": weights[0, 0]}


@check
def gradients_pass_to_the_vectors() -> Numbers:
    """We compared the gradient at the vectors, through all three roles, with difference quotients in 20 heads."""
    for rng in draws(20):
        x, arriving = rng.standard_normal((2, 5, 4))
        back = attention_gradients(x, x, x, arriving)
        at_x = back.q + back.k + back.v
        always_larger(np.linalg.norm(at_x), 0.1)
        for along in rng.standard_normal((3, 5, 4)):
            ends = [(attention(*(x + step * along,) * 3) * arriving).sum() for step in (1e-6, -1e-6)]
            always_close((ends[0] - ends[1]) / 2e-6, (at_x * along).sum(), within=1e-6 * (1 + abs(at_x).max()))
    return {}


def apart(x: np.ndarray) -> np.ndarray:
    """The largest distance between two tokens, of each set (..., n, d)."""
    squares = (x**2).sum(-1)
    between = squares[..., :, None] + squares[..., None, :] - 2 * x @ swap(x)
    return np.sqrt(np.maximum(between.max((-1, -2)), 0))


@check
def each_round_draws_tokens_together() -> Numbers:
    """We repeated attention without projections five times on 50 sets of tokens and compared with the bound."""
    for rng in draws(50):
        x, divisor = rng.standard_normal((7, 3)) * rng.uniform(0.2, 1), rng.uniform(0.5, 3)
        factor = 1 - np.exp(-2 * (x**2).sum(1).max() / divisor)
        for _ in range(5):
            y = attention(x, x, x, divisor=divisor)
            holds(apart(y) <= factor * apart(x) + 1e-7, factor=factor)
            x = np.asarray(y, float)
    return {}


@check
def averaging_draws_tokens_together(n: int = 16, d: int = 64, rounds: int = 20) -> Numbers:
    """We repeated attention on 20 sets of 16 random tokens, raw, with random matrices, and each hidden from itself."""
    others = ~np.eye(n, dtype=bool)
    x = np.stack([np.random.default_rng(seed).standard_normal((n, d)) for seed in range(20)])
    start, raw_ones = apart(x), x
    for _ in range(rounds):
        raw_ones = np.asarray(attention(raw_ones, raw_ones, raw_ones), float)
    rng = np.random.default_rng(0)
    projected = attention(x @ square(rng, d, 20), x @ square(rng, d, 20), x)
    past = attention(x, x, x, mask=others)
    always_larger(apart(attention(x, x, x)) / start, 0.97)
    holds(apart(past) / start < 0.6)
    return {
        "89 %": np.median(apart(raw_ones) / start),
        "40 %": np.median(apart(projected) / start),
        "33 %": np.median(apart(past) / start),
    }


@check
def beta_law(n: int = 16) -> Numbers:
    """We worked out the law with a factor of one half, and the share of squared length in 20,000 random matrices."""
    none, one = own_shares(n, 0.0)
    for d in (8, 16, 32, 64):
        always_close(one[LAW_D.index(d)], none[LAW_D.index(d // 2)], within=0.07)
        always_close(share(by_one, n, d, times=200), one[LAW_D.index(d)], within=0.03)
    rng, d = np.random.default_rng(6), 6
    matrices = rng.standard_normal((20_000, d, d))  # x on the first axis
    ratio = (matrices[:, 0] ** 2).sum(1) / np.linalg.norm((matrices @ matrices[:, 0, :, None])[..., 0], axis=1)
    at = [0.1, 0.5, 0.9]
    always_close(np.quantile(ratio, at), np.sqrt(np.quantile(rng.beta(d / 2, (d - 1) / 2, 100_000), at)), within=0.02)
    return {}
