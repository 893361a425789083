"""How each kind of mark is read back from what is drawn, heat maps from their pixels."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
from picture_axes import COLOURS, PIXEL, Array, Case, Ruler
from picture_svg import (
    EM,
    SVG,
    circles,
    classes,
    d_of,
    number_in,
    paths,
    place_of,
    points,
    rectangles,
    texts_of,
    words_of,
)
from pictures import (
    Mark,
)
from PIL import Image
from whyformer.lab.drawing import THEMES


def _radius(found: Array, mark: Mark, case: Case) -> None:
    if mark.size is not None:
        case.close(found, np.full(len(found), mark.size * EM), 0.02, "size of dots")


def _off(corners: Array, outline: Array) -> Array:
    """How far points are from a closed outline."""
    start, along = outline, np.roll(outline, -1, 0) - outline
    length = np.maximum((along**2).sum(1), 1e-12)
    share = np.clip(((corners[:, None] - start) * along).sum(2) / length, 0, 1)
    return np.linalg.norm(corners[:, None] - start - share[..., None] * along, axis=2).min(1)


def _area(corners: Array) -> float:
    x, y = corners.T
    return float(abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2)


class Marks:
    """How each kind of mark is read back."""

    @staticmethod
    def bars(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = rectangles(d_of(shapes))  # left, foot, right, head
        heights = np.asarray(case.value(mark.channels["y"]), float)
        places = case.value(mark.channels.get("x", lambda s, t: np.arange(1, len(heights) + 1)))
        case.close(found[:, 3], y.pixels(heights), PIXEL, "heights")
        case.close(found[:, 1], y.pixels(np.zeros(len(heights))), PIXEL, "feet")
        if x is not None:
            case.close(found[:, [0, 2]].mean(1), x.pixels(places), PIXEL, "places")
        else:
            case.close(
                np.diff(found[:, [0, 2]].mean(1)),
                np.full(
                    len(heights) - 1, (found[-1, [0, 2]].mean() - found[0, [0, 2]].mean()) / max(1, len(heights) - 1)
                ),
                0.1,
                "spacing",
            )
        if "width" in mark.channels:
            width = mark.channels["width"] * abs(x.pixels(x.low + 1) - x.pixels(x.low))
            case.close(found[:, 2] - found[:, 0], np.full(len(found), width), PIXEL, "widths")
        printed = words_of(shapes)
        numbers = list(case.value(mark.channels.get("numbers", ())))
        case.same([texts_of([word]) for word in printed], numbers, "numbers at the ends of bars")
        for word, (left, _, right, head), height in zip(printed, found, heights, strict=False):
            beyond = (place_of(word, "y") - head) * (1 if height < 0 else -1)
            case.check(0 < beyond < 1.5 * EM, f"{texts_of([word])} does not stand at the end of its bar")
            case.close(place_of(word, "x"), (left + right) / 2, PIXEL, "a number over its bar")

    @staticmethod
    def line(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(d_of(shapes))
        wanted_y = np.asarray(case.value(mark.channels["y"]), float)
        case.close(found[:, 1], y.pixels(wanted_y), PIXEL, "y")
        case.close(found[:, 0], x.pixels(case.value(mark.channels["x"])), PIXEL, "x")

    @staticmethod
    def band(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(d_of(shapes))
        n = len(found) // 2
        high, low = found[:n], found[n:][::-1]
        at = x.pixels(case.value(mark.channels["x"]))
        some = np.diff(at, prepend=at[:1] - 1) != 0  # a band without width is drawn as one line
        low_wanted, high_wanted = (y.pixels(case.value(mark.channels[which]))[some] for which in ("low", "high"))
        case.close(high[:, 1], high_wanted, PIXEL, "high")
        case.close(low[:, 1], low_wanted, PIXEL, "low")
        case.close(high[:, 0], at[some], PIXEL, "x")

    @staticmethod
    def dots(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = circles(d_of(shapes))
        for axis, ruler, column in (("x", x, 0), ("y", y, 1)):
            if axis in mark.channels and ruler is not None:
                case.close(found[:, column], ruler.pixels(case.value(mark.channels[axis])), PIXEL, axis)
        _radius(found[:, 2], mark, case)

    @staticmethod
    def rings(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        square = bool(mark.channels.get("square"))
        if square:
            edges = rectangles(d_of(shapes))
            found = np.stack([edges[:, [0, 2]].mean(1), edges[:, [1, 3]].mean(1)], 1)
        else:
            found = circles(d_of(shapes))[:, :2]
        if x is not None and y is not None:
            case.close(found[:, 0], x.pixels(case.value(mark.channels["x"])), PIXEL, "x")
            case.close(found[:, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "y")
        if not square:
            _radius(circles(d_of(shapes))[:, 2], mark, case)

    @staticmethod
    def histogram(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(d_of(shapes))
        edges = np.asarray(case.value(mark.channels["edges"]), float)
        case.close(found[0, 0], x.pixels(edges[0]), PIXEL, "first edge")
        case.close(found[2:-1:2, 0], x.pixels(edges[1:]), PIXEL, "edges")
        case.close(found[1:-1:2, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "heights")

    @staticmethod
    def intervals(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = rectangles(d_of(shapes))
        for ruler, (one, other), columns in ((x, ("x1", "x2"), [0, 2]), (y, ("y1", "y2"), [1, 3])):
            if ruler is not None and one in mark.channels:
                ends = [np.asarray(case.value(mark.channels[name]), float) for name in (one, other)]
                beyond = [0.6 * EM * np.isposinf(end) for end in ends]  # as far as the strip for Infinity reaches
                wanted = np.stack([ruler.pixels(end) - more for end, more in zip(ends, beyond, strict=True)], 1)
                case.close(found[:, columns], np.sort(wanted, 1), PIXEL, f"{one} to {other}")

    @staticmethod
    def rule(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(d_of(shapes))
        for axis, ruler, column in (("x", x, 0), ("y", y, 1)):
            if axis in mark.channels and ruler is not None:
                case.close(found[:, column], np.full(2, ruler.pixels(case.value(mark.channels[axis]))), PIXEL, axis)

    @staticmethod
    def segments(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        tips = bool(mark.channels.get("tips"))
        found = points(d_of(shapes))
        x1, y1, x2, y2 = (
            np.atleast_1d(np.asarray(case.value(mark.channels[c]), float)) for c in ("x1", "y1", "x2", "y2")
        )
        start = np.stack([x.pixels(x1) if x else np.zeros(len(x1)), y.pixels(y1)], 1)
        end = np.stack([x.pixels(x2) if x else np.zeros(len(x2)), y.pixels(y2)], 1)
        columns = [0, 1] if x else [1]
        at = 0
        for i in range(len(x1)):
            if tips and np.hypot(*(end[i] - start[i])) < 0.5:
                dash = found[at : at + 2]
                case.close(dash[:, 1], [start[i, 1]] * 2, 1, "a dash where nothing is")
                case.close(dash.mean(0)[columns], start[i, columns], 1, "place of a dash")
                at += 2
                continue
            case.close(found[at, columns], start[i, columns], PIXEL, f"start of segment {i + 1}")
            case.close(found[at + 1, columns], end[i, columns], PIXEL, f"end of segment {i + 1}")
            if tips:
                case.close(found[at + 3, columns], end[i, columns], PIXEL, f"tip of segment {i + 1}")
            at += 5 if tips else 2
        case.same(at, len(found), "points of segments")

    @staticmethod
    def back(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        """From where the dashes begin to the tip of the head."""
        line, head = (points(path.get("d", "")) for path in paths(shapes))
        ends = [mark.channels[name] for name in ("x1", "x2")]
        case.close([line[0, 0], head[1, 0]], x.pixels([case.value(end) for end in ends]), PIXEL, "ends of the arrow")
        if y is not None and "y" in mark.channels:
            case.close(head[1, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "height of the arrow")
        case.close(line[1, 0], head[[0, 2], 0].mean(), PIXEL, "the dashes do not reach the head")

    @staticmethod
    def polygon(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        """The same outline; corners that lie on a straight side do not count."""
        found = points(d_of(shapes))
        wanted = np.stack([x.pixels(case.value(mark.channels["x"])), y.pixels(case.value(mark.channels["y"]))], 1)
        for some, others in ((found, wanted), (wanted, found)):
            case.close(_off(some, others), np.zeros(len(some)), 2 * PIXEL, "corners off the outline")
        about = PIXEL * (1 + np.ptp(wanted, 0).sum())
        case.close(_area(found), _area(wanted), about, "area")

    @staticmethod
    def circles(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = circles(d_of(shapes))
        case.close(found[:, 2], x.pixels(case.value(mark.channels["r"])) - x.pixels(0), PIXEL, "radii")

    @staticmethod
    def texts(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        elements = words_of(shapes)
        case.same([texts_of([text]) for text in elements], list(case.value(mark.channels["texts"])), "words")
        colour = case.value(mark.colour)
        case.check(all(classes(text) & COLOURS == {colour} for text in elements), f"colour of words is not {colour}")
        for axis, ruler, near in (("x", x, 3 * EM), ("y", y, 2.2 * EM)):
            if elements and axis in mark.channels and ruler is not None:
                places = np.array([place_of(text, axis) for text in elements])
                off = np.abs(places - ruler.pixels(case.value(mark.channels[axis])))
                case.check((off <= near).all(), f"words stand {off.max():.0f} pixels from their place along {axis}")

    @staticmethod
    def heat(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        """Every cell to within a level of its colour, and the colours of above and below."""
        (image,) = shapes.iter(f"{SVG}image")
        picture = Image.open(io.BytesIO(base64.b64decode(image.get("href", "").split(",")[1])))
        values = np.asarray(case.value(mark.channels["values"]), float)
        columns = int(case.value(mark.channels["columns"]))
        case.same(picture.size, (columns, values.size // columns), "columns and rows")
        pixels = np.asarray(picture.convert("RGBA"), float).reshape(-1, 4)
        limit = case.value(mark.channels["limit"])
        share = np.minimum(1, np.abs(values.ravel()) / limit)
        strength = np.sqrt(share) if mark.channels.get("root") else share
        negative = case.value(mark.channels.get("negative"))
        case.close(pixels[:, 3], 255 * strength, 2.01 if negative else 1.01, "strength")
        strong = pixels[:, 3] > 4
        hue = lambda name: THEMES["light"].get(f"{name}-map", THEMES["light"][name])  # noqa: E731
        rgb = lambda name: [int(hue(name)[i : i + 2], 16) for i in (1, 3, 5)]  # noqa: E731
        above = values.ravel() >= 0
        for some, name in ((strong & above, case.value(mark.colour)), (strong & ~above, negative)):
            if some.any() and name:
                case.close(pixels[some, :3], np.tile(rgb(name), (int(some.sum()), 1)), 0, f"colour {name}")
        printed = words_of(shapes)
        if printed:
            numbers = [number_in(texts_of([text]).replace("−.", "-0.")) for text in printed]
            case.check(None not in numbers, "cells that are no numbers")
            case.close([float(v) for v in numbers if v is not None], values.ravel(), 6e-4, "printed numbers")

    @staticmethod
    def swatches(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = paths(shapes, "swatch")
        case.same([path.get("fill") for path in found], list(case.value(mark.channels["fills"])), "fills")
        places = np.array([rectangles(path.get("d", ""))[0] for path in found])
        if x is not None:
            case.close(places[:, [0, 2]].mean(1), x.pixels(case.value(mark.channels["x"])), PIXEL, "x")
        if y is None:
            case.close(np.ptp(places[:, [1, 3]], 0), [0, 0], PIXEL, "not on one line")
        if mark.size is not None:
            sides = places[:, 2:] - places[:, :2]
            case.close(sides, np.full(sides.shape, mark.size * EM), PIXEL, "sides")
        framed = [float(rectangles(path.get("d", ""))[0, [0, 2]].mean()) for path in paths(shapes, "asked")]
        wanted = case.value(mark.channels.get("framed", ()))
        case.close(framed, [places[i, [0, 2]].mean() for i, yes in enumerate(wanted) if yes], PIXEL, "frames")

    @staticmethod
    def grips(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(d_of(shapes)).reshape(-1, 2, 2)
        case.close(found[:, 0, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "heights")
        if x is not None:
            case.close(found[:, :, 0].mean(1), x.pixels(np.arange(1, len(found) + 1)), PIXEL, "places")

    @staticmethod
    def polar(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = circles(d_of(shapes))
        case.close(found[:, 0], x.pixels(case.value(mark.channels["x"])), PIXEL, "x")
        case.close(found[:, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "y")
        colours = [next(iter(classes(path) & COLOURS)) for path in paths(shapes)]
        case.same(colours, list(case.value(mark.channels["colours"])), "colours")


def check_line_labels(
    labels: dict[str, ElementTree.Element], marks: Mapping[str, Mark], y: Ruler | None, case: Case
) -> None:
    """Each label says its line's name in its line's colour, and labels stand in the order of the lines' ends."""
    wanted = {f"{name}: label": (name, mark) for name, mark in marks.items() if mark.label and case.value(mark.label)}
    case.same(sorted(labels), sorted(wanted), "labels at the ends of lines")
    ends = []
    for label, (name, mark) in wanted.items():
        word = words_of(labels[label])[0]
        case.same(texts_of([word]), case.value(mark.label), f"label of {name}")
        case.same(classes(word) & COLOURS, {case.value(mark.colour)}, f"colour of the label of {name}")
        assert y is not None
        ends.append((float(y.pixels(np.asarray(case.value(mark.channels["y"]), float)[-1])), place_of(word, "y"), name))
    for end, place, name in ends:
        for other_end, other_place, other in ends:
            if end < other_end - 0.01:
                case.check(place < other_place, f"labels of {name} and {other} stand in the wrong order")
