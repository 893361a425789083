"""What every test run needs: plugins, one thread for each worker, and marks that follow from what a test uses.

Plugins: ``browser`` (a real Chromium, cut off from the network), ``book_cases`` (built sites), ``page_cases`` (their
pages, opened), ``jupyter_cases`` (JupyterLab). Marks: ``browser`` and ``kernel`` are set here, from the fixtures of a
test; ``thorough`` is set by hand on what only ``make test-all`` runs.
"""

from __future__ import annotations

import os

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:  # before NumPy and PyTorch start: workers must not fight for the cores
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")

pytest_plugins = ["browser", "book_cases", "page_cases", "jupyter_cases"]

MARKS = {"chromium": "browser", "other_browser": "browser", "book_html": "kernel", "small_book": "kernel"}


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark; then those first that need the built book (one worker builds it), and those last that need no waiting.

    A worker that has nothing left takes over from the end of the other's list, and meets the book when it is built.
    """
    for item in items:
        for fixture, mark in MARKS.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
    items.sort(
        key=lambda item: (
            "book_html" not in getattr(item, "fixturenames", ()),
            not any(item.get_closest_marker(mark) for mark in MARKS.values()),
        )
    )
