"""A kernel that starts before it is known who needs it.

A kernel takes a second until it answers, and Sphinx as long until it knows which chapters have changed. When a source
is newer than what was last read of it, chances are that its cells have changed: then one kernel starts at once, and the
first chapter that is executed takes it.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import nbclient
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbformat import NotebookNode
from sphinx.application import Sphinx

from whyformer.lab.lab import PAGES

KIND = "python3"


def changed(sources: Path, doctrees: Path) -> list[Path]:
    """Chapters with cells that are newer than what was last read of them, or were never read."""

    def is_newer(file: Path) -> bool:
        read = doctrees / file.relative_to(sources).with_suffix(".doctree")
        return not read.exists() or read.stat().st_mtime < file.stat().st_mtime

    files = [file for file in sorted(sources.glob("chapters/*.md")) if is_newer(file)]
    return [file for file in files if "{code-cell}" in file.read_text(encoding="utf-8")]


class Spare:
    """One kernel at most, in an empty folder of its own, as those have that myst-nb starts."""

    def __init__(self) -> None:
        self.starting: Future[AsyncKernelManager] | None = None
        self.folder: TemporaryDirectory[str] | None = None
        self.one = Lock()  # chapters are executed in threads

    def start(self) -> None:
        """In a thread, which waits for the kernel's process."""
        self.folder = TemporaryDirectory(ignore_cleanup_errors=True)
        pool = ThreadPoolExecutor(1)
        self.starting = pool.submit(self._started, self.folder.name)
        pool.shutdown(wait=False)

    @staticmethod
    def _started(folder: str) -> AsyncKernelManager:
        manager = AsyncKernelManager(kernel_name=KIND)
        arguments = ["--HistoryManager.hist_file=:memory:"]  # as nbclient has it
        run_sync(manager.start_kernel)(cwd=folder, extra_arguments=arguments)
        return manager

    def take(self, kind: str = KIND) -> AsyncKernelManager | None:
        """The kernel, for the first who asks for one of its kind. If it did not start there is none."""
        with self.one:
            starting = self.starting
            if starting is None or kind != KIND:
                return None
            self.starting = None
        return None if starting.exception() else starting.result()

    def end(self) -> None:
        """Nobody needs it any more."""
        if kernel := self.take():
            run_sync(kernel.shutdown_kernel)(now=True)
        if self.folder:
            self.folder.cleanup()


def execute(spare: Spare, notebook: NotebookNode, cwd: str | None = None, **settings: Any) -> NotebookNode:
    """As ``nbclient.execute``, in the spare kernel if there is one; either is ended afterwards."""
    kernel = spare.take(notebook.metadata.get("kernelspec", {}).get("name", KIND))
    client = nbclient.NotebookClient(notebook, km=kernel, resources={"metadata": {"path": cwd}}, **settings)
    client.owns_km = True
    return client.execute()


def prepare(app: Sphinx, spare: Spare) -> None:
    """Start it if something has changed; what nobody took is ended when all pages are read."""
    os.environ.setdefault(PAGES, "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # kernels side by side have the cores busy already
    if changed(Path(app.srcdir), Path(app.doctreedir)):
        spare.start()
    app.connect("env-updated", lambda *_: spare.end())
