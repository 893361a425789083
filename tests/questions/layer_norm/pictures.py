"""What each panel and mark of the labs on LayerNorm shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Bars, Dots, Grid, Line, Plot, Rule, Text, Texts
from whyformer.lab.words import t
from whyformer.questions.layer_norm.normalisation_lab import NORMS, SENTENCES

DEPTHS = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
STYLE = {"post": [], "pre": ["dotted"], "none": ["dashed"]}


def stack(colour, place, x, values, label=""):
    """Five draws, thin; their median, thick; dots where there are few points. The style of line says the place."""
    gone = STYLE[place]

    def median(s, c):
        return np.median(values(s, c), axis=0)

    draws = {
        f"{place}: draw {i + 1}": Line(colour, look=["thin", *gone], x=x, y=lambda s, c, i=i: values(s, c)[i])
        for i in range(5)
    }
    few = Dots(colour, look=gone, size=0.28, x=x, y=median, when=lambda s, c: len(x(s, c)) < 6)
    return draws | {
        f"{place}: median": Line(colour, look=["thick", *gone], x=x, y=median, label=label),
        f"{place}: dots": few,
    }


def of_gradient(s, c):
    return s["layers"][1:] if c["quantity"] == "matrix" else s["layers"]


def fall(s, c):
    start = np.median(s["last_pre"], axis=0)[0]
    added = 1 / 2 if c["start"] == "fan_in" else 1 / 18
    return start * np.sqrt(1 + added) / np.sqrt(1 + added * DEPTHS)


def verdict(s, c):
    ratio = s["output_post"] / s["output_pre"]
    if ratio > 1.5:
        return [
            t("At the last W₂ post-norm has {v:.1f} times the gradient of pre-norm;", v=ratio),
            t("at the first {v:.1f} times.", v=s["first_post"] / s["first_pre"]),
            t(
                "Pre-norm's stream has grown to {v:.1f}, and its last norm divides the gradient by as much.",
                v=s["end_pre"],
            ),
        ]
    return [
        "In so shallow a stack the place of the norm makes little difference:",
        t("{a:.2f} and {b:.2f} at the last W₂.", a=s["output_post"], b=s["output_pre"]),
    ]


def largest(s):
    return s["gradient_none"].max()


# ---- normalisation: 4 sentences, 6 positions, 4 features

SENTENCE = {"A": 0, "B": 1, "C": 2, "D": 3}
LENGTHS_THEN = (3, 3, 4, 1)  # of the sentences in the batch as it was, filled up to 4 positions


def words_of(i, c):
    return (c["first"], *SENTENCES[1][1 : c["length"]]) if i == 1 else SENTENCES[i]


def kind(s, i, p):
    return ("nothing", "token", "padding")[int(s["present"][i, p])]


def place(c):
    """The chosen cell in arrays of sentence, position, feature."""
    return SENTENCE[c["which"]], c["position"] - 1, c["feature"] - 1


def sentence(name):
    """A sentence of the batch: its numbers, coloured where moved, framed where they share the chosen cell's mean."""
    i = SENTENCE[name]

    def title(s, c):
        if c["batch"] <= i:
            return f"sentence {name}, not in the batch"
        return f"sentence {name}: {s['moved'][i].sum():.0f} of {4 * len(words_of(i, c))} numbers changed"

    def head(s, c):
        words = dict(enumerate(words_of(i, c)))
        return [{"token": words.get(p), "padding": "[pad]", "nothing": ""}[kind(s, i, p)] for p in range(6)]

    def number(s, c, f, p):
        value = t("{v:.1f}", v=s["after"][i, p, f]).replace("−0.0", "0.0")
        return {"token": value, "padding": f"({value})", "nothing": ""}[kind(s, i, p)]

    def frame(s, c, f, p):
        return "ink" if (i, p, f) == place(c) else "score" if s["shared"][i, p, f] else None

    def depth(s, c, f, p):
        return min(0.5, 0.1 + abs(s["after"][i, p, f] - s["before"][i, p, f]) / 4) if s["moved"][i, p, f] else 0

    return Grid(
        title=title,
        rows=["1", "2", "3", "4"],
        columns=head,
        text=number,
        tint=lambda s, c, f, p: "soft",
        strength=depth,
        frame=frame,
        bold=lambda s, c, f, p: s["moved"][i, p, f],
        hatched=lambda s, c, f, p: {"token": False, "padding": True, "nothing": None}[kind(s, i, p)],
    )


def chosen(s, c):
    i, p, f = place(c)
    said = [f"Chosen: sentence {c['which']}, position {c['position']}, feature {c['feature']}."]
    if kind(s, i, p) == "nothing":
        return [*said, "There is nothing at this place now."]
    n = int(s["shared"].sum())
    said.append(
        {
            "batch": f"Its mean and variance are those of feature {f + 1} over {n} "
            + ("place" if n == 1 else "places")
            + " of the whole batch.",
            "eval": "Its mean and variance are fixed numbers, kept from training: no cell of this batch enters.",
            "layer": f"Its mean and variance are those of the {n} features of this one token.",
            "rms": f"It is divided by the root mean square of the {n} features of this one token. "
            "No mean is taken off.",
            "none": "It is left as it is.",
        }[c["norm"]]
    )
    then = "token" if p < LENGTHS_THEN[i] else "padding" if p < 4 else "nothing"
    before, after = t("{v:.3f}", v=s["before"][i, p, f]), t("{v:.3f}", v=s["after"][i, p, f])
    if then == kind(s, i, p):
        return [*said, f"It was {before} and is {after}."]
    return [*said, f"It is {after}; in the batch as it was, this cell was not there."]


def tokens(name):
    """Four bars for each token: filled what has changed, dashed as it was; at inference dashed as it is in training."""
    i = SENTENCE[name]

    def which(s, c, changed):
        """(position, feature) of the numbers of tokens that have changed, or have not, or of all."""
        found = []
        for p in range(6):
            for f in range(4):
                if kind(s, i, p) == "token" and changed in (None, bool(s["moved"][i, p, f])):
                    found.append((p, f))
        return found

    def mark(colour, look, values, changed, when=lambda c: True):
        return Bars(
            colour,
            look=look,
            when=lambda s, c: when(c) and bool(which(s, c, changed)),
            x=lambda s, c: [p - 0.3 + 0.2 * f for p, f in which(s, c, changed)],
            y=lambda s, c: [s[values][i, p, f] for p, f in which(s, c, changed)],
        )

    def title(s, c):
        if c["batch"] <= i:
            return f"sentence {name}, not in the batch"
        moved = len(which(s, c, True))
        dashed = "in training" if c["norm"] == "eval" else "before" if moved else None
        more = f" (dashed: {dashed})" if dashed else ""
        return f"{name}: {moved} of {4 * len(words_of(i, c))} numbers changed{more}"

    def below(s, c):
        words = dict(enumerate(words_of(i, c)))
        return [
            {"token": words.get(p), "padding": "[pad]", "nothing": "–"}[kind(s, i, p)] for p in range(c["padded_to"])
        ]

    return Plot(
        title=title,
        x=Axis(-0.5, lambda s, c: c["padded_to"] - 0.5, "cells", ticks=below),
        y=Axis(-4, 4),
        marks={
            "same": mark("ink", ["hollow"], "after", False),
            "changed": mark("ink", [], "after", True),
            "training": mark("ink", ["dashed"], "training", None, lambda c: c["norm"] == "eval"),
            "before": mark("ink", ["dashed"], "before", True, lambda c: c["norm"] != "eval"),
        },
    )


def by_norm(s, c):
    rows = [
        [name, t("{n:.0f} of 12", n=s["moved_by_norm"][i]), t("{v:.2f}", v=s["largest_by_norm"][i])]
        for i, name in enumerate(NORMS.values())
    ]
    return [["the same change under", "changed in A", "by up to"], *rows]


NORMALISATION = {
    **{f"tokens {name}": tokens(name) for name in "AB"},
    **{f"sentence {name}": sentence(name) for name in SENTENCE},
    "how to read": Text(
        lambda s, c: [
            "Shaded: changed since the batch was “dogs bark loudly”, 4 sentences, 4 positions; "
            "the deeper, the further.",
            "Touch a cell: framed in violet is what enters its mean and variance. In brackets: padding.",
        ],
        tone="hint",
    ),
    "chosen": Text(chosen, tone="plain"),
    "by norm": Text(by_norm, bold=lambda s, c: by_norm(s, c)[1 + list(NORMS).index(c["norm"])]),
}

# ---- placement

PICTURES = {
    "normalisation": NORMALISATION,
    "placement": {
        "legend": Text(
            lambda s, c: [
                "post-norm: LN(x + f(x))",
                "pre-norm: x + f(LN(x))",
                "no norm: x + f(x)" if c["inside"] == "feed" else "no norm, and no attention",
                "thin: one draw of weights; thick: the median of five",
            ],
            colours=lambda s, c: ["ink", "ink", "ink"],
        ),
        "gradient": Plot(
            title=lambda s, c: (
                "Gradient at W₂, by layer" if c["quantity"] == "matrix" else "Gradient at what enters a layer"
            ),
            x=Axis(0, 32, label=lambda s, c: "layer" if c["quantity"] == "matrix" else "layers before it"),
            y=Axis(0.003, 10, "log"),
            marks={
                **stack("gradient", "none", of_gradient, lambda s, c: s["gradient_none"], "no norm"),
                **stack("gradient", "post", of_gradient, lambda s, c: s["gradient_post"], "post-norm"),
                **stack("gradient", "pre", of_gradient, lambda s, c: s["gradient_pre"], "pre-norm"),
                "above": Texts(
                    "soft",
                    texts=lambda s, c: [t("no norm: above, up to {v:.0f}", v=largest(s))],
                    when=lambda s, c: largest(s) > 10,
                ),
            },
        ),
        "scale": Plot(
            title="Root mean square of the stream, by layer",
            x=Axis(0, 32, label="layer"),
            y=Axis(0.5, 3000, "log"),
            marks={
                **stack("ink", "none", lambda s, c: s["layers"], lambda s, c: s["scale_none"], "no norm"),
                **stack("ink", "post", lambda s, c: s["layers"], lambda s, c: s["scale_post"], "post-norm"),
                **stack("ink", "pre", lambda s, c: s["layers"], lambda s, c: s["scale_pre"], "pre-norm"),
            },
        ),
        "last": Plot(
            title="Gradient at the last W₂, by depth of the stack",
            x=Axis(1, 32, "log", label="layers in the stack"),
            y=Axis(0.05, 3, "log"),
            marks={
                "n_layers": Rule(x=lambda s, c: c["n_layers"]),
                "expected": Line(
                    "soft",
                    look=["thin"],
                    x=DEPTHS,
                    y=fall,
                    label="expected",
                    when=lambda s, c: c["inside"] == "feed",
                ),
                **stack("gradient", "post", lambda s, c: DEPTHS, lambda s, c: s["last_post"], "post-norm"),
                **stack("gradient", "pre", lambda s, c: DEPTHS, lambda s, c: s["last_pre"], "pre-norm"),
            },
        ),
        "verdict": Text(verdict),
    },
}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "normalisation": {
        **{number: "panel tokens A" for number in ("moved_a", "cells_a", "largest_a", "apart", "moved_left_out")},
        "moved_others": "panel tokens B",
    },
    "placement": {
        "first_post": "gradient_post",
        **{f"output_{which}": f"gradient_{which}" for which in ("post", "pre")},
        **{f"end_{which}": f"scale_{which}" for which in ("post", "pre", "none")},
    },
}
