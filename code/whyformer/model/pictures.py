"""Pictures of what attention did with a sentence: one head as a table of colours, as arcs over the words, all heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from whyformer.lab.drawing import INK, THEMES
from whyformer.lab.theme import KEY, PEN, QUERY, SCORE, SOFT, StillFigure, figure_style
from whyformer.maths.softmax import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 12  #: up to so many tokens each cell shows its number
FAINT = 0.05  #: weights below are not drawn as arcs
CELL = 0.36  #: inches
WORD = 0.3  #: inches, the height of a word with its room


def _shades(colour: str) -> LinearSegmentedColormap:
    """From nothing to the colour, so that it is right on any paper."""
    return LinearSegmentedColormap.from_list("weights", [(*to_rgba(colour)[:3], 0.0), to_rgba(colour)])


#: Cells have the colour by name, dark or light as the page is; pixels one that is seen on both.
CELLS, PIXELS = _shades(SCORE), _shades(THEMES["light"]["score-map"])


def _framed(axes: Axes) -> None:
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set(visible=True, color=SOFT, linewidth=0.5)


def table(tokens: Sequence[str], values: Array, title: str) -> StillFigure:
    """One head: a row for each query, a column for each key, darker where the value is larger.

    ``values`` (n, n): weights, drawn from 0 to 1, or scores, from the least to the largest; NaN is left out.
    """
    n = len(tokens)
    lowest, highest = float(np.nanmin(values)), float(np.nanmax(values))
    share = lowest >= 0 and highest <= 1
    with figure_style():
        figure = StillFigure(figsize=(1.9 + CELL * n, 1.5 + CELL * n), layout="constrained")
        axes = figure.add_subplot()
        least, most = (0.0, 1.0) if share else (lowest, highest)
        axes.pcolormesh(np.arange(n), np.arange(n), values, cmap=CELLS, vmin=least, vmax=most)
        axes.set(aspect="equal", ylim=(n - 0.5, -0.5))
        _framed(axes)
        axes.set_title(title, pad=8)
        axes.set_xlabel("key: the token that is looked at")
        axes.set_ylabel("query: the token that looks")
        axes.set_xticks(range(n), tokens, rotation=90, color=KEY)
        axes.set_yticks(range(n), tokens, color=QUERY)
        axes.tick_params(length=0)
        if n <= FEW:
            middle = (least + most) / 2
            for (row, column), value in np.ndenumerate(values):
                if np.isnan(value):
                    continue
                words = f"{value:.0%}".rstrip("%") if share else f"{round(float(value), 1) + 0.0:.1f}"  # no -0.0
                ink = INK["paper"] if value > middle else PEN
                axes.text(column, row, words, ha="center", va="center", fontsize=8, color=ink)
            if share:
                axes.set_xlabel("key: the token that is looked at (weights in %)")
    return figure


def _height(i: int, j: int) -> float:
    """Of an arc between two places, in heights of a word: long ones are flatter."""
    return 0.6 + 0.5 * abs(i - j) ** 0.7


def arcs(tokens: Sequence[str], weights: Array, title: str, query: int | None = None) -> StillFigure:
    """One head as arcs over the words: above them a token looks at a later one, below at an earlier one.

    ``weights`` (n, n); ``query``: the place, from 0, of the one token whose arcs are drawn, None for all. Thicker is
    more; weights below 0.05 are left out. A token that looks at itself has a dot, as large as the weight.
    """
    n = len(tokens)
    drawn = [(i, j) for i, j in np.argwhere(weights >= FAINT).tolist() if query in (None, i)]
    above, below = (max([0.6, *(_height(i, j) for i, j in drawn if (j - i) * side >= 0)]) for side in (1, -1))
    with figure_style():
        figure = StillFigure(figsize=(0.62 * n + 0.6, 0.4 + WORD * (above + below)), layout="constrained")
        axes = figure.add_subplot()
        axes.set(xlim=(-0.7, n - 0.3), ylim=(-below, above))
        axes.axis("off")
        axes.set_title(title)
        for i, j in drawn:
            weight, side = float(weights[i, j]), 1 if j > i else -1
            if i == j:
                axes.scatter([i], [0.5], s=70 * weight, color=SCORE, linewidths=0)
                continue
            x, y = (i, j), side * np.array([0.3, 2 * _height(i, j) - 0.7, 0.3])  # a parabola ends half way to its knee
            knee = Path([(x[0], y[0]), ((i + j) / 2, y[1]), (x[1], y[2])], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
            arrow = FancyArrowPatch(
                path=knee, arrowstyle="-|>", mutation_scale=7, linewidth=0.4 + 3 * weight, color=SCORE,
                alpha=0.35 + 0.65 * weight, shrinkA=0, shrinkB=0,
            )  # fmt: skip
            axes.add_patch(arrow)
        for i, token in enumerate(tokens):
            colour = QUERY if i == query else PEN
            axes.text(i, 0, token, ha="center", va="center", color=colour, fontsize=10)
    return figure


def grid(tokens: Sequence[str], weights: Array, title: str) -> StillFigure:
    """All heads, small: a row for each layer, a column for each head, both counted from 1.

    ``weights`` (n_layers, n_heads, n, n), drawn from 0 to 1; in each square a row for each query.
    """
    n_layers, n_heads, n, _ = weights.shape
    one = n + 1  # with the line that parts it from the next
    mosaic = np.full((n_layers, one, n_heads, one), np.nan)
    mosaic[:, :n, :, :n] = weights.swapaxes(1, 2)
    mosaic = mosaic.reshape(n_layers * one, n_heads * one)[:-1, :-1]
    with figure_style():
        figure = StillFigure(figsize=(0.7 * n_heads + 0.8, 0.7 * n_layers + 0.9), layout="constrained")
        axes = figure.add_subplot()
        axes.imshow(mosaic, cmap=PIXELS, vmin=0, vmax=1, interpolation="nearest")
        _framed(axes)
        for count, line in ((n_layers, axes.axhline), (n_heads, axes.axvline)):
            for i in range(1, count):
                line(i * one - 1, color=INK["line"], linewidth=0.75)
        axes.set_title(title, pad=6)
        axes.set_xlabel("head")
        axes.set_ylabel("layer")
        axes.set_xticks(one * np.arange(n_heads) + n / 2 - 0.5, [str(i + 1) for i in range(n_heads)])
        axes.set_yticks(one * np.arange(n_layers) + n / 2 - 0.5, [str(i + 1) for i in range(n_layers)])
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
    return figure
