"""Several heads: sums over heads against PyTorch, read-outs against least squares, ranks against SciPy."""

import numpy as np
import pytest
import torch
from lab_cases import random_states
from scipy.stats import rankdata, spearmanr
from whyformer import evidence
from whyformer.maths.random import uniform
from whyformer.model.layers import Linear, MultiHead
from whyformer.questions.multi_head import RemovedHeadLab, TwoPlacesLab
from whyformer.questions.multi_head.exercises import without
from whyformer.questions.multi_head.removed_head_lab import ranks
from whyformer.questions.multi_head.two_places_lab import best_read_out


def test_the_layer_of_pytorch_is_a_sum_over_heads():
    n, d, h = 5, 24, 4
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(d, h, dtype=torch.float64)
    torch.nn.init.normal_(layer.in_proj_bias), torch.nn.init.normal_(layer.out_proj.bias)
    x = torch.randn(n, d, dtype=torch.float64)
    with torch.no_grad():
        expected, maps = (t.numpy() for t in layer(x, x, x, average_attn_weights=False))
    weight, bias = layer.in_proj_weight.detach().numpy(), layer.in_proj_bias.detach().numpy()
    out, at_out = layer.out_proj.weight.detach().numpy().T, layer.out_proj.bias.detach().numpy()
    W_V, b_V = weight[2 * d :].T, bias[2 * d :]
    width = d // h
    cut = [slice(i * width, (i + 1) * width) for i in range(h)]
    terms = [maps[i] @ (x.numpy() @ W_V[:, c] + b_V[c]) @ out[c] for i, c in enumerate(cut)]
    np.testing.assert_allclose(sum(terms) + at_out, expected, rtol=0, atol=1e-12)
    parts = [Linear(weight[i * d : (i + 1) * d].T, bias[i * d : (i + 1) * d]) for i in range(3)]
    ours = MultiHead(h, *parts, Linear(out, at_out))
    np.testing.assert_allclose(ours(x.numpy(), x.numpy()), expected, rtol=0, atol=1e-12)


def test_heads_left_out_are_rows_of_the_last_matrix_set_to_zero_in_pytorch():
    torch.manual_seed(1)
    layer = torch.nn.MultiheadAttention(12, 3, bias=False, dtype=torch.float64)
    x = torch.randn(5, 12, dtype=torch.float64)
    matrices = [layer.in_proj_weight.detach().numpy()[12 * i : 12 * i + 12].T for i in range(3)]
    out = layer.out_proj.weight.detach().numpy().T.copy()
    with torch.no_grad():
        layer.out_proj.weight[:, 4:8] = 0
        expected = layer(x, x, x)[0].numpy()
    np.testing.assert_allclose(without(x.numpy(), *matrices, out, 3, [1]), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_heads", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_best_read_out_is_what_least_squares_finds(n_heads, seed):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(5, 0.5), n_heads)
    contents = rng.choice([-1.0, 1.0], (200_000, 5)) if seed % 2 else rng.standard_normal((200_000, 5))
    for place in range(5):
        coefficients, error = best_read_out(rows, place)
        fitted, missed, *_ = np.linalg.lstsq(contents @ rows.T, contents[:, place], rcond=None)
        np.testing.assert_allclose(coefficients[:n_heads], fitted, atol=0.03 * (1 + np.abs(fitted).max()))
        assert error == pytest.approx(missed[0] / len(contents), abs=0.01)
        assert not coefficients[n_heads:].any()


@pytest.mark.parametrize("seed", range(20))
def test_best_read_out_is_exact(seed):
    """The normal equations, solved by another way, and a nudge in any direction is no better."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(5, 0.5), 2)
    for place in range(5):
        coefficients, error = best_read_out(rows, place)
        target = np.eye(5)[place]
        exact, missed, *_ = np.linalg.lstsq(rows.T, target, rcond=None)
        np.testing.assert_allclose(coefficients, exact, rtol=1e-8, atol=1e-10)
        assert error == pytest.approx(missed[0], rel=1e-9)
        for nudge in rng.standard_normal((10, 2)) * 1e-3:
            assert ((target - (coefficients + nudge) @ rows) ** 2).sum() >= error
    assert sum(best_read_out(rows, p)[1] for p in (1, 3)) == pytest.approx(
        2 - np.diag(np.linalg.pinv(rows) @ rows)[[1, 3]].sum()
    )


def test_a_second_head_that_repeats_the_first_adds_nothing():
    row = np.array([0.1, 0.4, 0.2, 0.2, 0.1])
    alone, missed = best_read_out(row[None], 1)
    both, missed_by_both = best_read_out(np.stack([row, row]), 1)
    assert missed == missed_by_both and np.array_equal(alone, both)


@pytest.mark.parametrize(("differs", "helps"), [(0.8e-6, False), (1.2e-6, True)])
def test_a_second_head_adds_something_from_a_millionth_on(differs, helps):
    """Of its own length, which is not 1: so little is a matter of rounding."""
    row = np.full(5, 0.2)
    other = row + differs * np.linalg.norm(row) * np.array([0, 1, 0, -1, 0]) / np.sqrt(2)
    missed = [best_read_out(rows, 1)[1] for rows in (row[None], np.stack([row, other]))]
    assert missed == pytest.approx([0.8, 0.3 if helps else 0.8])


def test_one_head_never_gets_below_one_variance_and_two_do():
    rng = np.random.default_rng(3)
    for _ in range(300):
        first, second = rng.uniform(0, 8, (2, 5)).tolist()
        left, right = (int(i) for i in rng.choice(5, 2, replace=False) + 1)
        one = TwoPlacesLab(heads="one", first=first, left=left, right=right).series
        two = TwoPlacesLab(heads="two", first=first, second=second, left=left, right=right).series
        assert one["total"] >= 100 - 1e-9 and one["least"] == 100
        assert two["total"] <= one["total"] + 1e-9 and two["least"] == 0
    for preset in ("a head for each box", "two heads that both blend"):
        assert TwoPlacesLab(**TwoPlacesLab.presets[preset]).series["total"] < 1e-3
    on_both = [TwoPlacesLab(first=[0, a, 0, b, 0]).series["total"] for a, b in ((8, 8), (8, 7), (8, 0), (7.3, 8))]
    np.testing.assert_allclose(on_both, 100, atol=0.01)


def as_regression(state):
    """What a layer hands on and what is asked, as rows of factors on all 5 x 6 numbers; by head or slot and by part."""
    weights = torch.softmax(torch.tensor([state["first"], state["second"]], dtype=torch.float64), -1).numpy()
    parts = np.eye(6).reshape(2, 3, 6)  # the three numbers of a top, and of a bottom
    read = {"one": [(0, 0), (0, 1)], "half": [(0, 0), (1, 1)], "two": [(0, 0), (0, 1), (1, 0), (1, 1)]}[state["heads"]]
    asked = [(0, 0), (0, 1), (1, 0), (1, 1)] if state["asked"] == "whole" else [(0, 0), (1, 1)]
    places = np.eye(5)[[state["left"] - 1, state["right"] - 1]]
    outputs = {at: np.kron(weights[at[0]], parts[at[1]]) for at in read}
    return weights, outputs, {at: np.kron(places[at[0]], parts[at[1]]) for at in asked}


@pytest.mark.parametrize("state", random_states(TwoPlacesLab, 40, 5), ids=str)
def test_two_places_lab_is_what_least_squares_makes_of_all_numbers(state):
    """The best matrix behind all outputs, any number with any other, and not part by part as the lab has it."""
    series, (weights, outputs, asked) = TwoPlacesLab.compute(**state), as_regression(state)
    colours = 2 * uniform(state["seed"], np.arange(5)[:, None], np.arange(6)) - 1
    np.testing.assert_allclose(series["colours"], colours, rtol=1e-15)
    np.testing.assert_allclose([series["weights_first"], series["weights_second"]], weights, rtol=1e-12)
    assert [series["largest_first"], series["largest_second"]] == pytest.approx(weights.max(1).tolist())
    blends, slots, missed = np.zeros((2, 6)), np.zeros((2, 6)), {0: [], 1: []}
    for (head, part), rows in outputs.items():
        blends[head, 3 * part : 3 * part + 3] = rows @ colours.ravel()
    np.testing.assert_allclose(series["blends"], blends, atol=1e-12)
    all_outputs = np.concatenate(list(outputs.values()))
    for (slot, part), rows in asked.items():
        nearest = rows @ np.linalg.pinv(all_outputs, rcond=1e-7) @ all_outputs
        slots[slot, 3 * part : 3 * part + 3] = nearest @ colours.ravel()
        missed[slot].append(100 * ((rows - nearest) ** 2).sum() / 3)
    np.testing.assert_allclose(series["slots"], slots, atol=1e-7)
    errors = [np.mean(missed[0]), np.mean(missed[1])]
    assert [series["error_left"], series["error_right"]] == pytest.approx(errors, abs=1e-7)
    assert series["total"] == pytest.approx(sum(errors), abs=1e-7) and series["total"] >= series["least"] - 1e-9
    assert series["numbers"] == len(all_outputs) and series["wanted"] == sum(map(len, asked.values()))


@pytest.mark.parametrize("heads", ["one", "half", "two"])
@pytest.mark.parametrize("asked", ["whole", "parts"])
@pytest.mark.parametrize("seed", range(4))
def test_slots_are_the_read_out_of_the_blends(heads, asked, seed):
    rng = np.random.default_rng(seed)
    first, second = rng.uniform(0, 8, (2, 5)).tolist()
    series = TwoPlacesLab(heads=heads, asked=asked, seed=seed, first=first, second=second).series
    slots = series["read_out"] @ series["blends"]
    if asked == "parts":
        slots[0, 3:] = slots[1, :3] = 0
    np.testing.assert_allclose(series["slots"], slots, rtol=0, atol=1e-12)


def test_the_least_is_least_and_is_reached():
    """No scores get below it, and some get there."""
    rng = np.random.default_rng(4)
    on = {box: [8.0 * (box == i + 1) for i in range(5)] for box in range(1, 6)}
    for heads in ("one", "half", "two"):
        for asked in ("whole", "parts"):
            for left, right in ((2, 4), (5, 1), (3, 3)):
                state = {"heads": heads, "asked": asked, "left": left, "right": right}
                best = TwoPlacesLab(**state, first=on[left], second=on[right]).series
                assert best["total"] == pytest.approx(best["least"], abs=1e-3)
                for _ in range(40):
                    first, second = rng.uniform(0, 8, (2, 5)).tolist()
                    assert TwoPlacesLab(**state, first=first, second=second).series["total"] >= best["least"] - 1e-9


@pytest.mark.parametrize("heads", ["one", "half", "two"])
@pytest.mark.parametrize("asked", ["whole", "parts"])
def test_errors_are_averages_over_draws(heads, asked):
    state = {"first": [1, 5, 0, 3, 2], "second": [0, 2, 3, 4, 1], "heads": heads, "asked": asked, "left": 2, "right": 3}
    draws = [TwoPlacesLab.compute(**state, seed=seed) for seed in range(1500)]
    for slot, side in enumerate(("left", "right")):
        numbers = slice(None) if asked == "whole" else (slice(0, 3), slice(3, 6))[slot]
        off = np.array([(s["slots"][slot] - s["colours"][state[side] - 1])[numbers] for s in draws])
        values = 300 * (off**2).mean(1)  # a number has mean square 1/3
        assert abs(values.mean() - draws[0][f"error_{side}"]) < 4 * values.std() / np.sqrt(len(values))


def test_one_box_asked_twice_is_read_by_one_head():
    series = TwoPlacesLab(first=[0, 0, 8, 0, 0], left=3, right=3).series
    assert series["total"] < 1e-3 and series["least"] == 0


@pytest.mark.parametrize("state", random_states(RemovedHeadLab, 20, 6), ids=str)
def test_removed_head_lab_shows_the_file_and_ranks_as_scipy(state):
    series, layer, head = RemovedHeadLab.compute(**state), state["layer"] - 1, state["head"] - 1
    stored = evidence.read("trained")
    lost = 1000 * (1 - np.array(stored["heads"]["cosine_without"]))
    values = {
        "entropy": stored["scores"]["1/sqrt(d_k)"]["entropy"],
        "first": stored["heads"]["weight_on_first"],
        "largest": stored["scores"]["1/sqrt(d_k)"]["largest_weight"],
        "distance": stored["heads"]["distance_to_others"],
        "value": stored["heads"]["value_of_first"],
    }
    values = np.array(values[state["quantity"]])
    near = {"rtol": 0, "atol": 1e-9}
    np.testing.assert_allclose(series["lost"], lost, **near)
    np.testing.assert_allclose(series["lost_in_layer"], lost[layer], **near)
    assert series["values"].tolist() == values.tolist()
    assert series["values_in_layer"].tolist() == values[layer].tolist()
    assert divmod(series["chosen"], 12) == (layer, head)
    assert series["lost_here"] == pytest.approx(lost[layer, head], abs=1e-9)
    assert series["cosine_here"] == pytest.approx(stored["heads"]["cosine_without"][layer][head], abs=1e-9)
    assert series["value_here"] == values[layer, head]
    assert series["place"] == rankdata(-np.round(lost, 6).ravel(), method="min")[12 * layer + head]
    assert series["place_in_layer"] == rankdata(-np.round(lost[layer], 6), method="min")[head]
    assert series["place_of_value"] == rankdata(-values.ravel(), method="min")[12 * layer + head]
    np.testing.assert_allclose(series["shown"], lost if state["cells"] == "lost" else values, **near)
    alone = [spearmanr(values[i], np.round(lost[i], 6)).statistic for i in range(6)]
    np.testing.assert_allclose(series["by_layer"], alone, rtol=1e-9)
    within = np.corrcoef(*(rankdata(part[:5], axis=1).ravel() for part in (values, np.round(lost, 6))))[0, 1]
    assert series["within"] == pytest.approx(within, abs=2e-3)  # ties in a layer make the two differ a little
    assert (series["highest_early"], series["lowest_early"]) == (
        max(series["by_layer"][:5]),
        min(series["by_layer"][:5]),
    )
    assert series["most_early"] == pytest.approx(lost[:5].max()) and series["least_late"] == pytest.approx(
        lost[5].min()
    )
    ranked = spearmanr(values[:5].ravel(), np.round(lost, 6)[:5].ravel()).statistic
    assert series["correlation"] == pytest.approx(ranked, rel=1e-12)


def test_equal_numbers_share_their_rank_as_scipys_do():
    values = np.array([3.0, 1.0, 3.0, 2.0, 3.0, 1.0, 0.5])
    assert ranks(values).tolist() == rankdata(values).tolist()
