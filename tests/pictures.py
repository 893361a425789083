"""What a table of pictures can say: for each panel of a lab its marks, axes, words, numbers and boxes.

A table is written by hand in ``tests/questions/<room>/pictures.py``: ``PICTURES = {"scale": {"law": Plot(...)}}``.
Expected values are functions ``(series, state)`` of the Python side. ``picture_checks.py`` compares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Values = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]

Words = str | Values


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
    colour: str = "soft"
    look: tuple[str, ...] | Values = ()
    size: float | None = None  # radius in em
    label: Words = ""
    when: Values | None = None  # where it is drawn at all
    channels: dict[str, Any] = field(default_factory=dict)


def _kind(kind: str) -> Callable[..., Mark]:
    def make(
        colour: str = "soft",
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

Back = _kind("back")

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
    maps: Values | None = None  # small maps in the cells, (rows, columns, size, size), from 0 to 1
    maps_colour: str = ""
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
    boxes, the others are below; ``bold``: the boxes and labels in bold type; ``faint``: the faint wires. ``beside``: of
    boxes by name the box next to them, or None where half an em around them is free.
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
    beside: Values | None = None
    title: Words = ""
    when: Values | None = None
