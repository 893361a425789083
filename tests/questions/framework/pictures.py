"""What each panel and mark of the labs on the framework shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Bars, Diagram, Grid, Intervals, Plot, Text, Texts
from whyformer.lab.words import t
from whyformer.questions.framework.blocks import BLOCKS

# ---- assembly

# From the bottom up, with a second name where a block stands twice: what an add & norm adds to.
BELOW = ["embedding", "positions"]
FEED = ["feed_forward", "add_norm of feed_forward"]
ENCODER = ["self_attention", "add_norm of self_attention", *FEED]
CROSS = ["cross_attention", "add_norm of cross_attention"]
MASKED = ["masked_attention", "add_norm of masked_attention"]
LAYERS = {
    "both": {"encoder": ENCODER, "decoder": [*MASKED, *CROSS, *FEED]},
    "encoder": {"encoder": ENCODER},
    "decoder": {"decoder": [*MASKED, *FEED]},
}


def stacks(c):
    """All blocks of each stack. The last stack, which guesses words, has an output."""
    layers = LAYERS[c["kind"]]
    return {name: [*BELOW, *layer, *["output"] * (name == [*layers][-1])] for name, layer in layers.items()}


def kind_of(box):
    """Which of the eight blocks it is."""
    return box.split()[1]


def blocks(c):
    return [f"{stack} {block}" for stack, some in stacks(c).items() for block in some]


def boxes(s, c):
    frames = {f"{stack} layer": "" for stack in stacks(c)}
    return {box: BLOCKS[kind_of(box)].name for box in blocks(c)} | frames


def wires(s, c):
    """Up from block to block; past each sub-layer, from what goes into it to what adds; the encoder's output."""
    found = {}
    for stack, some in stacks(c).items():
        for below, block in zip(some[:-1], some[1:], strict=True):
            found[f"{stack} into {block}"] = (f"{stack} {below}", f"{stack} {block}")
            if block.startswith("add_norm of"):
                found[f"{stack} past {below}"] = (f"{stack} into {below}", f"{stack} {block}")
    if c["kind"] == "both":
        found["K, V"] = ("encoder add_norm of feed_forward", "decoder cross_attention")
    return found


def labels(s, c):
    found = {f"{stack} times": (f"{c['n_layers']} ×", f"{stack} layer") for stack in stacks(c)}
    return found | ({"K, V: name": ("K, V", "K, V")} if c["kind"] == "both" else {})


def wires_look(accent, plain):
    return lambda s, c: {name: accent if name == "K, V" else plain for name in wires(s, c)}


def sizes(s, c):
    d_k = c["d_model"] // c["n_heads"]
    gaps = {**c, "d_k": d_k, "width": c["n_heads"] * d_k}
    times = s["instances"][list(BLOCKS).index(c["block"])]
    return [
        *([what, t(shape, **gaps)] for what, shape in BLOCKS[c["block"]].shapes),
        ["parameters of one", t("{v:,.0f}", v=s["one_parameters"])],
        ["operations of one", t("{v:.3g}", v=s["one_flops"])],
        ["how many", t("{v:.0f}", v=times) if times else "none in this model"],
    ]


def shares(name, title):
    def rows(s, c):
        named = zip(BLOCKS.values(), s[name] / s[name].sum(), strict=True)
        return [title(s), *([block.name, t("{v:.1f} %", v=100 * share)] for block, share in named)]

    def chosen(s, c):
        return next(row for row in rows(s, c)[1:] if row[0] == BLOCKS[c["block"]].name)

    return Text(
        rows,
        bars=lambda s, c: s[name] / s[name].sum(),
        colours=lambda s, c: ["ink" if block == c["block"] else "soft" for block in BLOCKS],
        bold=lambda s, c: [title(s), *chosen(s, c)],
    )


def said(field, **more):
    return Text(lambda s, c: [getattr(BLOCKS[c["block"]], field)], **more)


def heads(s, c):
    h, d = c["n_heads"], c["d_model"]
    share = "head of dₖ = {d_k} has" if h == 1 else "heads of dₖ = {d_k} share"
    return [f"{h} {share.format(d_k=d // h)} the {d} columns of each attention matrix."]


def refused(s, c):
    h, d = c["n_heads"], c["d_model"]
    return [
        f"{d} is not a multiple of {h} heads: with dₖ = {d // h} the heads cover {d // h * h}. Most code refuses this."
    ]


ASSEMBLY = {
    "model": Diagram(
        boxes,
        wires,
        near=0.05,
        pressed=lambda s, c: [box for box in blocks(c) if kind_of(box) == c["block"]],
        labels=labels,
        holds=lambda s, c: {
            f"{stack} layer": [f"{stack} {block}" for block in layer] for stack, layer in LAYERS[c["kind"]].items()
        },
        looks=lambda s, c: {box: "frame" if box.endswith("layer") else "block" for box in boxes(s, c)},
        thick=wires_look(0.18, 0.11),
        colours=lambda s, c: (
            wires_look("ink", "soft")(s, c)
            | {label: "ink" if label == "K, V: name" else None for label in labels(s, c)}
        ),
    ),
    "block": said("name", tone="title"),
    "question": said("question", tone="question"),
    "formula": said("formula", tone="formula"),
    "sizes": Text(sizes),
    "says": said("says", tone="plain"),
    "chapter": Text(
        lambda s, c: ["It has a chapter:", BLOCKS[c["block"]].chapter_title],
        links=lambda s, c: [BLOCKS[c["block"]].chapter + ".html"],
        when=lambda s, c: BLOCKS[c["block"]].chapter,
    ),
    "left over": Text(refused, tone="warning", when=lambda s, c: c["d_model"] % c["n_heads"]),
    "heads": Text(heads, tone="hint"),
    "parameters": shares("parameters", lambda s: t("parameters: {v:,.4g} million", v=s["parameters"].sum() / 1e6)),
    "operations": shares("flops", lambda s: t("operations: {v:,.4g} billion", v=s["flops"].sum() / 1e9)),
}

# ---- wiring

SOURCE = ["ich", "bin", "sehr", "müde"]
TARGET = ["‹s›", "I", "am", "very", "tired"]
WORDS = [*SOURCE, *TARGET, "hungry", "hungrig", "‹/s›"]


def leaks(s, c, i, j):
    """Output i comes after word i of the target; whatever moves it from further on is the future."""
    return j - len(SOURCE) > i and s["reach"][i, j] > 0


def frame(s, c, i, j):
    if (i, j) == (c["position"] - 1, c["changed"] - 1):
        return "ink"
    return "score" if leaks(s, c, i, j) else None


def any_leak(s, c):
    return any(leaks(s, c, i, j) for i in range(5) for j in range(9))


def faults(s, c):
    sees = ["Framed: an output sees words that come after it. It could copy its own answer."] * any_leak(s, c)
    reads = s["reach"][:, : len(SOURCE)].any()
    blind = [] if reads else ["Source columns are 0: this model translates without reading."]
    return [*sees, *blind] or ["As it should be: every source word counts, and no word that comes later."]


def exchanged(s, c):
    word = (SOURCE + TARGET)[c["changed"] - 1]
    other = "hungrig" if word in SOURCE else "hungry"
    return f"Next word after “{TARGET[c['position'] - 1]}”, when {word} becomes {other}"


def probabilities(colour, name, low, high):
    """Lying bars from 0, one for each word, in the upper or the lower half of its slot."""
    at = np.arange(len(WORDS))
    return Intervals(
        colour, look=["solid"], x1=np.zeros(len(WORDS)), x2=lambda s, c: s[name], y1=at + low, y2=at + high
    )


def moved(s):
    return t("exchanged: moved by {v:.0f} %", v=50 * np.abs(s["after"] - s["before"]).sum())


WIRING = {
    "reach": Grid(
        title="How far each output moves, in %",
        groups=[("source", 4), ("target so far", 5)],
        columns=SOURCE + TARGET,
        rows=[f"after {word}" for word in TARGET],
        text=lambda s, c, i, j: t("{v:.0f}", v=100 * s["reach"][i, j]),
        tint=lambda s, c, i, j: "score" if leaks(s, c, i, j) else "soft",
        strength=lambda s, c, i, j: np.sqrt(s["reach"][i, j]) / 2,
        frame=frame,
        bold=leaks,
    ),
    "verdict": Text(faults, tone=lambda s, c: "hint" if faults(s, c)[0].startswith("As it should be") else "warning"),
    "next word": Plot(
        title=exchanged,
        x=Axis(0, 1),
        y=Axis(-0.5, 11.5, "cells", ticks=WORDS),
        marks={
            "as it is": probabilities("soft", "before", -0.39, -0.02),
            "exchanged": probabilities("score", "after", 0.02, 0.39),
        },
    ),
    "legend": Text(lambda s, c: ["as it is", moved(s)], colours=lambda s, c: ["soft", "score"]),
}


TOKENS, NEXT = ["cat", "sat", "it"], ["purred", "creaked", "rained"]
MEANINGS = ["animal", "action", "pronoun", "place"]
STATIONS = ["embed", "q · k", "softmax", "add", "FFN", "logits"]


def fits(s, c):
    return int(np.argmax(s["dots"])) if np.max(s["dots"]) > 0 else None


def spaced(values):
    return " ".join(f"{value:.0f}" for value in values)


def under(s, c):
    """Labels of the match: heads, the numbers of query and keys below them, and the scores."""
    return {
        "head of query": "query",
        "head of keys": "keys",
        "head of scores": "score",
        "numbers of query": (spaced(s["q"]), "query"),
        **{f"numbers of {word}": (spaced(s["k"][j]), f"key of {word}") for j, word in enumerate(TOKENS)},
        **{f"score of {word}": (f"{s['dots'][j]:.0f}", f"key of {word}") for j, word in enumerate(TOKENS)},
    }


def roles(s, c):
    return {
        "query": "query",
        **{f"key of {word}": "key" for word in TOKENS},
        "numbers of query": "query",
        **{f"numbers of {word}": "key" for word in TOKENS},
        **{f"score of {word}": "score" for word in TOKENS},
    }


def change(title, before, after):
    """Three numbers of the word: what came in as outlines, what goes out as bars."""
    return Plot(
        title=title,
        x=Axis(-0.5, 2.5, "cells", ticks=MEANINGS[:3]),
        y=Axis(0, 1.6),
        marks={
            "in": Bars("ink", look=["hollow"], x=lambda s, c: range(3), y=lambda s, c: before(s)[:3], width=0.7),
            "out": Bars(
                "value",
                x=lambda s, c: range(3),
                y=lambda s, c: after(s)[:3],
                width=0.5,
                numbers=lambda s, c: [t("{v:.2f}", v=v) for v in after(s)[:3]],
            ),
        },
    )


def shares(values):
    return [f"{int(100 * v + 0.5)}\u00a0%" for v in values]


FOLLOW = {
    "road": Diagram(
        lambda s, c: {**{name: name for name in STATIONS}, "it": "it"},
        {f"to {two}": (one, two) for one, two in zip(STATIONS[:-1], STATIONS[1:], strict=True)},
        near=0.05,
        pressed=lambda s, c: [STATIONS[c["station"] - 1]],
        looks=lambda s, c: {**{name: "block" for name in STATIONS}, "it": "tag"},
        colours=lambda s, c: {"it": "query"},
        beside=lambda s, c: {"it": STATIONS[c["station"] - 1]},
    ),
    "vectors": Grid(
        title="The words as vectors: table and place",
        columns=MEANINGS,
        rows=TOKENS,
        text=lambda s, c, i, j: f"{s['x'][i, j]:.0f}",
        tint=lambda s, c, i, j: "ink",
        strength=lambda s, c, i, j: 0.2 if j < 3 and s["x"][i, j] else 0,
        bold=lambda s, c, i, j: i == 2,
    ),
    "match": Diagram(
        lambda s, c: {
            "query": f"it: {c['wish']}?",
            **{f"key of {word}": f"{word}: {MEANINGS[j]}" for j, word in enumerate(TOKENS)},
        },
        {},
        labels=under,
        looks=lambda s, c: {"query": "tag", **{f"key of {word}": "notch" for word in TOKENS}},
        colours=roles,
        bold=lambda s, c: ["head of query", "head of keys", "head of scores", *(f"score of {word}" for word in TOKENS)],
        beside=lambda s, c: {"query": None if fits(s, c) is None else f"key of {TOKENS[fits(s, c)]}"},
    ),
    "weights": Plot(
        title="Weights that it gives",
        x=Axis(2, 3, "words", ticks=TOKENS),
        y=Axis(0, 1),
        marks={
            "not divided": Bars(
                "soft",
                look=["dashed"],
                when=lambda s, c: c["divisor"] != "1",
                x=lambda s, c: range(3),
                y=lambda s, c: s["weights_raw"],
            ),
            "most, not divided": Texts(
                "soft",
                when=lambda s, c: c["divisor"] != "1" and c["wish"] != "nothing",
                x=lambda s, c: [s["weights_raw"].argmax()],
                y=lambda s, c: [s["weights_raw"].max()],
                texts=lambda s, c: [f"{shares([s['weights_raw'].max()])[0]} not divided"],
            ),
            "weights": Bars(
                "score",
                x=lambda s, c: range(3),
                y=lambda s, c: s["weights"],
                numbers=lambda s, c: shares(s["weights"]),
            ),
        },
    ),
    "attention": change("it: what attention adds", lambda s: s["x"][2], lambda s: s["summed"]),
    "feed-forward": change("it: what the feed-forward network adds", lambda s: s["summed"], lambda s: s["out"]),
    "next": Plot(
        title="cat sat it …: the next word",
        x=Axis(-0.5, 2.5, "cells", ticks=NEXT),
        y=Axis(0, 1),
        marks={
            "probabilities": Bars(
                "score",
                x=lambda s, c: range(3),
                y=lambda s, c: s["probabilities"],
                numbers=lambda s, c: shares(s["probabilities"]),
            )
        },
    ),
}

PICTURES = {"assembly": ASSEMBLY, "follow": FOLLOW, "wiring": WIRING}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "assembly": {
        **{f"{which}_parameters": "parameters" for which in ("attention", "feed")},
        **{f"{which}_flops": "flops" for which in ("attention", "feed")},
    },
    "follow": {
        "best": "dots",
        "fits": "dots",
        "largest": "weights",
        "largest_raw": "weights_raw",
        "animal": "summed",
        "hidden": ("summed", "out"),
        "grown": "out",
        "likeliest": "probabilities",
        "winner": "probabilities",
    },
    "wiring": {"leak": "reach", "from_source": "reach"},
}
