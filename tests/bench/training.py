"""How long the workbench trains: a step of each size, and an experiment as a reader sees it, in Chromium."""

from __future__ import annotations

import json
import subprocess

from playwright.sync_api import Browser
from whyformer.workbench import EXPERIMENTS
from whyformer.workbench.experiment import plain

from bench.common import ROOT, SITE, Rows

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
    command = ["node_modules/.bin/esbuild", "whyformer/workbench/train.ts", "--bundle", "--format=iife"]
    command += ["--global-name=T", "--target=es2022", "--loader:.wasm=binary"]
    script = subprocess.run(command, cwd=ROOT / "code", check=True, capture_output=True, text=True).stdout
    page = browser.new_page()
    page.add_script_tag(content=script)
    for name, place, what, aim in (
        ("positions", 0, "reverse, d_model 16", 1.0),
        ("divisor", 0, "kv, d_model 32, d_k 64", None),
        ("residual", 0, "reverse, four layers", None),
        ("norm", 0, "reverse, six layers", None),
    ):
        rows.add(f"workbench: a step, {what}", page.evaluate(STEPS, [plain(EXPERIMENTS[name]), place]), "ms", aim)
    wide = plain(EXPERIMENTS["divisor"].change(d_model=64))
    rows.add("workbench: a step, kv, d_model 64", page.evaluate(STEPS, [wide, 0]), "ms", 8)
    page.goto((SITE / "chapters" / "workbench.html").as_uri())
    for place, name in enumerate(EXPERIMENTS):
        took, frames, before = page.evaluate(WHOLE, place)
        assert before == "Train", json.dumps(before)
        rows.add(f"workbench: {name}, two arms, five seeds", took, "s", 15)
        rows.add(f"workbench: {name}, frames meanwhile", frames, "/s", 50, more_is_better=True)
    page.close()
