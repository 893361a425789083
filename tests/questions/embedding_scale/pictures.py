"""What each panel and mark of the labs on the embedding's scale shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Dots, Heat, Intervals, Line, Plot, Rings, Rule, Text, Texts
from whyformer.lab.words import t

# ---- balance: ten tokens with five words

TEXT = "the more the dog ran the more the cat ran".split()
AGAIN = [(i, j) for i in range(10) for j in range(10) if i != j and TEXT[i] == TEXT[j]]


def pairs(name, of_one_word):
    """The pairs with one word, or with two."""
    return lambda s, c: s[name][s["same"] == of_one_word]


def word_part(s, c):
    return [100 - s["share"]]


def shares(s, c):
    return {t("{v:.0%}", v=at / 100): at for at in (0, 50, 100)}


def part(share, s, name):
    return t(name + " {share:.1f} %, {long:.1f} long", share=share, long=s[name + "_lengths"].mean())


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
    "parts": Plot(
        title="of the sum's squared length",
        x=Axis(0, 100, ticks=shares),
        y=Axis(-1.6, 1.6, ticks=()),
        marks={
            "word": Intervals("ink", look=["solid"], x1=[0], x2=word_part, y1=[-0.5], y2=[0.5]),
            "position": Intervals(x1=word_part, x2=[100], y1=[-0.5], y2=[0.5]),
            "said of the word": Texts("ink", x=[0], y=[1], texts=lambda s, c: [part(100 - s["share"], s, "word")]),
            "said of the position": Texts("soft", x=[0], y=[-1], texts=lambda s, c: [part(s["share"], s, "position")]),
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
            "neighbors, cosine",
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


def root(c):
    return c["d_model"] ** 0.5


def spread(c):
    return {"small": 0.02, "root": 1 / root(c), "one": 1}[c["spread"]]


def ratio(s, c):
    """A word's length over that of a position."""
    return (root(c) if c["into"] == "root" else 1) * spread(c) * root(c) / (c["d_model"] / 2) ** 0.5


def logits(s, c):
    """Their standard deviation."""
    return spread(c) * (1 if c["out"] == "root" else root(c))


def one(of):
    return lambda s, c: [of(s, c)]


TWO_USES = {
    "ends": Plot(
        title="Gray: wanted, at least 1 and at most 2",
        x=Axis(0.004, 200, "log"),
        y=Axis(-0.5, 1.5, "cells", ticks=["word ÷ position", "logits"]),
        marks={
            "wanted": Intervals(x1=[1, 0.004], x2=[200, 2], y1=[-0.4, 0.6], y2=[0.4, 1.4]),
            "word ÷ position": Intervals("ink", look=["solid"], x1=[0.004], x2=one(ratio), y1=[-0.2], y2=[0.2]),
            "logits": Intervals("score", look=["solid"], x1=[0.004], x2=one(logits), y1=[0.8], y2=[1.2]),
            "how long": Texts("ink", x=one(ratio), y=[0], texts=lambda s, c: [t("{v:.2g}", v=s["ratio"])]),
            "how wide": Texts("score", x=one(logits), y=[1], texts=lambda s, c: [t("{v:.2g}", v=s["std"])]),
        },
    ),
    "loss": Plot(
        title=lambda s, c: t("first loss: {v:.1f} nats", v=np.median(s["loss"])),
        x=Axis(1 / 64, 32, "log", label="spread of the logits"),
        y=Axis(5, 150, "log"),
        marks={
            "equal logits": Rule(look=["solid"], y=lambda s, c: np.log(1000)),
            "now": Rule(x=logits),
            "median": Line("ink", look=["thick"], x=lambda s, c: s["curve_std"], y=lambda s, c: s["curve_loss"]),
            "draws": Dots("score", size=0.3, x=lambda s, c: [logits(s, c)] * 8, y=lambda s, c: s["loss"]),
            "ln 1000": Texts("soft", x=[1 / 64], y=[np.log(1000)], texts=["ln 1000"]),
        },
    ),
}

PICTURES = {"balance": BALANCE, "two_uses": TWO_USES}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "balance": {
        "spots": "similarity",
        "word": "word_lengths",
        "position": "position_lengths",
        "neighbours": ["cosine", "similarity"],
        "again": ["cosine", "similarity"],
    },
    "two_uses": {"above": "loss", "first_loss": "loss", "uniform": "curve_loss"},
}
