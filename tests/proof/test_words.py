"""What words say of numbers, word by word."""

from __future__ import annotations

import pytest
from whyformer.proof.judge import judge
from whyformer.proof.words import DOWN, GREATER, LARGEST, LESS, NUMBERS, SMALLEST, UP, WORDS


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("larger", (1, 2)),
        ("larger", (1, 1 - 1e-9)),  # a difference that rounding could make is none
        ("larger", ([2, 2], [1, 3])),
        ("two", 3),
        ("twice", 2.4),
        ("most", 0.5),
        ("never", 0.01),
        ("all", 0.999),
        ("grows", [1, 2, 2]),
        ("grows", [1, 2, float("nan")]),
        ("half", float("nan")),
        ("largest", (2, [1, 2])),
        ("at most", ([1, 2], 1.9)),
        ("differ", ([1, 2], [1, 3])),  # one of them does not
    ],
)
def test_a_word_that_is_not_true_is_refused(word, value):
    with pytest.raises(AssertionError, match="is not true of"):
        judge(word, value)


@pytest.mark.parametrize(
    ("word", "value", "says"),
    [
        ("larger", 3, "compares a pair"),
        ("grows", 3, "is about a course"),
        ("smaller", (1, 2, 0), "compares a pair"),  # not its first two
        ("equal", 3, "compares a pair"),
        ("different", (1, float("nan")), "not a number"),
        ("larger", ([], []), "nothing to judge"),
        ("all", [], "nothing to judge"),
    ],
)
def test_what_a_word_cannot_judge_is_refused(word, value, says):
    with pytest.raises(ValueError, match=says):
        judge(word, value)


def test_words_of_opposite_meaning_are_never_both_true():
    pairs = [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (-1.0, 1.0)]
    for a in GREATER + LARGEST:
        for b in LESS + SMALLEST:
            assert not any(WORDS[a](pair) and WORDS[b](pair) for pair in pairs), (a, b)
            assert WORDS[a]((2.0, 1.0)) and WORDS[b]((1.0, 2.0))
    for a in UP:
        for b in DOWN:
            assert WORDS[a]([1, 2]) and WORDS[b]([2, 1]) and not WORDS[a]([2, 1]) and not WORDS[b]([1, 2])
    for word, n in NUMBERS.items():
        assert [WORDS[word](m) for m in (n - 1, n, n + 1)] == [False, True, False]
