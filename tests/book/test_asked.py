"""All that was asked: no claim of the documents is missing, and a claim has one verdict wherever the book gives one."""

import re

import pytest
from book_cases import ROOT
from bs4 import BeautifulSoup
from whyformer_book.pages import claims as asked
from whyformer_book.site.map import stops

CLAIMS = asked.claims()
#: What each document asks and claims, counted from the documents themselves: the questions by their numbers, and the
#: last letter of the claims under each.
ASKED = {
    "000": "1d 2e 3d 4h",
    "001": "1f 2h 3g 4h 5g 6g 7i 8f 9e 10d 11",
    "002": "1c 2e 3g 4c",
    "003": "1g 2d 3d 4h 5d",
    "004": "1a 2c 3e 4c",
}
#: Themes of a document that are no question of their own: 002-1a has no 002-1.
NO_QUESTION = set("002-1 002-3 002-4 003-2 003-3 003-4 003-5 004-2 004-3 004-4".split())
WHOLE = {"en": "A claim.", "zh": "断言。", "verdict": "half", "reason": "It is so.", "where": ["framework#say-it"]}


def _ids() -> list[str]:
    found = []
    for document, themes in ASKED.items():
        for theme in themes.split():
            number, last = re.fullmatch(r"(\d+)([a-z]?)", theme).groups()
            letters = [chr(code) for code in range(ord("a"), ord(last) + 1)] if last else []
            found += [f"{document}-{number}{letter}" for letter in ["", *letters]]
    return [one for one in found if one not in NO_QUESTION]


def _toml(**changed: object) -> str:
    rows = {key: value for key, value in (WHOLE | changed).items() if value is not None}
    return "[shared]\n[claims.001-1]\n" + "\n".join(f"{key} = {value!r}" for key, value in rows.items())


def _texts() -> dict[str, str]:
    return {file.stem: file.read_text(encoding="utf-8") for file in (ROOT / "chapters").glob("*.md")}


def test_every_question_and_claim_stands_in_the_data_in_its_order():
    assert list(CLAIMS) == _ids()


def test_a_question_claims_nothing_and_a_claim_has_a_verdict():
    bare = {name for name in CLAIMS if not name[-1].isalpha()} - {"000-3"} | {"000-4g"}  # a slip; a picture's heading
    assert {claim.id for claim in CLAIMS.values() if not claim.verdict} == bare


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=list(CLAIMS))
def test_words_are_sentences_of_ours(claim):
    assert re.search(r"[\u4e00-\u9fff]", claim.zh) and not re.search(r"[\u4e00-\u9fff]", claim.en + claim.reason)
    assert not re.search(r"[“”\"]", claim.en + claim.reason)
    if claim.verdict:
        assert claim.en.endswith(".") and claim.reason.endswith(".") and claim.zh.endswith("。")
        assert not claim.condition.endswith(".")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"verdict": "mostly right"}, "the verdicts are right, right if, half, wrong, open; got 'mostly right'"),
        ({"verdict": "right if"}, "it needs en, if, reason, verdict, where, zh"),
        ({"if": "it rains"}, "got en, if, reason"),
        ({"reason": None}, "it needs en, reason"),
        ({"zh": ""}, "001-1"),
    ],
)
def test_a_claim_that_is_not_whole_is_refused(changed, told):
    asked.read(_toml())
    with pytest.raises(ValueError, match=re.escape(told)):
        asked.read(_toml(**changed))


def test_each_place_leads_to_a_part_of_a_page_that_is_there(book_html):
    page = BeautifulSoup((book_html / "chapters/asked.html").read_text("utf-8"), "html.parser")
    links = [link["href"] for link in page.select(".wf-claim-where a")]
    there = {f"{name}#{one}" for name in {link.partition("#")[0] for link in links}
             for one in _anchors(book_html / "chapters" / name)}  # fmt: skip
    assert links and not set(links) - there
    assert {f"{stop.page}.html" for stop in stops()} <= {link.partition("#")[0] for link in links}


def _anchors(file) -> set[str]:
    return {one["id"] for one in BeautifulSoup(file.read_text("utf-8"), "html.parser").find_all(id=True)}


def test_the_page_shows_each_claim_with_its_verdict_and_old_links_lead_somewhere(book_html):
    page = BeautifulSoup((book_html / "chapters/asked.html").read_text("utf-8"), "html.parser")
    for claim in CLAIMS.values():
        row = page.find(id=f"asked-{claim.id}")
        shown, told = (
            part.get_text().translate({0x2019: "'", 0xA0: " "}) for part in (row, row.find(class_="wf-claim-told"))
        )
        assert claim.en in shown and row.find(lang="zh-CN").get_text() == claim.zh
        assert told.strip().startswith(claim.verdict) and claim.reason in told
        assert len(row.select(".wf-claim-where a")) == len(claim.where)
    for old in ("notes-for-an-interview", "ten-questions-and-a-heading", "a-page-of-frequent-questions",
                "a-lesson-on-scaling", "a-note-on-the-root"):  # fmt: skip
        assert page.find(id=old)


def test_one_claim_has_one_verdict_wherever_the_book_gives_it():
    given = {page: asked.given(text) for page, text in _texts().items()}
    for page, names in given.items():
        for name in names:
            assert CLAIMS[name].verdict, f"{page}: {name}"
    # An erratum that says which document says it takes its verdict from the data, and gives none of its own.
    rows = re.findall(r"^\*\*(\d+)\. .*?\*(.+?)\*\*\*.*\n(.+)$", _texts()["errata"], re.MULTILINE)
    for number, who, right in rows:
        if who in {"notes for an interview", "ten questions", "a page of frequent questions", "a lesson on scaling",
                   "a note on the root"}:  # fmt: skip
            assert asked.given(right), f"errata, row {number}"


def test_the_gradient_without_the_division_has_one_verdict():
    shared = "most queries pick one key by luck and get almost no gradient"
    same = [claim for claim in CLAIMS.values() if shared in claim.reason]
    assert len(same) > 10 and {claim.verdict for claim in same} == {"half"}
    brought_back = [claim for claim in CLAIMS.values() if claim.condition.startswith("the components are independent")]
    assert len(brought_back) > 4 and {claim.verdict for claim in brought_back} == {"right if"}
