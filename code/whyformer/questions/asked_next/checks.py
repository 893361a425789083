"""The checks of the cards on what interviews ask next, in the order of the page."""

from __future__ import annotations

from collections import Counter
from itertools import product, starmap
from math import erf, log, sqrt

import numpy as np

from whyformer.maths import attention_weights, entropy, log_softmax, softmax
from whyformer.maths.softmax import Array
from whyformer.model import Config, initial
from whyformer.model.layers import causal, positions
from whyformer.model.transformer import Transformer
from whyformer.proof import Numbers, always_close, always_larger, check, draws, holds, reporter, same

report = reporter(__name__)

SOURCE, TARGET = [3, 1, 4, 1, 5, 9, 2], [0, 6, 5, 3, 5]
GIB = 2**30


def fresh(count: int = 3) -> list[Transformer]:
    """Fresh models of two layers and 20 words."""
    kind = Config(d_model=32, n_heads=4, d_ff=64, n_layers=2, vocabulary=20)
    return [initial(kind, rng) for rng in draws(count)]


def rms(x: Array) -> Array:
    """RMSNorm with gain 1."""
    return np.asarray(x / np.sqrt((x**2).mean(-1, keepdims=True)))


def silu(x: Array) -> Array:
    """``x`` times the sigmoid of ``x``."""
    return np.asarray(x * (1 + np.tanh(x / 2)) / 2)


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


# Inside a layer


@check
def a_sum_has_a_path_around(layers: int = 12) -> Numbers:
    """We multiplied out the product of I + J for three random blocks, and sent a gradient through 12 that halve it."""
    for rng in draws(5):
        blocks = rng.standard_normal((3, 8, 8))
        paths = product(*([np.eye(8), one] for one in blocks))
        same(np.linalg.multi_dot(np.eye(8) + blocks), sum(map(np.linalg.multi_dot, paths)))
        halves = [np.linalg.qr(rng.standard_normal((32, 32)))[0] / 2 for _ in range(layers)]
        gradient = rng.standard_normal(32)
        left = np.linalg.norm(gradient @ np.linalg.multi_dot(halves)) / np.linalg.norm(gradient)
    return {"0.00024": left}


@check
def a_block_can_undo_the_sum() -> Numbers:
    """We added f(x) = -x to x, and sent gradients through I + J for random blocks J of norm 0.9 at most."""
    for rng in draws(20):
        x = rng.standard_normal(8)
        holds(x + (-x) == 0)
        block = rng.standard_normal((8, 8))
        block *= rng.uniform(0, 0.9) / np.linalg.norm(block, 2)
        kept = np.linalg.norm(x @ (np.eye(8) + block)) / np.linalg.norm(x)
        always_larger(kept, 1 - np.linalg.norm(block, 2), by=-1e-9)
    return {}


@check
def averaging_draws_tokens_together() -> Numbers:
    """We averaged 12 random tokens by random rows of weights: no entry kept more than 1 - n min(w) of its range."""
    for rng in draws(20):
        weights, x = softmax(rng.standard_normal((12, 12))), rng.standard_normal((12, 4))
        before, after = np.ptp(x, axis=0), np.ptp(weights @ x, axis=0)
        always_larger((1 - 12 * weights.min()) * before, after, by=-1e-9)
    return {}


@check
def attention_mixes_and_a_network_computes() -> Numbers:
    """We added two random inputs: through attention with weights held, free weights, and a feed-forward network."""
    for rng in draws(5):
        q, k, v = rng.standard_normal((3, 16, 16)) / 4
        up, down = rng.standard_normal((16, 64)), rng.standard_normal((64, 16))
        x, y = rng.standard_normal((2, 5, 16))

        def weights(rows: Array, q: Array = q, k: Array = k) -> Array:
            return softmax(rows @ q @ (rows @ k).T / 4)

        held = weights(x)
        same(held @ (x + y) @ v, held @ x @ v + held @ y @ v)
        for free in (x[:1], x):
            other = y[: len(free)]
            apart = weights(free) @ free @ v + weights(other) @ other @ v
            off = abs(weights(free + other) @ (free + other) @ v - apart).max()
            holds(off < 1e-9 if len(free) == 1 else off > 0.01, off=off)
        network = [np.maximum(rows @ up, 0) @ down for rows in (x + y, x, y)]
        always_larger(abs(network[0] - network[1] - network[2]).max(), 0.1)
        same(np.maximum(x[2] @ up, 0) @ down, network[1][2])
    return {}


@check
def four_and_eight_d_squared() -> Numbers:
    """We counted the numbers of a layer of the model of 2017: four matrices of 512 × 512, and two of 512 × 2,048."""
    holds(4 * 512**2 + 2 * 512 * 2048 == 12 * 512**2)
    return {"two thirds": (2 * 512 * 2048, 12 * 512**2)}


@check
def two_thirds_of_the_width() -> Numbers:
    """We counted the numbers of a gated network of width 8d/3 and of a plain one of width 4d, for d = 4,098."""
    d = 4098
    same(3 * d * (8 * d // 3), 2 * d * 4 * d)
    return {"two thirds": (8 * d // 3, 4 * d)}


@check
def a_gate_multiplies() -> Numbers:
    """We multiplied random inputs by 10: a ReLU network gave 10 times as much, a gated one 100 times (bias-free)."""
    for rng in draws(5):
        up, gate, down, x = (rng.standard_normal(shape) for shape in ((8, 32), (8, 32), (32, 8), (8,)))
        plain = [np.maximum(c * x @ up, 0) @ down for c in (1, 10)]
        gated = [(c * x @ gate * (c * x @ up)) @ down for c in (1, 10)]
        same(plain[1], 10 * plain[0])
        same(gated[1], 100 * gated[0])
        small, large = (silu(c * x @ gate) * (c * x @ up) @ down for c in (1000, 10_000))
        always_close(np.linalg.norm(large) / np.linalg.norm(small), 100, within=1)
    return {}


@check
def gelu_far_below_zero() -> Numbers:
    """We took the slope of GELU at -3 and at -6 by differences of 1e-5."""

    def gelu(x: float) -> float:
        return x * (1 + erf(x / sqrt(2))) / 2

    slopes = [(gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5 for x in (-3.0, -6.0)]
    always_close(slopes[1], 0, within=1e-6)
    return {"−0.012": slopes[0]}


@check
def heads_are_added_up(width: int = 64, heads: int = 8) -> Numbers:
    """We multiplied 8 random heads side by side by a random matrix, and each by its own rows, and took ranks."""
    size = width // heads
    for rng in draws(5):
        outputs, matrix = rng.standard_normal((heads, 5, size)), rng.standard_normal((width, width))
        own = matrix.reshape(heads, size, width)
        same(np.concatenate(outputs, -1) @ matrix, sum(starmap(np.matmul, zip(outputs, own, strict=True))))
        alone = np.concatenate([outputs[0], *np.zeros((heads - 1, 5, size))], -1)
        holds(np.count_nonzero(alone.any(0)) == size and (alone @ matrix).any(0).all())
        holds(np.linalg.matrix_rank(rng.standard_normal((width, size)) @ own[0]) == size)
    return {"8": size, "64": width}


@check
def a_score_of_normed_vectors_is_bounded(keys: int = 1000) -> Numbers:
    """We multiplied W_Q and W_K by 1, 10 and 100, with RMSNorm on q and k and without, for 64 random tokens."""
    for rng in draws(5):
        x, (w_q, w_k) = rng.standard_normal((64, 256)), rng.standard_normal((2, 256, 64)) / 16
        plain, normed = [], []
        for c in (1, 10, 100):
            q, k = c * x @ w_q, c * x @ w_k
            plain.append(abs(q @ k.T / 8).max())
            normed.append(abs(rms(q) @ rms(k).T / 8).max())
        same(plain[1], 100 * plain[0])
        always_close(normed, normed[0], within=1e-9)
        always_larger(8, normed)
    same(2 * rms(q) @ (2 * rms(k)).T, 4 * (rms(q) @ rms(k).T))
    sharp = [1 / (1 + (keys - 1) * np.exp(-np.sqrt(d_k))) for d_k in (64, 128)]
    return {"8": np.sqrt(64), "0.75": sharp[0], "0.99": sharp[1]}


@check
def a_sink_is_one_more_key() -> Numbers:
    """We put a learned number into the divisor, and one more key with that score and value 0: the same output."""
    for rng in draws(5):
        scores, values, sink = rng.standard_normal(10), rng.standard_normal((10, 4)), rng.standard_normal()
        divisor = np.exp(scores).sum() + np.exp(sink)
        with_key = softmax(np.append(scores, sink))
        same(np.exp(scores) / divisor @ values, with_key @ np.vstack([values, np.zeros(4)]))
        always_larger(1, with_key[:-1].sum())
    return {}


@check
def a_lead_has_to_grow_with_the_text(share: float = 0.9, short: int = 10, long: int = 1000) -> Numbers:
    """We gave one key among n - 1 equal ones the lead log(9(n - 1)), at n = 10 and 1,000, and took its weight."""
    leads = [log(share / (1 - share) * (n - 1)) for n in (short, long)]
    for n, lead in zip((short, long), leads, strict=True):
        always_close(softmax(np.append(lead, np.zeros(n - 1)))[0], share, within=1e-9)
    return {"4.4": leads[0], "9.1": leads[1]}


# Positions and masks


@check
def one_causal_layer_sees_a_set() -> Numbers:
    """We reversed the earlier tokens of random texts without positions: through one causal layer and through two."""
    for rng in draws(5):
        for n in (3, 10, 40):
            layers, x = rng.standard_normal((2, 3, 8, 8)) / 8**0.5, rng.standard_normal((n, 8))
            order = [*range(n - 1)[::-1], n - 1]
            for depth in (1, 2):
                ends = []
                for rows in (x, x[order]):
                    for q, k, v in layers[:depth]:
                        rows = rows + attention_weights(rows @ q, rows @ k, mask=causal(n)) @ rows @ v
                    ends.append(rows[-1])
                off = abs(ends[0] - ends[1]).max()
                holds(off < 1e-12 if depth == 1 else off > 1e-3, off=off)
    return {}


@check
def shuffled_alike() -> Numbers:
    """We shuffled 9 random tokens: attention without a mask and without positions gave its outputs shuffled alike."""
    for rng in draws(5):
        x, (q, k, v), order = rng.standard_normal((9, 8)), rng.standard_normal((3, 8, 8)), rng.permutation(9)
        moved = attention_weights(x[order] @ q, x[order] @ k) @ x[order] @ v
        same(moved, (attention_weights(x @ q, x @ k) @ x @ v)[order])
    return {}


@check
def a_shift_is_a_rotation(distance: int = 5, width: int = 512) -> Numbers:
    """We shifted 200 sine positions by 5, by one matrix that turns pairs, and took products at that distance."""
    p, angles = positions(205, width), distance * 10000.0 ** (-np.arange(0, width, 2) / width)
    turn = np.zeros((width, width))
    for pair, angle in enumerate(angles):
        turn[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [
            [np.cos(angle), -np.sin(angle)],
            [np.sin(angle), np.cos(angle)],
        ]
    same(turn @ turn.T, np.eye(width))
    same(p[:200] @ turn, p[distance:])
    both = (p[:200] * p[distance:]).sum(1)
    always_close(both, both[0], within=1e-9)
    sines = (p[:200, ::2] * p[distance:, ::2]).sum(1)
    return {"190": both[0], "0": sines.min(), "62": sines.max()}


@check
def concatenation_is_two_matrices() -> Numbers:
    """We multiplied random words and positions side by side by one matrix, and each by its own half of it."""
    for rng in draws(5):
        x, p, (first, second) = *rng.standard_normal((2, 5, 8)), rng.standard_normal((2, 8, 3))
        same(np.hstack([x, p]) @ np.vstack([first, second]), x @ first + p @ second)
    return {}


@check
def positions_fill_few_directions(count: int = 100, first: int = 30, width: int = 512) -> Numbers:
    """We took the singular values of 100 sine positions of width 512, and their squares' share in the first 30."""
    sizes = np.linalg.svd(positions(count, width), compute_uv=False) ** 2
    return {"99 %": sizes[:first].sum() / sizes.sum()}


@check
def words_are_read_from_sums(count: int = 1000, width: int = 512) -> Numbers:
    """We drew tables of 1,000 random words, added one of 100 sine positions, and looked for the nearest word."""
    for rng in draws(3):
        table, places = rng.standard_normal((count, width)), positions(100, width)
        words, at = rng.integers(0, count, 300), rng.integers(0, 100, 300)
        scores = (table[words] + places[at]) @ table.T - (table**2).sum(1) / 2
        holds(scores.argmax(1) == words)
    return {}


@check
def minus_infinity_leaves_the_others() -> Numbers:
    """We hid the last three of six random scores: before the softmax, after it, and by a score of 0."""
    for rng in draws(50):
        scores, seen = rng.standard_normal(6), np.arange(6) < 3
        same(softmax(np.where(seen, scores, -np.inf)), np.append(softmax(scores[:3]), np.zeros(3)))
        late, moved = (softmax(scores + add * (np.arange(6) == 5)) * seen for add in (0, 2))
        always_larger(1, late.sum())
        always_larger(late[:3], moved[:3])
        always_larger(softmax(np.where(seen, scores, 0))[3:], 0)
    return {}


@check
def a_row_without_keys() -> Numbers:
    """We divided as a plain softmax does with all scores at minus infinity, and looked for rows without keys."""
    with np.errstate(invalid="ignore"):
        row = np.full(4, -np.inf)
        holds(np.isnan(np.exp(row - row.max()) / np.exp(row - row.max()).sum()))
    holds(np.isnan(np.array([0.5, 0.5, 0.0]) @ np.array([1, 2, np.nan])))
    real = np.arange(6) >= 2
    left, right = causal(6) & real, causal(6) & real[::-1]
    holds(left.any(1) == real)
    holds(right.any(1))
    return {}


@check
def padding_is_hidden() -> Numbers:
    """We filled the source of fresh models up with two tokens that no query sees: its own outputs stayed."""
    for model in fresh():
        filled = model.encode([*SOURCE, 0, 0], np.arange(9) < 7)
        always_close(filled[:7], model.encode(SOURCE), within=1e-9)
        always_larger(abs(model.encode([*SOURCE, 0, 0])[:7] - model.encode(SOURCE)).max(1), 1e-6)
    return {}


@check
def a_key_of_zeros_takes_weight(zeros: int = 3, real: int = 5) -> Numbers:
    """We put 3 keys of zeros beside 5 real ones with random normal scores, 2,000 times."""
    shares = [zeros / (zeros + np.exp(rng.standard_normal(real)).sum()) for rng in draws(2000)]
    return {"0.3": np.mean(shares)}


@check
def every_target_sees_every_source() -> Numbers:
    """We exchanged each source token of fresh models in turn: the logits of every target position moved."""
    for model in fresh():
        before = model(SOURCE, TARGET)
        for place in range(len(SOURCE)):
            other = [*SOURCE[:place], 7, *SOURCE[place + 1 :]]
            always_larger(abs(model(other, TARGET) - before).max(1), 1e-6)
    return {}


@check
def an_appended_token_changes_what_sees_it() -> Numbers:
    """We appended a token to the source and to the target of fresh models, and compared what stood there before."""
    for model in fresh():
        always_larger(abs(model.encode([*SOURCE, 5])[:7] - model.encode(SOURCE)).max(1), 1e-6)
        always_close(model(SOURCE, [*TARGET, 7])[:5], model(SOURCE, TARGET), within=1e-9)
    return {}


# Training and writing


@check
def one_pass_gives_the_likelihood() -> Numbers:
    """We added up the log-probabilities of a target: from one pass of fresh models, and from a pass for each token."""
    for model in fresh():
        once = log_softmax(model(SOURCE, TARGET))
        each = [log_softmax(model(SOURCE, TARGET[: t + 1])[-1])[TARGET[t + 1]] for t in range(4)]
        same(sum(once[t, TARGET[t + 1]] for t in range(4)), sum(each))
    return {}


@check
def checked_guesses_keep_the_distribution(chance: float = 0.8, guesses: int = 4) -> Numbers:
    """We worked out, for random pairs over 50 words, how a guess that is kept or replaced is distributed."""
    for rng in draws(20):
        p, q = softmax(2 * rng.standard_normal((2, 50)))
        kept, rest = np.minimum(p, q), np.maximum(p - q, 0)
        same(kept + (1 - kept.sum()) * rest / rest.sum(), p)
    return {"3.36": sum(chance**k for k in range(guesses + 1))}


@check
def adams_first_step_is_the_rate(warm_up: int = 4000, width: int = 512) -> Numbers:
    """We took Adam's first step for gradients from 1e-6 to 100, and the schedule of 2017 at its end of warm-up."""
    for gradient in (1e-6, -1e-3, 1.0, 100.0):
        first, second = 0.1 * gradient / (1 - 0.9), np.sqrt(0.02 * gradient**2 / (1 - 0.98))
        always_close(abs(first / (second + 1e-9)), 1, within=0.0011)
    return {"0.0007": width**-0.5 * warm_up**-0.5}


@check
def noise_moves_most_at_first(late: int = 100) -> Numbers:
    """We fed Adam (0.9 and 0.98) pure noise, 4,000 times, and took the root mean square of its steps 1, 5 and 100."""
    noise = np.random.default_rng(0).standard_normal((late, 4000))
    mean, square, steps = np.zeros(4000), np.zeros(4000), []
    for t, gradient in enumerate(noise, 1):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.98 * square + 0.02 * gradient**2
        steps.append(np.sqrt((((mean / (1 - 0.9**t)) ** 2) / (square / (1 - 0.98**t))).mean()))
    always_close(steps[0], 1, within=1e-9)
    holds(steps[0] > steps[4] > steps[-1])
    return {"a quarter": (steps[-1], steps[0])}


@check
def the_smoothed_target_has_a_best_gap(vocabulary: int = 37_000, spread: float = 0.1) -> Numbers:
    """We took the loss of a smoothed target, 0.1 spread over 37,000 tokens, at its best gap, and at other gaps."""
    low = spread / vocabulary
    top = 1 - spread + low

    def loss(gap: float) -> float:
        logs = log_softmax(np.append(gap, np.zeros(vocabulary - 1)))
        return float(-top * logs[0] - low * logs[1:].sum())

    best = log(top / low)
    least = -top * log(top) - (vocabulary - 1) * low * log(low)
    always_close(loss(best), least, within=1e-6)
    always_larger([loss(gap) for gap in (5, 12, 14, 20)], least)
    return {"12.7": best, "1.38": least}


MERGED = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


@check
def merges_are_counted(merged: int = 50_000, bytes_: int = 256) -> Numbers:
    """We merged the most frequent pair of neighbours twice, in low 5, lower 2, newest 6, widest 3 times."""
    words, merges = {tuple(word): count for word, count in MERGED.items()}, []
    for _ in range(2):
        pairs: Counter[tuple[str, str]] = Counter()
        for letters, count in words.items():
            for pair in zip(letters, letters[1:], strict=False):
                pairs[pair] += count
        best = max(pairs.values())
        a, b = next(pair for pair, count in pairs.items() if count == best)
        merges.append(a + b)
        words = {joined(letters, a, b): count for letters, count in words.items()}
    holds(merges[1] == "est", merges=merges)
    return {"50,257": bytes_ + merged + 1, "3": len("中".encode())}


def joined(letters: tuple[str, ...], a: str, b: str) -> tuple[str, ...]:
    """A word in which each a that b follows has become one token."""
    out: list[str] = []
    for one in letters:
        if out and out[-1] == a and one == b:
            out[-1] = a + b
        else:
            out.append(one)
    return tuple(out)


@check
def a_temperature_keeps_the_order(first: float = 0.6, other: float = 0.4, after: float = 0.9) -> Numbers:
    """We divided random logits by 0.5, 1 and 2: their order stayed, and the entropy grew; and took a small tree."""
    for rng in draws(20):
        logits = rng.standard_normal(50)
        cold, plain, warm = (softmax(logits / t) for t in (0.5, 1, 2))
        holds(cold.argsort() == warm.argsort())
        holds(entropy(cold) < entropy(plain) < entropy(warm))
    return {"0.24": first * other, "0.36": other * after}


@check
def targets_of_a_text(length: int = 512, share: float = 0.15) -> Numbers:
    """We counted the targets of a text of 512 tokens: each token after the first, or 15 % of all."""
    return {"511": length - 1, "77": share * length}


# What it costs


@check
def bytes_of_a_cache(layers: int = 32, sets: int = 8, size: int = 128, tokens: int = 8192) -> Numbers:
    """We counted keys and values, 2 bytes each, with the sizes of Llama 3 8B, for a token and for 8,192."""
    token = 2 * layers * sets * size * 2
    return {"131,072": token, "1": token * tokens / GIB}


@check
def passes_with_and_without_a_cache(tokens: int = 1000) -> Numbers:
    """We counted the rows that go through a layer while 1,000 tokens are written: all earlier ones, or the new one."""
    return {"500,500": sum(range(1, tokens + 1))}


@check
def what_is_kept_of_a_token(heads: int = 32, sets: int = 8) -> Numbers:
    """We counted the numbers that each kind of attention keeps, with the sizes of Llama 3 8B and DeepSeek-V3."""
    return {"a quarter": (sets, heads), "576": 512 + 64, "71": 128 * (192 + 128) / (512 + 64)}


@check
def grouped_queries_have_their_own_maps(heads: int = 32, sets: int = 8) -> Numbers:
    """We scored five random tokens with 32 heads of queries on 8 sets of keys: no two maps were the same."""
    for rng in draws(3):
        q, k = rng.standard_normal((heads, 5, 4)), rng.standard_normal((sets, 5, 4))
        maps = softmax(q @ np.repeat(k, heads // sets, axis=0).swapaxes(1, 2))
        apart = [abs(maps[i] - maps[j]).max() for i in range(heads) for j in range(i)]
        always_larger(apart, 1e-3)
    return {}


@check
def a_key_matrix_can_be_absorbed() -> Numbers:
    """We scored 10 random latent vectors: with keys made of them, and with queries that took the matrix."""
    for rng in draws(5):
        q, up, latent = (rng.standard_normal(shape) for shape in ((4, 8), (4, 6, 8), (10, 6)))
        keys = latent @ up
        same(np.einsum("hd,htd->ht", q, keys), np.einsum("hd,hcd->hc", q, up) @ latent.T)
    return {}


@check
def only_gaps_count_and_they_sharpen() -> Numbers:
    """We added 5 to random scores and multiplied them by 10: through a softmax, and through division by the sum."""
    for rng in draws(20):
        scores = rng.standard_normal(8)
        same(softmax(scores + 5), softmax(scores))
        always_larger(softmax(10 * scores).max(), softmax(scores).max())
        positive = abs(scores)
        same(10 * positive / (10 * positive).sum(), positive / positive.sum())
    holds(sum((2, 1, -3)) == 0)
    return {}


@check
def sigmoids_add_up_with_the_text(keys: int = 1024) -> Numbers:
    """We added up sigmoids of 1,024 scores of 0, without a bias and with the bias -log n."""
    plain, biased = (sigmoid(np.zeros(keys) - bias).sum() for bias in (0, log(keys)))
    return {"512": plain, "0.999": biased}


@check
def where_the_square_takes_over(width: int = 512, tokens: int = 8192) -> Numbers:
    """We counted operations of a layer, 24 n d² and 4 n² d; and of a layer of Llama 3 8B, at 8,192 tokens."""
    cross = 6 * width
    holds(24 * cross * width**2 == 4 * cross**2 * width)
    d, square, matrices = 4096, 4 * tokens * tokens * 4096, 2 * tokens * llama_layer()
    share = square / (square + matrices)
    return {"3,072": cross, "24 %": share, "3.25": matrices / square, "26,624": llama_layer() / (2 * d)}


def llama_layer() -> int:
    """The weights in the matrices of a layer of Llama 3 8B."""
    return 2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336


@check
def block_by_block_is_exact(block: int = 128) -> Numbers:
    """We went through 1,000 random keys in blocks of 128, with a running maximum and sum, and took the softmax."""
    for rng in draws(3):
        q, k, v = rng.standard_normal((3, 1000, 64))
        top, total, output = np.full((1000, 1), -np.inf), np.zeros((1000, 1)), np.zeros((1000, 64))
        for start in range(0, 1000, block):
            scores = q @ k[start : start + block].T / 8
            new = np.maximum(top, scores.max(1, keepdims=True))
            weights, scale = np.exp(scores - new), np.exp(top - new)
            total, output, top = scale * total + weights.sum(1, keepdims=True), scale * output, new
            output = output + weights @ v[start : start + block]
        same(output / total, softmax(q @ k.T / 8) @ v)
    return {}


@check
def parameters_of_two_models(d: int = 768) -> Numbers:
    """We counted all numbers of GPT-2 small and of Llama 3 8B from their sizes."""
    layers = 12
    layer = 4 * (d * d + d) + 8 * d * d + 4 * d + d + 4 * d
    gpt2 = 50257 * d + 1024 * d + layers * layer + 2 * d
    llama = 2 * 128256 * 4096 + 32 * (llama_layer() + 2 * 4096) + 4096
    always_close(layer / (12 * d * d), 1, within=0.002)
    shares = {"85": layers * layer / 1e6, "39": (50257 + 1024) * d / 1e6}
    return {"124,439,808": gpt2, "8,030,261,248": llama, "13": llama_layer() / 4096**2} | shares


@check
def all_and_active_parameters(experts: int = 8) -> Numbers:
    """We counted all numbers of Mixtral 8x7B from its sizes, and those that a token meets; and eight whole models."""
    expert = 3 * 4096 * 14336
    rest = 2 * 32000 * 4096 + 32 * (2 * 4096**2 + 2 * 4096 * 1024 + experts * 4096 + 2 * 4096) + 4096
    dense = rest - 32 * experts * 4096 + 32 * expert
    found = {"46.7": rest + 32 * experts * expert, "12.9": rest + 32 * 2 * expert, "57.9": experts * dense}
    return {key: value / 1e9 for key, value in found.items()}
