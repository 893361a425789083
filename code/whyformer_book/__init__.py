"""The Sphinx extension that makes the book: formulas, labs, notebooks, buttons, and the checks that a build must pass.

``pages`` is what stands on a page, ``proof`` how sentences name their checks, ``notebooks`` the same pages as
notebooks, ``teach`` lessons, handouts, editions and the room, ``site`` what goes round all pages. One file for one
subject; each of ``PARTS`` has a ``setup(app)`` of its own. Nothing here is needed to use a lab in a notebook, and
nothing of it is in the package that a reader installs.
"""

from __future__ import annotations

import gc
from importlib import import_module

from sphinx.application import Sphinx
from whyformer import __version__

#: In the order in which they hear of what Sphinx does.
PARTS = (
    *("site.cache", "site.execute", "site.assets", "pages.page", "pages.exercises", "pages.code", "pages.katex"),
    *(
        "pages.labs",
        "pages.workbench",
        "pages.figures",
        "pages.states",
        "proof.ticks",
        "chapter",
        "proof.cited",
        "pages.inside",
    ),
    *("pages.folds", "pages.citations", "teach.lesson", "pages.cards", "notebooks.launch", "notebooks.downloads"),
    *(
        "site.front_door",
        "pages.reference",
        "site.map",
        "pages.claims",
        "site.front_page",
        "site.described",
        "site.search",
    ),
    *("pages.terms", "site.first_paint", "site.patched"),
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
