"""Titles, numbers in cells, notes and tables, drawn diagrams: do they say what the table of pictures says?"""

from __future__ import annotations

import base64
import io
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
from picture_axes import COLOURS, Array, Case
from picture_svg import (
    EM,
    SVG,
    area_of,
    classes,
    marks_of,
    number_in,
    paths,
    place_of,
    points,
    rectangles,
    texts_of,
    words_of,
)
from pictures import (
    Diagram,
    Grid,
    Text,
)
from PIL import Image
from whyformer.lab.drawing import THEMES


def check_title(group: ElementTree.Element, title: Any, colour: str, case: Case) -> None:
    case.same(texts_of(words_of(group, "title-line")), case.value(title), "title")
    keys = [classes(path) & COLOURS for path in paths(group, "sample")]
    case.same(keys, [{colour}] if colour else [], "colour of the title")


def check_grid(group: ElementTree.Element, grid: Grid, case: Case) -> None:
    check_title(group, grid.title, case.value(grid.colour), case)
    found = marks_of(group)
    rows, columns = list(case.value(grid.rows)), list(case.value(grid.columns))
    case.same([texts_of([text]) for text in words_of(group, "x-tick")], columns, "heads of columns")
    case.same([texts_of([text]) for text in words_of(group, "y-tick")], rows, "heads of rows")
    _groups(words_of(group, "note"), list(case.value(grid.groups)), words_of(group, "x-tick"), case)
    slots = [place_of(text, "x") for text in words_of(group, "x-tick")]
    for i, name in enumerate(sorted((n for n in found if n.startswith("row ")), key=lambda n: int(n[4:]))):
        _grid_row(found[name], grid, i, slots, case.at(name))
    if rows:
        case.same(len(found), len(rows), "rows")
    _small_maps(group, grid, slots, case)


def _small_maps(group: ElementTree.Element, grid: Grid, slots: list[float], case: Case) -> None:
    """Every weight of every small map to within a level, and each map in the cell under the head of its column."""
    images = list(group.iter(f"{SVG}image"))
    case.same(len(images), int(grid.maps is not None), "images of small maps")
    if grid.maps is None or not images:
        return
    wanted = np.asarray(case.value(grid.maps), float)
    rows, columns, size, _ = wanted.shape
    picture = Image.open(io.BytesIO(base64.b64decode(images[0].get("href", "").split(",")[1])))
    across = picture.size[0] // columns
    case.same(picture.size, (columns * across, rows * across), "columns and rows of small maps")
    pixels = np.asarray(picture.convert("RGBA"), float).reshape(rows, across, columns, across, 4).swapaxes(1, 2)
    case.close(pixels[:, :, :size, :size, 3], 255 * wanted, 1.01, "weights in small maps")
    case.check(not pixels[:, :, size:, :, 3].any() and not pixels[:, :, :, size:, 3].any(), "small maps touch")
    name = f"{grid.maps_colour}-map"
    hue = THEMES["light"].get(name, THEMES["light"][grid.maps_colour])
    rgb = [int(hue[i : i + 2], 16) for i in (1, 3, 5)]
    case.same(
        {tuple(int(v) for v in pixel[:3]) for pixel in pixels.reshape(-1, 4) if pixel[3] > 4}, {tuple(rgb)}, "hue"
    )
    left, width = (float(images[0].get(at, 0)) for at in ("x", "width"))
    middles = left + (np.arange(columns) * across + size / 2) / (columns * across) * width
    case.close(middles, slots, 1.5, "places of small maps")


def _groups(words: list[ElementTree.Element], groups: list[Any], heads: list[ElementTree.Element], case: Case) -> None:
    """Words over groups of columns, in the middle over their heads."""
    case.same([texts_of([t]) for t in words], [g if isinstance(g, str) else g[0] for g in groups], "groups of columns")
    at = 0
    for word, group in zip(words, groups, strict=True):
        if not isinstance(group, str):
            under = [place_of(head, "x") for head in heads[at : at + group[1]]]
            case.close(place_of(word, "x"), (under[0] + under[-1]) / 2, 0.5 * EM, f"place of {group[0]}")
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
        said = {cell_at(place_of(text, "x")): texts_of([text]) for text in words_of(row, "cell")}
        for at in range(len(places)):
            case.same(said.get(at, ""), grid.text(case.series, case.state, i, at), f"cell {at + 1}")
    for j, text in enumerate(words_of(row, "cell")):
        at = cell_at(place_of(text, "x"))
        words = texts_of([text])
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


def check_text(group: ElementTree.Element, text: Text, case: Case) -> None:
    """All words in order; where lines are broken does not matter."""
    words = case.value(text.words)
    flat = [word for entry in words for word in (entry if isinstance(entry, list) else [entry])]
    case.same(_words(texts_of(words_of(group))), _words(" ".join(flat)), "words")
    if rows := [entry for entry in words if isinstance(entry, list)]:
        case.same(_table(group), rows, "rows")
    if text.bold:
        bold = [word for word in words_of(group) if word.get("font-weight") == "600"]
        case.same(_words(texts_of(bold)), _words(" ".join(case.value(text.bold))), "bold words")
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
        found = [sorted(classes(path) & COLOURS)[0] for path in (*paths(group, "sample"), *bars)]
        case.same(found, list(case.value(text.colours)), "colours")
    if text.chips:
        case.same([path.get("fill") for path in paths(group, "swatch")], list(case.value(text.chips)), "chips")


def _table(group: ElementTree.Element) -> list[list[str]]:
    """Rows of a table, by where their words stand."""
    columns = sorted({place_of(word, "x") for word in words_of(group) if "title-line" not in classes(word)})
    rows = [row for row in group.iter(f"{SVG}g") if row.get("data-mark")]
    return [[texts_of([w for w in words_of(row) if place_of(w, "x") == x]) for x in columns] for row in rows]


def _apart(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The distance of two areas; left, top, right, bottom."""
    dx, dy = (max(one[i] - other[i + 2], other[i] - one[i + 2], 0) for i in (0, 1))
    return float(np.hypot(dx, dy))


def _heights(shapes: ElementTree.Element) -> Array:
    """Of a wire, with the points that pull at a curve, or of a label."""
    wires = "".join(path.get("d", "") for path in paths(shapes, "wire"))
    drawn = [float(v) for v in re.findall(r"-?[\d.]+", wires)][1::2]
    return np.array(drawn or [place_of(word, "y") for word in words_of(shapes)])


def _inside(a: Array, b: Array, box: tuple[float, ...]) -> bool:
    """Does the straight line from a to b pass through the inside of a box?"""
    way = a + np.linspace(0, 1, 201)[:, None] * (b - a)
    edge = 0.15 * EM
    low, high = np.array(box[:2]) + edge, np.array(box[2:]) - edge
    return bool(((low < way) & (way < high)).all(1).any())


def check_diagram(group: ElementTree.Element, diagram: Diagram, case: Case) -> None:
    check_title(group, diagram.title, "", case)
    found = marks_of(group)
    boxes, wires = case.value(diagram.boxes), case.value(diagram.wires)
    labels = case.value(diagram.labels) or {}
    case.same(sorted(found), sorted([*boxes, *wires, *labels]), "boxes, wires and labels")
    for name, words in boxes.items():
        case.same(texts_of(words_of(found[name])), words, f"words in box {name}")
    for name, label in labels.items():
        case.same(texts_of(words_of(found[name])), label if isinstance(label, str) else label[0], f"label {name}")
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
    for name, other in (case.value(diagram.beside) or {}).items():
        gaps = {rival: _apart(areas[name], areas[rival]) for rival in areas.keys() - frames - {name}}
        nearest = min(gaps, key=lambda rival: gaps[rival])
        case.same(nearest if gaps[nearest] < 0.5 * EM else None, other, f"box beside {name}")
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
