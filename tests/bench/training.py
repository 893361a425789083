"""How long the workbench trains: a step of each size, and an experiment as a reader sees it, in Chromium.

Beside it a step of the same models written with TensorFlow.js (``tfjs/step.js``), of the same weights and batches. Its
packages come from npm, as ``tfjs/package-lock.json`` has them, when this part of the bench first runs.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from playwright.sync_api import Browser
from whyformer.workbench import EXPERIMENTS
from whyformer.workbench.experiment import plain

from bench.common import ROOT, SITE, Rows

TFJS = ROOT / "tests" / "bench" / "tfjs"
CLOSE = 1e-4  # TensorFlow.js counts in single precision

#: Milliseconds of a step: the least of eight means over 25.
STEPS = """([e, place]) => {
  const {arm, task} = e.arms[place];
  const t = new T.Training(e, arm, task, 0);
  const best = [];
  for (let i = 0; i < 8; i++) {
    const start = performance.now();
    for (let s = 0; s < 25; s++) t.step();
    best.push((performance.now() - start) / 25);
  }
  return Math.min(...best);
}"""

#: Ours, and TensorFlow.js in two ways. First the loss of each on held-out examples, with the first weights and after
#: five steps; then milliseconds of a step of each, in turns, so that all have the same machine: the least of 30 means.
BESIDE = """([e, place]) => {
  const {arm, task} = e.arms[place];
  const ours = new T.Training(e, arm, task, 0);
  const all = [ours, new T.Theirs(e, place, 0, false), new T.Theirs(e, place, 0, true)];
  const losses = () => all.map((one) => one === ours ? ours.measure().loss : one.held_out());
  const before = losses();
  for (const one of all) for (let s = 0; s < 5; s++) one.step();
  const after = losses(), best = all.map(() => Infinity);
  for (let i = 0; i < 30; i++)
    all.forEach((one, which) => {
      const start = performance.now();
      for (let s = 0; s < 8; s++) one.step();
      best[which] = Math.min(best[which], (performance.now() - start) / 8);
    });
  return [[before, after], best];
}"""

#: Presses Train, and counts frames until it is done.
WHOLE = """async (place) => {
  const bench = document.querySelectorAll('whyformer-workbench')[place];
  bench.scrollIntoView();
  const button = bench.querySelector('.wf-bench-train'), start = performance.now();
  let frames = 0, is_over = false;
  const count = () => { frames++; if (!is_over) requestAnimationFrame(count); };
  requestAnimationFrame(count);
  const before = button.textContent;
  button.click();
  while (bench.querySelector('.wf-bench-train').textContent === 'Stop')
    await new Promise((done) => setTimeout(done, 50));
  is_over = true;
  const took = (performance.now() - start) / 1000;
  return [took, frames / took, before];
}"""


def measure(browser: Browser, rows: Rows) -> None:
    """Milliseconds a step, seconds for both arms and all seeds, frames a second meanwhile; from a file."""
    page = browser.new_page()
    page.add_script_tag(content=bundled(ROOT / "code/whyformer/workbench/train.ts"))
    wide = EXPERIMENTS["divisor"].change(d_model=64)
    for experiment, place, what, aim in (
        (EXPERIMENTS["positions"], 0, "reverse, d_model 16", 1.0),
        (EXPERIMENTS["divisor"], 0, "kv, d_model 32, d_k 64", None),
        (EXPERIMENTS["residual"], 0, "reverse, four layers", None),
        (EXPERIMENTS["norm"], 0, "reverse, six layers", None),
        (wide, 0, "kv, d_model 64", 8),
    ):
        rows.add(f"workbench: a step, {what}", page.evaluate(STEPS, [plain(experiment), place]), "ms", aim)
    page.close()
    measure_tfjs(browser, rows)
    page = browser.new_page()
    page.goto((SITE / "chapters" / "workbench.html").as_uri())
    for place, name in enumerate(EXPERIMENTS):
        took, frames, before = page.evaluate(WHOLE, place)
        assert before == "Train", json.dumps(before)
        rows.add(f"workbench: {name}, two arms, five seeds", took, "s", 15)
        rows.add(f"workbench: {name}, frames meanwhile", frames, "/s", 50, more_is_better=True)
    page.close()


def measure_tfjs(browser: Browser, rows: Rows) -> None:
    """Milliseconds a step with TensorFlow.js, the faster of two ways to write it.

    Raises ValueError if it computes another loss than our engine.
    """
    stamp = TFJS / "node_modules" / ".package-lock.json"
    if not stamp.is_file() or stamp.stat().st_mtime < (TFJS / "package-lock.json").stat().st_mtime:
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=TFJS, check=True)
    page = browser.new_page()
    page.add_script_tag(content=bundled(TFJS / "step.js"))
    page.evaluate("T.prepare()")
    for name, changes, what in (
        ("positions", {}, "reverse, d_model 16"),
        ("residual", {}, "reverse, four layers"),
        ("divisor", {}, "kv, d_model 32, d_k 64"),
        ("divisor", {"d_model": 64}, "kv, d_model 64"),
    ):
        losses, (ours, *theirs) = page.evaluate(BESIDE, [plain(EXPERIMENTS[name].change(**changes)), 0])
        if not all(abs(loss - own) < CLOSE for own, *others in losses for loss in others):
            raise ValueError(f"{what}: losses differ; ours, and those of TF.js, before and after five steps: {losses}")
        rows.add(f"workbench: TF.js wasm, a step, {what}", min(theirs), "ms", None)
        rows.add(f"workbench: beside it ours, {what}", ours, "ms", None)
    page.close()


def bundled(entry: Path) -> str:
    """A script with all that it imports, files of WebAssembly as data in it; what it exports is T."""
    command = ["node_modules/.bin/esbuild", str(entry), "--bundle", "--format=iife", "--global-name=T"]
    command += ["--target=es2022", "--loader:.wasm=binary"]
    return subprocess.run(command, cwd=ROOT / "code", check=True, capture_output=True, text=True).stdout
