"""Figures on pages: inline SVG that follows the page's theme and type, said in words by the ``alt`` of its cell.

Notebooks show a figure's SVG as a picture of its own. A page has its colours and its type already, and in a picture
apart neither would reach it; so here the SVG stands in the page itself, without the style that it carries.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from whyformer_book.foreign import BEFORE_OTHERS

logger = logging.getLogger(__name__)
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
NAME = re.compile(r'(<svg\b[^>]*\baria-label=")[^"]*')
FIGURE = "wf-figure"


def inline(svg: str, words: str) -> str:
    """The SVG of a figure as a page has it, with ``words`` as its name."""
    named = NAME.sub(lambda found: found[1] + html.escape(words), STYLE.sub("", svg), count=1)
    return named.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)


def _put_in(app: Sphinx, document: nodes.document) -> None:
    for image in list(document.findall(nodes.image)):
        kind, words = image.parent.get("mime_type"), image.get("alt", "").strip()
        if kind is None:  # no result of a cell
            continue
        if kind != "image/svg+xml":
            fault = "a picture with fixed colours; let a cell show a StillFigure instead"
            logger.warning(fault, location=image, type="whyformer")
            continue
        svg = Path(app.env.relfn2path(image["uri"])[1]).read_text(encoding="utf-8")
        if FIGURE not in svg:  # a lab, which the page has as an element
            image.parent.remove(image)
        elif words:
            image.replace_self(nodes.raw("", inline(svg, words), format="html"))
        else:
            fault = "a figure without words; give its cell the option mystnb: image: alt"
            logger.warning(fault, location=image, type="whyformer")


def setup(app: Sphinx) -> None:
    """Figures are put in before Sphinx collects pictures."""
    app.connect("doctree-read", _put_in, priority=BEFORE_OTHERS)
