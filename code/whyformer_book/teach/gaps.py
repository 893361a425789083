"""What a handout leaves to do: lines of the derivation with gaps, and pictures with axes and no marks."""

from __future__ import annotations

import copy
import re
from typing import Any

from bs4 import BeautifulSoup, Tag

INSIDE = ":is(section#derivation, #prove-it)"
BLOCKS = f"{INSIDE} > *, {INSIDE} :is(section, .wf-fold, .wf-noted) > *"
FORMULA = ".math, .wf-proven:has(> .math)"
TEXT = f"p, ul, ol, {FORMULA}, .wf-proven:has(> p)"
IS_LINE = re.compile(r"(?:Line|Step) (\d+)\b")
# ε = 0 is a condition, and no result; so is what stands after "with" or "if".
SETTING = re.compile(r"\\?\w+(_\w|_\{[^=]*\})?\s*(=|>|<|\\ge|\\le)\s*[\d.]+")
CONDITION = re.compile(r"\b(with|if|at|let)$", re.I)
END_OF_CLAUSE = re.compile(r"[.,:;]|$")
GAP = "gap"

Blocks = list[dict[str, Any]]


def number_of(block: Tag) -> int | None:
    """The number of the line that a block of the derivation begins, if it begins one."""
    name = block.strong.get_text() if block.strong else ""
    found = IS_LINE.match(name)
    return int(found[1]) if found and block.get_text().lstrip().startswith(name) else None


def line(page: BeautifulSoup, number: int) -> list[Tag]:
    """Copies of the blocks of a line, as slides show it: to its last formula, without code and tables."""
    blocks = page.select(BLOCKS)
    begins = [at for at, block in enumerate(blocks) if number_of(block) == number]
    if not begins:
        return []
    shown = [blocks[begins[0]]]
    for block in blocks[begins[0] + 1 :]:
        if number_of(block) is not None or block.name in ("section", "h2", "h3"):
            break
        if block.css.match(TEXT):
            shown.append(block)
    while len(shown) > 1 and not shown[-1].css.match(FORMULA):
        shown.pop()
    return [copy.copy(block) for block in shown]


def plain(blocks: list[Tag]) -> str:
    """HTML for paper: without folds, buttons, the formulas' other form, and how a claim was tested."""
    for one in [one for block in blocks for one in block.select("details, button, script, .headerlink, .katex-mathml")]:
        one.decompose()
    return "".join(map(str, blocks))


def with_gaps(page: BeautifulSoup, number: int) -> str:
    """A line of the derivation to be filled in, as HTML; nothing if the page has no such line.

    There are gaps for right-hand sides (of formulas that stand alone, if the line has such) and for what the line
    needs. Where nothing is said to be equal, a line with a name keeps only its name, and one without a name loses the
    formula at the end of each clause.
    """
    blocks = line(page, number)
    if not blocks:
        return ""
    name = blocks[0].strong
    for needs in blocks[0].find_all("em", string=re.compile("^Needs:")):
        _cut_after(needs)
    formulas = [one for block in blocks for one in block.select(".katex-display .katex")]
    formulas = formulas or blocks[0].select(".katex")
    if not any([_right_side(one) for one in formulas]):
        if name and ":" in name.get_text():
            return f"<p>{name}</p>" + '<div class="line"></div>' * 2
        for one in formulas:
            if END_OF_CLAUSE.match(_text_after(one)):
                one.replace_with(_gap())
    return plain(blocks)


def _gap() -> Tag:
    return BeautifulSoup("", "html.parser").new_tag("span", attrs={"class": GAP})


def _cut_after(part: Tag) -> None:
    for one in list(part.next_siblings):
        one.extract()
    part.insert_after(" ", _gap())


def _right_side(formula: Tag) -> bool:
    """Put a gap in the place of what follows the first relation; whether there was something to cut."""
    source = formula.find("annotation")
    before = formula.find_previous(string=lambda text: bool(text.strip()))
    if (source and SETTING.fullmatch(source.get_text().strip())) or (before and CONDITION.search(before.strip())):
        return False
    bases = formula.select(".katex-html > .katex-base")
    relations = [at for at, base in enumerate(bases) if base.select_one(":scope > .mrel")]
    if not relations:
        aligned = bool(formula.select_one(".col-align-l, .vlist .mrel"))  # several relations, one below the other
        if aligned:
            formula.replace_with(_gap())
        return aligned
    for base in bases[relations[0] + 1 :]:
        base.decompose()
    bases[relations[0]].insert_after(_gap())
    return True


def _text_after(formula: Tag) -> str:
    """What is read after a formula, up to the next tag that says something."""
    for one in formula.next_elements:
        if formula not in one.parents and isinstance(one, str) and one.strip():
            return one.strip()
    return ""


def to_draw(blocks: Blocks, said: str) -> Blocks:
    """The panels of a picture with titles and axes, and without what is seen in them.

    What would tell it goes too: numbers in titles and tables, and ticks with a number of the sentence that is ``said``.
    """
    return [made for block in blocks for made in _to_draw(block, said)]


def _to_draw(block: dict[str, Any], said: str) -> Blocks:
    title = {"title": _without_number(block["title"])} if block.get("title") else {}
    if block["kind"] in ("row", "column"):
        inside = to_draw(block["blocks"], said)
        return [{**block, "blocks": inside}] if inside else []
    if block["kind"] == "plot":
        axes = {name: _axis(block[name], said) for name in ("x", "y")}
        return [{**block, **title, **axes, "marks": []}]
    if block["kind"] == "table":
        rows = [{"items": [row["items"][0], *("" for _ in row["items"][1:])]} for row in block["rows"]]
        return [{**block, **title, "rows": rows}]
    return []


def _axis(axis: dict[str, Any], said: str) -> dict[str, Any]:
    told = re.findall(r"\d+\.\d+", said)
    ticks = axis.get("ticks", [])
    return axis | ({"ticks": [tick for tick in ticks if _text(tick) not in told]} if ticks else {})


def _text(tick: Any) -> str:
    return str(tick.get("text", tick["at"]) if isinstance(tick, dict) else tick)


def _without_number(title: str) -> str:
    """A title up to the part that says a number, which would be what is to be found."""
    parts = re.split(r"(?<=[.,:;(])", title)
    kept = next((at for at, part in enumerate(parts) if re.search(r"\d", part)), len(parts))
    return "".join(parts[:kept]).rstrip(" .,:;(")
