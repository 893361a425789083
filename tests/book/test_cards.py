"""Cards to practise: what the build asks of them, and that their page neither loses a card nor keeps an old one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from book_cases import HEADER, ROOT, build_book
from pybtex.database import BibliographyData
from whyformer.proof import Result
from whyformer_book.notebooks.labels import Labels
from whyformer_book.notebooks.plain import Plain
from whyformer_book.pages.cards import LABELS
from whyformer_book.proof.marks import marks, problems

CARD = """```{practice-card} Why divide?
:name: card-why

[The softmax saturates in 55 % of rows.]{check=hard}

* must: the variance
* must: what a row does
* next: Why not more?
```
"""
SAID = "[The softmax saturates in 55 % of rows.]{check=hard}"
PLAIN = CARD.replace(SAID, "We suspect it.")
HARD = {"hard": Result("hard", "We tried it.", {"55 %": 0.55}, {})}


def said(card: str) -> list[str]:
    return [problem.text for problem in problems(f"# T\n\n## Practise\n\n{card}", HARD)]


def test_a_card_in_order() -> None:
    text = f"# T\n\n## Practise\n\n{CARD}"
    assert said(CARD) == []
    assert [(mark.line, mark.asked) for mark in marks(text)] == [(8, True)]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (SAID, f"{SAID} It is so.", 'a mark, a citation or "suspect" is needed: “It is so.”'),
        (SAID, SAID.replace("{check=hard}", "{check=harder}"), "the question has no check 'harder'"),
        (SAID, SAID.replace("55 %", "56 %"), "no check of this mark returns the number 56 %"),
        ("the variance", "a variance of 0.7", "the number 0.7 stands outside of a mark"),
        ("Why divide?", "Why divide by 0.7?", "the number 0.7 stands outside of a mark"),
    ],
)
def test_what_is_said_is_a_claim(old: str, new: str, problem: str) -> None:
    assert any(problem in one for one in said(CARD.replace(old, new))), said(CARD.replace(old, new))


def test_a_wrong_answer_claims_nothing_and_what_is_right_does() -> None:
    wrong = CARD.replace("* next:", "* wrong: **“It never does.”** [In 55 % of rows.]{check=hard}\n* next:")
    assert said(wrong) == []
    assert "“In 55 % of rows.”" in "".join(said(wrong.replace("[In 55 % of rows.]{check=hard}", "In 55 % of rows.")))


@pytest.mark.parametrize("more", ["We suspect that it is so.", "It is so {cite:p}`a`.", "Is it so?"])
def test_a_suspicion_a_citation_and_a_question_need_no_mark(more: str) -> None:
    assert said(CARD.replace(SAID, f"{SAID} {more}")) == []


def test_the_points_of_a_card_claim_nothing_and_what_follows_it_is_asked_for() -> None:
    section = f"# T\n\n## You can now say\n\n{CARD}\n"
    assert [problem.text for problem in problems(section, HARD)] == []
    [problem] = problems(section + "\nIt is so.\n", HARD)
    assert "“It is so.”" in problem.text


def test_what_they_ask_next_is_whole_and_has_a_deck() -> None:
    folder = ROOT / "chapters"
    text = (folder / "asked_next.md").read_text(encoding="utf-8")
    cards = re.findall(r"^```\{practice-card\} .*\n:name: card-(.*)\n\n((?:.*\n)*?)```$", text, re.MULTILINE)
    assert len(cards) == 27
    for name, body in cards:
        missing = {f"* {label}: " for label in LABELS if f"\n* {label}: " not in body}
        assert not missing, name
    practice = (folder / "practice.md").read_text(encoding="utf-8")
    decks = {name: names.split() for name, names in re.findall(r":name: (.*)\n:cards: (.*)", practice)}
    linked = re.findall(r"^\*\*.*<card-(.*)>`", text, re.MULTILINE)
    assert len(linked) == 3 and set(decks["asked-next"]) == {*linked, *(name for name, _ in cards)}
    assert len(decks["thursday"]) == 12 and all(len(set(names)) == len(names) for names in decks.values())


def test_in_a_notebook_the_answer_is_folded() -> None:
    labels = Labels()
    for page, text in (("one", f"# One\n\n{CARD}"), ("practice", "# Practice\n\n```{practice}\n```\n")):
        labels.read(page, text)
    card = Plain("one", labels, BibliographyData(), {}).text(CARD)
    question, _, fold = card.partition("<details>")
    assert question.strip() == "**Why divide?**"
    assert (
        "saturates in 55 % of rows. ✓" in fold and "* the variance\n" in fold and "They ask next: Why not more?" in fold
    )
    assert "must:" not in card and "{" not in card
    page = Plain("practice", labels, BibliographyData(), {}).text("```{practice}\n```\n")
    assert page.split() == ["[One](one.ipynb)", "*", "Why", "divide?"]


FAULTS = {
    "card-why": ("got ''", ":name: card-why\n", ""),
    "card-no": ("got 'no'", "card-why", "no"),
    "card-silent": ("a card says what to say", "We suspect it.\n", ""),
    "card-few": ("two to four points", "* must: what a row does\n", ""),
    "card-other": ("begins with one of `must:`", "* must: the", "* the"),
    "card-end": ("three points `* next: …?`", "Why not more?", "More."),
    "card-twice": ("the page chapters/one has a card card-twice too", "", ""),
}


def faulty(name: str) -> str:
    _, old, new = FAULTS[name]
    return PLAIN.replace(old, new).replace("card-why", name)


def write(folder: Path, **pages: str) -> str:
    """A book with these chapters and the page of practice, built; its output."""
    for file in (folder / "chapters").glob("*.md"):
        file.unlink() if file.stem not in pages else None
    (folder / "chapters").mkdir(exist_ok=True)
    for name in ("references.bib", "_config.yml"):
        if not (folder / name).is_file():
            (folder / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    first, *others = pages
    listed = "".join(f"  - file: chapters/{name}\n" for name in others)
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: chapters/{first}\nchapters:\n{listed}", encoding="utf-8")
    for name, text in pages.items():
        file = folder / f"chapters/{name}.md"
        if not file.is_file() or file.read_text(encoding="utf-8") != HEADER + text:
            file.write_text(HEADER + text, encoding="utf-8")
    built = build_book(folder)
    lines = built.stdout.splitlines()
    return "\n".join(line for line in lines if re.search("WARNING:|ERROR:|Error", line)) if built.returncode else ""


DECK = "```{deck} Thursday\n:name: thursday\n:cards: c a\n\nSay *these* first.\n```\n"
PRACTICE = f"# Practice\n\n{DECK}\n```{{practice}}\n```\n"


def collected(folder: Path) -> list[str]:
    page = (folder / "_build/html/chapters/practice.html").read_text(encoding="utf-8")
    return re.findall(r'<p class="wf-card-asked">(.*?)</p>', page)


@pytest.mark.kernel
def test_a_card_that_lacks_something_fails_the_build(tmp_path: Path) -> None:
    said = write(
        tmp_path,
        one="# One\n\n" + "\n".join(map(faulty, FAULTS)),
        two=f"# Two\n\n{faulty('card-twice')}",
        practice=PRACTICE,
    )
    for expected in (*(one for one, _, _ in FAULTS.values()), "deck thursday: no chapter has a card 'c'"):
        assert expected in said, said


@pytest.mark.kernel
def test_the_page_of_practice_follows_its_chapters(tmp_path: Path) -> None:
    card = {name: PLAIN.replace("card-why", f"card-{name}").replace("Why divide?", f"Why {name}?") for name in "abc"}
    pages = {"one": f"# One\n\n{card['a']}", "practice": PRACTICE, "two": f"# Two\n\n{card['b']}\n{card['c']}"}
    assert write(tmp_path, **pages) == ""
    assert collected(tmp_path) == ["Why a?", "Why b?", "Why c?"]
    page = (tmp_path / "_build/html/chapters/practice.html").read_text(encoding="utf-8")
    deck = re.search(r'<p class="wf-deck" .*?</p>', page, re.DOTALL)[0]
    assert 'data-cards="c a"' in deck and 'href="?deck=thursday"' in deck
    assert " ".join(re.sub("<.*?>", "", deck).split()) == "Thursday (2 cards). Say these first."
    pages["practice"] = PRACTICE.replace(DECK, "")
    pages["two"] = pages["two"].replace("Why b?", "Why $b$, and $d_k$?")
    assert write(tmp_path, **pages) == ""
    assert len(collected(tmp_path)) == 3 and "katex" in collected(tmp_path)[1]
    words = (tmp_path / "_build/html/chapters/practice.html").read_text(encoding="utf-8")
    told = [json.loads(found) for found in re.findall(r'<script type="application/json">(.*?)</script>', words)]
    assert told[1] == {
        "asked": "Why b, and d_k?",
        "say": "We suspect it.",
        "must": ["the variance", "what a row does"],
        "next": "Why not more?",
    }
    pages["one"] = "# One\n\nA page without a card.\n"
    assert write(tmp_path, **pages) == ""
    assert len(collected(tmp_path)) == 2
    del pages["two"]
    assert write(tmp_path, **pages) == ""
    assert collected(tmp_path) == []
