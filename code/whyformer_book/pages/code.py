"""Code as HTML: an element where the colour changes, and none where it is that of plain text.

Pygments gives each name, bracket and string an element, whatever its colour. In a chapter with much code they are a
third of all elements that a browser has to read and to style before the page answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

from pygments.formatters import HtmlFormatter
from pygments.style import Style
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Text, _TokenType
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from whyformer_book.foreign import format_code_by

Tokens = Iterable[tuple[_TokenType, str]]


def _look(style: type[Style], kind: _TokenType) -> dict[str, Any]:
    """A kind without a colour of its own has that of its block, which is that of text."""
    look = style.style_for_token(kind)
    return {**look, "color": look["color"] or style.style_for_token(Text)["color"]}


def alike(*names: str) -> dict[_TokenType, _TokenType]:
    """For each kind of token the first that looks like it in all these styles; names and brackets: ``Text``."""
    styles = [get_style_by_name(name) for name in names]
    looks = {kind: [_look(style, kind) for style in styles] for kind in STANDARD_TYPES}
    first: list[_TokenType] = [Text]
    for kind, look in looks.items():
        if not any(looks[other] == look for other in first):
            first.append(kind)
    return {kind: next(other for other in first if looks[other] == look) for kind, look in looks.items()}


class Merged(HtmlFormatter):  # type: ignore[misc]  # Pygments ships no types
    """HTML in which tokens that look alike are one element; ``like`` is what ``alike`` gives."""

    def __init__(self, like: dict[_TokenType, _TokenType], **options: Any) -> None:
        super().__init__(**options)
        self.like = like

    def format(self, tokensource: Tokens, outfile: IO[Any]) -> None:
        """Write the tokens, each as the first kind that looks like it."""
        super().format(self._merged(tokensource), outfile)

    def _merged(self, tokens: Tokens) -> Iterator[tuple[_TokenType, str]]:
        for kind, text in tokens:
            while kind not in self.like:  # a kind of one language alone looks like the one that it belongs to
                kind = kind.parent
            yield self.like[kind], text


def _use(app: Sphinx) -> None:
    if not isinstance(app.builder, StandaloneHTMLBuilder) or app.builder.highlighter is None:
        return
    options = {**app.builder.theme.get_options(), **app.config.html_theme_options}
    like = alike(options["pygments_light_style"], options["pygments_dark_style"])
    format_code_by(app.builder.highlighter, lambda **options: Merged(like, **options))


def setup(app: Sphinx) -> None:
    """Use it for every block of code."""
    app.connect("builder-inited", _use)
