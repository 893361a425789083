"""The appendix of errata: each row has a check, and every check runs alone and would refute what is right."""

import re

import pytest
from book_cases import ROOT

CHAPTERS = ROOT / "chapters"
TEXT = (CHAPTERS / "errata.md").read_text(encoding="utf-8")
TABLE = [line for line in TEXT.splitlines() if re.match(r"\| \d+ \|", line)]
CHECKS = dict(
    re.findall(
        r"^\(errata-(\d+)\)=\n### Check \d+\n\n```\{code-cell\} python\n(.*?)\n```$", TEXT, re.MULTILINE | re.DOTALL
    )
)
START = re.search(r"```\{code-cell\} python\n:tags: \[hide-cell\]\n(.*?)\n```", TEXT, re.DOTALL)[1]


def run(number, start=START):
    """Run a check by itself; how often it settled something."""
    names = {}
    exec(compile(start, "errata-start", "exec"), names)
    settle, calls = names["settle"], []

    def counting(*given, **named):
        calls.append(1)
        settle(*given, **named)

    names["settle"] = counting
    exec(compile(CHECKS[number], f"errata-{number}", "exec"), names)
    return len(calls)


def test_rows_are_numbered_and_each_has_its_check():
    assert [re.match(r"\| (\d+)", line)[1] for line in TABLE] == [str(i) for i in range(1, len(TABLE) + 1)]
    linked = [re.findall(r"\[check\]\(#errata-(\d+)\)", line) for line in TABLE]
    for number, (line, links) in enumerate(zip(TABLE, linked, strict=True), 1):
        assert links == [str(number)], line
    assert [links[0] for links in linked] == list(CHECKS) == re.findall(r"^### Check (\d+)$", TEXT, re.MULTILINE)


@pytest.mark.parametrize("page", ["chapters/intro.md", "README.md"])
def test_pages_that_count_the_rows_count_right(page):
    counts = re.findall(r"(\d+) (?:claims that are passed on|errata in circulation)", (ROOT / page).read_text("utf-8"))
    assert counts == [str(len(TABLE))]


def test_the_chapters_that_rows_name_exist():
    named = re.findall(r"\[chapter\]\((\w+)\.md\)", "\n".join(TABLE))
    assert len(named) > len(TABLE) / 2 and all((CHAPTERS / f"{name}.md").is_file() for name in named)


@pytest.mark.parametrize("number", CHECKS)
def test_check_holds_alone(number):
    assert run(number) > 0, "a check that settles nothing"


@pytest.mark.parametrize("number", CHECKS)
def test_each_settlement_fails_if_the_claim_is_taken_for_right(number):
    """Right and said change places, at each settlement in turn: it has to fail."""
    names = {}
    exec(compile(START, "errata-start", "exec"), names)
    settle = names["settle"]

    def swapped(found, right, said, within=0.1):
        with pytest.raises(AssertionError, match="right would be"):
            settle(found, said, right, within)

    names["settle"] = swapped
    exec(compile(CHECKS[number], f"errata-{number}", "exec"), names)


@pytest.mark.parametrize("number", CHECKS)
def test_check_does_not_hang_on_its_seeds(number):
    shifted = START.replace("for seed in range(seeds)", "for seed in range(700, 700 + seeds)")
    assert shifted != START and run(number, shifted) > 0
