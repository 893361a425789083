"""Speed of the built book, measured in Chromium: ``make bench``. Prints a table and writes ``_build/bench.json``.

Nothing here fails a test; a number that misses its aim is marked and wants a look at the profile. One part alone:
``python -m bench moves`` (from tests; also visits, training, lighthouse, room, builds).
"""

from __future__ import annotations

import json
import os
import platform
import sys

from playwright.sync_api import sync_playwright

from bench import builds, moves, room, training, visits
from bench.common import ROOT, Rows, server

PARTS = ("moves", "visits", "training", "lighthouse", "room", "builds")


def main() -> None:
    parts = sys.argv[1:] or PARTS
    if not set(parts) <= set(PARTS):
        sys.exit(f"parts of the bench are: {', '.join(PARTS)}")
    rows = Rows()
    base, http = server()
    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with sync_playwright() as play:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
        browser = play.chromium.launch(executable_path=chromium, args=arguments)
        version = browser.version
        if "moves" in parts:
            moves.measure(browser, base, rows)
        if "visits" in parts:
            visits.measure(browser, base, rows)
        if "training" in parts:
            training.measure(browser, rows)
        browser.close()
    if "lighthouse" in parts:
        visits.measure_lighthouse(chromium, base, rows)
    http.shutdown()
    if "room" in parts:
        room.measure(rows)
    if "builds" in parts:
        builds.measure(rows)
    result = {"chromium": version, "python": platform.python_version(), "cores": os.cpu_count(), "rows": rows}
    (ROOT / "_build" / "bench.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    missed = [row["what"] for row in rows if row["met"] is False]
    print(f"\nwrote _build/bench.json; {len(missed)} of {len(rows)} missed" + "".join(f"\n  {what}" for what in missed))


if __name__ == "__main__":
    main()
