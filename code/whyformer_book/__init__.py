"""The Sphinx extension that makes the book: formulas, labs, notebooks, buttons, and the checks that a build must pass.

On the ground floor stand ``paths``, ``questions``, ``myst``, and ``foreign``, which has all that is changed in others'
code. Above it, and none imports from what comes after it: ``proof`` is how sentences name their checks, ``pages`` what
stands on a page, ``notebooks`` the same pages as notebooks, ``teach`` lessons, handouts, editions and the room,
``site`` what goes round all pages, ``language`` the Chinese book, ``chapter`` all that is wrong with one page. One file
for one subject; each of ``PARTS`` has a ``setup(app)`` of its own. Nothing here is needed to use a lab in a notebook,
and nothing of it is in the package that a reader installs.
"""

from __future__ import annotations

import gc
from importlib import import_module
from types import ModuleType

from sphinx.application import Sphinx
from whyformer import __version__

from whyformer_book.foreign import AFTER_OTHERS

#: Each hears of what Sphinx does after those that it names in ``NEEDS``; style sheets come in the order of this list.
PARTS = """
    site.assets pages.theme_fixes pages.exercises pages.code pages.katex pages.labs pages.workbench
    pages.figures pages.lab_links proof.ticks chapter proof.cited pages.css_hooks pages.folds pages.citations
    teach.lesson pages.cards notebooks.launch site.redirects pages.reference site.map pages.claims
    site.front_page site.meta_tags site.search pages.terms site.execute notebooks.downloads
    site.first_paint site.cache language.pages
""".split()


def in_order(parts: list[str], placed: dict[str, ModuleType] | None = None) -> dict[str, ModuleType]:
    """The modules of the parts, each once all that it needs are there."""
    placed = {} if placed is None else placed
    for part in parts:
        if part not in placed:
            module = import_module(f"{__name__}.{part}")
            in_order([*getattr(module, "NEEDS", ())], placed)
            placed[part] = module
    return placed


def _tidy_again(app: Sphinx, error: Exception | None) -> None:
    """What the build has made stays out of it: Python would go through all of it once more at its very end."""
    gc.freeze()
    gc.enable()


def setup(app: Sphinx) -> dict[str, object]:
    """Sphinx calls this: set up every part.

    Until the build is done nothing is swept together: trees of pages are large and stay, and going through them again
    and again is a seventh of the time.
    """
    gc.disable()
    for part in in_order(PARTS).values():
        part.setup(app)
    app.connect("build-finished", _tidy_again, priority=AFTER_OTHERS)
    # Pages are not written in parallel: the engine that renders formulas does not survive a fork.
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": False}
