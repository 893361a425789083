"""All that the book changes in other people's code, or takes that they have not offered, each for one version.

``tests/book/test_foreign.py`` is red when another version is installed: then read each function here again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docutils import nodes
from jupyter_cache.executors import utils
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from sphinx.application import Sphinx

#: When a part hears of what Sphinx does: its own extensions and the theme's, some of which come later, hear at 500.
BEFORE_OTHERS, AFTER_OTHERS = 400, 900
VERSIONS = {"jupyter-cache": "1.0.1", "myst-parser": "3.0.1", "Sphinx": "7.4.7"}


def run_notebooks_by(run: Callable[..., Any]) -> None:
    """jupyter-cache 1.0.1 hands none of nbclient's settings on: it gets another function to run notebooks."""
    utils.executenb = run


def carry_checks() -> None:
    """myst-parser 3.0.1 drops attributes that it does not know: ``check`` goes on to the node, as a list of names."""
    copy = DocutilsRenderer.copy_attributes
    if getattr(copy, "carries_checks", False):
        return

    def copy_attributes(self: Any, token: Any, node: nodes.Element, *args: Any, **settings: Any) -> None:
        copy(self, token, node, *args, **settings)
        if "check" in token.attrs:
            node["check"] = str(token.attrs["check"]).split()

    copy_attributes.carries_checks = True  # type: ignore[attr-defined]
    DocutilsRenderer.copy_attributes = copy_attributes  # type: ignore[method-assign]


def format_code_by(highlighter: Any, formatter: Callable[..., Any]) -> None:
    """Sphinx 7.4.7 has no setting for the formatter of code; its bridge to Pygments asks this attribute for one."""
    highlighter.formatter = formatter


def has_warned(app: Sphinx) -> bool:
    """Whether a build has warned: Sphinx 7.4.7 counts it, and tells nobody before the end."""
    return bool(app._warncount)
