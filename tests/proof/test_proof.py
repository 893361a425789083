"""What checks are made of: helpers that raise with their values, words and numbers that are judged."""

from __future__ import annotations

import numpy as np
import pytest
from whyformer.proof import always_close, always_larger, check, clearly_larger, draws, holds, same
from whyformer.proof.judge import exactly, judge, rounds, shown, word_of


@pytest.mark.parametrize(
    ("printed", "value"),
    [("0.071", 0.0714), ("55 %", 0.553), ("2,000", 2000), ("22,026", 22026.4), ("2.8e-8", 2.78e-8), ("−0.50", -0.496)],
)
def test_a_number_rounds_from_its_value(printed: str, value: float) -> None:
    assert rounds(printed, value)
    assert not rounds(printed, value * 1.1)
    assert not rounds(printed, float("nan"))


@pytest.mark.parametrize(
    ("key", "value", "other"),
    [
        ("two", 2, 3),
        ("higher loss", (2.0, 1.0), (1.0, 2.0)),
        ("more than half", (0.55, 0.5), (0.5, 0.5)),
        ("half of the rows", 0.47, 0.3),
        ("twice", (4.1, 2.0), (3.0, 2.0)),
        ("most", 0.6, 0.5),
        ("every row", np.array([True, True]), np.array([True, False])),
        ("never", 0.0, 0.01),
        ("falls", [3, 2, 1], [3, 1, 2]),
        ("55 %", 0.553, 0.56),
    ],
)
def test_what_is_printed_is_judged(key: str, value: object, other: object) -> None:
    judge(key, value)
    with pytest.raises(AssertionError):
        judge(key, other)


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(ValueError, match="begins neither with a number nor with a word"):
        judge("splendid", 1)
    with pytest.raises(ValueError, match="so its value has to be one"):
        judge("0.5", [0.5, 0.6])
    with pytest.raises(ValueError, match="compares a pair"):
        judge("larger", 3)
    assert word_of("At least as much") == "at least" and word_of("nearly all rows") == "nearly all"


def test_values_are_shown_to_four_digits_and_rounding_as_nothing() -> None:
    assert shown(1 / 3) == "0.3333"
    assert shown([5.3e-16, 0.25]) == shown([-4.9e-16, 0.25]) == "0, 0.25"
    assert shown(2.5e-9) == "2.5e-09"


def test_helpers_raise_with_their_values() -> None:
    always_larger([2, 3], 1)
    clearly_larger(1.1, 1.0)
    always_close([1.0, 1.1], 1.05, within=0.06)
    same([1e9, 1.0], [1e9 + 0.5, 1.0])
    holds(np.array([True, True]))
    for wrong, said in (
        (lambda: always_larger([2, 0.5, 3], 1), "0.5, at number 1 of 3, is not larger than 1"),
        (lambda: always_larger([2, float("nan")], 1), "not larger"),
        (lambda: clearly_larger(1.04, 1.0), "1.04, is not larger than 1"),
        (lambda: always_close([1.0, 1.2], 1.05, within=0.06), "1.2, at number 1 of 2"),
        (lambda: always_close(float("nan"), 1.05, within=0.06), "nan"),
        (lambda: same(1.0, 1.0 + 2e-9), "not within"),
        (lambda: holds(np.array([True, False]), n=3), "does not hold for n = 3"),
        (lambda: holds(np.array([])), "does not hold"),
    ):
        with pytest.raises(AssertionError, match=said):
            wrong()
    with pytest.raises(ValueError, match="no values"):
        always_larger([], 1)


def test_draws_are_independent_and_the_first_are_always_the_same() -> None:
    first, again = ([rng.random() for rng in draws(count)] for count in (3, 5))
    assert first == again[:3] and len(set(again)) == 5


@check
def share_above(bound: float = 0.5) -> dict[str, object]:
    """We drew a thousand uniform numbers."""
    share = (np.random.default_rng(0).random(1000) > bound).mean()
    always_larger(share, 0.1)
    return {"half": share, "0.5": bound}


def test_a_check_says_what_is_no_longer_as_printed() -> None:
    assert not share_above().faults
    given, half, *exact = repr(share_above()).splitlines()[1:]
    assert repr(share_above()).startswith("✓ share_above: We drew a thousand uniform numbers.")
    assert given == "    With bound = 0.5." and half.startswith("    half: 0.5") and not exact, (
        "that 0.5 is 0.5 tells nobody anything"
    )
    other = share_above(bound=0.8)
    assert set(other.faults) == {"half", "0.5"}
    assert "is not larger than 0.1" in share_above(bound=0.95).faults[""]


def test_another_setting_is_no_failure() -> None:
    told = repr(share_above(bound=0.8)).splitlines()
    assert told[0] == "share_above with bound=0.8: We drew a thousand uniform numbers."
    assert told[2] == "    0.8; the text has 0.5" and "✗" not in "".join(told)
    assert "\n    with this setting: " in repr(share_above(bound=0.95))
    assert share_above(bound=0.5).changed == {}

    @check
    def wrong(n: int = 3) -> dict[str, object]:
        """We counted."""
        return {"4": n}

    assert repr(wrong()) == "✗ wrong: We counted.\n    With n = 3.\n    4: the text says 4, the check finds 3"
    assert repr(wrong(n=4)) == "✓ wrong with n=4: We counted."


@pytest.mark.parametrize(("key", "value", "same"), [
    ("16", 16, True), ("10 %", 0.1, True), ("2,000", 2000.0, True), ("2.72", 2.718, False), ("half", 0.5, False),
    ("3", np.int64(3), True),
])  # fmt: skip
def test_what_is_exactly_as_printed_needs_no_line(key: str, value: object, same: bool) -> None:
    assert exactly(key, value) == same


def test_a_check_needs_a_sentence_and_printed_settings() -> None:
    def silent() -> dict[str, object]:
        return {}

    def bare(n: int) -> dict[str, object]:
        """We tried n."""
        return {"two": n}

    with pytest.raises(ValueError, match="needs a docstring"):
        check(silent)
    with pytest.raises(ValueError, match="needs a default for its setting 'n'"):
        check(bare)
