"""Speed against its aims: ``make bench``, or one part of it, ``make bench BENCH="moves room"``.

Moves are measured in Chromium on the built book, training on the page of the workbench, the room with 300 phones
over the loopback, the build in a copy. It prints a table and fails no test; ``docs/performance.md`` has figures.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from lab_cases import largest_state
from playwright.sync_api import Browser, Page, sync_playwright
from room_cases import QUESTION, Process, asked, phone, slides
from whyformer.lab.discover import lab_classes
from whyformer.workbench import EXPERIMENTS

ROOT = Path(__file__).parent.parent
SITE = ROOT / "_build" / "html"
PHONES, MOVES, VOTES_OVER = 300, 50, 10  # phones; moves of the lab; seconds in which a class votes

#: Milliseconds from the event of a control to the last change of its lab, one move a frame. A slider
#: goes to and fro, a choice to its next option; the picture is drawn before the event returns.
MOVE = """async ([lab, name, moves]) => {
  const within = [...document.querySelectorAll(`whyformer-lab[name="${lab}"]`)].at(-1);
  const draw = within.querySelector(`[data-draw=${name}]`), inputs = [...within.querySelectorAll(`[name=${name}]`)];
  const [input] = inputs, heard = (one) => one.dispatchEvent(new Event("input", {bubbles: true}));
  let by = -Number(input?.step || 1), last = 0;
  const step = () => {
    if (draw) return draw.click();
    if (input.type === "radio") {
      const next = inputs[(inputs.findIndex((one) => one.checked) + 1) % inputs.length];
      next.checked = true;
      return heard(next);
    }
    if (input.tagName === "SELECT") input.selectedIndex = (input.selectedIndex + 1) % input.options.length;
    else {
      const value = Number(input.value);
      if (value + by < Number(input.min) || value + by > Number(input.max)) by = -by;
      input.value = String(value + by);
    }
    heard(input);
  };
  const seen = new MutationObserver(() => { last = performance.now(); });
  seen.observe(within, {subtree: true, childList: true, attributes: true, characterData: true});
  const times = [];
  for (let i = 0; i < moves + 20; i++) {
    if (draw && i >= 20) await new Promise((done) => setTimeout(done, 1500));  // meanwhile the next draw is made
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    step();
    await Promise.resolve();
    if (i >= 20) times.push(Math.max(last, start) - start);
    if (draw && times.length === 20) break;
  }
  seen.disconnect();
  return times;
}"""
CONTROLS = """() => [...document.querySelectorAll("whyformer-lab")].map((lab) => (lab.go(99), [lab.getAttribute("name"),
  [...new Set([...lab.querySelectorAll(".wf-lab [name]")].map((input) => input.name))]]))"""
FROM = """([lab, state]) => {
  const one = [...document.querySelectorAll(`whyformer-lab[name="${lab}"]`)].at(-1);
  one.reset();
  one.set(state);
}"""
#: Presses Train, and counts frames until it is done: seconds, and frames a second.
TRAIN = """async (place) => {
  const bench = document.querySelectorAll("whyformer-workbench")[place], label = () =>
    bench.querySelector(".wf-bench-train").textContent;
  bench.scrollIntoView();
  const start = performance.now();
  let frames = 0, is_over = false;
  const count = () => { frames++; if (!is_over) requestAnimationFrame(count); };
  requestAnimationFrame(count);
  bench.querySelector(".wf-bench-train").click();
  while (label() === "Stop") await new Promise((done) => setTimeout(done, 50));
  is_over = true;
  const took = (performance.now() - start) / 1000;
  return [took, frames / took];
}"""


def row(what: str, value: float, unit: str, aim: float | None, more_is_better: bool = False) -> None:
    met = aim is None or (value >= aim if more_is_better else value <= aim)
    sign = "" if aim is None else f"{'>=' if more_is_better else '<='} {aim:g}"
    print(f"{what:72} {value:8.2f} {unit:3} {sign:8} {'' if met else 'MISSED'}", flush=True)


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def opened(browser: Browser, chapter: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((SITE / "chapters" / f"{chapter}.html").as_uri())
    page.evaluate("dispatchEvent(new Event('scroll'))")  # labs begin at the reader's first move
    page.wait_for_function("!document.querySelector('whyformer-lab:not([alive])')")
    return page


def moves(browser: Browser) -> None:
    """Every control of every lab, from the default state and from the largest; the slowest of each lab is printed."""
    for file in sorted((ROOT / "chapters").glob("*.md")):
        if "<whyformer-lab" not in (SITE / "chapters" / f"{file.stem}.html").read_text(encoding="utf-8"):
            continue
        page = opened(browser, file.stem)
        for lab, names in page.evaluate(CONTROLS):
            for where, state, aim in (("default", {}, 4), ("largest", largest_state(lab_classes()[lab]), 12)):
                times = {}
                for name in names:
                    page.evaluate(FROM, [lab, state])
                    times[name] = p95(page.evaluate(MOVE, [lab, name, 120]))
                if times:
                    slowest = max(times, key=lambda name: times[name])
                    row(f"slowest of {len(times)} controls, {lab}, {where}: {slowest}, p95", times[slowest], "ms", aim)
        page.close()


def training(browser: Browser) -> None:
    page = opened(browser, "workbench")
    for place, name in enumerate(EXPERIMENTS):
        took, frames = page.evaluate(TRAIN, place)
        row(f"workbench: {name}, two arms, five seeds", took, "s", 15)
        row(f"workbench: {name}, frames meanwhile", frames, "/s", 50, more_is_better=True)
    page.close()


async def _heard(one, is_it, times: list[float], start: float) -> None:
    """Note after how many milliseconds a phone has heard what is waited for."""
    while not is_it(json.loads(await one.wire.read_message())):
        pass
    times.append(1000 * (time.perf_counter() - start))


async def _vote(one, question: str, number: int, spread: float, times: list[float]) -> None:
    await asyncio.sleep(spread * number / PHONES)
    start = time.perf_counter()
    await one.wire.write_message(json.dumps({"do": "vote", "question": question, "round": 1, "option": number % 3}))
    await _heard(one, lambda said: said["is"] == "you" and question in said["votes"], times, start)


async def _room(server: Process) -> None:
    watched = psutil.Process(server.process.pid)
    teacher = await slides(server.port, server.key)
    phones = [await phone(server.port, server.code) for _ in range(PHONES)]
    times: list[float] = []
    for number in range(MOVES):
        at, start = f"#scale:{number}", time.perf_counter()
        await teacher.says(do="follow", page="p", lab="l", address=at)
        here = lambda said, at=at: said["is"] == "room" and said["scene"].get("address") == at  # noqa: E731
        await asyncio.gather(*(_heard(one, here, times, start) for one in phones))
    row(f"room: a move of the lab at {PHONES} phones, p95", p95(times), "ms", 200)
    for question, spread, what in (("spread~1", VOTES_OVER, f"over {VOTES_OVER} s"), ("once~1", 0, "all at once")):
        times = []
        await teacher.says(do="open", question=question, round=1, **QUESTION)
        await teacher.hears(lambda me, question=question: asked(me).get("id") == question)
        await asyncio.gather(*(_vote(one, question, n, spread, times) for n, one in enumerate(phones)))
        row(f"room: vote acknowledged, {what}, p95", p95(times), "ms", 100)
    tokens = [one.you["token"] for one in phones]
    for one in phones:
        one.wire.close()
    start = time.perf_counter()
    await asyncio.gather(*(phone(server.port, "", token) for token in tokens))
    row("room: all gone, all back at once", time.perf_counter() - start, "s", 3)
    row("room: memory", watched.memory_info().rss / 2**20, "MB", 80)


def room() -> None:
    with tempfile.TemporaryDirectory() as folder, Process(Path(folder), html=SITE) as server:
        asyncio.run(_room(server))


def build() -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book"
        leave = shutil.ignore_patterns(".venv", "_build", "node_modules", ".git", "__pycache__")
        shutil.copytree(ROOT, book, ignore=leave)
        command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "-W", "-n", "--keep-going"]
        chapter = book / "chapters/why_sqrt_dk.md"
        text = chapter.read_text(encoding="utf-8")
        for name, now, aim in (
            ("cold", text, 60),
            ("nothing changed", text, 5),
            ("one sentence changed", f"{text}\n\nOne more sentence.\n", 6),
            ("one cell changed", text.replace("ScaleLab()\n", "ScaleLab()  # the same\n", 1), 12),
        ):
            if now != chapter.read_text(encoding="utf-8"):
                chapter.write_text(now, encoding="utf-8")
            start = time.perf_counter()
            subprocess.run(command, cwd=book, check=True, capture_output=True)
            row(f"book build, {name}", time.perf_counter() - start, "s", aim)


PARTS = {"moves": moves, "training": training, "room": room, "build": build}


def main(names: list[str]) -> None:
    if unknown := set(names) - set(PARTS):
        sys.exit(f"parts of the bench are: {', '.join(PARTS)}; got {', '.join(sorted(unknown))}")
    for name in names or PARTS:
        if name in ("room", "build"):
            PARTS[name]()
            continue
        with sync_playwright() as play:
            arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
            chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
            browser = play.chromium.launch(executable_path=chromium, args=arguments)
            PARTS[name](browser)
            browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
