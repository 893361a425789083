"""What each panel and mark of the lab on the size of heads shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Dots, Heat, Line, Plot, Rule, Text
from whyformer.lab.words import t

HEADS = 2 ** np.arange(7)
PERCENT = {str(v): v / 100 for v in (0, 25, 50, 75, 100)}


def now(s, c, name):
    return s[name][list(HEADS).index(c["heads"])]


def cost(label, colour, look, values):
    """A line over the heads, and a dot at the present number."""
    here = Dots(
        colour, size=0.35, x=lambda s, c: [c["heads"]], y=lambda s, c: [values(s)[list(HEADS).index(c["heads"])]]
    )
    line = Line(colour, look=look, x=HEADS, y=lambda s, c: values(s), label=label)
    return {label: line, f"{label}: now": here}


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
        t("dₖ = {a:.0f}; the wanted scores need rank {b:.0f}", a=s["d_k"], b=s["needed"]),
        f"{c['heads']} {heads}",
        t("{a:,.0f} parameters, {b:,.0f} products,", a=s["parameters"], b=s["products"]),
        t("{v:,.0f} weights", v=s["weights"]),
        "price of the gain",
        t("scores up to {a:.3g}; a query or key of length {b:.1f} at least", a=s["largest_score"], b=s["length"]),
    ]


PICTURES = {
    "budget": {
        "bill": Plot(
            title="The bill, relative to one head",
            x=Axis(1, 64, "log", label="heads h"),
            y=Axis(1 / 64, 64, "log"),
            marks={
                "heads": Rule(x=lambda s, c: c["heads"]),
                **cost("parameters, products", "ink", ["thick"], lambda s: s["products_of"] / (24**2 * 64)),
                **cost("weights to keep", "score", [], lambda s: HEADS),
                **cost("size of a head", "soft", [], lambda s: s["d_k_of"] / 64),
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
        "wanted": weights("wanted", "target"),
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
        "parameters": ["parameters", "products_of"],
        "products": ["products", "products_of"],
    }
}
