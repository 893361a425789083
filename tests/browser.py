"""A real Chromium for the tests, cut off from every network but this machine. Loaded by conftest as a plugin."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright
from whyformer.lab.lab import BUNDLE

#: The rules cut the browser off: for it there is no host but this machine, by name or by number.
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]  # fmt: skip
#: The headless shell opens pages in a third of the time: it has no window around them.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

TEMPLATE = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>Labs</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="type.css">
<link rel="stylesheet" href="labs.css"><script defer src="labs.js"></script>
<style>html {{ background: white; font-family: sans-serif }}
html[data-theme=dark] {{ background: #121212; color: white }}</style>
<script>{{
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {{ document.documentElement.dataset.theme = system.matches ? "dark" : "light"; }};
  system.onchange = follow;
  follow();
}}</script>
</head><body><main><h1>Labs</h1><h2 id="plain">An anchor</h2>
{body}
</main></body></html>"""


def chromium_path(own: str) -> str:
    """$CHROMIUM, else one on the PATH, else Playwright's ``own``; without any the tests fail and say what to do."""
    asked = os.environ.get("CHROMIUM")
    candidates = [shutil.which(asked) or asked] if asked else [*map(shutil.which, NAMES), own]
    for path in candidates:
        if path and Path(path).is_file():
            return path
    pytest.fail(
        f"No Chromium at CHROMIUM={asked!r}." if asked else
        "No Chromium found. Install one (Debian: apt-get install chromium-headless-shell; elsewhere: "
        "playwright install chromium), or set CHROMIUM to its path."
    )  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the whole run; every visit gets a context of its own."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium_path(play.chromium.executable_path), args=ARGUMENTS)
        yield browser
        browser.close()


def is_inside(url: str) -> bool:
    return url.startswith(("file://", "http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:"))


def guard(context: BrowserContext, trouble: list[str]) -> None:
    """Note in ``trouble`` what was asked for outside, which ``ARGUMENTS`` make fail, or went wrong inside."""

    def failed(request: Any) -> None:
        if not is_inside(request.url):
            trouble.append(f"asked for {request.url}")

    def said(message: Any) -> None:
        url = message.location.get("url", "")
        if message.type == "error" and not url.endswith("/favicon.ico"):  # a browser asks for that by itself
            trouble.append(f"console: {message.text} ({url})")

    context.on("requestfailed", failed)
    context.on("console", said)
    context.on("weberror", lambda error: trouble.append(f"error: {error.error.stack or error.error}"))


#: Labs of a page take turns to start: those in sight at once, the others from the reader's first move on. What the
#: theme does with a page comes last.
ALL_STARTED = """() => dispatchEvent(new Event('scroll')) && (!document.querySelector('script[src*="/later.js"]') ||
  document.documentElement.classList.contains('wf-settled')) && (!customElements.get('whyformer-lab') ||
  [...document.querySelectorAll('whyformer-lab')].every((lab) => lab.querySelector(':scope > .wf-live')))"""


def settle(page: Page) -> None:
    """Do what a reader would, and wait until all of a page that was opened by hand has started."""
    page.wait_for_function(ALL_STARTED)


def press(lab: Locator, name: str) -> None:
    """Press a button of a lab, once it has started, behind "More" if it is there."""
    lab.locator(".wf-live").first.wait_for(state="attached")
    more = lab.locator("details.wf-more:not([open]) > summary")
    if more.count():
        more.first.click()
    lab.get_by_role("button", name=name).first.click()


class Visits:
    """Opens pages, each in a context of its own, and notes in ``trouble`` what went wrong on any of them."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.trouble, self.contexts = browser, [], []

    def open(self, url: str, **options: Any) -> Page:
        """A page at ``url``; ``options`` are those of a browser context."""
        context = self.browser.new_context(**options)
        self.contexts.append(context)
        context.set_default_timeout(15_000)
        guard(context, self.trouble)
        page = context.new_page()
        page.goto(url)
        if options.get("java_script_enabled", True):
            settle(page)
        return page

    def close(self) -> None:
        for context in self.contexts:
            context.close()

    def check(self) -> None:
        """Fail if there was trouble since the last check."""
        found = self.trouble[:8]
        self.trouble.clear()
        assert not found, "\n".join(found)


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """``visit(url, **options of a browser context)`` opens a page. The test fails if any page had trouble."""
    visits = Visits(chromium)
    yield visits.open
    visits.close()
    visits.check()


@pytest.fixture(scope="module")
def visits(chromium: Browser) -> Iterator[Visits]:
    """For a module whose tests share pages: each test calls ``visits.check()`` when it is done with one."""
    shared = Visits(chromium)
    yield shared
    shared.close()
    shared.check()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The folder over http on a free loopback port; gives the address, without a slash at its end."""
    poll = 0.02  # seconds between two looks whether to stop
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, args=[poll], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def write_page(folder: Path, body: str, bundle: Path = BUNDLE, name: str = "index.html") -> Path:
    """A page with ``body`` and the front end beside it, as a static site holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("labs.js", "labs.css", "type.css"):
        shutil.copyfile(bundle / file, folder / file)
    (folder / name).write_text(TEMPLATE.format(body=body), encoding="utf-8")
    return folder / name


@pytest.fixture(scope="session")
def lab_html(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> dict[str, str]:
    """The HTML of every lab in its default state, by name; drawn once in a run, by the worker that needs it first."""
    folder = tmp_path_factory.getbasetemp()
    file = (folder if worker_id == "master" else folder.parent) / "labs.json"
    with FileLock(file.with_suffix(".lock")):
        if not file.is_file():
            from whyformer.lab.discover import lab_classes

            file.write_text(json.dumps({name: lab().html() for name, lab in lab_classes().items()}), encoding="utf-8")
        return json.loads(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def lab_pages(lab_html: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The address of a page of its own for each lab, by name; small, so that a case costs little."""
    folder = tmp_path_factory.mktemp("lab")
    names = {name: name.replace("/", "-") + ".html" for name in lab_html}
    return {name: write_page(folder, html, name=names[name]).as_uri() for name, html in lab_html.items()}


@pytest.fixture(scope="session")
def labs_site(lab_html: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``index.html``, a page of all labs, and the front end."""
    return write_page(tmp_path_factory.mktemp("labs"), "\n".join(lab_html.values())).parent
