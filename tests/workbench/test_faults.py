"""What may go wrong while a workbench trains: workers that die or hang, a slow device, one core, a tab out of sight."""

import re

import pytest
from playwright.sync_api import Page
from whyformer.workbench import train
from workbench_cases import LONG, SHORT, lines, press, table, wait_until_trained

#: The first workers, so many of them, report an error as soon as they have said something.
DYING = """(count) => {
  const Made = Worker;
  let left = count;
  window.Worker = class extends Made {
    constructor(address) {
      super(address);
      if (left-- > 0) this.addEventListener("message", () => this.dispatchEvent(new ErrorEvent("error")), {once: true});
    }
  };
}"""


def test_a_device_that_is_slow_trains_three_seeds_and_says_so(bench) -> None:
    page = bench(LONG)
    press(page, "Train")
    note = page.get_by_text(re.compile(r"All 5 seeds would take [\d.]+ s on this device, so 3 are trained\."))
    note.wait_for()
    assert re.match("seed 1 of 3 · step", page.locator(".wf-bench-status").inner_text())
    press(page, "Stop")


@pytest.mark.parametrize("times", [1, 9])
def test_a_worker_that_dies_is_replaced_once(times: int, bench) -> None:
    page = bench(SHORT)
    page.evaluate(DYING, times)
    press(page, "Train")
    wait_until_trained(page)
    said = page.locator(".wf-notes").inner_text()
    assert "is trained again from its beginning" in said
    missing = len(re.findall("A worker stopped twice", said))
    assert (missing > 0) == (times > 2) and lines(page, "thin") == 4 - missing


def test_numbers_that_overflow_are_said(bench) -> None:
    wild = SHORT.change(rate=1e200)
    page = bench(wild)
    press(page, "Train")
    wait_until_trained(page)
    assert "2 of 2 overflowed" in table(page)[0][1]


#: How many workers there are, how many there were at once at most, and how many trainings have come to an end.
COUNTING = """
  const Made = Worker;
  const count = { now: 0, most: 0, ended: 0 };
  window.Worker = class extends Made {
    constructor(address) {
      super(address);
      count.most = Math.max(count.most, ++count.now);
      this.addEventListener("message", ({ data }) => { if (data.end) count.ended++; });
    }
    terminate() {
      count.now--;
      super.terminate();
    }
  };
"""
#: The first workers, so many of them, never come to an end of anything.
HANGING = """(count) => {
  const Made = Worker;
  let left = count;
  const endless = URL.createObjectURL(new Blob(["onmessage = () => { for (;;); }"]));
  window.Worker = class extends Made {
    constructor(address) {
      super(left-- > 0 ? endless : address);
    }
  };
}"""


@pytest.mark.parametrize(("times", "trained", "missing"), [(1, 3, 0), (9, 0, 4)])
def test_a_worker_that_says_nothing_for_long_counts_as_dead(times: int, trained: int, missing: int, bench) -> None:
    page = bench(SHORT, first=COUNTING)
    page.evaluate(HANGING, times)
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    press(page, "Train")
    page.wait_for_function(f"count.ended === {trained}")  # by the worker that does not hang
    page.clock.run_for(19_000)
    assert page.locator(".wf-notes").inner_text() == "" and "Stop" in page.locator(".wf-live").inner_text()
    page.clock.run_for(2100)
    assert "is trained again from its beginning" in page.locator(".wf-notes").inner_text()
    for _ in range(3 if missing else 0):
        page.clock.run_for(21_100)
    page.wait_for_function(f"count.ended === {4 - missing} && count.now === 0")
    page.clock.resume()
    wait_until_trained(page)
    assert len(re.findall("A worker stopped twice", page.locator(".wf-notes").inner_text())) == missing
    assert lines(page, "thin") == 4 - missing


def test_a_device_that_sleeps_loses_nothing(bench) -> None:
    page = bench(LONG.change(seeds=1))
    page.clock.install()
    press(page, "Train")
    page.clock.fast_forward(3_600_000)  # each timer runs once at most, as after a sleep
    page.clock.run_for(2000)
    assert page.locator(".wf-notes").inner_text() == ""
    press(page, "Stop")


ONE_CORE = 'Object.defineProperty(navigator, "hardwareConcurrency", { value: 1 });'


@pytest.mark.parametrize(("device", "workers"), [(ONE_CORE, 1), ("", 2)])
def test_where_there_is_one_core_one_worker_trains_all(device: str, workers: int, bench) -> None:
    page = bench(SHORT, first=COUNTING + device)
    press(page, "Train")
    wait_until_trained(page)
    assert page.evaluate("count") == {"now": 0, "most": workers, "ended": 4}
    assert lines(page, "thin") == 4 and lines(page, "thick") == 2
    assert_table_is_right(page)


def test_one_core_that_is_slow_trains_three_seeds_and_says_so(bench) -> None:
    page = bench(LONG, first=COUNTING + ONE_CORE)
    press(page, "Train")
    page.get_by_text("on this device, so 3 are trained.").wait_for()
    assert page.evaluate("count.most") == 1
    press(page, "Stop")


def assert_table_is_right(page: Page) -> None:
    summary = train(SHORT, progress=False).summary()
    for name, right, *_ in table(page):
        assert float(right.split()[0]) == pytest.approx(summary.loc[name, "mean"], abs=0.006)


def test_out_of_sight_it_draws_nothing_and_trains_to_the_end(bench) -> None:
    # Headless browsers hide no tab, so this one is told that it is hidden, and gets neither frames nor timers.
    page = bench(SHORT, first=COUNTING)
    page.clock.install(time=0)
    page.clock.pause_at(3_600_000)
    press(page, "Train")
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    drawn = page.locator(".wf-live").inner_html()
    page.wait_for_function("count.ended === 4")
    assert page.locator(".wf-live").inner_html() == drawn and "Stop" in drawn
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    page.clock.resume()
    wait_until_trained(page)
    assert lines(page, "thick") == 2 and page.locator(".wf-notes").inner_text() == ""
    assert_table_is_right(page)
