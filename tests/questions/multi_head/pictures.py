"""What each panel and mark of the labs on several heads shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Bars, Diagram, Dots, Grid, Heat, Intervals, Plot, Rings, Rule, Segments, Text, Texts
from whyformer.lab.words import t

# ---- two_wishes: the sentence, what arrives, the numbers of both values

WORDS = ["The", "cat", "sat", "because", "it", "was", "tired", "."]
CAT, IT, TIRED = 1, 4, 6


def heads(c):
    return [1] if c["heads"] == "one" else [1, 2]


def weight(s, head, word):
    return s[("weights_first", "weights_second")[head - 1]][word]


def arcs(s, c):
    """Each arc with its weight."""
    for head in heads(c):
        for word in (CAT, TIRED):
            yield head, word, weight(s, head, word)


def words_of_arcs(s, c):
    labels = {f"head {head}": f"head {head}" for head in heads(c)}
    for head, word, value in arcs(s, c):
        name = f"head {head} to {WORDS[word]}"
        labels[f"{name}: weight"] = (t("{v:.0%}", v=value), name)
    return labels


def missed(s, c):
    return [s["missed_who"], s["missed_how"], s["missed"]]


def bounded(s, c):
    """Where half is the most that can arrive: one blend of each number is all there is, and both are wanted."""
    return c["heads"] == "one" or (c["heads"], c["asked"]) == ("half", "whole")


LINES = np.arange(3)
THICK = 0.34  # half of a bar, in lines


def bar(x2, **more):
    return Intervals("value", x1=[0, 0, 0], x2=x2, y1=LINES - THICK, y2=LINES + THICK, **more)


def made(s, c):
    a, b, e, d = np.floor(100 * s["read_out"].ravel() + 0.5) / 100 + 0.0
    if c["heads"] == "one":
        words = "who = {a:.2f} · head 1, how = {e:.2f} · head 1: one blend, used twice."
    elif c["heads"] == "two":
        words = "who = {a:.2f} · head 1 + ({b:.2f}) · head 2, how = ({e:.2f}) · head 1 + {d:.2f} · head 2."
    elif c["asked"] == "parts":
        words = "who = {a:.2f} · head 1, how = {d:.2f} · head 2."
    else:
        words = "First halves: {a:.2f} and {e:.2f} · head 1. Second halves: {b:.2f} and {d:.2f} · head 2."
    return [t(words, a=a, b=b, e=e, d=d)]


def cost(s, c):
    layer = {
        "one": "One full head.",
        "half": "Half size: the cost of one.",
        "two": "Full size: twice the cost.",
    }[c["heads"]]
    assert s["cost"] == (2 if "twice" in layer else 1)
    whole = "Wanted: both whole."
    return [f"{layer} {whole if c['asked'] == 'whole' else 'Wanted: half of each.'}"]


def places(s, c):
    """Six numbers of cat, a gap, six of tired."""
    return [*range(1, 7), *range(8, 14)]


TWO_WISHES = {
    "weights": Diagram(
        boxes={f"word {i}": word for i, word in enumerate(WORDS, 1)},
        wires=lambda s, c: {
            f"head {head} to {WORDS[word]}": (f"word {IT + 1}", f"word {word + 1}") for head, word, _ in arcs(s, c)
        },
        labels=words_of_arcs,
        bold=lambda s, c: [
            *(f"word {i + 1}" for i in (CAT, IT, TIRED)),
            *(f"head {head} to {WORDS[word]}: weight" for head, word, _ in arcs(s, c)),
        ],
        thick=lambda s, c: {f"head {head} to {WORDS[word]}": 0.06 + 0.44 * value for head, word, value in arcs(s, c)},
        above=lambda s, c: [
            "head 1",
            *(f"head 1 to {WORDS[i]}{end}" for i in (CAT, TIRED) for end in ("", ": weight")),
        ],
        looks={f"word {i}": "word" for i in range(1, 9)},
        colours=lambda s, c: {
            **{f"word {i + 1}": {CAT: "key", IT: "query", TIRED: "key"}.get(i, "soft") for i in range(8)},
            **{f"head {head} to {WORDS[word]}": "score" for head, word, _ in arcs(s, c)},
        },
    ),
    "missed": Plot(
        title=lambda s, c: t("Green arrives. Missed, together: {v:.0f} %", v=s["missed"]),
        x=Axis(0, 142),
        y=Axis(-0.5, lambda s, c: 3.3 if bounded(s, c) else 2.5, "cells", ticks=["who: cat", "how: tired", "together"]),
        marks={
            "wished for": bar([100, 100, 100]),
            "arrives": bar(lambda s, c: [100 - part for part in missed(s, c)], look=["solid"]),
            "missed": Texts(
                "ink", x=[101] * 3, y=LINES, texts=lambda s, c: [t("{v:.0f} % missed", v=part) for part in missed(s, c)]
            ),
            "the most": Segments("ink", look=["thick"], x1=[50], x2=[50], y1=[1.5], y2=[2.5], when=bounded),
            "wall": Texts("ink", x=[50], y=[2.95], texts=["one blend: never more"], when=bounded),
        },
    ),
    "values": Plot(
        title="Outline: wanted. Filled: got",
        x=Axis(0.3, 13.7, ticks={"cat": 3.5, "tired": 10.5}),
        y=Axis(-1.3, 1.3),
        marks={
            "wanted": Bars("value", look=["hollow"], x=places, y=lambda s, c: s["wanted"].ravel()),
            "got": Bars("value", x=places, y=lambda s, c: s["got"].ravel()),
        },
    ),
    "read-out": Text(made),
    "cost": Text(cost),
}

# ---- which_head: 6 layers of 12 heads

TOKENS = ["[CLS]", "i", "am", "a", "boy", ".", "[SEP]"]


def off(s, c, i, j):
    return (i + 1, j + 1) == (c["layer"], c["head"])


def layer_of_all(s, c):
    return np.repeat(np.arange(6), 12)


def named(words):
    return lambda s, c: t(words, layer=c["layer"], head=c["head"], v=s["lost"][c["layer"] - 1, c["head"] - 1])


WHICH_HEAD = {
    "heads": Grid(
        title="72 heads, 72 maps. Tap one to switch it off",
        rows=[f"layer {i}" for i in range(1, 7)],
        columns=[str(j) for j in range(1, 13)],
        maps=lambda s, c: s["maps"],
        maps_colour="score",
        tint=lambda s, c, i, j: "soft",
        strength=lambda s, c, i, j: 0.45 if off(s, c, i, j) else 0.0,
        frame=lambda s, c, i, j: "ink" if off(s, c, i, j) else None,
        framed=lambda s, c, i: None,
    ),
    "moved": Plot(
        title=named("The meaning moves by {v:.2f} %"),
        x=Axis(0, 4),
        y=Axis(-1, 1, ticks=()),
        marks={
            "moved": Intervals(
                "ink",
                look=["solid"],
                x1=[0],
                x2=lambda s, c: [s["lost"][c["layer"] - 1, c["head"] - 1]],
                y1=[-0.6],
                y2=[0.6],
            ),
            "one percent": Rule("ink", x=1),
        },
    ),
    "map": Plot(
        title=named("Map of layer {layer}, head {head}: a row looks at columns"),
        x=Axis(-0.5, 6.5, "cells", ticks=TOKENS),
        y=Axis(-0.5, 6.5, "cells", ticks=TOKENS),
        marks={"weights": Heat("score", values=lambda s, c: s["map"], columns=7, limit=1)},
    ),
    "all": Plot(
        title="Without each head: how far the meaning moves, %",
        x=Axis(0, 4),
        y=Axis(-0.5, 5.5, "cells", ticks=[f"layer {i}" for i in range(1, 7)]),
        marks={
            "heads": Dots("ink", size=0.24, x=lambda s, c: s["lost"].ravel(), y=layer_of_all),
            "off": Rings(
                "ink",
                size=0.5,
                x=lambda s, c: [s["lost"][c["layer"] - 1, c["head"] - 1]],
                y=lambda s, c: [c["layer"] - 1],
            ),
        },
    ),
}

PICTURES = {"two_wishes": TWO_WISHES, "which_head": WHICH_HEAD}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "two_wishes": {"on_cat_first": "weights_first", "on_cat_second": "weights_second", "cost": "panel cost"},
    "which_head": {name: "lost" for name in ("moved", "most_early", "least_late", "place", "missed")}
    | {"before": ["map", "maps"]},
}
