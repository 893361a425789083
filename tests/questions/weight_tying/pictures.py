"""What each panel and mark of the labs on shared weights shows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from pictures import Axis, Bars, Circles, Grid, Grips, Plot, Polar, Polygon, Segments, Text, Texts
from scipy.spatial import ConvexHull
from whyformer.lab.words import t

# ---- plane: four rows and a hidden state as arrows

WORDS = np.arange(4)


def length_of(c, i):
    return 1.6 if c["rows"] == "one" and i < 4 else c["lengths"][i]


def at(c, i, beyond=0.0):
    """The tip of arrow i, from what is dragged; h is the last."""
    turn = np.radians(c["angles"][i])
    return (length_of(c, i) + beyond) * np.array([np.cos(turn), np.sin(turn)])


def tips(s, c):
    return np.array([at(c, i) for i in range(5)])


def colour(s, i):
    if i + 1 == s["best"]:
        return "score"
    if i + 1 == s["nearest"]:
        return "ink"
    return "soft"


def corners(c, k, nearest):
    """Of the region inside the panel in which no other row has a larger product, or is nearer: where borders meet."""
    row = at(c, k)
    sides = [(np.array(side), -3.4) for side in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    for j in np.delete(WORDS, k):
        other = at(c, j)
        middle = (row + other) / 2 if nearest else np.zeros(2)
        sides.append((row - other, (row - other) @ middle))
    found = []
    for (a, p), (b, q) in combinations(sides, 2):
        if abs(np.linalg.det([a, b])) > 1e-12:
            x = np.linalg.solve([a, b], [p, q])
            if all(normal @ x >= least - 1e-9 for normal, least in sides):
                found.append(x)
    if not len(found) or np.linalg.matrix_rank(np.subtract(found, found[0]), tol=1e-3) < 2:
        return np.zeros((0, 2))
    return np.array(found)[ConvexHull(found).vertices]


def region(colour, which, nearest):
    points = lambda s, c: corners(c, int(s[which]) - 1, nearest)  # noqa: E731
    return Polygon(
        colour,
        when=lambda s, c: len(points(s, c)) > 0,
        x=lambda s, c: points(s, c)[:, 0],
        y=lambda s, c: points(s, c)[:, 1],
    )


def arrow(i, name, colour_of):
    return {
        name: Segments(
            colour_of,
            look=lambda s, c: ["thin"] if i < 4 and s["share"][i] <= 1e-9 else [],
            x1=[0],
            y1=[0],
            x2=lambda s, c: [at(c, i)[0]],
            y2=lambda s, c: [at(c, i)[1]],
            tips=True,
        ),
        f"name of {name}": Texts(
            colour_of, x=lambda s, c: [at(c, i, 0.3)[0]], y=lambda s, c: [at(c, i, 0.3)[1]], texts=[name]
        ),
    }


def numbers(s, i, j):
    return [s["distances"][i], s["logits"][i], s["y"][i], s["share"][i]][j]


def verdict(s, c):
    best, nearest = int(s["best"]), int(s["nearest"])
    if best != nearest:
        return [f"Word {best} wins, and row {nearest} is nearer."]
    never = np.flatnonzero(s["share"] <= 1e-9)
    if len(never):
        return [f"The nearest row wins here. Word {never[0] + 1} wins in no direction."]
    return ["The nearest row wins here, and each word wins somewhere."]


def dragged(control, low, high):
    """Bars, one for a row and one for h."""
    return Plot(
        title=f"{control}: drag",
        x=Axis(0.5, 5.5, ticks={"1": 1, "2": 2, "3": 3, "4": 4, "h": 5}),
        y=Axis(low, high),
        marks={control: Bars(y=lambda s, c: c[control]), "grips": Grips(y=lambda s, c: c[control])},
    )


PLANE = {
    "plane": Plot(
        title=lambda s, c: f"violet: word {s['best']:.0f} wins; grey: row {s['nearest']:.0f} is nearest",
        x=Axis(-3.4, 3.4, "round", ticks=[1, 2, 3]),
        y=Axis(-3.4, 3.4, "round", ticks=[1, 2, 3]),
        marks={
            "wins": region("score", "best", False),
            "is nearest": region("soft", "nearest", True),
            "lengths": Circles(r=[1, 2, 3]),
            "1, 2, 3": Texts(  # on the circles, down to the left
                "soft", x=-np.sqrt(0.5) * WORDS[1:], y=-np.sqrt(0.5) * WORDS[1:], texts=["1", "2", "3"]
            ),
            "distance": Segments(
                lambda s, c: "score" if s["best"] == s["nearest"] else "ink",
                look=["dashed"],
                x1=lambda s, c: [at(c, 4)[0]],
                y1=lambda s, c: [at(c, 4)[1]],
                x2=lambda s, c: [at(c, int(s["nearest"]) - 1)[0]],
                y2=lambda s, c: [at(c, int(s["nearest"]) - 1)[1]],
            ),
            **{
                name: mark for i in WORDS for name, mark in arrow(i, f"{i + 1}", lambda s, c, i=i: colour(s, i)).items()
            },
            **arrow(4, "h", "query"),
            "tips": Polar(
                x=lambda s, c: tips(s, c)[:, 0],
                y=lambda s, c: tips(s, c)[:, 1],
                colours=lambda s, c: [*(colour(s, i) for i in WORDS), "query"],
            ),
        },
    ),
    "numbers": Grid(
        title="products and distances from h",
        colour="score",
        rows=[f"word {i + 1}" for i in WORDS],
        columns=["distance", "h · e", "softmax", "can win"],
        text=lambda s, c, i, j: t("{v:.0%}" if j == 3 else "{v:.2f}", v=numbers(s, i, j)),
        tint=lambda s, c, i, j: "score" if j == 2 else None,
        strength=lambda s, c, i, j: 0.5 * s["y"][i] if j == 2 else 0.0,
        bold=lambda s, c, i, j: i + 1 == [s["nearest"], s["best"], s["best"], None][j],
        frame=lambda s, c, i, j: None,
        framed=lambda s, c, i: "score" if i + 1 == s["best"] else "ink" if i + 1 == s["nearest"] else None,
    ),
    "verdict": Text(verdict),
    "lengths": dragged("lengths", 0, 3),
    "angles": dragged("angles", -180, 180),
}

# ---- traffic: the gradient at each row of the tables

RANKS = np.arange(1, 65)


def occurs(s, yes):
    return RANKS[(s["reads"] + s["answers"] > 0) == yes]


def some_absent(s, c):
    return len(occurs(s, False)) > 0


def rows(series, title, when=None):
    """Bars by rank: purple for words of the batch, grey for the others."""
    bars = lambda yes: dict(  # noqa: E731
        x=lambda s, c: occurs(s, yes), y=lambda s, c: s[series][occurs(s, yes) - 1], width=0.7
    )
    return Plot(
        title=title,
        colour="gradient",
        when=when,
        x=Axis(0.5, 64.5, label="rank of the word"),
        y=Axis(0, 3, "sqrt"),
        marks={
            "in the batch": Bars("gradient", **bars(True)),
            "not in the batch": Bars("soft", when=some_absent, **bars(False)),
            "in words": Texts("gradient", texts=["in the batch"]),
            "not in words": Texts("soft", when=some_absent, texts=["not in the batch"]),
        },
    )


def tied(s, c):
    return c["tied"] == "tied"


def having(s, series):
    return f"gradients at {np.count_nonzero(s[series])} of 64 rows"


def facts(s, c):
    read = s["reads"] > 0
    longer = s["from_output"] > s["from_input"]
    absent = len(occurs(s, False))
    lengths = t("right answers {v:.3f}", v=s["from_output"][s["answers"] > 0].mean())
    if absent:
        lengths += t(", words that do not occur {v:.3f}", v=s["from_output"][occurs(s, False) - 1].mean())
    return [
        "numbers in the tables",
        "1,024" if tied(s, c) else "2,048",
        f"words that do not occur in {c['tokens']} tokens",
        f"{absent} of 64",
        "mean length as output",
        lengths,
        "rows with more from the output than from the input",
        f"{longer.sum()} of 64; of those that are read {(longer & read).sum()} of {read.sum()}",
    ]


TRAFFIC = {
    "both": rows("both", lambda s, c: f"the one table: {having(s, 'both')}", tied),
    "input": rows(
        "from_input", lambda s, c: f"{'as input' if tied(s, c) else 'input table'}: {having(s, 'from_input')}"
    ),
    "output": rows(
        "from_output", lambda s, c: f"{'as output' if tied(s, c) else 'output table'}: {having(s, 'from_output')}"
    ),
    "facts": Text(facts),
}

PICTURES = {"rows": PLANE, "traffic": TRAFFIC}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "rows": {
        **{f"logit_{which}": "logits" for which in ("best", "nearest")},
        **{f"distance_{which}": ["distances", "nearest"] for which in ("best", "nearest")},
        "y_best": "y",
        "n_can_win": "share",
        "share_last": "share",
    },
    "traffic": {
        "rows_in": "from_input",
        "rows_out": "from_output",
        "rows_both": "both",
        "absent": "reads",
        "small": "from_output",
        "large": "from_output",
        "output_longer": ("from_input", "from_output"),
        "read_output_longer": ("from_input", "from_output"),
    },
}
