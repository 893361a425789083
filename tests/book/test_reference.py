"""The pages of reference: every public name, with its chapter and its controls if it is a lab, and nothing cut off."""

from __future__ import annotations

import pydoc
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import whyformer
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Page
from whyformer import evidence, lab, model, workbench
from whyformer.lab.discover import lab_classes
from whyformer.lab.teach import exercise
from whyformer.model import backward, layers

maths = import_module("whyformer.maths")
random = import_module("whyformer.maths.random")


PAGES = ["chapters/reference.html", "chapters/reference_labs.html"]


def public(module: ModuleType) -> list[object]:
    """What ``__all__`` names, or the functions and classes that are written in the module."""
    if hasattr(module, "__all__"):
        return [getattr(module, name) for name in module.__all__]
    own = (one for name, one in vars(module).items() if getattr(one, "__name__", "_").strip("_") == name)
    return [one for one in own if getattr(one, "__module__", None) == module.__name__]


@pytest.fixture(scope="module")
def entries(book_html: Path) -> dict[str, Tag]:
    """The documented names, each with its entry."""
    pages = (BeautifulSoup((book_html / name).read_text(encoding="utf-8"), "html.parser") for name in PAGES)
    signs = [sign for page in pages for sign in page.find_all("dt", id=True) if sign["id"].startswith("whyformer.")]
    return {sign["id"]: sign.parent for sign in signs}


def test_every_public_name_is_there(entries: dict[str, Tag]) -> None:
    wanted: list[object] = [*lab_classes().values()]  # which imports them
    shown = {id(pydoc.locate(name)) for name in entries}
    for module in (whyformer, maths, random, model, layers, backward, workbench, evidence, lab, exercise):
        found = public(module)
        assert found, f"{module.__name__} has nothing public"
        wanted += found
    assert [one for one in wanted if id(one) not in shown] == []


def test_every_lab_says_its_chapter_its_controls_and_what_it_computes(entries: dict[str, Tag]) -> None:
    for slug, one in lab_classes().items():
        room = slug.partition("/")[0]
        name = f"whyformer.questions.{room}.{one.__name__}"
        assert entries[name].find("a", href=f"{room}.html"), name
        told = entries[name].get_text()
        assert all(f"{control.name} = {control.default_value!r}" in told for control in one.controls().values()), name
        assert one.compute.__doc__.split()[0] in entries[f"{name}.compute"].get_text(), name


def test_no_signature_shows_what_only_python_can_read(entries: dict[str, Tag]) -> None:
    signs = [entry.dt.get_text() for entry in entries.values()]
    assert [sign for sign in signs if "<" in sign or "*args" in sign or "Alias for" in sign] == []


CUT = """() => [...document.querySelectorAll("dt.sig")].filter((sign) =>
  sign.scrollWidth > sign.clientWidth + 1 || sign.getBoundingClientRect().right > innerWidth).map((s) => s.id)"""


@pytest.mark.parametrize("name", PAGES)
def test_signatures_break_on_a_telephone(name: str, visit: Callable[..., Page], book_html: Path) -> None:
    page = visit((book_html / name).as_uri(), viewport={"width": 360, "height": 740})
    assert page.locator("dt.sig").count() > 70 and page.evaluate(CUT) == []
