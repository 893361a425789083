"""Notebooks are made of the sources beside the build, by ``archive``: so both cores are at work.

When it has ended they get what their cells showed, and go into the zip.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

from whyformer_book.notebooks.archive import Offer, write_archive
from whyformer_book.notebooks.convert import ARCHIVE, FOLDER
from whyformer_book.notebooks.labels import pages
from whyformer_book.notebooks.saved_outputs import fill_all

NEEDS = ("site.execute",)  # kernels start first
logger = logging.getLogger(__name__)


class Beside:
    """The process that makes them, if there is anything to make."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.names: dict[str, str] = {}

    def start(self, app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
        """Before the first page is read."""
        found = pages(Path(app.srcdir), Path(app.srcdir, app.config.external_toc_path))
        self.names = {page: file.relative_to(app.srcdir).with_suffix("").as_posix() for page, file in found.items()}
        files = {page: str(file) for page, file in found.items()}
        bibliography = str(Path(app.srcdir, app.config.bibtex_bibfiles[0]))
        config = app.config
        settings = config.whyformer_macros, config.whyformer_repository, config.whyformer_edition != "student"
        offer = Offer(files, bibliography, *settings, site=str(app.outdir))
        if app.builder.name == "html" and "WHYFORMER_PAGES_ALONE" not in os.environ and offer.due():
            command = [sys.executable, "-m", "whyformer_book.notebooks.archive", json.dumps(asdict(offer))]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, app: Sphinx, error: Exception | None) -> None:
        """Wait for it, and say what has no form in a notebook, with page and line."""
        if self.process is None:
            return
        if error:
            self.process.kill()
        said, complaint = self.process.communicate()
        if error:
            return
        if self.process.returncode:
            raise ExtensionError(f"the notebooks could not be made: {complaint.strip()}")
        for page, line, message in json.loads(said):
            logger.warning("%s", message, location=(self.names[page], line), type="whyformer", subtype="notebook")
        site = Path(app.outdir)
        fill_all(site / FOLDER, self.executed(app))
        write_archive(site / ARCHIVE, site / FOLDER, list(self.names))

    def executed(self, app: Sphinx) -> dict[str, list[nbformat.NotebookNode]]:
        """By page, the notebooks in the cache, which have been run; the newest last."""
        cache = get_cache(app.config.nb_execution_cache_path)
        pages = {Path(app.srcdir, f"{name}.md").resolve(): page for page, name in self.names.items()}
        found: dict[str, list[nbformat.NotebookNode]] = {}
        for record in cache.list_cache_records():
            if page := pages.get(Path(record.uri).resolve()):
                found.setdefault(page, []).append(cache.get_cache_bundle(record.pk).nb)
        return found


def setup(app: Sphinx) -> None:
    """Begun before pages are read, waited for when they are written."""
    app.add_config_value("whyformer_edition", "", "env", str)
    beside = Beside()
    app.connect("env-before-read-docs", beside.start)
    app.connect("build-finished", beside.finish)
