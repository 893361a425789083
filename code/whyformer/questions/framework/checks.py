"""The checks of the chapter: what its sentences say, tried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from whyformer.maths import softmax
from whyformer.maths.softmax import Array
from whyformer.model import Config, count_parameters, initial
from whyformer.model.layers import DecoderLayer, LayerNorm, MultiHead, causal, positions
from whyformer.model.transformer import Transformer
from whyformer.proof import Numbers, always_close, always_larger, check, clearly_larger, draws, holds, reporter, same
from whyformer.questions.framework.assembly_lab import AssemblyLab
from whyformer.questions.framework.follow_lab import FollowLab
from whyformer.questions.framework.wiring_lab import WiringLab

report = reporter(__name__)

SOURCE, TARGET = [3, 1, 4, 1, 5, 9, 2], [0, 6, 5, 3, 5]
#: As many words as in the source, so that any wire can be laid.
SEVEN = [*TARGET, *SOURCE][:7]
SIZES = ((16, 2), (32, 4), (48, 3))

Rows = Callable[[list[int]], Array]


def fresh(norm: str = "post") -> list[Transformer]:
    """Fresh models of three sizes, with two layers in each stack and 20 words."""
    kinds = [Config(d_model=d, n_heads=h, d_ff=2 * d, n_layers=2, vocabulary=20, norm=norm) for d, h in SIZES]
    return [initial(kind, np.random.default_rng(seed)) for seed, kind in enumerate(kinds)]


def moved(run: Rows, words: list[int], place: int, other: int = 7) -> list[int]:
    """Which rows of the result differ when one word is exchanged."""
    changed = [*words[:place], other, *words[place + 1 :]]
    return [int(row) for row in np.flatnonzero(abs(run(words) - run(changed)).max(-1) > 1e-12)]


def nudged(part: Callable[[Array], Array], x: Array) -> list[int]:
    """Which rows of a part's output differ when row 2 of its input does."""
    other = x.copy()
    other[2, ::2] += 1
    return [int(row) for row in np.flatnonzero(abs(part(other) - part(x)).max(-1) > 1e-12)]


def fed(model: Transformer) -> Array:
    """The source as vectors."""
    return model.embed(model.source, SOURCE)


def decoded(layer: DecoderLayer, y: Array, memory: Array) -> Array:
    """A layer of the decoder, written out."""
    y = layer.norm1(y + layer.attention(y, y, causal(len(y))))
    y = layer.norm2(y + layer.cross(y, memory))
    return layer.norm3(y + np.maximum(0, y @ layer.feed.up.weight) @ layer.feed.down.weight)


@check
def each_layer_adds() -> Numbers:
    """We wrote the layers of fresh models of three sizes as sums, x plus what a block computes, and compared."""
    for model in fresh():
        for layer in model.encoder:
            x = fed(model)
            y = layer.norm1(x + layer.attention(x, x))
            y = layer.norm2(y + np.maximum(0, y @ layer.feed.up.weight) @ layer.feed.down.weight)
            always_close(layer(x), y, within=1e-12)
            holds(y.shape == x.shape == (7, model.config.d_model))
        y, memory = model.embed(model.target, TARGET), model.encode(SOURCE)
        for step in model.decoder:
            always_close(step(y, memory, causal(5)), decoded(step, y, memory), within=1e-12)
            y = step(y, memory, causal(5))
            holds(y.shape == (5, model.config.d_model))
    return {}


@check
def attention_alone_mixes_positions() -> Numbers:
    """We changed one row of a block's input: attention moved all rows, a feed-forward network and a norm that one."""
    for model in fresh():
        for layer in model.encoder:
            x = fed(model)
            holds(nudged(lambda z, part=layer.attention: part(z, z), x) == list(range(7)))  # type: ignore[misc]
            norm = layer.norm1._replace(epsilon=1)
            holds(nudged(lambda z, part=layer.feed: part(z), x) == [2])  # type: ignore[misc]
            holds(nudged(lambda z, part=norm: part(z), x) == [2])  # type: ignore[misc]
    return {}


@check
def attention_by_formula() -> Numbers:
    """We computed each head of three fresh models by the formula and compared, in self- and in cross-attention."""
    for model in fresh():
        x, y = fed(model), model.embed(model.target, TARGET)
        for attention, asks, told in ((model.encoder[0].attention, x, x), (model.decoder[0].cross, y, x)):
            d_k = model.config.d_model // attention.n_heads
            outputs = []
            for head in range(attention.n_heads):
                columns = slice(d_k * head, d_k * head + d_k)
                Q, K, V = (
                    rows @ part.weight[:, columns]
                    for rows, part in ((asks, attention.q), (told, attention.k), (told, attention.v))
                )
                weights = softmax(Q @ K.T / np.sqrt(d_k))
                holds(Q.shape == (len(asks), d_k) and weights.shape == (len(asks), len(told)))
                always_close(weights.sum(1), 1, within=1e-12)
                outputs.append(weights @ V)
            beside = np.concatenate(outputs, axis=1)
            always_close(beside @ attention.o.weight, attention(asks, told), within=1e-12)
    return {}


@check
def vectors_become_logits() -> Numbers:
    """We took what leaves the last layer of three fresh models times the table, and compared with their logits."""
    for model in fresh():
        y = model.embed(model.target, TARGET)
        always_close(y, np.sqrt(model.config.d_model) * model.target[TARGET] + positions(5, y.shape[1]), within=1e-12)
        for layer in model.decoder:
            y = layer(y, model.encode(SOURCE), causal(5))
        always_close(y @ model.target.T, model(SOURCE, TARGET), within=1e-12)
        holds((y @ model.target.T).shape == (5, 20))
    return {}


@check
def one_pass_trains_all_positions() -> Numbers:
    """We compared the logits of one pass with those of a pass for each beginning, and exchanged every later word."""
    for norm in ("post", "pre"):
        for model in fresh(norm):
            at_once = model(SOURCE, TARGET)
            one_by_one = [model(SOURCE, TARGET[: t + 1])[-1] for t in range(5)]
            always_close(at_once, one_by_one, within=1e-12)
            for place in range(5):
                seen = moved(lambda words, one=model: one(SOURCE, words), TARGET, place)  # type: ignore[misc]
                holds(seen == list(range(place, 5)), seen=seen)
    return {}


@check
def passes_of_writing(most: int = 12) -> Numbers:
    """We let fresh models write greedily and counted how often encoder and decoder ran."""
    counts = np.zeros(2, int)

    class Counted(Transformer):
        def encode(self, *args: Any, **kwargs: Any) -> Array:
            counts[0] += 1
            return super().encode(*args, **kwargs)

        def decode(self, *args: Any, **kwargs: Any) -> Array:
            counts[1] += 1
            return super().decode(*args, **kwargs)

    for model in fresh():
        counts[:] = 0
        words = Counted(*model).greedy(SOURCE, start=0, end=99, most=most)
        holds(counts[1] == len(words) == most, words=len(words))
        holds(counts[0] == 1, encoded=counts[0])
    once = int(counts[0])
    for model in fresh():
        kept = [Counted(*model).encode(SOURCE) for _ in (TARGET, [7], SEVEN)]
        holds(all(np.array_equal(one, kept[0]) for one in kept))
    return {"one": once}


def stepped(layer: DecoderLayer, row: Array, past: list[Any], memory: Array) -> Array:
    """One new row through a layer of the decoder: keys and values of earlier rows are kept in ``past``."""
    attention = layer.attention
    for kept, part in zip((0, 1), (attention.k, attention.v), strict=True):
        past[kept] = np.concatenate([past[kept], part(row)])
    q, k, v = (attention.split(one) for one in (attention.q(row), *past))
    weights = softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))
    y = layer.norm1(row + attention.o(attention.merge(weights @ v)))
    y = layer.norm2(y + layer.cross(y, memory))
    return layer.norm3(y + layer.feed(y))


@check
def a_cache_changes_no_number() -> Numbers:
    """We fed one token at a time, kept keys and values, and compared the logits with those of whole passes."""
    for model in fresh():
        d, memory = model.config.d_model, model.encode(SOURCE)
        pasts = [[np.zeros((0, d)), np.zeros((0, d))] for _ in model.decoder]
        rows = model.embed(model.target, TARGET)
        for t in range(5):
            row = rows[t : t + 1]
            for layer, past in zip(model.decoder, pasts, strict=True):
                row = stepped(layer, row, past, memory)
            always_close(row @ model.output.T, model(SOURCE, TARGET[: t + 1])[-1:], within=1e-11)
        holds(all(past[0].shape == past[1].shape == (5, d) for past in pasts))
    return {}


def written(model: Transformer, guesses: Callable[[int], list[int]], most: int) -> tuple[list[int], int]:
    """What the model writes if each pass checks the guesses for the places from the one given on; and its passes."""
    words: list[int] = []
    passes = 0
    while len(words) < most:
        guessed = guesses(len(words))[: most - len(words) - 1]
        choices = model(SOURCE, [0, *words, *guessed]).argmax(1)[len(words) :]
        kept = 0
        while kept < len(guessed) and guessed[kept] == choices[kept]:
            kept += 1
        words += [int(word) for word in choices[: kept + 1]]
        passes += 1
    return words, passes


@check
def guesses_are_checked_in_one_pass(most: int = 12, guesses: int = 3) -> Numbers:
    """We let models write with guesses that were right, wrong, half right or another model's, and counted passes."""
    tables = [rng.standard_normal((20, model.config.d_model)) for model, rng in zip(fresh(), draws(3), strict=True)]
    models = [model._replace(output=table) for model, table in zip(fresh(), tables, strict=True)]
    texts = [model.greedy(SOURCE, start=0, end=99, most=most) for model in models]
    holds(any(len(set(text)) > 1 for text in texts), texts=texts)
    found = []
    for model, text, others in zip(models, texts, [*texts[1:], texts[0]], strict=True):
        wrong = [(word + 1) % 20 for word in text]
        half = [one if place % 2 else other for place, (one, other) in enumerate(zip(wrong, text, strict=True))]
        passes = []
        for source in (text, wrong, half, others):
            words, count = written(model, lambda at, source=source: source[at : at + guesses], most)  # type: ignore[misc]
            holds(words == text, words=words)
            passes.append(count)
        holds(passes[0] <= passes[2] <= passes[1] and passes[0] <= passes[3] <= passes[1], passes=passes)
        found.append(passes)
    holds(all(one[:2] == found[0][:2] for one in found))
    return {"12": found[0][1], "3": found[0][0]}


@check
def shapes_of_the_base_model() -> Numbers:
    """We built one layer of each stack at the size of the base model and looked at the shape of every tensor."""
    base = Config(n_layers=1, vocabulary=1000)
    model, d, n, m = initial(base, np.random.default_rng(0), np.float32), base.d_model, 5, 7
    layer, y = model.decoder[0], model.embed(model.target, TARGET)
    heads = layer.attention.heads(y, y, causal(n))
    crossed = layer.cross.heads(y, model.encode(SOURCE))
    holds(y.shape == (n, d) and layer.attention.q.weight.shape == (d, base.n_heads * 64))
    holds(heads.q.shape == heads.k.shape == heads.v.shape == heads.output.shape == (8, n, 64))
    holds(heads.weights.shape == (8, n, n) and crossed.weights.shape == (8, n, m))
    holds(layer.attention.merge(heads.output).shape == (n, d) and layer.attention.o.weight.shape == (d, d))
    holds(layer.feed.up(y).shape == (n, base.d_ff) and layer.feed(y).shape == (n, d))
    holds(model(SOURCE, TARGET).shape == (n, 1000))
    return {"512": d, "64": heads.q.shape[-1], "8": base.n_heads, "2,048": base.d_ff}


@check
def order_without_positions() -> Numbers:
    """We shuffled the rows that enter an encoder layer of three models, without and with positions."""
    for model, rng in zip(fresh(), draws(3), strict=True):
        layer, words, order = model.encoder[0], model.source[SOURCE], rng.permutation(7)
        always_close(layer(words)[order], layer(words[order]), within=1e-12)
        with_places = fed(model)
        shuffled = words[order] * np.sqrt(words.shape[1]) + positions(7, words.shape[1])
        always_larger(abs(layer(with_places)[order] - layer(shuffled)).max(), 0.1)
    return {}


def alike(x: Array) -> float:
    """The mean cosine between different rows."""
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    return float((x @ x.T)[~np.eye(len(x), dtype=bool)].mean())


#: Variance of W_Q, W_K and W_V, and of W_O, at width d; BERT's is 0.02² at 768, with the same effect at other widths.
STARTS: dict[str, Callable[[int], tuple[float, float]]] = {
    "Glorot": lambda d: (1 / d, 1 / d),
    "PyTorch": lambda d: (1 / (2 * d), 1 / (3 * d)),
    "BERT": lambda d: (0.02**2 * 768 / d, 0.02**2 * 768 / d),
}


def after(start: str, n: int, width: int, layers: int, seed: int, sums: bool = True) -> float:
    """How alike n random tokens are after so many fresh post-norm layers of attention."""
    rng = np.random.default_rng([seed, n])
    before, behind = STARTS[start](width)
    norm = LayerNorm(np.ones(width, np.float32), np.zeros(width, np.float32))
    x = norm(rng.standard_normal((n, width), dtype=np.float32))

    def times(rows: Array, variance: float) -> Array:
        return rows @ rng.standard_normal((width, width), dtype=np.float32) * np.float32(np.sqrt(variance))

    heads = MultiHead(max(4, width // 64), *[None] * 4)  # type: ignore[arg-type]  # it only splits and merges
    for _ in range(layers):
        q, k, v = (heads.split(times(x, before)) for _ in range(3))
        mixed = softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])) @ v
        y = times(heads.merge(mixed), behind)
        x = norm(x + y if sums else y)
    return alike(x)


@check
def without_sums_tokens_become_alike(layers: int = 4, n: int = 12) -> Numbers:
    """We sent 4, 12 and 50 random tokens through four fresh attentions without the sums, from three starts."""
    for start in STARTS:
        for tokens in (4, n, 50):
            always_larger([after(start, tokens, 64, layers, seed, sums=False) for seed in range(3)], 0.95)
    return {"three": len(STARTS), "0.95": 0.95}


@check
def the_start_decides_how_alike(layers: int = 12, n: int = 12) -> Numbers:
    """We sent 12 random tokens of width 64 and 128 through twelve fresh post-norm attentions, from three starts."""
    found = {
        start: [after(start, n, width, layers, seed) for width in (64, 128) for seed in range(3)] for start in STARTS
    }
    always_larger(found["Glorot"], 0.95)
    always_larger(0.6, found["PyTorch"] + found["BERT"])
    return {"0.95": 0.95, "0.6": 0.6, "0.02": 0.02, "768": 768}


@check
def attention_is_linear_in_the_values() -> Numbers:
    """We held the attention weights fixed and mixed sums of two inputs; and put sums into the feed-forward network."""
    for model, rng in zip(fresh(), draws(3), strict=True):
        layer, (one, other, third) = model.encoder[0], rng.standard_normal((3, 7, model.config.d_model))
        heads, held = layer.attention, layer.attention.heads(third, third).weights

        def mix(rows: Array, heads: MultiHead = heads, held: Array = held) -> Array:
            return heads.o(heads.merge(held @ heads.split(heads.v(rows))))

        always_close(mix(one + 2 * other), mix(one) + 2 * mix(other), within=1e-9)
        feed = layer.feed
        always_larger(abs(feed(one + other) - feed(one) - feed(other)).max(), 0.1)
    return {}


def parameters(V: int, biased: bool, d: int = 512, f: int = 2048, N: int = 6) -> int:
    """Of the Transformer of 2017 with one table, with or without biases in attention."""
    attention = 4 * d * d + biased * 4 * d
    return 3 * N * attention + 2 * N * (2 * d * f + f + d) + 5 * N * 2 * d + V * d


@check
def the_bill_of_the_base_model(V: int = 40_960) -> Numbers:
    """We counted by formula, and compared with the arrays of a small model that was built."""
    small = Config(d_model=32, n_heads=4, d_ff=64, n_layers=2, vocabulary=20)
    built = count_parameters(initial(small, np.random.default_rng(0)))
    same(built, parameters(20, False, d=32, f=64, N=2))
    same(AssemblyLab(vocabulary=V).series["millions"] * 1e6, parameters(V, biased=False))
    return {"40,960": V, "65,110,016": parameters(V, biased=True)}


@check
def who_holds_the_parameters() -> Numbers:
    """We added up the blocks of the base model, with 37,000 and with 40,960 tokens."""
    for vocabulary in (37_000, 40_960):
        series = AssemblyLab(vocabulary=vocabulary).series
        clearly_larger(series["feed_parameters"], series["attention_parameters"])
    one = {block: AssemblyLab(block=block).series["one_parameters"] for block in ("feed_forward", "self_attention")}
    always_close(one["feed_forward"] / one["self_attention"], 2, within=0.01)
    return {"39 %": series["feed_parameters"] / 100, "29 %": series["attention_parameters"] / 100}


def flops(n: int, block: str) -> float:
    """Operations of one block of the base model for n tokens."""
    lab = AssemblyLab.compute(
        kind="both", block=block, d_model=512, n_heads=8, d_ff=2048, n_layers=6, vocabulary=37_000, n_tokens=n
    )
    return float(lab["one_flops"])


@check
def where_length_takes_over(d_ff: int = 2048) -> Numbers:
    """We counted operations by block and length, and looked where the part that grows with the square catches up."""

    def squared(n: int) -> float:
        return flops(2 * n, "self_attention") / 2 - flops(n, "self_attention")

    same(squared(d_ff), flops(d_ff, "feed_forward"))
    always_larger(flops(d_ff - 1, "feed_forward"), squared(d_ff - 1))
    always_larger(squared(d_ff + 1), flops(d_ff + 1, "feed_forward"))
    return {}


@check
def where_all_attentions_work_more() -> Numbers:
    """We compared all 18 attentions, projections included, with all 12 feed-forward networks, at every length."""
    ahead = [n for n in range(1, 2048) if 18 * flops(n, "self_attention") > 12 * flops(n, "feed_forward")]
    holds(ahead == list(range(ahead[0], 2048)))
    return {"18": 18, "12": 12, "342": ahead[0]}


@check
def bert_from_the_same_parts() -> Numbers:
    """We added what BERT base has beside our encoder: positions, sentence marks, biases, a LayerNorm, a pooler."""
    d = 768
    sizes: dict[str, Any] = {"d_model": d, "n_heads": 12, "d_ff": 3072, "n_layers": 12, "vocabulary": 30522}
    ours = AssemblyLab(kind="encoder", **sizes).series["millions"] * 1e6
    extra = (512 + 2) * d + 12 * 4 * d + 2 * d + (d * d + d)
    same(ours + extra, 109_482_240)
    return {"108.5": ours / 1e6, "109.5": (ours + extra) / 1e6}


@check
def where_minilm_has_its_parameters() -> Numbers:
    """We counted all-MiniLM-L6-v2 by its sizes; a test counts the arrays themselves."""
    d, f, V = 384, 1536, 30522
    attention, feed, norms = 4 * (d * d + d), 2 * d * f + f + d, 2 * 2 * d
    layers = 6 * (attention + feed + norms)
    total = V * d + (512 + 2) * d + 2 * d + layers
    return {"22.6": total / 1e6, "52 %": V * d / total, "47 %": layers / total, "two thirds": 6 * feed / layers}


@check
def where_smollm2_has_its_parameters(V: int = 49_152, d: int = 576, f: int = 1536, layers: int = 30) -> Numbers:
    """We counted by the configuration: 9 query heads and 3 of keys and values, of 64 numbers, three gated matrices."""
    attention = layers * (2 * d * 9 * 64 + 2 * d * 3 * 64)
    feed, norms, table = layers * 3 * d * f, (2 * layers + 1) * d, V * d
    total = attention + feed + norms + table
    return {"134.5": total / 1e6, "59 %": feed / total, "21 %": table / total, "20 %": attention / total}


@check
def caches_of_two_models() -> Numbers:
    """We multiplied keys and values, layers, heads and numbers by the configuration of Llama 3 8B."""
    layers, heads, kept, d_k = 32, 32, 8, 128
    grouped, each = 2 * layers * kept * d_k, 2 * layers * heads * d_k
    return {"65,536": grouped, "32": heads, "8": kept, "262,144": each, "a quarter": (grouped, each)}


@check
def what_it_fetches() -> Numbers:
    """We read off the lab: the weights of “it” at its opening state, and not divided."""
    divided, bare = FollowLab().series, FollowLab(divisor="1").series
    weights = divided["weights"]
    always_close(divided["dots"], [4, 0, 0], within=1e-12)
    return {"79 %": weights[0], "11 %": weights[1], "96 %": bare["weights"][0]}


def slipped(
    model: Transformer,
    words: list[int],
    told: list[int] = SOURCE,
    mask: Array | None = None,
    keys: str = "encoder",
    values: str = "encoder",
    norm: Callable[[Array], Array] | None = None,
) -> Array:
    """The output of the first decoder layer, as it should be or with a slip; ``told`` is the source."""
    layer, y, memory = model.decoder[0], model.embed(model.target, words), model.encode(told)
    y = (norm or layer.norm1)(y + layer.attention(y, y, causal(len(y)) if mask is None else mask))
    weights = layer.cross.heads(y, memory if keys == "encoder" else y).weights
    mixed = weights @ layer.cross.split(layer.cross.v(memory if values == "encoder" else y))
    y = layer.norm2(y + layer.cross.o(layer.cross.merge(mixed)))
    return layer.norm3(y + layer.feed(y))


@check
def a_leak_moves_an_earlier_output() -> Numbers:
    """We put three slips into a decoder layer of three models, exchanged each word, and looked which rows move."""
    slips: dict[str, dict[str, Any]] = {
        "a mask": {"mask": np.tri(7, k=1, dtype=bool)},
        "a wire": {"values": "decoder"},
        "a norm over positions": {"norm": lambda y: (y - y.mean(0)) / (y.std(0) + 1e-5)},
    }
    for model in fresh():
        whole = model.decoder[0](model.embed(model.target, SEVEN), model.encode(SOURCE), causal(7))
        always_close(slipped(model, SEVEN), whole, within=1e-12)
        for place in range(7):
            sound = moved(lambda words, one=model: slipped(one, words), SEVEN, place)  # type: ignore[misc]
            holds(min(sound) == place, sound=sound)
        for slip in slips.values():
            for place in range(1, 7):
                rows = moved(
                    lambda words, one=model, its=slip: slipped(one, words, **its),  # type: ignore[misc]
                    SEVEN,
                    place,
                )
                holds(min(rows) < place, rows=rows)
    return {}


@check
def cross_attention_from_the_decoder() -> Numbers:
    """We took keys and values of cross-attention from the decoder and turned the source around."""
    for model in fresh():
        wrong = [slipped(model, SEVEN, told, keys="decoder", values="decoder") for told in (SOURCE, SOURCE[::-1])]
        same(wrong[0], wrong[1])
        right = [slipped(model, SEVEN, told) for told in (SOURCE, SOURCE[::-1])]
        always_larger(abs(right[0] - right[1]).max(), 1e-3)
    always_close(WiringLab(mask="causal", memory="decoder").series["reach"][:, :4], 0, within=1e-12)
    return {}


def product(model: Transformer, words: list[int]) -> Array | None:
    """Weights of the first cross-attention times values from the decoder, if there is such a product."""
    layer, y = model.decoder[0], model.embed(model.target, words)
    weights = layer.cross.heads(y, model.encode(SOURCE)).weights
    values = layer.cross.split(layer.cross.v(y))
    try:
        return layer.cross.merge(weights @ values)
    except ValueError:
        return None


@check
def values_from_the_decoder() -> Numbers:
    """We took values of cross-attention from targets of 2 to 9 tokens, with a source of 7."""
    for model in fresh():
        for n in (2, 3, 5, 7, 9):
            found = product(model, [*SEVEN, 3, 8][:n])
            holds((found is None) == (n != 7), n=n)
        later = moved(lambda words, one=model: product(one, words), SEVEN, 6)  # type: ignore[misc,arg-type]
        holds(later == list(range(7)), later=later)
    return {}


@check
def a_mask_belongs_before_the_softmax() -> Numbers:
    """We hid keys of 100 random rows in both ways and added up the weights that are left."""
    rng = np.random.default_rng(2)
    scores, seen = rng.standard_normal((100, 6)), np.arange(6) < rng.integers(1, 6, 100)[:, None]
    always_larger(0.999, (softmax(scores) * seen).sum(1))
    before = softmax(np.where(seen, scores, -np.inf))
    holds((before[~seen] == 0).all())
    always_close(before.sum(1), 1, within=1e-12)
    after = softmax(scores) * seen
    always_close(after / after.sum(1, keepdims=True), before, within=1e-12)
    return {}


@check
def where_the_norm_stands(depth: int = 24, width: int = 64) -> Numbers:
    """We took the root mean square after each of 24 fresh encoder layers, in four models of either kind."""
    scales: dict[str, list[list[float]]] = {"post": [], "pre": []}
    for norm, seed in [(norm, seed) for norm in scales for seed in range(4)]:
        config = Config(d_model=width, n_heads=4, d_ff=4 * width, n_layers=depth, vocabulary=50, norm=norm)
        model = initial(config, np.random.default_rng(seed))
        x, found = model.embed(model.source, np.arange(20)), []
        for layer in model.encoder:
            x = layer(x, pre=norm == "pre")
            found.append(float(np.sqrt((x**2).mean())))
        scales[norm].append(found)
    always_close(scales["post"], 1, within=1e-3)
    always_larger(np.diff([one[::4] for one in scales["pre"]]), 0)
    ends = [one[-1] for one in scales["pre"]]
    always_close(ends, 5, within=0.5)
    return {"1": scales["post"][0][-1], "5": np.mean(ends)}
