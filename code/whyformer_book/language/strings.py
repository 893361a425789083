"""Every string that goes through ``t``, by its English text: what a catalogue has to translate.

``python -m whyformer_book.language.strings zh`` lists what ``languages/zh.json`` lacks, and what it has too much.

Three sources together find them: calls of ``t`` with the text itself in Python and TypeScript; what labs, bets and
experiments declare; and what is only heard when a picture is drawn, since its words come from a table. So all labs are
drawn in V8 at many states, with a catalogue that writes down what it is asked for.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from whyformer.lab.control import Choice
from whyformer.lab.discover import lab_classes
from whyformer.lab.host import still
from whyformer.lab.lab import Lab
from whyformer.lab.teach.exercise import CHOICE_WORDS, NUMBER_WORDS
from whyformer.lab.teach.predict import Predict
from whyformer.lab.teach.veil import unveil
from whyformer.lab.words import LANGUAGES, gaps_of
from whyformer.workbench import EXPERIMENTS, TASKS

from whyformer_book.pages.cards import LABELS
from whyformer_book.paths import BOOK, PACKAGE, QUESTIONS
from whyformer_book.questions import settings, stops

_CALL = re.compile(r"""\bt\(\s*("(?:[^"\\]|\\.)*"|`[^`$]*`|'[^']*')""")
#: Fields of a declaration whose text a reader sees.
_SEEN = {"title", "hint", "sentence", "label", "unit", "help", "again", "says", "asks"}
_RANDOM = 12  #: so many random states of each lab are drawn


def _in_python(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "t" and node.args:
            if isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)


def _in_typescript(file: Path) -> Iterator[str]:
    for found in _CALL.findall(file.read_text(encoding="utf-8")):
        yield found[1:-1] if found[0] == "`" else ast.literal_eval(found)


def written() -> dict[str, str]:
    """Texts that a call of ``t`` has in it, each with the file."""
    found: dict[str, str] = {}
    for folder in (PACKAGE, BOOK):
        for file in sorted(folder.rglob("*.py")):
            found |= dict.fromkeys(_in_python(file), str(file.relative_to(folder.parent)))
        for file in sorted(folder.rglob("*.ts")):
            found |= dict.fromkeys(_in_typescript(file), str(file.relative_to(folder.parent)))
        for file in sorted(folder.rglob("*.html")):
            calls = re.findall(r'whyformer_t\("([^"]+)"\)', file.read_text(encoding="utf-8"))
            found |= dict.fromkeys(calls, str(file.relative_to(folder.parent)))
    return found


def _seen(declared: Any) -> Iterator[str]:
    if isinstance(declared, list):
        for one in declared:
            yield from _seen(one)
    elif isinstance(declared, dict):
        for name, one in declared.items():
            if isinstance(one, str) and name in _SEEN:
                yield one
            elif name == "names":
                yield from (word for words in one.values() for word in words)
            elif name != "data":
                yield from _seen(one)


def _bets() -> Iterator[tuple[str, Predict]]:
    for file in sorted(QUESTIONS.glob("*/predictions.py")):
        module = import_module(f"whyformer.questions.{file.parent.name}.predictions")
        for name, make in vars(module).items():
            if name.startswith("predict_") and make.__module__ == module.__name__:
                yield f"{file.parent.name}/{name}", make()


def declared() -> dict[str, str]:
    """Texts of labs, bets, exercises' answers, the workbench and the map, each with the name of what declares it."""
    found: dict[str, str] = {}
    for name, kind in lab_classes().items():
        found |= dict.fromkeys(_seen(kind.declaration()), name)
    for name, bet in _bets():
        declaration = bet._declaration
        told = [says for says, _ in unveil(declaration["veiled"])]
        found |= dict.fromkeys([declaration["question"], *declaration["options"], *told], name)
    for name, experiment in EXPERIMENTS.items():
        arms = [experiment.part, experiment.without, *([experiment.rescue] if experiment.rescue else [])]
        found |= dict.fromkeys([experiment.question, experiment.seen, *(arm.name for arm in arms)], f"workbench {name}")
    found |= {task.says: f"task {name}" for name, task in TASKS.items()}
    found |= dict.fromkeys(LABELS.values(), "cards")
    found |= {settings(file.parent.name)["description"]: "page.toml" for file in sorted(QUESTIONS.glob("*/page.toml"))}
    found |= dict.fromkeys([*NUMBER_WORDS.values(), *CHOICE_WORDS.values()], "exercises")
    for stop in stops():
        found |= dict.fromkeys([stop.part, stop.about, stop.question, *stop.shapes], "the map")
    return {text: where for text, where in found.items() if text}


def _states(kind: type[Lab]) -> Iterator[dict[str, Any]]:
    """Where a lab begins, each step begins and is told, presets, each option at each of these, and random states."""
    controls = kind.controls()
    start = {name: control.default_value for name, control in controls.items()}
    steps = [start | dict(step.state or {}) for step in kind.steps]
    told = [state | dict(step.told_at or {}) for state, step in zip(steps, kind.steps, strict=True)]
    presets = [start | dict(state) for state in kind.presets.values()]
    rng = np.random.default_rng(0)
    some = [{name: control.sample(rng) for name, control in controls.items()} for _ in range(_RANDOM)]
    for state in [start, *steps, *told, *presets, *some]:
        yield state
        for name, control in controls.items():
            if isinstance(control, Choice):
                yield from (state | {name: option} for option in control.options if option != state[name])


def heard() -> dict[str, str]:
    """Texts that the front end asks for when the labs are drawn, each with the lab."""
    found: dict[str, str] = {}
    engine = still._engine()
    engine.eval("globalThis.heard = new Set(); WhyformerStill.use_catalogue((text) => (heard.add(text), text))")
    try:
        for name, kind in lab_classes().items():
            declaration = kind.declaration()
            for state in _states(kind):
                for size, is_told in (("full", True), ("full", False), ("small", True)):
                    asked = {"declaration": declaration, "state": kind(**state).state, "size": size, "told": is_told}
                    still.draw(still.picture(asked), asked, "")
            found |= dict.fromkeys(json.loads(engine.eval("JSON.stringify([...heard])")), name) | found
    finally:
        engine.eval("WhyformerStill.use_catalogue((text) => text)")
    return found


def strings() -> dict[str, str]:
    """All of them, each with where it was found first."""
    found = heard() | declared() | written()
    return {text: where for text, where in found.items() if text}


def faults(language: str, wanted: dict[str, str]) -> list[str]:
    """What is wrong in a catalogue: texts that it lacks or that nobody asks for, and gaps that differ."""
    catalogue = json.loads((LANGUAGES / f"{language}.json").read_text(encoding="utf-8"))
    lacks = [f"{where}: {text!r} is not translated" for text, where in wanted.items() if not catalogue.get(text)]
    extra = [f"{text!r} is asked for nowhere" for text in catalogue if text not in wanted]
    gaps = [
        f"{text!r}: the gaps are {sorted(gaps_of(text))}, in the translation {sorted(gaps_of(its))}"
        for text, its in catalogue.items()
        if its and gaps_of(text) != gaps_of(its)
    ]
    return lacks + extra + gaps


if __name__ == "__main__":
    found = faults(sys.argv[1], strings())
    print("\n".join(found) or "Nothing is missing.")
    sys.exit(bool(found))
