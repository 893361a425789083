"""Labs in a real JupyterLab with a real kernel: what a reader drags, Python has; what Python sets, the reader sees."""

from __future__ import annotations

import pytest
from jupyter_cases import AGAIN, FIRST, FOURTH, SECOND, THIRD, Notebook, until
from playwright.sync_api import Locator


@pytest.fixture(autouse=True)
def fresh(notebook):
    """Each test starts from the same states; a test fails that makes the page complain."""
    notebook.run("first.d_k = second.d_k = 64; first.seed = second.seed = 3; third.logits = [8, 0, 1, -1, 0]")
    notebook.settle("first", FIRST)
    yield
    ours = [trouble for trouble in notebook.trouble if "/static/lab/" not in trouble]  # JupyterLab's own scripts
    assert not ours, "\n".join(ours[:5])


def test_labs_appear_as_live_widgets(notebook):
    assert notebook.page.locator(".jp-OutputArea-output whyformer-lab[alive]").count() == 5
    assert notebook.page.locator(".jp-OutputArea-output .wf-fallback").count() == 0
    assert notebook.page.locator(".jp-OutputArea-output whyformer-predict[alive]").count() == 1
    for i in range(5):
        assert notebook.lab(i).locator(".wf-panel > svg").count() >= 1
        assert notebook.lab(i).locator(".wf-live").evaluate("(live) => live.scrollWidth <= live.clientWidth")


def drag(notebook: Notebook, slider: Locator, share: float) -> None:
    slider.scroll_into_view_if_needed()
    box, mouse = slider.bounding_box(), notebook.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=25)
    mouse.up()


@pytest.mark.parametrize(("share", "wanted"), [(1.1, 4096), (-0.1, 1), (0.75, None)])
def test_a_drag_reaches_python_and_the_other_view(share, wanted, notebook):
    before = notebook.look(AGAIN)
    drag(notebook, notebook.lab(FIRST).locator("[name=d_k]:not(.wf-axis)"), share)
    state = notebook.settle("first", FIRST, AGAIN)
    assert state["d_k"] == wanted or wanted is None and 64 < state["d_k"] < 4096
    assert notebook.look(AGAIN)["picture"] != before["picture"]
    assert notebook.ask("second.d_k") == 64 == notebook.look(SECOND)["state"]["d_k"]
    shown = notebook.lab(FIRST).evaluate("(lab) => [lab.series.largest_scaled, ...lab.series.drawn]")
    assert notebook.ask("[first.series['largest_scaled'], *first.series['drawn']]") == pytest.approx(shown, rel=1e-9)
    assert notebook.ask("first.description") == notebook.look(FIRST)["words"] == notebook.look(AGAIN)["words"]


def test_keys_reach_python_and_not_the_notebook(notebook):
    """JupyterLab has shortcuts for single keys; in a lab they must not move, change or delete cells."""
    cells = "[...document.querySelectorAll('.jp-Notebook .jp-Cell')].map((cell) => cell.className.split(' ')[3])"
    before = notebook.page.evaluate(cells)
    slider = notebook.lab(FIRST).locator("[name=d_k]:not(.wf-axis)")
    slider.focus()
    for key, wanted in (("End", 4096), ("ArrowDown", 3968), ("ArrowUp", 4096), ("Home", 1), ("ArrowRight", 2)):
        notebook.page.keyboard.press(key)
        until(lambda wanted=wanted: notebook.ask("first.d_k") == wanted, f"d_k = {wanted} after {key}")
    seed = notebook.lab(FIRST).locator("[name=seed]")
    seed.click(click_count=3)
    notebook.page.keyboard.type("128", delay=10)
    until(lambda: notebook.ask("first.seed") == 128, "the seed typed")
    assert notebook.page.evaluate(cells) == before
    assert slider.count() == 1 and notebook.settle("first", FIRST, AGAIN)["d_k"] == 2


def test_a_trait_set_in_python_changes_the_pictures_of_that_lab(notebook):
    before = [notebook.look(i) for i in range(4)]
    notebook.run("first.d_k = 2048; first.n_keys = 6; first.quantity = 'gradient_q'")
    state = notebook.settle("first", FIRST, AGAIN)
    assert (state["d_k"], state["n_keys"], state["quantity"]) == (2048, 6, "gradient_q")
    after = [notebook.look(i) for i in range(4)]
    assert [a["picture"] != b["picture"] for a, b in zip(after, before, strict=True)] == [True, True, False, False]
    notebook.run("for d in range(1, 33): first.d_k = d")
    assert notebook.settle("first", FIRST, AGAIN)["d_k"] == 32
    notebook.run("first.n_keys = 16; first.quantity = 'largest_entry'")


def test_vectors_go_both_ways(notebook):
    handle = notebook.lab(THIRD).locator(".wf-handle").nth(1)
    handle.focus()
    notebook.page.keyboard.press("End")
    until(lambda: notebook.ask("third.logits") == [8, 10, 1, -1, 0], "the second logit to reach Python")
    notebook.lab(THIRD).get_by_role("button", name="Free play").click()
    notebook.lab(THIRD).get_by_role("button", name="Add a logit").click()
    until(lambda: len(notebook.ask("third.logits")) == 6, "six logits")
    notebook.run("third.logits = [1, 2, 3]")
    assert notebook.settle("third", THIRD)["logits"] == [1, 2, 3]
    assert handle.count() == 1 and notebook.lab(THIRD).locator(".wf-handle").count() == 3


def test_a_bad_value_raises_and_leaves_the_picture(notebook):
    before = notebook.look(FIRST)
    for bad in ("first.d_k = 0", "first.d_k = '8'", "first.divisor = 'x'", "third.logits = [1]", "ScaleLab(n_keys=1)"):
        assert notebook.run(bad)[0] == "TraitError", bad
    assert notebook.run("ScaleLab(dk=1)")[0] == "TypeError"
    assert notebook.run("first.dk = 1")[0] == "AttributeError"
    assert notebook.settle("first", FIRST, AGAIN) == before["state"] and notebook.look(FIRST) == before


@pytest.mark.parametrize("way", ["traitlets.link", "ipywidgets.jslink"])
def test_a_linked_slider_moves_the_lab_and_stops_at_what_is_allowed(way, notebook):
    made = "slider = ipywidgets.IntSlider(64, 1, 9000); heard = []; first.observe(heard.append, 'state')"
    told = notebook.run(f"import ipywidgets, traitlets; {made}; tie = {way}((slider, 'value'), (first, 'd_k'))")
    assert told[0] == ""
    for value, wanted in ((8, 8), (9000, 4096), (33, 32)):
        notebook.run(f"slider.value = {value}")
        until(lambda wanted=wanted: notebook.ask("first.d_k") == wanted, f"d_k = {wanted} for a slider at {value}")
        assert notebook.settle("first", FIRST, AGAIN)["d_k"] == wanted
    assert notebook.ask("heard[-1]['new']['d_k']") == 32
    notebook.run("tie.unlink(); first.unobserve_all()")


def test_copied_code_makes_the_same_lab(notebook):
    notebook.run("first.d_k = 96; first.related = 'all'; first.rho = 0.35")
    state = notebook.settle("first", FIRST)
    notebook.lab(FIRST).get_by_role("button", name="Copy code").click()
    code = notebook.lab(FIRST).locator(".wf-notes p").inner_text().partition(": ")[2]
    assert code.startswith("ScaleLab(") and notebook.ask(f"{code}.state") == state
    notebook.run("first.related = 'one'; first.rho = 0.0")


def test_an_answer_is_checked_in_its_form_and_by_code(notebook):
    """The form needs no kernel; Python has the answer, may set one, and judges it likewise."""
    form = notebook.page.locator("whyformer-exercise")
    box, verdict = form.get_by_label("Half of four"), form.get_by_role("status")
    box.fill("4")
    box.press("Backspace")  # in a box for text, not a shortcut that moves or deletes cells
    box.type("4")
    box.press("Enter")
    until(lambda: verdict.inner_text() == "You doubled it.", "the form to judge")
    until(lambda: notebook.ask("checked.answer") == "4", "the answer in Python")
    assert notebook.ask("list(check.judge(checked.answer))") == ["You doubled it.", False]
    notebook.run("checked.answer = '2'")
    until(lambda: verdict.inner_text() == "Right.", "an answer set in Python to be judged")
    assert box.input_value() == "2" and notebook.ask("check(2.0)") is True
    notebook.run("checked.answer = ''")
    until(lambda: verdict.inner_text() == "", "an answer taken away")


def test_a_prediction_reaches_python_and_its_lab_says_so(notebook):
    question, lab = notebook.page.locator("whyformer-predict"), notebook.lab(FOURTH)
    assert lab.locator("form").evaluate("(form) => !form.inert"), "a lab waits for an answer"
    assert notebook.ask("asked.answer") == -1
    question.locator("label").nth(1).click()
    notebook.page.keyboard.press("Enter")
    until(lambda: notebook.ask("asked.answer") == 1, "the answer in Python")
    assert "No." in question.inner_text()
    assert lab.locator(".wf-eyebrow").inner_text().strip() == "Your bet, here"
    notebook.run("asked.answer = 0")
    until(lambda: "Yes." in question.inner_text(), "an answer set in Python to be shown")


def test_labs_follow_the_theme(notebook):
    paper = "getComputedStyle(document.querySelector('.wf-live')).backgroundColor"
    light = notebook.page.evaluate(paper)
    notebook.command("apputils:change-theme", {"theme": "JupyterLab Dark"})
    notebook.page.wait_for_function(f"{paper} !== '{light}'")
    notebook.command("apputils:change-theme", {"theme": "JupyterLab Light"})
    notebook.page.wait_for_function(f"{paper} === '{light}'")


def test_a_cleared_output_is_gone_and_hears_nothing(notebook):
    """It takes the views away, one by one; then all cells run again, for the tests of other files."""
    page = notebook.page
    removed = notebook.lab(AGAIN).element_handle()
    page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex = 2")
    notebook.command("notebook:clear-cell-output")
    page.wait_for_function("document.querySelectorAll('whyformer-lab').length === 4")
    notebook.run("first.d_k = 256")
    assert notebook.settle("first", FIRST)["d_k"] == 256
    assert removed.evaluate("(lab) => [lab.isConnected, lab.state.d_k]") == [False, 64]
    removed.evaluate("(lab) => { lab.dispatchEvent(new CustomEvent('whyformer:change')) }")
    assert notebook.settle("first", FIRST)["d_k"] == 256
    notebook.run("second.close()")
    page.wait_for_function("document.querySelectorAll('whyformer-lab').length === 3")
    notebook.run("first.d_k = 4; second.d_k = 4")
    assert notebook.settle("first", FIRST)["d_k"] == 4
    notebook.command("notebook:clear-all-cell-outputs")
    page.wait_for_function("document.querySelectorAll('whyformer-lab, whyformer-predict').length === 0")
    notebook.run("first.d_k = 8; third.logits = [0, 0]")
    assert notebook.ask("[first.d_k, len(first.series['drawn'])]") == [8, 3]
    notebook.run_all()
