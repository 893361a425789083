"""What each panel and mark of the labs on several heads shows."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Bars, Dots, Grid, Grips, Line, Plot, Polygon, Rings, Swatches, Text, Texts
from whyformer.lab.words import t

# ---- removed_head: 6 layers of 12 heads

AXES = {
    "entropy": ("entropy of a row, nats", 2.5),
    "first": ("weight on first token", 1),
    "largest": ("largest weight in a row", 1),
    "distance": ("distance to other maps", 1),
    "value": ("length of first value", 1.2),
}


def maps(c):
    return c["cells"] == "maps"


def cell_words(s, c, i, j):
    if maps(c):
        return t("{v:.0f}", v=100 * s["values"][i, j])
    lost = s["lost"][i, j]
    return t("{v:.1f}", v=lost) if lost < 9.95 else t("{v:.0f}", v=lost)


def cell_title(s, c):
    if maps(c):
        return t("By head: 100 · {v}", v=AXES[c["quantity"]][0])
    return "Lost without this head alone: 1000 · (1 − cosine)"


def strength(s, c, i, j):
    if maps(c):
        return 0.5 * s["values"][i, j] / AXES[c["quantity"]][1]
    return 0.5 * np.sqrt(s["lost"][i, j] / 40)


def chosen(s, c, i, j):
    return "ink" if (i + 1, j + 1) == (c["layer"], c["head"]) else None


def heads(colour, which):
    """What is lost, over the chosen quantity, of some heads."""
    return Dots(
        colour, size=0.26, x=lambda s, c: s["values"][which(c)].ravel(), y=lambda s, c: s["lost"][which(c)].ravel()
    )


REMOVED_HEAD = {
    "cells": Grid(
        title=cell_title,
        rows=[f"layer {i}" for i in range(1, 7)],
        columns=[str(j) for j in range(1, 13)],
        text=cell_words,
        tint=lambda s, c, i, j: "score" if maps(c) else "soft",
        strength=strength,
        frame=chosen,
        bold=lambda s, c, i, j: False,
        framed=lambda s, c, i: None,
    ),
    "by layer": Plot(
        title=lambda s, c: t("In each layer; layers 1 to 5 on average {v:.2f}", v=s["by_layer"][:5].mean()),
        x=Axis(0.5, 6.5, label="layer"),
        y=Axis(-1, 1),
        y_label="rank correlation with the loss",
        marks={
            "by layer": Bars(
                "soft",
                y=lambda s, c: s["by_layer"],
                numbers=lambda s, c: [t("{v:.2f}", v=value) for value in s["by_layer"]],
            )
        },
    ),
    "heads": Plot(
        title=lambda s, c: t("Layers 1 to 5 at once: rank correlation {v:.2f}", v=s["correlation"]),
        x=Axis(0, lambda s, c: AXES[c["quantity"]][1], label=lambda s, c: AXES[c["quantity"]][0]),
        y=Axis(0.3, 60, "log"),
        y_label="lost",
        marks={
            "layers 1 to 5": heads("ink", lambda c: slice(0, 5)),
            "layer 6": heads("soft", lambda c: slice(5, 6)),
            "chosen": Rings(
                "ink",
                size=0.55,
                x=lambda s, c: [s["values_in_layer"][c["head"] - 1]],
                y=lambda s, c: [s["lost_in_layer"][c["head"] - 1]],
            ),
        },
    ),
    "layers": Text(lambda s, c: ["layers 1 to 5", "layer 6"], colours=lambda s, c: ["ink", "soft"]),
}

# ---- two_places: five boxes, two slots

BOXES = np.arange(1, 6)
BLEND = 6.1  # where the blend stands on the axis of the boxes


def paint(colour):
    """A colour with entries from -1 to 1; 0 is middle grey."""
    return "rgb({} {} {})".format(*np.floor(255 * np.clip((np.asarray(colour) + 1) / 2, 0, 1) + 0.5).astype(int))


def two(s, c):
    return c["heads"] != "one"


def differ(s, c):
    return c["left"] != c["right"]


def parts_of(h, c):
    """Which parts a head reads: 0 the tops, 1 the bottoms."""
    return [h - 1] if c["heads"] == "half" else [0, 1]


def asks(c, box, part):
    if c["asked"] == "whole":
        return box in (c["left"], c["right"])
    return box == (c["left"], c["right"])[part]


def half_of(colour, part):
    return paint(colour[3 * part : 3 * part + 3])


def head(h, scores, when=None):
    """The scores of a head as bars; below them what it reads of the boxes, its weights, and the blend it puts out."""

    def weights(s, c):
        return [t("{v:.0f}", v=100 * v) for v in s[f"weights_{scores}"]]

    def read(s, c):
        return "boxes, weights in %" if c["heads"] != "half" else ("tops, weights in %", "bottoms, weights in %")[h - 1]

    return {
        f"scores {h}": Plot(
            title=f"head {h}: drag",
            colour="score",
            y=Axis(0, 8),
            marks={
                "scores": Bars("score", look=["hollow"], y=lambda s, c: c[scores]),
                "grips": Grips(y=lambda s, c: c[scores]),
            },
            when=when,
        ),
        f"colours {h}": Plot(
            title=read,
            x=Axis(0.5, 6.7, "cells", ticks={"blend": BLEND, **{str(box): box for box in BOXES}}),
            marks={
                **{
                    f"{name}s": Swatches(
                        size=1.3,
                        x=BOXES,
                        fills=lambda s, c, part=part: [half_of(colour, part) for colour in s["colours"]],
                        framed=lambda s, c, part=part: [asks(c, box, part) for box in BOXES],
                        when=lambda s, c, part=part: part in parts_of(h, c),
                    )
                    for part, name in enumerate(("top", "bottom"))
                },
                **{
                    f"blend of {name}s": Swatches(
                        size=1.3,
                        x=[BLEND],
                        fills=lambda s, c, part=part: [half_of(s[f"weights_{scores}"] @ s["colours"], part)],
                        when=lambda s, c, part=part: part in parts_of(h, c),
                    )
                    for part, name in enumerate(("top", "bottom"))
                },
                "weights": Texts("score", x=BOXES, texts=weights),
            },
            when=when,
        ),
    }


def slots(s, c, part):
    """For each slot that asks for a part: where it stands, and its colour as it should be and as it is."""
    for slot, box in enumerate((c["left"], c["right"])):
        if c["asked"] == "whole" or slot == part:
            yield 1 + 3 * slot, half_of(s["colours"][box - 1], part)
            yield 2 + 3 * slot, half_of(s["slots"][slot], part)


def read(s, c):
    a, b, e, d = np.floor(100 * s["read_out"].ravel() + 0.5) / 100 + 0.0
    if c["heads"] == "one":
        words = "Slot 1 is {a:.2f} times head 1, slot 2 is {e:.2f} times head 1: two multiples of one blend."
    elif c["heads"] == "two":
        words = "Slot 1 = ({a:.2f}) · head 1 + ({b:.2f}) · head 2, slot 2 = ({e:.2f}) · head 1 + ({d:.2f}) · head 2."
    elif c["asked"] == "parts":
        words = "Slot 1 is {a:.2f} times head 1, slot 2 is {d:.2f} times head 2."
    else:
        words = "Tops: {a:.2f} and {e:.2f} times head 1. Bottoms: {b:.2f} and {d:.2f} times head 2."
    return [t(words, a=a, b=b, e=e, d=d)]


def missed(s, c):
    return t("Missed: {v:.0f} % together", v=s["total"]) + ("" if differ(s, c) else ". One box asked twice is one box.")


def bounded(s, c):
    """Slots that ask for more numbers than there are, or for one part of two boxes from one head."""
    return differ(s, c) and (c["heads"] == "one" or (c["heads"], c["asked"]) == ("half", "whole"))


TWO_PLACES = {
    **head(1, "first"),
    **head(2, "second", when=two),
    "slots": Plot(
        title="wanted and got",
        marks={
            "names": Texts("ink", x=[1.5, 4.5], texts=["slot 1", "slot 2"]),
            **{
                f"{name}s": Swatches(
                    size=1.3,
                    x=lambda s, c, part=part: [x for x, _ in slots(s, c, part)],
                    fills=lambda s, c, part=part: [fill for _, fill in slots(s, c, part)],
                )
                for part, name in enumerate(("top", "bottom"))
            },
        },
    ),
    "read-out": Text(read),
    "missed": Plot(
        title=missed,
        x=Axis(0, 100, label="of slot 1, %"),
        y=Axis(0, 100),
        y_label="of slot 2, %",
        marks={  # the triangle in which together less than 100 % are missed, with its longest side
            "out of reach": Polygon("soft", x=[0, 100, 0], y=[0, 0, 100], when=bounded),
            "bound": Line("soft", look=["dashed"], x=[0, 100], y=[100, 0], when=bounded),
            "now": Dots(
                "ink", look=["now"], size=0.55, x=lambda s, c: [s["error_left"]], y=lambda s, c: [s["error_right"]]
            ),
        },
    ),
}

PICTURES = {"removed_head": REMOVED_HEAD, "two_places": TWO_PLACES}

#: What the numbers of sentences are read off (phone.py).
READ_OFF = {
    "removed_head": {
        "value_here": "values",
        "place_of_value": "values",
        **{number: "lost" for number in ("cosine_here", "place", "place_in_layer", "most_early", "least_late")},
        **{number: "by_layer" for number in ("within", "highest_early", "lowest_early")},
    },
    "two_places": {
        "numbers": ("colours", "weights_first"),  # of the blends, painted beside the boxes
        "wanted": "colours",
        "largest_first": "weights_first",
        "largest_second": "weights_second",
    },
}
