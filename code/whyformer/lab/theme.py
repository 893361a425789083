"""One meaning, one colour, in every lab and every figure; the style that Matplotlib figures share.

The colours stand in ``palette.json``, which the front end's style is built from too. They are those of Okabe and Ito
(2008) with two additions, and stay apart for readers with any common colour vision.
"""

from __future__ import annotations

import io
import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

PALETTE: dict[str, str] = json.loads((Path(__file__).parent / "picture" / "palette.json").read_text(encoding="utf-8"))

UNSCALED, SCALED, OVERSCALED = PALETTE["unscaled"], PALETTE["scaled"], PALETTE["overscaled"]
GRADIENT, THEORY, PLAIN = PALETTE["gradient"], PALETTE["theory"], PALETTE["plain"]

_STYLE: dict[RcKeyType, Any] = {
    "figure.figsize": (6.4, 3.6),
    "figure.dpi": 110,
    "savefig.facecolor": "white",
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#d8dce1",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.edgecolor": "#56606B",
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "axes.prop_cycle": cycler(color=[SCALED, UNSCALED, OVERSCALED, GRADIENT, THEORY]),
}


class StillFigure(Figure):
    """A Matplotlib figure that shows itself as the last value of a cell, with or without pyplot."""

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        with figure_style():
            self.savefig(image, format="png")
        return image.getvalue()


def figure_style() -> AbstractContextManager[None]:
    """A context in which Matplotlib draws in the style of the book, for ``with``."""
    return mpl.rc_context(_STYLE)
