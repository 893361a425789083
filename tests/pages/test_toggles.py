"""What is folded says what it opens, to everybody; it needs no script."""

from __future__ import annotations

import pytest
from page_cases import FEW_OR_ALL, unfold
from playwright.sync_api import expect


def names(page) -> list[str]:
    """The names of all that opens and closes, from the accessibility tree."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    folding = [
        node for node in nodes
        if not node["ignored"]
        and (node["role"]["value"] == "DisclosureTriangle"
             or any(item["name"] == "expanded" for item in node.get("properties", [])))
    ]  # fmt: skip
    return [node["name"]["value"].strip() for node in folding]


@pytest.mark.parametrize("name", [param for param in FEW_OR_ALL if "labs" not in param.values])
def test_every_toggle_says_what_it_opens(name, visit, book_html):
    page = visit((book_html / f"{name}.html").as_uri())
    page.wait_for_load_state()
    unfold(page)
    found = names(page)
    assert not [one for one in found if not one or "Toggle" in one or "Click to" in one]
    solutions = [one for one in found if one.startswith("Solution")]
    assert len(solutions) == page.locator(".solution").count() == len(set(solutions))
    assert all(one.startswith("Solution to Exercise") for one in solutions)
    seen = ".wf-check:not(details:not([open]) > :not(summary) *, details:not([open]) > *)"
    assert sum(one.startswith("How this was tested") for one in found) == page.locator(seen).count()


@pytest.mark.parametrize("script", [True, False])
def test_a_solution_opens_and_closes(script, visit, book_html):
    page = visit((book_html / "chapters/why_sqrt_dk.html").as_uri(), java_script_enabled=script)
    if page.locator(".wf-fold").count():
        page.locator("#exercises summary").first.click()
    solution = page.locator("details.solution").first
    inside = solution.locator("section p").first
    expect(inside).to_be_hidden()
    title = solution.locator(":scope > summary")
    for opened in (True, False):
        title.click()
        expect(inside).to_be_visible(visible=opened)
    title.press("Enter")
    expect(inside).to_be_visible()


def test_a_link_to_a_solution_opens_it(visit, book_html):
    page = visit((book_html / "chapters/why_sqrt_dk.html").as_uri())
    inside = page.locator("details.solution section").first
    inside.evaluate("(section) => { section.id = 'inside'; location.hash = '#inside'; }")
    expect(inside).to_be_in_viewport()


def test_a_check_opens_by_its_mark_and_by_its_sentence_and_both_are_beside_the_text(visit, book_html):
    page = visit((book_html / "chapters/softmax_saturation.html").as_uri(), viewport={"width": 1366, "height": 768})
    block = page.locator("#wrong-answers .wf-proven").first
    sentence, check = block.locator(".wf-claimed").first, block.locator(".wf-check")
    mark, text = check.locator(":scope > summary"), block.locator("p").first
    mark.scroll_into_view_if_needed()
    words, box = text.bounding_box(), mark.bounding_box()
    assert box["x"] >= words["x"] + words["width"] and abs(box["y"] - words["y"]) < 12
    how, code = check.locator(".wf-how p").first, check.locator(".wf-source-code, .highlight").first
    expect(how).to_be_hidden()
    mark.click()
    expect(how).to_have_text("We put three logits of 1,000 into the softmax, and three of a million.")
    expect(code).to_be_hidden()
    check.get_by_text("The check in Python").click()
    expect(code).to_be_visible()
    assert abs(text.bounding_box()["y"] - words["y"]) < 1  # the text above does not move
    sentence.click()
    expect(how).to_be_hidden()


def test_on_a_phone_a_mark_ends_its_paragraph(visit, book_html):
    page = visit((book_html / "chapters/softmax_saturation.html").as_uri(), viewport={"width": 360, "height": 740})
    folds = ".wf-answer, .wf-fold, .wf-card-turn, .solution"
    page.evaluate("(folds) => document.querySelectorAll(folds).forEach((one) => { one.open = true; })", folds)
    for block in page.locator(".wf-proven:has(> p + .wf-check)").all():
        text, mark = (
            block.locator("p").first.bounding_box(),
            block.locator(":scope > .wf-check > summary").bounding_box(),
        )
        assert mark["x"] >= 0 and mark["x"] + mark["width"] <= 360
        assert text["y"] < mark["y"] < text["y"] + text["height"] + 30
