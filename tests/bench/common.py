"""What the measurements share: the table, the site on a port, a page with a lab."""

from __future__ import annotations

import gzip
import statistics
import threading
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parent.parent.parent
SITE = ROOT / "_build" / "html"
PAGE = "chapters/why_sqrt_dk.html"
CHAPTERS = [f"chapters/{file.stem}.html" for file in sorted((ROOT / "chapters").glob("*.md"))]

# In the page: one drag step sets the slider and sends the event; the picture is drawn before dispatchEvent returns,
# which a MutationObserver confirms.
SCRIPT = """
window.lab = () => [...document.querySelectorAll('whyformer-lab')].find(l => l.getAttribute('size') !== 'small') ??
  document.querySelector('whyformer-lab') ?? document.body;
window.stepper = (name, within = lab()) => {
  const draw = within.querySelector(`[data-draw=${name}]`);
  if (draw) return () => draw.click();
  const inputs = [...within.querySelectorAll(`[name=${name}]`)], [input] = inputs;
  const heard = (target) => target.dispatchEvent(new Event('input', {bubbles: true}));
  if (input.type === 'radio') return () => {
    const next = inputs[(inputs.findIndex((one) => one.checked) + 1) % inputs.length];
    next.checked = true;
    heard(next);
  };
  if (input.tagName === 'SELECT') return () => {
    input.selectedIndex = (input.selectedIndex + 1) % input.options.length;
    heard(input);
  };
  let by = -Number(input.step || 1);
  return () => {
    const value = Number(input.value);
    if (value + by < Number(input.min) || value + by > Number(input.max)) by = -by;
    input.value = String(value + by);
    heard(input);
  };
};
window.frame = () => new Promise(requestAnimationFrame);
"""


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


class Rows(list):
    def add(self, what: str, value: float, unit: str, aim: float | None, more_is_better: bool = False) -> None:
        met = None if aim is None else (value >= aim if more_is_better else value <= aim)
        self.append({"what": what, "value": round(value, 3), "unit": unit, "aim": aim, "met": met})
        sign = "" if aim is None else (">= " if more_is_better else "<= ") + f"{aim:g}"
        verdict = "" if met is None else "ok" if met else "MISSED"
        print(f"{what:72} {value:9.2f} {unit:4} {sign:8} {verdict}", flush=True)


class Site(SimpleHTTPRequestHandler):
    """The built book as hosts serve it: texts compressed, for a while in the browser's cache."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer with the file, compressed where that helps."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        body, kind = path.read_bytes(), self.guess_type(str(path))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if kind.startswith("text/") or "javascript" in kind or "json" in kind:
            body = compressed(path)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)


@cache
def compressed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes())


def server() -> tuple[str, ThreadingHTTPServer]:
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=str(SITE)))
    threading.Thread(target=http.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{http.server_port}/", http


def prepare(page: Page) -> None:
    """Wait until all labs are alive, from the reader's first move on."""
    page.evaluate("dispatchEvent(new Event('scroll'))")
    page.wait_for_function("!document.querySelector('whyformer-lab:not([alive])')")
    page.evaluate(SCRIPT)
    page.wait_for_timeout(300)


def opened(browser: Browser, url: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(url)
    prepare(page)
    return page
