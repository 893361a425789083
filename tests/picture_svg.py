"""A drawn picture taken apart: the panels and words of the SVG, and the room that words take.

Nothing here asks the front end what it meant.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

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


def words_of(group: ElementTree.Element) -> list[ElementTree.Element]:
    return list(group.iter(f"{SVG}text"))


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


HAN = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")  # set by another type, as wide as high
Area = tuple[float, float, float, float]


def area_of(text: ElementTree.Element) -> Area:
    """Left, top, right, bottom of words as the font sets them, from the foot of a p to the head of an x."""
    advances, unknown = _advances(600 if text.get("font-weight") == "600" else 400)
    words, size = "".join(text.itertext()), float(text.get("font-size", 0))
    several = [piece for piece in advances if len(piece) > 1]
    pieces = re.findall("|".join([*several, "."]), words)
    width = sum(advances.get(piece, 1.0 if HAN.match(piece) else unknown) for piece in pieces) * size
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
