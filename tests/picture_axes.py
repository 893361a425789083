"""One picture against its table: what is said where it differs, and positions as numbers.

Positions are turned into numbers by the ticks that a reader sees, or where there are none by cells, circles and ends.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
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
    texts_of,
    words_of,
)
from pictures import (
    Axis,
    Plot,
)
from PIL import Image
from whyformer.lab.theme import PALETTE

TRANSFORM: dict[str, Callable[[Any], Any]] = {
    "linear": lambda v: v,
    "log": np.log,
    "sqrt": np.sqrt,
    "asinh": np.arcsinh,
    "cells": lambda v: v,
    "round": lambda v: v,
    "words": lambda v: v,
}

PIXEL = 0.06  # what rounding to hundredths does, over a few sums

COLOURS = {*PALETTE, "ink", "soft"}

LOOKS = {"thin", "thick", "dashed", "dotted", "hollow", "now", "faint", "solid"}

Array = NDArray[np.float64]


class Wrong(AssertionError):
    """A picture that does not show what the table says."""


class Case:
    """One picture against its table: what is said where it differs."""

    def __init__(self, where: str, series: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        self.where, self.series, self.state = where, series, state

    def value(self, given: Any) -> Any:
        """Of a constant or a function of series and state."""
        return given(self.series, self.state) if callable(given) else given

    def at(self, where: str) -> Case:
        return Case(f"{self.where}, {where}", self.series, self.state)

    def check(self, fact: Any, words: str) -> None:
        if not fact:
            raise Wrong(f"{self.where}: {words}")

    def same(self, found: Any, wanted: Any, what: str) -> None:
        self.check(found == wanted, f"{what}: drawn {found!r}, should be {wanted!r}")

    def close(self, found: Any, wanted: Any, tolerance: float, what: str) -> None:
        found, wanted = np.asarray(found, float), np.asarray(wanted, float)
        self.same(found.shape, wanted.shape, f"{what}, how many")
        if found.size:
            off = np.abs(found - wanted)
            at = int(off.argmax())
            drawn, should = found.ravel()[at], wanted.ravel()[at]
            words = f"{what}: off by {off.max():.3g} at entry {at}: {drawn:.5g}, should be {should:.5g}"
            self.check(off.max() <= tolerance, words)


class Ruler:
    """Pixels to numbers along one axis, by the ticks that are drawn."""

    def __init__(
        self,
        axis: Axis,
        pixels: list[float],
        numbers: list[float],
        ends: tuple[float, float],
        case: Case,
        strip: float | None = None,
        near_end: float = 0.1,
    ) -> None:
        self.there, self.strip = TRANSFORM[case.value(axis.scale)], strip
        low, high = case.value(axis.low), case.value(axis.high)
        if axis.ticks == ():
            pixels, numbers = [*pixels, *ends], [*numbers, low, high]
        case.check(len(pixels) >= 2, f"only {len(pixels)} ticks to read an axis by")
        at = self.there(np.array(numbers, float))
        slope, start = np.polyfit(at, pixels, 1)
        self.slope, self.start = slope, start
        case.close(start + slope * at, pixels, 0.05, "ticks are not where their numbers are")
        case.close(start + slope * self.there(low), ends[0], 0.1, "start of the domain")
        case.close(start + slope * self.there(high), ends[1], near_end, "end of the domain")
        self.low, self.high = low, high

    def pixels(self, values: Any) -> np.ndarray:
        """Where these numbers have to be; outside of the domain at its edge, Infinity in the strip beyond it."""
        values = np.asarray(values, float)
        inside = self.start + self.slope * self.there(np.clip(values, self.low, self.high))
        return inside if self.strip is None else np.where(np.isposinf(values), self.strip, inside)


class Words(Ruler):
    """An axis of words, each in a token; ``ticks`` are the words and ``low`` is the one that asks, from 0."""

    def __init__(self, axis: Axis, axes: ElementTree.Element, case: Case) -> None:
        words, boxes = words_of(axes, "token-word"), paths(axes, "token")
        case.same([texts_of([word]) for word in words], list(case.value(axis.ticks)), "words")
        case.same(
            [classes(box) & {"query", "key"} for box in boxes].index({"query"}),
            case.value(axis.low),
            "the word that asks",
        )
        case.same(sum("key" in classes(box) for box in boxes), len(words) - 1, "words that are looked at")
        self.places = np.array([place_of(word, "x") for word in words])
        for place, box in zip(self.places, boxes, strict=True):
            around = points(box.get("d", ""))[:, 0]
            case.check(around.min() < place < around.max(), "a word is not in its token")

    def pixels(self, values: Any) -> np.ndarray:
        return self.places[np.asarray(values, int)]


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


def rulers_of(
    axes: ElementTree.Element, marks: Mapping[str, ElementTree.Element], plot: Plot, title: float | None, case: Case
) -> tuple[Ruler | None, Ruler | None]:
    upright, level, across, up = _lines(axes)
    rulers = []
    for axis, lines, ends, kind in ((plot.x, upright, across, "x"), (plot.y, level, up, "y")):
        inside = case.at(f"{kind} axis")
        ticks = words_of(axes, f"{kind}-tick")
        if axis is None:
            inside.same(texts_of(ticks), "", "ticks of an axis without numbers")
            rulers.append(None)
            continue
        scale, across_words = case.value(axis.scale), plot.x is not None and case.value(plot.x.scale) == "words"
        if scale == "words":
            rulers.append(Words(axis, axes, inside))
            continue
        if kind == "y" and across_words and len(lines) == 1:  # its only line is at the end
            rulers.append(Ruler(axis, [up[0], lines[0]], [0.0, 1.0], (up[0], lines[0]), inside))
            continue
        if axis.scale in ("cells", "round"):
            read = _cells if axis.scale == "cells" else _round
            rulers.append(read(axis, kind, ticks, marks, inside))
            continue
        strip = None
        if axis.beyond:
            inside.same(texts_of(ticks[-1:]), axis.beyond, "the strip beyond")
            strip = place_of(ticks[-1], "y") - 0.35 * float(ticks[-1].get("font-size", 0))
            inside.check(strip < ends[1] - 0.5 * EM, "the strip beyond is not beyond the axis")
            ticks = ticks[:-1]
        if kind == "x" and not lines:
            lines = [place_of(tick, "x") for tick in ticks]  # words alone say where the ticks are
        inside.same(len(ticks), len(lines), "lines and words of ticks")
        if axis.ticks is None:
            numbers = [number_in(texts_of([tick])) for tick in ticks]
            inside.check(None not in numbers, f"ticks that are no numbers: {[texts_of([tick]) for tick in ticks]}")
        else:
            numbers = _named_ticks(ticks, inside.value(axis.ticks), inside)
        for tick, line in zip(ticks, lines, strict=True):
            near = 2 * EM if kind == "x" else 0.5 * EM  # words at an end may be pushed inside
            inside.check(abs(place_of(tick, kind) - line) <= near, "the words of a tick are not beside its line")
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
        return place_of(tick, kind) - aside * float(tick.get("font-size", 0))

    numbers = [number_in(texts_of([t])) for t in ticks] if axis.ticks is None else None
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
    start, size = (place_of(images[0], kind), float(images[0].get("width" if kind == "x" else "height", 0)))
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
    (found,) = (circles(d_of(mark)) for mark in marks.values() if any("circle" in classes(p) for p in paths(mark)))
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
        case.same([texts_of([tick]) for tick in ticks], names, "names of the slots")
        return [float(i) for i in range(len(names))]
    found = []
    for tick in ticks:
        words = texts_of([tick])
        case.check(words in names, f"a tick says {words!r}; the table knows {sorted(names)}")
        found.append(float(names[words]))
    return found
