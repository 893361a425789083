"""What the book changes in others' code, for the versions it was made for; and how its parts build on each other."""

from __future__ import annotations

import ast
import inspect
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils.core import publish_doctree
from jupyter_cache.executors import basic
from myst_parser.docutils_ import Parser
from pygments.formatters import HtmlFormatter
from sphinx.highlighting import PygmentsBridge
from sphinx.util import logging
from whyformer_book import PARTS, foreign, in_order
from whyformer_book.paths import BOOK
from whyformer_book.site.execute import executed

FLOORS = ("", "proof", "pages", "notebooks", "teach", "site", "language")


@pytest.mark.parametrize("name", foreign.VERSIONS)
def test_another_version_is_looked_at_again(name: str) -> None:
    assert metadata.version(name) == foreign.VERSIONS[name], "read whyformer_book/foreign.py again"


def test_notebooks_are_run_by_our_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign.utils, "executenb", None)
    foreign.run_notebooks_by(executed)
    assert foreign.utils.executenb is executed
    assert "single_nb_execution" in inspect.getsource(basic)  # which calls executenb, as that module knows it
    assert "executenb(" in inspect.getsource(foreign.utils.single_nb_execution)


def test_the_names_of_checks_reach_the_page() -> None:
    foreign.carry_checks()
    settings = {"myst_enable_extensions": ["attrs_inline", "attrs_block"]}
    for text in ('[a]{check="one other"}', '{check="one other"}\na'):
        tree = publish_doctree(text, parser=Parser(), settings_overrides=settings)
        assert [node["check"] for node in tree.findall(lambda node: "check" in getattr(node, "attributes", ()))] == [
            ["one", "other"]
        ]


def test_code_is_formatted_by_our_formatter() -> None:
    bridge = PygmentsBridge("html", "default")
    foreign.format_code_by(bridge, lambda **options: HtmlFormatter(**options, cssclass="ours"))
    assert 'class="ours"' in bridge.highlight_block("x = 1", "python")


def test_a_warning_is_counted() -> None:
    app = SimpleNamespace(_warncount=0, warningiserror=False, config=SimpleNamespace(suppress_warnings=[]))
    assert not foreign.has_warned(app)
    one = SimpleNamespace(type=None, subtype=None)
    logging.WarningSuppressor(app).filter(one)
    assert foreign.has_warned(app)


def test_no_part_imports_from_a_floor_above() -> None:
    above = []
    for file in BOOK.rglob("*.py"):
        floor = file.relative_to(BOOK).parts[0] if file.parent != BOOK else ""
        if file in (BOOK / "__init__.py", BOOK / "chapter.py"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("whyformer_book."):
                other = node.module.split(".")[1]
                if other == "chapter" or (other in FLOORS and FLOORS.index(other) > FLOORS.index(floor)):
                    above.append(f"{file.relative_to(BOOK)} imports {node.module}")
    assert above == []


def test_each_part_comes_after_those_that_it_needs() -> None:
    placed = list(in_order(PARTS))
    for part, module in in_order(PARTS).items():
        assert all(placed.index(other) < placed.index(part) for other in getattr(module, "NEEDS", ()))
    setups = {path for path in BOOK.rglob("*.py") if "\ndef setup(app" in path.read_text(encoding="utf-8")}
    assert setups == {BOOK / "__init__.py", *(Path(module.__file__) for module in in_order(PARTS).values())}
