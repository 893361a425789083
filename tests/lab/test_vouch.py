"""``vouch`` takes what rounds to the text, refuses what does not, and knows what is no number."""

from __future__ import annotations

import numpy as np
import pytest
from whyformer import vouch


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.071", 0.0714), ("0.07", 0.0749), ("28 %", 0.2849), ("28\u00a0%", 0.28), ("28%", 0.275), ("\u22120.5", -0.45),
     ("2.78e-8", 2.784e-8), ("1e6", 1.4e6), ("512", 512), ("0.5", 0.45)],
)  # fmt: skip
def test_vouch_accepts_what_rounds_to_the_text(text, value):
    vouch(text, value)
    vouch(text, np.float64(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.071", 0.0716), ("0.07", 0.0751), ("28 %", 28), ("28 %", 0.286), ("0.5", -0.5), ("2.78e-8", 2.78e-7),
     ("1.00", 1.006), ("0", float("nan")), ("0", float("inf"))],
)  # fmt: skip
def test_vouch_refuses_what_does_not(text, value):
    with pytest.raises(AssertionError, match="the text says"):
        vouch(text, value)


def test_vouch_within_and_bad_texts():
    vouch("0.07", 0.0849, within=1.5)
    with pytest.raises(AssertionError):
        vouch("0.07", 0.0851, within=1.5)
    for text in ("", "about 3", "1/2", "3 %%", "1.", "nan", "0,5"):
        with pytest.raises(ValueError, match="is not a number as printed"):
            vouch(text, 1.0)
