"""What each panel and mark of the labs on two matrices for scores shows."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from pictures import Axis, Bars, Diagram, Dots, Grid, Heat, Intervals, Line, Plot, Rule, Text, Texts
from whyformer.lab.words import t
from whyformer.questions.qk_weights.real_heads_lab import data

# ---- two_questions: five words, A and B among them

WORDS = {
    "boy": ["I", "am", "a", "boy", "."],
    "dogs": ["dogs", "chase", "cats", "at", "night"],
    "gave": ["she", "gave", "him", "old", "books"],
}


def words_of(s, c):
    return WORDS[c["text"]]


def pair(c):
    """Words A and B, from 0."""
    return c["first"] - 1, c["second"] - 1


def ways(c):
    """From A to B and back: two ways, or none where they are one word."""
    a, b = pair(c)
    return {(a, b), (b, a)} if a != b else set()


def name(i, j):
    return f"{i + 1} to {j + 1}"


ARROWS = list(permutations(range(5), 2))


def of_arrows(s, c):
    return {name(i, j): (f"word {i + 1}", f"word {j + 1}") for i, j in ARROWS}


def thickness(s, c):
    """Of arrows and frames, on one scale; a hair is left where there is no weight."""
    names = {(i, j): f"word {i + 1}" if i == j else name(i, j) for i in range(5) for j in range(5)}
    return {names[i, j]: 0.04 + 0.8 * s["weights"][i, j] for i, j in names}


def above(s, c):
    """To the right above the words, to the left below."""
    numbers = [f"{name(i, j)}: numbers" for i, j in ways(c) if i < j]
    return [name(i, j) for i, j in ARROWS if i < j] + numbers


def colours(s, c):
    """Violet are the two ways, and a word that is both A and B."""
    a, b = pair(c)
    boxes = {f"word {i + 1}": "score" if a == b == i else "soft" for i in range(5)}
    wires = {name(i, j): "score" if (i, j) in ways(c) else "soft" for i, j in ARROWS}
    return boxes | wires | dict.fromkeys(numbers(s, c), "score")


def numbers(s, c):
    return {
        f"{name(i, j)}: numbers": t("score {a:.2f}, weight {b:.2f}", a=s["scores"][i, j], b=s["weights"][i, j])
        for i, j in ways(c)
    }


def title_of_arrows(s, c):
    a, b = pair(c)
    together = s["weights"][a, b] + s["weights"][b, a]
    what = "Thickness: weight; of a frame: for itself"
    return what if a == b else what + t(". Violet, together: {v:.2f}", v=together)


def of_pair(s, c):
    words, (a, b) = WORDS[c["text"]], pair(c)
    rows = [(a, b), (b, a)] if a != b else [(a, b)]
    return [
        ["from → to", "score", "weight"],
        *(
            [f"{words[i]} → {words[j]}", t("{v:.2f}", v=s["scores"][i, j]), t("{v:.2f}", v=s["weights"][i, j])]
            for i, j in rows
        ),
    ]


def verdict(s, c):
    if c["first"] == c["second"]:
        return ["A word and itself: there is only one score. Choose two words."]
    if c["mix"] == 0:
        return [
            "One matrix: the two scores are equal.",
            "The weights are not: each word divides by its own row's sum.",
        ]
    return ["Two matrices: the score back is another question with another answer."]


def balance(s, c):
    own = s["scores"].diagonal().min()
    if c["mix"] == 0:
        return [
            "A walk still steps from A to B as often as from B to A.",
            t("The smallest score of a word with itself is {v:.2f}; it is never below 0.", v=own),
        ]
    steps = s["steps"]
    return [
        t("Of all steps of a walk {v:.1f} % are not matched by a step back.", v=50 * np.abs(steps - steps.T).sum()),
        t("The smallest score of a word with itself is {v:.2f}.", v=own),
    ]


def square(title, values, digits, tint, limit):
    """Five by five numbers, tinted by the root of their share of the limit; the pair is framed."""

    def number(s, c, i, j):
        nothing = f"{0:.{digits}f}"
        return t(f"{{v:.{digits}f}}", v=values(s)[i, j]).replace("−" + nothing, nothing)

    def of_pair(s, c, i, j):
        return (i, j) in (pair(c), pair(c)[::-1])

    return Grid(
        title=title,
        rows=words_of,
        columns=words_of,
        text=number,
        tint=lambda s, c, i, j: tint(values(s)[i, j]),
        strength=lambda s, c, i, j: 0.5 * np.sqrt(min(1, abs(values(s)[i, j]) / limit)),
        frame=lambda s, c, i, j: "ink" if of_pair(s, c, i, j) else None,
        bold=of_pair,
        hatched=lambda s, c, i, j: False,
    )


def both_ways(s, c, i, j):
    """What the words of a cell above the diagonal give each other, together."""
    return s["weights"][i, j] + s["weights"][j, i]


def above_diagonal(value, nothing=None):
    return lambda s, c, i, j: value(s, c, i, j) if i < j else nothing


SUMS = Grid(
    title="Weight there + weight back; hatched: above 1",
    rows=words_of,
    columns=words_of,
    text=above_diagonal(lambda s, c, i, j: t("{v:.2f}", v=both_ways(s, c, i, j)), ""),
    tint=above_diagonal(lambda s, c, i, j: "score"),
    strength=above_diagonal(lambda s, c, i, j: both_ways(s, c, i, j) / 4, 0),
    hatched=above_diagonal(lambda s, c, i, j: bool(both_ways(s, c, i, j) > 1 + 1e-9)),
    frame=above_diagonal(lambda s, c, i, j: "ink" if {i, j} == set(pair(c)) else None),
    bold=above_diagonal(lambda s, c, i, j: {i, j} == set(pair(c)), False),
)


def shares_of_words(colour, aside, which):
    """Bars in percent, with their numbers; the two sets stand side by side."""
    return Bars(
        colour,
        x=np.arange(5) + aside,
        width=0.34,
        y=lambda s, c: 100 * s[which],
        numbers=lambda s, c: [t("{v:.0f}", v=100 * share) for share in s[which]],
    )


def symmetric(s, c):
    return [s["symmetric_percent"], s["product_symmetric_percent"]]


FORMS = {
    "drawn": ("W_Q", "W_K"),
    "turned": ("W_Q R in place of W_Q", "W_K R⁻ᵀ in place of W_K"),
    "identity": ("W_Q W_Kᵀ in place of W_Q", "the identity in place of W_K"),
}


def entries(colour, title, which):
    return Plot(
        title=title,
        marks={
            "entries": Heat(
                colour,
                negative="gradient-negative",
                values=lambda s, c: s[which],
                columns=lambda s, c: s[which].shape[1],
                limit=2,
                root=True,
            )
        },
    )


def rewriting(s, c):
    if c["form"] == "drawn":
        return ["Green below 0. Write the same head in another way, and watch what stays."]
    if c["form"] == "turned":
        return ["Other matrices, the same product, so the same scores. R is any matrix that can be inverted."]
    if c["d_k"] == 8:
        return [
            "With d_k = d_model = 8 the identity can take the place of W_K, and no matrix grows:",
            "two matrices are one too many.",
        ]
    return [
        f"The scores stay, but the one matrix has 8 columns instead of {c['d_k']}.",
        f"At the old size, 8 × {c['d_k']}, the identity does not fit.",
    ]


TWO_QUESTIONS = {
    "arrows": Diagram(
        title=title_of_arrows,
        boxes=lambda s, c: {f"word {i + 1}": word for i, word in enumerate(WORDS[c["text"]])},
        wires=of_arrows,
        labels=numbers,
        thick=thickness,
        above=above,
        colours=colours,
        bold=lambda s, c: [*{f"word {i + 1}" for i in pair(c)}, *numbers(s, c)],
        faint=lambda s, c: [name(*arrow) for arrow in ARROWS if arrow not in ways(c)],
    ),
    "pair": Text(of_pair),
    "verdict": Text(verdict, tone="plain"),
    "balance": Text(balance, tone="hint"),
    "scores": square(
        "Scores: each row asks", lambda s: s["scores"], 1, lambda v: "score" if v > 0 else "gradient-negative", 4
    ),
    "weights": square("Weights: each row gives 1", lambda s: s["weights"], 2, lambda v: "score", 1),
    "sums": SUMS,
    "steps": square(
        "Of 100 steps of a walk, so many go from row to column", lambda s: 100 * s["steps"], 1, lambda v: "score", 50
    ),
    "standing": Plot(
        title="Violet: where a long walk stands, %; grey: each row's share of all exp(score), %",
        x=Axis(-0.5, 4.5, "cells", ticks=words_of),
        y=Axis(0, 100),
        marks={
            "walk": shares_of_words("score", -0.17, "walk"),
            "row sums": shares_of_words("soft", 0.17, "row_share"),
        },
    ),
    "symmetric": Plot(
        title="Symmetric share, %; dashed: an even split, as of large random matrices",
        x=Axis(0, 115),
        y=Axis(-0.5, 1.5, "cells", ticks=["of the scores", "of W_Q W_Kᵀ"]),
        marks={
            "shares": Intervals(look=["solid"], x1=[0, 0], x2=symmetric, y1=[-0.3, 0.7], y2=[0.3, 1.3]),
            "even split": Rule(x=50),
            "numbers": Texts(
                "ink", x=symmetric, y=[0, 1], texts=lambda s, c: [t("{v:.0f}", v=share) for share in symmetric(s, c)]
            ),
        },
    ),
    "queries": entries("query", lambda s, c: FORMS[c["form"]][0], "query_matrix"),
    "keys": entries("key", lambda s, c: FORMS[c["form"]][1], "key_matrix"),
    "product": entries("score", "W_Q W_Kᵀ, their product", "product"),
    "rewriting": Text(rewriting, tone="aside"),
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
    "there and back": Plot(
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

PICTURES = {"two_questions": TWO_QUESTIONS, "real_heads": REAL_HEADS}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "real_heads": {
        "symmetric_percent": ("there", "back"),
        **{number: "weights" for number in ("before_percent", "own_percent", "moved_percent")},
    },
    "two_questions": {
        "symmetric_percent": "scores",
        "score_there": "scores",
        **{number: "weights" for number in ("weight_there", "weight_back", "weight_sum", "uneven")},
        "largest_sum": "panel sums",
        "unbalanced_percent": "steps",
    },
}
