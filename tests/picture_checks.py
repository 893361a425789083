"""Does a drawn picture show what its table says? Every panel, every mark, every word; nothing more and nothing less."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
from picture_axes import COLOURS, LOOKS, Case, rulers_of
from picture_marks import Marks, check_line_labels
from picture_svg import (
    classes,
    marks_of,
    panels_of,
    paths,
    place_of,
    texts_of,
    words_of,
)
from picture_words import (
    check_diagram,
    check_grid,
    check_text,
    check_title,
)
from pictures import (
    Diagram,
    Grid,
    Plot,
    Text,
)

Panel = Plot | Grid | Text | Diagram


def compare(root: ElementTree.Element, table: Mapping[str, Panel], case: Case) -> None:
    """Raise where a picture differs from its table."""
    found = panels_of(root)
    wanted = {name: panel for name, panel in table.items() if panel.when is None or case.value(panel.when)}
    case.same(sorted(found), sorted(wanted), "panels")
    for name, panel in wanted.items():
        _COMPARE[type(panel)](found[name], panel, case.at(name))


def check_plot(group: ElementTree.Element, plot: Plot, case: Case) -> None:
    check_title(group, plot.title, case.value(plot.colour), case)
    found = marks_of(group)
    axes = found.pop("axes")
    labels = {name: found.pop(name) for name in list(found) if name.endswith(": label")}
    wanted = {name: mark for name, mark in plot.marks.items() if mark.when is None or case.value(mark.when)}
    for name in list(found):  # nothing to draw is drawn as nothing
        case.check(name in wanted, f"a mark {name!r} that the table does not name")
    title = max((place_of(line, "y") for line in words_of(group, "title-line")), default=None)
    x, y = rulers_of(axes, found, plot, title, case)
    case.same(texts_of(words_of(axes, "x-label")), case.value(plot.x.label) if plot.x else "", "label of the x axis")
    case.same(texts_of(words_of(axes, "y-label")), case.value(plot.y_label), "label of the y axis")
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
        getattr(Marks, mark.kind)(shapes, mark, x, y, inside)
    check_line_labels(labels, wanted, y, case)


_COMPARE: dict[type, Any] = {Plot: check_plot, Grid: check_grid, Text: check_text, Diagram: check_diagram}
