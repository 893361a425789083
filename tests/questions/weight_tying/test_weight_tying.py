"""The labs on shared weights: gradients against PyTorch's autograd, winners against many directions tried."""

import numpy as np
import pytest
import torch
from browser import write_page
from lab_cases import random_states
from scipy.spatial import ConvexHull
from scipy.special import log_softmax
from torch.nn import functional
from whyformer.questions.weight_tying import RowsLab
from whyformer.questions.weight_tying.exercises import check_border, check_longest, check_saved, check_tied
from whyformer.questions.weight_tying.rows_lab import winning_share


@pytest.mark.parametrize("state", random_states(RowsLab, 30, 3), ids=str)
def test_rows_lab_is_what_complex_numbers_and_many_directions_say(state):
    series = RowsLab.compute(**state)
    points = np.array(state["lengths"]) * np.exp(1j * np.pi * np.array(state["angles"]) / 180)
    own = points[0]
    if state["rows"] == "one":
        points[:4] = 1.6 * np.exp(1j * np.pi * np.array(state["angles"][:4]) / 180)
    rows, h = points[:4], points[4]
    logits, distances = (rows * h.conjugate()).real, np.abs(rows - h)
    cats = np.array(state["read_lengths"]) * np.exp(1j * np.pi * np.array(state["read_angles"]) / 180)
    first = np.array([1.3, 1.6, 2.2]) * np.exp(1j * np.pi * np.array([-60, 60, -150]) / 180)
    turns = np.exp(2j * np.pi * (np.arange(20_000) + 0.37) / 20_000)
    products = (rows * turns[:, None].conjugate()).real
    alone = products >= products.max(1, keepdims=True) - 1e-9
    share = np.where(alone.sum(1, keepdims=True) == 1, alone, False).mean(0)
    best, nearest = (
        np.flatnonzero(logits >= logits.max() - 1e-9)[0],
        np.flatnonzero(distances < distances.min() + 1e-9)[0],
    )
    for name, value in {
        "e": np.stack([rows.real, rows.imag], 1), "h": [h.real, h.imag], "size": np.abs(rows), "logits": logits,
        "distances": distances, "y": np.exp(log_softmax(logits)), "best": best + 1, "nearest": nearest + 1,
        "y_best": np.exp(log_softmax(logits))[best], "y_nearest": np.exp(log_softmax(logits))[nearest],
        "logit_best": logits[best], "logit_nearest": logits[nearest], "distance_best": distances[best],
        "distance_nearest": distances[nearest], "shift": np.abs(np.array([own, *cats]) - first).max(),
    }.items():  # fmt: skip
        np.testing.assert_allclose(series[name], value, rtol=1e-9, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(series["share"], share, atol=2e-4)
    assert series["n_can_win"] == (series["share"] > 0).sum() and series["share_last"] == series["share"][3]


@pytest.mark.parametrize("state", random_states(RowsLab, 20, 5), ids=str)
def test_a_training_step_is_what_autograd_says(state):
    """The state h comes out of the row of "cat" by a matrix; which tables are one parameter says what moves where."""
    series = RowsLab.compute(**(state | {"trained": "yes"}))
    output = torch.tensor(series["e"], requires_grad=True)
    is_one = state["tables"] == "one"
    own = [torch.tensor(series[name], requires_grad=True) for name in ("encoder", "decoder")]
    _, decoder = (output, output) if is_one else own
    x, h = (complex(*series["decoder"][0]), complex(*series["h"]))
    layers = torch.view_as_real(torch.tensor(abs(h) / max(abs(x), 0.05) * np.exp(1j * (np.angle(h) - np.angle(x)))))
    turned = torch.stack([layers[0] * decoder[0, 0] - layers[1] * decoder[0, 1],
                          layers[1] * decoder[0, 0] + layers[0] * decoder[0, 1]])  # fmt: skip
    if abs(x) >= 0.05:
        np.testing.assert_allclose(turned.detach(), series["h"], atol=1e-9)
        functional.cross_entropy((output @ turned)[None], torch.tensor([1])).backward()
        steps = [None, decoder.grad, output.grad] if not is_one else [output.grad] * 3
        for name, gradient in zip(("encoder", "decoder", "output"), steps, strict=True):
            step = np.zeros((4, 2)) if gradient is None else -2 * gradient.numpy()
            np.testing.assert_allclose(series[f"step_{name}"], step, rtol=1e-9, atol=1e-12, err_msg=name)
            assert series[f"moved_{name}"] == (np.abs(step).sum(1) > 1e-11).sum()


def test_before_the_step_nothing_moves_and_one_table_is_read_where_it_is_compared():
    series = RowsLab(tables="one").series
    assert not any(np.any(series[f"step_{name}"]) for name in ("encoder", "decoder", "output"))
    for name in ("encoder", "decoder"):
        np.testing.assert_array_equal(series[name], series["e"])
        assert np.abs(RowsLab().series[name] - series["e"]).max() > 1


@pytest.mark.parametrize("seed", range(30))
def test_a_word_wins_somewhere_if_and_only_if_its_row_is_a_corner_of_the_hull(seed):
    rows = np.random.default_rng(seed).standard_normal((6, 2))
    share = winning_share(rows)
    assert set(np.flatnonzero(share)) == set(ConvexHull(rows).vertices)
    assert share.sum() == pytest.approx(1)


def test_two_equal_rows_win_nowhere_alone_and_rows_on_a_line_win_at_its_ends():
    assert winning_share(np.array([[1.0, 0], [1, 0], [-1, 0]])).tolist() == [0, 0, 0.5]
    for degrees in range(0, 360, 11):  # rounding puts the middle one now on one side of the line, now on the other
        along = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
        share = winning_share(np.array([0.2, -0.7]) + np.outer([0, 0.3, 1], along))
        np.testing.assert_allclose(share, [0.5, 0, 0.5])
        assert share[1] == 0


def test_a_link_to_the_lab_that_went_leads_to_this_one(visit, tmp_path):
    page = visit(write_page(tmp_path, RowsLab().html()).as_uri() + "#traffic:4")
    assert page.locator("whyformer-lab").evaluate("(lab) => lab.step") == 4


def test_exercises_know_right_answers():
    assert check_saved(2 * 32_000 * 1024) and check_longest(2) and check_border(0.5)


def test_the_exercise_on_code_is_judged_by_autograd(capsys):
    def of_pytorch(table, read, answer):
        e = torch.tensor(table, requires_grad=True)
        functional.cross_entropy(e[torch.tensor(read)] @ e.T, torch.tensor(answer)).backward()
        return e.grad.numpy()

    def of_one_use(table, read, answer):
        e = torch.tensor(table, requires_grad=True)
        functional.cross_entropy(torch.tensor(table)[torch.tensor(read)] @ e.T, torch.tensor(answer)).backward()
        return e.grad.numpy()

    assert check_tied(of_pytorch)
    capsys.readouterr()
    assert not check_tied(of_one_use)
    assert "twice" in capsys.readouterr().out


def test_what_the_prediction_tells_decides_which_word_wins():
    def lead(near, far, size_near, size_far):  # of word 2, by line 4: the length of h drops out
        return (size_far**2 - size_near**2 - far**2 + near**2) / 2

    series = RowsLab().series
    near, far = series["distances"][:2]
    assert series["size"][:2] == pytest.approx([1.3, 2.5]) and [round(near, 2), round(far, 2)] == [0.99, 1.84]
    assert lead(0.99, 1.84, 1.3, 2.5) == pytest.approx(series["logits"][1] - series["logits"][0], abs=0.02)
    assert lead(0.99, 1.84, 1.3, 2 * 1.3) > 0 > lead(0.99, 1.84, 0.7, 2 * 0.7)  # "twice as long" does not decide it
