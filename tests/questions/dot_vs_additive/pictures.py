"""What each panel and mark of the labs on additive scores shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Band, Bars, Dots, Intervals, Line, Plot, Rings, Rule, Segments, Text, Texts
from whyformer.lab.words import t

# ---- spread: three scores over d_k, and how sharp scores of one spread are

D = 2 ** np.arange(4, 11)
SCORES = {
    "raw": ("score", "not divided", ["dashed"], "square"),
    "divided": ("score", "q·k / √dₖ", [], "dot"),
    "additive": ("ink", "additive", [], "ring"),
}


def place(colour, shape, x, y):
    if shape == "dot":
        return Dots(colour, look=["now"], size=0.34, x=x, y=y)
    return Rings(colour, size=0.28, square=shape == "square", x=x, y=y)


def over_d(name):
    colour, label, look, shape = SCORES[name]
    return {
        f"{name}: law": Line(colour, look=look, x=D, y=lambda s, c: s[f"law_{name}"], label=label),
        f"{name}: draw": Dots(colour, look=look, size=0.18, x=D, y=lambda s, c: s[f"draw_{name}"]),
        f"{name}: now": place(colour, shape, lambda s, c: [c["d_k"]], lambda s, c: [s[f"spread_{name}"]]),
    }


def by_spread(name):
    colour, _, _, shape = SCORES[name]
    return place(colour, shape, lambda s, c: [s[f"spread_{name}"]], lambda s, c: [s[f"weights_{name}"].max()])


def weights(name):
    colour, label, look, _ = SCORES[name]
    return Plot(
        title=lambda s, c: t("{a}: largest {v:.2f}", a=label, v=s[f"weights_{name}"].max()),
        colour="" if colour == "ink" else colour,
        x=Axis(0.4, 16.6, label="key"),
        y=Axis(0, 1),
        marks={"weights": Bars(colour, look=look, x=np.arange(1, 17), y=lambda s, c: s[f"weights_{name}"])},
    )


SPREAD = {
    "spread": Plot(
        title="Spread of the scores (lines: all draws; dots: this one)",
        x=Axis(16, 1024, "log", label="dₖ"),
        y=Axis(0.01, 1000, "log"),
        marks={
            "d_k": Rule(x=lambda s, c: c["d_k"]),
            **over_d("raw"),
            **over_d("divided"),
            **over_d("additive"),
        },
    ),
    "sharp": Plot(
        title="Largest of 16 weights, by spread (band: nine of ten)",
        x=Axis(0.01, 1000, "log", label="spread of the scores"),
        y=Axis(0, 1),
        marks={
            "nine of ten": Band(
                "soft",
                x=lambda s, c: s["spread_of"],
                low=lambda s, c: s["sharp_low"],
                high=lambda s, c: s["sharp_high"],
            ),
            "median": Line("soft", x=lambda s, c: s["spread_of"], y=lambda s, c: s["sharp"]),
            "even": Rule(y=1 / 16),
            **{name: by_spread(name) for name in SCORES},
        },
    ),
    "shapes": Text(
        lambda s, c: ["Square: q·k, not divided. Dot: q·k / √dₖ. Ring: additive. All three are of one draw."]
    ),
    **{f"weights {name}": weights(name) for name in SCORES},
}

# ---- cost: times, memory and counts over the number of tokens

N = 2 ** np.arange(5, 10)
WAYS = [
    ("q·k, matrices", lambda s: 1.0),
    ("q·k, by query", lambda s: s["ms_dot_by_query"] / s["ms_dot"]),
    ("q·k, by pair", lambda s: s["ms_dot_by_pair"] / s["ms_dot"]),
    ("tanh, all pairs", lambda s: s["ms_additive"] / s["ms_dot"]),
    ("ReLU, all pairs", lambda s: s["ms_additive_relu"] / s["ms_dot"]),
    ("tanh, by query", lambda s: s["ms_additive_by_query"] / s["ms_dot"]),
]


def at(s, c):
    return list(N).index(c["n"])


def ratios(s, c, rows):
    return [np.broadcast_to(WAYS[row][1](s), 5)[at(s, c)] for row in rows]


def times(colour, rows):
    ends = {"x1": np.ones(len(rows)), "y1": rows, "y2": rows}
    return Segments(colour, look=["thick"], x2=lambda s, c: ratios(s, c, rows), **ends)


def times_words(s, c):
    return [t("× {v:.1f}" if v < 10 else "× {v:.0f}", v=v) for v in ratios(s, c, range(6))]


def bill(s, c):
    products = t("{v:,.0f}", v=c["n"] ** 2 * c["d_k"])
    held = t("{v:.3g}", v=c["n"] ** 2 * c["d_k"] * 4 / 2**20)
    ms = [t("{v:.3g}", v=s[name][at(s, c)]) for name in ("ms_dot", "ms_additive")]
    return [
        ["", "q·k, matrices", "tanh, all pairs"],
        ["products", products, products],
        ["values of tanh", "0", products],
        ["MiB held between", "0", held],
        ["ms on one machine", *ms],
    ]


def side(c):
    return 0.88 * c["n"] / 512


def places(c):
    """Where the sheets of tanh begin: eight to a row, from the top."""
    return [(i % 8, 8 - i // 8) for i in range(c["d_k"])]


COST = {
    "sheets": Plot(
        title="n × n numbers held at once, to scale",
        x=Axis(-0.1, 9.9, label="sheets in a row"),
        y=Axis(0, 10, ticks=()),
        marks={
            "scores": Intervals(
                "score", look=["solid"], x1=[0], x2=lambda s, c: [side(c)], y1=lambda s, c: [9.9 - side(c)], y2=[9.9]
            ),
            "tanh": Intervals(
                "ink",
                look=["solid"],
                x1=lambda s, c: [x for x, _ in places(c)],
                x2=lambda s, c: [x + side(c) for x, _ in places(c)],
                y1=lambda s, c: [y - side(c) for _, y in places(c)],
                y2=lambda s, c: [y for _, y in places(c)],
            ),
            "one": Texts(
                "score",
                x=[1.1],
                y=[9.45],
                texts=lambda s, c: [t("q·k: one sheet of scores, {v:.3g} MiB", v=s["mib_scores"])],
            ),
            "many": Texts(
                "ink",
                x=[0],
                y=[8.35],
                texts=lambda s, c: [t("tanh(q + k): {d} sheets, {v:.3g} MiB", d=c["d_k"], v=s["mib_pairs"])],
            ),
        },
    ),
    "bill": Text(bill),
    "by way": Plot(
        title="Times on one machine, six ways",
        x=Axis(1, 400, "log", label="times as long as the matrix product"),
        y=Axis(-0.5, 5.5, "cells", ticks=[name for name, _ in WAYS]),
        marks={
            "dot products": times("score", [1, 2]),
            "additive scores": times("ink", [3, 4, 5]),
            "times": Texts("ink", x=lambda s, c: ratios(s, c, range(6)), y=range(6), texts=times_words),
        },
    ),
    "how to read": Text(
        lambda s, c: [
            "Bars start at the matrix product, × 1. By query: one query at a time. By pair: all products first, then "
            "sums."
        ]
    ),
}

PICTURES = {"spread": SPREAD, "cost": COST}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "cost": {
        **{number: "panel bill" for number in ("products", "tanhs")},
        "times_additive": ("ms_additive", "ms_dot"),
        "times_additive_relu": ("ms_additive_relu", "ms_dot"),
        "tanh_over_relu": ("ms_additive", "ms_additive_relu"),
        "times_dot_by_pair": ("ms_dot_by_pair", "ms_dot"),
        "times_dot_by_query": ("ms_dot_by_query", "ms_dot"),
        "times_additive_by_query": ("ms_additive_by_query", "ms_dot"),
        **{f"mib_{which}": "panel sheets" for which in ("scores", "pairs")},
    },
    "spread": {
        "largest_additive": "weights_additive",
        "expected_divided": "law_divided",
        "expected_additive": "law_additive",
        "times_dot": ("law_raw", "law_divided"),
        "times_additive": "law_additive",
    },
}
