"""The little model and its gradients against PyTorch in double precision, for every way an arm can be built."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from whyformer.workbench import TASKS, Arm
from whyformer.workbench.adam import Adam, cross_entropy
from whyformer.workbench.engine import build, initial, side_by_side, spread

SMALL = Arm(d_model=8, layers=2, heads=2, positions="learned")
VARIANTS = [
    {},
    *({"divisor": divisor, "d_k": 5} for divisor in ("1", "sqrt", "d_k")),
    {"matrices": "one"},
    {"matrices": "one", "heads": 1, "norm": "post"},
    *({"matrices": "none", "heads": heads} for heads in (1, 2)),
    *({"d_ff": 0, "norm": norm} for norm in ("pre", "post")),
    *({"residual": residual, "norm": norm} for residual in (True, False) for norm in ("pre", "post", "none")),
    *({"start": start} for start in ("small", "zero")),
    *({"positions": positions} for positions in ("none", "sinusoids", "rotary")),
    {"positions": "rotary", "heads": 1, "norm": "post"},
    {"positions": "rotary", "matrices": "none", "norm": "none"},
    {"d_ff": 3, "layers": 1},
]


def torch_logits(arm, task, p, tokens):
    """The same model, written for PyTorch from the docstrings."""
    d = arm.d_model

    def norm(name, x):
        return F.layer_norm(x, (d,), p[name + ".gain"], p[name + ".bias"])

    def turned(x):
        """Neighbours as a complex number, which turns by the place times a power of 1 / 10000."""
        size = x.shape[-1]
        angle = np.arange(x.shape[-2])[:, None] * 10000.0 ** -(np.arange(0, size, 2) / size)
        turn = torch.polar(torch.ones(angle.shape, dtype=torch.float64), torch.tensor(angle))
        return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turn).flatten(-2)

    def attend(at, x):
        def split(y):
            return y.unflatten(-1, (arm.heads, -1)).transpose(1, 2)

        names = {"two": ("q", "k", "v"), "one": ("q", "q", "v"), "none": (None, None, "v")}[arm.matrices]
        q, k, v = (split(x @ p[at + name] if name else x) for name in names)
        if arm.positions == "rotary":
            q, k = turned(q), turned(k)
        divisor = {"1": 1, "sqrt": q.shape[-1] ** 0.5, "d_k": q.shape[-1]}[arm.divisor]
        out = F.scaled_dot_product_attention(q, k, v, scale=1 / divisor)
        return out.transpose(1, 2).flatten(-2) @ p[at + "o"]

    def feed(at, x):
        return torch.relu(x @ p[at + "up"] + p[at + "up.bias"]) @ p[at + "down"] + p[at + "down.bias"]

    x = d**0.5 * p["table"][torch.tensor(tokens)].sum(-2)
    if arm.positions == "learned":
        x = x + d**0.5 * p["position"][: x.shape[1]]
    if arm.positions == "sinusoids":
        t, i = np.meshgrid(np.arange(x.shape[1]), np.arange(d), indexing="ij")
        angle = t / 10000 ** ((i - i % 2) / d)
        x = x + torch.tensor(np.where(i % 2, np.cos(angle), np.sin(angle)))
    for layer in range(arm.layers):
        at = f"{layer}."
        for part, name in ((attend, "norm1"), (feed, "norm2"))[: 1 if arm.d_ff == 0 else 2]:
            y = part(at, norm(at + name, x) if arm.norm == "pre" else x)
            x = x + y if arm.residual else y
            x = norm(at + name, x) if arm.norm == "post" else x
    x = norm("end", x) if arm.norm == "pre" else x
    logits = x[:, task.asked] @ p["out"] + p["out.bias"]  # replies of a position stand side by side
    return logits.unflatten(-1, (task.replies, task.answers)).flatten(1, 2)


def moved(arm, task):
    """Parameters that are not where they start: no gain is 1, no bias 0."""
    generator = np.random.default_rng(3)
    return {name: a + 0.1 * generator.standard_normal(a.shape) for name, a in initial(arm, task, 7).items()}


POSITIONS = [{"positions": positions} for positions in ("rotary", "sinusoids")]
CASES = [*((n, {}) for n in TASKS), *(("kv", c) for c in VARIANTS[1:]), *(("longer", c) for c in POSITIONS)]


@pytest.mark.parametrize("name, changes", CASES, ids=str)
def test_loss_and_gradients_are_those_of_pytorch(name, changes):
    arm, task = SMALL.change(**changes), TASKS[name]
    p = moved(arm, task)
    batch = TASKS[task.trains_on or name].batch(1, 2, 3)  # ten digits for a model of twenty
    theirs = {name: torch.tensor(a, requires_grad=True) for name, a in p.items()}
    logits = torch_logits(arm, task, theirs, batch.tokens)
    loss = F.cross_entropy(logits.flatten(0, -2), torch.tensor(batch.answers.copy()).flatten())
    loss.backward()
    model = build(arm, task, p)
    found = model.forward(batch.tokens)
    np.testing.assert_allclose(found.logits, logits.detach().numpy(), rtol=1e-10, atol=1e-12)
    ours, at_logits = cross_entropy(found.logits, batch.answers)
    assert ours == pytest.approx(loss.item(), rel=1e-12)
    gradients = model.backward(found, at_logits)
    assert gradients.keys() == p.keys()
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, theirs[name].grad.numpy(), rtol=1e-10, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_seeds_side_by_side_are_each_as_alone(changes):
    arm, task, seeds = SMALL.change(**changes), TASKS["kv"], (3, 1, 4)
    batch = task.side_by_side(seeds, 5, 6)
    model = build(arm, task, side_by_side(arm, task, seeds))
    found = model.forward(batch.tokens)
    losses, at_logits = cross_entropy(found.logits, batch.answers)
    gradients = model.backward(found, at_logits)
    for i, seed in enumerate(seeds):
        one = build(arm, task, initial(arm, task, seed))
        own = task.batch(seed, 5, 6)
        alone = one.forward(own.tokens)
        loss, g = cross_entropy(alone.logits, own.answers)
        assert losses[i] == pytest.approx(float(loss), rel=1e-13)
        for name, gradient in one.backward(alone, g).items():
            np.testing.assert_allclose(gradients[name][i], gradient, rtol=1e-10, atol=1e-14, err_msg=name)


def test_adam_is_that_of_pytorch():
    generator = np.random.default_rng(0)
    start = {"a": generator.standard_normal((3, 4)), "b": generator.standard_normal(5)}
    theirs = [torch.tensor(a.copy(), requires_grad=True) for a in start.values()]
    adam, other = Adam(start), torch.optim.Adam(theirs, lr=3e-3)
    for step in range(50):
        rate = 3e-3 * min(1, (step + 1) / 20)
        gradients = {name: generator.standard_normal(a.shape) * 10.0 ** (step % 5 - 3) for name, a in start.items()}
        for tensor, gradient in zip(theirs, gradients.values(), strict=True):
            tensor.grad = torch.tensor(gradient)
        other.param_groups[0]["lr"] = rate
        other.step()
        adam.step(dict(reversed(gradients.items())), rate)
    for ours, tensor in zip(adam.parameters.values(), theirs, strict=True):
        np.testing.assert_allclose(ours, tensor.detach().numpy(), rtol=1e-12, atol=1e-14)


def test_adam_leaves_what_it_was_given_and_moves_its_own():
    start = {"a": np.ones(3)}
    adam = Adam(start)
    view = adam.parameters["a"]
    adam.step({"a": np.ones(3)}, 0.1)
    assert start["a"].tolist() == [1, 1, 1] and view == pytest.approx([0.9] * 3)


@pytest.mark.parametrize("start, scale", [("plain", 1), ("small", 0.5), ("zero", 0)])
def test_the_start_scales_what_leaves_a_branch(start, scale):
    plain, other = (initial(SMALL.change(start=s), TASKS["kv"], 1) for s in ("plain", start))
    for name, a in plain.items():
        factor = scale if name[2:] in ("o", "down") else 1
        np.testing.assert_allclose(other[name], factor * a, rtol=1e-15)


def test_first_weights_have_the_spread_they_are_said_to_have():
    p = initial(Arm(d_model=64, d_k=100), TASKS["kv"], 0)
    for name, variance in (("table", 1 / 64), ("0.q", 1 / 64), ("0.o", 1 / 100), ("0.down", 1 / 128), ("out", 1 / 64)):
        tolerance = 4 * (2 / p[name].size) ** 0.5
        assert p[name].var() * (1 / variance) == pytest.approx(1, abs=tolerance), name


def test_sums_of_uniforms_are_nearly_normal():
    x = spread(0, 0, (100, 1000))
    assert abs(x.mean()) < 0.015 and x.var() == pytest.approx(1, abs=0.02)
    assert (np.abs(x) > 2).mean() == pytest.approx(0.0455, abs=0.005)
    assert (spread(0, 0, (7,)) == x[0, :7]).all() and not (spread(0, 1, (7,)) == x[0, :7]).any()
