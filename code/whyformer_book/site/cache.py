"""Results are kept for the package that made them, and a failed build is never mistaken for a good one.

jupyter-cache knows a notebook by its cells alone, so after a change in ``whyformer`` it would serve old results. Here
everything that a cell can see goes into the path of the cache, and into a setting on which every page depends.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from whyformer.lab.words import as_script

from whyformer_book.foreign import AFTER_OTHERS, has_warned
from whyformer_book.paths import BOOK, fingerprint, package_files, versions

#: They may warn when the build is finished.
NEEDS = ("notebooks.downloads", "site.first_paint")
logger = logging.getLogger(__name__)


def cell_files() -> list[Path]:
    """What cells can see; a page depends itself on the proof that it reads."""
    return [file for file in package_files() if file.name not in {"checks.py", "answers.py", "page.toml"}]


def _set_cache(app: Sphinx, config: Config) -> None:
    """A folder for this state of the package; those of earlier states are of no more use."""
    config.whyformer_extension = fingerprint(sorted(BOOK.rglob("*.py")))
    if config.nb_execution_cache_path:
        return
    folder = Path(app.outdir).parent / ".jupyter_cache"
    current = folder / fingerprint(cell_files(), [*versions(), as_script()])
    if not current.is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        import matplotlib.font_manager  # noqa: F401  # fills Matplotlib's font cache, which else warns inside a cell
    config.nb_execution_cache_path = str(current)


def _report_failed_cell(app: Sphinx, document: nodes.document) -> None:
    """myst-nb names the page of a cell that raised; this names the cell's line, the statement and the error."""
    for node in document.findall(lambda n: isinstance(n, nodes.Element) and "traceback" in n.get("classes", ())):
        lines = re.sub(r"\x1b\[[\d;]*m", "", node.astext()).strip().splitlines()
        statement = next((re.sub(r"-+> \d+ ", "", line) for line in lines if re.match(r"-+> \d+ ", line)), "")
        logger.warning("this cell raised %s at %s", lines[-1].strip(" :"), statement.strip(), location=node)


def _forget_failed_build(app: Sphinx, error: Exception | None) -> None:
    """A page with a warning is read again next time; otherwise a second build would pass without having looked."""
    if has_warned(app):
        Path(app.doctreedir, "environment.pickle").unlink(missing_ok=True)


def _drop_widget_state(app: Sphinx, env: BuildEnvironment) -> None:
    """myst-nb would write the state of every widget, the whole bundle included, into the page; labs do not need it."""
    for data in getattr(env, "nb_metadata", {}).values():
        data.get("js_files", {}).pop("ipywidgets_state", None)


def setup(app: Sphinx) -> None:
    """The cache is set before cells run; failures are reported as pages are read, and at the end."""
    app.add_config_value("whyformer_extension", "", "env", str)  # pages are read anew when it changes
    app.connect("config-inited", _set_cache)
    app.connect("doctree-read", _report_failed_cell)
    app.connect("env-updated", _drop_widget_state)
    app.connect("build-finished", _forget_failed_build, priority=AFTER_OTHERS)
