"""The Sphinx extension that makes the book: formulas, labs, notebooks, buttons, and the checks that a build must pass.

One file for one subject; each has a ``setup(app)`` of its own. Nothing here is needed to use a lab in a notebook.
"""

from __future__ import annotations

import gc
from importlib import import_module

from sphinx.application import Sphinx

from whyformer import __version__

PARTS = (
    *("cache", "execute", "assets", "page", "exercises", "code", "katex", "labs", "figures", "states"),
    *("ticks", "cited", "inside", "folds", "citations", "lesson", "cards", "launch", "downloads"),
    *("front_door", "reference", "map", "front_page", "described", "search", "terms", "first_paint"),
)


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
    app.connect("build-finished", _tidy_again, priority=1000)
    for part in PARTS:
        import_module(f"{__name__}.{part}").setup(app)
    # Pages are not written in parallel: the engine that renders formulas does not survive a fork.
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": False}
