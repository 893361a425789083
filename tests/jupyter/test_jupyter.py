"""Labs in a real JupyterLab with a real kernel: what a reader drags, Python has; what Python sets, the reader sees."""

from __future__ import annotations

import ast
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from browser import guard
from jupyter_client import BlockingKernelClient
from playwright.sync_api import Locator, Page

CELLS = [
    "from whyformer.lab import Option, Predict\n"
    "from whyformer.questions.softmax_saturation import GapLab, SaturationLab\n"
    "from whyformer.questions.why_sqrt_dk import ScaleLab\n"
    "first, second, third, fourth = ScaleLab(d_k=64), ScaleLab(d_k=64), SaturationLab(), GapLab()\n"
    'options = [Option("this", "Yes.", right=True), Option("that", "No.")]\n'
    'asked = Predict("room/jupyter", "What?", options, covers=[GapLab])',
    "first",
    "first",
    "second",
    "third",
    "asked",
    "fourth",
]
READY = """() => {
  const session = window.jupyterapp?.shell.currentWidget?.sessionContext;
  return session?.isReady && session.session?.kernel?.status === "idle";
}"""
FIRST, AGAIN, SECOND, THIRD, FOURTH = range(5)


def until(true: Callable[[], Any], what: str, seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds} s in vain: {what}"
        time.sleep(0.05)


class Server:
    """JupyterLab on a free loopback port, with nothing of the user's own configuration."""

    def __init__(self, folder: Path) -> None:
        self.token, self.runtime = secrets.token_hex(16), folder / "runtime"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.base = f"http://127.0.0.1:{free.getsockname()[1]}"
        (folder / "work").mkdir()
        bare = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        cells = [{**bare, "id": f"c{i}", "source": source} for i, source in enumerate(CELLS)]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        (folder / "work/labs.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        own = {"HOME": folder, "IPYTHONDIR": folder / "ipython", "JUPYTER_RUNTIME_DIR": self.runtime}
        own |= {f"JUPYTER_{name}_DIR": folder / name.lower() for name in ("CONFIG", "DATA")}
        own |= {f"JUPYTERLAB_{name}_DIR": folder / name.lower() for name in ("SETTINGS", "WORKSPACES")}
        notifications = folder / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
        notifications.parent.mkdir(parents=True)
        notifications.write_text('{"fetchNews": "false", "checkForUpdates": false}', encoding="utf-8")
        options = [
            "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0",
            f"--ServerApp.port={self.base.rpartition(':')[2]}", f"--ServerApp.root_dir={folder / 'work'}",
            f"--IdentityProvider.token={self.token}", "--LabApp.expose_app_in_browser=True",
            "--LabApp.extension_manager=readonly",
        ]  # fmt: skip
        self.log = (folder / "log").open("w+", encoding="utf-8")
        environment = os.environ | {name: str(value) for name, value in own.items()}
        self.process = subprocess.Popen([sys.executable, "-m", "jupyterlab", *options], env=environment,
                                        stdout=self.log, stderr=subprocess.STDOUT)  # fmt: skip
        until(self.answers, "JupyterLab to start", 60)

    def answers(self) -> bool:
        if self.process.poll() is not None:
            self.log.seek(0)
            pytest.fail(f"JupyterLab did not start (pip install -r requirements.txt):\n{self.log.read()[-3000:]}")
        try:
            with urlopen(Request(f"{self.base}/api", headers={"Authorization": f"token {self.token}"}), timeout=5):
                return True
        except OSError:
            return False

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()


class Notebook:
    """The notebook in the browser, and a second line to its kernel."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.command("notebook:run-all-cells")
        page.wait_for_function("document.querySelectorAll('whyformer-lab[alive]').length === 5", timeout=60_000)
        self.pool = ThreadPoolExecutor(1)  # the client has an event loop of its own, and so has Playwright
        (connection,) = server.runtime.glob("kernel-*.json")
        self.client = BlockingKernelClient(connection_file=str(connection))
        self.pool.submit(self.connect).result(30)

    def connect(self) -> None:
        self.client.load_connection_file()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=30)

    def command(self, name: str, arguments: dict | None = None) -> None:
        self.page.evaluate("([name, a]) => { jupyterapp.commands.execute(name, a ?? {}) }", [name, arguments])

    def run(self, code: str, expression: str = "None") -> tuple[str, Any]:
        """Run ``code`` in the kernel; gives the name of the error, if any, and the value of ``expression``."""
        reply = self.pool.submit(
            self.client.execute_interactive, code, store_history=False, output_hook=lambda _: None, timeout=30,
            user_expressions={"value": f"__import__('json').dumps({expression})"},
        ).result(40)["content"]  # fmt: skip
        if reply["status"] == "error":
            return reply["ename"], None
        return "", json.loads(ast.literal_eval(reply["user_expressions"]["value"]["data"]["text/plain"]))

    def ask(self, expression: str) -> Any:
        return self.run("", expression)[1]

    def lab(self, i: int) -> Locator:
        return self.page.locator("whyformer-lab").nth(i)

    def look(self, i: int) -> dict:
        return self.lab(i).evaluate(
            "(lab) => ({state: lab.state, words: lab.description, picture: [...lab.querySelectorAll('.wf-panel')]"
            ".map((panel) => panel.outerHTML).join() + [...lab.querySelectorAll('canvas')].map((c) => c.toDataURL())})"
        )

    def settle(self, name: str, *views: int) -> dict:
        """Wait until Python and all views of the lab agree, and stay so for ten looks."""
        calm = 0

        def agree() -> bool:
            nonlocal calm
            calm = calm + 1 if all(self.look(i)["state"] == self.ask(f"{name}.state") for i in views) else 0
            return calm >= 10

        until(agree, f"{name} in Python and its views to agree")
        return self.ask(f"{name}.state")


@pytest.fixture(scope="module")
def notebook(chromium, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("jupyter"))
    trouble: list[str] = []
    context = chromium.new_context(viewport={"width": 1300, "height": 900})
    guard(context, trouble)
    page = context.new_page()
    try:
        page.goto(f"{server.base}/lab/tree/labs.ipynb?token={server.token}")
        page.wait_for_function(READY, timeout=60_000)
        book = Notebook(page, server)
        book.trouble = trouble
        yield book
        book.pool.submit(book.client.stop_channels).result(10)
        book.pool.shutdown()
    finally:
        context.close()
        server.stop()


@pytest.fixture(autouse=True)
def fresh(notebook):
    """Each test starts from the same states; a test fails that makes the page complain."""
    notebook.run("first.d_k = second.d_k = 64; first.seed = second.seed = 3; third.logits = [8, 0, 1, -1, 0]")
    notebook.settle("first", FIRST)
    yield
    ours = [trouble for trouble in notebook.trouble if "/static/lab/" not in trouble]  # JupyterLab's own scripts
    assert not ours, "\n".join(ours[:5])


def test_labs_appear_as_live_widgets(notebook):
    assert notebook.page.locator(".jp-OutputArea-output whyformer-lab[alive]").count() == 5
    assert notebook.page.locator(".jp-OutputArea-output .wf-fallback").count() == 0
    assert notebook.page.locator(".jp-OutputArea-output whyformer-predict[alive]").count() == 1
    for i in range(5):
        assert notebook.lab(i).locator("svg").count() > 1
        assert notebook.lab(i).locator(".wf-live").evaluate("(live) => live.scrollWidth <= live.clientWidth")


def drag(notebook: Notebook, slider: Locator, share: float) -> None:
    slider.scroll_into_view_if_needed()
    box, mouse = slider.bounding_box(), notebook.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=25)
    mouse.up()


@pytest.mark.parametrize(("share", "wanted"), [(1.1, 4096), (-0.1, 1), (0.75, None)])
def test_a_drag_reaches_python_and_the_other_view(share, wanted, notebook):
    before = notebook.look(AGAIN)
    drag(notebook, notebook.lab(FIRST).locator("[name=d_k]"), share)
    state = notebook.settle("first", FIRST, AGAIN)
    assert state["d_k"] == wanted or wanted is None and 64 < state["d_k"] < 4096
    assert notebook.look(AGAIN)["picture"] != before["picture"]
    assert notebook.ask("second.d_k") == 64 == notebook.look(SECOND)["state"]["d_k"]
    shown = notebook.lab(FIRST).evaluate("(lab) => [lab.series.largest_scaled, ...lab.series.drawn]")
    assert notebook.ask("[first.series['largest_scaled'], *first.series['drawn']]") == pytest.approx(shown, rel=1e-9)
    assert notebook.ask("first.description") == notebook.look(FIRST)["words"] == notebook.look(AGAIN)["words"]


def test_keys_reach_python_and_not_the_notebook(notebook):
    """JupyterLab has shortcuts for single keys; in a lab they must not move, change or delete cells."""
    cells = "[...document.querySelectorAll('.jp-Notebook .jp-Cell')].map((cell) => cell.className.split(' ')[3])"
    before = notebook.page.evaluate(cells)
    slider = notebook.lab(FIRST).locator("[name=d_k]")
    slider.focus()
    for key, wanted in (("End", 4096), ("ArrowDown", 3968), ("ArrowUp", 4096), ("Home", 1), ("ArrowRight", 2)):
        notebook.page.keyboard.press(key)
        until(lambda wanted=wanted: notebook.ask("first.d_k") == wanted, f"d_k = {wanted} after {key}")
    seed = notebook.lab(FIRST).locator("[name=seed]")
    seed.click(click_count=3)
    notebook.page.keyboard.type("128", delay=10)
    until(lambda: notebook.ask("first.seed") == 128, "the seed typed")
    assert notebook.page.evaluate(cells) == before
    assert slider.count() == 1 and notebook.settle("first", FIRST, AGAIN)["d_k"] == 2


def test_a_trait_set_in_python_changes_the_pictures_of_that_lab(notebook):
    before = [notebook.look(i) for i in range(4)]
    notebook.run("first.d_k = 2048; first.n_keys = 5; first.quantity = 'gradient_q'")
    state = notebook.settle("first", FIRST, AGAIN)
    assert (state["d_k"], state["n_keys"], state["quantity"]) == (2048, 5, "gradient_q")
    after = [notebook.look(i) for i in range(4)]
    assert [a["picture"] != b["picture"] for a, b in zip(after, before, strict=True)] == [True, True, False, False]
    notebook.run("for d in range(1, 33): first.d_k = d")
    assert notebook.settle("first", FIRST, AGAIN)["d_k"] == 32
    notebook.run("first.n_keys = 16; first.quantity = 'largest_entry'")


def test_vectors_go_both_ways(notebook):
    handle = notebook.lab(THIRD).locator(".wf-handle").nth(1)
    handle.focus()
    notebook.page.keyboard.press("End")
    until(lambda: notebook.ask("third.logits") == [8, 10, 1, -1, 0], "the second logit to reach Python")
    notebook.lab(THIRD).get_by_role("button", name="Add a logit").click()
    until(lambda: len(notebook.ask("third.logits")) == 6, "six logits")
    notebook.run("third.logits = [1, 2, 3]")
    assert notebook.settle("third", THIRD)["logits"] == [1, 2, 3]
    assert handle.count() == 1 and notebook.lab(THIRD).locator(".wf-handle").count() == 3


def test_a_bad_value_raises_and_leaves_the_picture(notebook):
    before = notebook.look(FIRST)
    for bad in ("first.d_k = 0", "first.d_k = '8'", "first.divisor = 'x'", "third.logits = [1]", "ScaleLab(n_keys=1)"):
        assert notebook.run(bad)[0] == "TraitError", bad
    assert notebook.run("ScaleLab(dk=1)")[0] == "TypeError"
    assert notebook.settle("first", FIRST, AGAIN) == before["state"] and notebook.look(FIRST) == before


def test_copied_code_makes_the_same_lab(notebook):
    notebook.run("first.d_k = 96; first.related = 'all'; first.rho = 0.35")
    state = notebook.settle("first", FIRST)
    notebook.lab(FIRST).get_by_role("button", name="Copy code").click()
    code = notebook.lab(FIRST).locator(".wf-notes p").inner_text().partition(": ")[2]
    assert code.startswith("ScaleLab(") and notebook.ask(f"{code}.state") == state
    notebook.run("first.related = 'one'; first.rho = 0.0")


def test_a_prediction_reaches_python_and_covers_its_lab(notebook):
    question, lab = notebook.page.locator("whyformer-predict"), notebook.lab(FOURTH)
    covered = "(lab) => lab.hasAttribute('covered')"
    was_covered = lab.evaluate(covered)
    assert notebook.ask("asked.answer") == -1
    question.locator("label").nth(1).click()
    until(lambda: notebook.ask("asked.answer") == 1, "the answer in Python")
    assert "No." in question.inner_text() and not lab.evaluate(covered)
    notebook.run("asked.answer = 0")
    until(lambda: "Yes." in question.inner_text(), "an answer set in Python to be shown")
    assert was_covered, "the lab below was open before the answer"


def test_labs_follow_the_theme(notebook):
    paper = "getComputedStyle(document.querySelector('.wf-live')).backgroundColor"
    light = notebook.page.evaluate(paper)
    notebook.command("apputils:change-theme", {"theme": "JupyterLab Dark"})
    notebook.page.wait_for_function(f"{paper} !== '{light}'")
    notebook.command("apputils:change-theme", {"theme": "JupyterLab Light"})
    notebook.page.wait_for_function(f"{paper} === '{light}'")


def test_a_cleared_output_is_gone_and_hears_nothing(notebook):
    """The last test: it takes the views away, one by one."""
    page = notebook.page
    removed = notebook.lab(AGAIN).element_handle()
    page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex = 2")
    notebook.command("notebook:clear-cell-output")
    page.wait_for_function("document.querySelectorAll('whyformer-lab').length === 4")
    notebook.run("first.d_k = 256")
    assert notebook.settle("first", FIRST)["d_k"] == 256
    assert removed.evaluate("(lab) => [lab.isConnected, lab.state.d_k]") == [False, 64]
    removed.evaluate("(lab) => { lab.dispatchEvent(new CustomEvent('whyformer:change')) }")
    assert notebook.settle("first", FIRST)["d_k"] == 256
    notebook.run("second.close()")
    page.wait_for_function("document.querySelectorAll('whyformer-lab').length === 3")
    notebook.run("first.d_k = 4; second.d_k = 4")
    assert notebook.settle("first", FIRST)["d_k"] == 4
    notebook.command("notebook:clear-all-cell-outputs")
    page.wait_for_function("document.querySelectorAll('whyformer-lab, whyformer-predict').length === 0")
    notebook.run("first.d_k = 8; third.logits = [0, 0]")
    assert notebook.ask("[first.d_k, len(first.series['drawn'])]") == [8, 3]
