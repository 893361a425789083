"""Labs on pages: the bundle where there is one, and nowhere else; no lab that does not exist, no step that is false."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from whyformer.book.assets import FOLDER, Context

logger = logging.getLogger(__name__)
_LAB = re.compile(r"<whyformer-lab\b[^>]*?\bname\s*=\s*[\"']?([^\"'\s>]*)")


def _check_names(app: Sphinx, document: nodes.document) -> None:
    from whyformer.lab.discover import lab_classes  # takes a second, which a build with nothing to read can save
    from whyformer.lab.step import faults

    for node in document.findall(nodes.raw):
        for name in _LAB.findall(node.astext()):
            if name not in lab_classes():
                known = ", ".join(sorted(lab_classes()))
                logger.warning("there is no lab named %r; there are %s", name, known, location=node, type="whyformer")
                continue
            for number, step in enumerate(lab_classes()[name].steps, 1):
                for fault in faults(lab_classes()[name], step):
                    logger.warning("step %s of lab %s: %s", number, name, fault, location=node, type="whyformer")


def _add_bundle(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    if "<whyformer-" in context.get("body", ""):
        app.add_js_file(f"{FOLDER}/labs.js", loading_method="defer")
        app.add_css_file(f"{FOLDER}/labs.css")


def setup(app: Sphinx) -> None:
    """Names are checked as pages are read; pages with a lab get the bundle."""
    app.connect("doctree-read", _check_names)
    app.connect("html-page-context", _add_bundle)
