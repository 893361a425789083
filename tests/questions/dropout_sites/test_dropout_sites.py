"""The chapter on dropout: the relying lab against SciPy, sites against PyTorch's own modules."""

from itertools import product

import numpy as np
import pytest
import torch
from lab_cases import random_states
from scipy import linalg
from whyformer.maths.random import normal
from whyformer.model import Config, initial
from whyformer.model.layers import Dropout
from whyformer.questions.dropout_sites import RelyLab, SitesLab
from whyformer.questions.dropout_sites.exercises import check_exactly, check_keys, check_rate, check_residual
from whyformer.questions.dropout_sites.sources import CONFIGURATIONS, PLACES, SOURCES

# ---- rely


@pytest.mark.parametrize("state", random_states(RelyLab, 40, 11), ids=str)
def test_rely_lab_finds_the_least_error_over_all_masks_or_with_a_penalty(state):
    """Least squares by SciPy: on all 256 masked copies of each example, weighted; or with eight more rows."""
    series, p = RelyLab.compute(**state), state["p"]
    noise = {"much": 1, "little": 0.1}[state["noise"]]
    if state["examples"] == "fresh":
        assert series["on_learned"] == pytest.approx(series["on_new"])
        by_hand = 1 / (8 + noise**2 + (1 + noise**2) * p / (1 - p))  # eight equal weights, either way
        assert series["weights"] == pytest.approx(by_hand)
        assert series["new_dropout"] == pytest.approx(series["new_ridge"])
        return
    at = np.arange(int(state["examples"]))
    signal = normal(state["seed"], 0, at)
    units = np.stack([signal + noise * normal(state["seed"], 1 + j, at) for j in range(8)], 1)
    masks = np.array(list(product([0, 1], repeat=8)))
    roots = np.sqrt([np.prod([1 - p if one else p for one in mask]) for mask in masks])[:, None, None]
    copies = (roots * masks[:, None] * units / (1 - p)).reshape(-1, 8)
    masked = linalg.lstsq(copies, (roots[..., 0] * signal).ravel())[0]
    strength = p / (1 - p) * (units**2).sum() / 8
    ridge = linalg.lstsq(np.vstack([units, np.sqrt(strength) * np.eye(8)]), np.append(signal, np.zeros(8)))[0]
    weights = {"dropout": masked, "ridge": ridge}[state["way"]]
    np.testing.assert_allclose(series["weights"], weights, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(series["bare"], linalg.lstsq(units, signal)[0], rtol=1e-6, atol=1e-7)
    learned = ((signal - units @ weights) ** 2).sum() / (signal**2).sum()
    assert series["on_learned"] == pytest.approx(learned, rel=1e-6)
    for name, one in (("on_new", weights), ("new_dropout", masked), ("new_ridge", ridge)):
        assert series[name] == pytest.approx((1 - one.sum()) ** 2 + noise**2 * (one**2).sum(), rel=1e-6), name
    assert series["best_new"] == series["new_at"].min() == series["new_at"][round(series["best"] / 0.05)]
    at_rate = RelyLab.compute(**state | {"p": 0.4})
    assert (series["learned_at"][8], series["new_at"][8]) == pytest.approx((at_rate["on_learned"], at_rate["on_new"]))
    assert series["negative"] == (weights < 0).sum() and series["negative_bare"] == (series["bare"] < 0).sum()


@pytest.mark.parametrize("noise", ["much", "little"])
def test_the_error_on_new_examples_is_what_many_of_them_give(noise):
    rng = np.random.default_rng(0)
    signal = rng.standard_normal(400_000)
    units = signal[:, None] + {"much": 1, "little": 0.1}[noise] * rng.standard_normal((400_000, 8))
    for p in (0.0, 0.3):
        series = RelyLab(p=p, noise=noise).series
        assert ((signal - units @ series["weights"]) ** 2).mean() == pytest.approx(series["on_new"], rel=0.02)


# ---- sites


@pytest.mark.parametrize("state", random_states(SitesLab, 40, 10), ids=str)
def test_sites_lab_says_of_each_place_what_its_source_does(state):
    series, source = SitesLab.compute(**state), SOURCES.get(state["source"])
    placed = [state[place] == "yes" for place in PLACES]
    rates = [source.rates.get(place, 0) if source else 0 for place in PLACES]
    told = {(False, False): 0, (True, True): 1, (False, True): 2, (True, False): 3}  # neither, hit, miss, false alarm
    verdict = [
        0 if not source else 4 if place not in source.covers else told[mine, rate != 0]
        for place, mine, rate in zip(PLACES, placed, rates, strict=True)
    ]
    for name, wanted in {
        "placed": placed, "rates": rates, "has": [rate != 0 for rate in rates], "verdict": verdict,
        "n_placed": sum(placed), "n_has": sum(rate != 0 for rate in rates), "hits": verdict.count(1),
        "misses": verdict.count(2), "false_alarms": verdict.count(3),
        "chosen": ["hidden", *SOURCES].index(state["source"]), "n_sources": 6, "n_lists": 4, "have_attention": 3,
        "have_attention_out": 5, "have_feed_out": 5, "have_embedding": 4, "have_hidden": 2, "have_stream": 0,
        "have_projections": 0,
    }.items():  # fmt: skip
        assert np.array_equal(series[name], wanted), name


def test_sources_and_configurations_agree():
    names = {
        "first": "tensor2tensor, 15 June 2017: transformer_base",
        "later": "tensor2tensor, October 2017: transformer_base_v2",
        "bert": "BERT: BertConfig",
        "olmo": "OLMo 2: OLMo2-7B-stage1",
    }
    for source, name in names.items():
        rates = SOURCES[source].rates
        places = ("attention_out", "embedding", "attention", "hidden")
        assert tuple(rates.get(place, 0.0) for place in places) == CONFIGURATIONS[name]
    assert set(SOURCES["paper"].rates) == set(SOURCES["first"].rates)


def test_pytorchs_layer_drops_where_the_lab_says(monkeypatch):
    """Every dropout of one layer is recorded with the shape of what it is given."""
    layer = torch.nn.TransformerEncoderLayer(16, 4, 40, batch_first=True).double().train()
    seen = []
    for name in ("dropout", "dropout1", "dropout2"):
        getattr(layer, name).register_forward_hook(lambda m, x, y, name=name: seen.append((name, m.p, x[0].shape[-1])))
    original = torch.nn.functional.scaled_dot_product_attention
    on_weights = []

    def watched(*args, **kwargs):
        on_weights.append(kwargs.get("dropout_p", args[4] if len(args) > 4 else 0.0))
        return original(*args, **kwargs)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", watched)
    layer(torch.randn(2, 5, 16, dtype=torch.float64))
    assert seen == [("dropout1", 0.1, 16), ("dropout", 0.1, 40), ("dropout2", 0.1, 16)]  # hidden is the wide one
    assert on_weights == [0.1]
    rates = SOURCES["torch"].rates
    assert rates == {"attention": 0.1, "attention_out": 0.1, "hidden": 0.1, "feed_out": 0.1}


def test_the_function_of_pytorch_drops_whatever_the_mode():
    torch.manual_seed(0)
    qkv = torch.randn(3, 1, 1, 6, 8)
    attend = torch.nn.functional.scaled_dot_product_attention
    with torch.no_grad():
        assert not torch.equal(attend(*qkv, dropout_p=0.5), attend(*qkv, dropout_p=0.5))
        assert torch.equal(attend(*qkv), attend(*qkv))


def test_the_model_drops_at_the_site_that_is_named_and_by_default_at_the_papers():
    assert set(Dropout().rates) == {"embedding", "residual"} and set(Dropout().rates.values()) == {0.1}
    model = initial(Config(32, 4, 64, 1, vocabulary=20), np.random.default_rng(0))
    shapes = []

    class Watched(Dropout):
        def __call__(self, site, x):
            shapes.append((site, x.shape))
            return super().__call__(site, x)

    model.encode(np.arange(6), drop=Watched(np.random.default_rng(0)))
    assert shapes == [
        ("embedding", (6, 32)), ("attention", (4, 6, 6)), ("residual", (6, 32)), ("hidden", (6, 64)),
        ("residual", (6, 32)),
    ]  # fmt: skip


# ---- exercises


def test_checks_know_right_from_wrong(capsys):
    assert check_keys(100) and check_exactly(3 / 16) and check_rate(1 - 0.5 ** (1 / 24))
    assert not check_keys(80) and not check_exactly(9 / 16) and not check_rate(1 - 0.5 ** (1 / 12))
    assert check_residual(lambda x, says, p, u, training: x + (says * (u >= p) / (1 - p) if training else says))
    wrong = {
        "divided by 1": lambda x, says, p, u, training: x + says * (u >= p) * (1 - p),
        "happen to x": lambda x, says, p, u, training: (x + says) * (u >= p) / (1 - p),
        "in evaluation": lambda x, says, p, u, training: x + says * (u >= p) / (1 - p),
        "p = 0": lambda x, says, p, u, training: x - says,
    }
    for said, function in wrong.items():
        assert not check_residual(function)
        assert said in capsys.readouterr().out
