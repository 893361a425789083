"""Every lab computes the same in the browser, from the shipped bundle, as in Python."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from browser import write_page
from lab_cases import LABS, corner_states, drags, random_states
from some import LABS_OF_EVERY_KIND, some
from twins import differences
from whyformer.lab.lab import BUNDLE
from whyformer.maths.random import bits

CODE = BUNDLE.parent.parent


@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize(("count", "moves"), [(25, 2), pytest.param(60, 6, marks=pytest.mark.thorough)])
def test_series_and_sentence_are_the_same_in_both_languages(name, count, moves, visit, lab_pages):
    page = visit(lab_pages[name])
    lab = LABS[name]
    states = [*random_states(lab, count, 2017), *corner_states(lab), *drags(lab, moves, 1706)]
    found = differences(page, lab, states)
    assert not found, "\n".join(found[:12])


@pytest.mark.parametrize("name", some(LABS))
def test_series_that_were_handed_out_can_be_changed_without_harm(name, visit, lab_pages):
    page = visit(lab_pages[name])
    page.evaluate("""(name) => {
      const lab = document.querySelector(`whyformer-lab[name="${name}"]`);
      for (const value of Object.values(lab.series)) if (typeof value !== "number") value.fill(7);
    }""", name)  # fmt: skip
    assert not differences(page, LABS[name], corner_states(LABS[name])[:2])


def test_hash_integers_are_equal_bit_for_bit(visit, lab_pages):
    page = visit(lab_pages["softmax_saturation/gap"])
    edge = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x9E3779B9, 0x61C88647, 0xFFFFFFFE, 0xFFFFFFFF]
    many = np.random.default_rng(5).integers(0, 2**32, (20_000, 3))
    triples = np.concatenate([np.array(list(product(edge, repeat=3))), many])
    got = page.evaluate("(all) => all.map(([a, b, c]) => WhyformerLabs.bits(a, b, c))", triples.tolist())
    assert got == bits(*triples.T).tolist()


def test_every_typescript_lab_has_a_python_twin(visit, lab_pages):
    page = visit(lab_pages["softmax_saturation/gap"])
    assert sorted(page.evaluate("[...WhyformerLabs.labs.keys()]")) == sorted(LABS)


def build(changes: dict[str, tuple[str, str]], folder: Path) -> Path:
    """A bundle built from a copy of the front end in which texts of files are exchanged: {file: (old, new)}."""
    source = folder / "code"
    shutil.copytree(CODE, source, ignore=shutil.ignore_patterns("node_modules", "__pycache__", "bundle"))
    (source / "node_modules").symlink_to(CODE / "node_modules")
    for file, (old, new) in changes.items():
        text = (source / "whyformer" / file).read_text(encoding="utf-8")
        assert text.count(old) >= 1, f"{file} no longer holds {old!r}: choose another mutant"
        (source / "whyformer" / file).write_text(text.replace(old, new), encoding="utf-8")
    done = subprocess.run(["node", "build.mjs", str(folder / "bundle")], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, f"no bundle; is Node installed, and npm ci done in code/?\n{done.stderr}"
    return folder / "bundle"


def mutants_of(room: Path) -> Iterator[tuple[str, str, str, str]]:
    """Each slip of a room: its lab, the file below the package, a text of it, and what stands there instead."""
    spec = importlib.util.spec_from_file_location(f"mutants_of_{room.name}", room / "mutants.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for lab, slips in module.MUTANTS.items():
        for file, old, new in slips:
            yield f"{room.name}/{lab}", file if "/" in file else f"questions/{room.name}/{file}", old, new


QUESTIONS = Path(__file__).parent.parent / "questions"
MUTANTS = [slip for room in sorted(QUESTIONS.iterdir()) if (room / "mutants.py").is_file() for slip in mutants_of(room)]

#: One of each lab shows that the comparison can fail, here of some labs; ``make mutate`` tries all (MUTANTS=all).
FIRST = {name: old for name, _, old, _ in reversed(MUTANTS)}


def marks_of(name: str, old: str) -> list[pytest.MarkDecorator]:
    return [] if FIRST[name] == old and name in LABS_OF_EVERY_KIND else [pytest.mark.thorough]


CASES = [
    pytest.param(name, *rest, id=f"{rest[0]}-{rest[2][:24]}", marks=marks_of(name, rest[1]))
    for name, *rest in MUTANTS
    if FIRST[name] == rest[1] or os.environ.get("MUTANTS") == "all"
]


def test_every_lab_has_a_mutant():
    assert set(FIRST) == set(LABS)


@pytest.mark.parametrize(("name", "file", "old", "new"), CASES)
def test_a_mutant_is_noticed(name, file, old, new, visit, lab_html, tmp_path):
    page = visit(write_page(tmp_path, lab_html[name], build({file: (old, new)}, tmp_path / "built")).as_uri())
    lab = LABS[name]
    parts = (random_states(lab, 8, 7), corner_states(lab), drags(lab, 12, 8))
    assert any(differences(page, lab, states) for states in parts)
