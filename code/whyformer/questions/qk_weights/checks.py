"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from whyformer import evidence
from whyformer.evidence.packing import unpacked
from whyformer.maths import softmax
from whyformer.maths.softmax import Array
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.qk_weights import real_heads_lab

report = reporter(__name__)

#: Words, d_k and length of the queries at which a statement about all of them is tried.
KINDS = [(n, d_k, size) for n in (2, 5, 32) for d_k in (1, 4, 64) for size in (0.3, 1, 3)]


def scores_of(q: Array, k: Array) -> Array:
    """Divided by sqrt(d_k)."""
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])


def one_matrix(n: int, d_k: int, heads: int = 100, size: float = 1.0, seed: int = 0) -> Array:
    """Scores (heads, n, n) of random words whose keys are their queries."""
    q = size * np.random.default_rng([seed, n, d_k]).standard_normal((heads, n, d_k))
    return scores_of(q, q)


def two_matrices(n: int, d_k: int, heads: int = 100, size: float = 1.0, seed: int = 0) -> Array:
    """The same with keys of their own."""
    q, k = size * np.random.default_rng([seed, n, d_k]).standard_normal((2, heads, n, d_k))
    return scores_of(q, k)


def tied() -> list[Array]:
    """Heads of one matrix, of many kinds."""
    return [one_matrix(*kind[:2], size=kind[2]) for kind in KINDS]


def transposed(matrix: Array) -> Array:
    """Rows and columns exchanged."""
    return matrix.swapaxes(-1, -2)


def together(scores: Array) -> Array:
    """The weights of any two words for each other, added."""
    weights = softmax(scores)
    i, j = np.triu_indices(weights.shape[-1], 1)
    return weights[..., i, j] + weights[..., j, i]


def own_weights(scores: Array) -> Array:
    """What each word gives itself."""
    return np.diagonal(softmax(scores), axis1=-2, axis2=-1)


def own_scores(scores: Array) -> Array:
    """S_ii + S_jj for any two words."""
    own = np.diagonal(scores, axis1=-2, axis2=-1)
    return own[..., :, None] + own[..., None, :]


def random_heads(one: bool, heads: int = 1500, n_words: int = 10, d_model: int = 64, d_k: int = 16) -> Array:
    """Scores of heads as they start: random words, random matrices."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((heads, n_words, d_model))
    w_q, w_new = rng.standard_normal((2, heads, d_model, d_k)) / np.sqrt(d_model)
    return scores_of(x @ w_q, x @ (w_q if one else w_new))


# ---- what one matrix does


@check
def own_weight(n_words: int = 10, d_model: int = 64, d_k: int = 16) -> Numbers:
    """We drew 1,500 heads of ten random words, with one matrix and with two, and took the mean own weight."""
    one, two = (own_weights(random_heads(kind, 1500, n_words, d_model, d_k)).mean() for kind in (True, False))
    clearly_larger(one, 3 * two)
    return {"0.71": one, "0.10": two}


@check
def own_weight_at_usual_sizes(d_k: int = 64) -> Numbers:
    """We drew queries for up to 512 words, used them as keys too, and took own weights; then with all entries equal."""
    for n, heads in ((10, 40), (64, 20), (512, 3)):
        found = [own_weights(one_matrix(n, d_k, heads=1, seed=seed)).mean() for seed in range(heads)]
        always_larger(found, 0.6)
        free = [own_weights(two_matrices(n, d_k, heads=1, seed=seed)).mean() for seed in range(heads)]
        always_close(np.mean(free), 1 / n, within=0.3 / n)
    equal = np.random.default_rng(0).standard_normal((20, 64, 1)) * np.ones(d_k)  # independent words, not entries
    always_larger(0.1, own_weights(scores_of(equal, equal)).mean())
    return {}


@check
def own_weight_by_size() -> Numbers:
    """We drew random queries, used them as keys too, and took the mean own weight at three sizes of heads."""

    def own(n: int, d_k: int, heads: int) -> float:
        return float(np.mean([own_weights(one_matrix(n, d_k, heads=1, seed=seed)).mean() for seed in range(heads)]))

    few = [own(64, d_k, 20) for d_k in (16, 32, 64)]
    many = [own(512, d_k, 2) for d_k in (16, 32, 64)]
    holds(own(2048, 64, 1) < 0.5)
    always_close(many[2], 0.7, within=0.05)
    return {
        "64": 64, "0.4": few[0], "0.7": few[1], "0.9": few[2],
        "512": 512, "0.1": many[0], "0.3": many[1], "2,048": 2048,
    }  # fmt: skip


@check
def alike_words_keep_less(cosine: float = 0.5, d_k: int = 64, n: int = 64) -> Numbers:
    """We gave the queries of 64 words a common part, used them as keys too, and took the mean own weight."""
    own, alike = [], []
    for rng in draws(40):
        q = np.sqrt(cosine) * rng.standard_normal(d_k) + np.sqrt(1 - cosine) * rng.standard_normal((n, d_k))
        own.append(own_weights(scores_of(q, q)).mean())
        alike.append((unit(q) @ unit(q).T)[np.triu_indices(n, 1)].mean())
    always_close(np.mean(alike), cosine, within=0.02)
    return {"0.4": np.mean(own)}


@check
def shorter_queries_lead_by_less(std: float = 0.02, d_model: int = 768, d_k: int = 64, n: int = 64) -> Numbers:
    """We drew 40 sets of 64 random words of variance 1, as after a norm, and matrices with such entries."""
    variance, own = [], []
    for rng in draws(40):
        q = rng.standard_normal((n, d_model)) @ (std * rng.standard_normal((d_model, d_k)))
        scores = scores_of(q, q)
        variance.append(q.var())
        own.append(own_weights(scores).mean())
    return {"0.31": np.mean(variance), "16 %": np.mean(own)}


@check
def own_score_is_a_squared_length(d_k: int = 64) -> Numbers:
    """We compared each word's score with itself to its squared length, and drew 4,000 queries for mean and spread."""
    q = np.random.default_rng(0).standard_normal((4000, d_k))
    own = (q**2).sum(1) / np.sqrt(d_k)
    always_close(own[:50], np.diagonal(scores_of(q[:50], q[:50])), within=1e-9)
    holds((own >= 0).all())
    other = scores_of(q[:2000], q[2000:])
    always_close(other.mean(), 0, within=0.02)
    always_close(other.std(), 1, within=0.02)
    return {"8": own.mean()}


@check
def scores_are_symmetric_and_weights_are_not() -> Numbers:
    """We drew 2,700 heads of one matrix, 2 to 32 words, d_k from 1 to 64, three lengths, and compared both ways."""
    for scores in tied():
        always_close(scores, transposed(scores), within=1e-9)
        sums = np.logaddexp.reduce(scores, axis=-1)  # of the rows, as logarithms: the ratio of a pair's two weights
        always_larger(np.median(np.ptp(sums, axis=-1)), 0.02)
    five = softmax(one_matrix(5, 4))
    always_larger(np.median(abs(five - transposed(five)).max((1, 2))), 0.15)
    free = two_matrices(5, 4)
    always_larger(abs(free - transposed(free)).max((1, 2)), 0.01)
    level = 3 * np.stack([np.cos(2 * np.pi * np.arange(5) / 5), np.sin(2 * np.pi * np.arange(5) / 5)], axis=1)
    always_close(softmax(level @ level.T), transposed(softmax(level @ level.T)), within=1e-12)  # equal sums of rows
    return {}


def by_distance(rng: np.random.Generator, n: int = 9) -> Array:
    """Queries whose dot products depend on distance alone: sums of waves, and every such head is one."""
    angle = np.arange(n)[:, None] * rng.uniform(0, np.pi, 3)
    length = rng.uniform(0, 1, 3)
    return np.hstack([length * np.cos(angle), length * np.sin(angle)])


@check
def by_distance_alone() -> Numbers:
    """We drew 300 heads of one matrix that score by distance alone, and 300 of two matrices that turn the key."""
    for rng in draws(300):
        q = by_distance(rng)
        scores = q @ q.T
        always_close(scores[1:, :-1].diagonal(), scores[4, 3], within=1e-9)  # by distance alone
        same(scores[4, 3], scores[4, 5])
        holds(scores[4, 4] >= scores[4, 3] - 1e-12)
        causal = softmax(np.where(np.tril(np.ones((9, 9), dtype=bool)), scores, -np.inf))
        holds((causal.diagonal()[1:] >= causal.diagonal(-1) - 1e-12).all())
    place = np.arange(9)[:, None] * np.linspace(0.1, 3, 8)
    q = np.hstack([np.cos(place), np.sin(place)])
    shifted = place + np.linspace(0.1, 3, 8)  # the key of a word is the query of the word after it
    k = np.hstack([np.cos(shifted), np.sin(shifted)])
    weights = softmax(4 * q @ k.T)
    always_larger(np.diagonal(weights, -1), 0.9)
    return {}


@check
def the_price_of_the_word_before(share: float = 0.99) -> Numbers:
    """We built heads of one matrix that look at the word before, and compared own scores from word to word."""
    for n in (4, 7, 16):
        angles = np.eye(n) + 0.5 * (np.eye(n, k=1) + np.eye(n, k=-1))
        length = 0.4 ** (np.arange(n) - n + 1.0)
        scores = 8.0 * angles * np.outer(length, length)
        holds(np.linalg.eigvalsh(angles).min() > 0)  # so some queries have these dot products
        own, lead = np.diagonal(scores), scores.diagonal(-1) - scores.diagonal()[1:]
        always_larger(softmax(scores).diagonal(-1), 0.85)
        holds((-np.diff(own) >= 2 * lead - 1e-6).all())
    return {"9.2": 2 * np.log(share / (1 - share))}


@check
def own_scores_are_together_the_larger() -> Numbers:
    """We compared S_AA + S_BB − 2 S_AB with the squared distance of queries in 2,700 heads, and tried two matrices."""
    for n, d_k, size in KINDS:
        q = size * np.random.default_rng([0, n, d_k]).standard_normal((100, n, d_k))
        scores = scores_of(q, q)
        apart = ((q[:, :, None] - q[:, None]) ** 2).sum(-1) / np.sqrt(d_k)
        always_close(own_scores(scores) - 2 * scores, apart, within=1e-8 * (1 + apart.max()))
    free = two_matrices(5, 4)
    always_larger((2 * free > own_scores(free)).mean(), 0.2)
    return {}


@check
def at_most_one() -> Numbers:
    """We added the two weights of every pair in 2,700 heads of one matrix; with two, a bias or a mask some exceed 1."""
    for scores in tied():
        holds(together(scores).max() <= 1 + 1e-12)
        i, j = np.triu_indices(scores.shape[-1], 1)
        weights = softmax(scores)
        holds(np.minimum(weights[:, i, j], weights[:, j, i]).max() <= 1 / 2 + 1e-12)
    always_larger(max(together(scores).max() for scores in tied()), 0.999)
    always_larger(together(two_matrices(5, 4, size=3)).max(), 1.5)
    five = one_matrix(5, 4)
    always_larger(together(five + 12 * (np.eye(5, k=1) + np.eye(5, k=-1))).max(), 1.2)
    always_larger(together(five - 1e9 * np.eye(5)).max(), 1.9)
    return {"1": 1}


@check
def the_two_bounds_of_the_limit() -> Numbers:
    """We compared both weights of every pair in 2,700 heads of one matrix with the two bounds of the line."""
    for scores in tied():
        lead = np.diagonal(scores, axis1=-2, axis2=-1)[..., None] - scores
        bound = np.exp(-np.logaddexp(0, lead))
        others = ~np.eye(scores.shape[-1], dtype=bool)
        holds((softmax(scores) <= bound + 1e-12)[:, others].all())
        holds((bound + transposed(bound) <= 1 + 1e-9)[:, others].all())
    return {}


@check
def the_limit_under_a_causal_mask() -> Numbers:
    """We hid later words in 900 heads of two matrices: of each pair one weight is 0."""
    for n in (2, 7, 32):
        scores = two_matrices(n, 5, 300, size=3.0)
        hidden = np.where(np.tril(np.ones((n, n), dtype=bool)), scores, -np.inf)
        holds(together(hidden).max() <= 1 + 1e-12)
    return {"1": 1}


@check
def the_limit_is_hardly_felt(n_words: int = 10) -> Numbers:
    """We counted pairs above 1 in 1,500 random heads of ten words and of two, and in all heads of the trained model."""
    free, two = (together(random_heads(False, n_words=words)) for words in (n_words, 2))
    trained = evidence.read("directions")
    holds(trained["pairs"]["count"] > 1e6)
    return {
        "half": (two > 1).mean(),
        "fewer than 0.1 %": ((free > 1).mean(), 0.001),
        "0.04 %": trained["pairs"]["beyond"],
        "200": trained["n_sentences"],
    }


@check
def around_a_circle() -> Numbers:
    """We took the smallest weight around 3, 4 and 5 words in 120,000 heads of one matrix, and one head of two."""
    for n in (3, 4, 5):
        for d_k in (1, 3):
            for size in (0.1, 1, 3):
                weights = softmax(one_matrix(n, d_k, 6_000, size))
                least = np.min([weights[:, i, (i + 1) % n] for i in range(n)], axis=0)
                holds(least.max() <= 1 / 3 + 1e-12)
    alike = softmax(np.ones((3, 3)))
    always_close(alike, 1 / 3, within=1e-12)
    always_larger(softmax(8 * np.roll(np.eye(3), 1, axis=1))[[0, 1, 2], [1, 2, 0]], 0.99)
    return {}


@check
def choices_become_mutual() -> Numbers:
    """We asked in 1,500 random heads of ten words, of each kind, whether a word is its favourite's favourite."""
    found = []
    for one in (True, False):
        favourite = (random_heads(one) - 1e9 * np.eye(10)).argmax(-1)
        found.append((np.take_along_axis(favourite, favourite, 1) == np.arange(10)).mean())
    always_close(found[1], 1 / 9, within=0.02)  # as by chance
    return {"half": found[0], "11 %": 1 / 9}


# ---- what a second matrix adds


@check
def a_direction_needs_a_second_matrix() -> Numbers:
    """We let each of two words offer what the other looks for, or only one of them, and read scores and weights."""
    looks_for = np.array([[4.0, 0.0], [0.0, 4.0]])
    scores = looks_for @ looks_for[::-1].T
    always_larger(softmax(scores)[[0, 1], [1, 0]], 0.99)
    offers = np.array([[0.0, 0.0], [4.0, 0.0]])  # B offers what A looks for; A offers nothing
    one_way = looks_for @ offers.T
    clearly_larger(one_way[0, 1], 15.0)
    same(one_way[1, 0], 0.0)
    for scores in tied():
        always_close(scores, transposed(scores), within=1e-9)
    return {}


def pair_of_matrices(rng: np.random.Generator, d_model: int = 12, d_k: int = 5) -> tuple[Array, ...]:
    """Words, W_Q, W_K and an invertible R."""
    x = rng.standard_normal((7, d_model))
    w_q, w_k = rng.standard_normal((2, d_model, d_k)) / np.sqrt(d_model)
    return x, w_q, w_k, rng.standard_normal((d_k, d_k))


@check
def only_the_product_counts() -> Numbers:
    """We wrote 50 random pairs in another way, W_Q R and W_K R^-T, and compared all scores."""
    for rng in draws(50):
        x, w_q, w_k, r = pair_of_matrices(rng)
        back = np.linalg.inv(r).T
        always_close((x @ w_q @ r) @ (x @ w_k @ back).T, (x @ w_q) @ (x @ w_k).T, within=1e-6)
        always_close((x @ w_q @ w_k.T) @ x.T, (x @ w_q) @ (x @ w_k).T, within=1e-9)
        holds(np.linalg.matrix_rank(w_q @ w_k.T) == 5)
        biased = [(x @ q + 1) @ (x @ k - 1).T for q, k in ((w_q, w_k), (w_q @ r, w_k @ back))]
        always_larger(abs(softmax(biased[0]) - softmax(biased[1])).max(), 1e-3)
    return {}


@check
def different_matrices_with_symmetric_scores() -> Numbers:
    """We took W R and W R^-T for 50 random W and R: different matrices, and symmetric scores below the limit."""
    for rng in draws(50):
        x, w, _, r = pair_of_matrices(rng)
        w_q, w_k = w @ r, w @ np.linalg.inv(r).T
        always_larger(abs(w_q - w_k).max(), 0.05)
        scores = (x @ w_q) @ (x @ w_k).T
        always_close(scores, scores.T, within=1e-6)
        holds(together(scores).max() <= 1 + 1e-9)
    return {}


@check
def the_symmetric_part_decides() -> Numbers:
    """We took pairs with a symmetric product and signs turned, and pairs with an antisymmetric part added."""
    for rng in draws(5):
        x, w, m = rng.standard_normal((200, 6, 12)), rng.standard_normal((200, 12, 4)), rng.standard_normal((200, 4, 4))
        signs = (x @ w) @ transposed(x @ (w * [1, 1, -1, -1])) / 2
        always_close(signs, transposed(signs), within=1e-9)
        always_larger(together(signs).max(), 1.9)
        lopsided = (x @ w) @ transposed(x @ (w + 2 * w @ (m - transposed(m)))) / 2
        always_larger(abs(lopsided - transposed(lopsided)).max(), 1)
        holds(together(lopsided).max() <= 1 + 1e-9)
        product = w @ transposed(w * [1, 1, -1, -1])
        values, vectors = np.linalg.eigh(product + transposed(product))
        holds((values[:, 0] < 0).all())
        a = (
            vectors[:, None, :, 0] * np.array([1.0, -1.0])[:, None]
        )  # a vector that scores itself below 0, and its opposite
        always_larger(together(a @ product @ transposed(a)), 1)
    return {}


@check
def direction_is_the_antisymmetric_part() -> Numbers:
    """We split 100 random products and compared S − Sᵀ with twice the antisymmetric part; norms over 4,000 products."""
    for rng in draws(100):
        x, w_q, w_k, _ = pair_of_matrices(rng)
        product = w_q @ w_k.T
        odd = (product - product.T) / 2
        scores = x @ product @ x.T
        always_close(scores - scores.T, 2 * x @ odd @ x.T, within=1e-9)
    rng = np.random.default_rng(0)
    products = rng.standard_normal((4000, 12, 5)) @ rng.standard_normal((4000, 5, 12))
    even = (products + transposed(products)) / 2
    always_close((even**2).sum() / (products**2).sum(), 1 / 2 + 1 / 24, within=0.005)
    return {}


@check
def rows_and_columns_need_no_direction() -> Numbers:
    """We added random numbers to rows and columns of 100 symmetric matrices and compared w_i A_ij with w_j A_ji."""
    for rng in draws(100):
        q = rng.standard_normal((7, 4))
        r, c = rng.standard_normal((2, 7))
        symmetric = q @ q.T / 2
        always_close(softmax(symmetric + r[:, None]), softmax(symmetric), within=1e-12)
        shifted = symmetric + r[:, None] + c
        weights = softmax(shifted)
        w = np.exp(shifted).sum(1) * np.exp(c - r)
        always_close(w[:, None] * weights / (w[:, None] * weights).T, 1, within=1e-9)
    return {}


def turned(vectors: Array) -> Array:
    """Rotary positions: pairs of components, each turned by an angle that grows with the place."""
    n, d = vectors.shape[-2:]
    angle = np.arange(n)[:, None] * 10.0 ** (-2 * np.arange(d // 2) / d)
    a, b = vectors[..., ::2], vectors[..., 1::2]
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * a - s * b, s * a + c * b], axis=-1).reshape(vectors.shape)


@check
def rotary_positions_keep_the_symmetry() -> Numbers:
    """We turned the queries of 300 heads of one matrix by their places, then let words change places."""
    for n in (2, 7, 20):
        for rng in draws(100):
            q = 2 * rng.standard_normal((n, 8))
            scores = scores_of(turned(q), turned(q))
            always_close(scores, scores.T, within=1e-9)
            holds(together(scores).max() <= 1 + 1e-12)
    changed = []
    for rng in draws(200):
        q = rng.standard_normal((2, 8))
        first, then = (scores_of(turned(one), turned(one))[0, 1] for one in (q, q[::-1]))
        changed.append(abs(first - then))
    always_larger(np.median(changed), 0.5)
    return {}


@check
def groups_would_collapse() -> Numbers:
    """We gave four query heads one set of keys, and then made each head's query matrix the matrix of these keys."""
    for rng in draws(20):
        x, w_k, w_q = rng.standard_normal((7, 32)), rng.standard_normal((32, 8)), rng.standard_normal((4, 32, 8))
        grouped = scores_of(x @ w_q, np.broadcast_to(x @ w_k, (4, 7, 8)))
        always_larger(abs(grouped[0] - grouped[1]).max(), 1)
        shared = scores_of(x @ np.broadcast_to(w_k, (4, 32, 8)), np.broadcast_to(x @ w_k, (4, 7, 8)))
        always_close(shared, shared[:1], within=1e-9)
    return {}


# ---- generalisation


class Task(NamedTuple):
    """What 100 teachers show: noisy scores of random pairs."""

    truth: Array  #: by teacher, (100, 8, 8): of rank 4
    gram: Array  #: (100, 64, 64): what least squares needs of the pairs
    seen: Array  #: (100, 64): and of the scores


@cache
def task(n_pairs: int, symmetric: bool, teachers: int = 100) -> Task:
    """As the cell draws it, one seed for each teacher."""
    truth, gram, seen = np.empty((teachers, 8, 8)), np.empty((teachers, 64, 64)), np.empty((teachers, 64))
    for seed in range(teachers):
        rng = np.random.default_rng(seed)
        w_q, w_k = rng.standard_normal((2, 8, 4)) / 8**0.25
        truth[seed] = w_q @ (w_q if symmetric else w_k).T
        x, y = rng.standard_normal((2, n_pairs, 8))
        shown = np.einsum("ni,ij,nj->n", x, truth[seed], y) + rng.standard_normal(n_pairs)
        pairs = (x[:, :, None] * y[:, None, :]).reshape(n_pairs, 64)
        gram[seed], seen[seed] = pairs.T @ pairs, pairs.T @ shown
    return Task(truth, gram, seen)


def median_error(symmetric_teacher: bool, symmetric_pupil: bool, n_pairs: int) -> float:
    """Median squared error of the matrix that a pupil finds."""
    truth, gram, seen = task(n_pairs, symmetric_teacher)
    i, j = np.triu_indices(8) if symmetric_pupil else np.indices((8, 8)).reshape(2, 64)
    entries = np.zeros((8, 8, len(i)))
    entries[i, j, np.arange(len(i))] = 1
    if symmetric_pupil:
        entries[j, i, np.arange(len(i))] = 1
    basis = entries.reshape(64, -1)
    found = np.linalg.solve(basis.T @ gram @ basis, (seen @ basis)[..., None])[..., 0] @ basis.T
    return float(np.median(((found.reshape(truth.shape) - truth) ** 2).sum((1, 2))))


@check
def fewer_numbers_learn_a_symmetric_task_better(n_pairs: int = 100) -> Numbers:
    """We let 100 symmetric teachers show 70 to 1,000 noisy scores to a symmetric pupil and to a free one."""
    for n in (70, n_pairs, 400, 1000):
        clearly_larger(median_error(True, False, n), median_error(True, True, n))
    return {"0.68": median_error(True, True, n_pairs), "2.30": median_error(True, False, n_pairs)}


@check
def a_symmetric_pupil_cannot_learn_a_direction() -> Numbers:
    """We let 100 directed teachers show 70 to 1,000 noisy scores to both pupils, and split off the symmetric part."""
    errors = [median_error(False, True, n) for n in (70, 100, 400, 1000)]
    always_larger(errors[:-1], errors[1:])
    truth = task(100, False).truth
    floor = np.median((((truth - transposed(truth)) / 2) ** 2).sum((1, 2)))
    always_larger(errors, floor)
    return {"20.3": errors[1], "12.2": errors[3], "11.5": floor, "2.30": median_error(False, False, 100)}


@check
def one_matrix_has_no_negative_eigenvalue(d: int = 8, steps: int = 3000) -> Numbers:
    """We fitted W Wᵀ to 20 symmetric tasks by gradient steps; what was left came from their negative eigenvalues."""
    rng = np.random.default_rng(35)
    drawn = rng.standard_normal((20, d, d))
    tasks = (drawn + transposed(drawn)) / 2
    w = rng.standard_normal((20, d, d)) / 2
    for _ in range(steps):
        w += 0.02 * (tasks - w @ transposed(w)) @ w
    left = ((tasks - w @ transposed(w)) ** 2).sum((1, 2))
    always_close(left / (np.minimum(np.linalg.eigvalsh(tasks), 0) ** 2).sum(1), 1, within=0.01)
    return {}


# ---- the trained model


@cache
def running() -> tuple[list[str], Array]:
    """Tokens of the running sentence, and all scores, divided by sqrt(d_k)."""
    found = evidence.read("directions")["running"]
    n = len(found["tokens"])
    return found["tokens"], unpacked(found["scores"], "<i2").reshape(6, 12, n, n) / np.sqrt(32)


@check
def it_looks_at_cat(layer: int = 4, head: int = 2) -> Numbers:
    """We ran all-MiniLM-L6-v2 on the sentence and read two weights of layer 4, head 2."""
    tokens, scores = running()
    weights = softmax(scores[layer - 1, head - 1])
    it, cat = tokens.index("it"), tokens.index("cat")
    return {"0.67": weights[it, cat], "0.01": weights[cat, it]}


@check
def the_head_of_the_word_before(layer: int = 1, head: int = 3) -> Numbers:
    """We ran all-MiniLM-L6-v2 on the sentence and read scores and weights of layer 1, head 3."""
    tokens, scores = running()
    one, it = scores[layer - 1, head - 1], tokens.index("it")
    holds(tokens[it - 1] == "because" and tokens[it + 1] == "was")
    always_larger(softmax(one).diagonal(-1), 0.95)
    return {"27.3": one[it, it - 1], "1.2": one[it, it + 1], "25.4": one[it + 1, it]}


@check
def what_the_trained_heads_do_that_one_matrix_forbids() -> Numbers:
    """We compared own scores and scores for each other in 1.2 million pairs of tokens, 72 heads, 200 sentences."""
    for scores in tied()[::5]:
        holds((own_scores(scores) - scores - transposed(scores)).min() > -1e-7)
        shifted = scores + np.arange(scores.shape[-1])[:, None] - 3 * np.arange(scores.shape[-1])
        holds((own_scores(shifted) - shifted - transposed(shifted)).min() > -1e-7)  # whatever rows and columns get
    free = two_matrices(10, 16)
    i, j = np.triu_indices(10, 1)
    return {
        "200": evidence.read("directions")["n_sentences"],
        "28 %": evidence.read("directions")["pairs"]["forbidden"],
        "half": ((own_scores(free) - free - transposed(free))[:, i, j] < 0).mean(),
    }


@check
def trained_products_lean_towards_symmetry() -> Numbers:
    """We took the symmetric share of W_Q W_Kᵀ in all heads, and in 100 random products of the same size."""
    share = np.array(evidence.read("trained")["symmetry"]["weights_share"])
    luck = []
    for rng in draws(100):
        w_q, w_k = rng.standard_normal((2, 384, 32))
        square, twice = (w_q.T @ w_q * (w_k.T @ w_k)).sum(), w_k.T @ w_q  # squared norm of W_Q W_Kᵀ; its square's trace
        luck.append((1 + (twice * twice.T).sum() / square) / 2)
    return {
        "0.39": share.min(),
        "0.87": share.max(),
        "0.56": np.median(share),
        "0.50": np.mean(luck),
        "70": (share > np.mean(luck) + 3 * np.std(luck)).sum(),
        "72": share.size,
    }


@cache
def moved(text: str) -> Array:
    """How far the weights of each head move without the directions of its scores, in percent: (6, 12)."""
    heads = [{"layer": layer, "head": head} for layer in range(1, 7) for head in range(1, 13)]
    found = [real_heads_lab.compute(text=text, **head, blend=1.0)["moved_percent"] for head in heads]
    return np.array(found).reshape(6, 12)


def moved_elsewhere(text: str, times: int = 200) -> Array:
    """A control in percent, (6, 12): tokens are shuffled in what is taken away; the median of so many shuffles."""
    rng = np.random.default_rng(0)
    found = np.empty((6, 12))
    for at in np.ndindex(found.shape):
        trained = real_heads_lab.trained_scores(text)[at]
        core = real_heads_lab.centred(trained)
        turned = (core - core.T) / 2
        shuffles = [rng.permutation(len(core)) for _ in range(times)]
        now = softmax(trained - np.array([turned[np.ix_(one, one)] for one in shuffles]))
        found[at] = np.median(50 * abs(now - softmax(trained)).sum(2).mean(1))
    return found


@check
def what_heads_lose_without_directions() -> Numbers:
    """We made the centred scores of 72 heads symmetric, in two sentences; as a control we shuffled what was taken."""
    for text in ("boy", "root"):
        others = np.delete(moved(text).ravel(), 2)
        always_larger(moved(text)[0, 2] / others, 1.02)
    boy, control = moved("boy") / 100, moved_elsewhere("boy") / 100
    return {
        "72": boy.size, "58 %": boy[0, 2], "10 %": np.median(boy),
        "22 %": control[0, 2], "9 %": np.median(control),
    }  # fmt: skip


# ---- what others changed, and wrong answers


def unit(vectors: Array) -> Array:
    """Each of length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


@check
def unit_keys_and_no_self() -> Numbers:
    """We scaled the queries of 2,700 heads of one matrix to length 1 for keys, and hid words from themselves."""
    for n, d_k, size in KINDS:
        q = np.random.default_rng([3, n, d_k]).standard_normal((100, n, d_k))
        scores = size * np.sqrt(d_k) * scores_of(q, unit(q))
        holds((softmax(scores) * ~np.eye(n, dtype=bool)).max() <= 1 / 2 + 1e-12)
        always_larger(abs(scores - transposed(scores)).max((1, 2)), 1e-9)
    always_close(together(one_matrix(2, 4) - 1e9 * np.eye(2)), 2, within=1e-9)
    always_larger(together(one_matrix(5, 4) - 1e9 * np.eye(5)).max(), 1.5)
    return {}


@check
def a_short_query_prefers_a_long_one() -> Numbers:
    """We tried 300 lengths from 1.2 to 5 against a query of length 1, and 200 heads with queries of one length."""
    for length in np.linspace(1.2, 5, 300):
        holds(softmax([1.0, length])[1] > 1 / 2)
    q = 2 * unit(np.random.default_rng(0).standard_normal((200, 10, 5)))
    scores = q @ transposed(q)
    own = np.diagonal(scores, axis1=-2, axis2=-1)
    holds((own >= (scores - 1e9 * np.eye(10)).max(-1) - 1e-9).all())
    return {}


@check
def one_can_go_in_one_layer(heads: int = 4, d_k: int = 6) -> Numbers:
    """We changed the basis to X W_Q or X W_K in 20 layers of four heads and compared all scores, and both ways."""

    def by_head(q: Array, k: Array) -> Array:
        return scores_of(*(each.reshape(len(each), heads, d_k).swapaxes(0, 1) for each in (q, k)))

    for rng in draws(20):
        x, w_q, w_k = rng.standard_normal((7, heads * d_k)), *rng.standard_normal((2, heads * d_k, heads * d_k))
        there = by_head(x @ w_q, x @ w_k)
        for gone, kept in ((w_q, w_k), (w_k, w_q)):
            stream = x @ gone
            other = stream @ (np.linalg.inv(gone) @ kept)
            now = by_head(stream, other) if gone is w_q else by_head(other, stream)
            always_close(now, there, within=1e-6 * (1 + abs(there).max()))
        always_larger(abs(there - transposed(there)).max((1, 2)), 0.1)  # scores stay directed
    return {}


@check
def no_way_back_in_cross_attention() -> Numbers:
    """We drew 3 target words and 5 source words, one matrix for queries and keys, and looked at the scores."""
    for rng in draws(20):
        target, source, w = rng.standard_normal((3, 12)), rng.standard_normal((5, 12)), rng.standard_normal((12, 5))
        scores = scores_of(target @ w, source @ w)
        holds(scores.shape == (3, 5))
        always_larger(abs(scores[:, :3] - scores[:, :3].T).max(), 0.1)
    return {}
