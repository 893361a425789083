"""Bad input fails the build and is named with file and line; a small book of one chapter is built for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

GOOD = """# Small

Half of it, says {eq}`half`, as does {cite:t}`vaswani2017attention`.

$$
x = \\tfrac12
$$ (half)

```{code-cell} python
print(1 / 2)
```

```{bibliography}
```
"""

# What is wrong, and what the message must say. All in one chapter, so that one build shows all.
FAULTS = {
    "```{code-cell} python\nprint('before')\nraise RuntimeError('by intention')\n```": "RuntimeError: by intention",
    "A broken reference: {ref}`nowhere`.": "nowhere",
    "A page that is not there: [page](missing.md).": "missing.md",
    "A missing citation: {cite:t}`nobody1900nothing`.": "nobody1900nothing",
    '<whyformer-lab name="no_room/no_lab"></whyformer-lab>': "no lab named 'no_room/no_lab'",
    "```{workbench} diviser\n```": "no experiment named 'diviser'; there are divisor, ",
    "A state that is not allowed: {lab}`x <why_sqrt_dk/scale?d_k=5000>`.": "got '5000'",
    "A control that is not there: {lab}`x <why_sqrt_dk/scale?dk=8>`.": "no control 'dk'",
    "A number without a check: 0.123.": "0.123",
    "A share without a check: 60.7\N{NO-BREAK SPACE}%.": "60.7",
    "A report without its source: {cited}`79.36`.": "79.36 is marked as cited",
    "An unfinished formula: $\\frac{1}{2$.": "KaTeX parse error",
    "$$\nx = \\nosuchcommand\n$$": "nosuchcommand",
    "An equation that is not there: {eq}`nothing`.": "nothing",
    "```{nosuchdirective}\n```": "nosuchdirective",
}


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.fixture
def chapter(tmp_path: Path) -> Path:
    return tmp_path / "chapters" / "small.md"


def test_faults_are_named_with_file_and_line(small_book: Callable, chapter: Path) -> None:
    built = small_book(GOOD + "\n\n" + "\n\n".join(FAULTS) + "\n")
    assert built.returncode != 0
    text = chapter.read_text(encoding="utf-8")
    for fault, message in FAULTS.items():
        said = [line for line in built.stdout.splitlines() if "WARNING" in line and message in line]
        first, last = line_of(text, fault), line_of(text, fault) + fault.count("\n")
        lines = [int(n) for line in said for n in re.findall(rf"{re.escape(str(chapter))}:(\d+):", line)]
        assert any(first <= line <= last for line in lines), (fault, said)


MARKED = """# Small

[Three logits of $1000$ give 2 equal weights.]{check=three_large_logits}

[Nothing.] {check=three_large_logits} Said by {cite:t}`britz2017massive`.
"""


def test_a_mark_that_is_wrong_is_named_with_file_and_line(small_book: Callable, tmp_path: Path) -> None:
    """In a chapter whose checks stand with a question."""
    built = small_book(MARKED, name="softmax_saturation")
    file = tmp_path / "chapters/softmax_saturation.md"
    for part, message in (
        ("[Three", "no check of this mark returns the number 2"),
        ("[Nothing", "a mark is written"),
        ("[Nothing", "sources.toml does not say where it was read"),
        ("---", "no mark names the check zeros_do_not_count"),
    ):
        line = line_of(file.read_text(encoding="utf-8"), part)
        assert re.search(rf"{re.escape(str(file))}:{line}: WARNING: .*{message}", built.stdout), message
    assert built.returncode != 0


@pytest.mark.thorough
def test_a_good_chapter_passes_and_any_single_fault_fails(small_book: Callable, tmp_path: Path) -> None:
    """The same fault fails a second time too, although nothing has changed since; mended, the book passes."""
    built = small_book(GOOD)
    assert built.returncode == 0, built.stdout[-3000:]
    assert (tmp_path / "_build/html/notebooks/small.ipynb").is_file()
    for _ in range(2):
        built = small_book(GOOD + "\nAn unfinished formula: $\\frac{1}{2$.\n")
        assert built.returncode != 0 and "KaTeX parse error" in built.stdout
    built = small_book(GOOD)
    assert built.returncode == 0, built.stdout[-3000:]


def test_launch_buttons_appear_with_the_address_of_the_repository(small_book: Callable, tmp_path: Path) -> None:
    def edit(config: str) -> str:
        assert 'url: ""' in config
        hub = "    whyformer_launch: {jupyterhub_url: 'https://hub.example.edu/'}\n"
        config = config.replace('url: ""', "url: https://github.com/someone/whyformer.git")
        return config.replace("    whyformer_macros:", hub + "    whyformer_macros:")

    built = small_book(GOOD, edit)
    assert built.returncode == 0, built.stdout[-3000:]
    page = (tmp_path / "_build/html/chapters/small.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(https://[^"]+)"', page)
    binder = "https://mybinder.org/v2/gh/someone/whyformer/main?urlpath=lab%2Ftree%2F_build%2Fnotebooks%2F"
    assert f"{binder}small.ipynb" in links
    published = "someone/whyformer/blob/gh-pages/notebooks/small.ipynb"
    assert f"https://colab.research.google.com/github/{published}" in links
    hub = [link for link in links if link.startswith("https://hub.example.edu/hub/user-redirect/git-pull?")]
    assert len(hub) == 1 and "branch=gh-pages" in hub[0]
    notebook = (tmp_path / "_build/html/notebooks/small.ipynb").read_text(encoding="utf-8")
    assert '%pip install -q \\"whyformer[pictures] @ git+https://github.com/someone/whyformer\\"' in notebook


def test_changing_the_package_makes_old_results_worthless() -> None:
    from whyformer.lab import theme
    from whyformer_book.paths import fingerprint
    from whyformer_book.site.cache import cell_files

    files = cell_files()
    names = {file.name for file in files}
    assert {"palette.json", "softmax.py", "scale_lab.py"} <= names
    assert not {"labs.js", "cache.py", "softmax.ts"} & names
    assert fingerprint(files) == fingerprint(files) != fingerprint(files[1:])
    assert fingerprint(files, ["numpy 1"]) != fingerprint(files, ["numpy 2"])
    assert any(str(file) == theme.__file__ for file in files)
