"""Does a drawn picture show what its table says? Every panel, every mark, every word; nothing more and nothing less."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from pictures import (
    EM,
    SVG,
    Axis,
    Case,
    Diagram,
    Grid,
    Mark,
    Plot,
    Ruler,
    Text,
    area_of,
    circles,
    classes,
    marks_of,
    number_in,
    panels_of,
    paths,
    points,
    rectangles,
    words_of,
)
from PIL import Image
from whyformer.lab.theme import PALETTE

PIXEL = 0.06  # what rounding to hundredths does, over a few sums
COLOURS = {*PALETTE, "accent", "ink", "soft"}
LOOKS = {"thin", "thick", "dashed", "now", "faint", "solid"}
Array = NDArray[np.float64]
Panel = Plot | Grid | Text | Diagram


def compare(root: ElementTree.Element, table: Mapping[str, Panel], case: Case) -> None:
    """Raise where a picture differs from its table."""
    found = panels_of(root)
    wanted = {name: panel for name, panel in table.items() if panel.when is None or case.value(panel.when)}
    case.same(sorted(found), sorted(wanted), "panels")
    for name, panel in wanted.items():
        _COMPARE[type(panel)](found[name], panel, case.at(name))


def _texts(elements: list[ElementTree.Element]) -> str:
    return " ".join("".join(element.itertext()) for element in elements)


def _title(group: ElementTree.Element, title: Any, colour: str, case: Case) -> None:
    case.same(_texts(words_of(group, "title-line")), case.value(title), "title")
    keys = [classes(path) & COLOURS for path in paths(group, "key")]
    case.same(keys, [{colour}] if colour else [], "colour of the title")


# ---- plots


def _plot(group: ElementTree.Element, plot: Plot, case: Case) -> None:
    _title(group, plot.title, case.value(plot.colour), case)
    found = marks_of(group)
    axes = found.pop("axes")
    labels = {name: found.pop(name) for name in list(found) if name.endswith(": label")}
    wanted = {name: mark for name, mark in plot.marks.items() if mark.when is None or case.value(mark.when)}
    for name in list(found):  # nothing to draw is drawn as nothing
        case.check(name in wanted, f"a mark {name!r} that the table does not name")
    title = max((_place(line, "y") for line in words_of(group, "title-line")), default=None)
    x, y = _rulers(axes, found, plot, title, case)
    case.same(_texts(words_of(axes, "x-label")), case.value(plot.x.label) if plot.x else "", "label of the x axis")
    case.same(_texts(words_of(axes, "y-label")), case.value(plot.y_label), "label of the y axis")
    for name, mark in wanted.items():
        inside = case.at(name)
        channels = [inside.value(channel) for channel in mark.channels.values() if not isinstance(channel, bool)]
        empty = channels and all(np.size(channel) == 0 for channel in channels)
        if empty and name not in found:
            continue
        case.check(name in found, f"no mark {name!r}")
        shapes = found[name]
        kinds = [classes(path) for path in paths(shapes)]
        colour = inside.value(mark.colour)
        if mark.kind not in ("heat", "swatches", "polar", "texts"):
            for kind in kinds:
                inside.same(kind & COLOURS, {colour}, "colour")
                inside.same(kind & LOOKS, set(inside.value(mark.look)), "look")
        getattr(_Marks, mark.kind)(shapes, mark, x, y, inside)
    _line_labels(labels, wanted, y, case)


def _lines(axes: ElementTree.Element) -> tuple[list[float], list[float], tuple[float, float], tuple[float, float]]:
    """Where the upright and the level lines of the grid are, and the ends of the axes."""
    upright, level = [], []
    xs: list[float] = []
    ys: list[float] = []
    for path in paths(axes, "grid"):
        for (x1, y1), (x2, y2) in points(path.get("d", "")).reshape(-1, 2, 2):
            if x1 == x2:
                upright.append(float(x1))
                ys += [float(y1), float(y2)]
            else:
                level.append(float(y1))
                xs += [float(x1), float(x2)]
    for path in paths(axes, "axis-line"):
        xs += [float(v) for v in points(path.get("d", ""))[:, 0]]
        ys += [float(v) for v in points(path.get("d", ""))[:, 1]]
    xs, ys = xs or upright, ys or level  # where no line goes along an axis, its outermost ticks are its ends
    return upright, level, (min(xs, default=0), max(xs, default=0)), (max(ys, default=0), min(ys, default=0))


def _place(text: ElementTree.Element, axis: str) -> float:
    if turned := re.match(r"translate\((\S+) (\S+)\)", text.get("transform", "")):
        return float(turned["xy".index(axis) + 1])
    return float(text.get(axis) or 0)


def _rulers(
    axes: ElementTree.Element, marks: Mapping[str, ElementTree.Element], plot: Plot, title: float | None, case: Case
) -> tuple[Ruler | None, Ruler | None]:
    upright, level, across, up = _lines(axes)
    rulers = []
    for axis, lines, ends, kind in ((plot.x, upright, across, "x"), (plot.y, level, up, "y")):
        inside = case.at(f"{kind} axis")
        ticks = words_of(axes, f"{kind}-tick")
        if axis is None:
            inside.same(_texts(ticks), "", "ticks of an axis without numbers")
            rulers.append(None)
            continue
        if axis.scale in ("cells", "round"):
            read = _cells if axis.scale == "cells" else _round
            rulers.append(read(axis, kind, ticks, marks, inside))
            continue
        strip = None
        if axis.beyond:
            inside.same(_texts(ticks[-1:]), axis.beyond, "the strip beyond")
            strip = _place(ticks[-1], "y") - 0.35 * float(ticks[-1].get("font-size", 0))
            inside.check(strip < ends[1] - 0.5 * EM, "the strip beyond is not beyond the axis")
            ticks = ticks[:-1]
        if kind == "x" and not lines:
            lines = [_place(tick, "x") for tick in ticks]  # words alone say where the ticks are
        inside.same(len(ticks), len(lines), "lines and words of ticks")
        if axis.ticks is None:
            numbers = [number_in(_texts([tick])) for tick in ticks]
            inside.check(None not in numbers, f"ticks that are no numbers: {[_texts([tick]) for tick in ticks]}")
        else:
            numbers = _named_ticks(ticks, inside.value(axis.ticks), inside)
        for tick, line in zip(ticks, lines, strict=True):
            near = 2 * EM if kind == "x" else 0.5 * EM  # words at an end may be pushed inside
            inside.check(abs(_place(tick, kind) - line) <= near, "the words of a tick are not beside its line")
        near = 0.1
        if kind == "y" and not upright and title is not None:  # no line shows the end: it is somewhat under the title
            ends, near = (ends[0], title + 1.4 * EM), 0.7 * EM
        rulers.append(Ruler(axis, lines, [float(v) for v in numbers if v is not None], ends, inside, strip, near))
    return rulers[0], rulers[1]


def _cells(
    axis: Axis,
    kind: str,
    ticks: list[ElementTree.Element],
    marks: Mapping[str, ElementTree.Element],
    case: Case,
) -> Ruler:
    """An axis of slots: read by the cells of a map if there is one, else by the words under the slots."""

    def middle(tick: ElementTree.Element) -> float:
        """Of a word, from the line that it stands on, which is beside it in y, or in x when it is turned."""
        aside = 0.35 if kind == "y" or tick.get("transform") else 0
        return _place(tick, kind) - aside * float(tick.get("font-size", 0))

    numbers = [number_in(_texts([t])) for t in ticks] if axis.ticks is None else None
    named = numbers or (_named_ticks(ticks, case.value(axis.ticks), case) if ticks else [])
    case.check(None not in named, "ticks that are no numbers")
    named = [float(v) for v in named if v is not None]
    places = [middle(tick) for tick in ticks]
    images = [image for mark in marks.values() for image in mark.iter(f"{SVG}image")]
    if not images:
        low, high = case.value(axis.low), case.value(axis.high)
        case.check(len(named) >= 2, "nothing to read an axis of cells by")
        slope, start = np.polyfit(named, places, 1)
        return Ruler(axis, places, named, (start + slope * low, start + slope * high), case)
    start, size = (_place(images[0], kind), float(images[0].get("width" if kind == "x" else "height", 0)))
    cells = Image.open(io.BytesIO(base64.b64decode(images[0].get("href", "").split(",")[1]))).size["xy".index(kind)]
    ruler = Ruler(axis, [start, start + size], [-0.5, cells - 0.5], (start, start + size), case)
    case.close(places, ruler.pixels(named), 1, "words of ticks are not beside their cells")
    return ruler


def _round(
    axis: Axis,
    kind: str,
    ticks: list[ElementTree.Element],
    marks: Mapping[str, ElementTree.Element],
    case: Case,
) -> Ruler:
    """An axis through the common centre of circles, which say how far from it a number is."""
    case.same(ticks, [], "ticks")
    (found,) = (circles(_d(mark)) for mark in marks.values() if any("circle" in classes(p) for p in paths(mark)))
    case.close(found[:, :2], np.tile(found[0, :2], (len(found), 1)), PIXEL, "centres of circles")
    centre, sign = (found[0, 0], 1) if kind == "x" else (found[0, 1], -1)
    far = np.asarray(case.value(axis.ticks), float)
    pixels = [centre, *(centre + sign * found[:, 2])]
    unit = found[0, 2] / far[0]
    ends = (centre + sign * unit * case.value(axis.low), centre + sign * unit * case.value(axis.high))
    return Ruler(axis, pixels, [0.0, *far], ends, case)


def _named_ticks(ticks: list[ElementTree.Element], names: Any, case: Case) -> list[float]:
    """Numbers of ticks by their words: ``{"key 1": 1, "16": 16}``, or the words of the slots 0, 1, 2, ... in order."""
    if isinstance(names, list):
        case.same([_texts([tick]) for tick in ticks], names, "names of the slots")
        return [float(i) for i in range(len(names))]
    found = []
    for tick in ticks:
        words = _texts([tick])
        case.check(words in names, f"a tick says {words!r}; the table knows {sorted(names)}")
        found.append(float(names[words]))
    return found


def _line_labels(
    labels: dict[str, ElementTree.Element], marks: Mapping[str, Mark], y: Ruler | None, case: Case
) -> None:
    """Each label says its line's name in its line's colour, and labels stand in the order of the lines' ends."""
    wanted = {f"{name}: label": (name, mark) for name, mark in marks.items() if mark.label and case.value(mark.label)}
    case.same(sorted(labels), sorted(wanted), "labels at the ends of lines")
    ends = []
    for label, (name, mark) in wanted.items():
        word = words_of(labels[label])[0]
        case.same(_texts([word]), case.value(mark.label), f"label of {name}")
        case.same(classes(word) & COLOURS, {case.value(mark.colour)}, f"colour of the label of {name}")
        assert y is not None
        ends.append((float(y.pixels(np.asarray(case.value(mark.channels["y"]), float)[-1])), _place(word, "y"), name))
    for end, place, name in ends:
        for other_end, other_place, other in ends:
            if end < other_end - 0.01:
                case.check(place < other_place, f"labels of {name} and {other} stand in the wrong order")


def _d(shapes: ElementTree.Element) -> str:
    return "".join(path.get("d", "") for path in paths(shapes))


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


class _Marks:
    """How each kind of mark is read back."""

    @staticmethod
    def bars(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = rectangles(_d(shapes))  # left, foot, right, head
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
        case.same([_texts([word]) for word in printed], numbers, "numbers at the ends of bars")
        for word, (left, _, right, head), height in zip(printed, found, heights, strict=False):
            beyond = (_place(word, "y") - head) * (1 if height < 0 else -1)
            case.check(0 < beyond < 1.5 * EM, f"{_texts([word])} does not stand at the end of its bar")
            case.close(_place(word, "x"), (left + right) / 2, PIXEL, "a number over its bar")

    @staticmethod
    def line(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(_d(shapes))
        wanted_y = np.asarray(case.value(mark.channels["y"]), float)
        case.close(found[:, 1], y.pixels(wanted_y), PIXEL, "y")
        case.close(found[:, 0], x.pixels(case.value(mark.channels["x"])), PIXEL, "x")

    @staticmethod
    def band(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(_d(shapes))
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
        found = circles(_d(shapes))
        for axis, ruler, column in (("x", x, 0), ("y", y, 1)):
            if axis in mark.channels and ruler is not None:
                case.close(found[:, column], ruler.pixels(case.value(mark.channels[axis])), PIXEL, axis)
        _radius(found[:, 2], mark, case)

    @staticmethod
    def rings(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        square = bool(mark.channels.get("square"))
        if square:
            edges = rectangles(_d(shapes))
            found = np.stack([edges[:, [0, 2]].mean(1), edges[:, [1, 3]].mean(1)], 1)
        else:
            found = circles(_d(shapes))[:, :2]
        if x is not None and y is not None:
            case.close(found[:, 0], x.pixels(case.value(mark.channels["x"])), PIXEL, "x")
            case.close(found[:, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "y")
        if not square:
            _radius(circles(_d(shapes))[:, 2], mark, case)

    @staticmethod
    def histogram(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(_d(shapes))
        edges = np.asarray(case.value(mark.channels["edges"]), float)
        case.close(found[0, 0], x.pixels(edges[0]), PIXEL, "first edge")
        case.close(found[2:-1:2, 0], x.pixels(edges[1:]), PIXEL, "edges")
        case.close(found[1:-1:2, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "heights")

    @staticmethod
    def intervals(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = rectangles(_d(shapes))
        for ruler, (one, other), columns in ((x, ("x1", "x2"), [0, 2]), (y, ("y1", "y2"), [1, 3])):
            if ruler is not None and one in mark.channels:
                ends = [np.asarray(case.value(mark.channels[name]), float) for name in (one, other)]
                beyond = [0.6 * EM * np.isposinf(end) for end in ends]  # as far as the strip for Infinity reaches
                wanted = np.stack([ruler.pixels(end) - more for end, more in zip(ends, beyond, strict=True)], 1)
                case.close(found[:, columns], np.sort(wanted, 1), PIXEL, f"{one} to {other}")

    @staticmethod
    def rule(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = points(_d(shapes))
        for axis, ruler, column in (("x", x, 0), ("y", y, 1)):
            if axis in mark.channels and ruler is not None:
                case.close(found[:, column], np.full(2, ruler.pixels(case.value(mark.channels[axis]))), PIXEL, axis)

    @staticmethod
    def segments(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        tips = bool(mark.channels.get("tips"))
        found = points(_d(shapes))
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
    def polygon(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        """The same outline; corners that lie on a straight side do not count."""
        found = points(_d(shapes))
        wanted = np.stack([x.pixels(case.value(mark.channels["x"])), y.pixels(case.value(mark.channels["y"]))], 1)
        for some, others in ((found, wanted), (wanted, found)):
            case.close(_off(some, others), np.zeros(len(some)), 2 * PIXEL, "corners off the outline")
        about = PIXEL * (1 + np.ptp(wanted, 0).sum())
        case.close(_area(found), _area(wanted), about, "area")

    @staticmethod
    def circles(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = circles(_d(shapes))
        case.close(found[:, 2], x.pixels(case.value(mark.channels["r"])) - x.pixels(0), PIXEL, "radii")

    @staticmethod
    def texts(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        elements = words_of(shapes)
        case.same([_texts([text]) for text in elements], list(case.value(mark.channels["texts"])), "words")
        colour = case.value(mark.colour)
        case.check(all(classes(text) & COLOURS == {colour} for text in elements), f"colour of words is not {colour}")
        for axis, ruler, near in (("x", x, 3 * EM), ("y", y, 2.2 * EM)):
            if elements and axis in mark.channels and ruler is not None:
                places = np.array([_place(text, axis) for text in elements])
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
        rgb = lambda name: [int(PALETTE[name][i : i + 2], 16) for i in (1, 3, 5)]  # noqa: E731
        above = values.ravel() >= 0
        for some, name in ((strong & above, case.value(mark.colour)), (strong & ~above, negative)):
            if some.any() and name:
                case.close(pixels[some, :3], np.tile(rgb(name), (int(some.sum()), 1)), 0, f"colour {name}")
        printed = words_of(shapes)
        if printed:
            numbers = [number_in(_texts([text]).replace("−.", "-0.")) for text in printed]
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
        found = points(_d(shapes)).reshape(-1, 2, 2)
        case.close(found[:, 0, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "heights")
        if x is not None:
            case.close(found[:, :, 0].mean(1), x.pixels(np.arange(1, len(found) + 1)), PIXEL, "places")

    @staticmethod
    def polar(shapes: ElementTree.Element, mark: Mark, x: Any, y: Any, case: Case) -> None:
        found = circles(_d(shapes))
        case.close(found[:, 0], x.pixels(case.value(mark.channels["x"])), PIXEL, "x")
        case.close(found[:, 1], y.pixels(case.value(mark.channels["y"])), PIXEL, "y")
        colours = [next(iter(classes(path) & COLOURS)) for path in paths(shapes)]
        case.same(colours, list(case.value(mark.channels["colours"])), "colours")


# ---- numbers in cells, words, diagrams


def _grid(group: ElementTree.Element, grid: Grid, case: Case) -> None:
    _title(group, grid.title, case.value(grid.colour), case)
    found = marks_of(group)
    rows, columns = list(case.value(grid.rows)), list(case.value(grid.columns))
    case.same([_texts([text]) for text in words_of(group, "x-tick")], columns, "heads of columns")
    case.same([_texts([text]) for text in words_of(group, "y-tick")], rows, "heads of rows")
    _groups(words_of(group, "note"), list(case.value(grid.groups)), words_of(group, "x-tick"), case)
    slots = [_place(text, "x") for text in words_of(group, "x-tick")]
    for i, name in enumerate(sorted((n for n in found if n.startswith("row ")), key=lambda n: int(n[4:]))):
        _grid_row(found[name], grid, i, slots, case.at(name))
    if rows:
        case.same(len(found), len(rows), "rows")


def _groups(words: list[ElementTree.Element], groups: list[Any], heads: list[ElementTree.Element], case: Case) -> None:
    """Words over groups of columns, in the middle over their heads."""
    case.same([_texts([t]) for t in words], [g if isinstance(g, str) else g[0] for g in groups], "groups of columns")
    at = 0
    for word, group in zip(words, groups, strict=True):
        if not isinstance(group, str):
            under = [_place(head, "x") for head in heads[at : at + group[1]]]
            case.close(_place(word, "x"), (under[0] + under[-1]) / 2, 0.5 * EM, f"place of {group[0]}")
            at += group[1]


def _grid_row(row: ElementTree.Element, grid: Grid, i: int, slots: list[float], case: Case) -> None:
    """``slots``: where the heads of the columns stand; without heads the cells say where columns are."""
    centre = lambda box: (float(box[[0, 2]].mean()), float(box[[1, 3]].mean()))  # noqa: E731
    boxes = [rectangles(path.get("d", ""))[0] for path in paths(row, "cell-back")]
    places = slots or [centre(box)[0] for box in boxes]
    step = places[1] - places[0] if len(places) > 1 else boxes[0][2] - boxes[0][0]

    def cell_at(x: float) -> int:
        return int(np.argmin([abs(place - x) for place in places]))

    backs = {cell_at(centre(box)[0]): path for box, path in zip(boxes, paths(row, "cell-back"), strict=True)}
    if grid.text:
        said = {cell_at(_place(text, "x")): _texts([text]) for text in words_of(row, "cell")}
        for at in range(len(places)):
            case.same(said.get(at, ""), grid.text(case.series, case.state, i, at), f"cell {at + 1}")
    for j, text in enumerate(words_of(row, "cell")):
        at = cell_at(_place(text, "x"))
        words = _texts([text])
        if grid.number:
            value, tolerance = grid.number(case.series, case.state, i, at)
            printed = number_in(words)
            case.check(
                printed is not None and abs(printed - value) <= tolerance,
                f"cell {at + 1} says {words}, should be {value:.5g}",
            )
        if grid.bold:
            case.same(
                text.get("font-weight") == "600", bool(grid.bold(case.series, case.state, i, at)), f"cell {j + 1} bold"
            )
    tints = {}
    for path in paths(row, "tint"):
        tints[cell_at(centre(rectangles(path.get("d", ""))[0])[0])] = path
    frames = {}
    whole = []
    for path in paths(row, "frame"):
        box = rectangles(path.get("d", ""))[0]
        if box[2] - box[0] > 1.5 * step:
            whole.append(next(iter(classes(path) & COLOURS)))
        else:
            frames[cell_at(centre(box)[0])] = next(iter(classes(path) & COLOURS))
    for at in range(len(places)):
        if grid.hatched:
            drawn_as = "cell-hatched" in classes(backs[at]) if at in backs else None
            case.same(drawn_as, grid.hatched(case.series, case.state, i, at), f"hatching of cell {at + 1}")
        if grid.strength:
            strength = float(grid.strength(case.series, case.state, i, at))
            drawn = float(tints[at].get("fill-opacity", 0)) if at in tints else 0.0
            case.check(abs(drawn - strength) <= 1e-3, f"cell {at + 1} is tinted {drawn}, should be {strength:.4g}")
        if grid.tint and at in tints:
            case.same(
                classes(tints[at]) & COLOURS, {grid.tint(case.series, case.state, i, at)}, f"tint of cell {at + 1}"
            )
        if grid.frame:
            case.same(frames.get(at), grid.frame(case.series, case.state, i, at), f"frame of cell {at + 1}")
    if grid.framed:
        wanted = grid.framed(case.series, case.state, i)
        case.same(whole, [wanted] if wanted else [], "frame of the row")


def _words(text: str) -> list[str]:
    """One by one; 2·10⁻¹⁶ and 0 are the same word, as what is left of rounding differs from machine to machine."""
    return re.sub(r"(?<!\S)(\d[.\d]*·10⁻(¹[⁰¹²³⁴⁵⁶⁷⁸⁹]|[²³][⁰¹²³⁴⁵⁶⁷⁸⁹])|0)(?=[.,;]?(\s|$))", "0", text).split()


def _text(group: ElementTree.Element, text: Text, case: Case) -> None:
    """All words in order; where lines are broken does not matter."""
    words = case.value(text.words)
    flat = [word for entry in words for word in (entry if isinstance(entry, list) else [entry])]
    case.same(_words(_texts(words_of(group))), _words(" ".join(flat)), "words")
    if rows := [entry for entry in words if isinstance(entry, list)]:
        case.same(_table(group), rows, "rows")
    if text.bold:
        bold = [word for word in words_of(group) if word.get("font-weight") == "600"]
        case.same(_words(_texts(bold)), _words(" ".join(case.value(text.bold))), "bold words")
    if text.links:
        case.same([link.get("href") for link in group.iter(f"{SVG}a")], case.value(text.links), "links")
    if text.tone:
        tones = {tone for word in words_of(group, "note") for tone in classes(word) - {"note"}}
        case.same(tones, {f"note-{case.value(text.tone)}"}, "tone")
    bars = [path for path in paths(group, "bars")]
    if text.bars:
        widths = np.array([np.ptp(rectangles(path.get("d", ""))[0, [0, 2]]) for path in bars])
        wanted = np.asarray(case.value(text.bars), float)
        case.same(len(widths), len(wanted), "bars")
        unit = widths[wanted.argmax()] / wanted.max() if wanted.max() else 1
        case.close(widths, wanted * unit, 0.05, "bars")
    if text.colours:
        found = [sorted(classes(path) & COLOURS)[0] for path in (*paths(group, "key"), *bars)]
        case.same(found, list(case.value(text.colours)), "colours")
    if text.chips:
        case.same([path.get("fill") for path in paths(group, "swatch")], list(case.value(text.chips)), "chips")


def _table(group: ElementTree.Element) -> list[list[str]]:
    """Rows of a table, by where their words stand."""
    columns = sorted({_place(word, "x") for word in words_of(group) if "title-line" not in classes(word)})
    rows = [row for row in group.iter(f"{SVG}g") if row.get("data-mark")]
    return [[_texts([w for w in words_of(row) if _place(w, "x") == x]) for x in columns] for row in rows]


def _apart(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The distance of two areas; left, top, right, bottom."""
    dx, dy = (max(one[i] - other[i + 2], other[i] - one[i + 2], 0) for i in (0, 1))
    return float(np.hypot(dx, dy))


def _heights(shapes: ElementTree.Element) -> Array:
    """Of a wire, with the points that pull at a curve, or of a label."""
    wires = "".join(path.get("d", "") for path in paths(shapes, "wire"))
    drawn = [float(v) for v in re.findall(r"-?[\d.]+", wires)][1::2]
    return np.array(drawn or [_place(word, "y") for word in words_of(shapes)])


def _inside(a: Array, b: Array, box: tuple[float, ...]) -> bool:
    """Does the straight line from a to b pass through the inside of a box?"""
    way = a + np.linspace(0, 1, 201)[:, None] * (b - a)
    edge = 0.15 * EM
    low, high = np.array(box[:2]) + edge, np.array(box[2:]) - edge
    return bool(((low < way) & (way < high)).all(1).any())


def _diagram(group: ElementTree.Element, diagram: Diagram, case: Case) -> None:
    _title(group, diagram.title, "", case)
    found = marks_of(group)
    boxes, wires = case.value(diagram.boxes), case.value(diagram.wires)
    labels = case.value(diagram.labels) or {}
    case.same(sorted(found), sorted([*boxes, *wires, *labels]), "boxes, wires and labels")
    for name, words in boxes.items():
        case.same(_texts(words_of(found[name])), words, f"words in box {name}")
    for name, label in labels.items():
        case.same(_texts(words_of(found[name])), label if isinstance(label, str) else label[0], f"label {name}")
    if diagram.pressed:
        pressed = sorted(name for name in boxes if any("pressed" in classes(path) for path in paths(found[name])))
        case.same(pressed, sorted(case.value(diagram.pressed)), "pressed boxes")
    corners = {name: points("".join(path.get("d", "") for path in paths(found[name], "box"))) for name in boxes}
    areas = {name: (*c.min(0), *c.max(0)) for name, c in corners.items() if len(c)}
    frames = {name for name in boxes if paths(found[name], "box-frame")}
    lines = {name: points(paths(found[name], "wire")[0].get("d", "")) for name in wires}

    def apart_of(area: tuple[float, ...], name: str) -> float:
        """How far from a box, or from the nearest piece of a wire."""
        if name in areas:
            return _apart(area, areas[name])
        pieces = zip(lines[name][:-1], lines[name][1:], strict=True)
        return min(_apart(area, (*np.minimum(a, b), *np.maximum(a, b))) for a, b in pieces)

    for name, label in labels.items():
        if not isinstance(label, str):
            area, beside = area_of(words_of(found[name])[0]), label[1]
            rivals = wires if beside in wires else frames if beside in frames else areas.keys() - frames
            case.same(min(rivals, key=lambda rival: apart_of(area, rival)), beside, f"label {name} stands beside")
    for frame, held in (case.value(diagram.holds) or {}).items():
        left, top, right, bottom = areas[frame]
        within = {n for n, a in areas.items() if left <= a[0] and top <= a[1] and a[2] <= right and a[3] <= bottom}
        case.same(sorted(within - frames), sorted(held), f"boxes in {frame}")
    if diagram.above:
        middle = np.mean([(area[1] + area[3]) / 2 for area in areas.values()])
        heights = {name: _heights(found[name]).mean() for name in (*wires, *labels)}
        case.same(sorted(n for n in heights if heights[n] < middle), sorted(case.value(diagram.above)), "above")
    if diagram.bold:
        bold = [n for n in found if any(word.get("font-weight") == "600" for word in words_of(found[n]))]
        case.same(sorted(bold), sorted(case.value(diagram.bold)), "bold words")
    if diagram.faint:
        faint = [n for n in wires if all("faint" in classes(path) for path in paths(found[n]))]
        case.same(sorted(faint), sorted(case.value(diagram.faint)), "faint wires")
    for name, (start, end) in wires.items():
        line = lines[name]
        if "C" not in paths(found[name], "wire")[0].get("d", ""):
            for box in areas.keys() - frames:
                through = any(_inside(a, b, areas[box]) for a, b in zip(line[:-1], line[1:], strict=True))
                case.check(not through, f"wire {name} runs through {box}")
        tip = paths(found[name], "wire-tip")
        last = points(tip[0].get("d", ""))[1] if tip else line[-1]
        for place, box, which in ((line[0], start, "starts"), (last, end, "ends")):
            if box is not None:
                near = apart_of((*place, *place), box) <= diagram.near * EM
                case.check(near, f"wire {name} {which} away from {box}")
    if diagram.looks:
        looks = {box: look for box in boxes for p in paths(found[box], "box") for look in classes(p) if "box-" in look}
        case.same(looks, {box: f"box-{look}" for box, look in case.value(diagram.looks).items()}, "looks of boxes")
    if diagram.thick:
        for name, thick in case.value(diagram.thick).items():
            kind = "box" if name in boxes else "wire"
            drawn = float(paths(found[name], kind)[0].get("stroke-width", 0))
            case.check(abs(drawn - thick * EM) <= 0.02 * EM, f"{name} is {drawn} thick, should be {thick * EM:.3g}")
    if diagram.colours:
        for name, colour in case.value(diagram.colours).items():
            drawn = classes([*paths(found[name]), *words_of(found[name])][0]) & COLOURS
            case.same(drawn, {colour} if colour else set(), f"colour of {name}")


_COMPARE: dict[type, Any] = {Plot: _plot, Grid: _grid, Text: _text, Diagram: _diagram}

__all__ = ["Axis", "compare"]
