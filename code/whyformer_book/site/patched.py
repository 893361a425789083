"""The one patch of somebody else's script, with its number; a last resort.

At each click Bootstrap, which the theme brings, looks through the whole page eleven times for menus and the like that
may be meant. On the longest page, of 11,500 elements, a click took 6 ms of it, and takes 2 with the search only where
one of them is meant: a button of a lab shows its picture that much sooner.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

SCRIPT = "scripts/bootstrap.js"
FOUND = "n(s){const o=t.querySelectorAll(e);"
INSTEAD = "n(s){if(s.target.closest&&!s.target.closest(e))return;const o=t.querySelectorAll(e);"


def patched(script: str) -> str:
    """The script with the patch, once. ``ExtensionError`` if it is not the script that the patch was made for."""
    if INSTEAD in script:
        return script
    if script.count(FOUND) != 1:
        raise ExtensionError(f"{SCRIPT}: the theme has changed: {FOUND!r} stands there {script.count(FOUND)} times")
    return script.replace(FOUND, INSTEAD)


def _patch(app: Sphinx, exception: Exception | None) -> None:
    file = Path(app.outdir, "_static", SCRIPT)
    if exception is None and app.builder.format == "html":
        file.write_text(patched(file.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """When the theme's files are where they belong."""
    app.connect("build-finished", _patch, priority=900)
