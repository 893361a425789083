"""What each panel and mark of the labs on dropout shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Band, Bars, Diagram, Dots, Grid, Heat, Histogram, Line, Plot, Rule, Text, Texts
from whyformer.lab.words import t
from whyformer.questions.dropout_sites.sources import PLACES, SOURCES

# ---- sites

PLACE = list(PLACES)
# The layer from the bottom up, and the place of what each part gives.
PARTS = {
    "sum": ("embedding + position", "embedding"),
    "matrices": ("W_Q, W_K, W_V", "projections"),
    "softmax": ("softmax(QKᵀ / √dₖ)", "attention"),
    "heads": ("times V, then W_O", "attention_out"),
    "first +": ("+", "stream"),
    "first norm": ("LayerNorm", None),
    "relu": ("W₁, then ReLU", "hidden"),
    "back": ("W₂", "feed_out"),
    "second +": ("+, then LayerNorm", None),
}
PAST = {"past, into first +": ("sum", "first +"), "past, into second +": ("first norm", "second +")}


def boxes(s, c):
    asked = {p: f"{i + 1}: dropout" if c[p] == "yes" else f"{i + 1}: dropout?" for i, p in enumerate(PLACE)}
    return {part: words for part, (words, _) in PARTS.items()} | asked


def wires(s, c):
    names = list(PARTS)
    up = {f"into {above}": (below, above) for below, above in zip(names[:-1], names[1:], strict=True)}
    return up | {f"to {place}": (part, place) for part, (_, place) in PARTS.items() if place} | PAST


def by_wire(accent, soft):
    return lambda s, c: {name: accent if name in PAST else soft for name in wires(s, c)}


def judged(c, place):
    """What a source makes of the reader's word on a place: words, colour."""
    if c["source"] == "hidden":
        return "", None
    source = SOURCES[c["source"]]
    if place not in source.covers:
        return "outside", None
    rate = source.rates.get(place, 0)
    said = f"{rate:.1f}"
    if c[place] == "yes":
        return (f"✓ {said}", "ink") if rate else ("✗ not there", "ink")
    return (f"missed: {said}", "ink") if rate else ("", None)


def labels(s, c):
    """What is said stands beside the place of which it is said."""
    said = {place: judged(c, place)[0] for place in PLACE}
    return {f"verdict on {place}": (words, place) for place, words in said.items() if words}


def colours(s, c):
    return by_wire("ink", "soft")(s, c) | {
        f"verdict on {place}": judged(c, place)[1] for place in PLACE if judged(c, place)[0]
    }


def revealed(s, c):
    return c["source"] != "hidden"


def cell(i, j):
    """What a source has at a place: in words, and whether that is dropout."""
    source, place = list(SOURCES.values())[j], PLACE[i]
    rate = source.rates.get(place, 0)
    words = "" if place not in source.covers else "–" if rate == 0 else f"{rate:.1f}"
    return words, words not in ("", "–")


NAMES = ["embedding sum", "q, k, v", "weights", "attention", "sum after +", "ReLU", "feed-forward"]

SITES = {
    "layer": Diagram(
        boxes,
        wires,
        near=0.05,
        pressed=lambda s, c: [place for place in PLACE if c[place] == "yes"],
        labels=labels,
        looks=lambda s, c: dict.fromkeys(PARTS, "part") | dict.fromkeys(PLACE, "place"),
        colours=colours,
        thick=by_wire(0.18, 0.11),
    ),
    "covered": Text(
        lambda s, c: ["The sources stay covered until you choose one."],
        tone="hint",
        when=lambda s, c: not revealed(s, c),
    ),
    "says": Text(lambda s, c: [SOURCES[c["source"]].says], tone="aside", when=revealed),
    "sources": Grid(
        title="Rates; –: no dropout; empty: outside of it",
        rows=[f"{i} {name}" for i, name in enumerate(NAMES, 1)],
        columns=["paper", "June ’17", "Oct. ’17", "BERT", "PyTorch", "OLMo 2"],
        text=lambda s, c, i, j: cell(i, j)[0],
        tint=lambda s, c, i, j: "soft" if cell(i, j)[1] else None,
        strength=lambda s, c, i, j: 0.45 if cell(i, j)[1] else 0,
        frame=lambda s, c, i, j: "ink" if list(SOURCES)[j] == c["source"] else None,
        bold=lambda s, c, i, j: False,
        framed=lambda s, c, i: None,
        when=revealed,
    ),
}

# ---- mask

SLOTS = np.arange(8)
HEIGHTS = {"attention": (0, 1.75), "hidden": (0, 10), "embedding": (-8, 10), "residual": (-8, 10)}
ENDS = {"attention": (-0.025, 2.075), "hidden": (-5.1, 5.1), "embedding": (-5.1, 5.1), "residual": (-2.75, 2.75)}
READING = {
    "attention": "Sum of the row",
    "hidden": "One output of W₂",
    "embedding": "One entry of a query",
    "residual": "One entry after add & norm",
}


def is_attention(c):
    return c["site"] == "attention"


def dropped(s):
    """In the pass that is shown, the first of the sixteen."""
    return np.flatnonzero(s["kept"][0] == 0)


def what_is_kept(s, c):
    keys = "keys, and the sum of the row" if is_attention(c) else "entries, and the reading"
    return f"16 passes: kept {keys}"


COLUMNS = Axis(
    -0.5, 7.5, "cells", label=lambda s, c: "key" if is_attention(c) else "entry", ticks=[str(j + 1) for j in range(8)]
)


def verdict(s, c):
    mean, evaluation, p = s["mean_exact"], s["evaluation"], c["p"]
    if p == 0:
        return ["Nothing is dropped: training and evaluation are the same."]
    if c["scaling"] == "none":
        lost = "Nothing makes good for what is missing: in training the mean is {a:.2f}, in evaluation {b:.2f}."
        return [t(lost, a=mean, b=evaluation)]
    if c["site"] == "residual":
        curved = "LayerNorm is not linear: the mean in training is {a:.3f}, evaluation gives {b:.3f}."
        return [t(curved, a=mean, b=evaluation)]
    if is_attention(c) and c["scaling"] == "train":
        squares = (s["before"] ** 2).sum()
        root = t("√(p/(1 − p) · Σ w²) with Σ w² = {a:.3f} is {b:.3f}:", a=squares, b=np.sqrt(p / (1 - p) * squares))
        return [root, "the more a row is one key, the more a mask does to it."]
    return ["The reading is linear in the entries, so its mean over the masks is what evaluation gives."]


def lines(s, c):
    return [
        t("solid: in evaluation, {v:.2f}", v=s["evaluation"]),
        t("dashed: mean in training, {a:.2f} ± {b:.2f}", a=s["mean_exact"], b=s["sd_exact"]),
    ]


MASK = {
    "entries": Plot(
        title=lambda s, c: (
            t("Weights without dropout (dashed), in this pass: sum {v:.2f}", v=s["after"].sum())
            if is_attention(c)
            else "Entries without dropout (dashed), and in this pass"
        ),
        x=COLUMNS,
        y=Axis(lambda s, c: HEIGHTS[c["site"]][0], lambda s, c: HEIGHTS[c["site"]][1]),
        marks={
            "before": Bars("soft", look=["dashed"], x=SLOTS, y=lambda s, c: s["before"], width=0.7),
            "after": Bars("score", x=SLOTS, y=lambda s, c: s["after"], width=0.7),
            "zero": Rule("soft", look=["solid"], y=0),
            "dropped": Texts(
                "ink",
                x=lambda s, c: dropped(s),
                y=lambda s, c: np.zeros(len(dropped(s))),
                texts=lambda s, c: ["×" for _ in dropped(s)],
            ),
        },
    ),
    "masks": Plot(
        title=what_is_kept,
        x=COLUMNS,
        y=Axis(-0.5, 15.5, "cells", ticks=lambda s, c: [t("{v:.2f}", v=v) for v in s["readings"]]),
        marks={"kept": Heat("score", values=lambda s, c: s["kept"], columns=8, limit=1)},
    ),
    "readings": Plot(
        title=lambda s, c: f"{READING[c['site']]}: 500 passes (violet), all masks (grey)",
        x=Axis(lambda s, c: ENDS[c["site"]][0], lambda s, c: ENDS[c["site"]][1], label="reading"),
        y=Axis(0, 1, ticks={f"{percent} %": percent / 100 for percent in (0, 25, 50, 75, 100)}),
        marks={
            "mean ± sd": Band(
                "soft",
                x=lambda s, c: s["mean_exact"] + s["sd_exact"] * np.array([-1, 1]),
                low=np.zeros(2),
                high=np.ones(2),
            ),
            "passes": Histogram("score", edges=lambda s, c: s["edges"], y=lambda s, c: s["share"]),
            "all masks": Histogram("soft", edges=lambda s, c: s["edges"], y=lambda s, c: s["expected"]),
            "evaluation": Rule("ink", look=["solid"], x=lambda s, c: s["evaluation"]),
            "mean": Rule(x=lambda s, c: s["mean_exact"]),
            "now": Dots("score", look=["now"], size=0.45, x=lambda s, c: [s["readings"][0]], y=[0]),
        },
    ),
    "lines": Text(lines, colours=lambda s, c: ["ink", "soft"]),
    "verdict": Text(verdict, tone="aside"),
}

# ---- rely

TWENTIETHS = np.arange(17) / 20


def ghost(of):
    """Without dropout, dashed behind, once something is dropped."""
    return {"look": ["dashed"], "when": lambda s, c: c["p"] > 0, "y": of}


def top(s):
    return max(0.5, 1.15 * s["on_new_bare"])


RELY = {
    "weights": Plot(
        title="What one output multiplies each unit by",
        x=Axis(-0.5, 7.5, "cells", label="unit", ticks=[str(j + 1) for j in range(8)]),
        y=Axis(
            lambda s, c: min(-0.2, 1.1 * s["bare"].min()),
            lambda s, c: max(0.4, 1.1 * s["bare"].max()),
            ticks={"0": 0, "0.2": 0.2},
        ),
        marks={
            "zero": Rule("soft", look=["solid"], y=0),
            "no dropout": Bars("soft", x=SLOTS, width=0.7, **ghost(lambda s, c: s["bare"])),
            "weights": Bars("ink", x=SLOTS, width=0.7, y=lambda s, c: s["weights"]),
        },
    ),
    "errors": Plot(
        title="Error, without masks",
        x=Axis(-0.5, 1.5, "cells", ticks=["its examples", "new ones"]),
        y=Axis(
            0, lambda s, c: max(0.5, 1.25 * max(s["on_new_bare"], s["on_new"])), ticks={"0\u00a0%": 0, "50\u00a0%": 0.5}
        ),
        marks={
            "no dropout": Bars(
                "soft", x=[0, 1], width=0.5, **ghost(lambda s, c: [s["on_learned_bare"], s["on_new_bare"]])
            ),
            "errors": Bars(
                "ink",
                x=[0, 1],
                width=0.5,
                y=lambda s, c: [s["on_learned"], s["on_new"]],
                numbers=lambda s, c: [t("{v:.0%}", v=s[name]) for name in ("on_learned", "on_new")],
            ),
        },
    ),
    "curve": Plot(
        title="Error at every rate",
        x=Axis(0, 0.8, label="rate p", ticks={f"{v}": v for v in (0, 0.2, 0.4, 0.6, 0.8)}),
        y=Axis(
            lambda s, c: -0.1 * top(s),
            lambda s, c: top(s),
            ticks=lambda s, c: {f"{v}\u00a0%": v / 100 for v in ((0, 50, 100) if top(s) > 1.2 else (0, 25, 50))},
        ),
        marks={
            "p": Rule(x=lambda s, c: c["p"]),
            "its examples": Line("soft", label="its examples", x=TWENTIETHS, y=lambda s, c: s["learned_at"]),
            "new ones": Line("ink", label="new ones", x=TWENTIETHS, y=lambda s, c: s["new_at"]),
            "on its examples": Dots(
                "soft", look=["now"], size=0.5, x=lambda s, c: [c["p"]], y=lambda s, c: [s["on_learned"]]
            ),
            "on new ones": Dots("ink", look=["now"], size=0.5, x=lambda s, c: [c["p"]], y=lambda s, c: [s["on_new"]]),
            "least": Texts(
                "ink", x=lambda s, c: [s["best"]], y=lambda s, c: [s["new_at"].min()], texts=lambda s, c: ["least"]
            ),
        },
    ),
}

PICTURES = {"sites": SITES, "mask": MASK, "rely": RELY}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "rely": {
        **{number: ["panel errors", "panel curve"] for number in ("on_learned", "on_new")},
        **{number: "panel weights" for number in ("negative", "largest")},
        **{number: "panel errors" for number in ("on_learned_bare", "on_new_bare")},
        **{number: "panel curve" for number in ("best", "best_new")},
    },
    "mask": {
        "now": "readings",
        "unchanged": "expected",
        "sd_least": "sd_exact",
        "largest": "before",
        "alone": "expected",
        "without": "expected",
    },
    "sites": {
        **{number: "panel layer" for number in ("hits", "misses", "false_alarms")},
        "n_sources": "panel sources",
        "n_lists": "panel sources",
        **{f"have_{place}": "panel sources" for place in ("projections", "stream")},
    },
}
