"""What each panel and mark of the scale lab shows, and the tables of all labs on √d_k."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Back, Band, Bars, Dots, Heat, Line, Plot, Rule, Text, Texts
from questions.why_sqrt_dk.pictures_measured import TRAINED_SCORES, TRAINING
from questions.why_sqrt_dk.pictures_sampling import SAMPLING
from whyformer.lab.words import t
from whyformer.questions.why_sqrt_dk.start_lab import WORDS

D_K = 2.0 ** np.arange(13)
DIVISOR = {"1": "not divided", "sqrt": "÷ √dₖ", "d_k": "÷ dₖ"}
SHOWN = {
    "largest_weight": "Largest weight",
    "entropy": "Entropy of the weights",
    "largest_entry": "Largest entry of J",
    "gradient_q": "Gradient at one query",
    "gradient_w_q": "Gradient at the query matrix",
}
RANGE = {
    "largest_weight": (0, 1, "linear"),
    "entropy": (0, np.log(64), "linear"),
    "largest_entry": (0, 0.25, "linear"),
    "gradient_q": (1e-3, 100, "log"),
    "gradient_w_q": (1e-3, 100, "log"),
}


def percent(value):
    return f"{int(100 * value + 0.5)}\u00a0%"


def movable(s, c):
    share = "under 1 %" if s["gradient"] < 0.005 else percent(s["gradient"])
    return f"How movable the weights are: {share} of the most"


MOVABLE = Plot(
    title=movable,
    x=Axis(0, 1, ticks={"scores": 0, "weights": 1}),
    marks={"gradient": Back("gradient", x1=1, x2=lambda s, c: 1 - s["gradient"])},
)


def over_words(s, c):
    return c["n_keys"] == 8


def winner(s):
    return int(s["weights_scaled"].argmax())


def key_name(j, c):
    return WORDS[j] if c["n_keys"] == 8 else f"key {j + 1}"


def walk_end(c):
    return 512 if c["d_k"] <= 512 else 4096


def reach(s, c, side):
    """Three standard deviations of unrelated keys, beyond what related ones score; for dₖ at its first point."""
    end, related = walk_end(c), c["rho"] if side > 0 else 0
    at = end / 64 if c["divisor"] == "d_k" else end
    by = {"1": 1, "sqrt": np.sqrt(at), "d_k": at}[c["divisor"]]
    return (side * 3 * np.sqrt(at) + related * at) / by


def walk(j):
    """A score as its products are added up; the key with most weight is not thin, and has its name."""
    return Line(
        "score",
        look=lambda s, c: [] if winner(s) == j else ["thin"],
        label=lambda s, c: key_name(j, c) if winner(s) == j else "",
        when=lambda s, c: j < c["n_keys"],
        x=lambda s, c: walk_end(c) / 64 * np.arange(1, 65),
        y=lambda s, c: s["walks"][j],
    )


WALKS = Plot(
    title=lambda s, c: t("Scores {by}, as dₖ products are added", by=DIVISOR[c["divisor"]]),
    x=Axis(0, lambda s, c: walk_end(c)),
    y=Axis(lambda s, c: reach(s, c, -1), lambda s, c: reach(s, c, 1)),
    marks={
        "one standard deviation": Band(
            "soft",
            x=lambda s, c: walk_end(c) / 64 * np.arange(1, 65),
            low=lambda s, c: s["envelope_low"],
            high=lambda s, c: s["envelope_high"],
        ),
        "d_k": Rule("soft", x=lambda s, c: c["d_k"]),
        **{f"key {j + 1}": walk(j) for j in range(64)},
        "scores": Dots(
            "score", size=0.22, x=lambda s, c: c["d_k"] + 0 * s["scores_scaled"], y=lambda s, c: s["scores_scaled"]
        ),
    },
)


def numbered(s, c):
    return [percent(v) for v in s["weights_scaled"]] if over_words(s, c) else []


WEIGHTS = Plot(
    title=lambda s, c: "" if over_words(s, c) else f"Weights at dₖ = {c['d_k']}",
    x=Axis(
        lambda s, c: 4 if over_words(s, c) else -0.5,
        lambda s, c: c["n_keys"] - 0.5,
        lambda s, c: "words" if over_words(s, c) else "linear",
        ticks=lambda s, c: WORDS if over_words(s, c) else {"key 1": 0, str(c["n_keys"]): c["n_keys"] - 1},
    ),
    y=Axis(0, 1),
    marks={
        "not divided": Bars(
            "soft",
            look=["dashed"],
            when=lambda s, c: c["divisor"] != "1",
            x=lambda s, c: np.arange(c["n_keys"]),
            y=lambda s, c: s["weights_unscaled"],
        ),
        "weights": Bars(
            "score", x=lambda s, c: np.arange(c["n_keys"]), y=lambda s, c: s["weights_scaled"], numbers=numbered
        ),
    },
)


def jacobian(which, by):
    return Plot(
        title=lambda s, c: t("{name}: largest entry {v:.2g}", name=by(c), v=s[f"jacobian_{which}"].max()),
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


def median_mark(i, which):
    ends = {"x1": 0, "x2": lambda s, c: -s[f"mid_{which}"], "y": i}
    said = {"x": lambda s, c: [-s[f"mid_{which}"]], "y": [i]}
    return {
        f"median {i + 1}": Back(median_colour, **ends),
        f"number {i + 1}": Texts(median_colour, **said, texts=lambda s, c: [t("{v:.2g}", v=float(s[f"mid_{which}"]))]),
    }


def longest(s):
    return max(s["mid_unscaled"], s["mid_scaled"])


def median_colour(s, c):
    return "gradient" if c["quantity"].startswith("gradient") else "score"


MEDIANS = Plot(
    title=lambda s, c: f"{SHOWN[c['quantity']]}: median of many draws",
    x=Axis(
        lambda s, c: -1.1 * longest(s), 0, ticks=lambda s, c: {t("{v:.2g}", v=float(longest(s))): -longest(s), "0": 0}
    ),
    y=Axis(-0.5, 1.5, "cells", ticks=["not divided", "÷ √dₖ"]),
    marks=median_mark(0, "unscaled") | median_mark(1, "scaled"),
)


LOOK = {"1": ["dashed"], "sqrt": [], "d_k": ["dotted"]}


def by_divisor(i, by):
    look = LOOK[by]
    return {
        f"{by}: 10 to 90 %": Band("score", x=D_K, low=lambda s, c: s["law_low"][i], high=lambda s, c: s["law_high"][i]),
        f"{by}: median": Line("score", look=look, x=D_K, y=lambda s, c: s["law_mid"][i], label=DIVISOR[by]),
        f"{by}: mean": Dots("score", size=0.16, x=D_K, y=lambda s, c: s["law_mean"][i]),
        f"{by}: this draw": Dots(
            "score", look=["now", *look], size=0.5, x=lambda s, c: [c["d_k"]], y=lambda s, c: [s["drawn"][i]]
        ),
    }


SCALE = {
    "walks": WALKS,
    "weights": WEIGHTS,
    "gradient": MOVABLE,
    "medians": MEDIANS,
    "jacobian": Text(lambda s, c: ["Softmax Jacobian: how far each weight moves when each score does"]),
    "jacobian unscaled": jacobian("unscaled", lambda c: DIVISOR["1"]),
    "jacobian scaled": jacobian("scaled", lambda c: DIVISOR["sqrt" if c["divisor"] == "1" else c["divisor"]]),
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
        title=lambda s, c: (
            f"{SHOWN[c['quantity']]}: line median, band 10 to 90 %, dots mean of many draws; large dot: this one"
        ),
        x=Axis(1, 4096, "log", label="dₖ"),
        y=Axis(
            lambda s, c: RANGE[c["quantity"]][0],
            lambda s, c: RANGE[c["quantity"]][1],
            lambda s, c: RANGE[c["quantity"]][2],
        ),
        marks={
            "d_k": Rule("soft", x=lambda s, c: c["d_k"]),
            **by_divisor(0, "1"),
            **by_divisor(1, "sqrt"),
            **by_divisor(2, "d_k"),
        },
    ),
}

PICTURES = {
    "sampling": SAMPLING,
    "trained_scores": TRAINED_SCORES,
    "training": TRAINING,
    "scale": SCALE,
}

#: What the numbers of sentences are read off (phone.py).
BY = ("unscaled", "scaled", "overscaled")


def arriving(c):
    """A reader sees when runs arrive where each run has its dot, and where losses cross 1."""
    return ["arrived", "curves"] if c["quantity"] == "loss" else "arrived"


READ_OFF = {
    "sampling": {
        "expected_spread": "spread",
        "expected_scaled_mean": "scaled_mean",
        "peak": "density",
        "expected_peak": "density",
        "excess_kurtosis": ["excess_kurtosis", "density"],
    },
    "trained_scores": {
        "least_spread": "head_spread",
        "most_spread": "head_spread",
        "moved_percent": "moved",
        "least_largest": "weights",
        "first_weight": "weights",
        "first_length": "value_length",
        "entropy_mean": "weights",
        "log_n": "weights",
    },
    "training": {
        **{f"step_{by}": arriving for by in BY},
        **{f"first_{by}": "curves" for by in BY},
        **{f"seeds_{by}": "arrived" for by in ("unscaled", "scaled")},
    },
    "scale": {
        "largest_unscaled": "panel weights",
        "largest_scaled": "panel weights",
        "spread_scaled": "walks",
        "mid_unscaled": "panel medians",
        "mid_scaled": "panel medians",
    },
}
