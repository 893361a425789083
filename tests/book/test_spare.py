"""The spare kernel: started when a chapter has changed, taken once, ended in any case."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from nbclient.exceptions import CellExecutionError
from nbformat import v4
from whyformer.book import spare
from whyformer.book.spare import Spare, changed, execute

WHO = "import os; print(os.getpid(), os.getcwd())"


def who(notebook) -> tuple[int, str]:
    number, folder = notebook.cells[0].outputs[0].text.split()
    return int(number), folder


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def run(one: Spare, cwd: Path) -> tuple[int, str]:
    return who(execute(one, v4.new_notebook(cells=[v4.new_code_cell(WHO)]), str(cwd), shutdown_kernel="immediate"))


def test_a_chapter_with_cells_that_is_newer_than_what_was_read_of_it_has_changed(tmp_path: Path) -> None:
    sources, doctrees = tmp_path / "book", tmp_path / "doctrees"
    for folder in (sources, doctrees):
        (folder / "chapters").mkdir(parents=True)
    for at, name in enumerate(("new", "old", "words", "unread")):
        file = sources / f"chapters/{name}.md"
        file.write_text("Words." if name == "words" else "```{code-cell} python\n1\n```\n")
        os.utime(file, (1000, 1000))
        if name != "unread":
            read = doctrees / f"chapters/{name}.doctree"
            read.touch()
            os.utime(read, (1000 + 10 * at, 1000 + 10 * at) if name == "old" else (990, 990))
    assert [file.stem for file in changed(sources, doctrees)] == ["new", "unread"]


@pytest.mark.kernel
def test_the_first_who_asks_has_it_and_both_kernels_end(tmp_path: Path) -> None:
    one = Spare()
    one.start()
    manager = one.starting.result()
    started = manager.provisioner.pid
    first, second = run(one, tmp_path), run(one, tmp_path)
    assert first == (started, one.folder.name)
    assert second[0] != started and second[1] == str(tmp_path)
    assert not is_alive(first[0]) and not is_alive(second[0])
    one.end()
    assert not Path(one.folder.name).exists()


@pytest.mark.kernel
def test_one_that_nobody_took_is_ended(tmp_path: Path) -> None:
    one = Spare()
    one.start()
    started = one.starting.result().provisioner.pid
    assert one.take("another kind") is None and is_alive(started)
    one.end()
    assert not is_alive(started) and not Path(one.folder.name).exists()
    one.end()


@pytest.mark.kernel
def test_a_cell_that_fails_in_it_fails_and_one_that_does_not_start_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Spare()
    one.start()
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        execute(one, v4.new_notebook(cells=[v4.new_code_cell("1 / 0")]), str(tmp_path), shutdown_kernel="immediate")
    one.end()
    monkeypatch.setattr(spare, "AsyncKernelManager", lambda **_: 1 / 0)
    one.start()
    assert run(one, tmp_path)[1] == str(tmp_path)
    one.end()
