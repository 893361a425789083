"""What each panel and mark of the labs on two matrices for scores shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Diagram, Dots, Heat, Intervals, Line, Plot, Rule, Segments, Text, Texts
from whyformer.lab.words import t
from whyformer.questions.qk_weights.real_heads_lab import data

# ---- each_other: "it" and "cat", with six other words

WORDS = ["it", "cat"]
THERE, BACK = "it to cat", "cat to it"


def numbers(s, c):
    """The score and the weight of each for the other."""
    words = "score {a:.1f}, weight {b:.0%}"
    score = np.where(abs(s["scores"]) < 0.05, 0, s["scores"])  # no −0.0
    return {
        f"{THERE}: numbers": t(words, a=score[0, 1], b=s["other"][0]),
        f"{BACK}: numbers": t(words, a=score[1, 0], b=s["other"][1]),
    }


def thickness(s, c):
    """Of arrows, and of frames half as much; a hair is left where there is no weight."""
    thick = {THERE: s["other"][0], BACK: s["other"][1], "it": s["own"][0] / 2, "cat": s["own"][1] / 2}
    return {name: 0.95 * share + (0.05 if " to " in name else 0.025) for name, share in thick.items()}


def strip(colour, start, end, look=()):
    """From the share where it starts to where it ends, a strip for each row."""
    return Intervals(colour, look=look, x1=start, x2=end, y1=[-0.1, 0.9], y2=[0.45, 1.45])


def named(colour, which, start, words):
    """Above its strip, where that is wide enough for words."""

    def seen(s):
        return [i for i in (0, 1) if s[which][i] >= 0.22]

    return Texts(
        colour,
        x=lambda s, c: [start(s)[i] + s[which][i] / 2 for i in seen(s)],
        y=lambda s, c: [i - 0.1 for i in seen(s)],
        texts=lambda s, c: [t(f"{words[i]} {{v:.0%}}", v=s[which][i]) for i in seen(s)],
    )


def nothing(s, c=None):
    return np.zeros(2)


def own(s, c=None):
    return s["own"]


def both(s, c=None):
    return s["own"] + s["other"]


def one(s, c):
    return c["matrices"] == "one"


def shares(*at):
    return lambda s, c: {t("{v:.0%}", v=float(share)): share for share in at}


def part(start, end):
    return Intervals("score", look=["solid"], x1=start, x2=end, y1=[-0.3], y2=[0.3])


EACH_OTHER = {
    "arrows": Diagram(
        title="Thickness: weight; of a frame: for itself",
        boxes=lambda s, c: {word: word for word in WORDS},
        wires=lambda s, c: {THERE: ("it", "cat"), BACK: ("cat", "it")},
        labels=numbers,
        thick=thickness,
        above=lambda s, c: [THERE, f"{THERE}: numbers"],
        colours=lambda s, c: dict.fromkeys([*WORDS, THERE, BACK, *numbers(s, c)], "score"),
        bold=lambda s, c: [*WORDS, *numbers(s, c)],
        faint=lambda s, c: [],
    ),
    "rows": Plot(
        title="Each word gives 100 %",
        x=Axis(0, 1, ticks=shares(0, 0.5, 1)),
        y=Axis(-0.5, 1.5, "cells", ticks=WORDS),
        marks={
            "for itself": strip("score", nothing, own),
            "for the other": strip("score", own, both, look=["solid"]),
            "for six others": strip("soft", both, lambda s, c: both(s) + s["rest"]),
            "itself": named("ink", "own", nothing, ["itself", "itself"]),
            "other": named("score", "other", own, ["cat", "it"]),
            "others": named("ink", "rest", both, ["others", "others"]),
        },
    ),
    "sum": Plot(
        title=lambda s, c: t("Both weights for each other, added: {v:.0%}", v=s["other"][0] + s["other"][1]),
        x=Axis(0, 2, ticks=shares(0, 1, 2)),
        y=Axis(-0.5, 0.5, ticks=()),
        marks={
            "out of reach": Intervals("soft", look=["faint"], when=one, x1=[1], x2=[2], y1=[-0.5], y2=[0.5]),
            "never": Texts("soft", when=one, x=[1.5], y=[0], texts=["never, with one matrix"]),
            "it for cat": part([0], lambda s, c: [s["other"][0]]),
            "cat for it": part(lambda s, c: [s["other"][0]], lambda s, c: [s["other"].sum()]),
            "where they meet": Segments(
                "soft",
                look=["thick"],
                x1=lambda s, c: [s["other"][0]],
                x2=lambda s, c: [s["other"][0]],
                y1=[-0.3],
                y2=[0.3],
            ),
            "wall": Rule("ink", look=["solid"], x=1),
        },
    ),
    "others": Text(
        lambda s, c: ["Set by hand: the six other words of the sentence have the score 0 in both rows."], tone="aside"
    ),
}

# ---- real_heads


def limit(s, c):
    """The next five above the largest centred score, with room for a dot; the blend does not change it."""
    return 5 * np.ceil((s["largest"] + 0.5) / 5)


def ends(s, c):
    return [-limit(s, c), limit(s, c)]


def tokens(s, c):
    return data()[c["text"]]["tokens"]


def weights(title, which):
    """Rows of the attending token, columns of the attended one; full violet is a weight of 1."""
    axis = Axis(-0.5, lambda s, c: len(tokens(s, c)) - 0.5, "cells", ticks=tokens)
    heat = Heat("score", values=lambda s, c: s[which], columns=lambda s, c: len(tokens(s, c)), limit=1)
    return Plot(title=title, colour="score", x=axis, y=axis, marks={"weights": heat})


def how_to_read(s, c):
    if c["blend"] == 1:
        return [
            "Symmetric: each pair has one score in both directions.",
            "What a whole column shares, such as a liking of all for [CLS], is left in.",
        ]
    return [
        "A dot off the dashed line is a pair with a direction.",
        "Centred: without what a whole row or a whole column shares.",
    ]


AXIS = {"low": lambda s, c: -limit(s, c), "high": limit}

REAL_HEADS = {
    "both ways": Plot(
        title="Dots: pairs of tokens; up: later for earlier",
        x=Axis(**AXIS, label="score: earlier for later"),
        y=Axis(**AXIS),
        marks={
            "the same": Line("soft", look=["dashed"], x=ends, y=ends),
            "pairs": Dots("score", size=0.3, x=lambda s, c: s["there"], y=lambda s, c: s["back"]),
        },
    ),
    "trained": weights("weights as trained", "weights_trained"),
    "now": weights("weights of these scores", "weights"),
    "how to read": Text(how_to_read, tone="hint"),
}

PICTURES = {"each_other": EACH_OTHER, "real_heads": REAL_HEADS}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "real_heads": {
        "symmetric_percent": ("there", "back"),
        **{number: "weights" for number in ("before_percent", "own_percent", "moved_percent")},
    },
    "each_other": {
        **{number: "own" for number in ("own_it", "own_cat")},
        **{number: "scores" for number in ("score_there", "score_back")},
        **{number: "other" for number in ("weight_there", "weight_back", "weight_sum")},
    },
}
