"""What each panel and mark of the labs on relative positions shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Circles, Dots, Heat, Line, Plot, Rings, Rule, Segments, Text, Texts
from whyformer.lab.words import t

# ---- clocks: hands of a query and a key, the score as both move, all pairs

STARTS = np.arange(20)


def face(clock):
    """A rim of radius 1 and two hands from its middle, as arrows."""

    def hand(colour, name):
        tip = [lambda s, c, axis=axis: [s[name][clock][axis]] for axis in (0, 1)]
        return Segments(colour, tips=True, x1=[0], y1=[0], x2=tip[0], y2=tip[1])

    return Plot(
        title=lambda s, c: t(
            "{n}: {v:.2f}", n=clock + 1, v=s["parts"][clock] if abs(s["parts"][clock]) >= 0.005 else 0.0
        ),
        x=Axis(-1.1, 1.1, "round", ticks=[1]),
        y=Axis(-1.1, 1.1, "round", ticks=[1]),
        marks={
            "rim": Circles(r=[1]),
            "query": hand("query", "query"),
            "key": hand("key", "key"),
        },
    )


def term(label, colour, name, look=()):
    return Line(
        colour, look=look, label=label, when=lambda s, c: c["scheme"] == "full", x=STARTS, y=lambda s, c: s[name]
    )


def key_at(s, c):
    return [c["position"] + c["distance"]]


CLOCKS = {
    "places": Plot(
        x=Axis(-0.5, 31.5),
        y=Axis(-1, 1, ticks=()),
        marks={
            "distance": Segments("ink", x1=lambda s, c: [c["position"]], y1=[0], x2=key_at, y2=[0]),
            "query": Dots("query", size=0.5, x=lambda s, c: [c["position"]], y=[0]),
            "key": Dots("key", size=0.5, x=key_at, y=[0]),
            "asks": Texts("query", x=lambda s, c: [c["position"]], y=[0], texts=["query"]),
            "offers": Texts("key", x=key_at, y=[0], texts=["key"]),
            "apart": Texts(
                "ink",
                x=lambda s, c: [c["position"] + c["distance"] + 0.7],
                y=[0],
                texts=lambda s, c: [f"{c['distance']} apart"],
            ),
        },
    ),
    **{f"clock {clock + 1}": face(clock) for clock in range(4)},
    "hands": Text(lambda s, c: ["Orange: query, blue: key. Above each: what it adds to the score."]),
    "along": Plot(
        title=lambda s, c: t(
            "Score {a:.2f}. Both moved, {b} apart: it varies by {v:.2f}", a=s["score"], b=c["distance"], v=s["spread"]
        ),
        x=Axis(-0.5, 19.5, label="position of the query"),
        y=Axis(lambda s, c: -s["reach"], lambda s, c: s["reach"]),
        marks={
            "position": Rule(x=lambda s, c: c["position"]),
            "word · word": term("word · word", "ink", "word_word"),
            "word · position": term("word · position", "soft", "word_position"),
            "position · word": term("position · word", "soft", "position_word", ["thin"]),
            "position · position": term("position · position", "ink", "position_position", ["thin"]),
            "score": Line(
                "score",
                look=["thick"],
                x=STARTS,
                y=lambda s, c: s["along"],
                label=lambda s, c: "score" if c["scheme"] == "full" else "",
            ),
            "each": Dots("score", size=0.22, x=STARTS, y=lambda s, c: s["along"]),
            "now": Dots(
                "score",
                look=["now"],
                size=0.5,
                x=lambda s, c: [c["position"]],
                y=lambda s, c: [s["along"][c["position"]]],
            ),
        },
    ),
    "scores": Plot(
        title=lambda s, c: t("All pairs: distance explains {v:.0f} %", v=s["explained"]),
        x=Axis(-0.5, 31.5, "cells"),
        y=Axis(-0.5, 31.5, "cells"),
        marks={
            "scores": Heat(
                "score",
                negative="gradient-negative",
                values=lambda s, c: s["scores"],
                columns=32,
                limit=lambda s, c: s["reach"],
            ),
            "moved together": Line(
                "ink",
                look=["thin", "dashed"],
                x=lambda s, c: np.arange(c["distance"], 32),
                y=lambda s, c: np.arange(32 - c["distance"]),
            ),
            "pair": Rings(
                "ink",
                square=True,
                x=lambda s, c: [c["position"] + c["distance"]],
                y=lambda s, c: [c["position"]],
            ),
        },
    ),
}

# ---- distance: a table, clocks and a line, fitted on a trained length


def curve(colour, name, label, look=()):
    """Up to where the score leaves the picture below."""

    def kept(s):
        return np.logical_and.accumulate(s[name] >= -20)

    return Line(colour, look=look, label=label, x=lambda s, c: np.arange(512)[kept(s)], y=lambda s, c: s[name][kept(s)])


def row(label, name):
    def words(s):
        weight = t("{v:.1f} %", v=s[f"weight_{name}"])
        if name == "wish":
            return [label, weight]
        return [label, *(t("{v:.2f}", v=s[f"miss_{where}_{name}"]) for where in ("within", "beyond")), weight]

    return words


ROWS = [row("wish", "wish"), row("table", "table"), row("clocks", "clocks"), row("ALiBi", "alibi")]

DISTANCE = {
    "scores": Plot(
        title=lambda s, c: t(
            "Score: clocks miss by {w:.2f} up to {a}, by {v:.1f} beyond",
            w=s["miss_within_clocks"],
            a=c["length"],
            v=s["miss_beyond_clocks"],
        ),
        x=Axis(0, 511, label="distance"),
        y=Axis(-20, 8),
        marks={
            "trained length": Rule(x=lambda s, c: c["length"]),
            "trained": Texts("soft", texts=["trained"], x=lambda s, c: [c["length"]], y=[6.6]),
            "table": curve("ink", "table", "table"),
            "alibi": curve("soft", "alibi", "ALiBi"),
            "clocks": curve("score", "clocks", "clocks", ["thick"]),
            "wish": Line("soft", look=["dashed"], label="wish", x=np.arange(512), y=lambda s, c: s["wish"]),
        },
    ),
    "turns": Plot(
        title=lambda s, c: t("Turns: dots to {v}, rings to 511", v=c["length"]),
        x=Axis(-0.7, 15.7, label="clock"),
        y=Axis(0.0005, 200, "log"),
        marks={
            "one turn": Rule(y=1),
            "all": Rings("soft", size=0.32, x=np.arange(16), y=lambda s, c: s["turns_all"]),
            "trained": Dots("ink", size=0.28, x=np.arange(16), y=lambda s, c: s["turns"]),
        },
    ),
    "misses": Text(
        lambda s, c: [
            "score", "misses within", "misses beyond", "weight beyond", *(word for one in ROWS for word in one(s)),
        ]
    ),
}  # fmt: skip

PICTURES = {"clocks": CLOCKS, "distance": DISTANCE}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "clocks": {
        "lowest": "along",
        "highest": "along",
        "explained": ["explained", "along"],
        "spread_words": "word_word",
        "spread_others": ("word_position", "position_word", "position_position"),
    },
    "distance": {
        "unturned": "turns",
        "leaves": "clocks",
        "slope": "alibi",
        "miss_beyond_table": ["miss_beyond_table", "table"],
    },
}
