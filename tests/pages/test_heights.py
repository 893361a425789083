"""Cause and effect stand on one screen: at every step a lab is no taller than its window allows, and can be read."""

from __future__ import annotations

import pytest
from heights import LARGEST_LABEL, WINDOWS, measured
from lab_cases import LABS
from some import some

#: Where words of a picture are smaller than elsewhere, in pixels: the first stands small on its pages.
SMALLER = {("why_sqrt_dk/start", "projector"): 16, ("why_sqrt_dk/trained_scores", "narrow phone"): 8}


@pytest.mark.parametrize("window", some(WINDOWS, ["phone"]))
@pytest.mark.parametrize("name", [name for name, kind in LABS.items() if kind.steps])
def test_every_step_fits_the_screen(name: str, window: str, visit, lab_pages: dict[str, str]) -> None:
    size = WINDOWS[window]
    page = visit(lab_pages[name] + size.query, viewport={"width": size.width, "height": size.height})
    for number, step in enumerate(measured(page, size), 1):
        assert step.height <= size.tallest, f"step {number}: {step.height} px"
        assert step.wide <= size.width, f"step {number}: wider than the window"
        assert step.label >= SMALLER.get((name, window), LARGEST_LABEL if size.query else 10), (
            f"step {number}: labels of {step.label} px"
        )
        assert not step.touching, f"step {number}: {step.touching[:5]}"


def test_a_lab_that_is_too_tall_is_noticed(visit, lab_pages):
    size = WINDOWS["text column"]
    page = visit(lab_pages["why_sqrt_dk/scale"], viewport={"width": size.width, "height": size.height})
    page.add_style_tag(content=".wf-thesis { padding-bottom: 700px }")
    assert max(step.height for step in measured(page, size)) > size.tallest


def test_words_that_touch_are_noticed(visit, lab_pages):
    size = WINDOWS["text column"]
    page = visit(lab_pages["why_sqrt_dk/scale"], viewport={"width": size.width, "height": size.height})
    page.add_style_tag(content=".wf-live svg text { transform: scale(2) }")
    assert all(step.touching for step in measured(page, size))


def test_plots_do_not_become_flat_on_a_projector(visit, lab_pages):
    """The fan of the scores has half of the lab's height: large type must not press it into a band."""
    size = WINDOWS["projector"]
    page = visit(lab_pages["why_sqrt_dk/scale"] + size.query, viewport={"width": size.width, "height": size.height})
    measured(page, size)
    lab = page.locator("whyformer-lab")
    lab.evaluate("(lab) => lab.go(1)")
    fan = "(lab) => Math.max(...[...lab.querySelectorAll('.wf-onstage svg')].map((panel) => panel.clientHeight))"
    assert lab.evaluate(fan) >= lab.evaluate("(lab) => lab.offsetHeight") / 2
