"""How long a page takes until a lab answers, what it loads, and what Lighthouse says of it."""

from __future__ import annotations

import gzip
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Response, TimeoutError

from bench.common import CHAPTERS, PAGE, ROOT, SITE, Rows

READY = """
const poll = () => {
  if (!location.hash) document.querySelector('whyformer-lab')?.scrollIntoView();
  const linked = location.hash.includes('?') ? location.hash.slice(1).split('?')[0] : '';
  const lab = [...document.querySelectorAll('whyformer-lab[alive]')].find((one) =>
    !linked || one.getAttribute('name').endsWith('/' + linked));
  const input = lab?.querySelector('.wf-lab input[type=range]');
  const seen = lab?.getBoundingClientRect();
  if (!input || seen.top > innerHeight - 100 || seen.bottom < 100) return requestAnimationFrame(poll);
  const before = lab.querySelector('.wf-live').innerHTML;
  const value = Number(input.value), by = Number(input.step || 1);
  input.value = String(value - by >= Number(input.min) ? value - by : value + by);
  input.dispatchEvent(new Event('input', {bubbles: true}));
  if (lab.querySelector('.wf-live').innerHTML !== before) window.firstDrag = performance.now();
  else requestAnimationFrame(poll);
};
requestAnimationFrame(poll);
"""


#: Lighthouse's launcher turns off what it knows as RenderDocument, which browsers have on; without it the first frame
#: of a long page came one or two seconds late in two runs of three, with an idle main thread. The last list counts.
FLAGS = "--headless --no-sandbox --disable-features=Translate"


def measure(browser: Browser, base: str, rows: Rows) -> None:
    """First drag on every chapter with a slider, and where a link opens a state; then what a page loads."""
    with_sliders = [path for path in CHAPTERS if '"kind":"' in (SITE / path).read_text(encoding="utf-8")]
    for path in with_sliders:
        first_drag(browser, base + path, rows, path, 400)
    first_drag(browser, base + PAGE + "#training?rate=0.01", rows, f"{PAGE} by a link to its last lab", 600)
    measure_weight(browser, base, rows)


def first_drag(browser: Browser, url: str, rows: Rows, name: str, aim: float) -> None:
    times = []
    for _ in range(9):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.add_init_script(READY)
        page.goto(url)
        try:
            page.wait_for_function("window.firstDrag > 0", timeout=10_000)
        except TimeoutError:  # no slider in its first lab
            context.close()
            return
        times.append(page.evaluate("window.firstDrag"))
        context.close()
    rows.add(f"navigation to first working drag, {name}, median of 9", statistics.median(times), "ms", aim)


def measure_weight(browser: Browser, base: str, rows: Rows) -> None:
    context = browser.new_context()
    page = context.new_page()
    sizes: dict[str, int] = {}
    outside: list[str] = []

    def answered(response: Response) -> None:
        if response.url.startswith(base) and response.ok:
            sizes[response.url] = len(gzip.compress(response.body()))

    inside = (base, "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(inside) else outside.append(request.url))
    page.on("response", answered)
    page.goto(base + PAGE, wait_until="networkidle")
    rows.add("chapter page in all, first visit, gzipped", sum(sizes.values()) / 1e6, "MB", 1.0)
    rows.add("requests outside the site", len(outside), "", 0)
    context.close()
    script = (SITE / PAGE).read_text(encoding="utf-8")
    bundle = ROOT / "code/whyformer/bundle/labs.js"
    rows.add("bundle, all labs, gzipped", len(gzip.compress(bundle.read_bytes())) / 1000, "kB", 100)
    rows.add("copies of the bundle on a page", script.count("labs.js"), "", 1)


def measure_lighthouse(chromium: str, base: str, rows: Rows) -> None:
    """The middle of three for each page: what it simulates hangs on what else the machine does."""
    for path in CHAPTERS:
        scores = sorted(lighthouse(chromium, base + path) for _ in range(3))
        rows.add(
            f"Lighthouse, simulated phone, {path}, median of 3 ({scores[0]}-{scores[-1]})", scores[1], "", 95, True
        )


def lighthouse(chromium: str, url: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = ["npx", "--yes", "lighthouse@12.8.2", url, "--quiet", "--only-categories=performance"]
        command += ["--output=json", f"--output-path={report}", f"--chrome-flags={FLAGS}"]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "CHROME_PATH": chromium})
        return round(100 * json.loads(report.read_text())["categories"]["performance"]["score"])
