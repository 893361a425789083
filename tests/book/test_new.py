"""``make new``: a draft that is named as one, and a chapter that is whole or is named with what it lacks."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest
import yaml
from book_cases import ROOT
from whyformer_book.new import FILES, draft
from whyformer_book.proof import completeness
from whyformer_book.questions import is_chapter, is_draft

SLUG, LAB = "why_bias", "offset"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "_toc.yml").write_text((ROOT / "_toc.yml").read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def test_a_draft_has_every_file_and_stands_in_the_contents(root: Path) -> None:
    written = draft(root, SLUG, LAB)
    assert len(written) == len(FILES) + 1 and all(file.is_file() for file in written)
    for file in written:
        text = file.read_text(encoding="utf-8")
        assert "$" not in text.replace("$q", ""), file
        if file.suffix == ".py":
            ast.parse(text)
    groups = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    before = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    new = {"caption": "Drafts", "chapters": [{"file": f"chapters/{SLUG}"}]}
    assert new in groups and [group for group in groups if group != new] == before
    page = tomllib.loads((root / f"code/whyformer/questions/{SLUG}/page.toml").read_text(encoding="utf-8"))
    assert page["draft"] is True and "map" not in page
    draft(root, "why_gain", LAB)
    groups = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    assert len(next(group for group in groups if group["caption"] == "Drafts")["chapters"]) == 2


@pytest.mark.parametrize(("slug", "lab"), [("", LAB), ("Why", LAB), ("why-bias", LAB), ("../why", LAB), (SLUG, "a b")])
def test_a_name_that_cannot_be_one_is_refused(slug: str, lab: str, root: Path) -> None:
    with pytest.raises(ValueError, match="small letters"):
        draft(root, slug, lab)
    assert [file.name for file in root.rglob("*")] == ["_toc.yml"]


def test_what_is_there_is_not_written_over(root: Path) -> None:
    draft(root, SLUG, LAB)
    chapter = root / f"chapters/{SLUG}.md"
    chapter.write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match=f"nothing was written: chapters/{SLUG}.md"):
        draft(root, SLUG, "other")
    assert chapter.read_text(encoding="utf-8") == "mine"


def test_what_a_draft_lacks_is_named(root: Path) -> None:
    draft(root, SLUG, LAB)
    text = (root / f"chapters/{SLUG}.md").read_text(encoding="utf-8")
    found = [what for _, what in completeness.empty(text, SLUG)]
    assert [part for part in completeness.PARTS if f"'{part}' is empty" in found] == [
        *("Say it", "Prove it", "Wrong answers", "You can now say", "Exercises", "Sources")
    ]
    assert sum("a chapter has at least" in what for what in found) == len(completeness.LEAST)
    assert not any("bet" in what or "no cell" in what for what in found)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("\n## Say it\n", "\n", "the heading '## Say it' is missing"),
        ("\n## Sources\n", "\n## Sources\n\n% Nothing.\n\n## More\n", "'Sources' is empty"),
        ("```{practice-card}", "```{note}", "{practice-card}; this has 0"),
        ("import predict_", "import ask_", "no bet stands"),
        ("\n## See it\n", "\n## Exercises\n", "the heading '## See it' is missing"),
    ],
)
def test_a_chapter_that_is_not_whole_is_named(old: str, new: str, says: str) -> None:
    name = "dropout_sites"
    text = (ROOT / f"chapters/{name}.md").read_text(encoding="utf-8")
    assert not is_draft(name) and is_chapter(name) and not [*completeness.empty(text, name)]
    assert old in text and any(says in what for _, what in completeness.empty(text.replace(old, new), name))


def test_pages_that_are_no_question_are_not_asked_for_its_parts() -> None:
    assert not any(map(is_chapter, ("intro", "teaching", "errata", "no_such_page")))
