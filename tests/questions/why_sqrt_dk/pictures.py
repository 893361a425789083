"""What each panel and mark of the labs on √d_k shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Band, Bars, Dots, Heat, Histogram, Intervals, Line, Plot, Rule, Segments, Text
from scipy.stats import norm
from whyformer.lab.words import t
from whyformer.questions.why_sqrt_dk.trained_scores_lab import data as sentences

D_K = 2.0 ** np.arange(13)
DIVISOR = {"1": ("1", "unscaled"), "sqrt": ("√dₖ", "scaled"), "d_k": ("dₖ", "overscaled")}
RANGE = {
    "largest_weight": (0, 1, "linear"),
    "entropy": (0, np.log(64), "linear"),
    "largest_entry": (0, 0.25, "linear"),
    "gradient_q": (1e-3, 100, "log"),
    "gradient_w_q": (1e-3, 100, "log"),
}


def colour_of(which):
    return "unscaled" if which == "unscaled" else lambda s, c: DIVISOR[c["divisor"]][1]


def name_of(which, c):
    return "unscaled" if which == "unscaled" else f"divided by {DIVISOR[c['divisor']][0]}"


def chosen(s, c):
    return DIVISOR[c["divisor"]][1]


def walk_end(c):
    return 512 if c["d_k"] <= 512 else 4096


def reach(s, c, side):
    """Three standard deviations of unrelated keys, beyond what related ones score; for dₖ at its first point."""
    end, related = walk_end(c), c["rho"] if side > 0 else 0
    at = end / 64 if c["divisor"] == "d_k" else end
    by = {"1": 1, "sqrt": np.sqrt(at), "d_k": at}[c["divisor"]]
    return (side * 3 * np.sqrt(at) + related * at) / by


def walk(j):
    """A score as its products are added up; the key with most weight is not thin."""
    return Line(
        chosen,
        look=lambda s, c: [] if s["weights_scaled"].argmax() == j else ["thin"],
        when=lambda s, c: j < c["n_keys"],
        x=lambda s, c: walk_end(c) / 64 * np.arange(1, 65),
        y=lambda s, c: s["walks"][j],
    )


WALKS = Plot(
    title=lambda s, c: t("Scores ÷ {by}, product after product", by=DIVISOR[c["divisor"]][0]),
    x=Axis(0, lambda s, c: walk_end(c), label="products added, dₖ"),
    y=Axis(lambda s, c: reach(s, c, -1), lambda s, c: reach(s, c, 1)),
    marks={
        "one standard deviation": Band(
            "theory",
            x=lambda s, c: walk_end(c) / 64 * np.arange(1, 65),
            low=lambda s, c: s["envelope_low"],
            high=lambda s, c: s["envelope_high"],
        ),
        "d_k": Rule("plain", x=lambda s, c: c["d_k"]),
        **{f"key {j + 1}": walk(j) for j in range(64)},
        "scores": Dots(
            chosen, size=0.22, x=lambda s, c: c["d_k"] + 0 * s["scores_scaled"], y=lambda s, c: s["scores_scaled"]
        ),
    },
)

WEIGHTS = Plot(
    title=lambda s, c: t("Weights at dₖ = {d}: largest {v:.2f}", d=c["d_k"], v=s["weights_scaled"].max()),
    colour=chosen,
    x=Axis(0.5, lambda s, c: c["n_keys"] + 0.5, ticks=lambda s, c: {"key 1": 1, str(c["n_keys"]): c["n_keys"]}),
    y=Axis(0, 1),
    marks={
        "unscaled": Bars(
            "unscaled", look=["faint"], when=lambda s, c: c["divisor"] != "1", y=lambda s, c: s["weights_unscaled"]
        ),
        "weights": Bars(chosen, y=lambda s, c: s["weights_scaled"]),
    },
)


def jacobian(which):
    return Plot(
        title=lambda s, c: t("{name}: largest entry {v:.2g}", name=name_of(which, c), v=s[f"jacobian_{which}"].max()),
        colour=colour_of(which),
        marks={
            "jacobian": Heat(
                "gradient",
                negative="gradient-negative",
                values=lambda s, c: s[f"jacobian_{which}"],
                columns=lambda s, c: c["n_keys"],
                limit=0.25,
                root=True,
            )
        },
    )


def by_divisor(i, name, colour):
    return {
        f"÷ {name}: 10 to 90 %": Band(
            colour, x=D_K, low=lambda s, c: s["law_low"][i], high=lambda s, c: s["law_high"][i]
        ),
        f"÷ {name}: median": Line(colour, x=D_K, y=lambda s, c: s["law_mid"][i], label=f"÷ {name}"),
        f"÷ {name}: mean": Dots(colour, size=0.16, x=D_K, y=lambda s, c: s["law_mean"][i]),
        f"÷ {name}: this draw": Dots(
            colour, look=["now"], size=0.5, x=lambda s, c: [c["d_k"]], y=lambda s, c: [s["drawn"][i]]
        ),
    }


# ---- sampling: the histogram of q·k / √dₖ, twice: stretched by √dₖ on a wide axis, and as it is


def stretch(which, c):
    return np.sqrt(c["d_k"]) if which == "unscaled" else 1


def sample(which, widest, title):
    v = np.linspace(-5, 6, 221)

    def density(s, c):
        return norm.pdf(v, s["expected_scaled_mean"], np.sqrt(s["expected_scaled_variance"]))

    return Plot(
        title=title,
        colour=which,
        x=Axis(-5 * widest, 6 * widest),
        y=Axis(0, lambda s, c: 1.6 / np.sqrt(2 * np.pi * s["expected_scaled_variance"]), ticks=()),
        marks={
            "sample": Histogram(which, edges=lambda s, c: s["edges"] * stretch(which, c), y=lambda s, c: s["density"]),
            "theory": Line("theory", x=lambda s, c: v * stretch(which, c), y=density),
        },
    )


def moments(s, c):
    def row(name, sample, theory, form, digits):
        return [name, t(f"{{v:{form}}}", v=s[sample]), t(f"{{v:{digits}}}", v=s[theory])]

    return [
        *["this sample", "theory"],
        *row("mean of q·k", "mean", "expected_mean", ".3f", ".3g"),
        *row("variance of q·k", "variance", "expected_variance", ".2f", ".4g"),
        *row("variance of q·k / √dₖ", "scaled_variance", "expected_scaled_variance", ".4f", ".4g"),
        *row("excess kurtosis", "excess_kurtosis", "expected_excess_kurtosis", ".3f", ".3g"),
    ]


# ---- trained scores: maps and bars over the tokens of a sentence


def tokens(s, c):
    return sentences()[c["text"]]["tokens"]


def colour_of_power(s, c):
    return "unscaled" if c["power"] < 0.5 else "scaled" if c["power"] == 0.5 else "overscaled"


BY_TOKEN = Axis(-0.5, lambda s, c: len(tokens(s, c)) - 0.5, "cells", ticks=tokens)


def token_map(title, colour, series):
    weights = Heat(colour, values=lambda s, c: s[series], columns=lambda s, c: len(tokens(s, c)), limit=1)
    return Plot(title=title, colour=colour, x=BY_TOKEN, y=BY_TOKEN, marks={"weights": weights})


def over_tokens(colour, series, aside=0.0, width=0.38):
    return Bars(colour, x=lambda s, c: np.arange(len(tokens(s, c))) + aside, y=lambda s, c: s[series], width=width)


# ---- training: five seeds of each divisor

DIVISORS = {"unscaled": "÷ 1", "scaled": "÷ √dₖ", "overscaled": "÷ dₖ"}
RATES = ["0.0003", "0.001", "0.003", "0.01"]
CURVES = {
    "loss": (0, 7, "linear", "loss, nats (a guess: ln 64 = 4.16)"),
    "gradient": (1e-3, 20, "log", "length of the gradient at W_Q; below 0.001 at the edge"),
    "entropy": (0, np.log(32), "linear", "mean entropy of the rows, nats (at most ln 32 = 3.47)"),
}


def learning(i, colour):
    """Of one divisor: five seeds, thin, and their median, thick."""

    def step(s, c):
        return s["step"]

    seeds = {
        f"{colour}: seed {k + 1}": Line(colour, look=["thin"], x=step, y=lambda s, c, k=k: s["curves"][i, k])
        for k in range(5)
    }
    median = Line(colour, look=["thick"], x=step, y=lambda s, c: np.median(s["curves"][i], axis=0))
    return seeds | {f"{colour}: median": median}


def arrivals(i, colour):
    """Of one divisor: over each learning rate a dot for each seed, the five side by side, and a bar at their median."""
    middle = np.arange(4) + 0.24 * (i - 1)

    def arrived(s, c):
        return np.where(s["arrived"][i] == 0, np.inf, s["arrived"][i])

    def median(s, c):
        return np.sort(arrived(s, c))[:, 2]

    return {
        f"{colour}: seeds": Dots(
            colour,
            size=0.22,
            x=(middle[:, None] + 0.035 * np.arange(-2, 3)).ravel(),
            y=lambda s, c: arrived(s, c).ravel(),
        ),
        f"{colour}: medians": Segments(
            colour, look=["thick"], x1=middle - 0.12, y1=median, x2=middle + 0.12, y2=median
        ),
    }


def chosen_rate(s, c):
    return RATES.index(c["rate"])


PICTURES = {
    "sampling": {
        "unscaled": sample("unscaled", 16, lambda s, c: t("q·k: variance {v:.3g}", v=s["variance"])),
        "scaled": sample("scaled", 1, lambda s, c: t("q·k / √dₖ: variance {v:.3f}", v=s["scaled_variance"])),
        "normal": Text(lambda s, c: ["Grey line: the normal density with the mean and variance of theory."]),
        "moments": Text(moments),
    },
    "trained_scores": {
        "trained": token_map("as trained: divided by √dₖ = 5.66", "scaled", "weights_trained"),
        "now": token_map(lambda s, c: t("divided by {v:.3g}", v=32 ** c["power"]), colour_of_power, "weights"),
        "entropy": Plot(
            title="entropy of each row, nats: trained and now; dashed: ln n",
            x=BY_TOKEN,
            y=Axis(0, 2.8),
            marks={
                "as trained": over_tokens("scaled", "entropy_trained", -0.2),
                "now": over_tokens(colour_of_power, "entropy", 0.2),
                "ln n": Rule(y=lambda s, c: np.log(len(tokens(s, c)))),
            },
        ),
        "output": Plot(
            title="output of each row as trained, and how far it moves",
            x=BY_TOKEN,
            y=Axis(0, lambda s, c: max(1, s["output"].max(), s["moved"].max())),
            marks={
                "as trained": over_tokens("scaled", "output", -0.2),
                "how far it moves": over_tokens(colour_of_power, "moved", 0.2),
            },
        ),
        "values": Plot(
            title="length of each key's value; the median is 1",
            x=BY_TOKEN,
            y=Axis(0, 3.5),
            marks={"length": over_tokens("scaled", "value_length", width=0.5)},
        ),
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
    },
    "training": {
        "legend": Text(
            lambda s, c: [*DIVISORS.values(), "thin: one seed; thick: the median of five"],
            colours=lambda s, c: list(DIVISORS),
        ),
        "curves": Plot(
            title=lambda s, c: CURVES[c["quantity"]][3],
            x=Axis(1, 1500, "log", label="training step"),
            y=Axis(
                lambda s, c: CURVES[c["quantity"]][0],
                lambda s, c: CURVES[c["quantity"]][1],
                lambda s, c: CURVES[c["quantity"]][2],
            ),
            marks={
                "arrived": Rule(y=1, when=lambda s, c: c["quantity"] == "loss"),
                **{name: mark for i, colour in enumerate(DIVISORS) for name, mark in learning(i, colour).items()},
            },
        ),
        "arrivals": Plot(
            title="First step with loss below 1",
            x=Axis(-0.5, 3.5, label="learning rate", ticks={rate: i for i, rate in enumerate(RATES)}),
            y=Axis(30, 1500, "log", beyond="never"),
            marks={
                "rate": Intervals(
                    "accent",
                    x1=lambda s, c: [chosen_rate(s, c) - 0.5],
                    x2=lambda s, c: [chosen_rate(s, c) + 0.5],
                    y1=[30],
                    y2=[np.inf],
                ),
                **{name: mark for i, colour in enumerate(DIVISORS) for name, mark in arrivals(i, colour).items()},
            },
        ),
    },
    "scale": {
        "walks": WALKS,
        "weights": WEIGHTS,
        "jacobian": Text(lambda s, c: ["Softmax Jacobian: how far each weight moves when each score does"]),
        "jacobian unscaled": jacobian("unscaled"),
        "jacobian scaled": jacobian("scaled"),
        "key": Plot(
            x=Axis(
                -1,
                1,
                ticks={"−0.25": -1, "−0.016": -0.25, "0": 0, "0.016": 0.25, "0.25": 1},
                label="colour of an entry, the same range always",
            ),
            marks={
                "key": Heat(
                    "gradient",
                    negative="gradient-negative",
                    values=np.sign(np.linspace(-1, 1, 65)) * np.linspace(-1, 1, 65) ** 2 / 4,
                    columns=65,
                    limit=0.25,
                    root=True,
                )
            },
        ),
        "law": Plot(
            title="Over many draws: line median, band 10 to 90 %, dots mean; large dot: this draw",
            x=Axis(1, 4096, "log", label="dₖ"),
            y=Axis(
                lambda s, c: RANGE[c["quantity"]][0],
                lambda s, c: RANGE[c["quantity"]][1],
                lambda s, c: RANGE[c["quantity"]][2],
            ),
            marks={
                "d_k": Rule("plain", x=lambda s, c: c["d_k"]),
                **by_divisor(0, "1", "unscaled"),
                **by_divisor(1, "√dₖ", "scaled"),
                **by_divisor(2, "dₖ", "overscaled"),
            },
        ),
    },
}
