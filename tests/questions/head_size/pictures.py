"""What each panel and mark of the lab on the size of heads shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Dots, Heat, Intervals, Line, Plot, Rule, Text
from whyformer.lab.words import t

HEADS = 2 ** np.arange(7)
PERCENT = {str(v): v / 100 for v in (0, 25, 50, 75, 100)}


def now(s, c, name):
    return s[name][list(HEADS).index(c["heads"])]


def cost(name, colour, at, value):
    """A bar from one head of full width to what there is now, and a dot there."""
    bar = Intervals(
        colour,
        look=["solid"],
        x1=lambda s, c: [min(1, value(s, c))],
        x2=lambda s, c: [max(1, value(s, c))],
        y1=[at - 0.3],
        y2=[at + 0.3],
    )
    return {name: bar, f"{name}: now": Dots(colour, size=0.4, x=lambda s, c: [value(s, c)], y=[at])}


def weights(title, name):
    heat = Heat("score", values=lambda s, c: s[name], columns=24, limit=1, root=True)
    return Plot(title=title, colour="score", marks={"weights": heat})


def verdict(s, c):
    error = s["error"]
    if s["d_k"] >= s["needed"]:
        end = "fit is exact." if c["gain"] == 1 else "gain overshoots: the weights are sharper than wanted."
        return [f"The rank suffices{': the ' if c['gain'] == 1 else ', and the '}{end}"]
    if error <= 20:
        return [t("Nearly there with less than the needed rank: {v:.1f} % of the weight is misplaced.", v=error)]
    if s["hits"] == 24:
        return [t("The largest weight of every query is right, yet {v:.0f} % of the weight is misplaced.", v=error)]
    hits = t("The largest weight is right for {v:.0f} of 24 queries;", v=s["hits"])
    return [hits, t("{v:.0f} % of the weight is misplaced.", v=error)]


def facts(s, c):
    heads = "head" if c["heads"] == 1 else "heads"
    return [
        "one head",
        t("dₖ = {a:.0f}; the pattern needs rank {b:.0f}", a=s["d_k"], b=s["needed"]),
        f"{c['heads']} {heads}",
        t("{a:,.0f} parameters, {b:,.0f} multiplications,", a=s["parameters"], b=s["products"]),
        t("{v:,.0f} weights", v=s["weights"]),
        "price of the gain",
        t("scores up to {a:.3g}; a query or key of length {b:.0f} at least", a=s["largest_score"], b=s["length"]),
    ]


PICTURES = {
    "budget": {
        "bill": Plot(
            title="The bill, against one head of full width",
            x=Axis(1 / 64, 64, "log", ticks={"1/64": 1 / 64, "1/8": 1 / 8, "× 1": 1, "× 8": 8, "× 64": 64}),
            y=Axis(-0.5, 2.5, "cells", ticks=["parameters, multiplications", "weights to keep", "numbers in a head"]),
            marks={
                "one head": Rule(x=lambda s, c: 1),
                **cost("cost", "ink", 0, lambda s, c: s["parameters"] / (4 * 64**2)),
                **cost("weights", "score", 1, lambda s, c: s["weights"] / 24**2),
                **cost("size", "key", 2, lambda s, c: s["d_k"] / 64),
            },
        ),
        "errors": Plot(
            title=lambda s, c: t("Misplaced weight, %: now {v:.1f}", v=s["error"]),
            x=Axis(1, 64, "log", label="heads h"),
            y=Axis(0, 1, ticks=PERCENT),
            marks={
                "heads": Rule(x=lambda s, c: c["heads"]),
                "gain 1": Line(
                    "soft",
                    x=HEADS,
                    y=lambda s, c: s["error_plain"],
                    label=lambda s, c: "" if c["gain"] == 1 else "gain 1",
                ),
                "best gain": Line("ink", look=["thin"], x=HEADS, y=lambda s, c: s["error_best"], label="best gain"),
                "this gain": Line(
                    "score",
                    look=["thick"],
                    x=HEADS,
                    y=lambda s, c: s["error_now"],
                    label=lambda s, c: f"gain {c['gain']}",
                ),
                "each": Dots("score", size=0.2, x=HEADS, y=lambda s, c: s["error_now"]),
                "now": Dots(
                    "score",
                    look=["now"],
                    size=0.4,
                    x=lambda s, c: [c["heads"]],
                    y=lambda s, c: [now(s, c, "error_now")],
                ),
            },
        ),
        "wanted": weights(lambda s, c: t("wanted, rank {v:.0f}", v=s["needed"]), "target"),
        "fitted": weights(lambda s, c: t("fitted, rank {v:.0f}", v=s["rank"]), "fitted"),
        "how to read": Text(
            lambda s, c: [
                "Rows are queries, columns keys; the strength of the violet is the square root of a weight.",
                "A largest weight that ties with one on a wrong key does not count as right.",
            ]
        ),
        "facts": Text(facts),
        "verdict": Text(verdict),
    },
}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "budget": {
        "d_k": "rank",
        "error": ["error", ("fitted", "target")],
        "hits": ("fitted", "target"),
        "products": ["parameters"],
    }
}
