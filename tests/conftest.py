"""What every test run needs: plugins, one thread for each worker, and marks that follow from what a test uses.

Plugins: ``browser`` (a real Chromium, cut off from the network), ``book_cases`` (built sites), ``page_cases`` (their
pages, opened), ``jupyter_cases`` (JupyterLab). Marks: ``browser`` and ``kernel`` are set here, from the fixtures of a
test; ``slow`` on whole folders and files that ``make check`` leaves to ``make test``; ``thorough`` is set by hand on
what only ``make test-all`` runs.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:  # before NumPy and PyTorch start: workers must not fight for the cores
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")

pytest_plugins = ["browser", "book_cases", "page_cases", "jupyter_cases"]

MARKS = {"chromium": "browser", "other_browser": "browser", "book_html": "kernel", "small_book": "kernel"}

#: Folders and files whose tests are slow: measurements on trained weights, servers, editions of the whole book.
SLOW = (
    *("evidence", "room", "model/test_minilm.py", "model/test_decoder.py"),
    *("book/test_classroom.py", "book/test_edition.py", "book/test_gift.py"),
)
TESTS = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark; then those first that need the built book (one worker builds it), and those last that need no waiting.

    A worker that has nothing left takes over from the end of the other's list, and meets the book when it is built.
    """
    for item in items:
        for fixture, mark in MARKS.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
        if any(item.path.is_relative_to(TESTS / place) for place in SLOW):
            item.add_marker("slow")
    items.sort(
        key=lambda item: (
            "book_html" not in getattr(item, "fixturenames", ()),
            not any(item.get_closest_marker(mark) for mark in MARKS.values()),
        )
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say what the run has cost: seconds of a processor do not hang on what else a machine does."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        print(f"{sum(one.ru_utime + one.ru_stime for one in used):.0f} CPU seconds")
