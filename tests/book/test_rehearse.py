"""What an author hears in seconds is what the build would say."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Rehearse = Callable[[str], tuple[int, list[str]]]


@pytest.fixture
def rehearse(tmp_path: Path) -> Rehearse:
    """The exit code and the lines printed for a chapter with this text, their file left out."""

    def one(text: str) -> tuple[int, list[str]]:
        file = tmp_path / "chapter.md"
        file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "whyformer.book.rehearse", str(file)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert not said.stderr, said.stderr
        return said.returncode, said.stdout.replace(f"{file}:", "").splitlines()

    return one


def cell(code: str, tags: str = "hide-cell") -> str:
    return f"\n\n```{{code-cell}} python\n:tags: [{tags}]\n{code}\n```\n"


FROM = "from whyformer import claim, vouch\n"


def test_a_chapter_in_order(rehearse: Rehearse) -> None:
    code = f'%matplotlib inline\n{FROM}x = 0.26 / 2\nvouch("0.13", x)\nclaim("One is {{p:larger}}.", p=(x, 0))'
    text = "# A title\n\nIt is 0.13. One is larger." + cell(code) + cell("nothing", "skip-execution")
    assert rehearse(text) == (0, ["1 claims hold; 0 problems"])


def test_a_number_compared_with_itself(rehearse: Rehearse) -> None:
    code, said = rehearse("# A title\n\nIt is 0.13." + cell(f'{FROM}vouch("0.13", 0.13)'))
    assert code == 1 and said[0].startswith("8: vouch('0.13', 0.13) compares a number with itself") and len(said) == 2


def test_a_cell_that_is_not_run_vouches_for_nothing(rehearse: Rehearse) -> None:
    code, said = rehearse("# A title\n\nIt is 0.13." + cell(f'{FROM}vouch("0.13", x)', "skip-execution"))
    assert code == 1 and said[0].startswith("3: the number 0.13 in the text is not vouched for")


@pytest.mark.parametrize(
    ("code", "said"),
    [("raise StopIteration", "7: StopIteration"), ("x = 1\nassert x == 2, 'no'", "8: AssertionError: no"),
     ("x = 'no Error'", "3: a claim, a citation or")],
)  # fmt: skip
def test_sentences_are_asked_for_unless_a_cell_raised(code: str, said: str, rehearse: Rehearse) -> None:
    """Those of the cells after it are not written then, whatever the exception is named."""
    returned, lines = rehearse("# A title\n\nIt is never so." + cell(code))
    assert returned == 1 and len(lines) == 2 and lines[0].startswith(said)
