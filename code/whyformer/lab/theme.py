"""One role, one hue, in every lab, figure and formula; the style that Matplotlib figures share.

The colours stand in ``palette.json``, which the front end's style is built from too. Query, key and value have those of
Okabe and Ito (2008); the five roles stay apart with any common colour vision (``tests/lab/test_palette.py``).
A hue never says a condition: what is not divided is dashed, what is as built is solid, what is too much is dotted.
"""

from __future__ import annotations

import html
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

from whyformer.lab.drawing import INK, PALETTE, SvgCanvas, number
from whyformer.lab.host import still

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

QUERY, KEY, VALUE, SCORE = (PALETTE[role] for role in ("query", "key", "value", "score"))
GRADIENT, PEN, SOFT = PALETTE["gradient"], INK["ink"], INK["soft"]

_STYLE: dict[RcKeyType, Any] = {
    "figure.figsize": (5.4, 2.9),
    "figure.dpi": 96,
    "savefig.facecolor": "white",
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": INK["ink"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": INK["line"],
    "grid.linewidth": 0.75,
    "axes.axisbelow": True,
    "axes.edgecolor": INK["soft"],
    "axes.labelcolor": INK["soft"],
    "axes.linewidth": 0.75,
    "text.color": INK["soft"],
    "xtick.color": INK["soft"],
    "ytick.color": INK["soft"],
    "xtick.major.width": 0.75,
    "ytick.major.width": 0.75,
    "lines.linewidth": 1.5,
    "legend.frameon": False,
    "axes.prop_cycle": cycler(color=[SCORE, QUERY, KEY, VALUE, GRADIENT, SOFT]),
}


def svg_of(figure: Figure, words: str) -> str:
    """A figure as SVG text that stands by itself; ``ValueError`` for a formula with TeX in it."""
    with figure_style():
        canvas = figure.canvas
        renderer = SvgCanvas(figure).get_renderer()
        figure.draw(renderer)
        figure.set_canvas(canvas)
    width, height = number(renderer.width), number(renderer.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wf-picture wf-figure" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{html.escape(words)}">'
        f"<style>{still.style(type_inside=False)}</style>{''.join(renderer.parts)}</svg>"
    )


def words_of(figure: Figure) -> str:
    """What a figure shows, in few words: the title of its first axes, or what stands at their axes."""
    said = [axis.get_title("left") or f"{axis.get_ylabel()} over {axis.get_xlabel()}" for axis in figure.axes[:1]]
    return " ".join(said)


class StillFigure(Figure):
    """A Matplotlib figure that shows itself as the last value of a cell, with or without pyplot: as small SVG."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        SvgCanvas(self)

    @property
    def words(self) -> str:
        """What is shown, in few words, for those who do not see it; a page says more."""
        return words_of(self)

    def svg(self) -> str:
        """The figure as SVG text that stands by itself: its colours are inside, light or dark as the system is."""
        return svg_of(self, self.words)

    def _repr_svg_(self) -> str:
        return self.svg()


def figure_style() -> AbstractContextManager[None]:
    """A context in which Matplotlib draws in the style of the book, for ``with``."""
    return mpl.rc_context(_STYLE)


def use_style() -> None:
    """Draw all plots that follow in the type and the colours of the book; in a notebook they are shown as small SVG.

    A plot with TeX in its words, which the SVG cannot have, is shown as Matplotlib shows it.
    """
    mpl.rcParams.update(_STYLE | {"figure.constrained_layout.use": True})
    try:
        from IPython.core.getipython import get_ipython
        from matplotlib_inline import (
            backend_inline,
        )  # what shows plots in a notebook; it sets its own formats when loaded
    except ImportError:
        return
    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel") or shell.display_formatter is None:
        return
    import matplotlib.pyplot as plt

    plt.switch_backend(backend_inline.__name__ if mpl.get_backend() == "agg" else mpl.get_backend())
    formatters = shell.display_formatter.formatters
    as_png = formatters["image/png"].for_type(Figure)

    def svg(figure: Figure) -> str | None:
        try:
            return svg_of(figure, words_of(figure))
        except ValueError:
            return None

    formatters["image/svg+xml"].for_type(Figure, svg)
    formatters["image/png"].for_type(Figure, lambda figure: None if svg(figure) or as_png is None else as_png(figure))
