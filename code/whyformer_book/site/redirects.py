"""The first page at ``index.html``, with the query and the fragment it was asked with, and ``404.html``.

sphinx-external-toc would write a redirect that drops both, and writes none where a file is.
"""

from __future__ import annotations

import html
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from whyformer_book.foreign import BEFORE_OTHERS

PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<title>{title}</title>
<script>location.replace("{first}" + location.search + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url={first}"></noscript>
</head>
<body><a href="{first}">{title}</a></body>
</html>
"""

#: A host shows it at any address, so links are made from the part of the address that is the book's. Two slashes at its
#: start would name another host.
MISSING = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Not here: {title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 34rem; margin: 15vh auto; padding: 0 1rem; font: 1.125rem/1.6 system-ui, sans-serif; }}
</style>
</head>
<body>
<h1>This page is not in the book</h1>
<p>It may have another name now. What there is:</p>
<ul>
{list}
</ul>
<script>
const path = location.pathname.replace(/^\\/+/, "/");
const book = path.replace(/\\/((chapters|notebooks|_static)\\/.*|[^/]*)$/, "/");
for (const link of document.links) link.href = book + link.getAttribute("href");
</script>
</body>
</html>
"""


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html" or app.config.root_doc == "index":
        return
    gaps = {"language": app.config.language, "title": app.config.html_title, "first": f"{app.config.root_doc}.html"}
    page = PAGE.format(**{name: html.escape(text) for name, text in gaps.items()})
    Path(app.outdir, "index.html").write_text(page, encoding="utf-8")
    names = [app.config.root_doc, *pages_in_order(app.env)]
    titles = [(name, app.env.titles[name].astext()) for name in names]
    rows = [f'<li><a href="{html.escape(name)}.html">{html.escape(title)}</a></li>' for name, title in titles]
    missing = MISSING.format(**{name: html.escape(text) for name, text in gaps.items()}, list="\n".join(rows))
    Path(app.outdir, "404.html").write_text(missing, encoding="utf-8")


def pages_in_order(env: BuildEnvironment) -> list[str]:
    """The names of all pages but the first, in the order of the contents."""
    return list(env.toctree_includes.get(env.config.root_doc, []))


def setup(app: Sphinx) -> None:
    """Both files are written when pages are done."""
    app.connect("build-finished", _write, priority=BEFORE_OTHERS)  # sphinx-external-toc
