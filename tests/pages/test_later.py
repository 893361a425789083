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


ASKED = """async (act) => {
  const {querySelectorAll} = Document.prototype, asked = [];
  Document.prototype.querySelectorAll = function (selector) {
    if (selector.includes("data-bs")) asked.push(selector);
    return querySelectorAll.call(this, selector);
  };
  const [lab] = document.querySelectorAll('whyformer-lab:not([size="small"])');
  const key = new KeyboardEvent("keydown", {key: "Tab", bubbles: true});
  if (act === "key") lab.querySelector("input").dispatchEvent(key);
  else if (act === "click") lab.querySelector(".wf-title").click();
  else document.querySelector('[data-bs-toggle="dropdown"]').click();
  Document.prototype.querySelectorAll = querySelectorAll;
  return asked;
}"""


def test_bootstrap_looks_for_its_menus_where_one_is_meant_alone(visits, addresses):
    page = visits.open(addresses["chapters/why_sqrt_dk", "http"])
    page.evaluate("dispatchEvent(new Event('scroll'))")
    page.wait_for_function("document.querySelector('whyformer-lab[alive]')")
    assert page.evaluate(ASKED, "click") == page.evaluate(ASKED, "key") == []
    menu = page.locator(".dropdown-menu").first
    assert not menu.is_visible()
    assert len(page.evaluate(ASKED, "menu")) > 0
    assert menu.is_visible()
    page.mouse.click(400, 400)
    assert not menu.is_visible()
    visits.check()
