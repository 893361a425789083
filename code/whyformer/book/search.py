"""The words that ``{index}`` gives a chapter lead to it in the search, also when only some pages are written anew.

Sphinx collects them from the pages that it writes, and forgets those of the others; here they come from its index.
"""

from __future__ import annotations

from collections.abc import Iterable

from sphinx.application import Sphinx


def _restore_entries(app: Sphinx) -> Iterable[tuple[str, dict[str, object], str]]:
    indexer = getattr(app.builder, "indexer", None)
    if indexer is not None:
        for docname, entries in app.env.get_domain("index").entries.items():  # type: ignore[attr-defined]
            words = {(value, target, main) for sort, value, target, main, _ in entries if sort == "single"}
            indexer._index_entries.setdefault(docname, sorted(words))
    return ()


def setup(app: Sphinx) -> None:
    """Before the index of the search is written."""
    app.connect("html-collect-pages", _restore_entries)
