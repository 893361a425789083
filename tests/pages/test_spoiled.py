"""No bet is spoiled: whoever has not committed reads nothing, and sees nothing in the lab, that names the right option.

A passage names it if it has all words and numbers of the option that stand neither in the question nor in another
option, or one of the ``spoilers`` that the bet declares. Beside that, what the lab says and draws after the bet must be
new. A lab above its bet has been walked through: its earlier steps are told, and its own is asked. Of a bet without a
lab all is read that stands above it, and its own section.

What this cannot see: an answer in other words that are not declared, and one that is drawn and not written in a state
that differs from the one after the bet.
"""

from __future__ import annotations

import importlib
import re

import pytest
from book_cases import ROOT
from page_cases import BOOK
from playwright.sync_api import Locator, Page
from whyformer.lab import Predict

IMPORT = re.compile(r"^from (whyformer\.questions\.\w+)(?:\.predictions)? import (predict_\w+)$", re.MULTILINE)
BETS = [(name, *found) for name in BOOK for found in IMPORT.findall((ROOT / f"{name}.md").read_text(encoding="utf-8"))]
WIDTHS = [(1366, 768), (390, 844)]

#: Words that say nothing alone.
COMMON = set(
    "a an all and any are as at be both but by can does for from has have if in is it its many more most nearly no not "
    "of on one only or other same so some take takes than that the their them then there they this to two what which "
    "with without you".split()
)


def words(text: str) -> set[str]:
    """The words and numbers in it that say something."""
    found = re.findall(r"\d+(?:\.\d+)?|[^\W\d_]+", text.replace("\u2212", "-").lower())
    return set(found) - COMMON


def telling(bet: Predict) -> set[str]:
    """What only the right option has."""
    options = list(bet._declaration["options"])
    right = options.pop(bet.right)
    return words(right) - words(" ".join([bet._declaration["question"], *options]))


def plain(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


UNFOLD = """(parts) => {
  for (const part of parts)
    for (let fold = part.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  parts[1].scrollIntoView();
}"""
#: What is read on the way to the end of the lab and in its section, passage by passage; folds are as they were found.
PASSAGES = """([bet, lab]) => {
  const found = [];
  const add = (text) => text && text.trim() && found.push(text);
  const section = lab.closest("section");
  for (const part of document.querySelector(".bd-article").querySelectorAll("*")) {
    const is_before = part.compareDocumentPosition(lab) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (!is_before && !lab.contains(part) && part.closest("section") !== section) continue;
    if (part.closest("whyformer-predict, script, style, .wf-fallback, section > :is(h1, h2, h3)")) continue;
    if (!part.checkVisibility({ visibilityProperty: true })) continue;
    add(part.getAttribute("aria-label"));
    add(part.getAttribute("aria-valuetext"));
    const own = [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (own) add((part.closest("p, li, td, text, label") ?? part).textContent);
  }
  return [...new Set(found)];
}"""
#: The picture, as it is drawn.
DRAWN = """([, lab]) => [...lab.querySelectorAll(".wf-live svg")].map((svg) => svg.innerHTML).join("")"""
LAID_OUT = """() => new Promise((done) => {
  let frames = 6;
  const next = () => (frames-- ? requestAnimationFrame(next) : done());
  next();
})"""
SAYS = ":is(.wf-tell, .wf-says)"


def seen(page: Page, pair: list) -> dict[int, tuple[list[str], str]]:
    """What is read, and what the lab draws, in each width."""
    found = {}
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(LAID_OUT)
        found[width] = ([plain(text) for text in page.evaluate(PASSAGES, pair)], page.evaluate(DRAWN, pair))
    return found


def before_the_bet(page: Page, pair: list, lab: Locator, step: int) -> list[dict]:
    """What a reader sees who comes to the bet; the last is what stands there then."""
    found = [seen(page, pair)]
    is_above = page.evaluate("([bet, lab]) => !!(lab.compareDocumentPosition(bet) & 4)", pair)
    for _ in range(step - 1 if is_above else 0):
        at = lab.evaluate("(lab) => lab.step")
        while lab.evaluate("(lab) => lab.step") == at:  # told, and then the next
            lab.locator(".wf-next").click()
            found.append(seen(page, pair))
    return found


def spoiled_by(bet: Predict, passages: list[str]) -> list[str]:
    """The passages that name the right option."""
    own = telling(bet)
    spoilers = [spoiler.lower() for spoiler in bet.spoilers]
    return [
        text
        for text in passages
        if (own and own <= words(text)) or any(spoiler in text.lower() for spoiler in spoilers)
    ]


def test_every_bet_can_be_judged():
    for _, module, function in BETS:
        bet = getattr(importlib.import_module(f"{module}.predictions"), function)()
        assert telling(bet) or bet.spoilers, f"{bet!r} needs spoilers: its right option has no word of its own"
        own = plain(bet._declaration["options"][bet.right])
        assert not telling(bet) or spoiled_by(bet, [own]) == [own]


@pytest.mark.parametrize(
    ("name", "module", "function"), BETS, ids=[f"{page.split('/')[-1]}-{name}" for page, _, name in BETS]
)
def test_a_bet_is_not_spoiled(name, module, function, visit, addresses):
    bet = getattr(importlib.import_module(f"{module}.predictions"), function)()
    page = visit(addresses[name, "file"])
    asked = page.locator(f'whyformer-predict[name="{bet._declaration["predict"]}"]')
    then = bet._declaration.get("then")
    if then is None:
        alone = [asked.element_handle()] * 2
        page.evaluate(UNFOLD, alone)
        read = [text for texts, _ in seen(page, alone).values() for text in texts]
        assert read and not spoiled_by(bet, read)
        return
    lab = page.locator(f'whyformer-lab[name="{then["lab"]}"]:not([size="small"])')
    pair = [asked.element_handle(), lab.element_handle()]
    page.evaluate(UNFOLD, pair)
    before = before_the_bet(page, pair, lab, then["step"])
    asked.locator("label").nth(bet.right).click()
    asked.get_by_role("button", name="Commit").click()
    says = plain(lab.locator(SAYS).last.inner_text())
    faults = []
    for width, (_, drawn) in seen(page, pair).items():
        read = list(dict.fromkeys(text for each in before for text in each[width][0]))
        faults += [f"at {width}: “{text}” names it" for text in spoiled_by(bet, read)]
        if says in read:
            faults.append(f"at {width}: the lab said already “{says}”")
        if drawn == before[-1][width][1]:
            faults.append(f"at {width}: the picture was the one after the bet")
    assert not faults, "\n".join(faults)
