"""Chapters are executed side by side, into the cache, and one that fails does not stop another."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from jupyter_cache import get_cache
from jupyter_cache.executors import utils
from myst_nb.core.config import NbParserConfig
from myst_nb.core.read import create_nb_reader
from myst_parser.config.main import MdParserConfig
from nbformat import v4
from whyformer_book.site.execute import Ahead, executed

CHAPTER = """---
file_format: mystnb
kernelspec: {{name: python3}}
---

```{{code-cell}} python
import time
from pathlib import Path

Path("{folder}", "{own}").touch()
for _ in range(600):
    if Path("{folder}", "{other}").exists():
        break
    time.sleep(0.1)
assert Path("{folder}", "{other}").exists(), "nothing else is executed meanwhile"
```
"""


@pytest.mark.kernel
def test_two_chapters_that_wait_for_each_other_are_both_executed(tmp_path: Path) -> None:
    config = NbParserConfig(
        execution_mode="cache", execution_cache_path=str(tmp_path / "cache"), execution_in_temp=True
    )
    env = SimpleNamespace(
        doc2path=lambda docname: str(tmp_path / f"{docname}.md"), myst_config=MdParserConfig(), mystnb_config=config
    )
    for own, other in (("a", "b"), ("b", "a")):
        text = CHAPTER.format(folder=tmp_path, own=f"{own}.here", other=f"{other}.here")
        (tmp_path / f"{own}.md").write_text(text, encoding="utf-8")
    (tmp_path / "fails.md").write_text(
        CHAPTER.split("import time")[0].format() + "raise RuntimeError\n```\n", encoding="utf-8"
    )
    # The same to the cache, which would take away the first one's results while they are read, to write the second's.
    for bare in ("bare", "bare_too"):
        (tmp_path / f"{bare}.md").write_text(CHAPTER.split("```")[0].format() + "Words.\n", encoding="utf-8")
    ahead = Ahead()
    ahead.start(None, env, ["bare", "fails", "bare_too", "a", "b"])
    cached = {}
    for docname in ("bare", "bare_too", "a", "b", "fails"):
        ahead.wait(None, docname, [])
        path = env.doc2path(docname)
        text = Path(path).read_text(encoding="utf-8")
        reader = create_nb_reader(path, env.myst_config, config, text)
        try:
            get_cache(config.execution_cache_path).match_cache_notebook(reader.read(text))
            cached[docname] = True
        except KeyError:
            cached[docname] = False
    assert cached == {"bare": False, "bare_too": False, "a": True, "b": True, "fails": False}


SLOW = """import sys
from time import sleep

from IPython import get_ipython
from IPython.display import display

sys.stdout.flush_timeout = sys.stderr.flush_timeout = 0.1  # or the cell would not end before it has been heard
get_ipython().kernel.iopub_thread.schedule(lambda: sleep(6))
display("said")
"""


@pytest.mark.kernel
@pytest.mark.thorough
@pytest.mark.parametrize(("seconds", "said"), [(60, True), (1, False)])
def test_what_a_cell_printed_is_waited_for_or_the_notebook_fails(
    seconds: int, said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(utils, "executenb", partial(executed, seconds=seconds))
    notebook = v4.new_notebook(cells=[v4.new_code_cell(SLOW)])
    result = utils.single_nb_execution(notebook, cwd=str(tmp_path), timeout=120, allow_errors=False)
    assert bool(notebook.cells[0].outputs) == said == (result.err is None)


@pytest.mark.kernel
def test_kernels_of_two_builds_share_no_port() -> None:
    cell = v4.new_code_cell("import json, ipykernel; json.load(open(ipykernel.get_connection_file()))['transport']")
    notebook = executed(v4.new_notebook(cells=[cell]))
    assert notebook.cells[0].outputs[0].data["text/plain"] == "'ipc'"
