"""One role, one hue, in every lab, figure and formula; the style that Matplotlib figures share.

The colours stand in ``palette.json``, which the front end's style is built from too. Query, key and value have those of
Okabe and Ito (2008); the five roles stay apart with any common colour vision (``tests/lab/test_palette.py``).
A hue never says a condition: what is not divided is dashed, what is as built is solid, what is too much is dotted.
"""

from __future__ import annotations

import html
import os
from contextlib import AbstractContextManager
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib import style
from matplotlib.figure import Figure

from whyformer.lab.drawing import INK, PALETTE, SvgCanvas, number
from whyformer.lab.host import still
from whyformer.lab.lab import PAGES

QUERY, KEY, VALUE, SCORE = (PALETTE[role] for role in ("query", "key", "value", "score"))
GRADIENT, PEN, SOFT = PALETTE["gradient"], INK["ink"], INK["soft"]

#: The look of the book's plots, a style of Matplotlib; ``whyformer/book.mplstyle`` has it.
STYLE = "whyformer.book"


def svg_of(figure: Figure, words: str) -> str:
    """A figure as SVG text that stands by itself. ``ValueError`` for what it cannot have, such as TeX or hatches."""
    canvas = figure.canvas
    try:
        with figure_style():
            renderer = SvgCanvas(figure).get_renderer()
            figure.draw(renderer)
    finally:
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
    """A figure of the book: the last value of a cell shows it, with or without pyplot, as small SVG.

    It is a Matplotlib figure. If something is put into it that the SVG cannot have, Matplotlib shows it.
    """

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

    def _ipython_display_(self) -> None:
        from IPython.display import display

        try:
            shown: dict[str, Any] = {"image/svg+xml": self.svg()}
        except ValueError:
            kept = BytesIO()
            self.savefig(kept, format="png", dpi=2 * self.dpi)
            width, height = (self.get_size_inches() * self.dpi).round().tolist()
            size = {"image/png": {"width": width, "height": height}}
            display({"image/png": kept.getvalue(), "text/plain": repr(self)}, raw=True, metadata=size)  # type: ignore[no-untyped-call]
        else:
            display(shown | {"text/plain": repr(self)}, raw=True)  # type: ignore[no-untyped-call]


def figure_style() -> AbstractContextManager[None]:
    """A context in which Matplotlib draws in the style of the book, for ``with``."""
    return style.context(STYLE)


def use_style() -> None:
    """Let Matplotlib draw all plots that follow in the colours of the book.

    It is the style ``"whyformer.book"``, so ``plt.style.context("whyformer.book")`` has it for a few lines alone. While
    a book is built, plots go into its pages as small SVG in its type.
    """
    style.use(STYLE)
    if os.environ.get(PAGES):
        _show_as_pages_do()


def _show_as_pages_do() -> None:
    """Have IPython show figures as small SVG, and what that cannot have as Matplotlib shows it."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None or shell.display_formatter is None:
        return
    import matplotlib.pyplot as plt
    from matplotlib_inline import backend_inline  # it sets its own formats when it is loaded

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
