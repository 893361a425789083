"""Pictures of attention weights, from :func:`whyformer.model.look` or from anywhere else.

Weights are NumPy arrays or what turns into them, PyTorch's tensors too. Of a model of ``transformers``::

    out = model(**inputs, output_attentions=True)
    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
    pictures.grid(out.attentions)
    pictures.table(tokens, out.attentions[0][0, 2], "layer 1, head 3")

Each draws a figure of its own, or into given axes ``ax``, which it returns then. A figure of its own is never larger
than 2,000 by 2,000 pixels: of a long text cells are smaller, and not all tokens stand at the axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import matplotlib as mpl
import numpy as np
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgba
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from whyformer.lab.drawing import INK, THEMES
from whyformer.lab.theme import KEY, PEN, QUERY, SCORE, SOFT, StillFigure, figure_style
from whyformer.maths.softmax import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Size = tuple[float, float]

FEW = 12  #: up to so many tokens each cell shows its number
FAINT = 0.05  #: weights below are not drawn as arcs
MANY = 1000  #: so many arcs are drawn, the largest
CELL = 0.36  #: inches
WORD = 0.3  #: inches, the height of a word with its room
LINE = 0.15  #: inches from one label to the next
TIGHT = 0.26  #: inches of a cell below which its number does not fit
MOST = 10.0  #: inches, the side of a table, shown with two pixels for each dot on fine screens
WIDEST = 20.0  #: inches, the side of other pictures: 1,920 pixels
FINE = 64  #: so many cells of one head are shown in a grid, each way


def _shades(colour: str) -> LinearSegmentedColormap:
    """From nothing to the colour, so that it is right on any paper."""
    return LinearSegmentedColormap.from_list("weights", [(*to_rgba(colour)[:3], 0.0), to_rgba(colour)])


#: Cells have the colour by name, dark or light as the page is; pixels one that is seen on both.
CELLS, PIXELS = _shades(SCORE), _shades(THEMES["light"]["score-map"])


def _array(values: Any, shape: str) -> Array:
    """Weights as a NumPy array with the axes that ``shape`` names; PyTorch's tensors are taken from where they are."""

    def taken(one: Any) -> Any:
        return one.detach().cpu().float().numpy() if hasattr(one, "detach") else one

    listed = [taken(one) for one in values] if isinstance(values, list | tuple) else taken(values)
    try:
        array = np.asarray(listed)
        array = array if array.dtype.kind == "f" else array.astype(float)  # float32 as it is: weights can be large
    except (ValueError, TypeError):
        array = np.zeros(0)
    count = shape.count(",") + 1
    if array.ndim == count + 1 and array.shape[-4:-3] == (1,):  # of transformers: a batch of one text
        array = array[..., 0, :, :, :]
    if array.ndim != count or not array.size:
        raise ValueError(f"weights must be numbers of shape ({shape}); got {np.shape(listed)}")
    return array


def _axes(ax: Axes | None, figsize: Size | None, usual: Size, most: float) -> Axes:
    """Those given, or those of a new figure of the usual size, within what is the most for a side."""
    if ax is not None:
        if figsize is not None:
            raise ValueError("give ax or figsize: on given axes their figure has its size already")
        return ax
    size = figsize or (min(usual[0], most), min(usual[1], most))
    return StillFigure(figsize=size, layout="constrained").add_subplot()


def _drawn(ax: Axes | None, axes: Axes) -> StillFigure | Axes:
    return axes if ax is not None else axes.figure  # type: ignore[return-value]


def _framed(axes: Axes) -> None:
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set(visible=True, color=SOFT, linewidth=0.5)


def _inches(axes: Axes) -> Size:
    figure = axes.get_figure(root=True)
    dpi = 1.0 if figure is None else figure.dpi
    return axes.bbox.width / dpi, axes.bbox.height / dpi


def _thinned(words: Sequence[str], inches: float) -> tuple[range, list[str]]:
    """Which of the labels of an axis of that length have room, and where."""
    places = range(0, len(words), max(1, int(np.ceil(len(words) * LINE / inches))))
    return places, [words[place] for place in places]


def _ink(colours: Colormap, share: float) -> str:
    """For a number in a cell: light where the cell, on white, is dark."""
    red, green, blue, alpha = colours(share)
    return INK["paper"] if 1 - alpha + alpha * (0.3 * red + 0.59 * green + 0.11 * blue) < 0.5 else PEN


def _bar(axes: Axes, image: Any, least: float, most: float) -> None:
    """A colour bar beside the axes, as one image."""
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    bar = figure.colorbar(image, ax=axes, shrink=0.6, aspect=24)
    for solid in bar.ax.collections:
        solid.remove()
    shades, extent = np.linspace(least, most, 256)[:, None], (0, 1, least, most)
    bar.ax.imshow(shades, image.get_cmap(), vmin=least, vmax=most, extent=extent, aspect="auto", origin="lower")
    bar.outline.set(edgecolor=SOFT, linewidth=0.5)
    bar.ax.tick_params(length=0)
    bar.ax.grid(visible=False)


@overload
def table(
    tokens: Sequence[str],
    weights: Any,
    title: str = "",
    *,
    ax: Axes,
    keys: Sequence[str] | None = None,
    cmap: Any = None,
) -> Axes: ...
@overload
def table(
    tokens: Sequence[str], weights: Any, title: str = "", *, keys: Sequence[str] | None = None,
    figsize: Size | None = None, cmap: Any = None,
) -> StillFigure: ...  # fmt: skip
def table(
    tokens: Sequence[str], weights: Any, title: str = "", *, keys: Sequence[str] | None = None, ax: Axes | None = None,
    figsize: Size | None = None, cmap: Any = None,
) -> StillFigure | Axes:  # fmt: skip
    """One head: a row for each query, a column for each key, darker where the value is larger.

    ``weights`` (n_queries, n_keys): weights, drawn from 0 to 1, or scores, from the least to the largest; NaN is left
    out. ``tokens`` are those that look, ``keys`` those that are looked at, the same if None. Each cell shows its number
    if there is room for it, else a colour bar stands beside them. ``figsize`` in inches; ``cmap``: a colour map of
    Matplotlib or its name. Raises ``ValueError`` for weights of another shape.
    """
    values, keys = _array(weights, "n_queries, n_keys"), tokens if keys is None else keys
    if values.shape != (len(tokens), len(keys)):
        raise ValueError(f"weights must have shape ({len(tokens)}, {len(keys)}), as the tokens; got {values.shape}")
    rows, columns = values.shape
    lowest, highest = float(np.nanmin(values)), float(np.nanmax(values))
    share = lowest >= 0 and highest <= 1
    least, most = (0.0, 1.0) if share else (lowest, highest)
    few = max(values.shape) <= FEW
    with figure_style():
        axes = _axes(ax, figsize, (1.9 + CELL * columns, 1.5 + CELL * rows), MOST)
        width, height = _inches(axes)
        roomy = ax is None and figsize is None or bool(min(width / columns, height / rows) >= TIGHT)
        numbered = few and roomy
        colours = mpl.colormaps.get_cmap(cmap or (CELLS if few else PIXELS))
        look: dict[str, Any] = {"cmap": colours, "vmin": least, "vmax": most}
        if few:
            image: Any = axes.pcolormesh(np.arange(columns), np.arange(rows), values, **look)
        else:
            image = axes.imshow(values, interpolation="nearest", **look)
        axes.set(aspect="equal", xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
        _framed(axes)
        axes.set_title(title, pad=8)
        axes.set_xlabel("key: the token that is looked at" + " (weights in %)" * (numbered and share), color=SOFT)
        axes.set_ylabel("query: the token that looks", color=SOFT)
        axes.set_xticks(*_thinned(keys, width), rotation=90, color=KEY)
        axes.set_yticks(*_thinned(tokens, height), color=QUERY)
        axes.tick_params(length=0)
        if not numbered:
            _bar(axes, image, least, most)
            return _drawn(ax, axes)
        for (row, column), value in np.ndenumerate(values):
            if np.isnan(value):
                continue
            words = f"{value:.0%}".rstrip("%") if share else f"{round(float(value), 1) + 0.0:.1f}"  # no -0.0
            level = float(value - least) / (most - least or 1)
            ink = _ink(colours, level) if cmap else INK["paper"] if level > 0.5 else PEN
            axes.text(column, row, words, ha="center", va="center", fontsize=8, color=ink)
    return _drawn(ax, axes)


def _height(i: int, j: int) -> float:
    """Of an arc between two places, in heights of a word: long ones are flatter."""
    return 0.6 + 0.5 * abs(i - j) ** 0.7


@overload
def arcs(tokens: Sequence[str], weights: Any, title: str = "", query: int | None = None, *, ax: Axes) -> Axes: ...
@overload
def arcs(
    tokens: Sequence[str], weights: Any, title: str = "", query: int | None = None, *, figsize: Size | None = None
) -> StillFigure: ...
def arcs(
    tokens: Sequence[str], weights: Any, title: str = "", query: int | None = None, *, ax: Axes | None = None,
    figsize: Size | None = None,
) -> StillFigure | Axes:  # fmt: skip
    """One head as arcs over the words: above them a token looks at a later one, below at an earlier one.

    ``weights`` (n, n); ``query``: the place, from 0, of the one token whose arcs are drawn, None for all. Thicker is
    more; weights below 0.05 are left out, and of more than 1,000 the smaller ones. A token that looks at itself has a
    dot, as large as the weight. ``figsize`` in inches. Raises ``ValueError`` for weights of another shape.
    """
    values, n = _array(weights, "n, n"), len(tokens)
    if values.shape != (n, n):
        raise ValueError(f"weights must have shape ({n}, {n}), as the tokens; got {values.shape}")
    drawn = [(i, j) for i, j in np.argwhere(values >= FAINT).tolist() if query in (None, i)]
    drawn = sorted(sorted(drawn, key=lambda one: -values[tuple(one)])[:MANY])
    above, below = (max([0.6, *(_height(i, j) for i, j in drawn if (j - i) * side >= 0)]) for side in (1, -1))
    with figure_style():
        axes = _axes(ax, figsize, (0.62 * n + 0.6, 0.4 + WORD * (above + below)), WIDEST)
        long = _inches(axes)[0] / n < 0.4  # the words stand upright then
        axes.set(xlim=(-0.7, n - 0.3), ylim=(-below, max(above, 3.0 if long else 0)))
        axes.axis("off")
        axes.set_title(title)
        for i, j in drawn:
            weight, side = float(values[i, j]), 1 if j > i else -1
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
        for i, token in zip(*_thinned(tokens, _inches(axes)[0]), strict=True) if long else enumerate(tokens):
            look: dict[str, Any] = {"rotation": 90, "va": "bottom"} if long else {"va": "center"}
            axes.text(i, 0, token, ha="center", color=QUERY if i == query else PEN, fontsize=10, **look)
    return _drawn(ax, axes)


def _coarse(weights: Array) -> Array:
    """At most ``FINE`` cells each way: of a long text each is the largest weight of a block."""
    for axis in (-2, -1):
        n = weights.shape[axis]
        if n > FINE:
            weights = np.maximum.reduceat(weights, np.arange(FINE) * n // FINE, axis=axis)
    return weights


@overload
def grid(weights: Any, title: str = "", *, ax: Axes, cmap: Any = None) -> Axes: ...
@overload
def grid(weights: Any, title: str = "", *, figsize: Size | None = None, cmap: Any = None) -> StillFigure: ...
def grid(
    weights: Any, title: str = "", *, ax: Axes | None = None, figsize: Size | None = None, cmap: Any = None
) -> StillFigure | Axes:
    """All heads, small: a row for each layer, a column for each head, both counted from 1.

    ``weights`` (n_layers, n_heads, n, n), or a list with (n_heads, n, n) of each layer, drawn from 0 to 1; in each
    square a row for each query. Of a text of more than 64 tokens each cell is the largest weight of a block.
    ``figsize`` in inches; ``cmap`` as in :func:`table`. Raises ``ValueError`` for weights of another shape.
    """
    values = _coarse(_array(weights, "n_layers, n_heads, n, n"))
    n_layers, n_heads, n, _ = values.shape
    one = n + 1  # with the line that parts it from the next
    mosaic = np.full((n_layers, one, n_heads, one), np.nan)
    mosaic[:, :n, :, :n] = values.swapaxes(1, 2)
    mosaic = mosaic.reshape(n_layers * one, n_heads * one)[:-1, :-1]
    with figure_style():
        square = min(0.7, (WIDEST - 1) / max(n_layers, n_heads))
        axes = _axes(ax, figsize, (square * n_heads + 0.8, square * n_layers + 0.9), WIDEST)
        axes.imshow(mosaic, cmap=cmap or PIXELS, vmin=0, vmax=1, interpolation="nearest")
        _framed(axes)
        for count, line in ((n_layers, axes.axhline), (n_heads, axes.axvline)):
            for i in range(1, count):
                line(i * one - 1, color=INK["line"], linewidth=0.75)
        axes.set_title(title, pad=6)
        axes.set_xlabel("head", color=SOFT)
        axes.set_ylabel("layer", color=SOFT)
        axes.set_xticks(one * np.arange(n_heads) + n / 2 - 0.5, [str(i + 1) for i in range(n_heads)])
        axes.set_yticks(one * np.arange(n_layers) + n / 2 - 0.5, [str(i + 1) for i in range(n_layers)])
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
    return _drawn(ax, axes)
