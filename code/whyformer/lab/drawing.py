"""Matplotlib figures as small SVG in the look of the labs: their type, their colours by name, light and dark.

Matplotlib's own SVG names fixed colours, measures another type than the page has, and repeats ids from figure to
figure. The renderer here writes paths and ``<text>`` and nothing that needs an id. Widths of words come from the table
that labs use too, so a page is the same whatever fonts are installed where it is built.

What it cannot draw (formulas in TeX, hatches, clip paths, sketches, shaded triangles) it refuses with a ``ValueError``,
so that Matplotlib draws.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backend_bases import FigureCanvasBase, GraphicsContextBase, RendererBase
from matplotlib.colors import to_hex, to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.image import imsave
from matplotlib.path import Path as Curve
from matplotlib.transforms import Affine2D, Bbox, BboxBase, Transform

#: The colours of each theme by name: roles, and paper, ink and lines. Figures are drawn in the light ones.
THEMES: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "picture" / "palette.json").read_text(encoding="utf-8")
)
ROLES = ("query", "key", "value", "score", "gradient", "gradient-negative")
PALETTE = {role: THEMES["light"][role] for role in ROLES}
INK = {name: THEMES["light"][name] for name in ("ink", "soft", "line", "paper")}

#: Height above the line and depth below it, in units of the type size; how wide a letter is that another font lends.
RISE, FALL, UNKNOWN = 0.72, 0.21, 700
WIDE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")  #: Chinese, as wide as high
FEW = 200  #: so many dots are drawn one by one
_LETTERS = {Curve.MOVETO: "M", Curve.LINETO: "L", Curve.CURVE3: "Q", Curve.CURVE4: "C", Curve.CLOSEPOLY: "Z"}
_NAMES = {colour: name for name, colour in (PALETTE | INK).items()}


@cache
def _widths(weight: str) -> dict[str, int]:
    tables = json.loads((Path(__file__).parent / "picture" / "widths.json").read_text(encoding="utf-8"))
    table: dict[str, int] = tables[weight]
    return table


@cache
def _piece() -> re.Pattern[str]:
    """A character, or what the type shows lowered, as in W_Q."""
    return re.compile("|".join([*(key for key in _widths("400") if len(key) > 1), "."]))


def _unknown(letter: str) -> int:
    return 1000 if WIDE.match(letter) else UNKNOWN


def _bold(font: FontProperties) -> bool:
    weight = font.get_weight()
    return weight >= 600 if isinstance(weight, int | float) else weight in {"bold", "semibold", "heavy", "black"}


def number(value: float) -> str:
    """A length in pixels, to a tenth. Half way goes up, on every processor, although their last bits differ."""
    shown = f"{value + 1e-6:.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


_POWER = re.compile(r"\$\\mathdefault\{(\d+)\^\{([−-]?\d+)\}\}\$")
_RAISED = str.maketrans("0123456789−-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")


def _plain(text: str, ismath: bool | str) -> str:
    """The characters of a line: the powers at a logarithmic axis raised, other formulas refused."""
    power = _POWER.fullmatch(text) if ismath else None
    if ismath and not power:
        raise ValueError(f"{text!r}: in a figure write formulas in plain characters, as in d² or √n")
    return f"{power[1]}{power[2].translate(_RAISED)}" if power else text


def _colour(rgba: Any) -> str:
    """A colour with a meaning by its name, so that the page says what it is in light and dark; another as it is."""
    colour = to_hex(rgba[:3])
    return f"var(--wf-{_NAMES[colour]})" if colour in _NAMES else colour


def _paint(kind: str, rgba: Any) -> str:
    opacity = "" if rgba[3] >= 1 else f' {kind}-opacity="{rgba[3]:.2g}"'
    return f' {kind}="{_colour(rgba)}"{opacity}'


def _refuse(gc: GraphicsContextBase) -> None:
    """Raise ``ValueError`` for what cannot be drawn here and would be left out."""
    if gc.get_hatch():
        raise ValueError("hatches are drawn by Matplotlib")
    if gc.get_clip_path()[0] is not None:
        raise ValueError("what is cut by a path, as polar axes are, is drawn by Matplotlib")
    if gc.get_sketch_params() is not None:
        raise ValueError("sketches, as in xkcd(), are drawn by Matplotlib")


class SvgRenderer(RendererBase):
    """What Matplotlib draws with: it collects the parts of an SVG of ``width`` by ``height`` pixels."""

    def __init__(self, width: float, height: float, dpi: float, grounds: Sequence[BboxBase] = ()) -> None:
        super().__init__()
        self.width, self.height, self.dpi = width, height, dpi
        self.grounds = grounds  #: the figure and its axes, whose paper is the page's
        self.parts: list[str] = []

    def get_canvas_width_height(self) -> tuple[float, float]:
        """Of the picture, in pixels."""
        return self.width, self.height

    def points_to_pixels(self, points: Any) -> Any:
        """Matplotlib's points as pixels."""
        return points * self.dpi / 72

    def flipy(self) -> bool:
        """Lines are counted from the top for texts."""
        return True

    # Texts

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: bool | str
    ) -> tuple[float, float, float]:
        """Of one line, in pixels; every line is as high as any other."""
        size = self.points_to_pixels(prop.get_size_in_points())
        table = _widths("600" if _bold(prop) else "400")
        return (
            size * sum(table.get(piece, _unknown(piece)) for piece in _piece().findall(_plain(s, ismath))) / 1000,
            size * (RISE + FALL),
            size * FALL,
        )

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: bool | str = False,
        mtext: Any = None,
    ) -> None:
        """One line. It says its length, so that it keeps its place in a type that is wider, too."""
        _refuse(gc)
        size = self.points_to_pixels(prop.get_size_in_points())
        words = _plain(s, ismath)
        width, height, _ = self.get_text_width_height_descent(words, prop, False)
        turned = f" rotate({number(-angle)})" if angle else ""
        at = (number(x), number(y))
        place = f'transform="translate({at[0]} {at[1]}){turned}"' if angle else f'x="{at[0]}" y="{at[1]}"'
        name = _NAMES.get(to_hex(gc.get_rgb()[:3]), "soft")
        look = "" if name == "soft" else f' class="wf-label wf-{name}"'
        look += f' {place} font-size="{number(size)}"' + (' font-weight="600"' if _bold(prop) else "")
        look += f' textLength="{number(width)}" lengthAdjust="spacingAndGlyphs"' if len(words) > 1 else ""
        box = Bbox.from_bounds(0, -height, width, height).transformed(Affine2D().rotate_deg(-angle).translate(x, y))
        self._add(gc, f"<text{look}>{html.escape(words, quote=False)}</text>", box)

    # Shapes

    def _seen(self, transform: Transform) -> Transform:
        return transform + Affine2D().scale(1, -1).translate(0, self.height)

    def _d(self, path: Curve, transform: Transform, *, line: bool) -> str:
        simplify = bool(line and path.should_simplify)
        parts = []
        for vertices, code in path.iter_segments(self._seen(transform), simplify=simplify):
            points = np.ravel(vertices)
            numbers = ",".join(number(value) for value in points) if code != Curve.CLOSEPOLY else ""
            parts.append(f"{_LETTERS[code]}{numbers}")
        return "".join(parts)

    def _strokes(self, gc: GraphicsContextBase) -> str:
        """How lines of this kind are drawn; nothing if there are none."""
        thick, rgba = self.points_to_pixels(gc.get_linewidth()), gc.get_rgb()
        if thick == 0 or rgba[3] == 0:
            return ""
        _, dashes = gc.get_dashes()
        lengths = [] if dashes is None else [number(self.points_to_pixels(d)) for d in np.asarray(dashes)]
        pattern = f' stroke-dasharray="{" ".join(lengths)}"' if lengths else ""
        join = {"round": ' stroke-linejoin="round"', "bevel": ' stroke-linejoin="bevel"'}.get(gc.get_joinstyle(), "")
        cap = {"round": ' stroke-linecap="round"', "projecting": ' stroke-linecap="square"'}.get(gc.get_capstyle(), "")
        cap = "" if lengths else cap
        return f'{_paint("stroke", rgba)} stroke-width="{number(thick)}"{pattern}{join}{cap}'

    def _add(self, gc: GraphicsContextBase, shape: str, inside: Bbox) -> None:
        """A shape; one that leaves its axes is cut by a box of its own, which needs no id."""
        clip = gc.get_clip_rectangle()
        if clip is not None:
            x, y, right, top = clip.x0, self.height - clip.y1, clip.x1, self.height - clip.y0
            leaves = inside.x0 < x - 2 or inside.x1 > right + 2 or inside.y0 < y - 2 or inside.y1 > top + 2
            if leaves:
                box = " ".join(number(value) for value in (x, y, right - x, top - y))
                left, upper, width, height = box.split()
                shape = f'<svg x="{left}" y="{upper}" width="{width}" height="{height}" viewBox="{box}">{shape}</svg>'
        self.parts.append(shape)

    def draw_path(
        self,
        gc: GraphicsContextBase,
        path: Curve,
        transform: Transform,
        rgbFace: Any = None,  # noqa: N803
    ) -> None:
        """A line, an area, or both."""
        _refuse(gc)
        stroke = self._strokes(gc)
        face = None if rgbFace is None else to_rgba(rgbFace, gc.get_alpha() if gc.get_forced_alpha() else None)
        if not np.size(path.vertices):
            return
        inside = path.get_extents(self._seen(transform))
        if face is not None and (face[3] == 0 or to_hex(face[:3]) == INK["paper"] and self._is_ground(inside)):
            face = None
        if not (stroke or face):
            return
        fill = ' fill="none"' if face is None else _paint("fill", face)
        d = self._d(path, transform, line=face is None)
        self._add(gc, f'<path d="{d}"{fill}{stroke}/>', inside)

    def _is_ground(self, inside: Bbox) -> bool:
        """Whether a box of the picture is the figure's or that of its axes; the page is there already."""
        box = (inside.x0, self.height - inside.y1, inside.x1, self.height - inside.y0)
        return any(np.allclose(box, ground.extents, atol=0.1) for ground in self.grounds)

    def draw_markers(
        self,
        gc: GraphicsContextBase,
        marker_path: Curve,
        marker_trans: Transform,
        path: Curve,
        trans: Transform,
        rgbFace: Any = None,  # noqa: N803
    ) -> None:
        """Dots of one size and colour as one path of strokes without length; other marks one by one."""
        _refuse(gc)
        stroked = gc.get_linewidth() > 0 and gc.get_rgb()[3] > 0
        filled = rgbFace is not None and to_rgba(rgbFace)[3] > 0
        plain = filled and (not stroked or to_hex(gc.get_rgb()) == to_hex(rgbFace))
        if not (plain and np.array_equal(marker_path.vertices, Curve.unit_circle().vertices)):
            super().draw_markers(gc, marker_path, marker_trans, path, trans, rgbFace)
            return
        face = to_rgba(rgbFace, gc.get_alpha() if gc.get_forced_alpha() else None)
        thick = marker_path.get_extents(marker_trans).width
        thick += self.points_to_pixels(gc.get_linewidth()) if stroked else 0
        segments = path.iter_segments(self._seen(trans), simplify=False)
        centres = [np.ravel(np.asarray(points))[-2:] for points, _ in segments]
        places = dict.fromkeys(f"M{number(x)},{number(y)}h0" for x, y in centres)
        if not places:
            return
        look = f'{_paint("stroke", face)} stroke-width="{number(thick)}" stroke-linecap="round"'
        dots = [*places] if len(places) <= FEW else ["".join(places)]  # few that lie on each other show it
        self._add(
            gc,
            f"<g{look}>{''.join(f'<path d={_quoted(each)}/>' for each in dots)}</g>",
            Bbox([np.min(centres, 0), np.max(centres, 0)]),
        )

    def draw_gouraud_triangles(self, gc: GraphicsContextBase, *_: Any) -> None:
        """Colours that run into each other: refused."""
        raise ValueError("colours that run into each other, as in tripcolor, are drawn by Matplotlib")

    def draw_image(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        im: Any,
        transform: Any = None,
    ) -> None:
        """A picture of pixels, as of ``imshow``, kept as PNG inside; ``im`` is (height, width, 4), rows from below."""
        _refuse(gc)
        height, width = im.shape[:2]
        if not (height and width):
            return
        kept = BytesIO()
        imsave(kept, np.ascontiguousarray(im[::-1]), format="png", metadata={"Software": ""})
        data = b64encode(kept.getvalue()).decode()
        at = f'x="{number(x)}" y="{number(self.height - y - height)}" width="{width}" height="{height}"'
        self.parts.append(f'<image {at} href="data:image/png;base64,{data}"/>')


def _quoted(text: str) -> str:
    return f'"{text}"'


class SvgCanvas(FigureCanvasBase):
    """A canvas that measures and draws with ``SvgRenderer``."""

    def get_renderer(self) -> SvgRenderer:
        """An empty drawing of the size of the figure."""
        figure = self.figure
        grounds = [figure.bbox, *(axes.bbox for axes in figure.axes)]
        return SvgRenderer(figure.bbox.width, figure.bbox.height, figure.dpi, grounds)
