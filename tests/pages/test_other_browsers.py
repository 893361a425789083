"""Firefox and WebKit: every page opens without an error, every control moves its lab, numbers are Python's.

Both are the system's own, see ``webdriver.py``. WebKit's console cannot be heard from outside, so a copy of the book
carries an ear: a script before all others that keeps what goes wrong.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import ALL_STARTED, serve
from driver import Driver
from lab_cases import LABS, corner_states, random_states
from page_cases import BOOK, CALM, HEADINGS, MISS, NEAR
from twins import differences_on
from webdriver import BROWSERS, Page, browse

pytestmark = pytest.mark.thorough

EAR = """<script>
window.trouble = [];
addEventListener("error", ({message, filename, lineno, target}) =>
  trouble.push(message ? `${message} (${filename}:${lineno})` : `not loaded: ${target.outerHTML}`), true);
addEventListener("unhandledrejection", ({reason}) => trouble.push(`rejected: ${reason}`));
console.error = (...all) => trouble.push(all.join(" "));
</script>"""

#: Labs and predictions that are not there, or there with nothing to see, and words that stand on their heads.
WRONG = """() => [
  ...[...document.querySelectorAll("whyformer-lab, whyformer-predict")].filter((one) => {
    const parts = [...one.querySelectorAll(".wf-panel, .wf-table, .wf-reach, .wf-diagram, fieldset")];
    if (one.closest(".wf-lesson:not([open])")) return false; // a question of the lesson alone
    return !one.hasAttribute("alive") || one.hasAttribute("broken") || !parts.length ||
      parts.some((part) => !part.checkVisibility() || !part.offsetWidth || !part.offsetHeight);
  }),
  ...[...document.querySelectorAll(".wf-live :is(th, td, span)")].filter((one) => {
    const { transform, writingMode } = getComputedStyle(one);
    return transform.startsWith("matrix(-1") && writingMode === "horizontal-tb";
  }),
].map((one) => one.outerHTML.slice(0, 80))"""
STARTED = (
    f"() => new Promise((done) => {{ const look = () => ({ALL_STARTED})() ? done() : setTimeout(look, 20); look(); }})"
)
COUNT = "() => document.querySelectorAll('whyformer-lab, whyformer-predict').length"


@pytest.fixture(scope="module")
def heard_book(book_html: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book, each page with an ear."""
    folder = tmp_path_factory.mktemp("heard") / "html"
    shutil.copytree(book_html, folder, ignore=shutil.ignore_patterns("notebooks", "*.zip"))
    for name in BOOK:
        file = folder / f"{name}.html"
        text = file.read_text(encoding="utf-8")
        assert text.count("<head>") == 1, name
        file.write_text(text.replace("<head>", f"<head>{EAR}"), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def http(heard_book: Path) -> Iterator[str]:
    with serve(heard_book) as base:
        yield base


@pytest.fixture(scope="module", params=BROWSERS)
def other_browser(request: pytest.FixtureRequest) -> Iterator[Page]:
    """One window for all pages."""
    with browse(request.param) as page:
        yield page


UNFOLD = "() => document.querySelectorAll('.wf-fold').forEach((one) => { one.open = true; })"


def check(page: Page) -> None:
    """Nothing is wrong to see, and nothing went wrong since the page was opened."""
    found = [*page.evaluate("() => trouble"), *page.evaluate(WRONG)]
    assert not found, "\n".join(found[:8])


@pytest.mark.parametrize("name", BOOK)
def test_a_page_opens_from_a_file_and_computes_what_python_does(
    name: str, other_browser: Page, heard_book: Path
) -> None:
    page, file = other_browser, heard_book / f"{name}.html"
    page.goto(file.as_uri())
    page.evaluate(UNFOLD)
    page.evaluate(STARTED)
    written = file.read_text(encoding="utf-8")
    assert page.evaluate(COUNT) == written.count("<whyformer-lab ") + written.count("<whyformer-predict")
    check(page)
    found = []
    for lab in page.locator("whyformer-lab").all():
        kind = LABS[lab.get_attribute("name")]
        found += differences_on(page, kind, [*random_states(kind, 3, 2014), *corner_states(kind)])
    assert not found, "\n".join(found[:12])
    check(page)


@pytest.mark.parametrize("name", [BOOK[0], *BOOK[3::4]])
def test_predictions_labs_and_contents_answer_over_http(name: str, other_browser: Page, http: str) -> None:
    page = other_browser
    page.goto(f"{http}/{name}.html")
    page.evaluate(UNFOLD)
    page.evaluate(STARTED)
    for question in page.locator("whyformer-predict").all():
        question.locator("label span").first.click()
        question.locator("button[type=submit]").click()
        assert question.locator(".wf-feedback strong").count() == 1, "the question does not answer"
    assert page.locator(".wf-answer:not([open])").count() == 0
    page.evaluate("() => localStorage.clear()")  # other pages ask some of the same
    try:
        for lab in page.locator("whyformer-lab").all():
            Driver(page, lab).drive_all()
    finally:
        check(page)  # what a lab said when it broke tells more than that it did not move
    for heading in page.evaluate(f"() => {HEADINGS}")[-1:]:
        page.locator(f'.toctree-l1 .toc-h2 > a[href="#{heading}"]').click()
        page.evaluate(CALM)
        assert abs(page.evaluate(MISS, heading)) <= NEAR, heading
    check(page)


def test_the_ear_hears(other_browser: Page, heard_book: Path, http: str) -> None:
    wrong = "<script>undefined_name()</script><script>Promise.reject(1); console.error(2)</script><img src=no.png>"
    page = f"<!doctype html><head>{EAR}</head><body>{wrong}</body>"
    (heard_book / "wrong.html").write_text(page, encoding="utf-8")
    other_browser.goto(f"{http}/wrong.html")
    heard = "\n".join(other_browser.evaluate("() => trouble"))
    assert all(part in heard for part in ("undefined_name", "rejected: 1", "2", "no.png")), heard
