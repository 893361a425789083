"""What a lab computes while the reader rests is what is asked for next, and is computed once."""

import pytest
from lab_cases import LABS, defaults

PLACEMENT = "layer_norm/placement"
PIECES = """([name, state, max]) => {
  const pieces = [...WhyformerLabs.labs.get(name).ahead(state, () => ({max}))];
  return [pieces.length, pieces.at(-1).end_post, [...pieces.at(-1).gradient_pre]];
}"""


LAST = LABS[PLACEMENT].controls()["seed"].max


@pytest.mark.parametrize(("seed", "then"), [(3, 4), (LAST, 0)])
def test_the_next_draw_is_there_when_the_button_is_pressed(seed, then, visit, lab_pages):
    lab = LABS[PLACEMENT]
    page = visit(lab_pages[PLACEMENT])
    asked = [PLACEMENT, defaults(lab) | {"seed": seed}, LAST]
    pieces, end, gradients = page.evaluate(PIECES, asked)
    expected = lab.compute(**defaults(lab) | {"seed": then})
    assert end == pytest.approx(expected["end_post"], rel=1e-9)
    assert gradients == pytest.approx(expected["gradient_pre"].ravel().tolist(), rel=1e-9)
    assert pieces == 4 and page.evaluate(PIECES, asked)[0] == 1
