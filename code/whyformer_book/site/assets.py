"""Files that pages load, copied into ``_static/whyformer``; each page is given only those that it needs.

jupyter-book adds whatever lies in a ``_static`` folder to every page, so the files stay in the package. Sphinx appends
a checksum (``?v=``) to their addresses, so that browsers fetch a new version.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from whyformer_book.paths import BUNDLE, FOLDER, PACKAGE, fingerprint

TYPE = PACKAGE / "lab" / "picture"
STATIC = Path(__file__).parent / "static"


def files() -> dict[str, Path]:
    """Everything that is published: name below ``_static/whyformer`` to the file in the package."""
    published = {name: BUNDLE / name for name in ("labs.js", "labs.css")}
    # The page of phones has no place in the book: the room serves it (teach/classroom.py).
    published |= {file.name: file for file in sorted((BUNDLE / "pages").iterdir()) if file.stem != "phone"}
    published["type.css"] = TYPE / "type-of-pages.css"
    published |= {f"type/{font.name}": font for font in sorted((TYPE / "type").glob("*.woff2"))}
    published["katex/katex.min.css"] = BUNDLE / "katex" / "katex.min.css"
    published |= {f"katex/fonts/{font.name}": font for font in sorted((BUNDLE / "katex" / "fonts").glob("*.woff2"))}
    published |= {file.name: file for file in sorted(STATIC.iterdir())}
    return published


def _note_fingerprint(app: Sphinx, config: Config) -> None:
    config.whyformer_assets = fingerprint(files().values())


def _publish(app: Sphinx) -> None:
    """Copy what has changed, before pages are written: their checksums are taken from the copies."""
    if app.builder.format != "html":
        return
    for name, file in files().items():
        target = Path(app.outdir, "_static", FOLDER, name)
        content = file.read_bytes()
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    Path(app.outdir, ".nojekyll").touch()  # GitHub Pages would else leave out folders that begin with an underscore


def setup(app: Sphinx) -> None:
    """Before anything is read the fingerprint is taken; before pages are written files are copied."""
    app.add_config_value("whyformer_assets", "", "html", str)  # pages are written anew when it changes
    app.connect("config-inited", _note_fingerprint)
    app.connect("builder-inited", _publish)
