"""A real JupyterLab with a real kernel, and a notebook of labs in it. Loaded by conftest as a plugin."""

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
    "first, second = ScaleLab(d_k=64, n_keys=16), ScaleLab(d_k=64, n_keys=16)\n"
    "third, fourth = SaturationLab(), GapLab()\n"
    'options = [Option("this", "Yes.", right=True), Option("that", "No.")]\n'
    'asked = Predict("room/jupyter", "What?", options, lab=GapLab, step=3)\n'
    "from whyformer.lab.teach.exercise import Check\n"
    'check = Check(2, {"You doubled it.": 4})\n'
    'checked = check.field("Half of four")',
    "first",
    "first",
    "second",
    "third",
    "asked",
    "fourth",
    "checked",
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
        (folder / "notebooks").mkdir()
        bare = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        cells = [{**bare, "id": f"c{i}", "source": source} for i, source in enumerate(CELLS)]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        (folder / "notebooks/labs.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        own = {"HOME": folder, "IPYTHONDIR": folder / "ipython", "JUPYTER_RUNTIME_DIR": self.runtime}
        own |= {f"JUPYTER_{name}_DIR": folder / name.lower() for name in ("CONFIG", "DATA")}
        own |= {f"JUPYTERLAB_{name}_DIR": folder / name.lower() for name in ("SETTINGS", "WORKSPACES")}
        notifications = folder / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
        notifications.parent.mkdir(parents=True)
        notifications.write_text('{"fetchNews": "false", "checkForUpdates": false}', encoding="utf-8")
        options = [
            "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0",
            f"--ServerApp.port={self.base.rpartition(':')[2]}", f"--ServerApp.root_dir={folder / 'notebooks'}",
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
        self.run_all()
        self.pool = ThreadPoolExecutor(1)  # the client has an event loop of its own, and so has Playwright
        (connection,) = server.runtime.glob("kernel-*.json")
        self.client = BlockingKernelClient(connection_file=str(connection))
        self.pool.submit(self.connect).result(30)

    def run_all(self) -> None:
        self.command("notebook:run-all-cells")
        alive = "document.querySelectorAll('whyformer-lab[alive]').length === 5"
        self.page.wait_for_function(alive, timeout=60_000)

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


@pytest.fixture(scope="session")
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
