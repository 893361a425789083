"""axe-core finds nothing on any page, light or dark."""

from __future__ import annotations

import pytest
from browser import Visits
from page_cases import FEW_OR_ALL, OpenPage, axe_finds_nothing
from playwright.sync_api import Page
from some import some


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


def test_axe_finds_nothing(page: Page) -> None:
    axe_finds_nothing(page, "light")


@pytest.mark.parametrize("name", some(["labs", "chapters/layer_norm"], ["chapters/layer_norm"]))
def test_axe_finds_nothing_in_the_dark(name: str, open_page: OpenPage) -> None:
    page = open_page(name, "http")
    axe_finds_nothing(page, "dark")
    page.context.close()


@pytest.mark.parametrize("scheme", some(["light", "dark"], ["light"]))
def test_axe_finds_nothing_before_and_after_a_prediction(scheme: str, visit, addresses) -> None:
    page = visit(addresses["chapters/softmax_saturation", "http"], color_scheme=scheme)
    assert page.locator(".wf-answer:not([open])").count() == 1
    axe_finds_nothing(page, scheme)
    page.locator("whyformer-predict label").first.click()
    axe_finds_nothing(page, scheme)
    page.get_by_role("button", name="Commit").click()
    axe_finds_nothing(page, scheme)


@pytest.mark.parametrize("scheme", some(["light", "dark"], ["light"]))
def test_axe_finds_nothing_on_cards(scheme: str, visit, addresses) -> None:
    page = visit(addresses["chapters/practice", "http"], color_scheme=scheme)
    axe_finds_nothing(page, scheme)
    page.keyboard.press(" ")
    axe_finds_nothing(page, scheme)
    page.keyboard.press("1")
    axe_finds_nothing(page, scheme)
