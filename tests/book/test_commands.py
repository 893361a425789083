"""The commands of the Makefile: each is one whatever files there are, the README names it, and it does no more."""

from __future__ import annotations

import os
import re
import subprocess

from book_cases import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)


def make(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """``make``, with the environment as it is."""
    command = ["make", "-o", ".venv/.book", *words]
    given = os.environ | variables
    return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=60, check=False)


def test_every_command_is_phony_and_in_the_readme() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert phony and len(COMMANDS) >= 17
    assert set(COMMANDS) - set(phony[1].split()) == set()
    rest = re.search(r"^`make` alone lists the rest: (.*)", readme, re.MULTILINE)
    assert rest
    told = {*re.findall(r"^\| `make ([a-z-]+)`", readme, re.MULTILINE), *re.findall(r"`([a-z-]+)`", rest[1])}
    assert set(COMMANDS) - told == {"help"}


def test_a_chapter_without_a_name_is_asked_for() -> None:
    for name in ([], ["NAME=no_such_chapter"]):
        said = make("-s", "chapter", *name)
        assert said.returncode and "make chapter NAME=why_sqrt_dk" in said.stdout and "Traceback" not in said.stderr


def test_a_room_gets_the_students_edition_unless_asked_otherwise_and_its_teacher_the_whole_book() -> None:
    build = "test -f _build/{0}/_build/html/index.html || .venv/bin/python -m whyformer_book.teach.edition {0}"
    for given, edition in (([], "student"), (["EDITION=student"], "student"), (["EDITION=instructor"], "instructor")):
        made = make("-n", "class", *given)
        assert not made.returncode and "test -f _build/html/index.html || .venv/bin/jupyter-book" in made.stdout
        assert build.format(edition) in made.stdout
        served = rf"classroom _build/{edition}/_build/html --teacher _build/html *$"
        assert re.search(served, made.stdout, re.MULTILINE)
    whole = make("-n", "class", "EDITION=whole", "CLASS=--new").stdout
    assert re.search(r"classroom _build/html --teacher _build/html --new$", whole, re.MULTILINE)


def test_handouts_need_no_test_bench() -> None:
    """Neither PyTorch nor a model is installed to print them."""
    made = make("-n", "-W", "requirements-test.txt", "-W", "requirements-model.txt", "paper")
    assert not made.returncode and "whyformer_book.teach.paper" in made.stdout and "pip install" not in made.stdout
