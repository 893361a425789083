"""The examples: their answers are right, they are a function of seed and step, and a guess is right by chance."""

from itertools import permutations

import numpy as np
import pytest
from whyformer.workbench import TASKS, Arm
from whyformer.workbench.engine import DRAWN
from whyformer.workbench.tasks import DATA, FEW_KEYS, FEW_PAIRS, HELD_OUT, KEYS, PAIRS, VALUES


@pytest.fixture(params=TASKS)
def task(request):
    return TASKS[request.param]


def test_shapes_and_ranges(task):
    batch = task.batch(0, 0, 500)
    assert batch.tokens.shape[:2] == (500, task.length) and batch.tokens.ndim == 3
    assert batch.answers.shape == (500, len(range(task.length)[task.asked]) * task.replies)
    assert set(np.unique(batch.tokens)) <= set(range(task.vocabulary))
    assert set(np.unique(batch.answers)) == set(range(task.answers))


def test_a_guess_is_right_by_chance(task):
    answers = task.batch(1, 0, 4000).answers
    shares = np.bincount(answers.reshape(-1)) / answers.size
    assert task.chance == 0.1 and np.abs(shares - task.chance).max() < 0.025


def test_a_batch_is_a_function_of_seed_and_step(task):
    first = task.batch(3, 7, 16)
    for a, b in zip(first, task.batch(3, 7, 16), strict=True):
        assert (a == b).all()
    assert (task.batch(3, 7, 4).tokens == first.tokens[:4]).all()  # a larger batch begins with the smaller one
    for other in (task.batch(4, 7, 16), task.batch(3, 8, 16), task.held_out(3, 16)):
        assert (other.tokens != first.tokens).any()


def test_seeds_side_by_side(task):
    for step in (None, 2):
        both = task.side_by_side([5, 6], step, 3)
        for i, seed in enumerate((5, 6)):
            one = task.held_out(seed, 3) if step is None else task.batch(seed, step, 3)
            assert (both.tokens[i] == one.tokens).all() and (both.answers[i] == one.answers).all()


def test_reverse_previous_and_copy():
    for name, wanted in (
        ("reverse", lambda row: row[::-1]),
        ("previous", lambda row: row[:-1]),
        ("copy", lambda row: row),
    ):
        tokens, answers = TASKS[name].batch(0, 0, 50)
        for row, answer in zip(tokens[..., 0].tolist(), answers.tolist(), strict=True):
            assert answer == wanted(row)
    assert TASKS["previous"].asked == slice(1, 10)


def test_longer_trains_on_ten_digits_and_is_tested_on_the_twenty_of_twenty():
    longer, twenty = TASKS["longer"], TASKS["twenty"]
    assert TASKS[longer.trains_on].length == 10 and longer.length == twenty.length == 20 and not twenty.trains_on
    for ours, theirs in zip(longer.held_out(3, 50), twenty.held_out(3, 50), strict=True):
        assert (ours == theirs).all()
    tokens, answers = longer.held_out(3, 50)
    assert (tokens[:, :-1, 0] == answers).all()


def test_kv_asks_for_the_value_of_a_key_that_is_there_once():
    tokens, answers = TASKS["kv"].batch(0, 0, 200)
    places = set()
    for row, (answer,) in zip(tokens.tolist(), answers.tolist(), strict=True):
        pairs = {key: value - KEYS for key, value in row[:-1]}
        key, mark = row[-1]
        assert len(pairs) == PAIRS and mark == 2 * KEYS + VALUES
        assert pairs[key - KEYS - VALUES] == answer
        places.add(list(pairs).index(key - KEYS - VALUES))
    assert places == set(range(PAIRS))


def test_two_values_asks_for_those_of_two_different_keys_in_their_order():
    task = TASKS["two_values"]
    tokens, answers = task.batch(0, 0, 500)
    places = set()
    for row, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        pairs = {key: value - FEW_KEYS for key, value in row[:-1]}
        asked = [row[-1][0] - FEW_KEYS - VALUES, row[-1][1] - 2 * FEW_KEYS - VALUES]
        assert len(pairs) == FEW_PAIRS and [pairs[key] for key in asked] == answer
        places.add(tuple(list(pairs).index(key) for key in asked))
    assert places == set(permutations(range(FEW_PAIRS), 2))
    assert tokens.max() == task.vocabulary - 1


def test_first_weights_and_examples_never_share_a_stream():
    assert 16 * (Arm().layers + 1000) + len(DRAWN) < HELD_OUT < DATA
