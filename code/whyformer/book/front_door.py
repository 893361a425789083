"""``index.html``: leads to the first page, with the query and the fragment it was asked with.

sphinx-external-toc would write a redirect that drops both, and writes none where a file is.
"""

from __future__ import annotations

import html
from pathlib import Path

from sphinx.application import Sphinx

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


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html" or app.config.root_doc == "index":
        return
    gaps = {"language": app.config.language, "title": app.config.html_title, "first": f"{app.config.root_doc}.html"}
    page = PAGE.format(**{name: html.escape(text) for name, text in gaps.items()})
    Path(app.outdir, "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """The file is written when pages are done."""
    app.connect("build-finished", _write, priority=400)  # before sphinx-external-toc
