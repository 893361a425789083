"""The students' edition holds no solution, wherever one looks; in the instructors' edition all of them are open."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from book_cases import ROOT
from whyformer_book import myst
from whyformer_book.notebooks.archive import build_wheel
from whyformer_book.notebooks.labels import pages
from whyformer_book.teach.edition import copy, for_instructors, for_students, solutions, without_links

FILES = pages(ROOT, ROOT / "_toc.yml")
TEXTS = {page: file.read_text(encoding="utf-8") for page, file in FILES.items()}
PAGE = """# Title

```{exercise}
:label: ex-one

What is 6 times 7?
```

```{solution} ex-one
:class: dropdown

It is forty-two.
```

Text after it.

```{code-cell} python
kept = 1
```
"""


def parts(text: str) -> Iterator[str]:
    """What a solution says, in pieces without formulas and markup, as they would stand on any page, lower case."""
    for piece in re.split(r"\$[^$]*\$|`[^`]*`|\{[^}]*\}|\[|\]\([^)]*\)|[*_]|[.:;?!]\s|\n", text):
        plain = " ".join(piece.split()).strip(" ,.").lower()
        if len(plain) > 30:
            yield plain


def said() -> list[str]:
    """What the solutions of the whole book say, and no other text of the book nor the package does."""
    package = [file.read_text(encoding="utf-8") for file in (ROOT / "code/whyformer").rglob("*.py")]
    elsewhere = " ".join(" ".join(text.split()) for text in (*map(for_students, TEXTS.values()), *package)).lower()
    found = []
    for text in TEXTS.values():
        lines = text.split("\n")
        for solution in solutions(text):
            said = parts("\n".join(lines[solution.start + 2 : solution.stop - 1]))
            found += [part for part in said if part not in elsewhere]
    return found


def test_a_solution_goes_and_nothing_else_does():
    made = for_students(PAGE)
    assert "forty-two" not in made and "solution" not in made
    assert "6 times 7" in made and "Text after it." in made and "kept = 1" in made
    assert made.count("\n") == PAGE.count("\n"), "lines have moved"
    assert made.split("\n").index("kept = 1") == PAGE.split("\n").index("kept = 1")


def test_a_lesson_goes_too():
    page = f"{PAGE}\n```{{lesson}} 5\nmoments: [ask]\n```\n\nThe end.\n\n```{{lesson-plans}}\n```\n"
    made = for_students(page)
    assert "ask" not in made and "lesson" not in made and "The end." in made
    assert made.split("\n").index("The end.") == page.split("\n").index("The end.")
    assert "```{lesson} 5\n:open:\nmoments: [ask]" in for_instructors(page)


def test_a_solution_is_open_for_instructors():
    assert for_instructors(PAGE) == PAGE.replace(":class: dropdown", ":class: dropdown open")
    with pytest.raises(ValueError, match="line 9: a solution has to say"):
        for_instructors(PAGE.replace(":class: dropdown\n", ""))


@pytest.mark.parametrize(
    "text",
    [
        "::::{note}\n```{solution} ex-one\n:class: dropdown\n\nHidden inside.\n```\n::::",
        "```{solution-start} ex-one\n:class: dropdown\n```\nHidden between.\n```{solution-end}\n```",
    ],
)
def test_a_solution_that_would_stay_is_refused(text):
    for edition in (for_students, for_instructors):
        with pytest.raises(ValueError, match="solution"):
            edition(text)


def test_only_what_changed_is_written_and_an_unknown_edition_refused(tmp_path):
    with pytest.raises(ValueError, match="choose one of student, instructor"):
        copy(ROOT, tmp_path, "teacher")
    copy(ROOT, tmp_path, "student")
    times = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.md")}
    assert len(times) == len(FILES) - 1
    left, made = tmp_path / "chapters/left.md", tmp_path / "_build/html/chapters/left.html"
    made.parent.mkdir(parents=True)
    for file in (left, made):
        file.write_text("# From an earlier book")
    copy(ROOT, tmp_path, "student")
    assert not made.exists()
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.md")} == times


def test_students_have_no_page_of_plans_and_no_way_there(tmp_path):
    copy(ROOT, tmp_path, "student")
    assert not (tmp_path / "chapters/teaching.md").exists()
    assert pages(tmp_path, tmp_path / "_toc.yml").keys() == FILES.keys() - {"teaching"}
    assert not [file.name for file in tmp_path.rglob("*.md") if "teaching.md" in file.read_text(encoding="utf-8")]
    intro = (tmp_path / "chapters/intro.md").read_text(encoding="utf-8")
    assert "**Run.**" in intro and "**Teach.**" not in intro and "how to cite the book" in intro
    assert intro.count("\n") == TEXTS["intro"].count("\n"), "lines have moved"
    copy(ROOT, tmp_path / "open", "instructor")
    assert (tmp_path / "open/chapters/teaching.md").is_file()
    text = "Stays.\n\nSee [plans](plans.md#day)\nand more.\n\nStays [too](plan.md)."
    assert without_links(text, ["plans"]) == "Stays.\n\n\n\n\nStays [too](plan.md)."


@pytest.mark.parametrize("page", FILES)
def test_each_page_has_both_editions(page):
    text = TEXTS[page]
    student = for_students(text)
    assert not list(solutions(student)) and "{solution}" not in student
    assert [token.content for token in myst.parse(student) if token.type == "myst_target"] == [
        token.content for token in myst.parse(text) if token.type == "myst_target"
    ]
    assert (
        for_instructors(text).count(":class: dropdown open") == len(list(solutions(text))) == text.count("{solution}")
    )


def test_what_is_searched_for_below_is_long_enough_to_find():
    assert len(said()) > 2 * sum(text.count("{solution}") for text in TEXTS.values()) > 80


def contents(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file below a folder by name, as text on one line, archives and the wheels in them unpacked."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield from unpacked(file.relative_to(folder).as_posix(), file.read_bytes())


def unpacked(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    if zipfile.is_zipfile(BytesIO(data)):
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for inside in archive.namelist():
                yield from unpacked(f"{name}/{inside}", archive.read(inside))
        return
    text = data.decode("utf-8", errors="ignore")
    if name.endswith(".ipynb"):
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    elif name.endswith(".html"):
        text = re.sub(r"<[^>]*>", "", text)
    yield name, " ".join(text.replace("’", "'").split()).lower()


@pytest.mark.thorough
@pytest.mark.kernel
def test_no_file_of_the_students_edition_holds_a_solution_and_the_book_does(book_html):
    command = [sys.executable, "-m", "whyformer_book.teach.edition", "student", "-W", "-n", "--keep-going"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    folder, wanted = ROOT / "_build/student", [part.replace("’", "'") for part in said()]
    found = {f"{part!r} in {name}" for name, text in contents(folder) for part in wanted if part in text}
    assert not found, "\n".join(sorted(found)[:12])
    assert not [name for name, _ in contents(folder / "_build/html") if "teaching." in name]
    whole = " ".join(text for _, text in contents(book_html))
    assert sum(part in whole for part in wanted) > 0.8 * len(wanted), "the search does not find what is there"
    index = {"student": folder / "_build/html/search-pages.js", "whole": book_html / "search-pages.js"}
    sizes = {name: len(file.read_text(encoding="utf-8")) for name, file in index.items()}
    assert sizes["student"] < sizes["whole"]


def test_the_students_package_has_no_checks_of_answers(tmp_path: Path) -> None:
    for answers in (True, False):
        folder = tmp_path / str(answers)
        build_wheel(folder, answers)
        (wheel,) = folder.iterdir()
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        assert any(name.endswith("/checks.py") for name in names)
        assert any(name.endswith("/answers.py") for name in names) == answers
