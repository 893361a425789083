"""Forced colours (Windows high contrast): what is chosen, pressed, struck out or right is still seen."""

from __future__ import annotations

import re
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread
from playwright.sync_api import Locator
from some import some

pytestmark = pytest.mark.parametrize("scheme", some(["light", "dark"], ["dark"]))


def pixels(element: Locator) -> np.ndarray:
    """(height, width, 3), from 0 to 1: what a reader sees of it."""
    return imread(BytesIO(element.screenshot(animations="disabled")), format="png")[..., :3]


def contrast(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """WCAG 2.2, of colours in the last axis."""
    light = [
        np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722] + 0.05
        for rgb in (one, other)
    ]
    return np.maximum(*light) / np.minimum(*light)


def ground(seen: np.ndarray) -> np.ndarray:
    """The colour that most pixels have, without the edge."""
    colours, counts = np.unique(seen[4:-4, 4:-4].reshape(-1, 3), axis=0, return_counts=True)
    return colours[counts.argmax()]


def is_read(element: Locator) -> bool:
    """Whether there are letters, or lines, that stand out from their ground."""
    seen = pixels(element)
    return bool((contrast(seen[4:-4, 4:-4], ground(seen)) >= 4.5).sum() >= 8)


def is_framed(element: Locator) -> bool:
    """Whether most pixels along its upper edge stand out from its ground."""
    seen = pixels(element)
    return bool((contrast(seen[:3], ground(seen)) >= 3).max(0).mean() > 0.8)


def unstruck(element: Locator) -> Locator:
    element.evaluate("(one) => { one.classList.remove('wf-struck'); one.dataset.here = ''; }")
    return element.page.locator("[data-here]")


@pytest.mark.parametrize(
    ("name", "chosen", "other"),
    [
        ("weight_tying/rows", ".wf-dot[aria-current]", ".wf-dot:not([aria-current])"),
        ("layer_norm/normalisation", ".wf-radios input:checked + span", ".wf-radios input:not(:checked) + span"),
    ],
)
def test_what_is_chosen_in_a_lab_has_another_ground(name, chosen, other, scheme, visit, lab_pages):
    lab = visit(lab_pages[name], forced_colors="active", color_scheme=scheme).locator("whyformer-lab")
    lab.evaluate("(lab) => lab.go(99)")  # free play: all controls
    chosen, other = lab.locator(chosen).first, lab.locator(other).first
    assert is_read(chosen) and is_read(other)
    assert contrast(ground(pixels(chosen)), ground(pixels(other))) >= 3


def test_a_picture_is_seen_with_any_theme_of_the_page(scheme, visit, lab_pages):
    page = visit(lab_pages["weight_tying/rows"], forced_colors="active", color_scheme=scheme)
    page.locator("whyformer-lab").evaluate("(lab) => lab.go(99)")  # free play: all panels
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        arrow = page.locator("[data-panel=plane] .wf-arrow.wf-ink").first
        stroke = re.findall(r"\d+", arrow.evaluate("(one) => getComputedStyle(one).stroke"))
        assert contrast(np.array(stroke, float) / 255, ground(pixels(page.locator(".wf-live")))) >= 7


def test_a_bet_says_which_option_was_right(scheme, visit, book_html):
    page = visit((book_html / "chapters/layer_norm.html").as_uri(), forced_colors="active", color_scheme=scheme)
    bet = page.locator("whyformer-predict").first
    bet.locator("label").first.click()
    commit = bet.get_by_role("button", name="Commit")
    assert is_read(commit)
    commit.click()
    framed = [is_framed(label) for label in bet.locator("label").all()]
    assert framed == ["wf-right" in (label.get_attribute("class") or "") for label in bet.locator("label").all()]


def test_the_button_of_a_card_is_read(scheme, visit, book_html):
    page = visit((book_html / "chapters/practice.html").as_uri(), forced_colors="active", color_scheme=scheme)
    assert is_read(page.locator(".wf-card:visible summary").first)


def test_the_first_page_shows_what_is_struck_out_and_what_goes_on(scheme, visit, book_html):
    page = visit((book_html / "index.html").as_uri(), forced_colors="active", color_scheme=scheme)
    struck = page.locator(".wf-struck").first
    ink = [(contrast(seen, ground(seen)) >= 3).sum() for seen in (pixels(struck), pixels(unstruck(struck)))]
    assert ink[0] > 1.2 * ink[1]
    assert is_read(page.locator("whyformer-lab .wf-on")) and is_read(page.locator(".wf-start"))
    shapes = page.locator(".wf-shape:visible")
    assert shapes.count() and all((contrast(pixels(one), ground(pixels(one))) >= 3).any() for one in shapes.all())
