"""One meaning, one colour, in every lab and every figure; the style that Matplotlib figures share.

The colours stand in ``palette.json``, which the front end's style is built from too. They are those of Okabe and Ito
(2008) with two additions, and stay apart for readers with any common colour vision.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap

PALETTE: dict[str, str] = json.loads((Path(__file__).parent / "palette.json").read_text(encoding="utf-8"))

UNSCALED, SCALED, OVERSCALED = PALETTE["unscaled"], PALETTE["scaled"], PALETTE["overscaled"]
GRADIENT, THEORY, PLAIN = PALETTE["gradient"], PALETTE["theory"], PALETTE["plain"]

#: Signed matrices: negative green, zero white, positive purple, always with a fixed symmetric range.
SIGNED = LinearSegmentedColormap.from_list("whyformer.signed", [PALETTE["gradient-negative"], "white", GRADIENT])

_STYLE = {
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
    "axes.prop_cycle": mpl.cycler(color=[SCALED, UNSCALED, OVERSCALED, GRADIENT, THEORY]),
}


def figure_style() -> AbstractContextManager[None]:
    """``with figure_style(): ...`` draws in the style of the book."""
    return mpl.rc_context(_STYLE)


def use_style() -> None:
    """Draw in the style of the book from now on; for notebooks."""
    mpl.rcParams.update(_STYLE)
