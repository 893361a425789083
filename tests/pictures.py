"""Pictures read back: from the drawn SVG through its own ticks to numbers, and compared with what a table says.

A table (``tests/questions/<room>/pictures.py``) is written by hand and names for each panel of each lab what it shows:
``PICTURES = {"scale": {"weights scaled": Plot(...)}}``. Nothing here asks the front end what it meant: positions are
turned into numbers by the ticks that a reader sees, colours are the classes of what is drawn, heat maps are the
pixels of the image. Expected values are functions ``(series, state)`` of the Python side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from fontTools.ttLib import TTFont
from whyformer.lab import Lab
from whyformer.lab.host import still

ROOT = Path(__file__).parent.parent
EM = 14.4
WIDTH = 1040
SVG = "{http://www.w3.org/2000/svg}"
TRANSFORM: dict[str, Callable[[Any], Any]] = {
    "linear": lambda v: v,
    "log": np.log,
    "sqrt": np.sqrt,
    "asinh": np.arcsinh,
    "cells": lambda v: v,
    "round": lambda v: v,
}
Values = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
Words = str | Values


# ---- what a table says


@dataclass
class Axis:
    """Domain, scale, label and the words of its ticks; ticks that are numbers say where the axis is.

    Scales beyond those of numbers: "cells", slots of width 1, read by a map or by the words under them; "round", read
    by circles around zero, ``ticks`` being their radii. ``ticks`` of an axis of cells may be a list: the words of its
    slots in order. An axis with ``ticks=()`` has none, and is read by its ends.
    """

    low: Any
    high: Any
    scale: str | Values = "linear"
    label: Words = ""
    ticks: Sequence[float] | Values | None = (
        None  # numbers that the words of ticks stand for, where they are no numbers
    )
    beyond: str = ""  # the word at a strip beyond the domain, where Infinity stands


@dataclass
class Mark:
    """One mark: its kind, the meaning of its colour, its channels, what is more."""

    kind: str
    colour: str = "plain"
    look: tuple[str, ...] | Values = ()
    size: float | None = None  # radius in em
    label: Words = ""
    when: Values | None = None  # where it is drawn at all
    channels: dict[str, Any] = field(default_factory=dict)


def _kind(kind: str) -> Callable[..., Mark]:
    def make(
        colour: str = "plain",
        *,
        look: Sequence[str] | Values = (),
        size: float | None = None,
        label: Words = "",
        when: Values | None = None,
        **channels: Any,
    ) -> Mark:
        return Mark(kind, colour, look if callable(look) else tuple(look), size, label, when, channels)

    return make


Bars, Line, Band, Dots, Rings = map(_kind, ("bars", "line", "band", "dots", "rings"))
Histogram, Intervals, Rule, Segments, Polygon = map(_kind, ("histogram", "intervals", "rule", "segments", "polygon"))
Texts, Heat, Swatches, Grips, Polar, Circles = map(_kind, ("texts", "heat", "swatches", "grips", "polar", "circles"))


@dataclass
class Plot:
    """A plot: title, axes (``None``: no numbers on it), marks by name."""

    marks: dict[str, Mark]
    x: Axis | None = None
    y: Axis | None = None
    title: Words = ""
    colour: str = ""
    y_label: Words = ""
    when: Values | None = None


@dataclass
class Grid:
    """A grid of numbers. Each of ``text``, ``tint``, ``strength``, ``frame``, ``bold`` is a function
    ``(series, state, i, j)``; ``tolerance`` is how much a printed number may differ, half a unit of its last digit."""

    rows: Sequence[str] | Values
    columns: Sequence[str] | Values
    number: Callable[..., Any] | None = None
    text: Callable[..., Any] | None = None
    tint: Callable[..., Any] | None = None
    strength: Callable[..., Any] | None = None
    frame: Callable[..., Any] | None = None
    bold: Callable[..., Any] | None = None
    framed: Callable[..., Any] | None = None
    hatched: Callable[..., Any] | None = None  # None where there is no cell
    groups: Sequence[str | tuple[str, int]] | Values = ()  # words over the heads, or (words, over how many columns)
    title: Words = ""
    colour: str = ""
    when: Values | None = None


@dataclass
class Text:
    """Notes, legends, tables: all their words in reading order, as a list of strings; for tables bars by row too.

    A list among the strings is a row of a table, an entry for each column that has words, "" where nothing stands.
    """

    words: Values
    bars: Values | None = None
    colours: Values | None = None
    chips: Values | None = None
    bold: Values | None = None  # the words in bold type
    links: Values | None = None
    tone: Words = ""  # of all words of a note
    when: Values | None = None


@dataclass
class Diagram:
    """A drawn diagram: words of boxes by name, wires by name as (from box, to box), thickness and colours.

    A wire may also start on a wire, named instead of a box; ``near`` is how far from them its ends may be, in em.
    A label may be given as (words, what it stands beside), which is then the nearest of all boxes, or of all frames, or
    a wire. ``holds``: by frame the boxes in it, no others. ``above``: the wires and labels above the middle of the
    boxes, the others are below; ``bold``: the boxes and labels in bold type; ``faint``: the faint wires.
    """

    boxes: Values
    wires: Values
    near: float = 0.65
    pressed: Values | None = None
    labels: Values | None = None
    holds: Values | None = None
    looks: Values | None = None  # of boxes by name
    above: Values | None = None
    bold: Values | None = None
    faint: Values | None = None
    colours: Values | None = None
    thick: Values | None = None
    title: Words = ""
    when: Values | None = None


# ---- what is drawn


def asked_of(lab: Lab) -> dict[str, Any]:
    """What the front end is told of a lab."""
    return {"declaration": lab.declaration(), "state": lab.state, "size": lab.size}


def drawn(lab: Lab, width: int = WIDTH, blocks: list[Any] | None = None) -> ElementTree.Element:
    """The picture of a lab, or of changed blocks, as a tree."""
    asked = asked_of(lab)
    return ElementTree.fromstring(still.draw(blocks or still.picture(asked), asked, "", width, EM))


def panels_of(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """By name; two panels of one name are refused."""
    found: dict[str, ElementTree.Element] = {}
    for group in root.iter(f"{SVG}g"):
        if name := group.get("data-panel"):
            assert name not in found, f"two panels are called {name!r}"
            found[name] = group
    return found


def marks_of(panel: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """By name; two marks of one name are refused."""
    found: dict[str, ElementTree.Element] = {}
    for group in panel.iter(f"{SVG}g"):
        if (name := group.get("data-mark")) is not None:
            assert name not in found, f"two marks are called {name!r}"
            found[name] = group
    return found


def classes(element: ElementTree.Element) -> set[str]:
    return {name.removeprefix("wf-") for name in (element.get("class") or "").split()}


def paths(group: ElementTree.Element, kind: str = "") -> list[ElementTree.Element]:
    return [path for path in group.iter(f"{SVG}path") if not kind or kind in classes(path)]


def words_of(group: ElementTree.Element, kind: str = "") -> list[ElementTree.Element]:
    return [text for text in group.iter(f"{SVG}text") if not kind or kind in classes(text)]


_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


def points(d: str) -> np.ndarray:
    """The points that a path goes through, (n, 2); of a curve the ends of its pieces."""
    found: list[tuple[float, float]] = []
    x = y = 0.0
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", d):
        numbers = [float(v) for v in _NUMBER.findall(rest)]
        if command in "ML":
            for i in range(0, len(numbers), 2):
                x, y = numbers[i : i + 2]
                found.append((x, y))
        elif command == "C":
            for i in range(0, len(numbers), 6):
                x, y = numbers[i + 4 : i + 6]
                found.append((x, y))
        elif command == "H":
            x = numbers[-1]
            found.append((x, y))
        elif command == "V":
            y = numbers[-1]
            found.append((x, y))
        elif command == "a":
            for i in range(0, len(numbers), 7):
                x, y = x + numbers[i + 5], y + numbers[i + 6]
        elif command not in "zZ":
            raise AssertionError(f"unknown command {command} in a path")
    return np.array(found)


def circles(d: str) -> np.ndarray:
    """Centres and radii of circles, (n, 3)."""
    return np.array(
        [(float(x) + float(r), float(y), float(r)) for x, y, r in re.findall(r"M(-?[\d.]+),(-?[\d.]+)a(-?[\d.]+),", d)]
    ).reshape(-1, 3)


def rectangles(d: str) -> np.ndarray:
    """Left, top, right, bottom of rectangles without round corners, (n, 4)."""
    corner = r"M(-?[\d.]+),(-?[\d.]+)H(-?[\d.]+)V(-?[\d.]+)H-?[\d.]+z"
    return np.array([[float(v) for v in found] for found in re.findall(corner, d)]).reshape(-1, 4)


def number_in(words: str) -> float | None:
    """The number that a tick or a cell prints: 1,000, −0.5, × 8, 1/64, 3 %, 10⁻³."""
    words = words.replace("−", "-").replace(",", "").removeprefix("× ").removesuffix(" %").strip()
    if power := re.fullmatch(r"(?:(-?[\d.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", words):
        exponent = int(power[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
        return float(power[1] or 1) * 10.0**exponent
    if fraction := re.fullmatch(r"1/(\d+)", words):
        return 1 / float(fraction[1])
    try:
        return float(words)
    except ValueError:
        return None


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


# ---- the room that words take, from the widths of the font file itself


@cache
def _advances(weight: int) -> tuple[dict[int, float], float]:
    font = TTFont(ROOT / f"code/whyformer/lab/picture/type/whyformer-sans-{weight}.woff2")
    units = font["head"].unitsPerEm
    return {code: font["hmtx"][name][0] / units for code, name in font.getBestCmap().items()}, 0.7


Area = tuple[float, float, float, float]


def area_of(text: ElementTree.Element) -> Area:
    """Left, top, right, bottom of words as the font sets them, from the foot of a p to the head of an x."""
    advances, unknown = _advances(600 if text.get("font-weight") == "600" else 400)
    words, size = "".join(text.itertext()), float(text.get("font-size", 0))
    width = sum(advances.get(ord(c), unknown) for c in words) * size
    before = {"start": 0.0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
    high, deep = 0.66 * size, 0.12 * size
    if turned := re.fullmatch(r"translate\((\S+) (\S+)\) rotate\(-90\)", text.get("transform", "")):
        x, y = float(turned[1]), float(turned[2])
        return x - high, y + before - width, x + deep, y + before
    x, y = float(text.get("x", 0)), float(text.get("y", 0))
    return x - before, y - high, x - before + width, y + deep


def words_in_panel(root: ElementTree.Element) -> dict[str, tuple[float, list[tuple[str, Area]]]]:
    """Of each panel its room to the right end of the picture, and its words with their areas."""
    whole = float(root.get("width", 0))
    found = {}
    for name, panel in panels_of(root).items():
        left = float(re.findall(r"[-\d.]+", panel.get("transform", ""))[0])
        found[name] = (whole - left, [("".join(text.itertext()), area_of(text)) for text in words_of(panel)])
    return found
