"""axe-core finds nothing on any page, light or dark."""

from __future__ import annotations

import pytest
from book_cases import ROOT
from browser import Visits
from page_cases import FEW_OR_ALL, OpenPage, show
from playwright.sync_api import Page

AXE = ROOT / "code/node_modules/axe-core/axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.fixture(scope="module", params=FEW_OR_ALL)
def page(request: pytest.FixtureRequest, open_page: OpenPage) -> Page:
    """Each page in turn, opened once; over http, since axe-core reads style sheets by script."""
    opened = open_page(request.param, "http")
    yield opened
    opened.context.close()


@pytest.fixture(autouse=True)
def no_trouble(visits: Visits):
    yield
    visits.check()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
def test_axe_finds_nothing(scheme: str, page: Page) -> None:
    check(page, scheme)


@pytest.mark.parametrize("name", ["labs", "chapters/layer_norm"])
def test_axe_finds_nothing_in_the_dark(name: str, open_page: OpenPage) -> None:
    page = open_page(name, "http")
    check(page, "dark")
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_before_and_after_a_prediction(scheme: str, visit, addresses) -> None:
    page = visit(addresses["chapters/softmax_saturation", "http"], color_scheme=scheme)
    assert page.locator(".wf-answer:not([open])").count() == 1
    check(page, scheme)
    page.locator("whyformer-predict label").first.click()
    check(page, scheme)
    page.get_by_role("button", name="Commit").click()
    check(page, scheme)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_cards(scheme: str, visit, addresses) -> None:
    page = visit(addresses["chapters/practice", "http"], color_scheme=scheme)
    check(page, scheme)
    page.keyboard.press(" ")
    check(page, scheme)
    page.keyboard.press("1")
    check(page, scheme)


def check(page: Page, scheme: str) -> None:
    assert AXE.is_file(), "axe-core is missing: npm ci in code/"
    show(page, scheme)
    # Sections out of sight that are not laid out have places of their own, over one another.
    page.evaluate("document.querySelector('.bd-article')?.classList.add('wf-whole')")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"runOnly": {"type": "tag", "values": WCAG}, "resultTypes": ["violations"]}
    found = page.evaluate("(options) => axe.run(document, options)", options)
    shown = [f"{v['id']}: {n['target']} {n['failureSummary']}" for v in found["violations"] for n in v["nodes"]]
    assert not shown, "\n".join(shown)
