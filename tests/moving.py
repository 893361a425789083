"""The picture at the top of the README: the first page's lab while d_k is slid. ``python tests/moving.py``."""

from __future__ import annotations

import io
import os
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
FILE = ROOT / "docs" / "slide_d_k.webp"
SLIDE = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]
STEP, REST = 110, 1500  # milliseconds
STATES = [
    *(({"d_k": d_k, "divisor": "1"}, REST if d_k in (1, 64, 512) else STEP) for d_k in SLIDE),
    *(({"d_k": d_k, "divisor": "sqrt"}, REST if d_k in (1, 512) else STEP) for d_k in reversed(SLIDE)),
]


def main() -> None:
    """Slide on the built book, and write ``FILE``."""
    frames = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto((ROOT / "_build/html/chapters/intro.html").as_uri())
        lab = page.locator("whyformer-lab").first
        page.wait_for_function("() => document.querySelector('whyformer-lab').series")
        for state, _ in STATES:
            lab.evaluate("(lab, state) => lab.set(state)", state)
            lab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            frames.append(Image.open(io.BytesIO(lab.screenshot())).convert("RGB"))
        browser.close()
    durations = [milliseconds for _, milliseconds in STATES]
    frames[0].save(FILE, save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=75, method=6)
    print(f"{FILE}: {FILE.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
