"""A chapter with its parts folded, which open by hand, by a link and for a lab in them."""

from __future__ import annotations

import pytest
from book_cases import ROOT
from lab_cases import LABS
from playwright.sync_api import expect
from some import some

CHAPTERS = sorted({name.split("/")[0] for name in LABS})


@pytest.mark.parametrize("chapter", some(CHAPTERS, CHAPTERS[::4]))
def test_a_chapter_shows_its_lab_on_the_first_screen_of_a_desk(chapter, visit, addresses):
    page = visit(addresses[f"chapters/{chapter}", "file"], viewport={"width": 1366, "height": 768})
    top = page.locator("whyformer-lab").first.evaluate("(lab) => lab.getBoundingClientRect().top + scrollY")
    assert top <= 0.8 * 768


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
