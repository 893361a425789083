"""Labs of a page take turns to start: those in sight at once, the others from the reader's first move on."""

import pytest
from browser import ALL_STARTED, guard, write_page

SHOWN = ["layer_norm/normalisation", "softmax_saturation/gap", "multi_head/two_wishes"]
STARTED = "[...document.querySelectorAll('whyformer-lab')].map((lab) => lab.lastElementChild.matches('.wf-live'))"
FIRST = "document.querySelector('whyformer-lab > .wf-live')"
REST = 1000  # milliseconds, twice as long as a page may take to find a quiet moment
MOVES = {
    "a key": lambda page: page.keyboard.press("Tab"),
    "the pointer": lambda page: page.mouse.move(5, 5),
    "the wheel": lambda page: page.mouse.wheel(0, 10),
}


#: A browser under load may tell a page of a pointer that was elsewhere before: only what the test does is heard.
DEAF = """
for (const name of ["scroll", "wheel", "pointermove", "pointerdown", "touchstart", "keydown", "focusin"])
  addEventListener(name, (event) => { if (!window.reader) event.stopImmediatePropagation(); }, {capture: true});
"""


@pytest.fixture
def page(chromium, lab_html, tmp_path):
    """Three labs, each far below the one before."""
    trouble = []
    context = chromium.new_context()
    guard(context, trouble)
    page = context.new_page()
    page.add_init_script(DEAF)
    body = '<div style="height: 5000px"></div>'.join(lab_html[name] for name in SHOWN)
    page.goto(write_page(tmp_path, body).as_uri())
    page.wait_for_function(FIRST)
    page.wait_for_timeout(REST)
    yield page
    context.close()
    assert not trouble


@pytest.mark.parametrize("move", MOVES)
def test_labs_out_of_sight_wait_for_the_first_move(page, move):
    assert page.evaluate(STARTED) == [True, False, False]
    assert page.locator("whyformer-lab figure.wf-fallback:visible").count() == 2
    page.evaluate("window.reader = true")
    MOVES[move](page)
    page.wait_for_function(ALL_STARTED.replace("dispatchEvent(new Event('scroll')) && ", ""))


def test_a_script_that_asks_a_lab_does_not_wait(page):
    asked, started = page.evaluate(f"[document.querySelectorAll('whyformer-lab')[2].state, {STARTED}]")
    assert asked and started == [True, False, True]
