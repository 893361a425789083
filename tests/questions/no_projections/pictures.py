"""What each panel and mark of the labs on attention without projections shows."""

from __future__ import annotations

import numpy as np
from pictures import (
    Axis,
    Bars,
    Circles,
    Dots,
    Grid,
    Grips,
    Heat,
    Line,
    Plot,
    Polar,
    Polygon,
    Rings,
    Rule,
    Segments,
    Text,
    Texts,
)
from questions.no_projections.pictures_roles import READ_OFF as READ_OFF_ROLES
from questions.no_projections.pictures_roles import ROLES
from scipy.spatial import ConvexHull, QhullError
from whyformer.lab.words import t

# ---- many: n random tokens of d numbers

D = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


def n(s, c):
    return c["n_tokens"]


KINDS = {"none": "x·x", "same": "W_Q = W_K", "q": "W_Q alone", "qk": "W_Q and W_K"}


def rows_of(weights, own):
    """The rows whose largest weight is their own, or those where it is not."""
    largest = weights.argmax(1)
    return np.flatnonzero((largest == np.arange(len(largest))) == own)


def largest(kind, colour, own, **more):
    weights = lambda s: s[f"weights_{kind}"]  # noqa: E731
    return Rings(
        colour,
        x=lambda s, c: weights(s).argmax(1)[rows_of(weights(s), own)],
        y=lambda s, c: rows_of(weights(s), own),
        **more,
    )


def chosen(s, c):
    """The weights of the chosen kind of projections."""
    return s[f"weights_{c['projections']}"]


def weight_map(kind):
    return Plot(
        title=lambda s, c: f"{KINDS[kind]}: {len(rows_of(s[f'weights_{kind}'], True))} of {n(s, c)}",
        colour="score",
        x=cells(),
        y=cells(),
        marks={
            "weights": Heat("score", values=lambda s, c: s[f"weights_{kind}"], columns=n, limit=1, root=True),
            "largest on itself": largest(kind, "ink", own=True),
            "largest on another": largest(kind, "ink", own=False, square=True),
        },
    )


def expected(kinds, x, y):
    """The line of the present kind of projections is violet and thick."""
    return Line(
        lambda s, c: "score" if c["projections"] in kinds else "soft",
        look=lambda s, c: ["thick"] if c["projections"] in kinds else [],
        x=x,
        y=y,
    )


def one_in_n(s, c):
    return [100 / c["n_tokens"]] * 2


def facts(s, c):
    own = np.diag(chosen(s, c))
    law = {"none": s["law_none"], "same": s["law_same"]}.get(c["projections"], np.full(len(D), 100 / n(s, c)))
    return [
        "rows whose largest weight is their own",
        t("{a} of {b}", a=len(rows_of(chosen(s, c), True)), b=n(s, c)),
        "expected over many draws",
        t("{v:.1f} %", v=law[D.index(c["d"])]),
        "mean weight of a token on itself",
        t("{v:.3f}", v=own.mean()),
        "output coordinates outside the range of the inputs",
        t("{v:.1f} %", v=s["outside"]),
    ]


def cells():
    return Axis(-0.5, lambda s, c: n(s, c) - 0.5, "cells")


MANY = {
    **{f"weights {kind}": weight_map(kind) for kind in KINDS},
    "rings": Text(lambda s, c: ["One row for a token. Ring: its largest weight is on itself. Square: on another."]),
    "law": Plot(
        title="rows that look at themselves, % (lines: expected; dot: this draw)",
        x=Axis(1, 128, "log", label="d"),
        y=Axis(0, 100),
        marks={
            "d": Rule(x=lambda s, c: c["d"]),
            "x·x": expected(["none"], D, lambda s, c: s["law_none"]),
            "W_Q = W_K": expected(["same"], D, lambda s, c: s["law_same"]),
            "1/n": expected(["q", "qk"], [1, 128], one_in_n),
            "this draw": Dots(
                "score",
                look=["now"],
                size=0.55,
                x=lambda s, c: [c["d"]],
                y=lambda s, c: [100 * len(rows_of(chosen(s, c), True)) / n(s, c)],
            ),
            # names stand beside their lines
            "name of x·x": Texts("ink", x=[4], y=lambda s, c: s["law_none"][[D.index(4)]], texts=["x·x"]),
            "name of W_Q = W_K": Texts("ink", x=[12], y=lambda s, c: s["law_same"][[D.index(12)]], texts=["W_Q = W_K"]),
            "name of 1/n": Texts(
                "ink", x=[128], y=lambda s, c: one_in_n(s, c)[:1], texts=["W_Q alone, or W_Q and W_K: 1/n"]
            ),
        },
    ),
    "facts": Text(facts),
}

# ---- plane: four tokens as arrows

TOKENS = np.arange(4)
COLOUR = {True: "soft", False: "score"}


def hull(points):
    """The corners of the convex hull, in order; of points on one line its ends."""
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:
        middle = points - points.mean(0)
        along = middle @ np.linalg.svd(middle)[2][0]
        return points[[along.argmin(), along.argmax()]]


def outline(colour, points, when=None):
    return Polygon(colour, when=when, x=lambda s, c: hull(points(s))[:, 0], y=lambda s, c: hull(points(s))[:, 1])


def proved(s, c):
    """From the largest length and the divisor, for each round."""
    return s["apart"][0] * (1 - np.exp(-2 * max(c["lengths"]) ** 2 / c["divisor"])) ** np.arange(21)


def tips(s, c):
    """The tokens, from what is dragged."""
    turn = np.radians(c["angles"])
    return (np.array(c["lengths"]) * [np.cos(turn), np.sin(turn)]).T


def those(s, own):
    """The tokens that look at themselves, or those that look past themselves."""
    return np.flatnonzero(s["own"] == own)


def arrows(own):
    name, colour = ("own" if own else "past"), COLOUR[own]
    zeros = lambda s, c: np.zeros(len(those(s, own)))  # noqa: E731

    def beyond(wave):
        """A little further out than the tip."""
        return lambda s, c: (np.array(c["lengths"]) + 0.3)[those(s, own)] * wave(np.radians(c["angles"]))[those(s, own)]

    return {
        f"{name}: arrows": Segments(
            colour,
            x1=zeros,
            y1=zeros,
            x2=lambda s, c: tips(s, c)[those(s, own), 0],
            y2=lambda s, c: tips(s, c)[those(s, own), 1],
            tips=True,
        ),
        f"{name}: names": Texts(
            colour, x=beyond(np.cos), y=beyond(np.sin), texts=lambda s, c: [str(i + 1) for i in those(s, own)]
        ),
    }


def looked_at(s, c):
    """Where those are that tokens look at which look past themselves."""
    return tips(s, c)[s["best"][those(s, False)].astype(int)]


def moved(s, c):
    return c["rounds"] > 0


def path(i):
    """From the first to the present round."""
    way = lambda s, c: s["path"][: c["rounds"] + 1, i]  # noqa: E731
    return Line("value", look=["thin"], when=moved, x=lambda s, c: way(s, c)[:, 0], y=lambda s, c: way(s, c)[:, 1])


def verdict(s, c):
    past = those(s, False)
    if not len(past):
        return ["Every token gives itself its largest weight."]
    i = past[0]
    j = int(s["best"][i])  # of several that tie, the first
    return [
        f"Framed rows look past themselves. Token {i + 1}:",
        t("{a:.2f} with itself, {b:.2f} with token {j}.", a=s["scores"][i, i], b=s["scores"][i, j], j=j + 1),
    ]


def dragged(control, low, high):
    """Bars, one for a token."""
    return Plot(
        title=f"{control}: drag",
        x=Axis(0.5, 4.5),
        y=Axis(low, high),
        marks={control: Bars(y=lambda s, c: c[control]), "grips": Grips(y=lambda s, c: c[control])},
    )


PLANE = {
    "plane": Plot(
        title=lambda s, c: (
            f"arrows: tokens, drag the tips; green dots: after {c['rounds']} of 20 rounds"
            if c["rounds"]
            else "arrows: tokens, drag the tips; thin: what a token looks at instead of itself"
        ),
        x=Axis(-3.4, 3.4, "round", ticks=[1, 2, 3]),
        y=Axis(-3.4, 3.4, "round", ticks=[1, 2, 3]),
        marks={
            "lengths": Circles(r=[1, 2, 3]),
            "1, 2, 3": Texts(  # on the circles, down to the left
                "soft", x=-np.sqrt(0.5) * TOKENS[1:], y=-np.sqrt(0.5) * TOKENS[1:], texts=["1", "2", "3"]
            ),
            "hull at first": outline("soft", lambda s: s["x"]),
            "hull now": outline("value", lambda s: s["now"], moved),
            **{f"path of {i + 1}": path(i) for i in TOKENS},
            **arrows(own=True),
            **arrows(own=False),
            "looks at": Segments(
                "score",
                look=["thin"],
                x1=lambda s, c: tips(s, c)[those(s, False), 0],
                y1=lambda s, c: tips(s, c)[those(s, False), 1],
                x2=lambda s, c: looked_at(s, c)[:, 0],
                y2=lambda s, c: looked_at(s, c)[:, 1],
            ),
            "now": Dots(
                "value",
                look=["now"],
                size=0.4,
                when=moved,
                x=lambda s, c: s["path"][c["rounds"], :, 0],
                y=lambda s, c: s["path"][c["rounds"], :, 1],
            ),
            "tips": Polar(
                x=lambda s, c: tips(s, c)[:, 0],
                y=lambda s, c: tips(s, c)[:, 1],
                colours=lambda s, c: [COLOUR[bool(own)] for own in s["own"]],
            ),
        },
    ),
    "weights": Grid(
        title="Weights: row looks at column",
        colour="score",
        rows=[f"token {i + 1}" for i in TOKENS],
        columns=[str(j + 1) for j in TOKENS],
        text=lambda s, c, i, j: t("{v:.2f}", v=s["weights"][i, j]),
        tint=lambda s, c, i, j: "score",
        strength=lambda s, c, i, j: 0.5 * s["weights"][i, j],
        bold=lambda s, c, i, j: j == s["best"][i],
        frame=lambda s, c, i, j: None,
        framed=lambda s, c, i: None if s["own"][i] else "score",
    ),
    "verdict": Text(verdict),
    "apart": Plot(
        title=lambda s, c: t(
            "largest distance after {n} of 20 rounds: {a:.3f}, proved at most {b:.3f}",
            n=c["rounds"],
            a=s["apart"][c["rounds"]],
            b=proved(s, c)[c["rounds"]],
        ),
        colour="value",
        x=Axis(0, 20, label="rounds"),
        y=Axis(0, 6),
        marks={
            "proved at most": Line("soft", look=["dashed"], x=np.arange(21), y=proved),
            "largest distance": Line("value", x=np.arange(21), y=lambda s, c: s["apart"]),
            "now": Dots(
                "value",
                look=["now"],
                size=0.5,
                x=lambda s, c: [c["rounds"]],
                y=lambda s, c: [s["apart"][c["rounds"]]],
            ),
        },
    ),
    "lengths": dragged("lengths", 0, 3),
    "angles": dragged("angles", -180, 180),
}

PICTURES = {"many": MANY, "plane": PLANE, "roles": ROLES}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "roles": READ_OFF_ROLES,
    "many": {
        **{f"n_own_{which}": f"weights_{which}" for which in ("none", "same", "q", "qk")},
        "expected": "law_none",
        "share": "weights_none",
    },
    "plane": {
        **{number: ["weights", "scores"] for number in ("first_own", "first_largest")},
        "first_at": "best",
        "n_own": "own",
        "apart_start": ["apart", "path"],
        "apart_now": ["apart", "now"],
        "bound": "panel apart",
    },
}
