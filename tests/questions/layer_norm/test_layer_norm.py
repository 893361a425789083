"""The labs of the chapter on LayerNorm, against PyTorch's norms and PyTorch's autograd, in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from lab_cases import random_states
from torch.nn import functional as F
from whyformer.maths import softmax
from whyformer.maths.random import normal
from whyformer.model.backward import encoder_layer_backward, layer_norm_backward
from whyformer.model.layers import EncoderLayer, FeedForward, LayerNorm, Linear, MultiHead
from whyformer.questions.layer_norm import NormalisationLab, PlacementLab, stacks
from whyformer.questions.layer_norm import normalisation_lab as norms
from whyformer.questions.layer_norm import placement_lab as where

WORDS = "the cat sleeps dogs bark loudly outside rain fell all night hurry wolves owls children".split()
TEXT = "the cat sleeps / dogs bark loudly outside / rain fell all night / hurry".split(" / ")


def told(first: str, length: int, batch: int, padded_to: int) -> dict[tuple[int, int], str]:
    """What stands at (sentence, position); padding is an empty word."""
    sentences = [text.split() for text in TEXT[:batch]]
    if batch > 1:
        sentences[1] = [first, *sentences[1][1:length]]
    padded = [words + [""] * (padded_to - len(words)) for words in sentences]
    return {(i, j): word for i, words in enumerate(padded) for j, word in enumerate(words)}


def normalised_by_pytorch(norm: str, padding: str, places: dict[tuple[int, int], str]) -> torch.Tensor:
    """(4, 6, 4), and NaN where nothing is. With padding left out, BatchNorm takes its statistics from words alone."""
    middle, spread = torch.tensor([[0.0, 1.0, -0.5, 0.0], [1.0, 0.5, 1.5, 0.8]], dtype=torch.float64)
    drawn = middle + spread * torch.tensor(normal(29, np.arange(15)[:, None], np.arange(4)))
    x = torch.stack([drawn[WORDS.index(word)] if word else torch.zeros(4).double() for word in places.values()])
    if norm in ("batch", "eval"):
        members = x[[bool(word) or padding == "counted" for word in places.values()]]
        mean, variance = (members.mean(0), members.var(0, correction=0)) if norm == "batch" else (middle, spread**2)
        x = F.batch_norm(x, mean, variance, eps=1e-5)
    else:
        functions = {"layer": F.layer_norm, "rms": F.rms_norm, "none": lambda x, *_, **__: x}
        x = functions[norm](x, (4,), eps=1e-5)
    out = torch.full((4, 6, 4), torch.nan, dtype=torch.float64)
    for place, row in zip(places, x, strict=True):
        out[place] = row
    return out


@pytest.mark.parametrize("state", random_states(NormalisationLab, 30, 15), ids=str)
def test_normalisation_lab_is_what_pytorch_computes(state):
    series, norm, padding = NormalisationLab.compute(**state), state["norm"], state["padding"]
    was, now = told("dogs", 3, 4, 4), told(*(state[name] for name in ("first", "length", "batch", "padded_to")))
    found = {name: [normalised_by_pytorch(name, padding, places) for places in (was, now)] for name in norms.NORMS}
    before, after = (one.nan_to_num(0) for one in found[norm])
    in_both = torch.zeros((4, 6, 1), dtype=bool)
    for place in was.keys() & now.keys():
        in_both[place] = bool(was[place] and now[place])
    change = {name: (one - other).abs().nan_to_num(0) * in_both for name, (one, other) in found.items()}
    cell = ("ABCD".index(state["which"]), state["position"] - 1, state["feature"] - 1)
    shared = torch.zeros(4, 6, 4)
    for place, word in now.items():
        if cell[:2] in now and norm == "batch" and (word or padding == "counted"):
            shared[place][cell[2]] = 1
        if place == cell[:2] and norm in ("layer", "rms"):
            shared[place] = 1
    moved = change[norm] > 1e-7  # what moves at all moves by far more, what does not by rounding
    present = np.zeros((4, 6))
    for place, word in now.items():
        present[place] = 1 if word else 2
    left_out = [normalised_by_pytorch("batch", "left_out", places)[0, :3] for places in (was, now)]
    for name, value in {
        "apart": (found["eval"][1] - found["batch"][1])[0, :3].abs().max(),
        "moved_left_out": ((left_out[0] - left_out[1]).abs() > 1e-7).sum(),
        "training": found["batch"][1].nan_to_num(0),
        "before": before, "after": after, "moved": moved, "shared": shared, "present": present,
        "moved_by_norm": [(one[0] > 1e-7).sum() for one in change.values()],
        "largest_by_norm": [one[0].max() for one in change.values()],
        "chosen_before": before[cell], "chosen_after": after[cell], "n_shared": shared.sum(),
        "moved_a": moved[0].sum(), "moved_others": moved[1:].sum(), "cells_a": 12, "largest_a": change[norm][0].max(),
        "chosen": 24 * cell[0] + 4 * cell[1] + cell[2],
    }.items():  # fmt: skip
        np.testing.assert_allclose(series[name], value, rtol=1e-9, atol=1e-12, err_msg=name)


# ---- where the norm goes


def torch_stack(place: str, n_layers: int, drawn: stacks.Stacks, one: int):
    """The same stack in PyTorch: its stream by layer and autograd's gradients."""
    x, readout, w1, w2 = (torch.tensor(a[one]) for a in drawn[:4])
    norm = lambda z: F.layer_norm(z, (where.D,), eps=stacks.EPSILON)  # noqa: E731
    w2 = w2[:n_layers].clone().requires_grad_()
    stream = [x.clone().requires_grad_()]

    def add(z, sublayer):
        out = z + sublayer(norm(z) if place == "pre" else z)
        return norm(out) if place == "post" else out

    for i in range(n_layers):
        out = stream[-1]
        if drawn.attention is not None:
            q, k, v, o = torch.tensor(drawn.attention[one, i])
            out = add(out, lambda u: F.scaled_dot_product_attention(*(u @ w for w in (q, k, v))) @ o)  # noqa: B023
        out = add(out, lambda u: torch.relu(u @ w1[i]) @ w2[i])  # noqa: B023
        out.retain_grad()
        stream.append(out)
    last = norm(stream[-1]) if place == "pre" else stream[-1]
    F.cross_entropy(last @ readout, torch.arange(where.TOKENS)).backward()
    scale = [float(z.detach().square().mean().sqrt()) for z in stream]
    return scale, w2.grad.flatten(1).norm(dim=1).numpy(), [float(z.grad.norm()) for z in stream]


def test_the_smaller_start_is_that_of_pytorchs_encoder_layer():
    """Variances of a fresh TransformerEncoderLayer, against those of the lab."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(256, 4, 256)
    part = {
        name: float(weight.detach().var() * 256)
        for name, weight in (
            ("feed", layer.linear1.weight),
            ("down", layer.linear2.weight),
            ("heads", layer.self_attn.in_proj_weight),
            ("output", layer.self_attn.out_proj.weight),
        )
    }
    feed, heads, output = where.PART["pytorch"]
    assert part == pytest.approx({"feed": feed, "down": feed, "heads": heads, "output": output}, rel=0.02)
    bare, small = where.weights(3, True), where.weights(3, True, "pytorch")
    np.testing.assert_allclose((small.w1 / bare.w1) ** 2, feed)
    np.testing.assert_allclose((small.w2 / bare.w2) ** 2, feed)
    np.testing.assert_allclose((small.attention / bare.attention)[:, :, :3] ** 2, heads)
    np.testing.assert_allclose((small.attention / bare.attention)[:, :, 3] ** 2, output)
    np.testing.assert_array_equal(small.readout, bare.readout)


@pytest.mark.parametrize("state", random_states(PlacementLab, 4, 17), ids=str)
def test_placement_lab_is_what_pytorch_computes(state):
    """From the generator's numbers: 66 streams for a draw, its input, its readout, and then two for each layer."""
    series, depth = PlacementLab.compute(**state), state["n_layers"]
    depths = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
    assert series["layers"].tolist() == [*range(depth + 1)] and tuple(series["depths"]) == depths
    numbers = normal(state["seed"], np.arange(5 * 66)[:, None], np.arange(256)).reshape(5, 66, 16, 16)
    drawn = stacks.Stacks(numbers[:, 0, :8], numbers[:, 1] / 4, numbers[:, 2::2] / 4, numbers[:, 3::2] / 4)
    heads = normal(state["seed"], 330 + np.arange(5 * 128)[:, None], np.arange(256)).reshape(5, 32, 4, 16, 16) / 4
    if state["start"] == "pytorch":
        drawn = drawn._replace(w1=drawn.w1 / 3**0.5, w2=drawn.w2 / 3**0.5)
        heads[:, :, :3] /= 2**0.5
        heads[:, :, 3] /= 3**0.5
    plain, attending = drawn, drawn._replace(attention=heads)
    for place in ("post", "pre", "none"):
        drawn = attending if state["inside"] == "both" and place != "none" else plain
        five = [torch_stack(place, depth, drawn, one) for one in range(5)]
        scale, at_matrix, at_stream = (np.array(one) for one in zip(*five, strict=True))
        gradient = at_matrix if state["quantity"] == "matrix" else at_stream
        np.testing.assert_allclose(series[f"scale_{place}"], scale, rtol=1e-9)
        np.testing.assert_allclose(series[f"gradient_{place}"], gradient, rtol=1e-8)
        last = [torch_stack(place, one_depth, drawn, 2)[1][-1] for one_depth in depths]
        np.testing.assert_allclose(series[f"last_{place}"][2], last, rtol=1e-8)
        for name, values in (("end", scale[:, -1]), ("first", at_matrix[:, 0]), ("output", at_matrix[:, -1])):
            assert series[f"{name}_{place}"] == pytest.approx(sorted(values)[2], rel=1e-8)
        spread = max(at_matrix[:, 0]) / min(at_matrix[:, 0])
        assert series[f"spread_{place}"] == pytest.approx(spread, rel=1e-7)


# ---- many stacks at once


def by_the_model(place: str, drawn: stacks.Stacks, one: int) -> np.ndarray:
    """The gradients at W_2 of one stack, by the book's encoder layers and their backward pass."""
    d, n_layers, pre = drawn.x.shape[-1], drawn.w1.shape[1], place == "pre"
    norm = LayerNorm(np.ones(d), np.zeros(d))
    matrices = [[Linear(w) for w in drawn.attention[one, i]] for i in range(n_layers)]
    feeds = [FeedForward(Linear(drawn.w1[one, i]), Linear(drawn.w2[one, i])) for i in range(n_layers)]
    layers = [
        EncoderLayer(MultiHead(drawn.n_heads, *four), norm, feed, norm)
        for four, feed in zip(matrices, feeds, strict=True)
    ]
    stream = [drawn.x[one]]
    for layer in layers:
        stream.append(layer(stream[-1], pre=pre))
    out = norm(stream[-1]) if pre else stream[-1]
    g = (softmax(out @ drawn.readout[one]) - np.eye(*out.shape)) @ drawn.readout[one].T / len(out)
    g = layer_norm_backward(norm, stream[-1], g)[0] if pre else g
    found = []
    for layer, x in zip(layers[::-1], stream[-2::-1], strict=True):
        g, at = encoder_layer_backward(layer, x, g, pre=pre)
        found.append(np.linalg.norm(at.feed.down.weight))
    return np.array(found[::-1])


@pytest.mark.parametrize("place", ["post", "pre"])
@pytest.mark.parametrize("n_heads", [1, 4])
def test_stacks_with_attention_are_the_encoder_layers_of_the_model(place, n_heads):
    drawn = stacks.drawn(5, stacks=3, d=16, n=7, n_heads=n_heads, seed=3)
    found = stacks.gradients(place, drawn)
    for one in range(3):
        np.testing.assert_allclose(found[one], by_the_model(place, drawn, one), rtol=1e-9)
