"""While a page is still being read labs that are there work, and what is there of the rest comes to no harm."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from browser import ALL_STARTED, Quiet, guard, write_page
from playwright.sync_api import Browser, Page
from whyformer.lab import Option, Predict
from whyformer.questions.why_sqrt_dk import ScaleLab

ANSWER = "<section id='short-answer'><h2>Short answer</h2><p>It becomes larger.</p><p>And why.</p></section>"
#: What has come of the page: the network may give a browser half of an element.
CUT = "<!-- the rest comes later -->"
FAR = '<div style="height: 4000px"></div>'
CALLED = """(name) => {
  const lab = document.querySelector(`whyformer-lab[name="${name}"]`);
  return Object.fromEntries(["alive", "broken", "covered"].map((name) => [name, lab.hasAttribute(name)]));
}"""
SCALE, GAP = "why_sqrt_dk/scale", "softmax_saturation/gap"


class Slow(Quiet):
    """Sends a page up to its mark, and the rest when it is asked to."""

    go_on = threading.Event()

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html":
            return super().do_GET()
        first, _, rest = path.read_text(encoding="utf-8").partition(CUT)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(first.encode())
        self.wfile.flush()
        self.go_on.wait(20)
        with suppress(BrokenPipeError):  # the page was closed
            self.wfile.write(rest.encode())


@pytest.fixture
def slow(tmp_path: Path, chromium: Browser) -> Iterator[Any]:
    """``slow(body, fragment)`` opens a page whose body has come up to ``CUT``; ``go_on()`` sends the rest."""
    trouble: list[str] = []
    context = chromium.new_context(viewport={"width": 1000, "height": 700})
    guard(context, trouble)
    Slow.go_on.clear()

    def open_page(body: str, fragment: str = "") -> Page:
        write_page(tmp_path, body)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/index.html{fragment}", wait_until="commit")
        page.wait_for_selector("whyformer-lab > .wf-live")
        assert page.evaluate("document.readyState") == "loading"
        return page

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Slow, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield open_page
        Slow.go_on.set()
        context.close()
        server.shutdown()
    assert not trouble


def go_on(page: Page) -> None:
    Slow.go_on.set()
    page.wait_for_load_state("load")


def split(html: str) -> str:
    """The HTML of an element of which half has come."""
    middle = html.index('"', len(html) // 3)
    return html[:middle] + CUT + html[middle:]


def test_a_lab_answers_before_the_rest_of_the_page_has_come(slow, lab_html):
    page = slow(lab_html[SCALE] + "<p>between</p>" + split(lab_html[GAP]))
    assert page.locator("whyformer-lab").count() == 2, "the second has begun"
    d_k = "document.querySelector('whyformer-lab').state.d_k"
    before = page.evaluate(d_k)
    page.locator("whyformer-lab input[name=d_k]").first.press("ArrowLeft")
    moved = page.evaluate(d_k)
    assert moved < before
    assert page.evaluate(CALLED, GAP) == {"alive": False, "broken": False, "covered": False}
    go_on(page)
    page.wait_for_function(ALL_STARTED)
    assert page.evaluate(CALLED, GAP) == {"alive": True, "broken": False, "covered": False}
    assert page.evaluate(d_k) == moved


def test_what_a_prediction_covers_is_covered_as_it_comes(slow, lab_html):
    asked = Predict("room/what", "More?", [Option("more", "Yes.", right=True), Option("no", "No.")], covers=[ScaleLab])
    page = slow(asked.html() + ANSWER + lab_html[SCALE] + "<p>more</p>" + CUT + "<p>the rest</p>")
    assert page.evaluate(CALLED, SCALE) == {"alive": True, "broken": False, "covered": True}
    inert = "[...document.querySelectorAll('#short-answer > *')].map((part) => part.inert)"
    expected = [False, False, True, True]  # heading, curtain, and two paragraphs
    page.wait_for_function(f"{inert}.length == 4")
    assert page.evaluate(inert) == expected
    go_on(page)
    assert page.evaluate(inert) == expected and page.locator(".wf-curtain").count() == 1
    page.get_by_role("button", name="Skip").click()
    assert page.evaluate(inert) == [False, False, False] and not page.evaluate(CALLED, SCALE)["covered"]


def test_a_link_to_a_lab_is_followed_as_soon_as_the_lab_is_there(slow, lab_html):
    top = f"Math.round(document.querySelector('[name=\"{GAP}\"]').getBoundingClientRect().top)"
    page = slow(lab_html[SCALE] + FAR + lab_html[GAP] + FAR + CUT + FAR, "#gap?a=3")
    page.wait_for_function(f"Math.abs({top}) < 40")
    assert page.evaluate(f"document.querySelector('[name=\"{GAP}\"]').state.a") == 3
    go_on(page)
    page.wait_for_timeout(300)
    assert page.evaluate(f"Math.abs({top}) < 40"), "the page moved away from it"


def test_a_lab_that_has_not_come_yet_may_still_come(slow, lab_html):
    note = "The link names a lab"
    page = slow(lab_html[SCALE] + "<p>more</p>" + CUT + lab_html[GAP], "#gap?a=3")
    page.wait_for_timeout(300)
    assert page.get_by_text(note).count() == 0
    go_on(page)
    page.wait_for_function(f"document.querySelector('[name=\"{GAP}\"]').state?.a == 3")
    assert page.get_by_text(note).count() == 0


def test_a_lab_that_never_comes_is_missed_in_the_end(slow, lab_html):
    page = slow(lab_html[SCALE] + "<p>more</p>" + CUT + "<p>no more labs</p>", "#strange?a=3")
    go_on(page)
    page.get_by_text("The link names a lab “strange”, which is not on this page.").wait_for()
