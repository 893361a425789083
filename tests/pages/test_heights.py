"""Cause and effect stand on one screen: at every step but free play a lab is no taller than its window allows."""

from __future__ import annotations

import pytest
from heights import LARGEST_LABEL, WINDOWS, measured
from lab_cases import LABS


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", [name for name, kind in LABS.items() if kind.steps])
def test_every_step_fits_the_screen(name: str, window: str, visit, lab_pages: dict[str, str]) -> None:
    size = WINDOWS[window]
    page = visit(lab_pages[name] + size.query, viewport={"width": size.width, "height": size.height})
    for step, (height, wide, label) in enumerate(measured(page, size), 1):
        assert height <= size.tallest, f"step {step}: {height} px"
        assert wide <= size.width, f"step {step}: wider than the window"
        assert label >= (LARGEST_LABEL if size.query else 10), f"step {step}: labels of {label} px"


def test_a_lab_that_is_too_tall_is_noticed(visit, lab_pages):
    size = WINDOWS["text column"]
    page = visit(lab_pages["why_sqrt_dk/scale"], viewport={"width": size.width, "height": size.height})
    page.add_style_tag(content=".wf-claim { padding-bottom: 700px }")
    assert max(height for height, _, _ in measured(page, size)) > size.tallest
