"""The pages that labs stand on, and how to open them: the built book, and one page of all labs. Loaded by conftest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from book_cases import ROOT
from browser import Visits, serve
from playwright.sync_api import Page
from some import some

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
BOOK = [TOC["root"], *(chapter["file"] for part in TOC["parts"] for chapter in part["chapters"])]
PAGES = ["labs", *BOOK]

#: For what follows from the theme or from the labs and hardly from the page: make test-all tries the other pages too.
FEW = ["labs", TOC["root"], "chapters/why_sqrt_dk"]
FEW_OR_ALL = some(PAGES, FEW)
#: For what a lab or the theme does on any page: all labs stand on the page of labs.
FEW_OR_MORE = some([*FEW, *BOOK[3::5]], FEW)

#: Storage that cannot be reached, as some browsers have it for files, and one that is full.
REFUSED = {
    "none": 'Object.defineProperty(window, "localStorage", {get() { throw new DOMException("no") }})',
    "full": 'Storage.prototype.setItem = () => { throw new DOMException("full") }',
}

OpenPage = Callable[..., Page]


SKIP_ALL = """() => {
  for (const skip of document.querySelectorAll("whyformer-predict button[type=submit] + button")) skip.click();
}"""


def unfold(page: Page) -> None:
    """Open the parts of a chapter that are folded under their headings."""
    page.evaluate("document.querySelectorAll('.wf-fold').forEach((one) => { one.open = true; })")


def skip_predictions(page: Page) -> Page:
    unfold(page)
    page.evaluate(SKIP_ALL)
    return page


@pytest.fixture(scope="session")
def addresses(labs_site: Path, book_html: Path) -> Iterator[dict[tuple[str, str], str]]:
    """The address of each page over http and as a file, by (page, scheme)."""
    with serve(labs_site) as labs, serve(book_html) as book:
        bases = {"http": (labs, book), "file": (labs_site.as_uri(), book_html.resolve().as_uri())}
        yield {
            (name, scheme): f"{labs}/index.html" if name == "labs" else f"{book}/{name}.html"
            for scheme, (labs, book) in bases.items()
            for name in PAGES
        }


@pytest.fixture(scope="module")
def open_page(visits: Visits, addresses: dict[tuple[str, str], str]) -> OpenPage:
    """``open_page(name, scheme, query, **options)``: a page with predictions skipped and all parts unfolded."""

    def go(name: str, scheme: str = "file", query: str = "", **options) -> Page:
        return skip_predictions(visits.open(addresses[name, scheme] + query, **options))

    return go


#: The theme's buttons fade to their new colours; what is skipped (content-visibility) would fade for ever.
FINISH = """() => {
  for (const one of document.getAnimations()) if (one.effect.getComputedTiming().endTime < Infinity) one.finish();
}"""


def show(page: Page, scheme: str) -> None:
    """Light or dark, as the reader's system says."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function("(scheme) => document.documentElement.dataset.theme === scheme", arg=scheme)
    page.evaluate(FINISH)


AXE = ROOT / "code/node_modules/axe-core/axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def axe_finds_nothing(page: Page, scheme: str) -> None:
    assert AXE.is_file(), "axe-core is missing: npm ci in code/"
    show(page, scheme)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"runOnly": {"type": "tag", "values": WCAG}, "resultTypes": ["violations"]}
    found = page.evaluate("(options) => axe.run(document, options)", options)
    shown = [f"{v['id']}: {n['target']} {n['failureSummary']}" for v in found["violations"] for n in v["nodes"]]
    assert not shown, "\n".join(shown)


NEAR = 4  # pixels

#: How far a heading is from where scroll-margin and scroll-padding put it; at the page's end it cannot get so high.
MISS = """(id) => {
  const target = document.getElementById(id), root = document.documentElement;
  const aim = (parseFloat(getComputedStyle(target).scrollMarginTop) || 0) +
    (parseFloat(getComputedStyle(root).scrollPaddingTop) || 0);
  const lowest = root.scrollHeight - root.clientHeight;
  return target.getBoundingClientRect().top - Math.max(aim, target.getBoundingClientRect().top + scrollY - lowest);
}"""
#: Where the window stands has not changed for ten frames.
CALM = """() => new Promise((done) => {
  let last = scrollY, calm = 0;
  const look = () => {
    calm = scrollY === last ? calm + 1 : 0;
    last = scrollY;
    if (calm > 9) done(scrollY); else requestAnimationFrame(look);
  };
  look();
})"""
HEADINGS = "[...document.querySelectorAll('.toctree-l1 .toc-h2 > a')].map((a) => a.getAttribute('href').slice(1))"
