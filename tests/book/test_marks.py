"""Marks: what the build says of a page whose sentences name their checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from whyformer.proof import Result
from whyformer_book.notebooks.plain import without_marks
from whyformer_book.proof import question
from whyformer_book.proof.marks import marks, problems


def result(name: str, faults: dict[str, str] | None = None, **values: object) -> Result:
    return Result(name, "We tried it.", dict(values), faults or {})


HALF = {"half": Result("half", "We tried it.", {"55 %": 0.55, "more than half": (0.55, 0.5), "16": 16})}
TEXT = "# T\n\n## Wrong answers\n\n[With 16 keys, 55 % of rows, more than half, are hard at $d_k = 64$.]{check=half}\n"


def said(text: str, results: dict[str, Result] | None = None) -> list[str]:
    return [problem.text for problem in problems(text, HALF if results is None else results)]


def test_a_page_in_order() -> None:
    assert said(TEXT) == []
    mark = marks(TEXT)[0]
    assert (mark.line, mark.names, mark.asked) == (5, ("half",), True)
    assert mark.text.endswith("hard at $d_k = 64$.")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("55 %", "56 %", "no check of this mark returns the number 56 %"),
        ("55 %", "56 %", "half returns '55 %', which none of its marks prints"),
        ("16 keys", "160 keys", "no check of this mark returns the number 160"),
        ("more than half", "less than half", "half returns 'more than half', which none of its marks prints"),
        ("half}", "halves}", "the question has no check 'halves'"),
        ("]{check=half}", "]{chekc=half}", "brackets have no attribute 'chekc'"),
        ("]{check=half}", "] {check=half}", "a mark is written"),
        ("]{check=half}", "]{check: half}", "a mark is written"),
        ("]{check=half}", "]{check=half other}", "a mark is written"),
        ("]{check=half}", "]{ check = half }", "a mark is written"),
        ("]{check=half}", "]{check=half", "a mark is written"),
        ("]{check=half}", "](check=half)", "a mark is written"),
        ("[With", "(With", "a mark is written"),
        ("]{check=half}", "]{check=half} It is so.", 'a mark, a citation or "suspect" is needed: “It is so.”'),
        ("## Wrong", "It is 0.7.\n\n## Wrong", "the number 0.7 stands outside of a mark"),
        ("## Wrong", "{check=half}\n## A heading of 55 %\n\n## Wrong", "stands above a paragraph, a table or a list"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_once(old: str, new: str, problem: str) -> None:
    assert old in TEXT
    [one] = said(TEXT.replace(old, new))
    assert problem in one


def test_a_failing_check_and_one_without_a_mark() -> None:
    failing = {"half": result("half", {"": "0.4 is not larger than 0.5"})}
    assert any(one.startswith("half: 0.4 is not larger than 0.5: “With 16") for one in said(TEXT, failing))
    assert said(TEXT, HALF | {"unused": result("unused")}) == ["no mark names the check unused"]
    assert problems(TEXT, HALF | {"unused": result("unused")}, optional={"unused"}) == []


def test_a_message_has_the_sentence_with_its_formulas() -> None:
    [one] = said(TEXT.replace("55 %", "56 %").replace("[With", "[It is hard at $n = 56$. With"))
    assert one.endswith(": “With 16 keys, 56 % of rows, more than half, are hard at $d_k = 64$.”")


def test_a_mark_that_was_taken_off_names_its_check() -> None:
    [one] = said("# T\n\nWith 16 keys, 55 % of rows, more than half, are hard.\n")
    assert one.startswith("the number 55 % stands outside of a mark: half returns it: “With 16")


def test_a_setting_may_be_printed_as_it_is() -> None:
    given = {"half": Result("half", "We tried it.", {"55 %": 0.55}, settings={"n": 16, "sizes": (4, 8), "rate": 0.1})}
    text = "# T\n\n[With {}, 55 %.]{{check=half}}\n"
    for printed in ("16 keys", "4 and 8 keys", "a rate of 10 %", "a rate of 0.1"):
        assert said(text.format(printed), given) == []
    for printed, number in (("17 keys", "17"), ("0 keys", "0"), ("5 keys", "5"), ("a rate of 11 %", "11 %")):
        assert [
            f"returns the number {number} or has it as a setting" in one for one in said(text.format(printed), given)
        ] == [True]
    assert given["half"].told == "With n = 16, sizes = 4 / 8, rate = 0.1."


def test_tables_lists_and_dropdowns() -> None:
    block = "{check=half}\n| rows | share |\n| --- | --- |\n| 16 | 55 % |\n| more than half | |\n"
    assert said(f"# T\n\n## Lab\n\n{block}") == []
    listed = "* [With 16 keys]{check=half}\n* [55 %, more than half]{check=half}\n"
    assert said(f"# T\n\n:::{{dropdown}} More\n{listed}:::\n") == []


def test_a_key_stands_whole() -> None:
    one = {"two": result("two", two=2)}
    for words in ("a network", "sixty-two rows"):
        assert any("none of its marks prints" in problem for problem in said(f"# T\n\n[{words}]{{check=two}}\n", one))
    assert said("# T\n\n[Two rows]{check=two}\n", one) == []


def test_citations_questions_and_suspicions_need_no_mark() -> None:
    text = "# T\n\n## Say it\n\nIt is known {cite:p}`a`. We suspect that it is so. Is it?\n"
    assert said(text, {}) == []
    assert len(said(text.replace("suspect", "know"), {})) == 1


def test_in_a_notebook_the_brackets_are_off() -> None:
    text = 'A [row $[0, 1]$ of [two](a.md) rows.]{check=half} And [more.]{check="half other"}'
    assert without_marks(text) == "A row $[0, 1]$ of [two](a.md) rows. ✓ And more. ✓"
    with pytest.raises(ValueError, match="no opening bracket"):
        without_marks("more.]{check=half}")


def test_what_only_a_page_can_mean_does_not_stand_in_a_notebook() -> None:
    text = "It trains[ in this page, [at once](a.md)]{.page} five times.[ Bet first.]{.page}"
    assert without_marks(text) == "It trains five times."


def test_results_are_kept_until_the_package_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = question.Question("none", tmp_path / "none")
    one._results = HALF
    assert one.recalled(tmp_path) == HALF
    assert question.Question("none", tmp_path / "none").recalled(tmp_path) == HALF
    monkeypatch.setattr(question, "state", lambda: "another")
    assert question.Question("none", tmp_path / "none").recalled(tmp_path) == {}
