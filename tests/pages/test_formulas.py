"""Formulas in colour: a symbol has the hue of its role, in light, dark and on paper."""

from __future__ import annotations

import tinycss2
from page_cases import show
from whyformer.lab.drawing import THEMES
from whyformer_book.pages.katex import Renderer
from whyformer_book.site.assets import BUNDLE, STATIC
from whyformer_book.site.first_paint import kept

ROLES = ("query", "key", "value", "score", "gradient")
WORDS = {"katex"}
COLOURS = """() => [...document.querySelectorAll(".katex-html .mord.mathnormal")].map((one) => {
  const rgb = getComputedStyle(one).color.match(/[0-9]+/g).slice(0, 3);
  return "#" + rgb.map((part) => Number(part).toString(16).padStart(2, "0")).join("");
})"""


def test_symbols_have_the_hues_of_their_roles_in_every_light(visit, tmp_path) -> None:
    sheets = [BUNDLE / "labs.css", STATIC / "book.css"]
    rules = tinycss2.parse_stylesheet("".join(sheet.read_text(encoding="utf-8") for sheet in sheets))
    tex = "".join(rf"\textcolor{{{role}}}{{x}}" for role in ROLES)
    page = tmp_path / "formula.html"
    script = (
        "document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'"
    )
    page.write_text(
        f"<!doctype html><html lang='en'><title>x</title><style>{''.join(kept(rules, WORDS))}</style>"
        f"<script>{script}; matchMedia('(prefers-color-scheme: dark)').onchange = () => {{ {script} }}</script>"
        f"<script defer src='{(BUNDLE / 'pages/print.js').as_uri()}'></script>{Renderer({})(tex, display=True)}",
        encoding="utf-8",
    )
    opened = visit(page.as_uri())
    for theme in ("light", "dark"):
        show(opened, theme)
        assert opened.evaluate(COLOURS) == [THEMES[theme][f"{role}-text"] for role in ROLES]
    opened.emulate_media(media="print", color_scheme="dark")
    opened.wait_for_function("document.documentElement.dataset.theme === 'light'")
    assert opened.evaluate(COLOURS) == [THEMES["light"][f"{role}-text"] for role in ROLES]
