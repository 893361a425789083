"""What each panel and mark of the labs on softmax saturation shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Bars, Dots, Grips, Heat, Line, Plot, Rule, Segments, Text, Texts
from whyformer.lab.words import t

# ---- gap: three families of logits, in each the third weight and its derivative along a

A = np.arange(121) / 10


def family(i, name):
    """Weight and derivative of family ``i`` along a, at this a as dots, and in words above 1, left and right."""

    def along(name, colour, look, curve, now, words, place):
        return {
            name: Line(colour, look=look, x=A, y=lambda s, c: s[curve][i]),
            f"{name} now": Dots(colour, look=["now"], size=0.5, x=lambda s, c: [c["a"]], y=lambda s, c: [s[now][i]]),
            f"{name} in words": Texts(colour, texts=lambda s, c: [t(words, v=s[now][i])], x=[place], y=[1.2]),
        }

    def here(s, c):
        return [c["a"]]

    return Plot(
        title=f"logits {name}",
        x=Axis(-0.4, 12.4, label="a"),
        y=Axis(0, 1.2),
        marks={
            "a": Segments("soft", look=["thin"], x1=here, y1=[0], x2=here, y2=[1]),
            **along("weight", "score", [], "curve", "y3", "y₃ = {v:.4f}", -0.4),
            **along("derivative", "gradient", ["dashed"], "slope", "derivative", "∂y₃/∂z₃ = {v:.2g}", 12.4),
        },
    )


FAMILIES = ["(a, a, 2a)", "(a, 2a, 2a)", "(1000, 1000, 1000 + a)"]

# ---- saturation: logits, weights, Jacobian, and a gradient that is pulled back


def slots(**more):
    """One slot for each logit, without names."""
    return Axis(0.5, lambda s, c: len(c["logits"]) + 0.5, ticks=(), **more)


def slot(aside):
    return lambda s, c: np.arange(1, len(c["logits"]) + 1) + aside


def nothing(s, c):
    return np.zeros(len(c["logits"]))


def arrows(colour, aside, gradient):
    """From zero to each entry; where an entry is nothing, a dash."""
    x = slot(aside)
    return Segments(colour, tips=True, x1=x, y1=nothing, x2=x, y2=lambda s, c: s[gradient])


def above(c):
    return t(", above {v:.4g}", v=c["offset"]) if c["offset"] else ""


SIGNED = np.sign(np.linspace(-1, 1, 65)) * np.linspace(-1, 1, 65) ** 2 / 4

SATURATION = {
    "logits": Plot(
        title=lambda s, c: f"logits{above(c)}: drag the bars",
        colour="score",
        x=slots(),
        y=Axis(-10, 10),
        marks={
            "logits": Bars(
                "score",
                look=["hollow"],
                y=lambda s, c: c["logits"],
                x=slot(0),
                numbers=lambda s, c: [t("{v:.1f}", v=float(v)) for v in c["logits"]],
            ),
            "grips": Grips("soft", y=lambda s, c: c["logits"]),
        },
    ),
    "weights": Plot(
        title=lambda s, c: t("weights: largest {v:.4f}", v=max(s["weights"])),
        colour="score",
        x=slots(),
        y=Axis(0, 1),
        marks={
            "weights": Bars(
                "score",
                y=lambda s, c: s["weights"],
                x=slot(0),
                numbers=lambda s, c: [t("{v:.2f}", v=v) for v in s["weights"]],
            )
        },
    ),
    "jacobian": Plot(
        title=lambda s, c: t("Jacobian: largest entry {v:.2g}", v=s["jacobian"].max()),
        colour="gradient",
        marks={
            "jacobian": Heat(
                "gradient",
                negative="gradient-negative",
                values=lambda s, c: s["jacobian"],
                columns=lambda s, c: len(c["logits"]),
                limit=0.25,
                root=True,
            )
        },
    ),
    "key": Plot(
        x=Axis(
            -1,
            1,
            ticks={"−0.25": -1, "−0.016": -0.25, "0": 0, "0.016": 0.25, "0.25": 1},
            label="colour of an entry, the same range always",
        ),
        marks={"key": Heat("gradient", negative="gradient-negative", values=SIGNED, columns=65, limit=0.25, root=True)},
    ),
    "gradient": Plot(
        title=lambda s, c: t(
            "gradient: {v:.2g} % of its length is left", v=100 * np.linalg.norm(s["downstream_gradient"])
        ),
        colour="gradient",
        x=slots(),
        y=Axis(-1, 1),
        marks={
            "zero": Rule("soft", look=["solid"], y=0),
            "arrives": arrows("soft", -0.2, "upstream_gradient"),
            "left": arrows("gradient", 0.2, "downstream_gradient"),
        },
    ),
    "gradient legend": Text(
        lambda s, c: ["arrives at the weights", "left at the logits"],
        colours=lambda s, c: ["soft", "gradient"],
    ),
}

PICTURES = {"gap": {name: family(i, name) for i, name in enumerate(FAMILIES)}, "saturation": SATURATION}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "gap": {
        **{f"y3_{which}": "curve" for which in ("gap", "tied")},
        **{f"derivative_{which}": "slope" for which in ("gap", "tied", "shifted")},
    },
    "saturation": {"largest_weight": "weights", "left": "downstream_gradient"},
}
