"""Keys in a lab in JupyterLab: the lab has those that its controls use, JupyterLab the combinations; cells are safe."""

from __future__ import annotations

import pytest
from jupyter_cases import FIRST, until

CELLS = """(() => {
  const { model, activeCellIndex } = jupyterapp.shell.currentWidget.content;
  return JSON.stringify([[...model.cells].map((cell) => [cell.id, cell.type]), activeCellIndex]);
})()"""
DIRTY = "jupyterapp.shell.currentWidget.context.model.dirty"
#: What JupyterLab's command mode does at once, to cells or to what is selected.
BARE = ["a", "b", "x", "d", "d", "c", "v", "m", "y", "r", "j", "k", "z", "0", "0", "Enter", "Space", "Escape", "Delete",
        "Shift+A", "Shift+B", "Shift+M", "Shift+V", "Shift+ArrowDown", "Shift+J", "ArrowDown", "ArrowUp", "ArrowLeft",
        "PageDown", "Home", "End"]  # fmt: skip
CONTROLS = {
    "slider": "[name=d_k]",
    "number": "[name=seed]",
    "radio": "[name=divisor]:checked",
    "button": "[data-act=reset]",
}


def focus(notebook, selector: str) -> None:
    """A cell is selected, in command mode, as after running it; then the reader is in the lab."""
    notebook.page.evaluate("""() => {
      const { content } = jupyterapp.shell.currentWidget;
      content.activeCellIndex = 1;
      content.mode = "command";
    }""")
    control = notebook.lab(FIRST).locator(selector).first
    control.focus()
    assert control.evaluate("(control) => control === document.activeElement")


@pytest.mark.parametrize("control", CONTROLS)
def test_single_keys_stay_in_the_lab(control, notebook):
    focus(notebook, CONTROLS[control])
    before = notebook.page.evaluate(CELLS)
    for key in BARE:
        notebook.page.keyboard.press(key)
    assert notebook.page.evaluate(CELLS) == before
    assert notebook.page.locator(".jp-Dialog").count() == 0


@pytest.mark.parametrize("control", CONTROLS)
def test_the_notebook_is_saved_from_within_a_lab(control, notebook):
    focus(notebook, CONTROLS[control])
    notebook.page.evaluate(f"() => {{ {DIRTY} = true }}")

    def saved() -> bool:
        """Jupyter ignores the key while an earlier save is under way."""
        notebook.page.keyboard.press("Control+s")
        notebook.page.wait_for_timeout(500)
        return notebook.page.evaluate(DIRTY) is False

    until(saved, "the notebook to be saved")


@pytest.mark.parametrize("control", ["slider", "radio", "button"])
def test_shift_and_enter_run_the_cell(control, notebook):
    focus(notebook, CONTROLS[control])
    counter = "jupyterapp.shell.currentWidget.content.widgets[1].model.executionCount"
    before = notebook.page.evaluate(counter)
    notebook.page.keyboard.press("Shift+Enter")
    until(lambda: (notebook.page.evaluate(counter) or 0) > before, "the cell to run")
    notebook.page.wait_for_function("document.querySelectorAll('whyformer-lab[alive]').length === 5")


def test_text_in_a_field_is_edited_as_everywhere(notebook):
    focus(notebook, CONTROLS["number"])
    before = notebook.page.evaluate(CELLS)
    for key in ("1", "2", "Control+a", "7", "Control+Shift+ArrowLeft", "Control+Backspace", "5", "8"):
        notebook.page.keyboard.press(key)
    until(lambda: notebook.ask("first.seed") == 58, "the seed typed")
    assert notebook.page.evaluate(CELLS) == before
