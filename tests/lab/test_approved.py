"""What ``view`` returns is as approved, and so are the pictures of labs that have every kind of mark among them."""

from __future__ import annotations

import difflib

import pytest
from approved import DRAWN, files_of, states_of, stray
from lab_cases import LABS
from whyformer.lab import Choice
from whyformer.lab.host import still


@pytest.mark.parametrize("name", LABS)
def test_a_picture_is_as_approved(name):
    for file, text in files_of(LABS[name]).items():
        approved = file.read_text(encoding="utf-8") if file.exists() else ""
        changed = [line for line in difflib.unified_diff(approved.split("\n"), text.split("\n"), n=0, lineterm="")][2:]
        shown = "\n".join(line[:300] for line in changed[:12])
        assert not changed, f"{file.name} has changed; look with make approve LAB={name}\n{shown}"


def test_nothing_is_approved_of_labs_that_are_gone():
    assert stray() == []


@pytest.mark.parametrize("name", LABS)
def test_each_option_of_each_choice_is_seen(name):
    for control, choice in LABS[name].controls().items():
        if isinstance(choice, Choice):
            assert {state[control] for state in states_of(LABS[name])} == set(choice.options)


def kinds_in(value, key=""):
    """The kinds of panels and marks, the scales of axes and the looks in what ``view`` returned."""
    if isinstance(value, dict):
        found = {(key, value[key]) for key in ("kind", "mark", "scale") if isinstance(value.get(key), str)}
        return found.union(*(kinds_in(inside, key) for key, inside in value.items()))
    if isinstance(value, list):
        looks = {("look", one) for one in value if isinstance(one, str)} if key == "look" else set()
        return looks.union(*(kinds_in(inside, key) for inside in value))
    return set()


def test_the_drawn_labs_have_every_kind_of_mark():
    def kinds_of(names):
        asked = [{"declaration": LABS[n].declaration(), "state": states_of(LABS[n])[0], "size": "full"} for n in names]
        return set().union(*(kinds_in(still.picture(one)) for one in asked))

    assert kinds_of(LABS) - kinds_of(DRAWN) == set()
