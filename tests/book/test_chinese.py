"""The Chinese book: its catalogue is whole, its pages say no number that the English ones do not, and it is built."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from book_cases import ROOT
from filelock import FileLock
from playwright.sync_api import Browser, Page, expect
from whyformer.lab import words
from whyformer.lab.lab import _shared
from whyformer.lab.words import LANGUAGES, as_script, gaps_of, language, t
from whyformer.questions.why_sqrt_dk import ScaleLab
from whyformer_book.language import translated
from whyformer_book.language.strings import faults, strings

CHINESE = sorted((ROOT / "zh/chapters").glob("*.md"))
HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture
def chinese():
    language("zh")
    yield
    language(os.environ.get("WHYFORMER_LANGUAGE") or "en")


@pytest.fixture(scope="session")
def chinese_html(book_html: Path, testrun_uid: str) -> Path:
    """The Chinese book, built once in a run, where the English one is."""
    stamp = ROOT / "_build/.chinese"
    with FileLock(stamp.with_suffix(".lock")):
        if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == testrun_uid):
            translated.build("zh", ROOT, ["-W", "-n", "--keep-going"])
            stamp.write_text(testrun_uid, encoding="utf-8")
    return ROOT / "_build/zh/_build/html"


@pytest.fixture
def page(chromium: Browser, chinese_html: Path):
    page = chromium.new_page()
    yield page
    page.close()


def address(html: Path, name: str) -> str:
    return (html / f"{name}.html").as_uri()


# ---- the catalogue


@pytest.mark.slow
def test_every_text_is_translated_and_its_gaps_agree() -> None:
    assert not faults("zh", strings())


def test_what_is_missing_or_too_much_or_has_other_gaps_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "zh.json").write_text(json.dumps({"{n} heads": "{m}个头", "nobody": "没有人"}), encoding="utf-8")
    monkeypatch.setattr("whyformer_book.language.strings.LANGUAGES", tmp_path)
    told = faults("zh", {"{n} heads": "a lab", "a row": "another lab"})
    assert [one.split(":")[0] for one in told] == ["another lab", "'nobody' is asked for nowhere", "'{n} heads'"]


def test_python_speaks_chinese_when_asked(chinese: None) -> None:
    assert t("Right.") != "Right." and HAN.search(t("Right."))
    assert t("{share:.0%}", share=0.58) == "58%"
    said = ScaleLab().description
    assert HAN.search(said) and "{" not in said
    assert HAN.search(ScaleLab().svg()) and as_script().startswith("globalThis.WhyformerWords={")


def test_what_jupyter_is_sent_begins_with_the_catalogue(chinese: None) -> None:
    assert _shared().script.startswith(as_script())
    language("en")
    assert "WhyformerWords=" not in _shared().script[:100]


def test_another_language_is_refused_and_english_comes_back(chinese: None) -> None:
    with pytest.raises(ValueError, match="choose one of en, zh"):
        language("fr")
    language("en")
    assert t("Right.") == "Right." and as_script() == ""


def test_a_gap_that_no_translation_has_is_no_gap() -> None:
    catalogue = json.loads((LANGUAGES / "zh.json").read_text(encoding="utf-8"))
    assert all(gaps_of(english) == gaps_of(its) for english, its in catalogue.items())
    assert words.t("a text that nobody wrote") == "a text that nobody wrote"


# ---- pages


@pytest.mark.parametrize("file", CHINESE, ids=lambda file: file.stem)
def test_a_page_has_the_english_page_s_sections_numbers_and_checks(file: Path) -> None:
    assert not translated.problems("zh", file.stem)
    known = translated.english(file.stem)
    stamps = translated.STAMP.findall(file.read_text(encoding="utf-8"))
    assert stamps and all(digest and anchor in known for anchor, digest in stamps)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("# 题目\n% en say-it\n\n有58%。\n", "the number 58 does not stand on the English page"),
        ("# 题目\n\n没有数。\n", "below a heading stands a stamp"),
        ("# 题目\n% en say-it\n\n[对。]{check=no_such_check}\n", "names no check 'no_such_check'"),
    ],
)
def test_what_the_english_page_does_not_say_is_refused(text: str, fault: str, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters/practice.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(translated, "folder_of", lambda _: tmp_path)
    assert [fault in one.text for one in translated.problems("zh", "practice")] == [True]


def test_drift_names_the_section_whose_english_has_changed(monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    page = tmp_path / "chapters/practice.md"
    page.write_text("# 练习\n% en practice\n", encoding="utf-8")
    monkeypatch.setattr(translated, "folder_of", lambda _: tmp_path)
    assert list(translated.drift("zh")) == ["practice.md: #practice has changed in English"]
    translated.stamp("zh")
    assert not list(translated.drift("zh"))
    english = translated.english("practice")
    monkeypatch.setattr(translated, "english", lambda _: english | {"practice": "00000000"})
    assert list(translated.drift("zh")) == ["practice.md: #practice has changed in English"]


def test_links_lead_to_chinese_sections_and_else_to_english_ones() -> None:
    made = translated.page(
        "[a](why_sqrt_dk.md#say-it) [b](why_sqrt_dk.md#exercises) [c](en:workbench) [d](intro.md)", "zh"
    )
    assert '<a href="why_sqrt_dk.html#say-it">a</a>' in made and "[d](intro.md)" in made
    assert '<a href="../../chapters/why_sqrt_dk.html#exercises" hreflang="en">b</a>' in made
    assert '<a href="../../chapters/workbench.html" hreflang="en">c</a>' in made


# ---- the site


def test_each_page_is_chinese_and_leads_to_the_english_one(chinese_html: Path) -> None:
    for file in CHINESE:
        text = (chinese_html / f"chapters/{file.stem}.html").read_text(encoding="utf-8")
        assert '<html lang="zh-CN"' in text and "_static/whyformer/words.js" in text
        assert f'href="../../chapters/{file.stem}.html" lang="en"' in text
        for anchor, _ in translated.STAMP.findall(file.read_text(encoding="utf-8")):
            assert f'id="{anchor}"' in text, anchor


def test_no_english_page_loads_a_catalogue(book_html: Path) -> None:
    for file in (book_html / "chapters").glob("*.html"):
        assert "words.js" not in file.read_text(encoding="utf-8")


def test_links_of_chinese_pages_lead_somewhere(chinese_html: Path, book_html: Path) -> None:
    for file in (chinese_html / "chapters").glob("*.html"):
        for href in re.findall(r'href="([^"#?:]+\.html)(?:#([\w-]+))?"', file.read_text(encoding="utf-8")):
            name, anchor = href
            in_english = name.startswith("../../")
            target = book_html / name.removeprefix("../../") if in_english else file.parent / name
            assert target.is_file(), (file.name, name)
            if anchor:
                assert f'id="{anchor}"' in target.read_text(encoding="utf-8"), (file.name, href)


def test_a_chapter_is_asked_drawn_and_told_in_chinese(page: Page, chinese_html: Path) -> None:
    page.goto(address(chinese_html, "chapters/qk_weights"))
    bet = page.locator("whyformer-predict").first
    expect(bet.locator("legend")).to_contain_text("先猜一猜")
    bet.locator("input").first.check()
    bet.locator("button").first.click()
    expect(page.locator("#say-it .wf-answer")).to_have_attribute("open", "")
    lab = page.locator("whyformer-lab").first
    lab.scroll_into_view_if_needed()
    expect(lab.locator(".wf-ask, .wf-asked").first).to_contain_text(HAN)
    assert HAN.search("".join(lab.locator("svg text").all_text_contents()))


def test_chinese_is_found_in_the_chinese_book(page: Page, chinese_html: Path) -> None:
    page.goto(address(chinese_html, "chapters/intro"))
    page.keyboard.press("Control+k")
    page.keyboard.type("梯度消失")
    expect(page.locator("#wf-search a, .wf-search a").first).to_contain_text(HAN)


def test_a_notebook_speaks_chinese(chinese_html: Path) -> None:
    notebook = json.loads((chinese_html / "notebooks/qk_weights.ipynb").read_text(encoding="utf-8"))
    assert any('whyformer.language("zh")' in "".join(cell["source"]) for cell in notebook["cells"])
