"""What each panel and mark of the roles lab shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Bars, Diagram, Plot, Rings, Text, Texts
from whyformer.lab.words import t

WORDS = ("The", "cat", "sat", "because", "it", "was", "tired", ".")


def asker(c):
    return c["asks"] - 1


def seen(s):
    """Where the weight without matrices is drawn."""
    return np.flatnonzero(s["weights_without"] >= 0.1)


def percent(value):
    return t("{value:.0%}", value=value)


def axis():
    return Axis(lambda s, c: asker(c), 8, "words", ticks=WORDS)


def scores(title, kind, limit):
    """Two rings for each word: the large one its score from the asking word, the small one the score back."""
    there, back = f"scores{kind}", f"back{kind}"
    pair = lambda s: sorted((s[there][s["partner"]], s[back][s["partner"]]))  # noqa: E731
    return Plot(
        title=title,
        x=axis(),
        y=Axis(lambda s, c: -limit(c), lambda s, c: limit(c)),
        marks={
            "asks": Rings("score", x=range(8), y=lambda s, c: s[there]),
            "is asked": Rings("score", x=range(8), y=lambda s, c: s[back]),
            "of one pair": Texts(
                "ink",
                x=lambda s, c: [s["partner"]],
                y=lambda s, c: [pair(s)[1] + 0.08 * limit(c)],
                texts=lambda s, c: [t("{score:.2f}", score=pair(s)[1])],
            ),
            "back": Texts(
                "ink",
                when=lambda s, c: pair(s)[0] < pair(s)[1],
                x=lambda s, c: [s["partner"]],
                y=lambda s, c: [pair(s)[0] - 0.08 * limit(c)],
                texts=lambda s, c: [t("{score:.2f}", score=pair(s)[0])],
            ),
        },
    )


ROLES = {
    "roles": Diagram(
        boxes=lambda s, c: {
            "token": WORDS[asker(c)],
            "asks": "asks: x W_Q",
            "offers": "offers: x W_K",
            "hands over": "hands over: x W_V",
            "asks, without": "asks: x",
            "offers, without": "offers: x",
            "hands over, without": "hands over: x",
        },
        wires=lambda s, c: {"with": ("token", "asks"), "without": ("token", "asks, without")},
        colours=lambda s, c: {"asks": "query", "offers": "key", "hands over": "value"},
    ),
    "weights": Plot(
        x=axis(),
        y=Axis(0, 1),
        marks={
            "without": Bars(
                "soft", look=["dashed"], x=lambda s, c: seen(s), y=lambda s, c: s["weights_without"][seen(s)]
            ),
            "own, without": Texts(
                "soft",
                x=lambda s, c: [asker(c)],
                y=lambda s, c: [s["weights_without"][asker(c)]],
                texts=lambda s, c: [percent(s["weights_without"][asker(c)])],
            ),
            "weights": Bars(
                "score",
                x=range(8),
                y=lambda s, c: s["weights"],
                numbers=lambda s, c: [percent(v) for v in s["weights"]],
            ),
        },
    ),
    "rest": Text(
        lambda s, c: [
            "Solid: with the matrices. Dashed: without, from 10 % on. [CLS] and [SEP] get the rest, "
            f"{percent(s['rest'])} with."
        ],
        tone="aside",
    ),
    "scores": scores("Scores with W_Q and W_K", "", lambda c: 30 if c["head"] == "before" else 10),
    "scores without": scores("Scores without", "_without", lambda c: 10),
    "both ways": Text(
        lambda s, c: ["Large ring: the asking word's score. Small ring: the score it gets back."], tone="aside"
    ),
}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    **dict.fromkeys(("winner", "largest"), "weights"),
    **dict.fromkeys(("winner_without", "own_without"), "weights_without"),
    **dict.fromkeys(("partner", "there", "return"), "scores"),
    "there_without": "scores_without",
}
