"""The checks of the errata, one for each row: what is right, tried out, by a chapter's check where there is one."""

from __future__ import annotations

from math import erf

import numpy as np

from whyformer.maths import (
    attention_gradients,
    dot_excess_kurtosis,
    explained_by_distance,
    product_variance,
    softmax,
    softmax_jacobian_max,
)
from whyformer.maths.softmax import Array
from whyformer.model.layers import positions
from whyformer.proof import Check, Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter
from whyformer.questions.advantages import checks as advantages
from whyformer.questions.dot_vs_additive import checks as additive_attention
from whyformer.questions.dropout_sites import checks as dropout
from whyformer.questions.embedding_scale import checks as embeddings
from whyformer.questions.layer_norm import checks as norms
from whyformer.questions.no_projections import checks as projections
from whyformer.questions.relative_positions import checks as relative
from whyformer.questions.softmax_saturation import checks as saturation
from whyformer.questions.weight_tying import checks as tying
from whyformer.questions.why_sqrt_dk import checks as scaling

report = reporter(__name__)


def chapter(one: Check) -> Numbers:
    """What the check of a chapter returns; it raises where something does not hold."""
    return one.__wrapped__()


def layer_norm(x: Array) -> Array:
    """LayerNorm with gain 1 and bias 0."""
    normed: Array = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
    return normed


# The variance of a score


@check
def variance_and_its_root() -> Numbers:
    """We multiplied 1,500 queries with 1,500 keys whose components are plus or minus one."""
    found = chapter(scaling.variance_is_not_the_standard_deviation)
    return {"64": found["64"], "8": found["8"]}


@check
def scale_is_a_standard_deviation() -> Numbers:
    """We drew 50,000 numbers with `scale=np.sqrt(512)` from five seeds and took their variance."""
    scale = np.sqrt(512)
    for rng in draws(5):
        always_close(rng.normal(scale=scale, size=50_000).var() / scale**2, 1, within=0.05)
    return {"512": scale**2}


@check
def length_of_a_key(d_model: int = 512, heads: int = 8) -> Numbers:
    """We projected 500 pairs of random vectors of 512 numbers to eight heads, three times, and took the variance."""
    d_k = d_model // heads
    for rng in draws(3):
        w_q, w_k = rng.standard_normal((2, d_model, d_model)) / np.sqrt(d_model)
        x, other = rng.standard_normal((2, 500, d_model))
        q, k = ((z @ w).reshape(500, heads, d_k) for z, w in ((x, w_q), (other, w_k)))
        always_close((q * k).sum(2).var() / d_k, 1, within=0.1)
    return {"64": d_k}


@check
def what_a_variance_of_d_k_needs() -> Numbers:
    """We drew signs, uniform and skewed components, one number in all components of q, and normal pairs (q, ±q)."""
    size, edge = (4_000, 64), np.sqrt(3)
    for rng in draws(3):
        signs = rng.choice([-1.0, 1.0], size)
        uniform, other = rng.uniform(-edge, edge, (2, *size))
        skewed, again = rng.exponential(1, (2, *size)) - 1
        in_step = rng.uniform(-edge, edge, (4_000, 1)) * np.ones(64)  # dependent, and their products uncorrelated
        for q, k in ((signs, uniform), (uniform, other), (skewed, again), (in_step, signs)):
            always_close((q * k).sum(1).var() / 64, 1, within=0.2)
        q = rng.standard_normal(size)
        always_close((q * q * signs).sum(1).var() / 64, 3, within=0.5)
    always_close(chapter(scaling.uncorrelated_is_not_enough)["3"], 3, within=1e-9)
    return {}


@check
def a_line_for_zero_means() -> Numbers:
    """We drew a million pairs with several means and variances, and put means and variances of 1 into the line."""
    chapter(scaling.variance_of_a_product)
    means = variances = 1
    return {
        "1": means,
        "0": variances * variances - means**2 * means**2,
        "3": product_variance(1, 1, 1, 1),
    }


@check
def independent_vectors_are_not_enough(d_k: int = 64) -> Numbers:
    """We repeated a random sign in all 64 components of q, and another in all of k, 2,000 times, three times."""
    for rng in draws(3):
        q, k = (rng.choice([-1.0, 1.0], (2000, 1)) * np.ones(d_k) for _ in "qk")
        always_close((q * k).sum(1).var() / d_k**2, 1, within=0.05)
    return {"4,096": d_k**2}


@check
def products_of_zeros_and_ones() -> Numbers:
    """We went through the cases of two zeros or ones, and multiplied normal numbers of five seeds."""
    product = np.array([0, 0, 0, 1])  # of two variables that are 0 or 1 with the same probability
    always_close([product.var(), np.array([0, 1]).var()], [3 / 16, 1 / 4], within=1e-12)
    for rng in draws(5):
        a, b = rng.standard_normal((2, 100_000))
        always_close([(a * b).mean(), (a * b).var()], [0, 1], within=0.05)
    return {"0": 0, "1": 1}


@check
def two_moments_agree() -> Numbers:
    """We took the excess kurtosis of 6/d_k, and measured it on 400,000 dot products at d_k = 4."""
    rng = np.random.default_rng(0)
    dots = np.asarray(sum(rng.standard_normal(400_000) * rng.standard_normal(400_000) for _ in range(4)))
    always_close((dots**4).mean() / (dots**2).mean() ** 2 - 3, dot_excess_kurtosis(4), within=0.2)
    return {"6": dot_excess_kurtosis(1)}


def score_std(x: Array, rng: np.random.Generator) -> float:
    """Standard deviation of divided scores in eight heads of 64, over all pairs, from Glorot's start."""
    q, k = ((x @ (rng.standard_normal((512, 512)) / np.sqrt(512))).reshape(-1, 8, 64).swapaxes(0, 1) for _ in "qk")
    return float((q @ k.swapaxes(1, 2) / 8).std())


@check
def scores_of_the_first_layer(d_model: int = 512) -> Numbers:
    """We added 64 sine positions to random words of variance 1, twice, and took the scores of eight heads."""
    found = []
    for rng in draws(2):
        x = rng.standard_normal((64, d_model)) + positions(64, d_model)
        found.append([score_std(x, rng), score_std(layer_norm(x), rng)])
    return {"1": 1, "1.5": np.mean(found, axis=0)[0], "1.0": np.mean(found, axis=0)[1]}


@check
def glorots_rule_for_three_shapes(d_model: int = 512, d_k: int = 64) -> Numbers:
    """We drew matrices of three shapes by Glorot's rule, twice each, and took the variance of x W for unit inputs."""
    by_shape = {}
    for columns in (d_model, d_k, 3 * d_model):
        variance = 2 / (d_model + columns)
        by_shape[columns] = d_model * variance
        for rng in draws(2, seed=columns):
            w = np.sqrt(variance) * rng.standard_normal((d_model, columns))
            always_close((rng.standard_normal((200, d_model)) @ w).var() / by_shape[columns], 1, within=0.05)
    always_close(by_shape[d_model], 1, within=1e-12)
    return {"1": by_shape[d_model], "1.78": by_shape[d_k], "1,536": 3 * d_model, "0.5": by_shape[3 * d_model]}


@check
def layer_norm_leaves_a_scale_to_find(d_k: int = 64) -> Numbers:
    """We put LayerNorm on queries and keys, with gain 1 and one that makes the variance 1, and on rows of scores."""
    for rng in draws(5):
        q, k = layer_norm(rng.standard_normal((2, 1000, d_k)))
        gain = d_k**-0.25  # a number that could be learned, for q and for k
        always_close((gain * q @ (gain * k).T).var(), d_k / (d_k - 1), within=0.05)
        always_close(layer_norm(q @ k.T).std(-1), 1, within=1e-9)
    return {"1": 1, "65.02": chapter(scaling.layer_norm_on_q_and_k)["65.02"]}


# The softmax and its gradient


@check
def one_draw_of_ten_numbers(printed: float = 2.78e-8) -> Numbers:
    """We repeated the experiment 100,000 times: ten numbers of standard deviation √512, the largest Jacobian entry."""
    rows = [rng.normal(scale=np.sqrt(512), size=(20_000, 10)) for rng in draws(5)]
    largest = softmax_jacobian_max(np.concatenate(rows))
    return {"a quarter": (largest < printed).mean(), "14 %": (largest > 0.1).mean(), "0.1": 0.1}


@check
def times_d_and_times_its_root(d: int = 10) -> Numbers:
    """We multiplied 5,000 divided scores by d, at d = 10 and 64, and compared them with scores that are not divided."""
    for size in (d, 64):
        for rng in draws(3, seed=size):
            q, k = rng.standard_normal((2, 5_000, size))
            scores = np.vecdot(q, k)
            always_close(scores.var() / size, 1, within=0.15)
            always_close((size * scores / np.sqrt(size)).var() / size**2, 1, within=0.15)
    return {"100": d**2}


@check
def ten_scores_times_ten() -> Numbers:
    """We multiplied ten normal scores by 10, 100,000 times, and took the largest entry of the Jacobian."""
    rows = [10 * rng.standard_normal((20_000, 10)) for rng in draws(5)]
    alive = 0.1
    share = (softmax_jacobian_max(np.concatenate(rows)) > alive).mean()
    return {"more than a quarter": (share, 1 / 4), "0.1": alive}


@check
def gaps_decide() -> Numbers:
    """We put three logits of 1,000 and of a million into the softmax, and (100, 200, 200)."""
    chapter(saturation.three_large_logits)
    return {}


@check
def the_value_path_keeps_its_gradient() -> Numbers:
    """We ran the backward pass of a query on six keys at right angles, with a gap of 40 and of 1, five times."""
    for rng in draws(5):
        keys = np.linalg.qr(rng.standard_normal((8, 6)))[0].T
        v, arriving = rng.standard_normal((6, 4)), rng.standard_normal((1, 4))
        sharp, soft = (attention_gradients(gap * keys[:1], keys, v, arriving, divisor=1.0) for gap in (40, 1))
        for at_sharp, at_soft in ((sharp.q, soft.q), (sharp.k, soft.k)):
            always_larger(1e-9 * np.linalg.norm(at_soft), np.linalg.norm(at_sharp))
        always_close(np.linalg.norm(sharp.v) / np.linalg.norm(arriving), 1, within=1e-9)
    return {}


@check
def a_softmax_exponentiates() -> Numbers:
    """We shifted and doubled 1,000 random rows and compared softmax with LayerNorm without gain."""
    chapter(saturation.softmax_does_not_standardise)
    return {}


@check
def the_chain_rule_divides_too(n_keys: int = 8, d_k: int = 64) -> Numbers:
    """We took the median trace of the Jacobian over rows of 8 keys, divided and not, and W_Q's gradient in a layer."""
    for rng in draws(5):
        dots = np.vecdot(rng.standard_normal((1000, n_keys, d_k)), rng.standard_normal((1000, 1, d_k)))
        bare, divided = (np.median(scaling.passed(softmax(one))) for one in (dots, dots / np.sqrt(d_k)))
        clearly_larger(divided, bare)
    layer = chapter(scaling.a_layer_at_the_start)
    return {"15.5": layer["15.5"], "128": layer["128"]}


# Which scores, which matrices


@check
def scores_symmetric_weights_not() -> Numbers:
    """We drew 200 heads of one matrix and six words; with two, or if no word sees itself, a pair exceeds 1."""
    summed: dict[str, list[float]] = {"one": [], "two": [], "unseen": []}
    skew = []
    for rng in draws(200):
        x, w_q, w_k = rng.standard_normal((6, 8)), *rng.standard_normal((2, 8, 8))
        scores, free = (x @ w_q) @ (x @ w_q).T / np.sqrt(8), (x @ w_q) @ (x @ w_k).T / np.sqrt(8)
        always_close(scores, scores.T, within=1e-9)
        skew.append(abs(softmax(scores) - softmax(scores).T).max())
        for name, kind in (("one", scores), ("two", free), ("unseen", scores - 1e9 * np.eye(6))):
            summed[name].append((softmax(kind) + softmax(kind).T)[np.triu_indices(6, 1)].max())
    always_larger(np.median(skew), 0.1)
    holds(max(summed["one"]) <= 1 + 1e-9, largest=max(summed["one"]))
    always_larger([max(summed["two"]), max(summed["unseen"])], 1.1)
    return {"1": 1}


def squared_errors(rng: np.random.Generator, directed: bool, n_pairs: int, d: int = 4) -> list[float]:
    """Of a symmetric pupil and of a free one, which fit noisy scores of random pairs by least squares."""
    w_q, w_k = rng.standard_normal((2, d, d))
    truth = w_q @ (w_k if directed else w_q).T
    x, y = rng.standard_normal((2, n_pairs, d))
    shown = np.einsum("ni,ij,nj->n", x, truth, y) + rng.standard_normal(n_pairs)
    units = np.eye(d * d).reshape(d * d, d, d)
    i, j = np.triu_indices(d)
    errors = []
    for basis in ((units + units.swapaxes(1, 2))[i * d + j], units):
        seen = np.einsum("ni,bij,nj->nb", x, basis, y)
        entries = np.linalg.solve(seen.T @ seen, seen.T @ shown)
        errors.append(float(((np.einsum("b,bij->ij", entries, basis) - truth) ** 2).sum()))
    return errors


@check
def directions_decide_who_generalises() -> Numbers:
    """We let 50 symmetric and 50 directed teachers show 40 and 200 noisy scores to a symmetric and a free pupil."""
    for n_pairs in (40, 200):
        for directed in (False, True):
            found = [squared_errors(rng, directed, n_pairs) for rng in draws(50, seed=n_pairs)]
            symmetric, free = np.median(found, axis=0)
            clearly_larger(*((symmetric, free) if directed else (free, symmetric)))
    for rng in draws(5):
        w = rng.standard_normal((4, 4))
        always_larger(np.linalg.eigvalsh(w @ w.T), -1e-9, by=0)
        always_larger(0, np.linalg.eigvalsh(w + w.T).min())  # symmetric, and no such product
    return {}


@check
def no_longer_token_is_enough() -> Numbers:
    """We compared products in 300 random sets of 16 tokens, and the share that prefer themselves with its mean."""
    chapter(projections.sums_are_not_fixed)
    for rng in draws(3):
        x = rng.standard_normal((100, 16, 2))
        length, products = np.linalg.norm(x, axis=2), x @ x.transpose(0, 2, 1)
        not_longer = length[:, None] <= length[:, :, None]
        holds((products <= length[:, :, None] ** 2 + 1e-9)[not_longer])
    length = np.sqrt(2 * np.random.default_rng(9).exponential(size=50_000))  # of tokens with two normal entries
    normal = np.array([(1 + erf(one / np.sqrt(2))) / 2 for one in length])
    share = chapter(projections.share_that_prefers_itself)
    always_close((normal**15).mean(), share["27.7 %"], within=0.01)
    return {"16": share["16"], "27.7 %": share["27.7 %"]}


@check
def both_take_as_many_products() -> Numbers:
    """We counted products and values of tanh for 4 to 16 tokens, and the entries of the array of all pairs."""
    chapter(additive_attention.cost_of_both_scores)
    return {}


@check
def by_the_root_the_spread_stays() -> Numbers:
    """We drew dot products and additive scores with 16 and 256 components, five times, and compared spreads."""
    small, large = 16, 256
    for rng in draws(5):
        spread = {}
        for d in (small, large):
            q, k, a = rng.standard_normal((3, 1000, d))
            spread[d] = np.array([((np.tanh(q + k) * a).sum(1) / np.sqrt(d)).std(), (q * k).sum(1).std()])
        of_additive, of_dots = spread[large] / spread[small]
        always_close([of_additive, of_dots / np.sqrt(large / small)], 1, within=0.2)
        always_close(of_dots / (large / small) * np.sqrt(large / small), 1, within=0.2)
    return {}


@check
def a_sum_of_bounded_terms() -> Numbers:
    """We drew queries, each with 16 keys, at 16 and 256 components, three times, and took spreads within rows."""
    ratios = []
    for rng in draws(3):
        spread = {}
        for d in (16, 256):
            q, k, a = (rng.standard_normal((200, many, d)) for many in (1, 16, 1))
            spread[d] = additive_attention.spread(np.vecdot(np.tanh(q + k), a))
            ratios.append(spread[d] / additive_attention.spread(np.vecdot(q, k)))
        always_close(spread[256] / spread[16] / np.sqrt(256 / 16), 1, within=0.15)
    return {"1": 1, "half": np.mean(ratios)}


# Norms and dropout


@check
def one_token_at_a_time() -> Numbers:
    """We normalised 50 sentences whole and each token alone, and 500 tokens made 0.1 to 50 times as long."""
    chapter(norms.layer_norm_sees_no_other_word)
    chapter(norms.size_and_shift_do_not_matter)
    x = np.random.default_rng(0).standard_normal((100, 16))
    always_close(layer_norm(10 * x), layer_norm(x), within=1e-9)
    return {}


@check
def batch_norm_shifts_and_scales() -> Numbers:
    """We normalised 100 tokens, left padding out in a lab, and compared batch with running statistics."""
    chapter(norms.batch_norm_keeps_differences)
    chapter(norms.padding_can_be_left_out)
    chapter(norms.another_function_at_inference)
    return {}


@check
def two_sites_and_two_more() -> Numbers:
    """We listed what section 5.4 and the released settings of June and October 2017 say, place by place."""
    later = chapter(dropout.two_kinds_came_four_months_later)
    return {"two": chapter(dropout.the_papers_two_kinds)["two"], "four": later["four"]}


# Embeddings


@check
def product_or_distance() -> Numbers:
    """We compared winners and nearest rows for 500 outputs and 20 words, five times, with rows of one length or not."""
    for rng in draws(5):
        table, h = rng.standard_normal((20, 4)), rng.standard_normal((500, 4))
        for rows in (table, table / np.linalg.norm(table, axis=1, keepdims=True)):
            winner, nearest = tying.winner_and_nearest(rows, h)
            holds((softmax(h @ rows.T).argmax(1) == winner).all())
            if rows is table:
                always_larger((winner != nearest).mean(), 0.1)
            else:
                holds((winner == nearest).all())
    return {}


@check
def rows_of_words_that_do_not_occur(after: int = 19) -> Numbers:
    """We moved rows of ten absent words in a table that is read, and in one that makes logits, and ran Adam on."""
    for rng in draws(5):
        table, other, w = rng.standard_normal((50, 8)), rng.standard_normal((50, 8)), rng.standard_normal((8, 8))
        read, answer = rng.integers(0, 40, (2, 30))

        def losses(read_from: Array, output: Array, w: Array = w, read: Array = read, answer: Array = answer) -> Array:
            y = softmax(np.tanh(read_from[read] @ w) @ output.T)
            found: Array = -np.log(y[np.arange(30), answer])
            return found

        for word in range(40, 50):
            moved = table + 1e-3 * np.eye(50)[word][:, None]
            holds((losses(moved, moved) != losses(table, table)).all())
            holds((losses(moved, other) == losses(table, other)).all())
    mean, square, steps = 0.0, 0.0, []
    for t in range(1, after + 2):
        gradient = float(t == 1)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        steps.append(mean / (1 - 0.9**t) / np.sqrt(square / (1 - 0.999**t)))
    return {"20": len(steps), "81 %": sum(steps[1:]) / sum(steps)}


@check
def one_table_for_three() -> Numbers:
    """We counted the parameters of the base model with one table and with three."""
    bill = chapter(tying.the_bill)
    return {"38 %": bill["38 %"], "three": bill["three"]}


@check
def the_factor_is_a_larger_rate() -> Numbers:
    """We trained a toy with the factor, and with longer rows, at the same rate for them and at a larger one."""
    chapter(embeddings.a_larger_rate_does_the_same)
    return {}


@check
def xaviers_rule_for_the_table(d_model: int = 512) -> Numbers:
    """We compared the two variances, and drew logits of 300 words from a start of variance 1/d_model, three times."""
    for rng in draws(3):
        h, rows = layer_norm(rng.standard_normal((200, d_model))), rng.standard_normal((300, d_model))
        always_close((h @ rows.T / np.sqrt(d_model)).var(), 1, within=0.1)
    return {**chapter(embeddings.not_by_glorots_rule)}


@check
def a_norm_divides_both() -> Numbers:
    """We took 200 words at ten places, without the factor, and split each sum in two after the LayerNorm."""
    found = chapter(embeddings.a_norm_keeps_the_balance)
    return {"1": 1, "512": embeddings.D, **{key: found[key] for key in ("ten", "0.4 %", "0.7 %")}}


@check
def the_start_decides_the_balance() -> Numbers:
    """We multiplied random rows of both spreads by √d_model, and compared them with sine positions in length."""
    chapter(embeddings.a_word_beside_its_position)
    return {"1": 1, "512": embeddings.D, "32": chapter(embeddings.the_balance_hangs_on_the_start)["32"]}


# Positions, paths and cost


@check
def a_matrix_stands_between() -> Numbers:
    """We drew W_Q and W_K 40 times at each of three widths, and matrices that commute with the shift and others."""
    chapter(relative.matrices_that_keep_clocks_apart)
    for d in (16, 32, 64):
        always_close(explained_by_distance(positions(64, d) @ positions(64, d).T), 1, within=1e-9)
    noise = [explained_by_distance(rng.standard_normal((64, 64))) for rng in draws(40)]
    found = chapter(relative.random_matrices_mix_clocks)
    return {"14 %": found["14 %"], "64": found["64"], "3 %": np.mean(noise)}


@check
def a_bound_falls_and_a_score_need_not() -> Numbers:
    """We made keys for five queries and distances up to 199, and took the bound with the mean size of partial sums."""
    chapter(relative.highest_anywhere)
    back = np.arange(200)
    for pairs in (16, 32, 64):
        speeds = 10_000.0 ** (-np.arange(pairs) / pairs)
        bound = abs(np.cumsum(np.exp(1j * np.outer(speeds, back)), axis=0)).mean(0)
        always_larger(-np.corrcoef(bound, back)[0, 1], 0.5)
        always_larger((np.diff(bound) > 0).mean(), 0.2)
    return {}


def multiplications(left: tuple[int, int], right: tuple[int, int]) -> int:
    """How many a product of matrices of these shapes takes, counted one by one."""
    additive_attention.Entry.done.clear()
    np.full(left, additive_attention.Entry()) @ np.full(right, additive_attention.Entry())
    return additive_attention.Entry.done["products"]


@check
def work_of_a_layer() -> Numbers:
    """We counted the multiplications of all scores, one by one, for 4 to 16 tokens with 2 and 8 entries."""
    for n in (4, 8, 16):
        for d in (2, 8):
            holds(multiplications((n, d), (d, n)) == n * n * d, n=n, d=d)
    return {}


def power_of_w(n: int, w: float) -> float:
    """h_t = w h_(t-1) + x_t: which power of w is the derivative of h_n with respect to x_1?"""
    h = 0j
    for t in range(n):
        h = w * h + (1e-30j if t == 0 else 0)
    return float(np.log(h.imag / 1e-30) / np.log(w))


@check
def steps_are_no_operations(tokens: int = 1000) -> Numbers:
    """We read the power of w off the derivative of a recurrence, for five w, and counted products at three widths."""
    for rng in draws(5):
        always_close(power_of_w(tokens, rng.uniform(0.9, 0.99)), tokens - 1, within=1e-6)
    for d in (4, 8, 16):
        holds(multiplications((1, d), (d, tokens)) == tokens * d and multiplications((1, d), (d, d)) == d * d, d=d)
    return {"999": tokens - 1}


@check
def a_hop_is_not_a_gain() -> Numbers:
    """We moved one value among others, with random weights and with equal ones, and looked at what comes out."""
    chapter(advantages.a_hop_carries_its_weight)
    return {"1": 1}
