"""What is folded says what it opens, to everybody; it needs no script."""

from __future__ import annotations

import pytest
from page_cases import FEW_OR_ALL
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
    # As after a jump: of sections that are not laid out the protocol's tree has no names yet.
    page.evaluate("() => document.querySelector('.bd-article').classList.add('wf-whole')")
    found = names(page)
    assert not [one for one in found if not one or "Toggle" in one or "Click to" in one]
    solutions = [one for one in found if one.startswith("Solution")]
    assert len(solutions) == page.locator(".solution").count() == len(set(solutions))
    assert all(one.startswith("Solution to Exercise") for one in solutions)
    folded = page.locator("details.hide").count()
    assert sum(one in ("Show the check", "Hide the check") for one in found) == folded
    assert page.content().count("Toggle hidden content") == 0


@pytest.mark.parametrize("script", [True, False])
def test_a_solution_opens_and_closes(script, visit, book_html):
    page = visit((book_html / "chapters/why_sqrt_dk.html").as_uri(), java_script_enabled=script)
    solution = page.locator("details.solution").first
    inside = solution.locator("section p").first
    expect(inside).to_be_hidden()
    for opened in (True, False):
        solution.locator("summary").click()
        expect(inside).to_be_visible(visible=opened)
    solution.locator("summary").press("Enter")
    expect(inside).to_be_visible()


def test_a_link_to_a_solution_opens_it(visit, book_html):
    page = visit((book_html / "chapters/why_sqrt_dk.html").as_uri())
    inside = page.locator("details.solution section").first
    inside.evaluate("(section) => { section.id = 'inside'; location.hash = '#inside'; }")
    expect(inside).to_be_in_viewport()
