"""What tests of the workbench in a page share: short experiments, a page of them, what one presses and sees."""

from __future__ import annotations

import shutil
from pathlib import Path

from browser import write_page
from playwright.sync_api import Page
from whyformer.lab.lab import BUNDLE
from whyformer.workbench import EXPERIMENTS, Experiment
from whyformer_book.pages.workbench import END, html

SHORT = EXPERIMENTS["one_matrix"].change(steps=12, every=4, seeds=2, tested=20)
LONG = SHORT.change(steps=200_000, seeds=5)


def written(folder: Path, *experiments: Experiment, first: str = "") -> Path:
    """A page of these experiments; ``first`` is a script that runs before all."""
    style = '<link rel="stylesheet" href="workbench.css"><script defer src="workbench.js"></script>'
    for name in ("workbench.js", "workbench.css"):
        shutil.copyfile(BUNDLE / "pages" / name, folder / name)
    return write_page(folder, f"<script>{first}</script>" + style + "".join(html(one) + END for one in experiments))


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def wait_until_trained(page: Page) -> None:
    page.wait_for_function("document.querySelector('.wf-bench-train').textContent === 'Train again'")


def table(page: Page) -> list[list[str]]:
    return page.evaluate("() => [...document.querySelectorAll('.wf-bench-table tbody tr')].map((r) => [...r.cells].map("
                         "(c) => c.textContent.trim()))")  # fmt: skip


def lines(page: Page, look: str) -> int:
    return page.locator(f"[data-panel=accuracy] path.wf-curve.wf-{look}").count()
