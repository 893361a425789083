"""What each panel and mark of the labs on the framework shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Diagram, Grid, Intervals, Plot, Text
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


def followed(c):
    return c[("first", "second", "third")[c["token"] - 1]]


def sentence(c):
    return [c["first"], c["second"], c["third"]]


def layer_grid(title, columns, rows):
    """A grid of numbers with two decimals: rows(s, c) gives (head, values, role or none) from the top."""
    return Grid(
        title=title,
        columns=columns,
        rows=lambda s, c: [head for head, *_ in rows(s, c)],
        text=lambda s, c, i, j: t("{v:.2f}", v=rows(s, c)[i][1][j]),
        tint=lambda s, c, i, j: [*rows(s, c)[i], "soft"][2],
        strength=lambda s, c, i, j: 0.5 * min(1, abs(rows(s, c)[i][1][j]) / 2),
    )


FOUR, EIGHT = ["1", "2", "3", "4"], ["1", "2", "3", "4", "5", "6", "7", "8"]
TOKEN = {
    "input": layer_grid(
        lambda s, c: f"{followed(c)}: what goes in",
        FOUR,
        lambda s, c: [
            ("row of the table × 2", s["lookup"][c["token"] - 1]),
            (f"+ place {c['token']}", s["position"][c["token"] - 1]),
            ("= x", s["x"][c["token"] - 1]),
        ],
    ),
    "projections": layer_grid(
        lambda s, c: f"Query of {followed(c)}, keys and values of all",
        FOUR,
        lambda s, c: [
            (f"q {followed(c)}", s["q"][c["token"] - 1], "query"),
            *((f"k {one}", s["k"][place], "key") for place, one in enumerate(sentence(c))),
            *((f"v {one}", s["v"][place], "value") for place, one in enumerate(sentence(c))),
        ],
    ),
    "scores": layer_grid(
        lambda s, c: f"{followed(c)} asks: its query times each key",
        lambda s, c: [f"{place} {one}" for place, one in enumerate(sentence(c), 1)],
        lambda s, c: [
            ("q · k", s["dots"], "score"),
            ("not divided" if c["divisor"] == "1" else "÷ √4", s["scores"], "score"),
            ("weight", s["weights"], "score"),
        ],
    ),
    "attention": layer_grid(
        lambda s, c: f"{followed(c)}: what it fetches is added to it",
        FOUR,
        lambda s, c: [
            ("mean of values", s["fetched"], "value"),
            ("× W_O", s["projected"], "value"),
            ("+ x", s["summed"]),
            ("LayerNorm", s["normed"]),
        ],
    ),
    "hidden": layer_grid("Feed-forward: eight numbers inside", EIGHT, lambda s, c: [("max(0, · W₁)", s["hidden"])]),
    "feed-forward": layer_grid(
        "and four again, added to what came in",
        FOUR,
        lambda s, c: [("× W₂", s["fed"]), ("+ what came in", s["total"]), ("LayerNorm", s["out"])],
    ),
    "logits": layer_grid(
        "What comes out, with each row of the table",
        ["dog", "bites", "man", "cat", "sees", "the"],
        lambda s, c: [("logit", s["logits"], "score"), ("probability", s["probabilities"], "score")],
    ),
}

PICTURES = {"assembly": ASSEMBLY, "token": TOKEN, "wiring": WIRING}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "assembly": {
        **{f"{which}_parameters": "parameters" for which in ("attention", "feed")},
        **{f"{which}_flops": "flops" for which in ("attention", "feed")},
    },
    "token": {
        "apart": "at another place",  # which no panel shows
        "alike": ("q", "k"),
        "largest": "weights",
        "kept": ("summed", "projected"),
        "silent": ("hidden", "fed"),
        "likeliest": "probabilities",
    },
    "wiring": {"leak": "reach", "from_source": "reach"},
}
