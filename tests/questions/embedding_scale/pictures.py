"""What each panel and mark of the labs on the embedding's scale shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Dots, Heat, Line, Plot, Rings, Rule, Segments, Text, Texts
from whyformer.lab.words import t

# ---- balance: ten tokens with five words

TEXT = "the more the dog ran the more the cat ran".split()
AGAIN = [(i, j) for i in range(10) for j in range(10) if i != j and TEXT[i] == TEXT[j]]
TURN = np.linspace(0, np.pi / 2, 31)


def pairs(name, of_one_word):
    """The pairs with one word, or with two."""
    return lambda s, c: s[name][s["same"] == of_one_word]


def lengths(s, c):
    return t("{a:.3g}, {b:.3g}", a=s["word_lengths"].mean(), b=s["position_lengths"].mean())


BALANCE = {
    "similarity": Plot(
        title="cosine of any two tokens",
        colour="score",
        x=Axis(-0.5, 9.5, "cells"),
        y=Axis(-0.5, 9.5, "cells", ticks=TEXT),
        marks={
            "cosines": Heat(
                "score", negative="gradient-negative", values=lambda s, c: s["similarity"], columns=10, limit=1
            ),
            "one word": Rings("ink", square=True, x=[i for i, _ in AGAIN], y=[j for _, j in AGAIN]),
        },
    ),
    "direction": Plot(
        title=lambda s, c: t(
            "the sum: {a:.0f}° from its word, {b:.0f}° from its position",
            a=np.degrees(np.arccos(s["to_word"])).mean(),
            b=np.degrees(np.arccos(s["to_position"])).mean(),
        ),
        x=Axis(-0.35, 1.25, label="cosine with the word"),
        y=Axis(-0.35, 1.25),
        marks={
            "all sums": Line("soft", x=np.cos(TURN), y=np.sin(TURN)),
            "mean": Segments(
                x1=[0],
                y1=[0],
                x2=lambda s, c: [s["to_word"].mean()],
                y2=lambda s, c: [s["to_position"].mean()],
                tips=True,
            ),
            "tokens": Dots("ink", size=0.35, x=lambda s, c: s["to_word"], y=lambda s, c: s["to_position"]),
            "its word": Texts("ink", x=[1], y=[-0.04], texts=["all word"]),
            "its position": Texts("ink", x=[0], y=[1.06], texts=["all position"]),
        },
    ),
    "distance": Plot(
        title="cosine of two tokens (lines: expected; dots: this draw)",
        x=Axis(0, 9, label="places apart"),
        y=Axis(-0.4, 1.05),
        marks={
            "law, one word": Line(
                "ink", look=["thick"], x=np.arange(10), y=lambda s, c: s["law_same"], label="one word"
            ),
            "law, two words": Line(x=np.arange(10), y=lambda s, c: s["law_other"], label="two words"),
            "one word": Dots("ink", size=0.35, x=pairs("apart", 1), y=pairs("cosine", 1)),
            "two words": Dots(size=0.2, x=pairs("apart", 0), y=pairs("cosine", 0)),
        },
    ),
    "facts": Text(
        lambda s, c: [
            "length of a word, of a position",
            lengths(s, c),
            "position's share of the squared length",
            t("{v:.1f} %", v=s["share"]),
            "neighbours, cosine",
            t("{v:.2f}", v=s["cosine"][s["apart"] == 1].mean()),
            "one word, 5 or more apart, cosine",
            t("{v:.2f}", v=s["cosine"][(s["same"] == 1) & (s["apart"] >= 5)].mean()),
        ]
    ),
    "how to read": Text(
        lambda s, c: [
            "The darker, the more alike two tokens are. Squares: two tokens with one word.",
            "Dots: this draw.",
        ]
    ),
}

# ---- two_uses: a word beside a position, and logits

ENDS = np.array([0.005, 2])


def root(c):
    return c["d_model"] ** 0.5


def spread(s, c):
    return {"small": 0.02, "root": 1 / root(c), "one": 1}[c["spread"]]


def ratio(s, c):
    """A word's length over that of a position, at spread 1."""
    return (root(c) if c["into"] == "root" else 1) * root(c) / (c["d_model"] / 2) ** 0.5


def logits(s, c):
    """Their standard deviation at spread 1."""
    return 1 if c["out"] == "root" else root(c)


def now(of):
    return lambda s, c: of(s, c) * spread(s, c)


TWO_USES = {
    "wishes": Plot(
        title=lambda s, c: t("word ÷ position {a:.2g} (wish ≥ 1), logits {b:.2g} (wish ≈ 1)", a=s["ratio"], b=s["std"]),
        x=Axis(0.005, 2, "log", label="spread of the table"),
        y=Axis(0.004, 100, "log"),
        marks={
            "1": Rule(look=["solid"], y=lambda s, c: 1),
            "spread": Rule(x=spread),
            "input": Line("ink", look=["thick"], x=ENDS, y=lambda s, c: ENDS * ratio(s, c), label="word ÷ position"),
            "output": Line("score", look=["thick"], x=ENDS, y=lambda s, c: ENDS * logits(s, c), label="logits"),
            "input now": Dots(
                "ink",
                look=["now"],
                size=0.45,
                x=lambda s, c: [spread(s, c)],
                y=lambda s, c: [now(ratio)(s, c)],
            ),
            "output now": Dots(
                "score", look=["now"], size=0.45, x=lambda s, c: [spread(s, c)], y=lambda s, c: [now(logits)(s, c)]
            ),
        },
    ),
    "loss": Plot(
        title=lambda s, c: t("first loss: {v:.1f} nats", v=np.median(s["loss"])),
        x=Axis(1 / 64, 32, "log", label="spread of the logits"),
        y=Axis(5, 150, "log"),
        marks={
            "equal logits": Rule(look=["solid"], y=lambda s, c: np.log(1000)),
            "now": Rule(x=now(logits)),
            "median": Line("ink", look=["thick"], x=lambda s, c: s["curve_std"], y=lambda s, c: s["curve_loss"]),
            "draws": Dots("score", size=0.3, x=lambda s, c: [now(logits)(s, c)] * 8, y=lambda s, c: s["loss"]),
            "ln 1000": Texts("soft", x=[1 / 64], y=[np.log(1000)], texts=["ln 1000"]),
        },
    ),
    "facts": Text(
        lambda s, c: [
            "word ÷ position, wish: 1 or more",
            t("{v:.3g}", v=s["ratio"]),
            "spread of the logits, wish: about 1",
            t("{v:.3g}", v=s["std"]),
            "first loss above that of equal logits",
            t("{v:.3g} nats", v=np.median(s["loss"]) - np.log(1000)),
        ]
    ),
}

PICTURES = {"balance": BALANCE, "two_uses": TWO_USES}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "balance": {
        "spots": "similarity",
        "word": "to_word",
        "position": "to_position",
        "word_angle": "to_word",
        "neighbours": ["cosine", "similarity"],
        "again": ["cosine", "similarity"],
        "share": ["law_other", "to_position"],
    },
    "two_uses": {"above": "loss", "first_loss": "loss", "uniform": "curve_loss"},
}
