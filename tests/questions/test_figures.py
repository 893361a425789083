"""Chapter figures: no two texts overlap, none leaves the figure, and each is small SVG that is always the same."""

from __future__ import annotations

import importlib
import inspect
import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from book_cases import ROOT
from matplotlib.figure import Figure
from matplotlib.text import Text
from whyformer.lab.drawing import INK, PALETTE, SvgCanvas, number
from whyformer.lab.theme import StillFigure, figure_style

ROOMS = sorted(file.parent.name for file in (ROOT / "code/whyformer/questions").glob("*/figures.py"))
FIGURES = {
    f"{room}.{name}": function
    for room in ROOMS
    for module in [importlib.import_module(f"whyformer.questions.{room}.figures")]
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
}


def shown(figure: Figure) -> list[Text]:
    """The texts that stand in the picture. Matplotlib keeps tick labels outside of the limits; these are not drawn."""
    drawn = []
    for axis in figure.axes:
        for ticked, bounds in ((axis.xaxis, axis.get_xlim()), (axis.yaxis, axis.get_ylim())):
            low, high = sorted(bounds)
            ticks = [tick for tick in ticked.get_major_ticks() if low <= tick.get_loc() <= high]
            drawn += [text for tick in ticks for text in (tick.label1, tick.label2)]
            drawn += [ticked.label, ticked.offsetText]
        drawn += [*axis.texts, axis.title, axis._left_title, axis._right_title]
        drawn += axis.get_legend().get_texts() if axis.get_legend() else []
    drawn += [*figure.texts]
    return [text for text in drawn if text.get_visible() and text.get_text().strip()]


@pytest.mark.parametrize("name", FIGURES)
def test_texts_stand_apart_and_inside(name: str) -> None:
    figure = FIGURES[name]()
    with figure_style():
        renderer = SvgCanvas(figure).get_renderer()
        figure.draw(renderer)
        boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in shown(figure)]
    assert len(boxes) > 5
    width, height = renderer.get_canvas_width_height()
    cut = [text for text, box in boxes if min(box.x0, box.y0) < 0 or box.x1 > width or box.y1 > height]
    assert not cut, f"leave the figure: {cut}"
    touching = [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]
    assert not touching, f"overlap: {touching}"


def body(name: str) -> str:
    """What the figure adds to the style that all pictures share."""
    figure = FIGURES[name]()
    return re.sub("<style>.*?</style>", "", figure.svg(), flags=re.DOTALL)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_small_svg_without_ids_pixels_or_type_of_its_own(name: str) -> None:
    svg = body(name)
    assert len(svg) < 25_000
    for foreign in ("<image", "<defs", "<metadata", "font-family", "url(", "href", "<?xml"):
        assert foreign not in svg
    root = ElementTree.fromstring(svg)
    assert not [each for each in root.iter() if "id" in each.attrib or "style" in each.attrib]
    assert root.attrib["aria-label"].strip() and float(root.attrib["width"]) <= 36 * 16
    assert max(len(part) for part in re.findall(r"\d\.(\d+)", " ".join(re.findall(r'd="([^"]*)"', svg)))) == 1


@pytest.mark.parametrize("name", FIGURES)
def test_every_colour_of_a_figure_is_one_that_the_themes_have(name: str) -> None:
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', body(name))) - {"none"}
    assert colours <= {f"var(--wf-{each})" for each in (*PALETTE, *INK)} and len(colours) > 2


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_drawn_again_is_the_same(name: str) -> None:
    figure = FIGURES[name]()
    assert figure.svg() == figure.svg() == FIGURES[name]().svg()


def test_half_a_tenth_goes_up_whatever_its_last_bits_are() -> None:
    for value in (0.05, 12.25, 100.35, -3.45, 517.95):
        near = [np.nextafter(value, -np.inf), value, np.nextafter(value, np.inf)]
        assert len({number(each) for each in near}) == 1
    assert [number(each) for each in (0.05, 12.25, 3.0, -0.01)] == ["0.1", "12.3", "3", "0"]


def test_what_leaves_its_axes_is_cut_and_formulas_are_refused() -> None:
    with figure_style():
        figure = StillFigure(figsize=(3, 2))
        axis = figure.subplots()
        axis.plot([0, 1], [0, 50])
        axis.set(ylim=(0, 1), xlim=(0, 1))
    assert "<svg x=" in figure.svg()
    axis.set_ylim(0, 60)
    assert "<svg x=" not in figure.svg()
    axis.set_title("$x^2$")
    with pytest.raises(ValueError, match="plain characters"):
        figure.svg()


def test_powers_at_a_logarithmic_axis_are_text() -> None:
    with figure_style():
        figure = StillFigure(figsize=(3, 2))
        figure.subplots().set(yscale="log", ylim=(1e-3, 1e3))
    assert ">10⁻¹<" in figure.svg() and ">10¹<" in figure.svg()
