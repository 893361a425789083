"""What each panel and mark of the labs on several heads shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Bars, Dots, Grid, Grips, Line, Plot, Polygon, Rings, Swatches, Text, Texts
from whyformer.lab.words import t

# ---- removed_head: 6 layers of 12 heads

AXES = {
    "entropy": ("entropy of its rows, nats", 2.5),
    "first": ("its weight on the first token", 1),
    "distance": ("distance from its layer's other maps", 1),
    "value": ("length of the first token's value", 1.2),
}


def lost_words(s, c, i, j):
    lost = s["lost"][i, j]
    return t("{v:.1f}", v=lost) if lost < 9.95 else t("{v:.0f}", v=lost)


def chosen(s, c, i, j):
    return "ink" if (i + 1, j + 1) == (c["layer"], c["head"]) else None


def heads(colour, which):
    """What is lost, over the chosen quantity, of some heads."""
    return Dots(
        colour, size=0.26, x=lambda s, c: s["values"][which(c)].ravel(), y=lambda s, c: s["lost"][which(c)].ravel()
    )


REMOVED_HEAD = {
    "losses": Grid(
        title="Lost without this head alone: 1000 · (1 − cosine)",
        rows=[f"layer {i}" for i in range(1, 7)],
        columns=[str(j) for j in range(1, 13)],
        text=lost_words,
        tint=lambda s, c, i, j: "unscaled",
        strength=lambda s, c, i, j: 0.5 * np.sqrt(s["lost"][i, j] / 40),
        frame=chosen,
        bold=lambda s, c, i, j: False,
        framed=lambda s, c, i: None,
    ),
    "half": Text(
        lambda s, c: [
            t("Layer {i}: half of its heads lose less than {v:.1f}.", i=c["layer"], v=np.median(s["lost_in_layer"])),
            "Measured on 200 sentences, to 0.1.",
        ]
    ),
    "heads": Plot(
        title=lambda s, c: t("Blue dots: rank correlation {v:.2f}", v=s["correlation"]),
        colour="scaled",
        x=Axis(0, lambda s, c: AXES[c["quantity"]][1], label=lambda s, c: AXES[c["quantity"]][0]),
        y=Axis(0.3, 60, "log"),
        y_label="lost",
        marks={
            "layers 1 to 5": heads("scaled", lambda c: slice(0, 5)),
            "layer 6": heads("theory", lambda c: slice(5, 6)),
            "chosen": Rings(
                "ink",
                size=0.55,
                x=lambda s, c: [s["values_in_layer"][c["head"] - 1]],
                y=lambda s, c: [s["lost_in_layer"][c["head"] - 1]],
            ),
        },
    ),
    "layers": Text(lambda s, c: ["layers 1 to 5", "layer 6"], colours=lambda s, c: ["scaled", "theory"]),
}

# ---- two_places: five boxes, two slots

BOXES = np.arange(1, 6)
BLEND = 6.1  # where the blend stands on the axis of the boxes


def paint(colour):
    """A colour with entries from -1 to 1; 0 is middle grey."""
    return "rgb({} {} {})".format(*np.floor(255 * np.clip((np.asarray(colour) + 1) / 2, 0, 1) + 0.5).astype(int))


def two(s, c):
    return c["heads"] == "two"


def differ(s, c):
    return c["left"] != c["right"]


def head(h, scores, when=None):
    """The scores of a head as bars; below them the boxes, its weights on them, and the blend that it puts out."""

    def weights(s, c):
        return [*(t("{v:.2f}", v=v) for v in s[f"weights_{scores}"]), "weights"]

    return {
        f"scores {h}": Plot(
            title=f"head {h}: drag its scores",
            colour="plain",
            y=Axis(0, 8),
            marks={"scores": Bars(y=lambda s, c: c[scores]), "grips": Grips(y=lambda s, c: c[scores])},
            when=when,
        ),
        f"colours {h}": Plot(
            x=Axis(0.5, 6.7, "cells", ticks={"blend": BLEND, **{str(box): box for box in BOXES}}),
            marks={
                "boxes": Swatches(
                    size=2,
                    x=BOXES,
                    fills=lambda s, c: [paint(colour) for colour in s["colours"]],
                    framed=lambda s, c: np.isin(BOXES, (c["left"], c["right"])),
                ),
                "blend": Swatches(
                    size=2.4, x=[BLEND], fills=lambda s, c: [paint(s[f"weights_{scores}"] @ s["colours"])]
                ),
                "weights": Texts("scaled", x=[*BOXES, BLEND], texts=weights),
            },
            when=when,
        ),
    }


def slot(s, c, k):
    """What slot k should hold and holds, how much is missed, and how it is made of the heads."""
    side = ("left", "right")[k]
    a, b = np.floor(100 * s["read_out"][k] + 0.5) / 100 + 0.0
    made = (
        t("slot {k} = ({a:.2f}) · head 1 + ({b:.2f}) · head 2", k=k + 1, a=a, b=b)
        if two(s, c)
        else t("slot {k} = {a:.2f} · head 1", k=k + 1, a=a)
    )
    return [f"slot {k + 1}", t("{v:.0f} %", v=s[f"drawn_{side}"]), t("{v:.0f} %", v=s[f"error_{side}"]), made]


def read(s, c):
    if two(s, c):
        return [
            "Concatenated and times W_O, or each head times its rows of W_O and then added:",
            t("largest difference {v:.1g}.", v=s["difference"]),
        ]
    return ["Both slots are multiples of one blend. That is all there is to read."]


def missed(s, c):
    return t("Missed: {v:.0f} % together", v=s["total"]) + ("" if differ(s, c) else ". One box asked twice is one box.")


TWO_PLACES = {
    **head(1, "first"),
    **head(2, "second", when=two),
    "slots": Text(
        lambda s, c: [
            "What the layer puts out, with the best W_O there is",
            *("should be", "is", "missed now", "on average"),
            *slot(s, c, 0),
            *slot(s, c, 1),
        ],
        chips=lambda s, c: [
            paint(v) for v in (s["colours"][c["left"] - 1], s["slots"][0], s["colours"][c["right"] - 1], s["slots"][1])
        ],
    ),
    "read-out": Text(read),
    "missed": Plot(
        title=missed,
        colour="scaled",
        x=Axis(0, 100, label="missed of slot 1, %"),
        y=Axis(0, 100),
        y_label="missed of slot 2, %",
        marks={  # the triangle in which together less than 100 % are missed, with its longest side
            "no single head": Polygon("unscaled", x=[0, 100, 0], y=[0, 0, 100], when=differ),
            "bound": Line("soft", look=["dashed"], x=[0, 100], y=[100, 0], when=differ),
            "words": Texts(x=[10, 10], y=[27, 19], texts=["no single head", "gets in here"], when=differ),
            "now": Dots(
                "scaled", look=["now"], size=0.55, x=lambda s, c: [s["error_left"]], y=lambda s, c: [s["error_right"]]
            ),
        },
    ),
}

PICTURES = {"removed_head": REMOVED_HEAD, "two_places": TWO_PLACES}
