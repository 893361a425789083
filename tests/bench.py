"""Speed of the built book, measured in Chromium: ``make bench``. Prints a table and writes ``_build/bench.json``.

Nothing here fails a test; a number that misses its aim is marked and wants a look at the profile.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jupytext
from nbclient import NotebookClient
from playwright.sync_api import Browser, CDPSession, Page, Response, sync_playwright

ROOT = Path(__file__).parent.parent
SITE = ROOT / "_build" / "html"
PAGE = "chapters/why_sqrt_dk.html"
DEFAULT, LARGEST = "#scale?d_k=512", "#scale?d_k=4096&n_keys=64"

# In the page: one drag step sets the slider and sends the event; the picture is drawn before dispatchEvent returns,
# which a MutationObserver confirms.
SCRIPT = """
window.lab = () => [...document.querySelectorAll('whyformer-lab')].find(l => l.getAttribute('size') !== 'small') ??
  document.querySelector('whyformer-lab');
window.stepper = (name) => {
  const input = lab().querySelector(`input[name=${name}]`);
  let value = Number(input.value), by = -1;
  return () => {
    if (value + by < Number(input.min) || value + by > Number(input.max)) by = -by;
    value += by;
    input.value = String(value);
    input.dispatchEvent(new Event('input', {bubbles: true}));
  };
};
window.frame = () => new Promise(requestAnimationFrame);
window.picture = () => {
  const live = lab().querySelector('.wf-live');
  return live.innerHTML + [...live.querySelectorAll('canvas')].map(c => c.toDataURL()).join();
};
"""

LATENCY = """async ([name, moves]) => {
  const step = stepper(name);
  let last = 0;
  const seen = new MutationObserver(() => { last = performance.now(); });
  seen.observe(lab(), {subtree: true, childList: true, attributes: true, characterData: true});
  const times = [];
  for (let i = 0; i < moves; i++) {
    await frame();
    const start = performance.now();
    step();
    await Promise.resolve();
    times.push(Math.max(last, start) - start);
  }
  seen.disconnect();
  return times;
}"""

DRAG = """async (moves) => {
  const input = lab().querySelector('input[name=d_k]');
  input.value = input.max;
  const step = stepper('d_k');
  const pictures = new Set(), frames = [];
  let before = await frame();
  for (let i = 0; i < moves; i++) {
    step();
    pictures.add(lab().querySelector('.wf-live').innerHTML);
    const now = await frame();
    frames.push(now - before);
    before = now;
  }
  const shown = lab().querySelector('output').textContent;
  return {pictures: pictures.size, frames, end: String(lab().state.d_k), shown};
}"""

COMPUTE = """([state, moves]) => {
  const compute = WhyformerLabs.labs.get('why_sqrt_dk/scale').compute;
  const times = [], values = [4096, 3968, 3840, 3712, 512, 544];
  const base = {...lab().state, ...state};
  compute(base);
  for (let i = 0; i < moves; i++) {
    const start = performance.now();
    compute({...base, d_k: values[i % values.length]});
    times.push(performance.now() - start);
  }
  return times;
}"""

READY = """
const poll = () => {
  const lab = document.querySelector('whyformer-lab[alive]');
  const input = lab?.querySelector('input[name=d_k]');
  if (!input) return requestAnimationFrame(poll);
  const before = lab.querySelector('.wf-live').innerHTML;
  input.value = String(Number(input.value) - 1);
  input.dispatchEvent(new Event('input', {bubbles: true}));
  if (lab.querySelector('.wf-live').innerHTML !== before) window.firstDrag = performance.now();
  else requestAnimationFrame(poll);
};
requestAnimationFrame(poll);
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


def server() -> tuple[str, ThreadingHTTPServer]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    threading.Thread(target=http.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{http.server_port}/", http


def opened(browser: Browser, url: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(url)
    page.wait_for_selector("whyformer-lab[alive]")
    page.evaluate(SCRIPT)
    page.evaluate("lab().removeAttribute('covered')")
    page.wait_for_timeout(300)
    return page


def main_thread_seconds(cdp: CDPSession) -> float:
    return {m["name"]: m["value"] for m in cdp.send("Performance.getMetrics")["metrics"]}["TaskDuration"]


def measure_moves(browser: Browser, base: str, rows: Rows) -> None:
    for name, fragment, aim in (("default state", DEFAULT, 4), ("d_k = 4096, n = 64", LARGEST, 12)):
        page = opened(browser, base + PAGE + fragment)
        page.evaluate(LATENCY, ["d_k", 40])  # warm up
        for control, label in (("d_k", "d_k"), ("n_keys", "keys")):
            times = page.evaluate(LATENCY, [control, 300])
            rows.add(f"slider event to last change, drag {label}, {name}, p95", p95(times), "ms", aim)
        cdp = page.context.new_cdp_session(page)
        cdp.send("Performance.enable")
        before = main_thread_seconds(cdp)
        page.evaluate(LATENCY, ["d_k", 300])
        one_move = 1000 * (main_thread_seconds(cdp) - before) / 300
        rows.add(f"main-thread CPU for one move, {name}", one_move, "ms", 5 if fragment == DEFAULT else None)
        page.close()
    page = opened(browser, base + PAGE)
    for name, state in (("default state", {}), ("d_k = 4096, n = 64", {"n_keys": 64})):
        times = page.evaluate(COMPUTE, [state, 300])
        rows.add(f"compute alone, drag d_k, {name}, p95", p95(times), "ms", 2)
    state = {"n_keys": 64, "quantity": "gradient_q"}
    rows.add("compute alone, gradient at q, n = 64, p95", p95(page.evaluate(COMPUTE, [state, 300])), "ms", 2)
    page.close()


def measure_drags(browser: Browser, base: str, rows: Rows) -> None:
    for throttle, least in ((1, 120), (6, 60)):
        page = opened(browser, base + PAGE + DEFAULT)
        if throttle > 1:
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": throttle})
        drag = page.evaluate(DRAG, 120)
        slow = "" if throttle == 1 else f", CPU {throttle} times slower"
        rows.add(f"drag of 120 moves: different pictures{slow}", drag["pictures"], "", least, more_is_better=True)
        rows.add(f"drag of 120 moves: frame, p95{slow}", p95(drag["frames"]), "ms", 20 if throttle == 1 else None)
        kept = float(drag["end"] == drag["shown"])
        rows.add(f"drag of 120 moves: last input shown{slow}", kept, "", 1, more_is_better=True)
        page.close()


def measure_first_visit(browser: Browser, base: str, rows: Rows) -> None:
    for path in ("chapters/intro.html", PAGE):
        times = []
        for _ in range(9):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = context.new_page()
            page.add_init_script(READY)
            page.goto(base + path)
            page.wait_for_function("window.firstDrag > 0")
            times.append(page.evaluate("window.firstDrag"))
            context.close()
        rows.add(f"navigation to first working drag, {path}, median of 9", statistics.median(times), "ms", 400)
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


def measure_builds(rows: Rows) -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book"
        leave = shutil.ignore_patterns(".venv", "_build", "node_modules", ".git", "__pycache__")
        shutil.copytree(ROOT, book, ignore=leave)
        command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "-W", "-n", "--keep-going"]
        chapter = book / "chapters/why_sqrt_dk.md"
        for name, aim in (("cold", 60), ("nothing changed", 5), ("one sentence changed", 10), ("one cell changed", 12)):
            text = chapter.read_text(encoding="utf-8")
            if name == "one sentence changed":
                chapter.write_text(text + "\n\nOne more sentence.\n", encoding="utf-8")
            if name == "one cell changed":
                chapter.write_text(text.replace("ScaleLab()\n", "ScaleLab()  # the same\n", 1), encoding="utf-8")
            start = time.perf_counter()
            subprocess.run(command, cwd=book, check=True, capture_output=True)
            rows.add(f"book build, {name}", time.perf_counter() - start, "s", aim)


def measure_cells(rows: Rows) -> None:
    """The slowest cell of each chapter, from the kernel's own times."""
    for chapter in sorted((ROOT / "chapters").glob("*.md")):
        notebook = jupytext.read(chapter)
        if not any(cell.cell_type == "code" for cell in notebook.cells):
            continue
        NotebookClient(notebook, kernel_name="python3", record_timing=True, timeout=300).execute()
        slowest = max(map(seconds, notebook.cells))
        rows.add(f"slowest cell, {chapter.stem}", slowest, "s", 2)


def seconds(cell: Any) -> float:
    times = cell.metadata.get("execution", {})
    if "iopub.execute_input" not in times:
        return 0.0
    began, ended = (datetime.fromisoformat(times[name]) for name in ("iopub.execute_input", "shell.execute_reply"))
    return (ended - began).total_seconds()


def main() -> None:
    rows = Rows()
    base, http = server()
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
        )
        version = browser.version
        measure_moves(browser, base, rows)
        measure_drags(browser, base, rows)
        measure_first_visit(browser, base, rows)
        browser.close()
    http.shutdown()
    measure_cells(rows)
    measure_builds(rows)
    result = {"chromium": version, "python": platform.python_version(), "cores": os.cpu_count(), "rows": rows}
    (ROOT / "_build" / "bench.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    missed = [row["what"] for row in rows if row["met"] is False]
    print(f"\nwrote _build/bench.json; {len(missed)} of {len(rows)} missed" + "".join(f"\n  {what}" for what in missed))


if __name__ == "__main__":
    main()
