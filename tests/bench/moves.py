"""How long a move takes, from the event of a control to the last change of the picture."""

from __future__ import annotations

import statistics
from pathlib import Path

from lab_cases import largest_state
from playwright.sync_api import Browser, CDPSession
from whyformer.lab.discover import lab_classes

from bench.common import CHAPTERS, PAGE, SCRIPT, SITE, Rows, opened, p95, prepare

REST = 1500  # milliseconds
DEFAULT, LARGEST = "#scale?d_k=512", "#scale?d_k=4096&n_keys=64"

#: A control is moved at each frame or, as who presses a button does, after a rest.
LATENCY = """async ([name, moves, lab_name, rest]) => {
  const within = document.querySelector(`whyformer-lab[name="${lab_name}"]`) ?? lab();
  const step = stepper(name, within);
  let last = 0;
  const seen = new MutationObserver(() => { last = performance.now(); });
  seen.observe(within, {subtree: true, childList: true, attributes: true, characterData: true});
  const times = [];
  for (let i = 0; i < moves; i++) {
    if (rest) await new Promise((done) => setTimeout(done, rest));
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


def main_thread_seconds(cdp: CDPSession) -> float:
    return {m["name"]: m["value"] for m in cdp.send("Performance.getMetrics")["metrics"]}["TaskDuration"]


def measure(browser: Browser, base: str, rows: Rows) -> None:
    """Of the flagship by itself, beside a bare page; drags of it; then every control of every lab on its page."""
    shares = []
    for _ in range(5):
        bare = one_move(browser, (Path(__file__).parent / "bare.html").as_uri(), rows, "bare page", None)
        shares.append(one_move(browser, base + PAGE + DEFAULT, rows, "scale lab, default state", None) / bare)
    what = "main-thread CPU for one move, scale lab, in multiples of the bare page's, median of 5 pairs"
    rows.add(what, statistics.median(shares), "", 2)
    one_move(browser, base + PAGE + LARGEST, rows, "scale lab, d_k = 4096, n = 64", None)
    measure_compute(browser, base, rows)
    measure_drags(browser, base, rows)
    measure_controls(browser, base, rows)


def one_move(browser: Browser, url: str, rows: Rows, name: str, aim: float | None) -> float:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(url)
    if "bare" not in name:
        prepare(page)
    page.evaluate(SCRIPT)
    page.evaluate(LATENCY, ["d_k", 40, "", 0])  # warm up
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable")
    before = main_thread_seconds(cdp)
    times = page.evaluate(LATENCY, ["d_k", 300, "", 0])
    cpu = 1000 * (main_thread_seconds(cdp) - before) / 300
    rows.add(f"slider event to last change, drag d_k, {name}, p95", p95(times), "ms", 12 if "4096" in name else 4)
    rows.add(f"main-thread CPU for one move, {name}", cpu, "ms", aim)
    page.close()
    return cpu


def measure_compute(browser: Browser, base: str, rows: Rows) -> None:
    page = opened(browser, base + PAGE)
    for name, state in (
        ("default state", {}),
        ("d_k = 4096, n = 64", {"n_keys": 64}),
        ("gradient at q, n = 64", {"n_keys": 64, "quantity": "gradient_q"}),
    ):
        times = page.evaluate(COMPUTE, [state, 300])
        rows.add(f"compute alone, drag d_k, {name}, p95", p95(times), "ms", 2)
    page.close()


CONTROLS = """() => [...document.querySelectorAll('whyformer-lab')].map((lab) => [
  lab.getAttribute('name'),
  [...new Set([...lab.querySelectorAll('.wf-lab [name]')].map((input) => input.name))],
])"""


FROM = """([name, state]) => {
  const lab = document.querySelector(`whyformer-lab[name="${name}"]:not([size="small"])`) ??
    document.querySelector(`whyformer-lab[name="${name}"]`);
  lab.reset();
  lab.set(state);
}"""


def measure_controls(browser: Browser, base: str, rows: Rows) -> None:
    """Each control on the page of its chapter, once the browser is warm; the slowest of each lab is printed.

    From the default state, and from the largest: every control at its far end. Controls go to and fro, so that many
    states come again, which labs remember. A new draw is a button: it is pressed after ``REST``, in which labs make the
    next draw; then all at once, which nobody does, for what it costs when nothing was made ahead.
    """
    for path in CHAPTERS:
        if "<whyformer-lab" not in (SITE / path).read_text(encoding="utf-8"):
            continue
        page = opened(browser, base + path)
        page.evaluate("for (const lab of document.querySelectorAll('whyformer-lab')) lab.go(99)")  # free play
        for lab, names in page.evaluate(CONTROLS):
            largest = largest_state(lab_classes()[lab])
            for where, state, aim in (("default", {}, 4), ("largest", largest, 12)):
                times = {}
                for name in names:
                    page.evaluate(FROM, [lab, state])
                    page.evaluate(LATENCY, [name, 20, lab, 0])
                    times[name] = p95(page.evaluate(LATENCY, [name, 120, lab, 0]))
                if "seed" in times:
                    rows.add(f"new draws without a rest, {lab}, {where} state, p95", times.pop("seed"), "ms", None)
                    page.evaluate(FROM, [lab, state])
                    rested = p95(page.evaluate(LATENCY, ["seed", 20, lab, REST]))
                    rows.add(f"new draw after {REST / 1000} s, {lab}, {where} state, p95", rested, "ms", aim)
                if times:
                    slowest = max(times, key=lambda name: times[name])
                    what = f"slowest of {len(times)} controls, {lab}, {where} state: {slowest}, p95"
                    rows.add(what, times[slowest], "ms", aim)
        page.close()


def measure_drags(browser: Browser, base: str, rows: Rows) -> None:
    for throttle, least in ((1, 120), (6, 60)):
        page = opened(browser, base + PAGE + DEFAULT)
        if throttle > 1:
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": throttle})
        drag = page.evaluate(DRAG, 120)
        slow = "" if throttle == 1 else f", CPU {throttle} times slower"
        rows.add(f"drag of 120 moves: different pictures{slow}", drag["pictures"], "", least, more_is_better=True)
        rows.add(f"drag of 120 moves: frame, p95{slow}", p95(drag["frames"]), "ms", 18 if throttle == 1 else None)
        kept = float(drag["end"] == drag["shown"])
        rows.add(f"drag of 120 moves: last input shown{slow}", kept, "", 1, more_is_better=True)
        page.close()
