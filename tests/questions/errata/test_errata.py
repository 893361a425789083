"""The appendix of errata: every row has a check, and every check runs alone."""

import re

import pytest
from book_cases import ROOT

CHAPTERS = ROOT / "chapters"
TEXT = (CHAPTERS / "errata.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| (\d+) \| (.+) \| (.+) \| \[check\]\(#errata-(\d+)\)(?:, \[chapter\]\((\w+)\.md\))? \|$", TEXT, re.MULTILINE
)
CHECKS = dict(
    re.findall(
        r"^\(errata-(\d+)\)=\n### Check \d+\n\n```\{code-cell\} python\n(.*?)\n```$", TEXT, re.MULTILINE | re.DOTALL
    )
)
START = re.search(r"```\{code-cell\} python\n:tags: \[hide-cell\]\n(.*?)\n```", TEXT, re.DOTALL)[1]


def test_every_row_has_its_check_and_every_check_its_row():
    assert [row[0] for row in ROWS] == [row[3] for row in ROWS] == list(CHECKS) == [str(i) for i in range(1, 36)]


def test_the_chapters_that_rows_name_exist():
    named = [row[4] for row in ROWS if row[4]]
    assert len(named) > 25 and all((CHAPTERS / f"{name}.md").is_file() for name in named)


@pytest.mark.parametrize("number", CHECKS)
def test_check_holds_alone(number):
    assert re.search(r"^\s*(assert |vouch\()", CHECKS[number], re.MULTILINE), "a check that cannot fail"
    exec(compile(f"{START}\n{CHECKS[number]}", f"errata-{number}", "exec"), {})
