"""What the labs on measured numbers show: the scores of a trained model, and trainings with each divisor."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Bars, Dots, Heat, Intervals, Line, Plot, Rule, Segments, Text, Texts
from whyformer.lab.words import t
from whyformer.questions.why_sqrt_dk.trained_scores_lab import data as sentences

# ---- trained scores: maps and bars over the tokens of a sentence


def tokens(s, c):
    return sentences()[c["text"]]["tokens"]


def look_of_power(s, c):
    return ["dashed"] if c["power"] < 0.5 else [] if c["power"] == 0.5 else ["dotted"]


BY_TOKEN = Axis(-0.5, lambda s, c: len(tokens(s, c)) - 0.5, "cells", ticks=tokens)


def token_map(title, series):
    weights = Heat("score", values=lambda s, c: s[series], columns=lambda s, c: len(tokens(s, c)), limit=1)
    return Plot(title=title, colour="score", x=BY_TOKEN, y=BY_TOKEN, marks={"weights": weights})


PLACES = np.add.outer(np.arange(1, 7), np.linspace(-0.33, 0.33, 12)).ravel()  # of the heads, layer after layer


def furthest(s, c):
    return 1.25 * max(0.8, s["output"].max(), s["moved"].max())


def over_tokens(series, aside=0.0, width=0.38, look=()):
    return Bars(
        "value", look=look, x=lambda s, c: np.arange(len(tokens(s, c))) + aside, y=lambda s, c: s[series], width=width
    )


TRAINED_SCORES = {
    "heads": Plot(
        title="Standard deviation of the scores of all 72 heads; dashed: 1; large dot: this head",
        x=Axis(0.5, 6.5, label="layer"),
        y=Axis(0.1, 100, "log"),
        marks={
            "one": Rule(y=1),
            "heads": Dots("score", look=look_of_power, size=0.26, x=PLACES, y=lambda s, c: s["head_spread"]),
            "this head": Dots(
                "score",
                look=["now"],
                size=0.5,
                x=lambda s, c: [PLACES[12 * c["layer"] + c["head"] - 13]],
                y=lambda s, c: [s["spread"]],
            ),
        },
    ),
    "values": Plot(
        title="Length of each key's value; the median is 1",
        x=BY_TOKEN,
        y=Axis(0, 3.5),
        marks={"length": over_tokens("value_length", width=0.5)},
    ),
    "now": token_map(
        lambda s, c: (
            t("Weights of each row, divided by {v:.3g}", v=32 ** c["power"])
            if c["power"]
            else "Weights of each row, not divided"
        ),
        "weights",
    ),
    "output": Plot(
        title="Length of each row's output",
        x=BY_TOKEN,
        y=Axis(0, furthest),
        marks={
            "as trained": over_tokens("output", -0.2),
            "how far it moves": over_tokens("moved", 0.2, look=look_of_power),
            "length": Texts("value", texts=["as trained"]),
            "move": Texts("value", texts=["how far it moves"]),
        },
    ),
    "trained": token_map("As trained: divided by √dₖ = 5.66", "weights_trained"),
    "units": Text(
        lambda s, c: [
            "Lengths are in units of the median value. Mean norm of the softmax Jacobian:",
            t(
                "{then:.3f} as trained, {now:.3f} now.",
                then=s["jacobian_norm_trained"],
                now=s["jacobian_norm"],
            ),
        ]
    ),
}

# ---- training: five seeds of each divisor

DIVISORS = {
    "unscaled": ("not divided", ["dashed"]),
    "scaled": ("÷ √dₖ", []),
    "overscaled": ("÷ dₖ", ["dotted"]),
}
RATES = ["0.0003", "0.001", "0.003", "0.01"]
CURVES = {
    "loss": (0, 7, "linear", "Loss, nats (a guess: ln 64 = 4.16)"),
    "gradient": (1e-3, 20, "log", "Length of the gradient at W_Q; below 0.001 at the edge"),
    "entropy": (0, np.log(32), "linear", "Mean entropy of the rows, nats (at most ln 32 = 3.47)"),
}


def role(s, c):
    return {"loss": "ink", "gradient": "gradient", "entropy": "score"}[c["quantity"]]


def learning(i, name):
    """Of one divisor: five seeds, thin, and their median, thick."""
    label, look = DIVISORS[name]

    def step(s, c):
        return s["step"]

    seeds = {
        f"{name}: seed {k + 1}": Line(role, look=["thin", *look], x=step, y=lambda s, c, k=k: s["curves"][i, k])
        for k in range(5)
    }
    median = Line(role, look=["thick", *look], label=label, x=step, y=lambda s, c: np.median(s["curves"][i], axis=0))
    return seeds | {f"{name}: median": median}


def arrivals(i, name):
    """Of one divisor: over each learning rate a dot for each seed, the five side by side, and a bar at their median."""
    middle = np.arange(4) + 0.24 * (i - 1)
    label, look = DIVISORS[name]

    def arrived(s, c):
        return np.where(s["arrived"][i] == 0, np.inf, s["arrived"][i])

    def median(s, c):
        return np.sort(arrived(s, c))[:, 2]

    return {
        f"{name}: trend": Line("ink", look=["thin", *look], label=label, x=middle, y=median),
        f"{name}: seeds": Dots(
            "ink",
            look=look,
            size=0.22,
            x=(middle[:, None] + 0.035 * np.arange(-2, 3)).ravel(),
            y=lambda s, c: arrived(s, c).ravel(),
        ),
        f"{name}: medians": Segments("ink", look=["thick"], x1=middle - 0.12, y1=median, x2=middle + 0.12, y2=median),
    }


def chosen_rate(s, c):
    return RATES.index(c["rate"])


TRAINING = {
    "how to read": Text(lambda s, c: ["One seed: thin line or dot. Median of five seeds: thick line."]),
    "curves": Plot(
        title=lambda s, c: CURVES[c["quantity"]][3],
        x=Axis(1, 1500, "log", label="training step"),
        y=Axis(
            lambda s, c: CURVES[c["quantity"]][0],
            lambda s, c: CURVES[c["quantity"]][1],
            lambda s, c: CURVES[c["quantity"]][2],
        ),
        marks={
            "arrived": Rule(look=["solid"], y=1, when=lambda s, c: c["quantity"] == "loss"),
            **{name: mark for i, by in enumerate(DIVISORS) for name, mark in learning(i, by).items()},
        },
    ),
    "arrivals": Plot(
        title="First step with loss below 1; bars: medians",
        x=Axis(-0.5, 3.5, label="learning rate", ticks={rate: i for i, rate in enumerate(RATES)}),
        y=Axis(30, 1500, "log", beyond="never"),
        marks={
            "rate": Intervals(
                "ink",
                x1=lambda s, c: [chosen_rate(s, c) - 0.5],
                x2=lambda s, c: [chosen_rate(s, c) + 0.5],
                y1=[30],
                y2=[np.inf],
            ),
            **{name: mark for i, by in enumerate(DIVISORS) for name, mark in arrivals(i, by).items()},
        },
    ),
}
