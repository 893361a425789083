"""The picture of the book: its gradient against PyTorch, its sentences over many starts, and how it asks and tells."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from whyformer.lab.step import holds
from whyformer.maths.random import normal
from whyformer.questions.why_sqrt_dk.start_lab import D_K, DIVISORS, N_KEYS, WORDS, StartLab, compute


def by_autograd(d_k: int, divisor: float, n_keys: int, seed: int) -> tuple[np.ndarray, float]:
    """Weights, and the length of their Jacobian with respect to the query."""
    component = np.arange(d_k)
    query = torch.from_numpy(normal(seed, 0, component))
    keys = torch.from_numpy(normal(seed, 1 + np.arange(n_keys)[:, None], component))

    def weights(q: torch.Tensor) -> torch.Tensor:
        return torch.softmax(keys @ q / divisor, 0)

    return weights(query).numpy(), float(torch.linalg.norm(torch.autograd.functional.jacobian(weights, query)))


@pytest.mark.parametrize("n_keys", N_KEYS)
@pytest.mark.parametrize("d_k", [1, 16, 64, 512])
def test_the_gradient_is_that_of_pytorch(d_k, n_keys):
    series = compute(d_k=d_k, divisor="1", n_keys=n_keys, seed=203)
    for name, divisor in (("raw", 1.0), ("divided", d_k**0.5)):
        weights, length = by_autograd(d_k, divisor, int(n_keys), 203)
        np.testing.assert_allclose(series[f"weights_{name}"], weights, rtol=1e-9, atol=1e-15)
        assert series[f"gradient_{name}"] == pytest.approx(length, rel=1e-7, abs=1e-12)


def test_before_the_script_it_asks_and_without_one_it_tells_too():
    caption = StartLab(size="small").html().split("<figcaption>")[1].split("</figcaption>")[0]
    ask, tell = caption.removesuffix("</noscript>").split("<noscript>")
    assert ask == StartLab.steps[0].asks and "The" in tell and "over 99" in tell
    assert "noscript" not in StartLab(size="small", d_k=512).html(), "it opens told"


def said(state: dict, series: dict) -> str:
    """The lab's sentence, as it is written."""

    class Computed(StartLab):
        compute = staticmethod(lambda **_: series)

    return Computed(**state).description


def test_what_is_told_holds_at_every_start():
    for seed in range(40):
        for d_k in D_K:
            for divisor in DIVISORS:
                state = {"d_k": d_k, "divisor": divisor, "n_keys": "8", "seed": seed}
                series = compute(**state)
                words = said(state, series)
                raw, divided = series["gradient_raw"], series["gradient_divided"]
                assert "·10" not in words and "100\u00a0%" not in words, words
                if "“" in words:
                    assert divisor == "1" and f"“{WORDS[int(series['weights_raw'].argmax())]}”" in words
                if "By luck" in words:
                    assert series["weights_raw"].max() > 0.5 and raw < divided / 3
                if "over 99" in words:
                    assert series["weights_raw"].max() > 0.99
                if "times as large" in words:
                    assert raw >= 1.5 * divided
                if "at every dₖ" in words:
                    assert d_k > 1 and divisor == "sqrt"
                    ends = [compute(**{**state, "d_k": each})["gradient"] for each in D_K]
                    assert f"is {min(ends):.2g} to {max(ends):.2g} at every dₖ" in words
                if "under 0.001" in words:
                    assert (raw if divisor == "1" else series["trail_raw"].min()) < 0.001


@pytest.mark.parametrize("n_keys", ["64", "512"])
def test_with_many_keys_a_typical_query_is_spoken_of(n_keys):
    told = StartLab(d_k=512, n_keys=n_keys, seed=5).description
    of_many, of_this = told.split(". This one gets ")
    assert StartLab(d_k=512, n_keys=n_keys, seed=6).description.startswith(f"{of_many}. ") and of_this
    assert told.startswith(f"With {n_keys} keys at dₖ = 512, a typical query gets a gradient of about 0.")


def test_it_opens_before_the_surprise():
    series = StartLab().series
    assert StartLab().state == {"d_k": 16, "divisor": "1", "n_keys": "8", "seed": 203}
    assert WORDS[series["winner"]] == "because" and round(series["largest"], 2) == 0.76
    assert [round(series[f"gradient_{name}"], 2) for name in ("raw", "divided")] == [0.81, 0.37]
    assert holds(("times > 1.5",), StartLab().state, series)


# ---- on a page


@pytest.fixture
def small(visits, book_html):
    def at(width=1366, height=768, **more):
        page = visits.open(
            (book_html / "chapters/intro.html").as_uri(), viewport={"width": width, "height": height}, **more
        )
        return page, page.locator("whyformer-lab[alive]")

    return at


def test_it_asks_and_tells_with_one_button(small):
    _, lab = small()
    words, button = lab.locator(".wf-ask-or-tell"), lab.locator(".wf-on")
    expect(words).to_contain_text("Does the gradient at the query grow or fade?")
    expect(lab.locator(".wf-tell")).to_have_count(0)
    for name, told in (
        ("Tell me", "By luck The has over 99\N{NO-BREAK SPACE}%, and the gradient at the query is only 0.0071."),
        ("Next", "Now divide by √dₖ. What becomes of the gradient's line?"),
        ("Tell me", "If we divide, the gradient at this query is 0.31 to 0.43 at every dₖ."),
        ("Next", "Does a typical query still lose its gradient?"),
        ("Tell me", "With 512 keys at dₖ = 512, a typical query gets a gradient of about 0.4"),
        ("Begin again", "Does the gradient at the query grow or fade?"),
    ):
        expect(button).to_have_text(name)
        button.click()
        expect(words).to_contain_text(told)
    expect(lab.locator(".wf-tell")).to_have_count(0)
    assert lab.evaluate("(lab) => lab.state") == StartLab().state


def test_a_drag_over_the_chart_moves_and_tells_once_the_hand_rests(small):
    page, lab = small()
    box = lab.locator(".wf-drag").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 14, box["y"] + 40, steps=4)
    assert lab.evaluate("(lab) => lab.state.d_k") == 512
    page.mouse.up()
    expect(lab.locator(".wf-tell")).to_contain_text("By luck The has over 99\N{NO-BREAK SPACE}%")
    expect(lab.locator(".wf-axis")).to_be_focused()


def test_the_axis_is_a_native_slider(small):
    _, lab = small()
    axis = lab.get_by_role("slider", name="Vector length dₖ")
    expect(axis).to_have_attribute("aria-valuetext", "16; gradient 0.81")
    axis.press("ArrowRight")
    expect(axis).to_have_attribute("aria-valuetext", "24; gradient 0.33")
    expect(lab.locator(".wf-ask")).to_have_count(1)
    axis.press("End")
    expect(axis).to_have_attribute("aria-valuetext", "512; gradient 0.0071")
    expect(lab.locator(".wf-tell")).to_have_count(1)
    assert axis.bounding_box()["height"] >= 43


def test_other_starts_come_with_the_tell_and_a_link_tells(small, visits, book_html):
    _, lab = small()
    others = lab.locator('[data-mark="other starts"]')
    assert others.count() == 0
    lab.locator(".wf-on").click()
    assert others.count() == 1
    address = (book_html / "chapters/intro.html").as_uri() + "#start?d_k=512"
    page = visits.open(address, viewport={"width": 1366, "height": 768})
    expect(page.locator("whyformer-lab .wf-sentence")).to_contain_text("By luck The has over 99\N{NO-BREAK SPACE}%")
