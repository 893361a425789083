"""Chapter figures: no two texts overlap, and none leaves the figure."""

from __future__ import annotations

import importlib
import inspect
from itertools import combinations

import numpy as np
import pytest
from book_cases import ROOT
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from whyformer.lab.theme import figure_style

ROOMS = sorted(file.parent.name for file in (ROOT / "code/whyformer/questions").glob("*/figures.py"))
FIGURES = {
    f"{room}.{name}": function
    for room in ROOMS
    for module in [importlib.import_module(f"whyformer.questions.{room}.figures")]
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
}
#: What a chapter gives to a figure that has no defaults: here rows from flat to sharp.
ARGUMENTS = {
    "dropout_sites.spread_by_concentration": (
        np.linspace(0.05, 1, 400), np.linspace(0.05, 1, 400) / 3, np.arange(400) > 380, 0.1,
    ),
}  # fmt: skip


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
    figure = FIGURES[name](*ARGUMENTS.get(name, ()))
    with figure_style():
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        boxes = [(text.get_text(), text.get_window_extent()) for text in shown(figure)]
    assert len(boxes) > 5
    width, height = canvas.get_width_height()
    cut = [text for text, box in boxes if min(box.x0, box.y0) < 0 or box.x1 > width or box.y1 > height]
    assert not cut, f"leave the figure: {cut}"
    touching = [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]
    assert not touching, f"overlap: {touching}"
