"""What Python declares stands in no TypeScript again: it comes with the declaration, or from ``declared.ts``."""

import re
from pathlib import Path

import pytest
import whyformer.questions
from lab_cases import LABS
from whyformer.lab.control import Choice

QUESTIONS = Path(whyformer.questions.__file__).parent
SAID = re.compile(r'\bt\(\s*"((?:[^"\\]|\\.)*)"')


def declared(lab) -> set[str]:
    """Title, hint and sentence of a lab, sentences of its steps, labels and helps of its controls and options."""
    texts = {lab.title, lab.hint, lab.sentence, *(step.says for step in lab.steps)}
    for control in lab.controls().values():
        texts |= {control.label, control.help, *(control.options.values() if isinstance(control, Choice) else ())}
    return {text for text in texts if len(text) > 2}  # a symbol is no label


@pytest.mark.parametrize("name", LABS)
def test_no_text_of_a_declaration_is_written_again(name):
    room, lab = name.split("/")
    files = [file for file in (QUESTIONS / room).glob("*.ts") if file.stem.startswith(f"{lab}_")]
    assert files
    said = {(text, file.name) for file in files for text in SAID.findall(file.read_text(encoding="utf-8"))}
    assert said, "a picture without words?"
    assert not [(text, file) for text, file in said if text in declared(LABS[name])]
