"""How tall labs are, step by step: ``make heights`` prints the table, test_heights.py holds it to the aims."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from browser import ALL_STARTED, ARGUMENTS, chromium_path, write_page
from lab_cases import LABS
from playwright.sync_api import Page, sync_playwright

LARGEST_LABEL = 18  # px, the least on a projector


@dataclass(frozen=True)
class Window:
    """A window, how wide a lab's place in it is, and how tall the lab may be, in CSS pixels."""

    width: int
    height: int
    place: int
    tallest: int
    query: str = ""


WINDOWS = {
    "wide page": Window(1366, 768, 1040, 640),
    "text column": Window(1366, 768, 700, 640),
    "projector": Window(1280, 720, 1100, 660, "?projector"),
    "phone": Window(390, 844, 366, 600),
    "narrow phone": Window(360, 740, 336, 600),
}

SIZES = """(lab) => {
  const words = [...lab.querySelectorAll('.wf-live svg text')];
  const sizes = words.map((word) => parseFloat(getComputedStyle(word).fontSize));
  return [lab.offsetHeight, document.documentElement.scrollWidth, Math.min(...sizes)];
}"""

#: Words of a picture that touch others or coloured squares, or leave their panel. A letter fills half of its line.
TOUCHING = """(lab) => {
  const found = [];
  for (const panel of lab.querySelectorAll('.wf-onstage svg')) {
    const frame = panel.getBoundingClientRect();
    const words = [...panel.querySelectorAll('text')].filter((text) => text.textContent.trim()).map((text) => {
      const { left, right, top, bottom, height } = text.getBoundingClientRect();
      const [said, rim] = [text.textContent, height / 4];
      return { said, left: left + 1, right: right - 1, top: top + rim, bottom: bottom - rim };
    });
    const squares = [...panel.querySelectorAll('.wf-swatch')].map((square) => {
      const { left, right, top, bottom } = square.getBoundingClientRect();
      return { said: 'a square', left, right, top, bottom };
    });
    words.forEach((one, i) => {
      const inside = one.left >= frame.left - 2 && one.right <= frame.right + 2
        && one.top >= frame.top - 1 && one.bottom <= frame.bottom + 1;
      if (!inside) found.push(`"${one.said}" leaves its panel`);
      for (const other of [...words.slice(0, i), ...squares]) {
        const apart = one.right <= other.left || other.right <= one.left
          || one.bottom <= other.top || other.bottom <= one.top;
        if (!apart) found.push(`"${one.said}" lies on "${other.said}"`);
      }
    });
  }
  return found;
}"""


class Measured(NamedTuple):
    """Of one step: the lab's height, the width of the page, the smallest type in the picture, words that touch."""

    height: float
    wide: float
    label: float
    touching: list[str]


def measured(page: Page, window: Window) -> list[Measured]:
    """What a reader gets of each step of the lab on the page."""
    page.add_style_tag(content=f"body {{ margin: 0 auto; width: {window.place}px }} h1, h2 {{ display: none }}")
    lab = page.locator("whyformer-lab")
    page.wait_for_timeout(50)  # the lab hears of its new width, and on a busy machine draws some frames later
    page.evaluate("async () => { for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame); }")
    found = []
    for step in range(1, len(LABS[lab.get_attribute("name")].steps) + 1):
        lab.evaluate("(lab, step) => lab.go(step)", step)
        found.append(Measured(*lab.evaluate(SIZES), lab.evaluate(TOUCHING)))
    return found


def main() -> None:
    """Print the height of every step of every lab in every window."""
    with TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium_path(play.chromium.executable_path), args=ARGUMENTS)
        print(f"{'':32}" + "".join(f"{name + ' <= ' + str(window.tallest):>22}" for name, window in WINDOWS.items()))
        for name, kind in LABS.items():
            if not kind.steps:
                continue
            site = write_page(Path(folder), kind().html())
            columns = []
            for window in WINDOWS.values():
                page = browser.new_page(viewport={"width": window.width, "height": window.height})
                page.goto(Path(site).as_uri() + window.query)
                page.wait_for_function(ALL_STARTED)
                columns.append([round(step.height) for step in measured(page, window)])
                page.close()
            for step, heights in enumerate(zip(*columns, strict=True), 1):
                print(f"{f'{name}:{step}':32}" + "".join(f"{height:22}" for height in heights))


if __name__ == "__main__":
    main()
