"""The labs on attention and recurrence: costs against PyTorch's layers and a walk on a graph, gradients by autograd."""

import numpy as np
import pytest
import torch
from lab_cases import random_states
from scipy.special import softmax
from whyformer.maths.random import normal
from whyformer.questions.advantages import LayersLab, PathLab
from whyformer.questions.advantages.exercises import check_cache, check_crossing, check_leak
from whyformer.questions.advantages.layers_lab import KERNELS, LENGTHS, WINDOWS


def hops_of(joined, n):
    """Layers until the last of n tokens has heard of the first; layer number i joins a place to those in joined(i)."""
    heard, layers = {n - 1}, 0
    while 0 not in heard:
        heard |= {at - back for at in heard for back in joined(layers) if at >= back}
        layers += 1
    return layers


@pytest.mark.parametrize("n", [16, 32, 256, 1024])
@pytest.mark.parametrize("kernel", KERNELS)
def test_hops_are_those_of_a_walk_on_the_graph(n, kernel):
    at = LENGTHS.index(n)
    for window in WINDOWS:
        hops = LayersLab(n=n, kernel=kernel, window=window).series["hops"][:, at]
        assert hops[0] == hops_of(lambda layer: range(n), n)
        assert hops[2] == hops_of(lambda layer: [i * kernel**layer for i in range(kernel)], n)
        assert hops[3] == hops_of(lambda layer: range(kernel), n)
        if window <= 64 or n <= 256:
            assert hops[4] == hops_of(lambda layer, window=window: range(window), n)
    assert hops[1] == hops_of(lambda layer: [1], n)


@pytest.mark.parametrize("state", [*random_states(LayersLab, 12, 3), LayersLab(count="layer").state], ids=str)
def test_work_is_that_of_the_layers_of_pytorch(state):
    """Every entry of a matrix meets every token once; scores and sums of values are counted apart."""
    d, series = 64, LayersLab(**{**state, "d": 64}).series

    def entries(layer):
        return sum(weight.numel() for name, weight in layer.named_parameters() if "weight" in name)

    own = entries(torch.nn.MultiheadAttention(d, 1, bias=False))
    if state["count"] == "layer":
        own = entries(torch.nn.TransformerEncoderLayer(d, 1, 4 * d, bias=False)) - 2 * d  # without two gains of norms
    lstm = state["count"] in ("lstm", "layer")
    cell = entries((torch.nn.LSTMCell if lstm else torch.nn.RNNCell)(d, d))
    kernel = entries(torch.nn.Conv1d(d, d, state["kernel"]))
    if state["count"] == "table":
        own, cell = 0, entries(torch.nn.RNNCell(d, d)) // 2  # the product with the state alone
    for i, n in enumerate(LENGTHS):
        pairs, near = n * n, n * min(n, state["window"])
        both = 1 if state["count"] == "table" else 2
        expected = [own * n + both * d * pairs, cell * n, kernel * n, own * n + both * d * near]
        np.testing.assert_allclose(series["work"][:, i], expected, rtol=1e-15)
        np.testing.assert_allclose(series["relative"][:, i], np.array(expected) / expected[1], rtol=1e-12)
        np.testing.assert_array_equal(series["waits"][:, i], [1, n, 1, 1])
    now = LENGTHS.index(state["n"])
    assert series["ratio"] == series["relative"][0, now]
    assert [series[f"waits_{kind}"] for kind in ("attention", "recurrence")] == [1, state["n"]]
    names = ("attention", "recurrence", "dilated", "plain", "window")
    assert [series[f"hops_{kind}"] for kind in names] == series["hops"][:, now].tolist()
    assert [series[f"kept_{kind}"] for kind in names[:2]] == series["kept"][:2, now].tolist()


@pytest.mark.parametrize("d", [64, 512, 4096])
@pytest.mark.parametrize(("count", "in_widths"), [("table", 1), ("simple", 0), ("lstm", 2), ("layer", 0)])
def test_the_crossing_is_where_the_curves_meet(d, count, in_widths):
    series = LayersLab(d=d, count=count).series
    assert series["crossing"] == in_widths * d
    less = series["work"][0] < series["work"][1] * (1 - 1e-12)
    np.testing.assert_array_equal(less, np.array(LENGTHS) < series["crossing"])


def test_what_is_kept_is_what_grows_while_writing():
    """A convolution looks at its kernel's places, one of which is new; an LSTM has two states; a cache has two rows."""
    d, kernel, window = 64, 5, 16
    for count in ("simple", "lstm", "layer"):
        kept = LayersLab(d=d, kernel=kernel, window=window, count=count).series["kept"]
        cell = torch.nn.LSTMCell(d, d) if count != "simple" else torch.nn.RNNCell(d, d)
        state, cache, near, inputs = None, [], [], []
        for n in range(1, 65):
            x = torch.randn(1, d)
            state = cell(x, state)
            cache += [x, x]
            near = [*near, x, x][-2 * window :]
            inputs = [*inputs, x][-(kernel - 1) :]
            if n in LENGTHS:
                sizes = [sum(one.numel() for one in each) for each in (cache, state, inputs, near)]
                assert kept[:, LENGTHS.index(n)].tolist() == sizes


def by_autograd(state, draw):
    """Length of the gradient at each state of a run, the last first."""

    def stream(which, count):
        return torch.tensor(normal(state["seed"], 4 * draw + which, np.arange(count)))

    w = stream(0, 144).reshape(12, 12)
    if state["matrix"] == "rotation":
        for i in range(12):  # Gram and Schmidt, with projections as matrices
            before = w[:i]
            w = w.clone()
            w[i] = w[i] - before.T @ torch.linalg.lstsq(before.T, w[i][:, None]).solution[:, 0] if i else w[i]
        w = w / w.norm(dim=1, keepdim=True)
    else:
        w = w / 12**0.5
    x = stream(1, 600).reshape(50, 12) * {"loud": 0.5, "quiet": 0.1, "tiny": 0.05, "none": 0}[state["unit"]]
    u = stream(2, 12)
    phi = torch.nn.Identity() if state["unit"] == "none" else torch.tanh
    h, states = torch.zeros(12, dtype=torch.float64, requires_grad=True), []
    for one in x:
        h = state["gate"] * h + (1 - state["gate"]) * phi(state["scale"] * (w @ h) + one)
        h.retain_grad()
        states.append(h)
    (h @ (u / u.norm())).backward()
    return [one.grad.norm().item() for one in states[::-1]]


@pytest.mark.parametrize("state", random_states(PathLab, 10, 8), ids=str)
def test_gradients_are_those_of_autograd(state):
    series = PathLab(**state).series
    runs = np.sort([by_autograd(state, draw) for draw in range(21)], axis=0)
    np.testing.assert_allclose(series["recurrence"], runs[[2, 10, 18]], rtol=1e-7)
    assert series["end_recurrence"] == pytest.approx(np.median(runs[:, -1]), rel=1e-7)
    assert series["per_step"] ** 49 == pytest.approx(np.median(runs[:, -1]), rel=1e-7)
    assert 10 ** series["orders"] == pytest.approx(runs[18, -1] / runs[2, -1], rel=1e-7)
    scores = np.array([normal(state["seed"], 4 * draw + 3, np.arange(50)) for draw in range(21)])
    scores[:, 0] += state["lead"]
    weights = np.sort([softmax(scores[:, : n + 1], axis=1)[:, 0] for n in range(50)], axis=1)[:, [2, 10, 18]]
    np.testing.assert_allclose(series["attention"], weights.T, rtol=1e-12)
    assert series["end_attention"] == pytest.approx(weights[-1, 1]) and series["uniform"] == 0.02


def test_exercises_know_right_answers():
    assert check_leak(0.999307) and check_crossing(1920)


def test_a_cache_is_judged_by_pytorchs_masked_attention(capsys):
    def of_pytorch(x, w_q, w_k, w_v):
        q, k, v = (torch.tensor(x @ w)[None] for w in (w_q, w_k, w_v))
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)[0].numpy()

    assert check_cache(of_pytorch)
    assert not check_cache(lambda x, w_q, w_k, w_v: of_pytorch(x, 2 * w_q, w_k, w_v))
    assert "divided" in capsys.readouterr().out


def test_what_the_prediction_says_of_forty_draws():
    ends = [PathLab(seed=seed, unit="loud").series["end_recurrence"] for seed in range(40)]
    assert max(ends) < 1e-4 and min(ends) > 0
    quiet = [PathLab(seed=seed, unit="quiet").series["end_recurrence"] for seed in range(40)]
    assert 0.005 < np.median(quiet) < 0.02
