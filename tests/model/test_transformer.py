"""The whole Transformer and its backward pass, against PyTorch's own layers in float64 and against differences."""

import numpy as np
import pytest
import torch
from whyformer.model.backward import (
    decoder_layer_backward,
    encoder_layer_backward,
    feed_forward_backward,
)
from whyformer.model.layers import (
    SITES,
    Dropout,
    FeedForward,
    Linear,
    MultiHead,
    causal,
    gelu,
)  # fmt: skip
from whyformer.model.transformer import Config, Transformer, count_parameters, initial

SMALL = Config(d_model=12, n_heads=3, d_ff=20, n_layers=2, vocabulary=17)
SOURCE = np.array([[3, 5, 16, 0], [1, 2, 9, 9]])
PADDING = np.array([[True, True, True, False], [True] * 4])
TARGET = np.array([[1, 7, 4], [1, 1, 8]])


def arrays(part):
    """Every array of a model, in order."""
    if isinstance(part, np.ndarray):
        return [part]
    return [a for child in part for a in arrays(child)] if isinstance(part, tuple) else []


def perturbed(part, generator):
    """The same model with every array moved, so that no gain is 1, no bias 0 and tied arrays stay tied."""
    seen = {}

    def walk(part):
        if isinstance(part, np.ndarray):
            return seen.setdefault(id(part), part + 0.1 * generator.standard_normal(part.shape))
        if isinstance(part, tuple):
            children = [walk(child) for child in part]
            return type(part)(*children) if hasattr(part, "_fields") else tuple(children)
        return part

    return walk(part)


def fresh(**changes) -> Transformer:
    generator = np.random.default_rng(4)
    return perturbed(initial(SMALL._replace(**changes), generator), generator)


# ---- PyTorch's layers with our numbers in them


def tensor(array):
    return torch.tensor(array, dtype=torch.float64)


def fill(module, attention: MultiHead):
    module.in_proj_weight.data = tensor(np.concatenate([p.weight.T for p in (attention.q, attention.k, attention.v)]))
    module.out_proj.weight.data = tensor(attention.o.weight.T)
    for bias, ours in ((module.in_proj_bias, None), (module.out_proj.bias, attention.o.bias)):
        bias.data[:] = 0 if ours is None else tensor(ours)
    if attention.q.bias is not None:
        module.in_proj_bias.data = tensor(np.concatenate([p.bias for p in (attention.q, attention.k, attention.v)]))


def fill_rest(module, layer):
    for theirs, ours in ((module.linear1, layer.feed.up), (module.linear2, layer.feed.down)):
        theirs.weight.data, theirs.bias.data = tensor(ours.weight.T), tensor(ours.bias)
    for name in ("norm1", "norm2", "norm3"):
        if hasattr(layer, name):
            theirs, ours = getattr(module, name), getattr(layer, name)
            theirs.weight.data, theirs.bias.data = tensor(ours.gain), tensor(ours.bias)


def torch_layer(kind, layer, pre, **options):
    d, f = layer.feed.up.weight.shape
    module = kind(d, layer.attention.n_heads, f, 0.0, batch_first=True, norm_first=pre, **options).double()
    fill(module.self_attn, layer.attention)
    if hasattr(layer, "cross"):
        fill(module.multihead_attn, layer.cross)
    fill_rest(module, layer)
    return module


def torch_logits(model: Transformer, source, target, padding):
    """The same model in PyTorch; its masks are True where a query may NOT look."""
    c = model.config
    pre = c.norm == "pre"

    def embed(table, ids):
        t, i = np.meshgrid(np.arange(ids.shape[1]), np.arange(c.d_model), indexing="ij")
        angle = t / 10000 ** ((i - i % 2) / c.d_model)
        return tensor(table[ids] * c.d_model**0.5 + np.where(i % 2, np.cos(angle), np.sin(angle)))

    def end(norm, x):
        if norm is None:
            return x
        return torch.nn.functional.layer_norm(x, (c.d_model,), tensor(norm.gain), tensor(norm.bias), norm.epsilon)

    x = embed(model.source, source)
    hide = torch.tensor(~padding)
    for layer in model.encoder:
        x = torch_layer(torch.nn.TransformerEncoderLayer, layer, pre).train()(x, src_key_padding_mask=hide)
    memory = end(model.encoder_end, x)
    y = embed(model.target, target)
    future = torch.triu(torch.ones(target.shape[1], target.shape[1], dtype=torch.bool), 1)
    for layer in model.decoder:
        module = torch_layer(torch.nn.TransformerDecoderLayer, layer, pre)
        y = module(y, memory, tgt_mask=future, memory_key_padding_mask=hide)
    return (end(model.decoder_end, y) @ tensor(model.output).T).detach().numpy()


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("tied", [True, False])
def test_the_whole_model_is_the_one_of_pytorch(norm, tied):
    model = fresh(norm=norm, tied=tied)
    ours = model(SOURCE, TARGET, PADDING)
    assert ours.shape == (2, 3, 17)
    np.testing.assert_allclose(ours, torch_logits(model, SOURCE, TARGET, PADDING), rtol=1e-10, atol=1e-12)


def test_parameters_by_formula_and_by_array():
    assert Config().n_parameters() == 63_045_632
    assert Config(d_model=1024, n_heads=16, d_ff=4096).n_parameters() == 214_171_648
    for changes in ({}, {"norm": "pre"}, {"tied": False}, {"norm": "pre", "tied": False}, {"n_layers": 1}):
        model = initial(SMALL._replace(**changes), np.random.default_rng(0))
        assert count_parameters(model) == model.config.n_parameters()


def test_float32_stays_float32():
    model = initial(SMALL, np.random.default_rng(0), np.float32)
    assert {a.dtype for a in arrays(model)} == {np.dtype(np.float32)}
    assert model(SOURCE, TARGET, PADDING).dtype == np.float32


def test_greedy_takes_the_most_probable_token_and_stops_at_the_end():
    model = fresh()
    out = model.greedy(SOURCE[0], start=1, end=-1, most=6)
    assert len(out) == 6
    logits = model(SOURCE[0], [1, *out[:-1]])
    assert logits.argmax(-1).tolist() == out
    assert model.greedy(SOURCE[0], start=1, end=out[1], most=6) == out[: out.index(out[1]) + 1]


# ---- dropout


def test_without_a_generator_nothing_is_dropped():
    x = np.ones((3, 4))
    assert Dropout()("residual", x) is x and Dropout(np.random.default_rng(0))("attention", x) is x


def test_dropout_keeps_the_mean_and_names_its_sites():
    drop = Dropout(np.random.default_rng(0), {"hidden": 0.25})
    out = drop("hidden", np.ones(40_000))
    assert set(np.unique(out)) == {0, 4 / 3}
    assert abs((out == 0).mean() - 0.25) < 0.01 and abs(out.mean() - 1) < 0.01


@pytest.mark.parametrize("site", SITES)
def test_every_site_is_in_the_model(site):
    model = fresh()
    drop = Dropout(np.random.default_rng(0), {site: 0.5})
    assert np.abs(model(SOURCE, TARGET, drop=drop) - model(SOURCE, TARGET)).max() > 1e-6


def test_the_default_sites_are_those_of_the_paper():
    assert Dropout().rates == {"embedding": 0.1, "residual": 0.1}


# ---- backward


def layer_and_input(seed=0, biases=False, n=5, d=12):
    generator = np.random.default_rng(seed)
    layer = fresh().encoder[0]
    if biases:
        projections = [p._replace(bias=generator.standard_normal(d)) for p in layer.attention[1:5]]
        layer = layer._replace(attention=MultiHead(3, *projections))
    return layer, generator.standard_normal((2, n, d)), generator.standard_normal((2, n, d))


@pytest.mark.parametrize("pre", [False, True])
@pytest.mark.parametrize("biases", [False, True])
def test_encoder_layer_backward_is_autograd(pre, biases):
    layer, x, upstream = layer_and_input(biases=biases)
    mask = causal(5)
    module = torch_layer(torch.nn.TransformerEncoderLayer, layer, pre)
    at_x = tensor(x).requires_grad_()
    (module(at_x, src_mask=torch.tensor(~mask)) * tensor(upstream)).sum().backward()
    dx, d = encoder_layer_backward(layer, x, upstream, mask, pre)
    if not pre:  # the paper's order is the default
        np.testing.assert_array_equal(encoder_layer_backward(layer, x, upstream, mask)[0], dx)
        np.testing.assert_array_equal(layer(x, mask), layer(x, mask, False))
    theirs = [at_x.grad, *module.self_attn.in_proj_weight.grad.reshape(3, 12, 12).transpose(1, 2)]
    ours = [dx, d.attention.q.weight, d.attention.k.weight, d.attention.v.weight]
    for part, linear in (
        (module.self_attn.out_proj, d.attention.o),
        (module.linear1, d.feed.up),
        (module.linear2, d.feed.down),
    ):
        theirs.append(part.weight.grad.T)
        ours.append(linear.weight)
        if linear.bias is not None:
            theirs.append(part.bias.grad)
            ours.append(linear.bias)
    for part, norm in ((module.norm1, d.norm1), (module.norm2, d.norm2)):
        theirs += [part.weight.grad, part.bias.grad]
        ours += [norm.gain, norm.bias]
    if biases:
        theirs += list(module.self_attn.in_proj_bias.grad.reshape(3, 12))
        ours += [d.attention.q.bias, d.attention.k.bias, d.attention.v.bias]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b.detach().numpy(), rtol=1e-9, atol=1e-11)
    assert len(arrays(d)) == len(arrays(layer)) == len(ours) - 1


def test_decoder_layer_backward_is_autograd():
    layer, generator = fresh().decoder[0], np.random.default_rng(5)
    x, memory, upstream = (generator.standard_normal((2, n, 12)) for n in (5, 4, 5))
    mask = causal(5)
    module = torch_layer(torch.nn.TransformerDecoderLayer, layer, False)
    at_x, at_memory = tensor(x).requires_grad_(), tensor(memory).requires_grad_()
    (module(at_x, at_memory, tgt_mask=torch.tensor(~mask)) * tensor(upstream)).sum().backward()
    dx, dm, d = decoder_layer_backward(layer, x, memory, upstream, mask)
    theirs, ours = [at_x.grad, at_memory.grad], [dx, dm]
    for part, heads in ((module.self_attn, d.attention), (module.multihead_attn, d.cross)):
        theirs += [*part.in_proj_weight.grad.reshape(3, 12, 12).transpose(1, 2), part.out_proj.weight.grad.T]
        ours += [heads.q.weight, heads.k.weight, heads.v.weight, heads.o.weight]
    for part, linear in ((module.linear1, d.feed.up), (module.linear2, d.feed.down)):
        theirs += [part.weight.grad.T, part.bias.grad]
        ours += [linear.weight, linear.bias]
    for part, norm in ((module.norm1, d.norm1), (module.norm2, d.norm2), (module.norm3, d.norm3)):
        theirs += [part.weight.grad, part.bias.grad]
        ours += [norm.gain, norm.bias]
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b.detach().numpy(), rtol=1e-9, atol=1e-11)
    assert len(arrays(d)) == len(arrays(layer)) == len(ours) - 2


def test_a_relu_that_stands_at_zero_lets_nothing_through():
    """As in PyTorch; in the model it happens where an input and a bias are exactly 0."""
    weight = np.random.default_rng(0).standard_normal((3, 4))
    feed = FeedForward(Linear(weight, np.array([0.0, -1.0, 1.0, 0.0])), Linear(weight.T, np.zeros(3)))
    at_x = torch.zeros((1, 3), dtype=torch.float64, requires_grad=True)
    (torch.relu(at_x @ tensor(weight) + tensor(feed.up.bias)) @ tensor(weight.T)).sum().backward()
    dx, d = feed_forward_backward(feed, np.zeros((1, 3)), np.ones((1, 3)))
    np.testing.assert_allclose(dx, at_x.grad, rtol=1e-12)
    assert (d.up.bias != 0).tolist() == [False, False, True, False]


# ---- bad input


@pytest.mark.parametrize(
    "changes, fragments",
    [
        ({"d_model": 10}, ["d_model", "multiple", "n_heads", "10"]),
        ({"n_heads": 0}, ["n_heads", "1 or more", "0"]),
        ({"d_ff": 2.5}, ["d_ff", "whole", "2.5"]),
        ({"n_layers": True}, ["n_layers", "True"]),
        ({"norm": "both"}, ["norm", "post", "pre", "both"]),
    ],
)
def test_config(changes, fragments):
    with pytest.raises(ValueError) as caught:
        initial(SMALL._replace(**changes), np.random.default_rng(0))
    assert all(fragment in str(caught.value) for fragment in fragments)


@pytest.mark.parametrize("ids", [[], 3, [17], [-1], [0.5], [[1, 2], [3, 99]]])
def test_token_ids(ids):
    with pytest.raises(ValueError, match="token ids"):
        fresh().encode(ids)


@pytest.mark.parametrize("rates", [{"softmax": 0.1}, {"hidden": 1.0}, {"hidden": -0.1}])
def test_dropout_rates(rates):
    with pytest.raises(ValueError, match="embedding, attention, hidden, residual"):
        Dropout(np.random.default_rng(0), rates)("hidden", np.ones(3))


def test_backward_refuses_what_it_does_not_know():
    layer, x, upstream = layer_and_input()
    feed = FeedForward(layer.feed.up, layer.feed.down, gelu)
    with pytest.raises(ValueError, match="ReLU"):
        feed_forward_backward(feed, x, upstream)


def test_initial_weights_have_the_spread_they_are_said_to_have():
    """Tables: standard deviation 1 / sqrt(d_model). Matrices: uniform, as far as Glorot's limit."""
    model = initial(Config(d_model=64, n_heads=4, d_ff=256, n_layers=1, vocabulary=4000), np.random.default_rng(3))
    assert model.source.std() == pytest.approx(1 / 8, rel=0.01) and abs(model.source.mean()) < 0.001
    layer = model.encoder[0]
    for matrix, d_in, d_out in ((layer.attention.k.weight, 64, 64), (layer.feed.up.weight, 64, 256)):
        limit = (6 / (d_in + d_out)) ** 0.5
        assert 0.999 * limit < np.abs(matrix).max() < limit
        assert matrix.std() == pytest.approx(limit / 3**0.5, rel=0.02)
