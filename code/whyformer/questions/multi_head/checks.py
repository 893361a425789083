"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.maths import softmax
from whyformer.model import count_parameters
from whyformer.model.layers import Linear, MultiHead
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.multi_head.two_wishes_lab import TwoWishesLab

report = reporter(__name__)

PLACES, WIDTH = 5, 4
AT, NUMBERS = np.eye(PLACES), np.eye(WIDTH)
WHO, HOW = 1, 3  # the two places that are asked for


def handed_on(y: Any, reads: Any = NUMBERS) -> np.ndarray:
    """What a head with weights y passes on, as factors on all PLACES × WIDTH numbers; reads: W_V, transposed."""
    return np.kron(y, reads)


def missed(outputs: np.ndarray, wanted: np.ndarray) -> float:
    """The share that the best matrix misses of what is wanted; both are rows of factors on independent numbers."""
    found = outputs.T @ np.linalg.lstsq(outputs.T, wanted.T, rcond=1e-9)[0]
    return float(((wanted.T - found) ** 2).sum() / (wanted**2).sum())


def at_least(values: Any, bound: float) -> None:
    """Raise if a value lies below the bound by more than rounding."""
    always_larger(np.asarray(values) + 1e-6, bound, by=1e-7)


BOTH = np.kron(AT[[WHO, HOW]], NUMBERS)  # two whole contents
HALVES = np.concatenate([handed_on(AT[WHO], NUMBERS[:2]), handed_on(AT[HOW], NUMBERS[2:])])  # half of each
SPLITS = [share * AT[WHO] + (1 - share) * AT[HOW] for share in (0, 0.1, 0.27, 0.5, 1)]


def parameters(heads: int, width: int, d_model: int = 512) -> int:
    """Counted on the arrays of an attention layer: W_Q, W_K, W_V and W_O."""
    q, k, v = (Linear(np.zeros((d_model, heads * width))) for _ in range(3))
    return count_parameters(MultiHead(heads, q, k, v, Linear(np.zeros((heads * width, d_model)))))


def layer_of(rng: np.random.Generator, heads: int, d_model: int = 24) -> MultiHead:
    """An attention layer with random matrices."""
    q, k, v, o = map(Linear, rng.standard_normal((4, d_model, d_model)) / np.sqrt(d_model))
    return MultiHead(heads, q, k, v, o)


# One blend


@check
def one_blend() -> Numbers:
    """We ran layers of one head on random tokens, 20 times: its output is one average of values, times one matrix."""
    for rng in draws(20):
        layer, x = layer_of(rng, 1), rng.standard_normal((7, 24))
        weights = layer.heads(x, x).weights[0]
        always_larger(weights, 0)
        always_close(weights.sum(1), 1, within=1e-12)
        same(layer(x, x), weights @ (x @ layer.v.weight) @ layer.o.weight)
    return {}


def two_contents_in_one_blend(rng: np.random.Generator, first: int, second: int) -> float:
    """What is missed of two contents that fill so many random directions of WIDTH, half and half in one blend."""
    into = rng.standard_normal((first + second, WIDTH))
    one = np.vstack([into[:first], np.zeros((second, WIDTH))]).T
    other = np.vstack([np.zeros((first, WIDTH)), into[first:]]).T
    share = rng.uniform(0.2, 0.8)
    return missed(share * one + (1 - share) * other, np.concatenate([one, other]))


@check
def one_blend_misses_half() -> Numbers:
    """We fitted the best matrix after one head for 300 random rows of weights, at widths 1 to 16, and for any W_V."""
    for rng in draws(300):
        at_least(missed(handed_on(softmax(3 * rng.standard_normal(PLACES))), BOTH), 1 / 2)
        reads = rng.standard_normal((rng.integers(1, 9), WIDTH))  # wider than d_model does not help
        at_least(missed(handed_on(SPLITS[rng.integers(5)], reads), BOTH), 1 / 2)
    for y in SPLITS:
        for width in (1, 2, 4, 16):
            wanted = np.kron(AT[[WHO, HOW]], np.eye(width))
            always_close(missed(np.kron(y, np.eye(width)), wanted), 1 / 2, within=1e-9)
    return {}


@check
def independent_in_the_same_dimensions() -> Numbers:
    """We blended pairs of values that fill the same dimensions, or dimensions of their own, or are correlated."""
    for rng in draws(50):
        always_larger(two_contents_in_one_blend(rng, WIDTH, WIDTH), 1e-3)
        always_larger(two_contents_in_one_blend(rng, 2, WIDTH - 1), 1e-6)
        always_close(two_contents_in_one_blend(rng, 2, WIDTH - 2), 0, within=1e-9)
    for alike in (0.3, 0.6, 0.9):
        mixed = np.linalg.cholesky(np.full((PLACES, PLACES), alike) + (1 - alike) * np.eye(PLACES))
        clearly_larger(1 / 2, missed(SPLITS[3][None] @ mixed, mixed[[WHO, HOW]]))
    return {}


# Several heads


def two_narrow_heads(rng: np.random.Generator, where: tuple[int, int], same_space: bool = False) -> float:
    """What is missed by two heads with scores and W_V of their own, of what either reads at the place it should."""
    first, second = np.linalg.qr(rng.standard_normal((2, WIDTH, 2)))[0].swapaxes(1, 2)
    weights = softmax(rng.standard_normal((2, PLACES)) + 12 * AT[list(where)])
    wanted = np.concatenate([handed_on(AT[WHO], first), handed_on(AT[HOW], second)])
    outputs = [handed_on(weights[0], first), handed_on(weights[1], first if same_space else second)]
    return missed(np.concatenate(outputs), wanted)


@check
def narrow_heads_read_subspaces() -> Numbers:
    """We gave two heads of half width random subspaces, 50 times: at two places, at one place, or in one subspace."""
    for rng in draws(50):
        always_close(two_narrow_heads(rng, (WHO, HOW)), 0, within=1e-3)
        always_larger(two_narrow_heads(rng, (WHO, WHO)), 0.1)
        always_larger(two_narrow_heads(rng, (WHO, HOW), same_space=True), 0.01)
    return {}


@check
def narrow_heads_cost_as_much_as_one(d_model: int = 512) -> Numbers:
    """We counted the parameters of layers of width 512 with 1 to 64 heads of 512/h numbers, and of full width."""
    for heads in (1, 2, 4, 8, 16, 64):
        same(parameters(heads, d_model // heads, d_model), parameters(1, d_model, d_model))
        same(parameters(heads, d_model, d_model), heads * parameters(1, d_model, d_model))
    return {"8": d_model // 64}


@check
def sum_of_heads() -> Numbers:
    """We computed layers of 1 to 8 heads, and added up their heads, each through its own rows of W_O."""
    for rng in draws(10):
        for heads in (1, 2, 4, 8):
            layer, x = layer_of(rng, heads), rng.standard_normal((6, 24))
            parts = layer.heads(x, x)
            W_V, W_O = np.split(layer.v.weight, heads, axis=1), np.split(layer.o.weight, heads)
            terms = [A @ x @ (v @ o) for A, v, o in zip(parts.weights, W_V, W_O, strict=True)]
            same(layer(x, x), sum(terms))
            off = layer.o.weight.copy()
            off[: 24 // heads] = 0  # the first head removed: its term is gone, no other has changed
            same(layer._replace(o=Linear(off))(x, x), sum(terms) - terms[0])
    return {}


# The lines of the proof


@check
def one_wish() -> Numbers:
    """We drew 40,000 sets of five contents of three numbers, normal ones and signs, and fitted the best matrix."""
    for rng in draws(3):
        y = softmax(1.5 * rng.standard_normal(PLACES))
        for v in (rng.standard_normal((40_000, PLACES, 3)), rng.choice([-1.0, 1.0], (40_000, PLACES, 3))):
            blend = np.einsum("t,dtc->dc", y, v)
            matrix = np.linalg.solve(blend.T @ blend, blend.T @ v[:, WHO])
            always_close(matrix, y[WHO] / (y @ y) * np.eye(3), within=0.04)
            off = ((v[:, WHO] - blend @ matrix) ** 2).mean(0)
            always_close(off, 1 - y[WHO] ** 2 / (y @ y), within=0.03)
    return {}


@check
def two_wishes() -> Numbers:
    """We put 20,000 random rows of weights into the sum of both errors, and rows with all weight on the two places."""
    y = softmax(3 * np.random.default_rng(0).standard_normal((20_000, PLACES)))
    together = 2 - (y[:, WHO] ** 2 + y[:, HOW] ** 2) / (y**2).sum(1)
    at_least(together, 1)
    for split in SPLITS:
        same(2 - (split[WHO] ** 2 + split[HOW] ** 2) / (split @ split), 1)
        same(2 * missed(handed_on(split), BOTH), 1)
    return {}


@check
def several_heads() -> Numbers:
    """We projected onto the rows of 1 to 3 random heads, 200 times each, and compared with the best matrix."""
    places = [0, 1, 3, 4]
    for heads in (1, 2, 3):
        for rng in draws(200):
            R = softmax(3 * rng.standard_normal((heads, PLACES)))
            P = np.linalg.pinv(R) @ R
            same(np.trace(P), heads)
            at_least(sum(1 - P[t, t] for t in places), len(places) - heads)
            always_close(len(places) * missed(R, AT[places]), sum(1 - P[t, t] for t in places), within=1e-9)
    always_close(missed(AT[places], AT[places]), 0, within=1e-12)  # as many heads as places: reached
    return {}


@check
def blends_are_taken_apart() -> Numbers:
    """We solved for the factors of two heads that split 0.6 and 0.4, or anything else, between the same two places."""
    R = np.array([[0.6, 0.4], [0.4, 0.6]])
    always_close(np.linalg.inv(R), [[3, -2], [-2, 3]], within=1e-9)
    lab = TwoWishesLab(heads="two", first=40, second=60)
    always_close(lab.series["read_out"], [[3, -2], [-2, 3]], within=1e-9)
    for one in SPLITS:
        for other in SPLITS:
            left = missed(np.concatenate([handed_on(one), handed_on(other)]), BOTH)
            always_close(left, 1 / 2 if one is other else 0, within=1e-9)
    return {}


@check
def numbers_handed_on() -> Numbers:
    """We asked layers of 1, 2 and 4 random heads for two whole values, for half of each, and for any directions."""
    for heads in (1, 2, 4):
        for rng in draws(100):
            rows = softmax(3 * rng.standard_normal((heads, PLACES)))
            outputs = np.concatenate([handed_on(y, rng.standard_normal((WIDTH // heads, WIDTH))) for y in rows])
            at_least(missed(outputs, BOTH), 1 / 2)
            asked = np.concatenate(
                [handed_on(AT[t], np.linalg.qr(rng.standard_normal((WIDTH, 3)))[0].T) for t in (0, 2, 3)]
            )
            at_least(len(asked) * missed(outputs, asked), len(asked) - WIDTH)
    for whole in (HALVES, *map(handed_on, SPLITS)):  # two heads of half width on a place each, and one full head
        always_close(missed(whole, BOTH), 1 / 2, within=1e-9)
    return {}


@check
def half_of_each() -> Numbers:
    """We asked one full head at 300 random rows of weights for half of each value, and two of half width at two."""
    for rng in draws(300):
        at_least(missed(handed_on(softmax(3 * rng.standard_normal(PLACES))), HALVES), 1 / 2)
    for y in SPLITS:
        always_close(missed(handed_on(y), HALVES), 1 / 2, within=1e-9)
    holds(len(HALVES) == WIDTH)  # two heads of half width pass on as many numbers as one full head
    always_close(missed(HALVES, HALVES), 0, within=1e-12)
    return {}


def missed_of(variances: np.ndarray, outputs: np.ndarray) -> float:
    """The share that the best matrix misses of two whole values; rows of factors on all their numbers."""
    scale = np.sqrt(np.tile(variances, 2))
    return missed(outputs * scale, np.diag(scale))


@check
def values_that_are_not_white(width: int = 64) -> Numbers:
    """We gave the numbers of two values variances of 1/k, and let two heads read the better half of one value each."""
    variances = 1 / np.arange(1, width + 1)
    reads = np.eye(width)[: width // 2]
    two = missed_of(variances, np.concatenate([np.kron(place, reads) for place in np.eye(2)]))
    one = [missed_of(variances, np.kron([y, 1 - y], np.eye(width))) for y in (0, 0.3, 0.5, 1)]
    always_close(one, 1 / 2, within=1e-9)
    return {"64": width, "32": width // 2, "0.14": two, "0.50": one[0]}


@check
def unequal_variances(ratio: float = 4.0) -> Numbers:
    """We gave all numbers of one value so many times the variance, and a head all its weight there."""
    scale = np.sqrt([ratio, 1.0])
    found = [missed(np.array([[y, 1 - y]]) * scale, np.diag(scale)) for y in np.linspace(0, 1, 101)]
    return {"0.20": found[-1]}


@check
def a_trained_stream_is_not_white() -> Numbers:
    """We took what the better half of 384 directions has of the variance of 2,620 tokens, in each stream."""
    found = evidence.read("trained")["topics"]["top_half"]
    return {"0.91": min(found), "0.96": max(found)}


@check
def rank_of_scores() -> Numbers:
    """We computed the scores of 64 random tokens at head sizes 4 to 32, and their rank."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((64, 32))
    rank = [
        np.linalg.matrix_rank(X @ rng.standard_normal((32, d)) @ rng.standard_normal((d, 32)) @ X.T)
        for d in (4, 8, 16, 32)
    ]
    holds(rank == [4, 8, 16, 32], rank=rank)
    return {}


# Let it learn

WANTED = AT[[WHO, HOW]]


@cache
def train(heads: int, runs: int = 200, steps: int = 1500, seed: int = 0, spread: float = 1.0) -> tuple[np.ndarray, ...]:
    """Plain gradient descent on the scores of every head and on the read-out: what is missed, weights R, factors C."""
    rng = np.random.default_rng(seed)
    scores, C = spread * rng.standard_normal((runs, heads, PLACES)), rng.standard_normal((runs, len(WANTED), heads))
    for _ in range(steps):
        R = np.exp(scores)
        R /= R.sum(2, keepdims=True)
        off = C @ R - WANTED
        at_C, at_R = 2 * off @ R.swapaxes(1, 2), 2 * C.swapaxes(1, 2) @ off
        C, scores = C - 0.4 * at_C, scores - 0.4 * R * (at_R - (R * at_R).sum(2, keepdims=True))
    R = softmax(scores)
    return ((C @ R - WANTED) ** 2).sum((1, 2)) / 2, R, C


@check
def training_finds_two_places(runs: int = 200) -> Numbers:
    """We trained layers of 1, 2 and 4 heads from 200 random starts each, scores and read-out, by gradient descent."""
    end = {heads: train(heads, runs) for heads in (1, 2, 4)}
    always_close(end[1][0], 1 / 2, within=0.005)
    holds((end[4][0] < 0.05).all(), worst=end[4][0].max())
    focused = {heads: (end[heads][1].max(2) > 0.9).mean() for heads in (2, 4)}
    return {"5 %": 0.05, "nearly all": (end[2][0] < 0.05).mean(), "79 %": focused[2], "0.9": 0.9, "2 %": focused[4]}


@check
def training_hangs_on_the_start(spread: float = 3.0) -> Numbers:
    """We trained layers of two heads from 200 starts whose scores are wider."""
    return {"59 %": (train(2, spread=spread)[0] < 0.05).mean()}


def fitted_anew(R: np.ndarray) -> np.ndarray:
    """What the best W_O misses after these weights (..., h, PLACES), as a share of both wishes."""
    P = np.linalg.pinv(R) @ R
    return (2 - P[..., WHO, WHO] - P[..., HOW, HOW]) / 2


@check
def no_head_does_it_alone() -> Numbers:
    """We trained 200 models of one head, and took a head from 200 models of two, with W_O fitted anew or not."""
    always_close(train(1)[0], 1 / 2, within=0.005)
    end, R, C = train(2)
    for gone in (0, 1):
        stays = [1 - gone]
        at_least(fitted_anew(R[:, stays]), 1 / 2)
        alone = ((C[:, :, stays] @ R[:, stays] - WANTED) ** 2).sum((1, 2)) / 2
        at_least(alone, 1 / 2)
    holds(np.median(end) < 0.01, together=np.median(end))
    return {}


@check
def the_input_is_lost() -> Numbers:
    """We counted what two trained heads that do the task pass on of five contents, in every run."""
    end, R, _ = train(2)
    ranks = [np.linalg.matrix_rank(rows, tol=1e-6) for rows in R[end < 0.005]]
    holds(set(ranks) == {2}, ranks=set(ranks))
    return {"five": PLACES}


@check
def maps_do_not_say_what_comes_out() -> Numbers:
    """We exchanged the factors of both wishes in W_O of 200 trained models, and put heads into another order."""
    end, R, C = train(2)
    done = end < 0.005
    swapped = (C[done][:, ::-1] @ R[done])[:, 0].argmax(1)
    holds((swapped == HOW).all())
    for rng in draws(10):
        layer, x, order = layer_of(rng, 4), rng.standard_normal((6, 24)), rng.permutation(4)
        columns = np.concatenate([np.arange(24).reshape(4, 6)[head] for head in order])
        q, k, v = (Linear(part.weight[:, columns]) for part in (layer.q, layer.k, layer.v))
        same(MultiHead(4, q, k, v, Linear(layer.o.weight[columns]))(x, x), layer(x, x))
    return {}


# Where one head is enough


@check
def a_short_list_is_read_by_a_table() -> Numbers:
    """We blended 10,000 pairs of signs 0.7 to 0.3, and read them by the best factor and by a table of sums."""
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (10_000, 2))
    blend = signs @ [0.7, 0.3]
    factor = (blend @ signs) / (blend @ blend)
    always_close(((signs - blend[:, None] * factor) ** 2).mean(), 1 / 2, within=0.02)
    table = {round(0.7 * a + 0.3 * b, 1): (a, b) for a in (-1, 1) for b in (-1, 1)}
    holds(
        len(table) == 4 and all((table[round(sum_, 1)] == pair).all() for sum_, pair in zip(blend, signs, strict=True))
    )
    return {"four": len(table)}


@check
def two_layers_of_one_head() -> Numbers:
    """We stacked two layers of one head on random tokens: the first fetches one content, the second the other."""
    for rng in draws(20):
        x = np.zeros((6, 3))  # columns: content, first wish, second wish; the last row asks
        x[:5, 0] = rng.standard_normal(5)
        for place, wish in ((WHO, 1), (HOW, 2)):
            into = np.zeros((3, 3))
            into[0, wish] = 1
            x = x + np.tile(np.eye(6)[place], (6, 1)) @ x @ into
        same(x[5], [0, x[WHO, 0], x[HOW, 0]])
    return {}


# The trained model


def cosines() -> np.ndarray:
    """Mean cosine of a sentence's vector to the intact one without each head, (6 layers, 12 heads)."""
    return np.array(evidence.read("trained")["heads"]["cosine_without"])


@check
def any_early_head_can_go(floor: float = 0.992) -> Numbers:
    """We set the output of each of the 72 heads to zero, one at a time, and compared the vectors of 200 sentences."""
    return {"above 0.992": (cosines()[:5], floor)}


@check
def the_last_layer_is_missed() -> Numbers:
    """We took the smallest and the largest mean cosine without one head of layer 6, and all others for comparison."""
    found = cosines()
    always_larger(found[:5].min(), found[5].max())
    return {"0.962": found[5].min(), "0.991": found[5].max()}


@check
def distances_and_neighbours() -> Numbers:
    """We took how far each of 200 vectors moves without a head, and whether its nearest other vector changes."""
    found = evidence.read("trained")["heads"]
    distance, other = np.array(found["distance_without"]), np.array(found["other_nearest"])
    return {
        "0.12": distance[:5].max(),
        "0.25": distance[5].max(),
        "35": round(200 * other[:5].max()),
        "53": round(200 * other[5].max()),
        "200": evidence.read("trained")["n_sentences"],
    }


@check
def without_all_early_heads() -> Numbers:
    """We set the outputs of all heads of layers 1 to 5 to zero, and compared the vectors of 200 sentences."""
    return {"0.80": evidence.read("trained")["heads"]["without_early"], "60": cosines()[:5].size}


@check
def heads_in_long_texts() -> Numbers:
    """We set the output of three heads to zero, one at a time, and compared the vectors of 40 texts."""
    found, short = evidence.read("trained")["long"], cosines()
    holds(short[:5].argmin() == 12 * 3 + 9 and short[5].argmax() == 0)  # the heads that were tried
    return {"96": found["tokens"], "0.981": found["cosine_without"][0], "0.985": found["cosine_without"][2]}


def on_first() -> np.ndarray:
    """Mean weight on the first token, by layer and head."""
    return np.array(evidence.read("trained")["heads"]["weight_on_first"])


@check
def a_sink_hands_on_little() -> Numbers:
    """We took medians over heads, in each of layers 2 to 5: weight on the first token, and its value's length."""
    weight = np.median(on_first()[1:5], axis=1)
    length = np.median(evidence.read("trained")["heads"]["value_of_first"][1:5], axis=1)
    always_larger(1 / 20, length)
    return {"0.50": weight.min(), "0.59": weight.max()}


def ranks(values: np.ndarray) -> np.ndarray:
    """1 for the smallest; ties share the mean of their ranks."""
    below = (values[None] < values[:, None]).sum(1)
    equal = (values[None] == values[:, None]).sum(1)
    return np.asarray(below + (equal + 1) / 2)


def rank_correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's: the correlation of the ranks."""
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def within_layers(values: np.ndarray, lost: np.ndarray) -> float:
    """Rank correlation over layers 1 to 5, heads ranked within their layers: the correlation of these ranks."""
    one, other = (np.array([ranks(row) for row in part[:5]]).ravel() for part in (values, lost))
    return float(np.corrcoef(one, other)[0, 1])


@check
def the_first_token_tells_a_little() -> Numbers:
    """We ranked weights on the first token and losses within layers 1 to 5, and correlated the ranks."""
    return {"-0.53": within_layers(on_first(), 1 - cosines())}


@check
def the_tendency_fades() -> Numbers:
    """We computed the rank correlation of the weight on the first token and the loss in layer 6."""
    return {"-0.06": rank_correlation(on_first()[5], 1 - cosines()[5])}


@check
def the_map_names_no_head() -> Numbers:
    """We looked up, in each of the six layers, the head with the smallest weight on the first token, and its loss."""
    lost = 1 - cosines()
    return {"none": on_first().argmin(1) == lost.argmax(1), "six": len(lost)}


# Today


@check
def shared_keys_still_give_two_blends() -> Numbers:
    """We let two queries ask one set of keys and values for two of five tokens, 100 times."""
    for rng in draws(100):
        keys = rng.standard_normal((PLACES, 64)) / 8
        queries = keys[[WHO, HOW]] * 14
        weights = softmax(queries @ keys.T)
        always_larger(abs(weights[0] - weights[1]).sum(), 0.1)
        outputs = np.concatenate([handed_on(y) for y in weights])
        clearly_larger(0.1, missed(outputs, BOTH))
    return {}


@check
def a_quarter_of_the_cache(heads: int = 32, groups: int = 8) -> Numbers:
    """We counted the keys and values that a layer of 32 heads keeps for a token, with 32 and with 8 sets of them."""
    kept = {sets: 2 * sets * 128 for sets in (heads, groups)}
    return {"a quarter": kept[groups] / kept[heads]}


# Wrong answers


@check
def a_softmax_leaves_no_token_out() -> Numbers:
    """We drew 1,000 rows of scores, with and without a mask, and looked for weights of exactly zero."""
    scores = np.random.default_rng(0).standard_normal((1000, 5))
    always_larger(softmax(3 * scores), 0)
    masked = softmax(np.where(np.arange(5) < 3, scores, -np.inf))
    always_larger(masked[:, :3], 0)
    same(masked[:, 3:], 0 * masked[:, 3:])
    return {}


@check
def one_matrix_before_or_after_the_blend() -> Numbers:
    """We blended random contents before and after multiplying with a random matrix, 100 times."""
    for rng in draws(100):
        y, v, W = softmax(rng.standard_normal(PLACES)), rng.standard_normal((PLACES, 16)), rng.standard_normal((16, 16))
        same(y @ (v @ W), (y @ v) @ W)
    return {}


def kernel(x: np.ndarray, taps: np.ndarray) -> np.ndarray:
    """A convolution of width 3 with zeros beyond the ends."""
    padded = np.pad(x, ((1, 1), (0, 0)))
    return sum(padded[i : i + len(x)] @ taps[i] for i in range(3))


@check
def a_kernel_looks_at_fixed_distances() -> Numbers:
    """We built a kernel of width 3 from three heads with fixed weights; then we turned the words round."""
    for rng in draws(10):
        x, taps = rng.standard_normal((9, 4)), rng.standard_normal((3, 4, 5))
        built = np.zeros((9, 5))
        for i in range(3):
            weights = np.eye(9, k=i - 1)
            weights[weights.sum(1) == 0] = 1 / 9  # beyond the ends there is nothing to look at
            U, sizes, V = np.linalg.svd(taps[i], full_matrices=False)
            built += weights @ (x @ (U * sizes)) @ V  # W_V and W_O of a head as wide as the input
        same(built[1:-1], kernel(x, taps)[1:-1])
        layer, tokens, order = layer_of(rng, 3), rng.standard_normal((9, 24)), np.arange(9)[::-1]
        same(layer(tokens[order], tokens[order]), layer(tokens, tokens)[order])
        always_larger(abs(kernel(x[order], taps) - kernel(x, taps)[order]).max(), 0.1)
    return {"3": 3}


@check
def groups_of_a_decoder() -> Numbers:
    """We compared the maps of all heads of one group and of different groups in 30 layers, over 30 texts of our own."""
    groups = evidence.read("decoder_scores")["groups"]
    holds(groups["within_is_closer_in"] == 30)
    return {"3": 9 // 3, "0.41": groups["within"]["median"], "0.48": groups["across"]["median"]}


@check
def every_head_reads_all_numbers() -> Numbers:
    """We nudged each number of a token in turn and looked whose queries, keys and values move."""
    for rng in draws(5):
        layer, x = layer_of(rng, 4), rng.standard_normal((5, 24))
        before = layer.heads(x, x)
        for number in range(24):
            nudged = x.copy()
            nudged[0, number] += 1
            after = layer.heads(nudged, nudged)
            for part in ("q", "k", "v"):
                always_larger(abs(getattr(after, part) - getattr(before, part)).max((1, 2)), 1e-9)
    return {}
