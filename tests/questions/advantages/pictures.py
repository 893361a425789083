"""What each panel and mark of the labs on attention and recurrence shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Band, Dots, Line, Plot, Rule, Text

LENGTHS = 2 ** np.arange(4, 17)
TOKENS = {"x": Axis(16, 65536, "log", label="tokens n")}
POWERS = {"10⁴": 1e4, "10⁵": 1e5, "10⁶": 1e6, "10⁷": 1e7, "10⁸": 1e8, "10⁹": 1e9}
LOOKS = {
    "attention": ("score", ["thick"]),
    "recurrence": ("ink", ["thick"]),
    "convolution": ("soft", []),
    "dilated": ("soft", []),
    "plain": ("soft", ["thin"]),
    "window": ("score", ["thin"]),
}
FOUR = ("attention", "recurrence", "convolution", "window")


def powers(low, high):
    plain = {str(v) if v < 1 else f"{v:.0f}": v for v in (0.01, 0.1, 1, 10, 100, 1000)}
    return Axis(low, high, "log", ticks={word: v for word, v in (plain | POWERS).items() if low <= v <= high})


def lines(name, kinds=FOUR, labels=None):
    marks = {"n": Rule(x=lambda s, c: c["n"])}
    for i, kind in enumerate(kinds):
        colour, look = LOOKS[kind]
        marks[kind] = Line(
            colour, look=look, x=LENGTHS, y=lambda s, c, i=i: s[name][i], label=(labels or {}).get(kind, kind)
        )
        marks[f"{kind}: now"] = Dots(
            colour,
            look=["now"],
            size=0.4 if i < 2 else 0.25,
            x=lambda s, c: [c["n"]],
            y=lambda s, c, i=i: [s[name][i][list(LENGTHS).index(c["n"])]],
        )
    return marks


def curve(name, colour):
    return {
        f"{name}: draws": Band(colour, x=np.arange(50), low=lambda s, c: s[name][0], high=lambda s, c: s[name][2]),
        name: Line(colour, look=["thick"], x=np.arange(50), y=lambda s, c: s[name][1], label=name),
    }


def gradient(title, y):
    marks = {"all": Rule(y=1), **curve("recurrence", "ink"), **curve("attention", "score")}
    return Plot(title=title, x=Axis(0, 49, label="steps back"), y=y, marks=marks)


FAR = {"10⁻¹⁸": 1e-18, "10⁻¹²": 1e-12, "10⁻⁶": 1e-6, "1": 1, "10⁶": 1e6, "10¹²": 1e12}

PICTURES = {
    "layers": {
        "work": Plot(title="Multiplications, recurrence = 1", **TOKENS, y=powers(0.002, 2000), marks=lines("relative")),
        "waits": Plot(
            title="Steps that wait",
            **TOKENS,
            y=powers(1, 1e5),
            marks=lines("waits", labels={"attention": "all others", "convolution": "", "window": ""}),
        ),
        "hops": Plot(
            title="Hops, first to last",
            **TOKENS,
            y=powers(1, 1e5),
            marks=lines("hops", ("attention", "recurrence", "dilated", "plain", "window")),
        ),
        "kept": Plot(title="Numbers kept while generating", **TOKENS, y=powers(30, 1e9), marks=lines("kept")),
    },
    "path": {
        "kinds": Text(
            lambda s, c: ["Line: median of 21 draws. Band: the 17 in the middle. What lies outside stands at the edge."]
        ),
        "far": gradient("What comes back of a gradient of 1", Axis(1e-18, 1e12, "log", ticks=FAR)),
        "near": gradient(
            "What comes back, from 0.0001 to 10",
            Axis(1e-4, 10, "log", ticks={"0.0001": 0.0001, "0.001": 0.001, "0.01": 0.01, "0.1": 0.1, "1": 1, "10": 10}),
        ),
    },
}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "layers": {
        "ratio": "relative",
        "crossing": "relative",
        **{f"waits_{which}": "waits" for which in ("attention", "recurrence")},
        **{f"hops_{which}": "hops" for which in ("attention", "recurrence", "dilated", "plain", "window")},
        **{f"kept_{which}": "kept" for which in ("attention", "recurrence")},
    },
    "path": {"end_recurrence": "recurrence", "end_attention": "attention", "orders": "recurrence"},
}
