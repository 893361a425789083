"""The page of notation: each letter of the book once, each name in code real, and no letter of a chapter left out."""

from __future__ import annotations

import re

import pytest
from book_cases import ROOT

CHAPTERS = ROOT / "chapters"
CELL = re.compile(r"^```\{code-cell\}.*?^```$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
GREEK = re.compile(
    r"\\((?:var)?epsilon|alpha|beta|gamma|[dD]elta|eta|theta|kappa|lambda|mu|xi|pi|rho|[sS]igma|tau|[pP]hi|omega)(?![a-z])"
)
NO_LETTERS = (
    r"\\(?:textcolor|text|mathrm|operatorname|begin|end)\*?\{[^}]*\}",  # words
    r"\\math(?:bb|bf)\s*\w",  # a mean, a vector of ones
    r"_(?:\{[^{}]*\}|\\[a-z]+|\w)",  # what stands below a letter
    r"\\[A-Za-z]+",
)

#: Pages whose rows and cards each say what their letters are.
COLLECTED = ("errata", "asked_next")


def letters(text: str) -> set[str]:
    """The letters of the formulas in a text, without what stands below them: those of ``$W_Q x$`` are W and x."""
    found = set()
    for match in FORMULA.finditer(re.sub(r"`[^`\n]*`", "", CELL.sub("", text))):
        maths = GREEK.sub(lambda one: f" <{one[1]}> ", match[1] or match[2])
        for pattern in NO_LETTERS:
            maths = re.sub(pattern, " ", maths)
        found |= set(re.findall(r"<[A-Za-z]+>|[A-Za-z]", maths))
    return found


def rows(part: str) -> list[list[str]]:
    """The rows of the tables in a part of the page."""
    lines = [line for line in part.splitlines() if line.startswith("| $")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


TEXT = (CHAPTERS / "notation.md").read_text(encoding="utf-8")
FIRST, *PARTS = re.split(r"^### (.+)$", TEXT.partition("\n## Words and colours")[0], flags=re.MULTILINE)
BOOK = rows(FIRST)
TITLES = {re.search(r"^# (.+)$", file.read_text("utf-8"), re.MULTILINE)[1]: file.stem for file in CHAPTERS.glob("*.md")}
OWN = {TITLES[title]: rows(part) for title, part in zip(PARTS[::2], PARTS[1::2], strict=True)}
NAMES = sorted(
    file.stem for file in CHAPTERS.glob("*.md") if letters(file.read_text("utf-8")) and file.stem != "notation"
)


def chapter(name: str) -> str:
    return (CHAPTERS / f"{name}.md").read_text(encoding="utf-8")


def own(name: str) -> set[str]:
    return letters(" ".join(row[0] for row in OWN.get(name, ())))


def test_letters_are_read() -> None:
    assert letters(r"$W_Q\,x_{st}$, $$\sigma_i^2 \text{ of } \mathbb E\,y$$ `$a$`") == {"W", "x", "<sigma>", "y"}
    assert len(BOOK) > 20 and len(OWN) > 7 and len(NAMES) > 8


def test_a_chapter_leads_to_its_letters() -> None:
    for name in NAMES:
        assert ("[notation](notation.md#" in chapter(name)) == (name in OWN), name  # the build finds what it leads to


def test_each_symbol_of_the_book_stands_once() -> None:
    symbols = [symbol for row in BOOK for symbol in re.findall(r"\$([^$]+)\$", row[0])]
    assert len(symbols) == len(set(symbols)) > 30


def test_each_name_in_code_exists() -> None:
    code = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "code/whyformer").rglob("*.py"))
    for row in BOOK:
        for name in re.findall(r"`(\w+)`", row[1]):
            assert re.search(rf"\b{name}\b", code), name
    for page, listed in OWN.items():
        cells = "\n".join(CELL.findall(chapter(page)))
        for row in listed:
            for name in re.findall(r"`(\w+)`", row[1]):
                assert re.search(rf"\b{name}\b", cells + code), (page, name)


def test_each_letter_of_the_book_is_used() -> None:
    used = set().union(*(letters(chapter(name)) for name in NAMES if name not in COLLECTED))
    assert letters(" ".join(row[0] for row in BOOK)) <= used


@pytest.mark.parametrize("name", [name for name in NAMES if name not in COLLECTED])
def test_no_letter_of_a_chapter_is_left_out_and_none_is_listed_in_vain(name: str) -> None:
    used = letters(chapter(name))
    assert sorted(used - own(name) - letters(" ".join(row[0] for row in BOOK))) == []
    assert sorted(own(name) - used) == []
    symbols = [symbol for row in OWN.get(name, ()) for symbol in re.findall(r"\$([^$]+)\$", row[0])]
    assert len(symbols) >= len(own(name))
