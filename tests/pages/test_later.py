"""What the theme does with a page comes when the page is there, in its order, and is there for the reader then."""

from __future__ import annotations

import pytest

FOUND = """() => ({
  order: performance.getEntriesByType("resource").filter(({ initiatorType, name }) =>
    initiatorType === "script" && !name.includes("/whyformer/")).map(({ startTime }) => startTime),
  loaded: performance.getEntriesByType("navigation")[0].loadEventStart,
  waiting: document.querySelectorAll('script[type="text/x-later"]').length,
  buttons: document.querySelectorAll(".copybtn").length,
  bootstrap: typeof bootstrap,
})"""


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_the_scripts_of_others_run_when_the_page_is_there(scheme, visits, addresses):
    page = visits.open(addresses["chapters/why_sqrt_dk", scheme])
    found = page.evaluate(FOUND)
    assert found["waiting"] == 0 and found["buttons"] > 0 and found["bootstrap"] == "object"
    if scheme == "http":  # of files a browser tells no times
        assert len(found["order"]) >= 6 and all(start >= found["loaded"] for start in found["order"])
    modes = []
    for _ in range(3):
        page.locator(".theme-switch-button").first.click()
        modes.append(page.evaluate("document.documentElement.dataset.mode"))
    assert sorted(modes) == ["auto", "dark", "light"]
    visits.check()
