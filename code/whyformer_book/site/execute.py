"""Chapters whose results are not in the cache are executed side by side while pages are read.

myst-nb executes a chapter when it reads its page, one after another. Here all stale ones start at once, in threads
that wait for their kernels; a page that is to be read waits for its own, and then finds its results in the cache. A
chapter that fails is not cached, so myst-nb executes it again and reports it as ever.
The cache knows a notebook by its cells, and takes away what it has before it writes it anew. Notebooks without cells
are all one to it, and a page could find that one taken away: they are left to myst-nb.
nbclient waits four seconds for what a cell printed when the cell has ended, and then goes on without it. On a busy
machine that is too short, and a page without what its cells print would stay there: here it waits a minute, and
fails. When it asks a kernel to end, one in five does so three seconds later: here it ends them. Nothing waits for what
a kernel does after its last cell. And it would keep the state of each widget, the whole bundle included, which no page
needs.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import nbclient
from jupyter_cache import get_cache
from myst_nb.core.execute import create_client
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from traitlets.config import Config
from whyformer.lab.lab import PAGES

from whyformer_book import foreign

#: Seconds after which a thread that works lets one go on that has heard from its kernel; Python has ten times that.
SOON = 5e-4


#: While cells run, they do what can be done with a source.
NEEDS = ("pages.katex", "pages.labs", "pages.reference", "site.meta_tags")


class Environment(Protocol):
    """What is needed of Sphinx's environment, to which MyST adds its settings."""

    myst_config: Any
    mystnb_config: Any

    def doc2path(self, docname: str) -> str:
        """The file of a page."""


class Silent:
    """Takes what myst-nb has to say of an execution; it says it again when the page is read."""

    def info(self, *_: object, **__: object) -> None:
        """Say nothing."""

    warning = debug = info


def executed(notebook: Any, seconds: int = 60, **settings: Any) -> Any:
    """Run a notebook for the cache: wait longer for what a cell prints, and not for the kernel's end.

    Two builds at once may choose the same free port for their kernels, and a page then shows the other's errors. Where
    there are sockets in files, each kernel has a folder of its own.
    """
    settings |= {"iopub_timeout": seconds, "raise_on_iopub_timeout": True, "shutdown_kernel": "immediate"}
    with TemporaryDirectory() as folder:
        if os.name == "posix":
            settings["config"] = Config(KernelManager={"transport": "ipc", "ip": f"{folder}/kernel"})
        return nbclient.execute(notebook, store_widget_state=False, **settings)


def side_by_side() -> int:
    """How many chapters at once: one more than the cores that this process may use, since one of them often waits."""
    return 1 + max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2)


def execute(env: Environment, docname: str) -> None:
    """Put the results of a chapter with cells into the cache, if they are not there."""
    path = env.doc2path(docname)
    text = Path(path).read_text(encoding="utf-8")
    if reader := create_nb_reader(path, env.myst_config, env.mystnb_config, text):
        notebook = reader.read(text)
        if any(cell.cell_type == "code" for cell in notebook.cells):
            with create_client(notebook, path, env.mystnb_config, Silent(), reader.read_fmt):
                pass


def order(text: str) -> tuple[bool, int]:
    """Sorts pages without code first, then the longest first."""
    return "{code-cell}" in text, -len(text)


class Ahead:
    """The executions under way: started before the first page is read, waited for by each page."""

    def __init__(self) -> None:
        self.running: dict[str, Future[None]] = {}

    def start(self, app: Sphinx, env: Environment, docnames: list[str]) -> None:
        """Begin with the longest, so that it is not the last alone; pages are read in the same order."""
        if env.mystnb_config.execution_mode != "cache" or not docnames:
            return
        get_cache(env.mystnb_config.execution_cache_path).db  # noqa: B018  # made once, before threads look for it
        pool = ThreadPoolExecutor(side_by_side())
        sys.setswitchinterval(SOON)
        # In place, so that pages are read in this order too: first those that need no waiting, then as they are done.
        docnames.sort(key=lambda docname: order(Path(env.doc2path(docname)).read_text(encoding="utf-8")))
        self.running = {docname: pool.submit(execute, env, docname) for docname in docnames}
        pool.shutdown(wait=False)

    def wait(self, app: Sphinx, docname: str, _: list[str]) -> None:
        """Until the chapter's execution has ended, well or not."""
        if docname in self.running:
            self.running.pop(docname).exception()


def setup(app: Sphinx) -> None:
    """Execute before pages are read."""
    os.environ.setdefault(PAGES, "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # kernels side by side have the cores busy already
    foreign.run_notebooks_by(executed)
    ahead = Ahead()
    app.connect("env-before-read-docs", ahead.start)
    app.connect("source-read", ahead.wait)
