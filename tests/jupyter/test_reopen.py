"""A notebook is put away and taken out again: labs are alive without running, exports hold their pictures, and a
prediction is the same in the page and in Python."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from book_cases import ROOT
from browser import guard
from jupyter_cases import READY, Notebook, Server, until
from whyformer.lab import Lab
from whyformer.questions.softmax_saturation import GapLab, SaturationLab
from whyformer.questions.why_sqrt_dk import ScaleLab

#: What JupyterLab's widget manager shows, and writes to the console, when the kernel took over two seconds to say which
#: widgets it has: it looks for models before it has read them from the notebook (ipywidgets' pull request 2570 is about
#: the same race). The page, opened again, finds the kernel running.
LOST, LOST_TOO = "Error displaying widget", "console: Error: widget model not found"
ALIVE = "document.querySelectorAll('whyformer-lab[alive]').length === 5"
#: The words of pictures that are seen.
PICTURES = """() => [...document.images].filter((image) =>
  image.src.startsWith("data:image/svg+xml") && image.naturalWidth > 300 && image.checkVisibility())
  .map((image) => image.alt)"""


def said_of(lab: Lab) -> str:
    """The words of the picture that a notebook keeps of a lab: of a step that asks, what it asks and tells."""
    return html.unescape(re.search('alt="([^"]*)"', lab._repr_mimebundle_()[0]["text/html"])[1])


#: What is said of the labs of the notebook, as they are when they are shown.
SAID = [said_of(lab) for lab in (*[ScaleLab(d_k=64, n_keys=16)] * 3, SaturationLab(), GapLab())]


@pytest.fixture(scope="module")
def settings() -> str:
    """Where the command of ``make lab`` finds the settings that the book adds."""
    command = subprocess.run(["make", "-n", "lab"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = re.search(r'JUPYTER_CONFIG_PATH="([^"$]+)', command)
    assert found and Path(found[1]).is_dir(), f"make lab adds no settings: {command}"
    return found[1]


@pytest.fixture
def start(chromium, tmp_path, monkeypatch):
    """Start a server with a folder of its own, and open its notebook in a new browser window."""
    servers, contexts, trouble = [], [], []

    def one(name: str, notebook: bytes | None = None, script: str = ""):
        (tmp_path / name).mkdir(exist_ok=True)
        servers.append(Server(tmp_path / name))
        if notebook:
            (tmp_path / name / "notebooks/labs.ipynb").write_bytes(notebook)
        contexts.append(chromium.new_context(viewport={"width": 1300, "height": 900}))
        guard(contexts[-1], trouble)
        page = contexts[-1].new_page()
        page.add_init_script(script)
        page.goto(f"{servers[-1].base}/lab/tree/labs.ipynb?token={servers[-1].token}")
        page.wait_for_function(READY, timeout=60_000)
        return page, servers[-1]

    yield one
    for context in contexts:
        context.close()
    for server in servers:
        server.stop()
    own = ("/static/lab/", LOST_TOO)  # JupyterLab's own scripts
    ours = [one for one in trouble if not any(it in one for it in own)]
    assert not ours, "\n".join(ours[:5])


def shows_its_pictures(chromium, address: str, words: list[str]) -> None:
    """Exported HTML shows its pictures offline. It asks for scripts from elsewhere, and does not need them."""
    context = chromium.new_context()
    guard(context, [])
    page = context.new_page()
    page.goto(address)
    page.wait_for_function("[...document.images].every((image) => image.complete)")
    assert page.evaluate(PICTURES) == words
    context.close()


def wait_alive(page, loads: int = 3) -> None:
    """Wait for the labs of a saved notebook; what a slow kernel has lost comes back when the page is loaded again."""
    for _ in range(loads - 1):
        page.wait_for_function(f"{ALIVE} || document.body.innerText.includes('{LOST}')", timeout=60_000)
        if page.get_by_text(LOST).count():
            page.reload()
    page.wait_for_function(ALIVE, timeout=60_000)


def test_a_notebook_of_make_lab_is_alive_when_reopened_and_exports_its_pictures(
    start, settings, chromium, tmp_path, monkeypatch
):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", settings)
    page, server = start("before")
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(ALIVE, timeout=60_000)
    assert page.get_by_text(LOST).count() == 0
    page.evaluate("document.querySelector('whyformer-lab').set({d_k: 512})")
    page.locator("whyformer-predict label").nth(1).click()
    page.locator("whyformer-predict button[type=submit]").click()
    saved = tmp_path / "before/notebooks/labs.ipynb"

    def kept() -> bool:
        page.evaluate("jupyterapp.commands.execute('docmanager:save')")
        state = json.loads(saved.read_text())["metadata"].get("widgets", {"none": {"state": {}}})
        return any(one["state"].get("d_k") == 512 for kind in state.values() for one in kind["state"].values())

    until(kept, "the state of the labs to be in the saved file", 30)
    assert saved.read_text().count("var WhyformerLabs") == 1, "the bundle is there once for all labs"
    shows_its_pictures(chromium, f"{server.base}/nbconvert/html/labs.ipynb?token={server.token}", SAID)
    page.close()
    server.stop()

    shutil.copytree(tmp_path / "before/data", tmp_path / "after/data")  # it remembers which notebooks are the reader's
    again, _ = start("after", saved.read_bytes())
    wait_alive(again)
    assert again.evaluate("document.querySelector('whyformer-lab').state.d_k") == 512
    assert "No." in again.locator("whyformer-predict").text_content()
    assert again.get_by_text(LOST).count() == 0
    assert json.loads(saved.read_text())["cells"][1]["execution_count"] == 2
    assert again.locator(".jp-InputPrompt", has_text="[2]:").count() == 1, "it was run again"


def test_the_command_of_the_docs_exports_the_pictures(chromium, tmp_path):
    line = re.search(r"^jupyter nbconvert .*$", (ROOT / "docs/notebooks.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert line, "docs/notebooks.md has no command for HTML"
    *command, name = shlex.split(line[0], comments=True)
    imports = """from whyformer.questions.softmax_saturation import GapLab, SaturationLab
from whyformer.questions.multi_head.figures import ablation"""
    cells = [nbformat.v4.new_code_cell(code) for code in (imports, "GapLab()", "SaturationLab()", "ablation()")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / name)
    subprocess.run([sys.executable, "-m", *command, name], cwd=tmp_path, check=True)
    (made,) = tmp_path.glob("*.html")
    figure = "No description has been provided for this image"  # by nbconvert, which reads none of an SVG
    shows_its_pictures(chromium, made.as_uri(), [said_of(GapLab()), said_of(SaturationLab()), figure])


@pytest.mark.thorough  # three restarts
def test_a_remembered_answer_reaches_every_new_kernel(start):
    """The page remembers; a kernel that starts anew does not."""
    remembered = "localStorage.setItem('whyformer:predict:room/jupyter', '1')"
    page, server = start("jupyter", script=remembered)
    book = Notebook(page, server)
    question = page.locator("whyformer-predict")

    def agree(answer: int, words: str, when: str) -> None:
        until(lambda: not book.run(f"assert asked.answer == {answer}")[0], f"{answer} in Python {when}", 30)
        until(lambda: words in question.text_content(), f"“{words}” in the page {when}")

    def restart() -> None:
        question.evaluate("(old) => { old.id = 'old' }")
        book.command("notebook:restart-run-all")
        page.locator(".jp-Dialog .jp-mod-accept").click()
        page.locator("whyformer-predict:not(#old)").wait_for(state="attached", timeout=60_000)
        page.wait_for_function(READY, timeout=60_000)
        assert page.get_by_text(LOST).count() == 0
        book.pool.submit(book.client.wait_for_ready, 30).result(40)  # the second line to the kernel, after it is back

    agree(1, "No.", "after the first run")
    restart()
    agree(1, "No.", "after a restart")
    book.run("asked.answer = 0")
    agree(0, "Yes.", "when Python has set it")
    restart()
    agree(0, "Yes.", "after a restart, set by Python")
    question.get_by_role("button", name="Predict again").click()
    agree(-1, "Commit", "when asked again")
    restart()
    agree(-1, "Commit", "after a restart, without an answer")
    book.pool.submit(book.client.stop_channels).result(10)
    book.pool.shutdown()
