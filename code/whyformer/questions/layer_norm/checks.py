"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from whyformer import evidence
from whyformer.maths import attention_weights
from whyformer.model.layers import causal
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.layer_norm import stacks
from whyformer.questions.layer_norm.normalisation_lab import NormalisationLab

report = reporter(__name__)

Norm = Callable[[np.ndarray], np.ndarray]

EPSILON = 1e-5
#: Sentences, positions and features of the batches in which a statement about any batch is tried.
SHAPES = ((2, 3, 4), (8, 5, 16), (32, 20, 64))


def over(x: np.ndarray, axes: int | tuple[int, ...], epsilon: float = EPSILON) -> np.ndarray:
    """``x`` with mean 0 and variance 1 over ``axes``."""
    centred = x - x.mean(axes, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(axes, keepdims=True) + epsilon))


def layer(x: np.ndarray) -> np.ndarray:
    """LayerNorm without gain and bias."""
    return over(x, -1)


def batch(x: np.ndarray) -> np.ndarray:
    """BatchNorm in training: each feature over all sentences and positions."""
    return over(x, (0, 1))


def bare(x: np.ndarray) -> np.ndarray:
    """LayerNorm with epsilon = 0."""
    return over(x, -1, 0.0)


def bare_rms(x: np.ndarray) -> np.ndarray:
    """RMSNorm with epsilon = 0."""
    return np.asarray(x / np.sqrt((x**2).mean(-1, keepdims=True)))


def moved(norm: Norm, x: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Which tokens of ``x`` come out changed when it becomes ``other``."""
    return np.asarray(abs(norm(other) - norm(x)).max(-1) > 1e-9)


def with_another_word(rng: np.random.Generator, x: np.ndarray, sentence: int, position: int) -> np.ndarray:
    """The same batch with one other token."""
    other = x.copy()
    other[sentence, position] = rng.standard_normal(x.shape[-1])
    return other


# ---- whose statistics


@check
def a_token_by_itself() -> Numbers:
    """We normalised tokens alone, in batches of 2 to 32 sentences and in cut sentences, and compared the results."""
    for rng, shape in zip(draws(3), SHAPES, strict=True):
        x = 1 + 2 * rng.standard_normal(shape)
        whole = layer(x)
        same(layer(x[:1, :1]), whole[:1, :1])
        same(layer(x[1:2]), whole[1:2])
        same(layer(x[:, :2]), whole[:, :2])
        changed = moved(layer, x, with_another_word(rng, x, 1, shape[1] - 1))
        holds(changed.sum() == 1 and changed[1, -1], changed=changed.sum())
    return {}


@check
def the_batch_moves_a_token() -> Numbers:
    """We changed the last word of one sentence in batches of three sizes and looked at every other token."""
    for rng, shape in zip(draws(3), SHAPES, strict=True):
        x = 1 + 2 * rng.standard_normal(shape)
        changed = moved(batch, x, with_another_word(rng, x, 1, shape[1] - 1))
        holds(changed[0].all(), sentence=0)  # other sentences
        holds(changed[1, :-1].all(), sentence=1)  # the words before it
        stored = x.mean((0, 1)), x.std((0, 1))
        at_inference = moved(lambda x: (x - stored[0]) / stored[1], x, with_another_word(rng, x, 1, shape[1] - 1))  # noqa: B023
        holds(at_inference.sum() == 1, at_inference=at_inference.sum())
    return {}


@check
def another_function_at_inference() -> Numbers:
    """We kept running means and variances over 500 batches and compared both ways to normalise fresh batches."""
    for rng, tau in zip(draws(3), (0, 1, 2), strict=True):
        mean, variance = np.zeros(8), np.ones(8)
        for text in sentences(rng, tau**2, 500, 16, 6):
            mean, variance = 0.9 * mean + 0.1 * text.mean((0, 1)), 0.9 * variance + 0.1 * text.var((0, 1))
        for text in sentences(rng, tau**2, 20, 16, 6):
            at_inference = (text - mean) / np.sqrt(variance + EPSILON)
            always_larger(abs(at_inference - batch(text)).max((0, 1)), 0.01)
            changed = text.copy()
            changed[1] = rng.standard_normal(text[1].shape)
            holds((((changed - mean) / np.sqrt(variance + EPSILON))[0] == at_inference[0]).all())
    return {}


@check
def only_shared_statistics_connect() -> Numbers:
    """We moved every number of a small batch by itself and looked which outputs follow, under three norms."""
    x = 1 + 2 * np.random.default_rng(0).standard_normal((2, 3, 4))
    for norm, same_place in ((batch, (2,)), (layer, (0, 1)), (lambda x: bare_rms(x), (0, 1))):
        for at in np.ndindex(x.shape):
            other = x.copy()
            other[at] += 0.5
            follows = abs(norm(other) - norm(x)) > 1e-9
            expected = np.ones(x.shape, bool)
            for axis in same_place:
                expected &= np.indices(x.shape)[axis] == at[axis]
            holds((follows == expected).all(), at=at)
    return {}


@check
def a_token_alone_becomes_zero() -> Numbers:
    """We gave 1,000 batches of one token to both norms, with batch statistics."""
    words = np.random.default_rng(0).standard_normal((1000, 1, 1, 8))
    holds(all((batch(word) == 0).all() for word in words))
    always_larger(abs(layer(words)).max(-1), 0.5)
    return {"one": words[0, ..., 0].size}


@check
def later_words_come_back_in() -> Numbers:
    """We changed the last word of 100 sentences, with a causal mask and under batch statistics."""
    for rng in draws(100):
        x = rng.standard_normal((1, 5, 8))
        other = with_another_word(rng, x, 0, 4)
        weights, others = (attention_weights(one[0], one[0], mask=causal(5)) for one in (x, other))
        same((weights @ x[0])[:4], (others @ other[0])[:4])
        holds(moved(batch, x, other)[0].all())
        holds(not moved(layer, x, other)[0, :4].any())
    return {}


@check
def the_leak_is_small_in_a_large_batch() -> Numbers:
    """We changed one word in 20 batches of 1,000 sentences of 25: the root mean square move of its sentence's words."""
    squares = []
    for rng in draws(20):
        x = sentences(rng, 1.0, 1, 1000, 25)[0]
        other = with_another_word(rng, x, 0, 24)
        squares.append(((batch(other) - batch(x))[0, :24] ** 2).mean())
    always_larger(squares, 0)
    return {"25,000": x[..., 0].size, "less than 0.0001": (np.sqrt(np.mean(squares)), 0.0001)}


@check
def a_cache_would_be_stale() -> Numbers:
    """We let 100 sentences grow word by word and compared what earlier words had been normalised to."""
    for rng in draws(100):
        x = rng.standard_normal((1, 6, 8))
        for length in range(1, 6):
            holds(moved(lambda one: batch(one)[:, :length], x[:, :length], x[:, : length + 1]).all())  # noqa: B023
            same(layer(x[:, : length + 1])[:, :length], layer(x[:, :length]))
    return {}


# ---- how far the batch wanders


def sentences(rng: np.random.Generator, topic: float, batches: int, count: int, length: int) -> np.ndarray:
    """(batches, count, length, 8): a token is its sentence's topic, of that variance, plus a word of variance 1."""
    shift = np.sqrt(topic) * rng.standard_normal((batches, count, 1, 8))
    return np.asarray(shift + rng.standard_normal((batches, count, length, 8)))


def wander(topic: float, count: int, length: int) -> float:
    """By how many standard deviations of a feature the mean of a batch varies: the formula of the text."""
    return float(np.sqrt((topic + 1 / length) / (count * (topic + 1))))


@check
def the_mean_wanders() -> Numbers:
    """We drew up to 4,000 batches for each of 12 settings and compared the spread of their means with the formula."""
    for rng, (some, tau, words) in zip(
        draws(12), [(b, v, n) for b in (1, 16) for v in (0, 1, 4) for n in (6, 20)], strict=True
    ):
        text = sentences(rng, tau, 4000 // some, some, words)
        always_close(text.mean((1, 2)).std() / np.sqrt(tau + 1) / wander(tau, some, words), 1, within=0.1)
    return {}


def gap(topic: float, count: int, batches: int, length: int = 6) -> float:
    """Root mean square difference between BatchNorm in training and with the statistics of everything."""
    text = sentences(np.random.default_rng(0), topic, batches, count, length)
    centre, spread = text.mean((1, 2), keepdims=True), text.std((1, 2), keepdims=True)
    at_inference = text / np.sqrt(topic + 1)
    return float(np.sqrt((((text - centre) / spread - at_inference) ** 2).mean()))


@check
def training_and_inference_differ() -> Numbers:
    """We compared both outputs over 24,000 sentences with strong topics, in batches of 1, 4, 16 and 64."""
    gaps = {count: gap(4.0, count, 24_000 // count) for count in (1, 4, 16, 64)}
    without = {count: gap(0.0, count, 8_000 // count) for count in gaps}
    always_larger(list(gaps.values()), list(without.values()))
    always_larger(list(gaps.values())[:-1], list(gaps.values())[1:])
    large = {"sentences": 1000, "length": 25}
    return {
        "16": 16,
        "6": 6,
        "0.27": gaps[16],
        "1,000": large["sentences"],
        "25": large["length"],
        "25,000": large["sentences"] * large["length"],
        "0.03": gap(4.0, large["sentences"], 8, large["length"]),
    }


@check
def few_sentences_on_a_device(count: int = 4, length: int = 25, topic: float = 0.17) -> Numbers:
    """We compared both outputs over 2,000 batches of so few sentences, with topics as weak as in the trained model."""
    found = [gap(one, count, 2_000, length) for one in (topic, 0.0)]
    return {"4": count, "25": length, "0.17": topic, "0.23": found[0], "0.12": found[1]}


@check
def topics_in_a_trained_model() -> Numbers:
    """We took the variance between sentences over that within them, in the stream that enters and leaves each layer."""
    found = evidence.read("trained")
    medians = [row["mid"] for row in found["topics"]["share"]]
    return {"200": found["n_sentences"], "0.17": max(medians[:-1]), "0.61": medians[-1]}


# ---- what a norm leaves of a token


@check
def the_sphere() -> Numbers:
    """We normalised 200 tokens with 8 to 512 features, long and short ones, and measured length and sum."""
    for d in (8, 64, 512):
        x = np.exp(3 * np.random.default_rng(d).standard_normal((200, 1))) * (
            1 + np.random.default_rng(d + 1).standard_normal((200, d))
        )
        always_close(np.linalg.norm(bare(x), axis=1) / np.sqrt(d), 1, within=1e-9)
        always_close(bare(x).sum(1), 0, within=1e-6)
        always_close(np.linalg.norm(bare_rms(x), axis=1) / np.sqrt(d), 1, within=1e-9)
    return {}


@check
def size_and_shift_do_not_matter() -> Numbers:
    """We multiplied 500 tokens by 0.1 to 50, added a number to all their features, and compared the outputs."""
    for d in (8, 64):
        x = np.random.default_rng(d).standard_normal((500, d))
        for a in (0.1, 7, 50):
            for b in (-3, 0, 20):
                always_close(bare(a * x + b), bare(x), within=1e-8)
        always_close(bare_rms(7 * x), bare_rms(x), within=1e-12)
        always_larger(abs(bare_rms(x + 3) - bare_rms(x)).max(1), 0.1)
    return {}


def jacobian(norm: Norm, token: np.ndarray) -> np.ndarray:
    """By differences."""
    step = 1e-6 * np.eye(token.size)
    return (norm(token + step) - norm(token - step)).T / 2e-6


def rank(matrix: np.ndarray) -> int:
    """Singular values above a thousandth of the largest."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > 1e-3 * values[0]).sum())


@check
def derivative_of_layer_norm() -> Numbers:
    """We differentiated 40 tokens with 6 and 16 features by differences and compared with the formula and its rank."""
    for d in (6, 16):
        for rng in draws(20):
            x = rng.standard_normal(d)
            unit = bare(x)
            formula = (np.eye(d) - 1 / d - np.outer(unit, unit) / d) / x.std()
            always_close(jacobian(bare, x), formula, within=1e-6 / x.std())
            holds(rank(formula) == d - 2, rank=rank(formula))
            always_close(jacobian(bare, 10 * x) * 10, formula, within=1e-5 / x.std())
    return {}


@check
def rms_norm_keeps_the_mean() -> Numbers:
    """We shifted and scaled 40 tokens under RMSNorm and took the rank of its derivative."""
    for d in (6, 16):
        for rng in draws(20):
            x = rng.standard_normal(d)
            always_larger(abs(bare_rms(x + 3) - bare_rms(x)).max(), 0.1)
            same(bare_rms(7 * x), bare_rms(x))
            holds(rank(jacobian(bare_rms, x)) == d - 1, rank=rank(jacobian(bare_rms, x)))
    return {}


# ---- where the norm goes


def cut(drawn: stacks.Stacks, n_layers: int) -> stacks.Stacks:
    """The first layers of stacks."""
    heads = None if drawn.attention is None else drawn.attention[:, :n_layers]
    return drawn._replace(w1=drawn.w1[:, :n_layers], w2=drawn.w2[:, :n_layers], attention=heads)


def writing_less(drawn: stacks.Stacks) -> stacks.Stacks:
    """Matrices that write to the stream divided by the root of their number, as the paper on GPT-2 has it."""
    root = np.sqrt(drawn.w1.shape[1] * (1 if drawn.attention is None else 2))
    heads = None if drawn.attention is None else drawn.attention / np.array([1, 1, 1, root])[:, None, None]
    return drawn._replace(w2=drawn.w2 / root, attention=heads)


def as_in_pytorch(drawn: stacks.Stacks) -> stacks.Stacks:
    """The variances of TransformerEncoderLayer: 1/(2d) for queries, keys and values, 1/(3 fan-in) for the rest."""
    heads = drawn.attention
    heads = None if heads is None else heads * np.sqrt(np.array([1 / 2, 1 / 2, 1 / 2, 1 / 3]))[:, None, None]
    return drawn._replace(w1=drawn.w1 / np.sqrt(3), w2=drawn.w2 / np.sqrt(3), attention=heads)


def narrow(count: int, tokens: int, seed: int = 0) -> stacks.Stacks:
    """Fresh stacks of 32 layers without attention, with d_ff = d = 16, as in the lab."""
    rng = np.random.default_rng(seed)
    x, matrices = rng.standard_normal((count, tokens, 16)), rng.standard_normal((count, 65, 16, 16)) / 4
    return stacks.Stacks(x, matrices[:, 0], matrices[:, 1:33], matrices[:, 33:])


def last(place: str, drawn: stacks.Stacks, n_layers: int) -> float:
    """The median gradient at the last W_2 of stacks of so many layers."""
    some = cut(drawn, n_layers)
    return float(np.median(stacks.backward(place, some, stacks.forward(place, some)[0], n_layers - 1)[0]))


@check
def a_fresh_stream_without_norm(n_layers: int = 32) -> Numbers:
    """We drew 2 times 30 stacks and measured their streams at 16 and 32 layers, with a norm and without."""
    for seed in range(2):
        drawn = stacks.drawn(n_layers, False, stacks=30, d=16, n=8, seed=seed)
        size = {place: np.median(stacks.forward(place, drawn)[1], 0) for place in stacks.PLACES}
        always_larger([size["none"][16], size["none"][32] / size["none"][16]], 10)
        always_close(size["post"][1:], 1, within=0.01)
        always_larger(6, size["pre"])
    return {"more than 300 times": (size["none"][-1], 300)}


@check
def a_small_start_needs_no_norm(n_layers: int = 32) -> Numbers:
    """We made the matrices of 30 stacks smaller in two ways and measured their streams."""
    drawn = stacks.drawn(n_layers, False, stacks=30, d=16, n=8)
    less, pytorch = (
        np.median(stacks.forward("none", one)[1][:, -1]) for one in (writing_less(drawn), as_in_pytorch(drawn))
    )
    return {"below 1.5 times": (less, 1.5), "2.2": pytorch}


@check
def the_stream_grows_by_a_half() -> Numbers:
    """We averaged the squares of 500 streams of 32 layers in pre-norm and without a norm, and of post-norm."""
    drawn = narrow(500, 2)
    squares = {place: (stacks.forward(place, cut(drawn, 8))[1] ** 2).mean(0) for place in ("post", "none")}
    pre = (stacks.forward("pre", drawn)[1] ** 2).mean(0)
    layers = np.arange(33)
    always_close(pre / (1 + layers / 2), 1, within=0.05)
    always_close(squares["none"] / 1.5 ** layers[:9], 1, within=0.1)
    always_close(squares["post"][1:], 1, within=1e-3)
    return {}


@check
def the_last_gradient() -> Numbers:
    """We took the gradient at the last W_2 of 200 stacks of 1, 8 and 32 layers and compared it with the formula."""
    drawn = narrow(200, 8)
    ratio = {L: last("pre", drawn, L) / last("post", drawn, L) for L in (1, 8, 32)}
    always_close([ratio[L] / np.sqrt(3 / (2 + L)) for L in ratio], 1, within=0.15)
    return {"32": 32, "0.30": np.sqrt(3 / 34), "0.3": ratio[32]}


@check
def post_keeps_and_pre_falls() -> Numbers:
    """We took the gradient at the last W_2 of 2, 8 and 32 layers, with attention and without, in two sets of draws."""
    for seed in range(2):
        both = stacks.drawn(32, True, stacks=24, d=16, n=8, n_heads=2, seed=seed)
        for drawn in (both, both._replace(attention=None)):
            post, pre = ([last(place, drawn, L) for L in (2, 8, 32)] for place in ("post", "pre"))
            always_close(np.array(post) / post[0], 1, within=0.35)
            clearly_larger(pre[:-1], pre[1:])
            always_larger(pre[0], 2 * pre[-1])
            quiet = [last("pre", writing_less(cut(drawn, L)), L) for L in (2, 8, 32)]
            always_close(np.array(quiet) / quiet[0], 1, within=0.25)
            ends = [np.median(stacks.forward("pre", writing_less(cut(drawn, L)))[1][:, -1]) for L in (2, 32)]
            always_close(ends[1], ends[0], within=0.15)
    return {}


def first_to_last(drawn: stacks.Stacks) -> np.ndarray:
    """Gradient at the first W_2 over that at the last in post-norm, by draw."""
    gradient = stacks.gradients("post", drawn)
    return np.asarray(gradient[:, 0] / gradient[:, -1])


@check
def the_first_gradient_hangs_on_the_start() -> Numbers:
    """We drew 100 post-norm stacks at d = 16, rescaled them, and took their attention out."""
    drawn = stacks.drawn(32, True, stacks=100, d=16, n=8, n_heads=2)
    fan_in, pytorch = first_to_last(drawn), first_to_last(as_in_pytorch(drawn))
    without = first_to_last(drawn._replace(attention=None))
    for half in np.split(fan_in, 2):
        always_larger(0.4, np.median(half))
    for half in [*np.split(pytorch, 2), *np.split(without, 2)]:
        always_close(np.median(half), 1, within=0.35)
    low, high = np.quantile(fan_in, [0.1, 0.9])
    return {"32": drawn.w1.shape[1], "0.2": np.median(fan_in), "more than 30": (high / low, 30)}


@check
def the_first_gradient_by_width() -> Numbers:
    """We took stored ratios of 12 fresh post-norm stacks of 32 layers at each of four widths."""
    found = evidence.read("depth")
    middle = dict(zip(found["widths"], map(np.median, found["first_over_last"]), strict=True))
    return {
        "12": len(found["first_over_last"][0]),
        "0.45": middle[64],
        "0.93": middle[512],
        "0.52": min(found["first_over_last"][-1]),
    }


@check
def adam_does_not_see_the_size() -> Numbers:
    """We gave Adam and gradient descent 50 random gradients, and the same ones three times as large."""

    def steps(gradients: np.ndarray) -> np.ndarray:
        first, second, taken = np.zeros(8), np.zeros(8), []
        for t, g in enumerate(gradients, 1):
            first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g**2
            taken.append(first / (1 - 0.9**t) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8))
        return np.array(taken)

    gradients = np.random.default_rng(0).standard_normal((50, 8))
    always_close(steps(3 * gradients), steps(gradients), within=1e-5)
    return {}


@check
def late_layers_add_little() -> Numbers:
    """We took the last sub-layer's share of the mean square in 3 times 20 stacks of 32 layers."""
    found = {}
    for seed in range(3):
        drawn = stacks.drawn(32, False, stacks=20, d=16, n=8, seed=seed)
        for place in ("pre", "post"):
            subs = stacks.forward(place, drawn)[0]
            added = subs[-1].kept[0] @ drawn.w2[:, -1]
            found[place, seed] = (added**2).mean() / ((subs[-2].x + added) ** 2).mean()
    pre, post = ([found[place, seed] for seed in range(3)] for place in ("pre", "post"))
    always_close(pre, 0.5 / 17, within=0.006)
    return {"32": 32, "3 %": np.mean(pre), "a third": np.array(post)}


@check
def scaled_layers_add_alike() -> Numbers:
    """We took the last layer's share of the mean square in 20 stacks of 32 layers that write less."""
    drawn = writing_less(stacks.drawn(32, False, stacks=20, d=16, n=8))
    found = []
    for place in ("pre", "post"):
        subs = stacks.forward(place, drawn)[0]
        added = subs[-1].kept[0] @ drawn.w2[:, -1]
        found.append((added**2).mean() / ((subs[-2].x + added) ** 2).mean())
    return {"below 2 %": (np.array(found), 0.02)}


# ---- in a trained model


@check
def late_layers_of_a_decoder() -> Numbers:
    """We took the stored lengths of the stream over 30 texts, and what a token costs without each layer."""
    found = evidence.read("decoder_blocks")
    length, cost = np.array(found["streams"]["median"]), found["without_block"]
    growth = (length[1:] / length[:-1]) ** 2 - 1
    return {
        "30": len(growth),
        "18 %": growth[-6:].min(),
        "1.5": cost["mean"][-1],
        "0.14": cost["of_layers"]["median"],
    }


@check
def trained_gains() -> Numbers:
    """We took the median gain of each norm of all-MiniLM-L6-v2, two in each of six layers."""
    norms = evidence.read("trained")["norms"]
    medians = [row["mid"] for block in ("attention", "feed_forward") for row in norms[f"gain_after_{block}"]]
    always_larger(1, medians)
    return {"0.51": min(medians), "0.72": max(medians)}


@check
def the_annotated_formula() -> Numbers:
    """We normalised a token of 512 features with d − 1, as that code does, and in the usual way."""
    x = np.random.default_rng(0).standard_normal(512)
    annotated = (x - x.mean()) / x.std(ddof=1)
    ratio = annotated / bare(x)
    same(ratio, np.full(512, np.sqrt(511 / 512)))
    return {"0.999": ratio[0]}


# ---- wrong answers


@check
def padding_can_be_left_out() -> Numbers:
    """In the lab we added padding, counted and left out, and then changed one word of sentence B, three times."""
    longer = {
        padding: NormalisationLab(padding=padding, first="dogs", padded_to=6) for padding in ("counted", "left_out")
    }
    words = [NormalisationLab(padding="left_out", first=word).series for word in ("wolves", "owls", "children")]
    cells = words[0]["cells_a"]
    same(longer["counted"].series["moved_a"], cells)
    same(longer["left_out"].series["moved_a"], 0)
    same([one["moved_a"] for one in words], cells)
    return {"12": cells}


@check
def layer_norm_sees_no_other_word() -> Numbers:
    """We normalised 50 sentences whole and each token alone, and compared lengths before and after."""
    x = np.random.default_rng(0).standard_normal((50, 6, 64)) * np.exp(
        np.random.default_rng(1).standard_normal((50, 6, 1))
    )
    for i in range(6):
        same(bare(x[:, i]), bare(x)[:, i])
    before, after = (np.linalg.norm(one, axis=-1) for one in (x, bare(x)))
    always_larger((before.max(1) / before.min(1)).mean(), 2)
    always_close(after, np.sqrt(64), within=1e-9)
    return {}


@check
def batch_norm_keeps_differences() -> Numbers:
    """We compared differences of 100 tokens before and after BatchNorm, and normalised one token in 100 sizes."""
    x = np.random.default_rng(0).standard_normal((10, 10, 8)) * np.exp(
        np.random.default_rng(1).standard_normal((10, 10, 1))
    )
    flat, out = x.reshape(-1, 8), batch(x).reshape(-1, 8)
    factors = (out[1:] - out[:-1]) / (flat[1:] - flat[:-1])
    always_close(factors / factors[0], 1, within=1e-6)
    token = np.random.default_rng(2).standard_normal(8)
    alike = bare(np.linspace(1, 10, 100)[:, None] * token + np.linspace(-5, 5, 100)[:, None])
    always_close(alike, alike[0], within=1e-9)
    return {"one": len(np.unique((factors / factors[0]).round(6)))}


@check
def not_a_normal_distribution(d: int = 512) -> Numbers:
    """We normalised a token with a single feature that is not zero."""
    spike = np.zeros(d)
    spike[7] = 3
    unit = bare(spike)
    always_close([unit.mean(), unit.var() - 1], 0, within=1e-12)
    always_larger((unit**4).mean(), 100)
    return {"22.6": unit.max()}


@check
def the_axis_is_not_all() -> Numbers:
    """We tried each of three consequences of the axis: another function, a leak from later words, a lone token."""
    rng = np.random.default_rng(0)
    x = 1 + 2 * rng.standard_normal((4, 5, 8))
    consequences = [
        abs(batch(x) - (x - 1) / 2).max() > 0.1 and abs(layer(x[:2]) - layer(x)[:2]).max() < 1e-12,
        moved(batch, x, with_another_word(rng, x, 0, 4))[0, :4].all()
        and not moved(layer, x, with_another_word(rng, x, 0, 4))[0, :4].any(),
        not batch(x[:1, :1]).any() and layer(x[:1, :1]).any(),
    ]
    return {"three": sum(map(bool, consequences))}


@check
def norms_of_a_decoder() -> Numbers:
    """We read the starts of 30 texts of our own, took the stream, and subtracted the mean in all norms."""
    found = evidence.read("decoder_blocks")
    length = found["streams"]["median"]
    return {
        "2.7": length[0],
        "840": length[-1],
        "0.09": found["norms"]["mean_removed"]["mean"],
        "30": found["read"]["start"]["texts"],
    }


@check
def at_six_layers_nothing_fades() -> Numbers:
    """We compared first and last in 2 times 40 post-norm encoders of 6 layers at d = 32, at each of three starts."""
    for seed in range(2):
        drawn = stacks.drawn(6, True, stacks=40, d=32, n=8, n_heads=4, seed=seed)
        for scaled in (drawn, as_in_pytorch(drawn), drawn._replace(attention=None)):
            always_close(np.median(first_to_last(scaled)), 1, within=0.35)
    return {"6": drawn.w1.shape[1], "32": drawn.w1.shape[2]}
