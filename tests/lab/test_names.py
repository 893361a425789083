"""One name for one thing: *not divided*, and no name of a variable where a reader looks."""

from __future__ import annotations

import json
import re

import pytest
from whyformer.lab.discover import lab_classes
from whyformer.lab.drawing import _widths

#: What follows an underscore and is shown lowered by the type, as in W_Q.
LOWERED = [piece for piece in _widths("400") if len(piece) > 1]
RAW = re.compile(rf"\b[A-Za-z](?!{'|'.join(LOWERED)})_\w+")
OTHER = re.compile(r"\b[Uu]n(?:divided|scaled)\b|÷ 1(?![\d.])|divided by 1(?![\d.])")
SAID = ("title", "hint", "sentence", "label", "help", "says", "asks", "unit")
LABS = list(lab_classes())


def said(declared: object) -> list[str]:
    """What a declaration says to a reader, wherever it stands in it; without the gaps of its sentences."""
    if isinstance(declared, list):
        return [text for each in declared for text in said(each)]
    if not isinstance(declared, dict):
        return []
    here = [value for key, value in declared.items() if key in SAID and isinstance(value, str)]
    return [re.sub(r"\{.*?\}", "", text) for text in here] + [text for each in declared.values() for text in said(each)]


@pytest.mark.parametrize("name", LABS)
def test_a_lab_has_the_names_of_its_reader(name: str) -> None:
    lab = lab_classes()[name]
    texts = said(json.loads(re.findall(r"<script[^>]*>(.*?)</script>", lab().html(), re.DOTALL)[0]))
    assert len(texts) > 5
    for state in [{}, *(step.state or {} for step in lab.steps)]:
        texts += re.findall(r"<text[^>]*>([^<]*)", lab(**state).svg())
    wrong = sorted({text for text in texts if RAW.search(text) or OTHER.search(text)})
    assert not wrong
