"""A drawn picture taken apart: panels, marks, paths and words of the SVG, and the room that words take.

Nothing here asks the front end what it meant.
"""

from __future__ import annotations

import re
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


@cache
def _advances(weight: int) -> tuple[dict[str, float], float]:
    """Of characters, and of what stands in the place of several, as in W_Q."""
    font = TTFont(ROOT / f"code/whyformer/lab/picture/type/whyformer-sans-{weight}.woff2")
    units = font["head"].unitsPerEm
    glyphs = {chr(code): name for code, name in font.getBestCmap().items()}
    names = {name: character for character, name in glyphs.items()}
    for first, ligatures in font["GSUB"].table.LookupList.Lookup[0].SubTable[0].ligatures.items():
        for each in ligatures:
            glyphs["".join(names[name] for name in (first, *each.Component))] = each.LigGlyph
    return {piece: font["hmtx"][name][0] / units for piece, name in glyphs.items()}, 0.7


Area = tuple[float, float, float, float]


def area_of(text: ElementTree.Element) -> Area:
    """Left, top, right, bottom of words as the font sets them, from the foot of a p to the head of an x."""
    advances, unknown = _advances(600 if text.get("font-weight") == "600" else 400)
    words, size = "".join(text.itertext()), float(text.get("font-size", 0))
    several = [piece for piece in advances if len(piece) > 1]
    pieces = re.findall("|".join([*several, "."]), words)
    width = sum(advances.get(piece, unknown) for piece in pieces) * size
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


def texts_of(elements: list[ElementTree.Element]) -> str:
    return " ".join("".join(element.itertext()) for element in elements)


def place_of(text: ElementTree.Element, axis: str) -> float:
    if turned := re.match(r"translate\((\S+) (\S+)\)", text.get("transform", "")):
        return float(turned["xy".index(axis) + 1])
    return float(text.get(axis) or 0)


def d_of(shapes: ElementTree.Element) -> str:
    return "".join(path.get("d", "") for path in paths(shapes))
