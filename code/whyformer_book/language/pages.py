"""The same page in the other language: one anchor for both, a link from each to the other, and the catalogue.

A Chinese heading has no anchor that one could guess; the stamp below it names that of the English section
(``translated``). So links, folds, slides and the search know the sections of both books by one name.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from whyformer.lab.words import as_script, t

from whyformer_book.language.translated import TITLES
from whyformer_book.paths import FOLDER, Context

NEEDS = ("pages.terms",)
#: What a link to the other book says, in the language to which it leads.
NAMES = {"en": "English", "zh": "中文"}
STAMP = "en "


def _take_anchors(app: Sphinx, document: nodes.document) -> None:
    """The anchor of the English section takes the place of the automatic one."""
    if not app.config.whyformer_language:
        return
    for comment in [one for one in document.findall(nodes.comment) if one.astext().startswith(STAMP)]:
        section = comment.parent
        if isinstance(section, nodes.section):
            section["ids"] = [comment.astext().split()[1]]
        section.remove(comment)


def other(language: str, translated: list[str], pagename: str) -> tuple[str, str]:
    """The language of the same page in the other book, and where it stands seen from the root; "" without one."""
    if language:
        return "en", f"../{pagename}.html"
    found = [one for one in translated if one.endswith(f"/{pagename}.html")]
    return (found[0].split("/")[0], found[0]) if found else ("", "")


def _add_to_page(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    config = app.config
    name, address = other(config.whyformer_language, config.whyformer_translated, pagename)
    up = context["pathto"]("", resource=True)  # "../" on a page in a folder
    context["whyformer_t"] = t
    context["whyformer_other"] = {"lang": name, "name": NAMES[name], "url": up + address} if name else {}
    if config.whyformer_language:
        app.add_js_file(f"{FOLDER}/words.js", loading_method="defer", priority=100)
        app.add_css_file(f"{FOLDER}/han.css")


def _publish(app: Sphinx) -> None:
    if app.config.whyformer_language and app.builder.format == "html":
        file = Path(app.outdir, "_static", FOLDER, "words.js")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(as_script(), encoding="utf-8")


def _look_around(app: Sphinx, config: Config) -> None:
    """Pages are made anew when the catalogue changes, or when there are other pages to lead to."""
    config.whyformer_words = as_script()
    pages = [file for one in TITLES for file in Path(app.outdir, one, "chapters").glob("*.html")]
    config.whyformer_translated = sorted(file.relative_to(app.outdir).as_posix() for file in pages)


def setup(app: Sphinx) -> None:
    """Anchors are taken before anything looks at sections; each page gets its link."""
    app.add_config_value("whyformer_language", "", "env", str)
    app.add_config_value("whyformer_words", "", "env", str)
    app.add_config_value("whyformer_translated", [], "html", list)
    app.connect("config-inited", _look_around)
    app.connect("builder-inited", _publish)
    app.connect("doctree-read", _take_anchors, priority=100)
    app.connect("html-page-context", _add_to_page)
