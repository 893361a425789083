"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whyformer import evidence
from whyformer.maths import log_softmax
from whyformer.maths.softmax import Array
from whyformer.model import Config, Transformer, initial
from whyformer.model.layers import positions
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.embedding_scale import toy

report = reporter(__name__)

WIDTHS = (64, 512)
D, VOCABULARY = 512, 37_000  # of the base model
GLOROT = (2 / (VOCABULARY + D)) ** 0.5  # the standard deviation of Glorot's rule for its table


def length(x: Array) -> Array:
    """Length of each row."""
    found: Array = np.linalg.norm(x, axis=-1)
    return found


def tables(count: int = 2, vocabulary: int = 200) -> Iterator[tuple[Array, Array]]:
    """Tables of standard deviation 1/sqrt(d), each with 100 sine positions, at two widths."""
    for d in WIDTHS:
        for rng in draws(count, seed=d):
            yield rng.standard_normal((vocabulary, d)) / np.sqrt(d), positions(100, d)


def layer_norm(x: Array) -> Array:
    """A LayerNorm without gain and bias."""
    normed: Array = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
    return normed


def fresh() -> Iterator[Transformer]:
    """Models at their start, of two widths and two draws."""
    for d in (64, 128):
        for rng in draws(2, seed=d):
            yield initial(Config(d_model=d, n_heads=4, d_ff=d, n_layers=1, vocabulary=400), rng)


def states(rng: np.random.Generator, d: int, count: int = 300) -> Array:
    """Hidden states as a LayerNorm leaves them."""
    return layer_norm(rng.standard_normal((count, d)))


def first_loss(logits: Array) -> float:
    """Mean cross-entropy over all words as the answer."""
    return float(-log_softmax(logits).mean())


@check
def the_table_is_used_twice() -> Numbers:
    """We doubled the output table of four fresh models, and looked whether input and output are one array."""
    words, answers = np.arange(7), np.arange(20, 32)
    for model in fresh():
        holds(model.output is model.source and model.output is model.target)
        same(model._replace(output=2 * model.output)(words, answers), 2 * model(words, answers))
    return {}


@check
def small_entries_make_calm_logits() -> Numbers:
    """We took the logits of hidden states of length √d at two widths, and those of four fresh models."""
    for d in WIDTHS:
        for rng in draws(3, seed=d):
            h, rows = states(rng, d), rng.standard_normal((400, d))
            always_close((h @ rows.T / np.sqrt(d)).std(), 1, within=0.05)
            always_close((h @ rows.T).std() / np.sqrt(d), 1, within=0.05)
    for model in fresh():
        always_close(model(np.arange(7), np.arange(20, 32)).std(), 1, within=0.1)
    return {}


@check
def a_word_beside_its_position() -> Numbers:
    """We measured the rows of four tables and 100 sine positions, at widths of 64 and 512."""
    for rows, p in tables():
        d = rows.shape[1]
        always_close(length(rows).mean(), 1, within=0.02)
        always_close(length(p), np.sqrt(d / 2), within=1e-9)
        always_larger(length(p).min(), 3 * length(rows).max())
        always_close(np.sqrt(d) * length(rows).mean() / length(p).mean() / np.sqrt(2), 1, within=0.02)
        always_larger(np.sqrt(d) * length(rows).min(), length(p).max())
    return {}


@check
def length_of_a_word() -> Numbers:
    """We averaged squared lengths of 200 rows, for five spreads and two factors, at two widths."""
    for rows, _ in tables():
        d = rows.shape[1]
        for spread in (0.01, 0.02, 0.044, 0.3, 1):
            for m in (1, np.sqrt(d)):
                squares = (length(m * spread * np.sqrt(d) * rows) ** 2).mean()
                always_close(squares / (m * spread) ** 2 / d, 1, within=0.05)
    return {"22.6": np.sqrt(D)}


@check
def length_of_a_position() -> Numbers:
    """We measured 200 sine positions at seven widths."""
    for d in (2, 16, 64, 128, 512, 768, 1024):
        always_close(length(positions(200, d)) ** 2, d / 2, within=1e-8)
    return {"16": length(positions(1, D))[0]}


def angles(rows: Array, p: Array, m: float) -> Array:
    """Degrees between the sum and its word, for each word at each place."""
    x = m * rows[:, None] + p
    cosine = (x * rows[:, None]).sum(-1) / (length(x) * length(rows)[:, None])
    found: Array = np.degrees(np.arccos(cosine))
    return found


@check
def where_the_sum_points() -> Numbers:
    """We added 200 words and 20 positions at two widths, and took the mean angle of the sum with its word."""
    for rows, p in tables(1):
        d = rows.shape[1]
        cosines = rows @ p.T / (length(rows)[:, None] * length(p))
        always_close(cosines.std() * np.sqrt(d), 1, within=0.15)
        always_close(angles(rows, p[:20], 1).mean(), np.degrees(np.arctan(np.sqrt(d / 2))), within=1)
        always_close(angles(rows, p[:20], np.sqrt(d)).mean(), np.degrees(np.arctan(np.sqrt(1 / 2))), within=1)
    at = [np.degrees(np.arctan(np.sqrt(D / 2) / m)) for m in (1, np.sqrt(D))]
    word, position = np.array([1, D]), D / 2
    share = word / (word + position)
    always_larger(0.01, share[0])
    return {"86": at[0], "35": at[1], "two thirds": share[1]}


@check
def what_two_tokens_share() -> Numbers:
    """We averaged products of sums over 200 words at eight places, with one word and with two, at two widths."""
    for rows, p in tables(1):
        d = rows.shape[1]
        for m in (1, np.sqrt(d)):
            x = m * rows[:, None] + p[:8]
            one = np.mean([a @ a.T for a in x], axis=0)
            two = np.mean([a @ b.T for a, b in zip(x, np.roll(x, 1, axis=0), strict=True)], axis=0)
            always_close((one - two) / (m**2 + d / 2), m**2 / (m**2 + d / 2), within=0.05)
    p = positions(40, D)
    cosine = p @ p.T / (D / 2)
    own = D / 2 / (1 + D / 2)
    return {"0.004": 1 / (1 + D / 2), "0.97": cosine[0, 1] * own, "0.74": (1 + cosine[0, 5] * D / 2) / (1 + D / 2)}


@check
def a_matrix_can_find_the_words() -> Numbers:
    """We dropped 20 directions of the first 50 sines, and 128 of the first 512, and compared as many short words."""
    for rng, (places, dropped) in zip(draws(4), ((50, 20), (50, 20), (50, 20), (512, 128)), strict=True):
        p = positions(places, D)
        sines = np.linalg.svd(p, full_matrices=False)[2][:dropped]
        words = rng.standard_normal((places, D)) / np.sqrt(D)
        sums = [words + p, words + p[::-1]]  # each word at two places
        left = [x - x @ sines.T @ sines for x in (*sums, words, p)]
        always_larger(length(left[2]).min(), 10 * length(left[3]).max())
        one, two = (x / length(x)[:, None] for x in left[:2])
        cosines = one @ two.T
        always_larger(np.diag(cosines), 0.99)
        always_larger(0.25, abs(cosines - np.diag(np.diag(cosines))).max())
    return {"50": 50, "20": 20, "512": D, "ten": 10, "0.99": 0.99, "0.25": 0.25, "128": 128}


@check
def a_norm_turns_a_long_stream_less() -> Numbers:
    """We moved vectors of spread 1 and of spread 1/√512 by the same small step, and compared what a LayerNorm gives."""
    for rng in draws(3):
        x, step = rng.standard_normal((20, D)), 1e-6 * rng.standard_normal((20, D))
        long, short = (length(layer_norm(m * x + step) - layer_norm(m * x)) for m in (1, 1 / np.sqrt(D)))
        always_close(short / long / np.sqrt(D), 1, within=1e-3)
    return {"22.6": np.sqrt(D)}


@check
def the_first_loss() -> Numbers:
    """We drew logits for 37,000 words and took the mean cross-entropy over all of them as the answer."""
    unit = np.random.default_rng(1).standard_normal((8, VOCABULARY))
    half = np.log(VOCABULARY) + 1 / 2
    calm, wild = first_loss(unit), first_loss(np.sqrt(D) * unit)
    always_close(calm, half, within=0.02)
    always_larger(wild, 80)
    return {"11.0": half, "10.5": np.log(VOCABULARY), "above 80": (wild, 80.0)}


@check
def no_spread_serves_both_ends() -> Numbers:
    """We went through 2,000 spreads at nine widths, with two limits for the logits, and drew tables at the bound."""
    spreads = np.geomspace(1e-4, 10, 2000)
    for limit in (2, 3):
        for d in (2, 4, 7, 9, 16, 20, 64, 512, 4096):
            both = (spreads * np.sqrt(2) >= 1) & (spreads * np.sqrt(d) <= limit)
            holds(both.any() == (d <= 2 * limit**2), d=d, limit=limit)
            holds(((spreads * np.sqrt(2 * d) >= 1) & (spreads * np.sqrt(d) <= limit)).any())
    for d in WIDTHS:
        rng = np.random.default_rng(d)
        rows = rng.standard_normal((400, d)) / np.sqrt(2)  # as long as a position
        always_close(length(rows).mean() / np.sqrt(d / 2), 1, within=0.02)
        always_close((states(rng, d) @ rows.T).std() / np.sqrt(d / 2), 1, within=0.05)
    return {"16": np.sqrt(D / 2), "8": 2 * 2**2, "3": 3, "18": 2 * 3**2}


@check
def the_mirror_image() -> Numbers:
    """We compared inputs and logits of both ways with one random table, at two widths."""
    for rows, p in tables():
        d = rows.shape[1]
        ones, h = np.sqrt(d) * rows, states(np.random.default_rng(d), d, 20)
        same(np.sqrt(d) * rows + p[0], ones + p[0])
        same(h @ rows.T, h @ ones.T / np.sqrt(d))
        always_larger(0.8 * np.sqrt(d) * length(rows).min(), 0.8 * length(p).max())
    return {}


def adam(gradients: Array) -> Array:
    """Adam's moves over its rate, for gradients (steps, entries)."""
    mean = square = np.zeros(gradients.shape[1])
    moves = []
    for step, one in enumerate(gradients, 1):
        mean, square = 0.9 * mean + 0.1 * one, 0.999 * square + 0.001 * one**2
        moves.append(mean / (1 - 0.9**step) / np.sqrt(square / (1 - 0.999**step)))
    return np.array(moves)


@check
def adam_moves_the_short_row_further() -> Numbers:
    """We fed Adam 100 gradients and the same ones √d times smaller, and compared the tables, row by row."""
    for rng in draws(3):
        rows, slopes = rng.standard_normal(500) / np.sqrt(D), rng.standard_normal((100, 500))
        moves, mirrored = adam(slopes), adam(slopes / np.sqrt(D))
        always_close(moves, mirrored, within=1e-9)
        rate = 0.001
        always_close(
            np.sqrt(D) * (rows - rate * moves.sum(0)),
            np.sqrt(D) * rows - rate * np.sqrt(D) * mirrored.sum(0),
            within=1e-9,
        )
    return {}


@check
def relative_steps_do_not_care() -> Numbers:
    """We took steps in proportion to the root mean square of the table, 100 of them, for both ways."""
    for rng in draws(3):
        rows = rng.standard_normal(500) / np.sqrt(D)
        mirror = np.sqrt(D) * rows
        for slope in rng.standard_normal((100, 500)):
            rows = rows - 0.01 * np.sqrt((rows**2).mean()) * np.sign(slope)
            mirror = mirror - 0.01 * np.sqrt((mirror**2).mean()) * np.sign(slope / np.sqrt(D))
        same(np.sqrt(D) * rows, mirror)
    return {}


@check
def the_balance_at_tuned_rates(d: int = 64) -> Numbers:
    """We trained the toy from three seeds at five rates, 0.003 to 0.3, each start at its best, and with no sines."""
    starts = toy.starts(d)
    found = {name: np.array(toy.at_its_best_rate(start, d=d)) for name, start in starts.items()}
    short = starts["short rows, no factor"]
    own = np.array(toy.at_its_best_rate(short, own_rates=(d**0.5, 2 * d**0.5), d=d))
    balanced = np.concatenate([found["as in 2017"], found["as in T5"]])
    always_larger(own.min(), balanced.max())
    alone = {name: np.array(toy.at_its_best_rate(start, d=d, places=0)) for name, start in starts.items()}
    holds(bool(alone["short rows, no factor"].max() <= min(one.max() for one in alone.values())))
    return {
        "1": 1,
        "at most 6 steps": (balanced, np.full(6, 6)),
        "at most 10": (found["long rows, no factor"], np.full(3, 10)),
        "at least 15": (found["short rows, no factor"], np.full(3, 15)),
        "at least 8": (own, np.full(3, 8)),
    }


@check
def a_larger_rate_does_the_same() -> Numbers:
    """We trained the toy both ways from two seeds at two rates, and compared losses at each of 90 steps."""
    for seed in range(2):
        ours, mirror = (toy.starts(64)[name] for name in ("as in 2017", "as in T5"))
        for rate in (0.003, 0.03):
            with_factor = toy.losses(ours, rate, seed)
            always_close(with_factor, toy.losses(mirror._replace(own_rate=8), rate, seed), within=1e-6)
    ours, mirror = (toy.starts(64)[name] for name in ("as in 2017", "as in T5"))
    slow = [[toy.steps_to_one(start, 0.003, seed) for seed in range(2)] for start in (ours, mirror)]
    clearly_larger(slow[1], slow[0])
    return {}


@check
def weight_decay_parts_the_two(decay: float = 0.1) -> Numbers:
    """We trained the toy by AdamW both ways from two seeds at rate 0.03, with one decay, and with T5's divided by 8."""
    ours, mirror = (toy.starts(64)[name] for name in ("as in 2017", "as in T5"))
    for seed in range(2):
        larger = mirror._replace(own_rate=8)
        arms = ((ours, decay), (larger, decay), (larger, decay / 8))
        with_factor, alike, divided = (np.array(toy.losses(start, 0.03, seed, decay=one)) for start, one in arms)
        always_close(divided, with_factor, within=1e-6)
        always_larger(abs(alike - with_factor).max(), 0.05)
    return {"0.1": decay}


@check
def how_a_trained_model_ended() -> Numbers:
    """We measured lengths and scores of the first layer on 200 sentences, without their first and last tokens."""
    found = evidence.read("embedding")
    lengths, shares = found["lengths"], found["shares"]
    by_head = np.sort(shares["heads"]["position"])
    holds(len(by_head) == 12)
    return {
        "200": found["n_sentences"],
        "1.0": lengths["word"]["mid"],
        "0.4": lengths["position"]["mid"],
        "29": lengths["word_angle"],
        "6 %": shares["input"]["position"],
        "99 %": by_head[-1],
    }


def cut_normal(at: float = 2) -> float:
    """Standard deviation of a standard normal that is drawn again beyond ``at``."""
    z = np.linspace(-at, at, 100_001)
    density = np.exp(-(z**2) / 2)
    return float(np.sqrt((z**2 * density).sum() / density.sum()))


@check
def how_others_begin() -> Numbers:
    """We computed lengths and logits from each start, and the spread of a normal cut off at two of its own."""
    bert = 0.02 * cut_normal()
    glorot = np.sqrt(D) * GLOROT * np.sqrt(D) / np.sqrt(D / 2)
    return {"0.0176": bert, "0.49": bert * np.sqrt(768), "0.55": 0.02 * np.sqrt(768), "0.23": glorot}


@check
def another_root() -> Numbers:
    """We compared the first layer's scores with and without the factor, for 20 words without positions."""
    for rng in draws(3):
        W_Q, W_K = rng.standard_normal((2, D, 64)) / np.sqrt(D)
        x = rng.standard_normal((20, D)) / np.sqrt(D)

        def scores(x: Array, W_Q: Array = W_Q, W_K: Array = W_K) -> Array:
            found: Array = (x @ W_Q) @ (x @ W_K).T / 8
            return found

        same(scores(np.sqrt(D) * x), D * scores(x))
    return {"512": D, "8": np.sqrt(64)}


@check
def variance_hangs_on_the_start() -> Numbers:
    """We multiplied tables of three starts by √512 and took the variance of their entries."""
    for rng in draws(3):
        unit = rng.standard_normal((500, D))
        always_close([(np.sqrt(D) * s * unit).var() / (D * s**2) for s in (D**-0.5, GLOROT, 0.02)], 1, within=0.02)
    return {"0.03": D * GLOROT**2}


@check
def a_norm_keeps_the_balance() -> Numbers:
    """We took 200 words at ten places, without the factor, apart after the LayerNorm, at d_model = 512."""
    p = positions(10, D)
    before, behind = [], []
    for rng in draws(3):
        for row in rng.standard_normal((200, D)) / np.sqrt(D):
            word, place = row - row.mean(), p - p.mean(1, keepdims=True)
            divisor = (row + p).std(1, keepdims=True)
            same(layer_norm(row + p), word / divisor + place / divisor)
            before.append((row @ row) / ((row @ row) + (p**2).sum(1)))
            behind.append((word @ word) / ((word @ word) + (place**2).sum(1)))
    return {"0.4 %": np.mean(before), "0.7 %": np.mean(behind), "ten": len(p)}


@check
def drawn_alike_they_are_as_long() -> Numbers:
    """We drew 1,000 words and 1,000 positions of three spreads and two widths."""
    for d in (384, 768):
        for rng in draws(2, seed=d):
            words, places = rng.standard_normal((2, 1000, d))
            for spread in (0.02, d**-0.5, 1):
                always_close(length(spread * words).mean() / length(spread * places).mean(), 1, within=0.01)
    return {}


@check
def not_by_glorots_rule() -> Numbers:
    """We compared the variances of both rules for 37,000 words."""
    return {"37,000": VOCABULARY, "37": (1 / D) / GLOROT**2}


@check
def the_balance_hangs_on_the_start() -> Numbers:
    """We multiplied rows of two starts by √512 and compared their lengths with that of a position."""
    long, short = (np.sqrt(D) * s * np.sqrt(D) / np.sqrt(D / 2) for s in (1, GLOROT))
    for rng in draws(3):
        rows = rng.standard_normal((300, D))
        for s, ratio in ((1, long), (GLOROT, short)):
            found = length(np.sqrt(D) * s * rows).mean() / length(positions(1, D))[0]
            always_close(found / ratio, 1, within=0.01)
    return {"32": long, "a quarter": short}
