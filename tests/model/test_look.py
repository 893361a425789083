"""``look`` and its pictures: axes of one's own, changed models, weights from elsewhere, long texts, odd texts."""

from __future__ import annotations

import dataclasses
import pydoc
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch
from matplotlib.axes import Axes
from whyformer.model import Look, load, look, pictures, smollm
from whyformer.model.decoder import GroupedAttention
from whyformer.model.layers import MultiHead

RNG = np.random.default_rng(0)


def weights_of(*leading: int, n: int) -> np.ndarray:
    raw = np.exp(4 * RNG.standard_normal((*leading, n, n)))
    return raw / raw.sum(-1, keepdims=True)


def words(n: int) -> list[str]:
    return [f"word{i}" for i in range(n)]


@pytest.fixture(scope="module")
def seen() -> Look:
    return look("I am a boy")


# ---- a picture on axes of one's own


def test_two_heads_stand_side_by_side(seen):
    figure, axes = plt.subplots(1, 3, figsize=(12, 4))
    drawn = [seen.plot(1, 1, ax=axes[0]), seen.arcs(1, 1, "boy", ax=axes[1]), seen.grid(ax=axes[2], cmap="Greys")]
    assert drawn == [*axes] and len(figure.axes) == 3
    assert [axis.get_title("left") for axis in axes] == ["weights of layer 1, head 1"] * 2 + ["weights of all heads"]
    assert axes[2].images[0].get_cmap().name == "Greys"
    plt.close(figure)


def numbers(axes: Axes) -> int:
    return sum(text.get_text().isdecimal() for text in axes.texts)


@pytest.mark.parametrize(("n", "inches", "fits"), [(6, 5, True), (6, 1.6, False), (13, 9, False)])
def test_where_numbers_do_not_fit_a_colour_bar_stands(n, inches, fits):
    figure, axes = plt.subplots(figsize=(inches, inches))
    pictures.table(words(n), weights_of(n=n), ax=axes)
    assert numbers(axes) == n * n * fits and len(figure.axes) == 2 - fits
    if not fits:
        assert figure.axes[1].get_ylim() == (0, 1)
    plt.close(figure)


def test_size_and_colours_are_those_that_were_asked_for(seen):
    figure = seen.plot(1, 1, figsize=(7, 3), cmap="viridis")
    assert figure.get_size_inches().tolist() == [7, 3]
    assert figure.axes[0].collections[0].get_cmap().name == "viridis"
    assert seen.arcs(1, 1, figsize=(3, 2)).get_size_inches().tolist() == [3, 2]
    with pytest.raises(ValueError, match="ax or figsize"):
        seen.plot(1, 1, figsize=(7, 3), ax=plt.figure().add_subplot())


# ---- weights from elsewhere


def test_weights_come_from_pytorch_and_from_transformers():
    layers = [torch.tensor(weights_of(1, 2, n=5), requires_grad=True).to(torch.bfloat16) for _ in range(3)]
    mosaic = pictures.grid(layers).axes[0].images[0].get_array()
    assert mosaic.shape == (3 * 6 - 1, 2 * 6 - 1)
    expected = layers[2][0, 1].float().detach().numpy()
    np.testing.assert_array_equal(np.ma.getdata(mosaic)[12:17, 6:11], expected)
    cells = pictures.table(words(5), layers[2][0, 1]).axes[0].collections[0].get_array()
    np.testing.assert_array_equal(np.ma.getdata(cells), expected)
    assert pictures.arcs(words(5), layers[0][0, 0].tolist()).axes[0].patches


def test_queries_may_look_at_other_tokens():
    axes = pictures.table(["le", "chat"], [[0.5, 0.25, 0.25], [0, 0, 1]], keys=["the", "cat", "."]).axes[0]
    assert [one.get_text() for one in axes.get_xticklabels()] == ["the", "cat", "."]
    assert [one.get_text() for one in axes.texts] == ["50", "25", "25", "0", "0", "100"]


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda: pictures.table(words(3), weights_of(n=4)), r"shape \(3, 3\), as the tokens; got \(4, 4\)"),
        (lambda: pictures.arcs(words(3), weights_of(n=4)), r"shape \(3, 3\)"),
        (lambda: pictures.table(words(3), weights_of(2, n=3)), r"\(n_queries, n_keys\); got \(2, 3, 3\)"),
        (lambda: pictures.grid(weights_of(2, n=3)), r"\(n_layers, n_heads, n, n\); got \(2, 3, 3\)"),
        (lambda: pictures.table(words(2), [["a", "b"], ["c", "d"]]), "must be numbers"),
    ],
)
def test_weights_of_another_shape_are_refused(draw, told):
    with pytest.raises(ValueError, match=told):
        draw()


# ---- a model that was changed


@pytest.mark.parametrize("load_it", [load, smollm.load])
def test_a_head_that_is_removed_hands_nothing_on(load_it):
    """By hand: the same layer, with zeros in place of what that head found."""
    model = load_it()
    before, after = (look("The cat sat.", model=one) for one in (model, model.without_head(layer=2, head=5)))
    np.testing.assert_array_equal(after.hidden[1], before.hidden[1])
    np.testing.assert_array_equal(after.weights[1], before.weights[1])
    stack = model.bert.layers if load_it is load else model.decoder.blocks
    layer, x = stack[1], before.hidden[1]
    heads = layer.attention.heads(x, x) if load_it is load else layer.attention.heads(layer.norm1(x))[0]
    output = heads.output.copy()
    output[4] = 0
    added = x + layer.attention.joined(heads._replace(output=output))
    if load_it is load:
        middle = layer.norm1(added)
        expected = layer.norm2(middle + layer.feed(middle))
    else:
        expected = added + layer.feed(layer.norm2(added))
    np.testing.assert_allclose(after.hidden[2], expected, rtol=0, atol=1e-4)
    assert np.abs(after.hidden[2] - before.hidden[2]).max() > 0.01
    for wrong in ((0, 1), (1, 0), (31, 1), (1, 13)):
        with pytest.raises(IndexError, match="whole number from 1"):
            model.without_head(*wrong)


@pytest.mark.parametrize("load_it", [load, smollm.load])
def test_another_divisor_is_seen_in_scores_and_weights(load_it):
    found = look("The cat sat.", model=load_it().with_divisor(2.0))
    assert set(found.divisor) == {2.0}
    product = found.q[3, 1] @ found.k[3, 1].T / 2
    shown = ~np.isnan(found.scores[3, 1])
    np.testing.assert_allclose(found.scores[3, 1][shown], product[shown], rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(found.table("scores", 4, 2), found.scores[3, 1])
    share = np.where(shown, np.exp(product - product.max()), 0)
    np.testing.assert_allclose(found.weights[3, 1], share / share.sum(-1, keepdims=True), atol=1e-5)


def test_what_is_no_model_is_refused():
    for wrong in ("gpt", load().bert, None):
        with pytest.raises(ValueError, match=r"'minilm' or 'smollm2', or what load\(\) returns"):
            look("a", model=wrong)


# ---- what look returns


def test_look_is_a_dataclass_whose_help_says_shapes_and_units(seen):
    assert dataclasses.is_dataclass(seen) and seen != look("I am a boy") and not hasattr(seen, "count")
    with pytest.raises(dataclasses.FrozenInstanceError):
        seen.tokens = []
    told = pydoc.plain(pydoc.render_doc(Look))
    fields = [*(field.name for field in dataclasses.fields(Look) if field.name not in "qkv"), "q, k, v", "scores"]
    assert [name for name in fields if f" {name} : " not in told] == []
    assert "(n_layers, n_heads, n, n)" in told and "in nats" in told and "Alias for field" not in told


# ---- texts


def test_a_word_is_found_with_and_without_the_space_of_its_token():
    seen = look("it was what it was", model="smollm2")
    assert seen.tokens[3] == " it"
    place = {word: seen._place(word) for word in ("it", " it", " what", "what", 4)}
    assert place == {"it": 0, " it": 3, " what": 2, "what": 2, 4: 3}
    with pytest.raises(ValueError, match="from 1 to 5, or one of 'it', ' was'.*got 'dog'"):
        seen.arcs(1, 1, "dog")


@pytest.mark.parametrize("several", [np.array, pd.Series, tuple, iter])
def test_arrays_and_series_of_texts_are_lists(several, seen):
    first, second = look(several(["I am a boy", "Why?"]))
    assert first.tokens == seen.tokens and second.tokens == ["[CLS]", "why", "?", "[SEP]"]


def test_tokens_that_the_model_does_not_know_warn():
    with pytest.warns(UserWarning, match=r"2 of the 5 tokens of this text are \[UNK\]") as caught:
        look("ok 🙂 丼")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        look("ok fine")


@pytest.mark.parametrize("model", ["minilm", "smollm2"])
def test_half_a_character_is_refused_in_our_words(model):
    with pytest.raises(ValueError, match=r"character 4 of the text is half of a surrogate pair, '\\ud83d'"):
        look("ok \ud83d", model=model)


# ---- long texts


@pytest.mark.parametrize(
    ("model", "kind"), [("minilm", MultiHead), ("smollm2", GroupedAttention)], ids=["encoder", "decoder"]
)
def test_one_pass_computes_what_is_asked_once(model, kind, monkeypatch):
    layers, honest = [], kind.heads
    monkeypatch.setattr(
        kind, "heads", lambda self, *given, **named: layers.append(self) or honest(self, *given, **named)
    )
    found = look("The cat sat.", model=model)
    assert len(layers) == len(found.q)


def test_the_loss_of_a_long_text_is_that_of_all_logits_at_once():
    ids = smollm.load().pieces("The cat sat on the mat and went away. " * 9)
    decoder = smollm.load().decoder
    assert 65 < len(ids) < 130
    logits = torch.tensor(decoder.step(ids)[0][:-1])
    expected = torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:]), reduction="none")
    np.testing.assert_allclose(decoder.loss(ids), expected.numpy(), rtol=1e-4, atol=1e-4)
    assert decoder.loss(ids[:1]).shape == (0,)


@pytest.mark.parametrize("n", [40, 600])
def test_pictures_of_long_texts_stay_small_and_their_labels_apart(n):
    tokens, weights = words(n), weights_of(n=n)
    for figure in (
        pictures.table(tokens, weights),
        pictures.arcs(tokens, weights),
        pictures.table(tokens, -9 * weights),
    ):
        width, height = figure.get_size_inches() * figure.dpi
        assert max(width, height) <= 2000
        figure.draw_without_rendering()
        axes = figure.axes[0]
        boxes = [one.get_window_extent() for one in (axes.get_xticklabels() if axes.axison else axes.texts)]
        left = sorted(box.x0 for box in boxes)
        assert len(boxes) > 20 and min(np.diff(left)) > 8
    assert len(pictures.arcs(tokens, weights).axes[0].patches) <= 1000


def test_a_grid_of_a_long_text_shows_the_largest_weight_of_each_block():
    weights = weights_of(30, 9, n=130)
    figure = pictures.grid(weights)
    assert max(figure.get_size_inches() * figure.dpi) <= 2000
    mosaic = np.ma.getdata(figure.axes[0].images[0].get_array())
    assert mosaic.shape == (30 * 65 - 1, 9 * 65 - 1)
    assert mosaic[65, 0] == pytest.approx(weights[1, 0, :2, :2].max())
    assert np.nanmax(mosaic[-64:, -64:]) == pytest.approx(weights[29, 8].max())
