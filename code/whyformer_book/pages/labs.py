"""Labs on pages: the bundle where there is one, and nowhere else; no lab that does not exist, no step that is false.

What a lab is told stands inside of it in the page. If that is long, as measured data are, a browser would have to load
it before it shows the first words; so it is a script of its own, which the lab asks for.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from whyformer_book.paths import FOLDER, Context

logger = logging.getLogger(__name__)
_LAB = re.compile(r"<whyformer-lab\b[^>]*?\bname\s*=\s*[\"']?([^\"'\s>]*)")
_TOLD = re.compile(r'(<whyformer-lab [^>]*>)<script type="application/json">(.*?)</script>')
LONG = 20_000  # characters


@cache
def _faults(name: str) -> list[tuple[int, str]]:
    """What is wrong with the steps of a lab, by their numbers."""
    from whyformer.lab.discover import lab_classes  # takes a second, which a build with nothing to read can save
    from whyformer.lab.step import faults

    lab = lab_classes()[name]
    return [(number, fault) for number, step in enumerate(lab.steps, 1) for fault in faults(lab, step)]


def _check_ahead(app: Sphinx, docname: str, source: list[str]) -> None:
    """The labs of a chapter's own question, while its cells run."""
    from whyformer.lab.discover import lab_classes

    if "{code-cell}" in source[0]:
        for name in lab_classes():
            if name.split("/")[0] == Path(docname).name:
                _faults(name)


def _check_names(app: Sphinx, document: nodes.document) -> None:
    from whyformer.lab.discover import lab_classes

    for node in document.findall(nodes.raw):
        for name in _LAB.findall(node.astext()):
            if name not in lab_classes():
                known = ", ".join(sorted(lab_classes()))
                logger.warning("there is no lab named %r; there are %s", name, known, location=node, type="whyformer")
                continue
            for number, fault in _faults(name):
                logger.warning("step %s of lab %s: %s", number, name, fault, location=node, type="whyformer")


def _add_bundle(
    app: Sphinx, pagename: str, templatename: str, context: Context, doctree: nodes.document | None
) -> None:
    if "<whyformer-" in context.get("body", ""):
        count = itertools.count(1)
        context["body"] = _TOLD.sub(
            lambda found: _apart(app, f"{Path(pagename).name}-{next(count)}", found, context["pathto"]), context["body"]
        )
        app.add_js_file(f"{FOLDER}/labs.js", loading_method="defer")


def _apart(app: Sphinx, name: str, found: re.Match[str], pathto: Callable[..., str]) -> str:
    """A lab as it is, or with the name and the address of the script that has what it is told."""
    if len(found[2]) < LONG:
        return found[0]
    inside = f"_static/{FOLDER}/told/{name}.js"
    file, text = Path(app.outdir, inside), f'(self.WhyformerTold??={{}})["{name}"]={found[2]}\n'
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    address = f"{pathto(inside, resource=True)}?v={hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return f'{found[1]}<script type="application/json" data-told="{name}" data-from="{address}"></script>'


def setup(app: Sphinx) -> None:
    """Names are checked as pages are read; pages with a lab get the bundle."""
    app.connect("source-read", _check_ahead)
    app.connect("doctree-read", _check_names)
    app.connect("html-page-context", _add_bundle)
