"""Code with few elements looks as Pygments would have it, letter for letter, in both themes."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Name, Punctuation, String, Text
from whyformer_book.pages.code import Merged, alike

THEMES = ("a11y-high-contrast-light", "a11y-high-contrast-dark")
KINDS = {short: kind for kind, short in STANDARD_TYPES.items()}
SAMPLES = {
    "python": Path(__file__).read_text(encoding="utf-8")
    + '@a\nclass B(C):\n    x = f"{y!r:>{w}}" if not z else 0x1F\n',
    "bash": 'for file in *.md; do echo "$file" | sed s/a/b/; done  # all\n',
    "pycon": '>>> 1 / 0\nTraceback (most recent call last):\n  File "a.py", line 1\nZeroDivisionError: division\n',
    "text": "plain\n",
}


def look(theme, kind):
    """Without a colour of its own a letter has that of its block."""
    style = get_style_by_name(theme)
    return {
        **style.style_for_token(kind),
        "color": style.style_for_token(kind)["color"] or style.style_for_token(Text)["color"],
    }


class Letters(HTMLParser):
    """Each letter of a text, with its looks in both themes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.found, self.elements = [Text], [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements += 1
        self.open.append(KINDS.get(dict(attrs).get("class"), Text))

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        looks = [look(theme, self.open[-1]) for theme in THEMES]
        self.found += [(letter, None if letter.isspace() else looks) for letter in data]


def written(formatter: HtmlFormatter, language: str) -> Letters:
    out = io.StringIO()
    formatter.format(get_lexer_by_name(language).get_tokens(SAMPLES[language]), out)
    return Letters(out.getvalue())


@pytest.mark.parametrize("language", SAMPLES)
def test_every_letter_looks_the_same(language):
    plain, merged = written(HtmlFormatter(), language), written(Merged(alike(*THEMES)), language)
    assert merged.found == plain.found and merged.found
    assert merged.elements <= plain.elements


def test_half_of_the_elements_are_saved():
    plain, merged = written(HtmlFormatter(), "python"), written(Merged(alike(*THEMES)), "python")
    assert merged.elements < plain.elements / 2


def test_what_looks_alike_in_one_theme_only_stays_apart():
    like = alike(*THEMES)
    assert like[Name] is like[Punctuation] is Text
    assert like[String.Interpol] is like[String.Double] is not Text
    assert like[Name.Attribute] is not like[Name.Label]  # one yellow in the dark, two colours in the light
    assert alike(THEMES[1])[Name.Attribute] is alike(THEMES[1])[Name.Label]


def test_the_book_uses_it(book_html):
    page = (book_html / "chapters/why_sqrt_dk.html").read_text(encoding="utf-8")
    assert 'class="highlight"' in page and '<span class="k' in page
    assert '<span class="n">' not in page and '<span class="p">' not in page
