"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.maths import softmax
from whyformer.maths.softmax import Array
from whyformer.model import Config, Transformer, initial
from whyformer.model.layers import Dropout
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.dropout_sites import rely_lab
from whyformer.questions.dropout_sites.sources import (
    CONFIGURATIONS,
    KINDS,
    NORMS,
    RELEASED,
    SOURCES,
    kinds,
    lists,
)

report = reporter(__name__)


def every_mask(n: int, p: float) -> tuple[Array, Array]:
    """All masks (2^n, n), and the probability of each."""
    masks = np.array(list(product([0, 1], repeat=n)))
    return masks, np.prod(np.where(masks == 1, 1 - p, p), axis=1)


def least(units: Array, target: Array, p: float) -> Array:
    """The weights with the least squared error over all masks; units (..., examples, n), target (..., examples)."""
    second = np.swapaxes(units, -1, -2) @ units
    second = second + p / (1 - p) * second * np.eye(units.shape[-1])
    return np.linalg.solve(second, np.swapaxes(units, -1, -2) @ target[..., None])[..., 0]


def on_new(weights: Array, noise: float) -> Array:
    """The error on new examples: one signal of variance 1 in every unit, and noise of its own."""
    return (1 - weights.sum(-1)) ** 2 + noise**2 * (weights**2).sum(-1)


def examples(rng: np.random.Generator, count: int, n: int, noise: float, repeats: int = 200) -> tuple[Array, Array]:
    """Units (repeats, count, n) that carry one signal, and the signal."""
    signal = rng.standard_normal((repeats, count))
    return signal[..., None] + noise * rng.standard_normal((repeats, count, n)), signal


@check
def dropout_is_a_penalty(p: float = 0.3) -> Numbers:
    """We averaged the squared error of 200 random readings over all 64 masks and compared with the formula."""
    masks, chance = every_mask(6, p)
    for rng in draws(200):
        w, x, y = rng.standard_normal(6), rng.standard_normal(6), rng.standard_normal()
        over_masks = chance @ (y - (masks * x / (1 - p)) @ w) ** 2
        always_close(over_masks, (y - w @ x) ** 2 + p / (1 - p) * (w**2 @ x**2), within=1e-9)
    return {}


@check
def copies_share_the_weight() -> Numbers:
    """We let one output read 2 to 16 exact copies of a unit, at rates from 0.05 to 0.8, and solved for its weights."""
    for n in (2, 5, 16):
        for p in (0.05, 0.3, 0.8):
            x = np.random.default_rng(n).standard_normal((20, 1)) * np.ones(n)
            weights = least(x, x[:, 0], p)
            same(weights, np.full(n, weights.mean()))
            alone = np.eye(n)[0] * weights.sum()  # all on one unit: n times the penalty
            same((alone**2).sum(), n * (weights**2).sum())
    return {}


@check
def fewer_weights_are_negative() -> Numbers:
    """We fitted outputs to 10 to 30 examples of eight noisy units, 200 draws each, and counted negative weights."""
    for noise in (0.5, 1.0, 2.0):
        for count in (10, 16, 30):
            for rng in draws(2):
                units, signal = examples(rng, count, 8, noise)
                bare, dropped = (least(units, signal, rate) for rate in (0.0, 0.3))
                clearly_larger((bare < 0).mean(), (dropped < 0).mean())
    some = [np.mean([(weights < 0).any() for weights in lab_weights(rate)]) for rate in (0.0, 0.3)]
    return {"98 %": some[0], "a fifth": some[1]}


@cache
def lab_moments(examples: str, noise: str) -> list[tuple[Array, Array]]:
    """What the relying lab's first 200 draws of examples have in the mean: of x xᵀ, and of x y."""
    return [rely_lab.moments(examples, rely_lab.SIZES[noise], seed)[:2] for seed in range(200)]


def lab_weights(p: float, examples: str = "10", noise: str = "much", way: str = "dropout") -> Array:
    """(200, 8): the weights that it learns from each."""
    return np.array([rely_lab.learned(second, cross, p, way) for second, cross in lab_moments(examples, noise)])


def lab_errors(p: float, examples: str = "10", noise: str = "much", way: str = "dropout") -> Array:
    """(200,): its errors on new examples."""
    return on_new(lab_weights(p, examples, noise, way), rely_lab.SIZES[noise])


@check
def few_examples_gain(p: float = 0.3) -> Numbers:
    """We fitted 4, 8 and 16 noisy units to a few examples, three noise levels, and took the error on new ones."""
    for n in (4, 8, 16):
        for noise in (0.5, 1.0, 2.0):
            units, signal = examples(np.random.default_rng(n), n + 2, n, noise, 400)
            bare, dropped = (least(units, signal, rate) for rate in (0.0, p))
            clearly_larger(np.median(on_new(bare, noise)), np.median(on_new(dropped, noise)))
            left = [((signal - (units @ one[..., None])[..., 0]) ** 2).mean(-1) for one in (bare, dropped)]
            always_larger(left[1], left[0])  # on its own examples dropout never helps
    return {"44 %": np.median(lab_errors(0)), "15 %": np.median(lab_errors(p))}


@check
def more_examples_gain_less(p: float = 0.3) -> Numbers:
    """We took the median errors of the relying lab over 200 draws, with 30 and with 100 examples, at both rates."""
    few, many = (np.median(lab_errors(p, count)) / np.median(lab_errors(0, count)) for count in ("30", "100"))
    return {"30": 30, "0.9": few, "100": 100, "1.0": many}


@check
def ridge_does_as_well() -> Numbers:
    """We took the errors of 200 draws of ten examples, with dropout and with ridge, at each way's best rate of 17."""
    ways = [np.min([lab_errors(rate, way=way) for rate in rely_lab.RATES], axis=0) for way in rely_lab.WAYS]
    dropout, ridge = np.median(ways, axis=1)
    always_close(ridge, dropout, within=0.005)
    return {"15 %": np.median(lab_errors(0.3, way="ridge")), "14 %": dropout}


@check
def dropout_is_ridge_on_scaled_units() -> Numbers:
    """We took 1,000 draws of ten examples whose units differ in noise: dropout, ridge, ridge on scaled units."""
    rng, noises = np.random.default_rng(0), np.linspace(0.3, 3, 8)
    signal = rng.standard_normal((1000, 10))
    units = signal[..., None] + noises * rng.standard_normal((1000, 10, 8))

    def ridge(units: Array, p: float) -> Array:
        second = np.swapaxes(units, 1, 2) @ units
        strength = p / (1 - p) * np.trace(second, axis1=1, axis2=2) / 8
        second = second + strength[:, None, None] * np.eye(8)
        return np.linalg.solve(second, np.swapaxes(units, 1, 2) @ signal[..., None])[..., 0]

    def error(weights: Array) -> Array:
        return (1 - weights.sum(1)) ** 2 + (noises**2 * weights**2).sum(1)

    sizes = np.sqrt((units**2).mean(1, keepdims=True))
    always_close(ridge(units / sizes, 0.3) / sizes[:, 0], least(units, signal, 0.3), within=1e-6)
    rates = rely_lab.RATES
    dropout = np.median(np.min([error(least(units, signal, p)) for p in rates], axis=0))
    plain = np.median(np.min([error(ridge(units, p)) for p in rates], axis=0))
    return {"0.3": noises[0], "3": noises[-1], "13 %": dropout, "18 %": plain, "1,000": len(signal), "1": 1}


@check
def it_hurts_where_there_is_little_noise(p: float = 0.3) -> Numbers:
    """We took 200 draws of 30 examples of units with a tenth of the noise, without dropout and with it."""
    bare, dropped = (lab_errors(rate, "30", "little") for rate in (0.0, p))
    return {"30": 30, "2.4": np.median(dropped) / np.median(bare), "at least 95 %": ((dropped > bare).mean(), 0.95)}


@check
def in_the_lab(p: float = 0.3) -> Numbers:
    """We read the errors of the relying lab off at its first draw, without dropout and at rate 0.3."""
    bare, dropped = (rely_lab.RelyLab(p=rate).series for rate in (0.0, p))
    return {
        "1 %": bare["on_learned"],
        "4 %": dropped["on_learned"],
        "67 %": bare["on_new"],
        "12 %": dropped["on_new"],
    }


@check
def fresh_examples_need_none() -> Numbers:
    """We gave an output all examples there could be, for 2 to 64 units and three noise levels, and tried ten rates."""
    for n in (2, 8, 64):
        for noise in (0.5, 1.0, 2.0):
            second = np.ones((n, n)) + noise**2 * np.eye(n)
            errors = []
            for p in np.arange(10) / 10:
                weights = np.linalg.solve(second + p / (1 - p) * np.diag(np.diag(second)), np.ones(n))
                errors.append(float(on_new(weights, noise)))
            always_larger(errors[1:], errors[:-1])  # the least at rate 0, and each larger rate is worse
    return {}


def trained(p: float, fresh: bool, seeds: int, hidden: int = 64, count: int = 20, steps: int = 500) -> Array:
    """The error on 1,000 new examples of ReLU networks trained by Adam on noisy units, one for each seed."""
    rng = np.random.default_rng(0)
    test, target = examples(rng, 1000, 8, 1.0, seeds)
    units, signal = examples(rng, count, 8, 1.0, seeds)
    parts = [
        rng.standard_normal((seeds, 8, hidden)) / np.sqrt(8),
        rng.standard_normal((seeds, hidden, 1)) / np.sqrt(hidden),
    ]
    first, second = ([np.zeros_like(part) for part in parts] for _ in range(2))
    for step in range(1, steps + 1):
        if fresh:
            units, signal = examples(rng, count, 8, 1.0, seeds)
        into, out = parts
        hit = np.maximum(units @ into, 0)
        kept = (rng.random(hit.shape) >= p) / (1 - p)
        off = 2 / count * (hit * kept @ out - signal[..., None])
        back = off @ np.swapaxes(out, 1, 2) * kept * (hit > 0)
        gradients = [np.swapaxes(units, 1, 2) @ back, np.swapaxes(hit * kept, 1, 2) @ off]
        for i, gradient in enumerate(gradients):
            first[i] = 0.9 * first[i] + 0.1 * gradient
            second[i] = 0.999 * second[i] + 0.001 * gradient**2
            move = first[i] / (1 - 0.9**step) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)
            parts[i] = parts[i] - 0.01 * move
    read = np.maximum(test @ parts[0], 0) @ parts[1]
    return ((read[..., 0] - target) ** 2).mean(1)


@check
def a_relu_network_gains_too(seeds: int = 6, hidden: int = 64) -> Numbers:
    """We trained six ReLU networks for 500 steps on 20 examples, and six on new ones, with rates 0 and 0.5."""
    few, dropped = (trained(p, False, seeds, hidden) for p in (0.0, 0.5))
    fresh, not_helped = (trained(p, True, seeds, hidden) for p in (0.0, 0.5))
    clearly_larger(few.mean(), dropped.mean())
    holds(not_helped.mean() > 0.95 * fresh.mean(), fresh=fresh.mean(), dropped=not_helped.mean())
    return {}


@check
def every_entry_keeps_its_mean() -> Numbers:
    """We averaged dropped entries over all masks, at rates from 0.1 to 0.8."""
    for p in (0.1, 0.3, 0.5, 0.8):
        masks, chance = every_mask(5, p)
        for rng in draws(20):
            x = rng.standard_normal(5)
            kept = masks * x / (1 - p)
            always_close(chance @ kept, x, within=1e-9)
            always_close(chance @ (kept - x) ** 2, p / (1 - p) * x**2, within=1e-9)
    return {}


@check
def thinned_networks_average() -> Numbers:
    """We averaged 100 linear readings, and 100 after a ReLU and a LayerNorm, over all masks."""
    masks, chance = every_mask(6, 0.3)
    turned = 0
    for rng in draws(100):
        x, u = rng.standard_normal((2, 6))
        thinned = (masks * x / 0.7) @ u
        always_close(chance @ thinned, x @ u, within=1e-9)
        bent = chance @ np.maximum(0, thinned) - max(0, x @ u)
        may_turn = thinned.min() < -1e-3 and thinned.max() > 1e-3
        holds(bent > 1e-6 if may_turn else abs(bent) < 2e-3, bent=bent, thinned=thinned)
        turned += may_turn
        path = rng.standard_normal(6)
        sums = (path + masks * x / 0.7, path + x)
        normed = [(y - y.mean(-1, keepdims=True)) / y.std(-1, keepdims=True) for y in sums]
        holds(abs(chance @ normed[0] - normed[1]).max() > 1e-3)
    holds(turned > 30, turned=turned)
    return {}


@check
def row_sums_are_one_on_average() -> Numbers:
    """We took rows of 2, 5 and 9 weights, 50 of each and some with one key ahead, and all of their masks."""
    for n in (2, 5, 9):
        rows = np.r_[
            softmax(2 * np.random.default_rng(n).standard_normal((50, n))), np.eye(n)[:1], np.full((1, n), 1 / n)
        ]
        for p in (0.1, 0.3, 0.5):
            masks, chance = every_mask(n, p)
            sums = rows @ masks.T / (1 - p)
            variances = (sums - 1) ** 2 @ chance
            always_close(sums @ chance, 1, within=1e-9)
            always_close(variances, p / (1 - p) * (rows**2).sum(1), within=1e-9)
            low, high = p / (1 - p) / n, p / (1 - p)
            holds((variances > low - 1e-9).all() and (variances < high + 1e-9).all(), variances=variances)
            always_close([variances[-1], variances[-2]], [low, high], within=1e-9)
            always_larger(variances, 0.005)
    return {}


@check
def how_far_a_row_sum_moves(keys: int = 64, p: float = 0.1) -> Numbers:
    """We computed the standard deviation of the sum for equal weights and for a row with all weight on one key."""
    masks, chance = every_mask(3, p)
    one_key = np.unique((masks[:, 0] / (1 - p)).round(9))
    same(one_key, [0, round(1 / (1 - p), 9)])
    same(chance[masks[:, 0] == 0].sum(), p)
    return {
        "0.042": np.sqrt(p / (1 - p) / keys),
        "0.333": np.sqrt(p / (1 - p)),
        "1.11": 1 / (1 - p),
        "two": len(one_key),
    }


@check
def when_a_row_sum_is_one() -> Numbers:
    """We went through all masks of 200 random rows and of 8 and 10 equal weights, and looked for sums of exactly 1."""
    p = 0.1
    masks, _ = every_mask(3, p)
    for row in [
        np.array([0.7, 0.2, 0.1]),
        np.array([p, 1 - p, 0]),
        *np.random.default_rng(0).dirichlet(np.ones(3), 200),
    ]:
        exact = abs((masks * row).sum(1) / (1 - p) - 1) < 1e-9
        holds(exact == (abs(((1 - masks) * row).sum(1) - p) < 1e-9), row=row)
    found = []
    for n in (8, 10):
        kept, odds = every_mask(n, p)
        is_one = abs(kept.sum(1) / n / (1 - p) - 1) < 1e-9
        found.append(float(odds[is_one].sum()))
        holds(n == 8 or set((1 - kept[is_one]).sum(1)) == {1}, n=n)
    return {"43 %": (1 - p) ** 8, "never": found[0], "39 %": found[1]}


@check
def head_outputs_keep_their_mean(p: float = 0.1) -> Numbers:
    """We averaged the output of 50 heads with random weights and values, and 50 other linear maps, over all masks."""
    masks, chance = every_mask(5, p)
    for rng in draws(50):
        for row in (softmax(2 * rng.standard_normal(5)), rng.standard_normal(5)):
            v = rng.standard_normal((5, 7))
            outputs = (masks * row / (1 - p)) @ v
            always_close(chance @ outputs, row @ v, within=1e-9)
            off = chance @ ((outputs - row @ v) ** 2).sum(1)
            always_close(off, p / (1 - p) * (row**2 @ (v**2).sum(1)), within=1e-9)
    return {}


class Watched(Dropout):
    """Drops all outputs of sub-layers, and keeps whatever else is asked of it."""

    def __call__(self, site: str, x: Array) -> Array:
        """What is left of x at this site."""
        return 0 * x if site == "residual" else x


CONFIG = Config(d_model=64, n_heads=4, d_ff=256, n_layers=4, vocabulary=50)


@check
def the_path_keeps_every_entry() -> Numbers:
    """We dropped every output of a sub-layer in three pre-norm encoders, and compared with the embedding alone."""
    tokens = np.arange(10)
    for rng in draws(3):
        model = initial(CONFIG._replace(norm="pre"), rng)
        (end,) = [model.encoder_end] if model.encoder_end else []  # pre-norm has one
        left = model.encode(tokens, drop=Watched())
        always_close(left, end(model.embed(model.source, tokens)), within=1e-9)
    x, says = np.random.default_rng(0).standard_normal((2, 8))
    same(x + 0 * says, x)
    return {}


@check
def dropout_on_the_path(layers: int = 6, p: float = 0.1) -> Numbers:
    """We dropped the sums of encoders of 6 layers themselves, with a norm after each and without, at two widths."""
    sums, found = 2 * layers, []
    for width in (512, 1024):
        for rng in draws(3):
            x = rng.standard_normal((100, width))
            bare, normed, alive = x, x, np.ones(x.shape, bool)
            for _ in range(sums):
                kept = rng.random(x.shape) >= p
                bare, normed, alive = kept * bare / (1 - p), kept * normed / (1 - p), alive & kept
                normed = (normed - normed.mean(1, keepdims=True)) / normed.std(1, keepdims=True)
            size = np.sqrt((x[alive] ** 2).mean())
            found.append([alive.mean(), *(np.sqrt((y[alive] ** 2).mean()) / size for y in (bare, normed))])
    share, without, with_norm = np.array(found).T
    always_close(share, (1 - p) ** sums, within=0.01)
    always_close(without, (1 - p) ** -sums, within=1e-6)
    return {"28 %": (1 - p) ** sums, "3.5": without.mean(), "1.9": with_norm.mean()}


def moved(model: Transformer, site: str, passes: int) -> float:
    """How far an entry of the encoder's output moves over the passes, dropped at one kind of site at rate 0.1."""
    drop = Dropout(np.random.default_rng(1), {site: 0.1})
    outputs = model.encode(np.tile(np.arange(10), (passes, 1)), drop=drop)
    return float(np.sqrt(outputs.var(0).mean()))


@check
def which_site_moves_the_output(passes: int = 60) -> Numbers:
    """We dropped at one kind of site at a time in three fresh post-norm encoders of four layers, 60 passes each."""
    places = {"embedding": 1, "attention": 4, "hidden": 4, "residual": 8}
    models = [initial(CONFIG, rng) for rng in draws(3)]
    spread = np.array([[moved(model, site, passes) for site in places] for model in models])
    each = spread / np.sqrt(list(places.values()))
    clearly_larger(spread[:, 3:], spread[:, :3])
    clearly_larger(spread[:, [0, 2, 3]], spread[:, 1:2])
    clearly_larger(each[:, :1], each[:, 1:])
    clearly_larger(each[:, [0, 2, 3]], each[:, 1:2])
    return {"three": len(models), "8": places["residual"]}


@check
def rows_of_a_trained_model(p: float = 0.1) -> Numbers:
    """We put the rows of the trained encoder's heads, over 200 sentences of 7 to 18 tokens, into the formula."""
    found = evidence.read("rows")
    spread = np.sqrt(p / (1 - p) * np.array(found["squares"]))
    return {
        "200": found["n_sentences"],
        "7": found["tokens"][0],
        "18": found["tokens"][-1],
        "188,640": found["rows"],
        "0.19": spread[1],
        "0.08": spread[0],
        "0.33": spread[2],
        "11 %": found["sharp"],
    }


@check
def longer_sentences_are_steadier(p: float = 0.1) -> Numbers:
    """We took the rows of sentences of 9 and of 17 tokens apart, and compared the flattest rows with equal weights."""
    found = evidence.read("rows")
    middle = np.sqrt(p / (1 - p) * np.array(found["squares_of"]))
    nine, seventeen = (middle[found["tokens"].index(n)] for n in (9, 17))
    equal = p / (1 - p) / np.array(found["tokens"])
    flattest = p / (1 - p) * np.array(found["least_of"])
    always_larger(middle[:-1], middle[1:])
    holds((flattest > equal).all() and (flattest < 1.1 * equal).all(), flattest=flattest, equal=equal)
    return {"9": 9, "0.21": nine, "17": 17, "0.18": seventeen, "512": 512, "0.015": np.sqrt(p / (1 - p) / 512)}


@check
def one_head_is_switched_off(p: float = 0.1) -> Numbers:
    """We looked for heads with more than 0.9 on one key in every row of 200 sentences."""
    least_largest = np.array(evidence.read("rows")["least_largest"])
    layer, head = divmod(int(least_largest.argmax()), 12)
    holds((layer + 1, head + 1) == (1, 3), layer=layer + 1, head=head + 1)
    always_larger(least_largest.max(), 0.99)
    always_larger(0.9, np.sort(least_largest.ravel())[-2])
    return {"200": evidence.read("rows")["n_sentences"], "a tenth": p}


@check
def a_norm_after_the_sum_divides_both() -> Numbers:
    """We dropped outputs at rate 0.1 before a sum and its norm, 2,000 times at two widths, and took the divisors."""
    found = []
    for d in (64, 512):
        x, says = np.random.default_rng(d).standard_normal((2, 2000, d))
        kept = (np.random.default_rng(0).random((2000, d)) >= 0.1) / 0.9
        found.append(float(((x + says).std(1) / (x + kept * says).std(1)).std()))
    return {"3 %": found[0], "1 %": found[1], "64": 64, "512": 512}


@check
def four_sites() -> Numbers:
    """We listed the places of the library's default of October 2017, kind by kind."""
    holds(kinds("later") == set(KINDS), later=kinds("later"))
    return {"four": len(KINDS)}


@check
def the_papers_two_kinds() -> Numbers:
    """We listed what we read in section 5.4 and in the first released configuration, place by place."""
    for name in ("paper", "first"):
        holds(kinds(name) == {"sub-layer output", "embedding sum"}, found=kinds(name))
    return {"two": len(kinds("paper"))}


@check
def two_kinds_came_four_months_later() -> Numbers:
    """We compared the rates of June and October 2017 as they stand in the authors' code, and where the norm stands."""
    holds(kinds("later") - kinds("first") == {"attention weights", "after the ReLU"}, later=kinds("later"))
    holds(kinds("first") <= kinds("later"), first=kinds("first"))
    names = list(CONFIGURATIONS)
    old, new = (next(name for name in names if end in name) for end in (": transformer_base", "transformer_base_v2"))
    norm = dict(zip(names, NORMS, strict=True))
    holds((norm[old], norm[new]) == ("post", "pre"), old=norm[old], new=norm[new])
    holds(set(CONFIGURATIONS[new]) == {0.1}, rates=CONFIGURATIONS[new])
    added = [KINDS.index(kind) for kind in kinds("later") - kinds("first")]
    off, on = ({CONFIGURATIONS[name][at] for at in added} for name in (old, new))
    holds(len(off) == len(on) == 1, off=off, on=on)
    (year, month), (later_year, later_month) = RELEASED["first"], RELEASED["later"]
    return {"2017": year, "four": 12 * (later_year - year) + later_month - month, "0.0": off.pop(), "0.1": on.pop()}


@check
def settings_and_defaults() -> Numbers:
    """We looked up the rates of both models of the first commit, as they stand in the authors' code."""
    base, parsing = (
        next(rates for name, rates in CONFIGURATIONS.items() if end in name)
        for end in (": transformer_base", "transformer_parsing_base_dr6")
    )
    at = KINDS.index("attention weights")
    holds(base[at] == base[KINDS.index("after the ReLU")] == 0, base=base)
    return {"0.0": base[at], "0.2": parsing[at]}


@check
def six_sources_four_lists() -> Numbers:
    """We compared six sources place by place, leaving out a place about which one of two cannot speak."""
    found = lists()
    holds(["paper", "first"] in found and ["later", "torch"] in found, lists=found)
    holds(kinds("bert") == kinds("later") - {"after the ReLU"} and not kinds("olmo"), bert=kinds("bert"))
    return {"six": len(SOURCES), "four": len(found)}


@check
def fairseqs_two_differ_in_three() -> Numbers:
    """We compared fairseq's two big configurations, rate by rate."""
    names = list(CONFIGURATIONS)
    papers, tensor2tensors = (
        next(name for name in names if end in name) for end in ("vaswani_wmt_en_de_big", "big_t2t")
    )
    rates = dict(zip(KINDS, zip(CONFIGURATIONS[papers], CONFIGURATIONS[tensor2tensors], strict=True), strict=True))
    differ = [kind for kind, (one, other) in rates.items() if one != other]
    holds(differ == ["attention weights", "after the ReLU"], differ=differ)
    holds(NORMS[names.index(papers)] != NORMS[names.index(tensor2tensors)], norms=NORMS)
    return {"two": len(differ)}


@check
def renormalised_rows_change_their_means() -> Numbers:
    """We divided 200 random rows of three weights by their new sums, under all masks that keep a key."""
    p = 0.1
    masks, chance = every_mask(3, p)
    some = masks.any(1)

    def shift(row: Array) -> Any:
        mean = chance[some] @ (masks[some] * row / (masks[some] @ row)[:, None]) / chance[some].sum()
        return mean - row

    for row in np.random.default_rng(0).dirichlet(np.ones(3), 200):
        moves = shift(row)
        holds(moves[row.argmax()] < 0 < moves[row.argmin()], row=row, moves=moves)
    always_close(shift(np.ones(3) / 3), 0, within=1e-9)
    same((masks[~some] @ np.ones(3)).sum(), 0)
    return {}


@check
def scaled_twice() -> Numbers:
    """We scaled what inverted dropout had scaled already, and compared it and the dropout of 2014 with evaluation."""
    for p in (0.1, 0.5):
        masks, chance = every_mask(4, p)
        for rng in draws(20):
            x = rng.standard_normal(4)
            inverted, of_2014 = chance @ (masks * x / (1 - p)), chance @ (masks * x)
            always_close(inverted, x, within=1e-9)
            always_close((1 - p) * x / inverted, 1 - p, within=1e-9)
            always_close(of_2014, (1 - p) * x, within=1e-9)
    return {}
