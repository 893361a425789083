"""A chapter of the third edition: short with its parts folded, which open by hand, by a link and for a lab in them."""

from __future__ import annotations

import re

import pytest
from book_cases import ROOT
from playwright.sync_api import expect
from some import some
from whyformer_book.proof import prose
from whyformer_book.proof.sentences import pieces_of_tokens

SHORT = {
    "advantages": 2200,
    "dot_vs_additive": 2200,
    "dropout_sites": 2200,
    "embedding_scale": 2200,
    "framework": 2200,
    "head_size": 2200,
    "layer_norm": 2200,
    "multi_head": 2200,
    "no_projections": 2200,
    "qk_weights": 2200,
    "relative_positions": 2200,
    "softmax_saturation": 2200,
    "weight_tying": 2200,
    "why_sqrt_dk": 2800,
}
SCREENS = {"desk": (1366, 768, 6), "phone": (390, 844, 9)}
WORD = re.compile(r"[\w√][\w’'.,-]*")

#: The words of the page that are open, without those of labs and bets, formulas and buttons.
OPEN = """() => {
  const others = "whyformer-lab, whyformer-predict, .katex, button, .wf-check > summary";
  for (const one of document.querySelectorAll(others)) one.style.display = "none";
  return document.querySelector(".bd-article").innerText;
}"""


def words(text: str) -> int:
    """Of a source, outside of code, formulas and cards, which say again what stands in it."""
    text = re.sub(r"^```\{practice-card\}.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    pieces = [one for _, token in prose.inlines(text) for one in pieces_of_tokens(token) if one.kind != "formula"]
    return sum(len(WORD.findall(one.text)) for one in pieces)


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("chapter", some(SHORT, [*SHORT][::4]))
def test_a_chapter_takes_few_screens_and_shows_its_lab_on_the_first(chapter, screen, visit, addresses):
    width, height, screens = SCREENS[screen]
    page = visit(addresses[f"chapters/{chapter}", "file"], viewport={"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollHeight") <= screens * height
    top = page.locator("whyformer-lab").first.evaluate("(lab) => lab.getBoundingClientRect().top + scrollY")
    if screen == "desk":
        assert top <= 0.8 * height


@pytest.mark.parametrize("chapter", some(SHORT, [*SHORT][::4]))
def test_a_chapter_has_few_words_and_fewer_open(chapter, visit, addresses):
    text = (ROOT / f"chapters/{chapter}.md").read_text(encoding="utf-8")
    assert words(text) <= SHORT[chapter]
    assert 30 <= words(text.partition("\n## Say it\n")[2].partition("\n## ")[0]) <= 60
    page = visit(addresses[f"chapters/{chapter}", "file"])
    assert len(WORD.findall(page.evaluate(OPEN))) <= 700


@pytest.mark.parametrize("address", ["#exercises", "#ex-gap", "#what-does-not-vanish", "#short-answer", "#gap:2"])
def test_a_link_opens_what_it_leads_to(address, visit, addresses):
    page = visit(addresses["chapters/softmax_saturation", "file"] + address)
    opened = page.locator(":is(.wf-fold, .wf-answer)[open]")
    expect(opened).to_have_count(1)
    inside = opened.locator("whyformer-lab" if ":" in address else "p").first
    expect(inside).to_be_visible()
    assert page.evaluate("scrollY") > 100


@pytest.mark.parametrize("chapter", ["why_sqrt_dk", "head_size"])
def test_a_chapter_s_link_opens_its_letters(chapter, visit, addresses):
    link = visit(addresses[f"chapters/{chapter}", "file"]).locator('.wf-aside a[href*="notation.html#"]').first
    page = visit(link.evaluate("(link) => link.href"))
    title = (ROOT / f"chapters/{chapter}.md").read_text(encoding="utf-8").partition("\n# ")[2].partition("\n")[0]
    expect(page.locator(".wf-fold[open] h3")).to_contain_text(title)
    expect(page.locator(".wf-fold[open] table")).to_be_in_viewport()
