"""Options of bets: no letter is right more often than another, and a stored answer stays the option that was chosen."""

from __future__ import annotations

from collections import Counter

import pytest
from book_cases import ROOT
from browser import serve, settle, write_page
from whyformer.lab import Option, Predict
from whyformer.lab.teach.veil import unveil
from whyformer_book.teach.gift import bets

KEY = "whyformer:predict:room/what"
#: As they stand now; before, "It grows" was the first.
MOVED = [
    Option("It shrinks", "Yes.", right=True, number=1),
    Option("It grows", "No.", number=0),
    Option("It stays", "No."),
]
WERE = ["It grows", "It shrinks", "It stays"]


def test_no_letter_is_right_more_often_than_another():
    rooms = sorted(file.parent.name for file in ROOT.glob("code/whyformer/questions/*/predictions.py"))
    right = [[verdict[1] for verdict in unveil(bet["veiled"])].index(True) for room in rooms for bet in bets(room)]
    counts = Counter(right)
    assert len(right) >= 20 and max(counts.values()) - min(counts[place] for place in range(4)) <= 1, counts


@pytest.mark.parametrize(("stored", "place"), [(0, 1), (1, 0), (2, 2), (-2, None)])
def test_a_stored_answer_stays_the_option_that_was_chosen(stored, place, visit, tmp_path):
    with serve(write_page(tmp_path, Predict("room/what", "What happens?", MOVED).html()).parent) as base:
        page = visit(base + "/index.html")
        page.evaluate("([key, answer]) => localStorage.setItem(key, answer)", [KEY, str(stored)])
        page.reload()
        settle(page)
        chosen = page.locator("label", has=page.locator("input:checked"))
        assert chosen.count() == (place is not None)
        if place is None:
            return
        assert chosen.inner_text().startswith(WERE[stored])
        page.get_by_role("button", name="Predict again").click()
        page.locator(".wf-predict label").nth(place).click()
        page.get_by_role("button", name="Commit", exact=True).click()
        assert page.evaluate("(key) => localStorage.getItem(key)", KEY) == str(stored)


def test_numbers_of_options_are_each_there_once():
    with pytest.raises(ValueError, match=r"must be \[0, 1\], each once; got \[1, 1\]"):
        Predict("room/what", "What?", [Option("a", "b", number=1), Option("c", "d", right=True)])
