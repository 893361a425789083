"""Readers' plots are Matplotlib's. The book's SVG of a plot has all that Matplotlib's own has, or it is refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from io import StringIO
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import whyformer
from IPython.core.interactiveshell import InteractiveShell
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from whyformer.lab import theme
from whyformer.lab.drawing import INK, PALETTE
from whyformer.lab.lab import PAGES
from whyformer.lab.theme import StillFigure, svg_of

RNG = np.random.default_rng(0)
X = np.linspace(0, 3, 31)
WAVE = np.sin(X)[:, None] * np.cos(X)
DRAWS = RNG.standard_normal((60, 3)) ** 3  # with outliers

#: What the SVG draws, and what it refuses.
DRAWN: dict[str, Callable[[Axes], object]] = {
    "line": lambda a: a.plot(X, np.sin(X), "--", label="sine") and a.legend(frameon=True),
    "dots": lambda a: a.plot(X, np.sin(X), "o"),
    "dots outside": lambda a: (a.plot(X, np.sin(X), "o"), a.set_xlim(0.3, 2.7)),
    "open dots": lambda a: a.plot(X, np.sin(X), "o", mfc="none", mec="k"),
    "white dots": lambda a: a.plot(X, np.sin(X), "-o", mfc="white"),
    "squares": lambda a: a.plot(X, np.sin(X), "s-", mec="k"),
    "scatter": lambda a: a.scatter(*DRAWS.T[:2], s=20 + 30 * X[:30].repeat(2), c=DRAWS[:, 2], edgecolors="k"),
    "bars": lambda a: (a.bar(range(5), range(1, 6), edgecolor="k"), a.axhline(2, ls=":")),
    "lying bars": lambda a: a.barh(["one", "two", "three"], [1, 2, 3], xerr=0.2),
    "histogram": lambda a: a.hist(DRAWS, bins=12),
    "steps": lambda a: (a.hist(DRAWS[:, 0], histtype="stepfilled"), a.step(X, X)),
    "boxes": lambda a: a.boxplot(DRAWS),
    "violins": lambda a: a.violinplot(DRAWS),
    "error bars": lambda a: a.errorbar(X, np.sin(X), 0.1 + X / 9, 0.02, fmt="o", capsize=3),
    "area": lambda a: (a.fill_between(X, np.sin(X), alpha=0.3), a.axvspan(1, 2, color="0.9")),
    "stems": lambda a: a.stem(X, np.sin(X)),
    "contours": lambda a: a.contour(X, X, WAVE),
    "filled contours": lambda a: a.contourf(X, X, WAVE),
    "image": lambda a: a.imshow(WAVE),
    "mesh": lambda a: a.pcolormesh(X, X, WAVE),
    "arrows": lambda a: (a.quiver(X[:9], X[:9], X[:9], -X[:9]), a.arrow(0, 0, 1, 1)),
    "pie": lambda a: a.pie([1, 2, 3], labels=["one", "two", "three"]),
    "hexagons": lambda a: a.hexbin(*DRAWS.T[:2], gridsize=9),
    "label on paper": lambda a: (a.plot(X, X), a.annotate("here", (1, 1), (2, 1), bbox={"fc": "w"}, arrowprops={})),
    "logarithms": lambda a: a.loglog(X[1:], np.exp(X[1:])),
    "two scales": lambda a: (a.plot(X, X), a.twinx().plot(X, -X, "r")),
    "text outside": lambda a: (a.plot(X, X), a.text(2.9, 1, "a long label that is cut", clip_on=True)),
    "spans": lambda a: a.eventplot(DRAWS.T, colors=["k", "r", "b"]),
}
REFUSED: dict[str, Callable[[Axes], object]] = {
    "hatches": lambda a: a.bar(range(3), range(1, 4), hatch="//"),
    "a clip path": lambda a: a.imshow(WAVE).set_clip_path(Circle((9, 9), 5, transform=a.transData)),
    "polar axes": lambda a: a.figure.add_subplot(projection="polar").plot(X, X),
    "shaded triangles": lambda a: a.tripcolor([0, 1, 0, 1], [0, 0, 1, 1], [1, 2, 3, 4], shading="gouraud"),
    "a formula": lambda a: a.set_title("$x^2$"),
    "a sketch": lambda a: a.plot(X, X)[0].set_sketch_params(1, 100, 2),
}


def drawn(plot: Callable[[Axes], object], kind: type[Figure] = Figure) -> Figure:
    with plt.style.context("whyformer.book"):
        figure = kind(figsize=(4, 3))
        plot(figure.add_subplot())
    return figure


Things = Counter[frozenset[str]]
NAMES = {f"var(--wf-{name})": colour for name, colour in (PALETTE | INK).items()}


def tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def colours(look: dict[str, str]) -> frozenset[str]:
    """Those of a thing that can be seen, of its face and its edge."""
    seen = set()
    for part in ("fill", "stroke"):
        colour = look.get(part, "none")
        opacity = float(look.get(f"{part}-opacity", 1)) * float(look.get("opacity", 1))
        if colour != "none" and opacity > 0:
            seen.add(to_hex(NAMES.get(colour, colour)))
    return frozenset(seen)


def of_matplotlib(figure: Figure) -> tuple[Things, int, int]:
    """The things in Matplotlib's own SVG by their colours; how many texts and how many images."""
    written = StringIO()
    with plt.style.context(["whyformer.book", {"svg.fonttype": "none"}]):
        figure.savefig(written, format="svg")
    found: Things = Counter()
    counts: Counter[str] = Counter()

    def visit(element: ElementTree.Element) -> None:
        if tag(element) == "defs":
            return
        if tag(element) == "use" or element.get("d"):
            look = {"fill": "#000000"} | dict(re.findall(r"([\w-]+):\s*([^;]+)", element.get("style", "")))
            found[colours(look)] += 1
        counts[tag(element)] += 1
        for child in element:
            visit(child)

    visit(ElementTree.fromstring(written.getvalue()))
    found[frozenset([INK["paper"]])] -= 1 + sum(axes.patch.get_visible() and axes.axison for axes in figure.axes)
    return +found, counts["text"], counts["image"]


def of_the_book(figure: Figure) -> tuple[Things, int, int]:
    """The same of the book's SVG, where dots of one look may be one path."""
    found: Things = Counter()
    counts: Counter[str] = Counter()

    def visit(element: ElementTree.Element, outside: dict[str, str]) -> None:
        look = outside | element.attrib
        counts[tag(element)] += 1
        if tag(element) == "path":
            found[colours(look)] += max(1, element.get("d", "").count("h0"))
        for child in element:
            visit(child, look if tag(element) == "g" else {})

    visit(ElementTree.fromstring(svg_of(figure, "words")), {})
    del found[frozenset()]
    return found, counts["text"], counts["image"]


@pytest.mark.parametrize("name", DRAWN)
def test_the_svg_has_what_matplotlib_draws(name: str) -> None:
    theirs, ours = (count(drawn(DRAWN[name])) for count in (of_matplotlib, of_the_book))
    del theirs[0][frozenset()]
    assert ours == theirs


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_svg_would_leave_out_it_refuses(name: str) -> None:
    figure = drawn(REFUSED[name])
    canvas = figure.canvas
    with pytest.raises(ValueError, match=r"Matplotlib|plain characters"):
        svg_of(figure, "words")
    assert figure.canvas is canvas


# ---- in a kernel


@pytest.fixture
def shell(monkeypatch):
    """IPython that shows figures as pixels, as in a notebook."""
    from IPython.core.pylabtools import select_figure_formats

    made = InteractiveShell()
    select_figure_formats(made, {"png"})
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: made)
    monkeypatch.setattr("matplotlib_inline.backend_inline.__name__", "agg")
    with mpl.rc_context():
        yield made


def kinds(shell: InteractiveShell, figure: Figure) -> set[str]:
    return {kind for kind in shell.display_formatter.format(figure)[0] if kind.startswith("image/")}


def test_in_a_readers_kernel_matplotlib_draws(shell, monkeypatch):
    monkeypatch.delenv(PAGES, raising=False)
    whyformer.use_style()
    assert mpl.rcParams["axes.titlelocation"] == "left" and not mpl.rcParams["axes.spines.top"]
    for plot in (DRAWN["boxes"], REFUSED["hatches"]):
        assert kinds(shell, drawn(plot)) == {"image/png"}


def test_where_the_book_is_built_figures_are_svg_or_matplotlibs(shell, monkeypatch):
    monkeypatch.setenv(PAGES, "1")
    whyformer.use_style()
    assert kinds(shell, drawn(DRAWN["boxes"])) == {"image/svg+xml"}
    assert kinds(shell, drawn(REFUSED["hatches"])) == {"image/png"}


@pytest.mark.parametrize(
    ("plot", "kind"), [(DRAWN["boxes"], "svg+xml"), (REFUSED["hatches"], "png")], ids=["svg", "png"]
)
def test_a_figure_of_the_book_is_shown_in_one_form(plot, kind, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    drawn(plot, StillFigure)._ipython_display_()
    assert [[*data] for data in shown] == [[f"image/{kind}", "text/plain"]]


def test_the_style_has_the_colours_of_the_palette():
    with plt.style.context("whyformer.book"):
        cycle = plt.rcParams["axes.prop_cycle"].by_key()["color"]
        inks = [plt.rcParams[f"{name}color"] for name in ("text.", "axes.edge", "axes.title", "grid.")]
    assert [to_hex(one) for one in cycle] == [
        theme.SCORE, theme.QUERY, theme.KEY, theme.VALUE, theme.GRADIENT, theme.SOFT
    ]  # fmt: skip
    assert [to_hex(one) for one in inks] == [INK["soft"], INK["soft"], INK["ink"], INK["line"]]
