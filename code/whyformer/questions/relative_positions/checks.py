"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from whyformer import evidence
from whyformer.maths import explained_by_distance, softmax
from whyformer.model.layers import positions
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.relative_positions.clocks_lab import SPEEDS
from whyformer.questions.relative_positions.distance_lab import DistanceLab
from whyformer.questions.relative_positions.profile import two_clocks

report = reporter(__name__)


def speeds(d: int, base: float = 10_000.0) -> np.ndarray:
    """(d/2,): radians that each clock turns from one position to the next."""
    return base ** (-np.arange(0, d, 2) / d)


def turned(rows: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Rows (n, d_k) turned by their positions (n,): neighbours make a pair, here a complex number."""
    pairs = (rows[:, 0::2] + 1j * rows[:, 1::2]) * np.exp(1j * np.outer(at, speeds(rows.shape[1])))
    return np.stack([pairs.real, pairs.imag], -1).reshape(rows.shape)


def turn_by_one(d: int) -> np.ndarray:
    """(d, d): the matrix T that takes each position's vector to the next."""
    out = np.zeros((d, d))
    for t, speed in enumerate(speeds(d)):
        out[2 * t : 2 * t + 2, 2 * t : 2 * t + 2] = [[np.cos(speed), -np.sin(speed)], [np.sin(speed), np.cos(speed)]]
    return out


def of_clocks(rng: np.random.Generator, d: int) -> np.ndarray:
    """A random (d, d) matrix that keeps each clock to itself: blocks [[a, b], [-b, a]]."""
    out = np.zeros((d, d))
    for t in range(0, d, 2):
        a, b = rng.standard_normal(2)
        out[t : t + 2, t : t + 2] = [[a, b], [-b, a]]
    return out


def drawn(rng: np.random.Generator, d: int, d_k: int, count: int = 2) -> np.ndarray:
    """Random matrices (count, d, d_k) with entries of variance 1/d."""
    return rng.standard_normal((count, d, d_k)) / np.sqrt(d)


def head(x: np.ndarray, w: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """The output (n, d_k) of one head with W_Q, W_K, W_V for words x (n, d)."""
    scores = x @ w[0] @ (x @ w[1]).T / np.sqrt(w.shape[2])
    return softmax(scores if mask is None else np.where(mask, scores, -np.inf)) @ x @ w[2]


@check
def shuffled_words() -> Numbers:
    """We shuffled 5 to 30 random words, 20 times, bare, with a causal mask, with sinusoids, and repeated one word."""
    for rng in draws(20):
        for n, d, d_k in ((5, 8, 4), (12, 16, 16), (30, 64, 8)):
            x, w, order = rng.standard_normal((n, d)), drawn(rng, d, d_k, 3), np.roll(rng.permutation(n), 1)
            if (order == np.arange(n)).all():
                order = order[::-1]
            always_close(head(x[order], w), head(x, w)[order], within=1e-9)
            causal, p = np.tril(np.ones((n, n), bool)), positions(n, d)
            always_larger(abs(head(x[order], w, causal) - head(x, w, causal)[order]).max(), 0.01)
            always_close(np.ptp(head(np.repeat(x[:1], n, 0), w, causal), axis=0), 0, within=1e-9)
            always_larger(abs(head(x[order] + p, w) - head(x + p, w)[order]).max(), 0.01)
    return {}


@check
def rotary_scores_go_by_distance() -> Numbers:
    """We moved random queries and keys together by up to 1,000 positions, after random matrices of three sizes."""
    for rng in draws(10):
        for d, d_k in ((16, 8), (64, 64), (32, 128)):
            (a, b), (w_q, w_k) = rng.standard_normal((2, 1, d)), drawn(rng, d, d_k)
            places = rng.integers(0, 1000, 30)
            for apart in (0, 3, 40):
                rows = [np.repeat(word @ w, 30, 0) for word, w in ((a, w_q), (b, w_k))]
                scores = (turned(rows[0], places) * turned(rows[1], places + apart)).sum(1)
                always_close(scores, scores[0], within=1e-9 * d_k)
            rows = [np.repeat(word @ w, 30, 0) for word, w in ((a, w_q), (b, w_k))]
            always_larger(np.ptp((turned(rows[0], np.zeros(30)) * turned(rows[1], np.arange(30))).sum(1)), 0.1)
            others = rng.standard_normal((30, d)) @ w_k
            always_larger(np.ptp(turned(others, np.full(30, 3)) @ (a @ w_q)[0]), 0.1)
    return {}


@check
def random_matrices_mix_clocks(n: int = 64) -> Numbers:
    """We drew W_Q and W_K 40 times at each of three widths; their product stood between sinusoids of 64 positions."""
    shares = []
    for d in (16, 32, 64):
        p = positions(n, d)
        for seed in range(40):
            w_q, w_k = drawn(np.random.default_rng([d, seed]), d, d)
            shares.append(explained_by_distance(p @ w_q @ w_k.T @ p.T))
    always_larger(0.95, shares)
    noise = [explained_by_distance(rng.standard_normal((n, n))) for rng in draws(40)]
    return {"64": n, "16": 16, "32": 32, "14 %": np.mean(shares), "3 %": np.mean(noise)}


@check
def cross_terms_move() -> Numbers:
    """We moved two words along 48 positions, with random matrices and such as keep clocks apart: both cross terms."""
    for d in (16, 32, 64):
        p = positions(48, d)
        for rng in draws(20, seed=d):
            (a, b), (w_q, w_k) = rng.standard_normal((2, d)), drawn(rng, d, d)
            for between in (w_q @ w_k.T, of_clocks(rng, d)):
                always_larger([np.ptp(a @ between @ p.T), np.ptp(p @ between @ b)], 0.1)
    return {}


@check
def turns_of_the_lab() -> Numbers:
    """We divided a full turn by the speeds of the four clocks."""
    turns = 2 * np.pi / SPEEDS
    return {"6": turns[0], "20": turns[1], "63": turns[2], "199": turns[3]}


@check
def four_terms() -> Numbers:
    """We multiplied the score of two words with positions out, for 20 random draws, and added its four terms up."""
    for rng in draws(20):
        x, p, w = rng.standard_normal((9, 12)), positions(9, 12), rng.standard_normal((12, 12))
        same((x + p) @ w @ (x + p).T, sum(left @ w @ right.T for left in (x, p) for right in (x, p)))
    return {}


@check
def sinusoids_alone() -> Numbers:
    """We compared dot products of all pairs of 64 positions with the sum of cosines, and p T with the next position."""
    for d in (8, 64, 512):
        p, i, turn = positions(64, d), np.arange(64), turn_by_one(d)
        always_close(p @ p.T, np.cos(np.multiply.outer(i[:, None] - i, speeds(d))).sum(-1), within=1e-9 * d)
        always_close(p[:-1] @ turn, p[1:], within=1e-9)
        always_close(turn @ turn.T, np.eye(d), within=1e-12)
    return {}


@check
def matrices_that_keep_clocks_apart() -> Numbers:
    """We counted the dimensions of the matrices that commute with T, and tried ten of them and ten others per width."""
    for d in (4, 8, 12):
        turn, p = turn_by_one(d), positions(64, d)
        singular = np.linalg.svd(np.kron(turn, np.eye(d)) - np.kron(np.eye(d), turn.T), compute_uv=False)
        holds((singular < 1e-9).sum() == d, d=d)
        if d <= 8:  # at 12 the slow clocks hardly turn within 12 positions, and rounding would decide
            holds(np.linalg.matrix_rank(p[:d], tol=1e-12) == d, d=d)
        for rng in draws(10, seed=d):
            w = of_clocks(rng, d)
            always_close(turn @ w, w @ turn, within=1e-12)
            always_close(explained_by_distance(p @ w @ p.T), 1, within=1e-9)
            other = w + rng.standard_normal((d, d))
            always_larger(abs(turn @ other - other @ turn).max(), 0.01)
            always_larger(0.95, explained_by_distance(p @ other @ p.T))
    return {}


@check
def rotary_scores_are_waves() -> Numbers:
    """We added cosines up with the sizes and phases of 20 random pairs, and compared all pairs of 30 positions."""
    i = np.arange(30)
    for d_k in (2, 8, 64):
        for rng in draws(20, seed=d_k):
            q, k = rng.standard_normal((2, d_k))
            scores = turned(np.tile(q, (30, 1)), i) @ turned(np.tile(k, (30, 1)), i).T
            product = (q[0::2] + 1j * q[1::2]) * (k[0::2] - 1j * k[1::2])
            waves = abs(product) * np.cos(np.multiply.outer(i[:, None] - i, speeds(d_k)) + np.angle(product))
            always_close(scores, waves.sum(-1), within=1e-9)
    return {}


@check
def a_table_as_two_terms(kappa: int = 2) -> Numbers:
    """We built all vectors by clipped distance for 9 positions and compared with two terms, 20 times."""
    for rng in draws(20):
        q, k, w = rng.standard_normal((9, 6)), rng.standard_normal((9, 6)), rng.standard_normal((2 * kappa + 1, 6))
        clipped = np.clip(np.arange(9) - np.arange(9)[:, None], -kappa, kappa) + kappa
        same(np.einsum("id,ijd->ij", q, k + w[clipped]), q @ k.T + np.take_along_axis(q @ w.T, clipped, 1))
    return {}


def shown_all_angles(length: int, both_signs: bool = False) -> int:
    """Of the 16 clocks of a head with d_k = 32: how many leave no angle out on distances up to length - 1."""
    least = 1 - length if both_signs else 0
    shown = np.multiply.outer(np.linspace(least, length - 1, 20_001), speeds(32)) % (2 * np.pi)
    return sum(len(np.unique(np.floor(one / (2 * np.pi) * 100))) == 100 for one in shown.T)


@check
def clocks_that_have_not_gone_round() -> Numbers:
    """We looked on a fine grid which angles each of 16 clocks takes within the trained length, and beyond it."""
    unturned = {length: 16 - shown_all_angles(length) for length in (128, 512)}
    for length in (128, 512, 2048):
        holds((speeds(32) * (4 * length - 1) % (2 * np.pi) > speeds(32) * (length - 1)).any(), length=length)
    of_encoder = {length: 16 - shown_all_angles(length, both_signs=True) for length in (128, 512)}
    return {
        "10": unturned[128],
        "16": len(speeds(32)),
        "8": unturned[512],
        "9": of_encoder[128],
        "7": of_encoder[512],
    }


@check
def defined_is_not_trained() -> Numbers:
    """We fitted the lab's clocks to two targets at four lengths with three penalties, and asked them further out."""
    for length in (32, 64, 128, 256):
        for held in ("little", "some", "much"):
            for wish in ("fade", "recent"):
                one = DistanceLab(length=length, held=held, wish=wish).series
                always_larger(one["miss_beyond_clocks"], 2 * one["miss_within_clocks"])
    free, held_down = DistanceLab().series, DistanceLab(held="much").series
    return {
        "0.07": free["miss_within_clocks"],
        "3.2": free["miss_beyond_clocks"],
        "0.34": held_down["miss_within_clocks"],
        "1.0": held_down["miss_beyond_clocks"],
    }


def by_log_distance(n: int) -> np.ndarray:
    """(n, n): target scores that fall with the logarithm of the distance, mean 0."""
    i = np.arange(n)
    scores = -np.log2(1 + abs(i[:, None] - i))
    return scores - scores.mean()


def free_fit(p: np.ndarray, wanted: np.ndarray, penalty: float) -> np.ndarray:
    """W_QK by least squares, with a penalty in both factors."""
    inverse = np.linalg.solve(p.T @ p + penalty * np.eye(p.shape[1]), p.T)
    return inverse @ wanted @ inverse.T


def fit_by_clock(p: np.ndarray, wanted: np.ndarray, penalty: float) -> np.ndarray:
    """The best matrix that keeps clocks apart, with a penalty."""
    n, d = p.shape
    columns = []
    for t in range(0, d, 2):
        one, other = p[:, t : t + 1], p[:, t + 1 : t + 2]
        columns += [(one @ one.T + other @ other.T).ravel(), (one @ other.T - other @ one.T).ravel()]
    basis = np.array(columns).T
    found = np.linalg.solve(basis.T @ basis + penalty * n * np.eye(d), basis.T @ wanted.ravel())
    w = np.zeros((d, d))
    for t in range(0, d, 2):
        a, b = found[t : t + 2]
        w[t : t + 2, t : t + 2] = [[a, b], [-b, a]]
    return w


@check
def learned_where_it_was_shown(n: int = 64) -> Numbers:
    """We fitted a free matrix and one that keeps clocks apart to positions 0 to 63, and asked both further on."""
    explained, fits = [], 0
    for d in (16, 32):
        p, wanted = positions(2 * n, d), by_log_distance(n)
        for penalty in (0.1, 1.0, 10.0):
            misses = []
            for fit in (free_fit, fit_by_clock):
                w = fit(p[:n], wanted, penalty)
                misses.append(
                    [np.sqrt(((p[at] @ w @ p[at].T - wanted) ** 2).mean()) for at in (slice(n), slice(n, None))]
                )
                if fit is free_fit:
                    explained.append(explained_by_distance(p[:n] @ w @ p[:n].T))
            clearly_larger(misses[0][1], misses[0][0])
            always_close(misses[1][1], misses[1][0], within=1e-6)
            fits += 1
    always_larger(explained, 0.98)
    return {"0": 0, "63": n - 1, "98 %": min(explained), "127": 2 * n - 1, "six": fits}


@check
def one_trained_head_goes_by_distance() -> Numbers:
    """We took all scores of layer 1 over 200 sentences, each without the mean of its row, and averaged by distance."""
    explained = np.array(evidence.read("positions")["scores"]["explained"])
    order = np.sort(explained)
    lengths = [len(sentence.split()) for sentence in evidence.sentences()]
    return {
        "1": (explained > 0.5).sum(),
        "one": (explained > 0.5).sum(),
        "12": explained.size,
        "87 %": order[-1],
        "41 %": order[-2],
        **{"200": len(lengths), "4": min(lengths), "13": max(lengths)},
    }


@check
def distance_over_more_positions() -> Numbers:
    """We took the part of that head's scores that two positions make, and 20 random orders of the positions."""
    found = evidence.read("positions")
    head = int(np.argmax(found["scores"]["explained"]))
    near, far, by_chance, far_by_chance = (
        found["positions"][kind][last][head] for kind in ("explained", "chance") for last in ("31", "127")
    )
    return {"87 %": near, "1": 1, "31": 31, "48 %": far, "127": 127, "15 %": by_chance, "5 %": far_by_chance}


def two_best_waves(profiles: np.ndarray) -> np.ndarray:
    """For profiles (m, 25): the share of the variance that a constant and the two best of 60 waves explain."""
    distances = np.arange(-12, 13)
    waves = [[f(2 * np.pi * distances / turn) for f in (np.cos, np.sin)] for turn in np.geomspace(2.1, 60, 60)]
    centred = profiles - profiles.mean(1, keepdims=True)
    best = np.zeros(len(profiles))
    for one, other in combinations(waves, 2):
        basis = np.linalg.qr(np.stack([np.ones(25), *one, *other], 1))[0]
        best = np.maximum(best, ((centred @ basis) ** 2).sum(1))
    return best / (centred**2).sum(1)


@check
def the_profile_is_a_clock(orders: int = 400) -> Numbers:
    """We fitted the two best of 60 waves to the profile, and to the same 25 numbers in 400 random orders."""
    profile = np.array(evidence.read("positions")["positions"]["profile"])[2]
    distances = np.arange(-12, 13.0)
    inner = range(1, 24)
    peaks = [int(distances[at]) for at in inner if profile[at] > max(profile[at - 1], profile[at + 1])]
    holds(peaks == [-7, -1, 5, 11], peaks=peaks)
    left = profile - two_clocks(profile, distances, distances)
    rng = np.random.default_rng(0)
    by_chance = two_best_waves(np.array([rng.permutation(profile) for _ in range(orders)]))
    clearly_larger(two_best_waves(profile[None])[0], by_chance.max())
    return {
        "six": np.diff(peaks).mean(),
        "−1": distances[profile.argmax()],
        "99 %": 1 - left.var() / profile.var(),
        "25": profile.size,
        "74 %": by_chance.max(),
    }


@check
def moved_sentences() -> Numbers:
    """We moved all tokens but [CLS] of 200 sentences, and compared sentence embeddings by their cosine."""
    moved = evidence.read("positions")["moved"]
    clearly_larger(moved["100"]["mean"], moved["order"]["mean"])
    return {"0.997": moved["1"]["mean"], "0.945": moved["100"]["mean"], "0.870": moved["order"]["mean"]}


@check
def rotation_in_a_decoder() -> Numbers:
    """We read the starts of 30 texts of our own at other places and without the rotation."""
    found = evidence.read("decoder_positions")
    costs = [one["mean"] for one in found["without_rotation"]["layer"].values()]
    always_close([found["moved"]["shifted_100000"][one] for one in ("least", "largest")], 0, within=1e-4)
    always_larger(0.1, costs)
    return {
        "100,000": 100_000,
        "1.0": found["without_rotation"]["all"]["mean"],
        "22": found["read"]["start"]["shortest"],
        "24": found["read"]["start"]["longest"],
        "30": found["read"]["start"]["texts"],
        "12": found["read"]["short"]["longest"],
        "twelve": len(costs),
        "0.1": 0.1,
    }


@check
def gaps_inside_the_context() -> Numbers:
    """We left places empty in the middle of 30 texts of our own, and read their second halves."""
    gap = evidence.read("decoder_positions")["gap"]
    costs = {places: one["mean"] for places, one in gap.items() if places != "tokens"}
    clearly_larger(costs["8000"], costs["no_first_half"])
    return {
        "0.7": costs["100"],
        "100": 100,
        "1.3": costs["1000"],
        "1,000": 1000,
        "2.1": costs["8000"],
        "8,000": 8000,
        "3.2": costs["16000"],
        "16,000": 16_000,
        "8,192": 8192,  # llama.context_length in the header of the file
        "1.7": costs["no_first_half"],
    }


@check
def a_larger_base_slows_the_slow() -> Numbers:
    """We compared the speeds of all clocks before and after, for three head sizes, two bases and four lengths."""
    for d in (32, 64, 128):
        for base in (1e4, 5e5):
            for s in (2, 4, 8, 32):
                slower = speeds(d, base * s ** (d / (d - 2))) / speeds(d, base)
                always_close([slower[0], slower[-1]], [1, 1 / s], within=1e-9)
                always_larger(slower[:-1], slower[1:])
    return {}


@check
def what_yarn_leaves_alone(d_k: int = 64, trained: int = 4096, base: float = 10_000.0) -> Numbers:
    """We counted how often each clock turns within the trained positions: more than 32 times, or less than once."""
    turns = trained * speeds(d_k, base) / (2 * np.pi)
    return {"4,096": trained, "32": len(turns), "11": (turns > 32).sum(), "9": (turns < 1).sum()}


@check
def near_distances_are_worth() -> Numbers:
    """We read the starts of 30 texts of our own with positions halved and doubled, and with another base."""
    found = evidence.read("decoder_positions")
    d_k = 64
    return {
        "0.31": found["moved"]["halved"]["mean"],
        "0.22": found["moved"]["doubled"]["mean"],
        "−0.003": found["base"]["200000"]["mean"],
        "200,000": 200_000,
        "100,000": found["base"]["own"],
        "204,522": found["base"]["own"] * 2 ** (d_k / (d_k - 2)),
    }


@check
def two_layouts() -> Numbers:
    """We put the columns of 20 random queries and keys in the other order and turned halves, then forgot the order."""
    at = np.arange(12)
    for rng in draws(20):
        q, k = rng.standard_normal((2, 12, 8))
        halves = np.r_[0:8:2, 1:8:2]  # where the numbers of each pair go

        def by_halves(rows: np.ndarray) -> np.ndarray:
            pairs = (rows[:, :4] + 1j * rows[:, 4:]) * np.exp(1j * np.outer(at, speeds(8)))
            return np.concatenate([pairs.real, pairs.imag], 1)

        scores = turned(q, at) @ turned(k, at).T
        same(by_halves(q[:, halves]) @ by_halves(k[:, halves]).T, scores)
        always_larger(abs(by_halves(q) @ by_halves(k).T - scores).max(), 0.5)
    return {}


@check
def highest_anywhere(d_k: int = 32) -> Numbers:
    """We made keys for five queries and distances from 0 to 199, and equal keys, and looked where scores are high."""
    back = np.arange(200)
    turns = np.exp(1j * np.outer(back, speeds(d_k)))
    for rng in draws(5):
        query = rng.standard_normal(d_k)
        hands = query[0::2] + 1j * query[1::2]
        for wanted in range(0, 200, 7):
            key = hands * np.exp(1j * wanted * speeds(d_k))
            scores = (turns * (hands * key.conj())).real.sum(1)
            ahead = np.sort(scores)
            holds(scores.argmax() == wanted and ahead[-1] - ahead[-2] > 1e-6, wanted=wanted)
    for rng in draws(200, seed=1):
        query = rng.standard_normal(d_k)
        scores = np.cos(np.outer(back, speeds(d_k))) @ (query[0::2] ** 2 + query[1::2] ** 2)
        holds(scores.argmax() == 0)
        clearly_larger(scores[:20].mean(), scores[100:].mean())
    return {}
