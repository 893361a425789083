"""The chapter on dropout: masks against PyTorch, SciPy and plain enumeration; sites against PyTorch's own modules."""

from itertools import product

import numpy as np
import pytest
import torch
from lab_cases import random_states
from scipy import linalg, stats
from scipy.special import softmax
from whyformer.maths.random import normal, uniform
from whyformer.model import Config, initial
from whyformer.model.layers import Dropout
from whyformer.questions.dropout_sites import MaskLab, RelyLab, SitesLab
from whyformer.questions.dropout_sites.exercises import check_exactly, check_keys, check_rate, check_residual
from whyformer.questions.dropout_sites.mask_lab import (
    BINS,
    EVERY_MASK,
    PASSED_BY,
    PASSES,
    READ,
    SCALING,
    SHAPE,
    SITES,
    N,
    entries,
    reading,
    shares,
)  # fmt: skip
from whyformer.questions.dropout_sites.sources import CONFIGURATIONS, PLACES, SOURCES

# ---- masks


@pytest.mark.parametrize("p", [0.0, 0.05, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("spread", [0.0, 1.5, 3.0])
def test_row_sums_have_the_mean_and_variance_of_every_mask(p, spread):
    """Enumeration in plain Python, and the formula of the chapter."""
    weights = softmax(spread * SHAPE)
    mean = variance = 0.0
    for mask in product([0, 1], repeat=N):
        chance = np.prod([1 - p if kept else p for kept in mask])
        row_sum = sum(kept * weight / (1 - p) for kept, weight in zip(mask, weights, strict=True))
        mean += chance * row_sum
        variance += chance * (row_sum - 1) ** 2
    series = MaskLab(p=p, spread=spread).series
    assert series["mean_exact"] == pytest.approx(mean) == pytest.approx(1)
    assert series["sd_exact"] == pytest.approx(np.sqrt(variance), abs=1e-12)
    assert series["sd_exact"] == pytest.approx(np.sqrt(p / (1 - p) * (weights**2).sum()), abs=1e-12)
    np.testing.assert_allclose(series["before"], weights, rtol=1e-12)


@pytest.mark.parametrize("scaling", SCALING)
@pytest.mark.parametrize("p", [0.1, 0.5])
def test_equal_weights_are_a_binomial_count(scaling, p):
    series = MaskLab(spread=0.0, p=p, scaling=scaling).series
    factor = 1 / (1 - p) if scaling == "train" else 1
    count = stats.binom(N, 1 - p)
    assert series["mean_exact"] == pytest.approx(factor * count.mean() / N)
    assert series["sd_exact"] == pytest.approx(factor * count.std() / N)
    centres = (series["edges"][1:] + series["edges"][:-1]) / 2
    for kept in range(N + 1):  # the share of each bin is that of the counts that fall into it
        at = np.abs(centres - factor * kept / N).argmin()
        inside = [k for k in range(N + 1) if np.abs(centres - factor * k / N).argmin() == at]
        near = abs(centres[at] - factor * kept / N) < 0.0249
        if near:
            assert series["expected"][at] == pytest.approx(count.pmf(inside).sum())


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("scaling", SCALING)
def test_the_readings_are_those_of_pytorch(site, scaling):
    """The reading in PyTorch's float64, and its law from 200 000 masks that PyTorch draws."""
    p, spread = 0.3, 2.0
    lab = MaskLab(site=site, p=p, spread=spread, scaling=scaling).series
    arriving = torch.tensor(spread * SHAPE)
    before = {"attention": torch.softmax(arriving, -1), "hidden": torch.relu(arriving)}.get(site, arriving)
    torch.manual_seed(0)
    rows = torch.nn.functional.dropout(before.expand(200_000, N), p, training=True)
    rows = rows if scaling == "train" else rows * (1 - p)

    def read(row):
        if site == "attention":
            return row.sum(-1)
        if site == "residual":
            return torch.nn.functional.layer_norm(torch.tensor(PASSED_BY) + row, (N,))[..., 0]
        return row @ torch.tensor(READ)

    sampled = read(rows).numpy()
    assert lab["evaluation"] == pytest.approx(read(before * ((1 - p) if scaling == "test" else 1)).item())
    assert lab["sd_exact"] == pytest.approx(sampled.std(), rel=0.02)
    assert abs(lab["mean_exact"] - sampled.mean()) < 5 * sampled.std() / np.sqrt(len(sampled))
    shares, _ = np.histogram(sampled + 1e-8, lab["edges"])  # a reading on an edge belongs to the upper bin
    error = np.sqrt(lab["expected"] * (1 - lab["expected"]) / len(sampled))
    assert (np.abs(shares / len(sampled) - lab["expected"]) < 5 * error + 1e-4).all()
    assert abs(lab["mean"] - lab["mean_exact"]) < 5 * lab["sd_exact"] / np.sqrt(PASSES)


AXIS = {"attention": np.linspace(-0.025, 2.075, 43), "residual": np.linspace(-2.75, 2.75, 56)}


@pytest.mark.parametrize("state", random_states(MaskLab, 30, 9), ids=str)
def test_mask_lab_is_what_pytorch_computes(state):
    """Both the 500 passes and all 256 masks there are, one by one, with their probabilities."""
    series, site, p, spread = (MaskLab.compute(**state), *(state[name] for name in ("site", "p", "spread")))
    arriving = torch.tensor(spread * SHAPE)
    before = {"attention": torch.softmax(arriving, -1), "hidden": torch.relu(arriving)}.get(site, arriving)

    def read(row):
        if site == "residual":
            return torch.nn.functional.layer_norm(torch.tensor(PASSED_BY) + row, (N,), eps=1e-5)[..., 0].numpy()
        return (row.sum(-1) if site == "attention" else row @ torch.tensor(READ)).numpy()

    kept = torch.tensor(uniform(state["seed"], np.arange(500)[:, None], np.arange(8)) >= p)
    factor = 1 / (1 - p) if state["scaling"] == "train" else 1
    masks = torch.tensor(list(product([0, 1], repeat=8)))
    chances = np.array([np.prod([1 - p if one else p for one in mask]) for mask in masks])
    readings, every = read(kept * before * factor), read(masks * before * factor)
    mean = (chances * every).sum()
    numbers = {
        "kept": kept[:16], "before": before, "after": kept[0] * before * factor, "readings": readings[:16],
        "now": readings[0], "evaluation": read(before * (1 - p if state["scaling"] == "test" else 1)),
        "mean": readings.mean(), "sd": readings.std(), "mean_exact": mean, "sum_squares": before.square().sum(),
        "sd_exact": np.sqrt((chances * (every - mean) ** 2).sum()), "largest": before.max(),
        "alone": before.max() * factor, "without": np.sort(before)[:-1].sum() * factor,
        "sd_least": np.sqrt(p / (8 - 8 * p)), "edges": AXIS.get(site, np.linspace(-5.1, 5.1, 52)),
    }  # fmt: skip
    off = abs(every - numbers["evaluation"])
    if (abs(off - 0.01) > 1e-6).all():  # else rounding decides
        numbers["unchanged"] = chances[off < 0.01].sum()
    for name, wanted in numbers.items():
        np.testing.assert_allclose(series[name], wanted, rtol=1e-9, atol=1e-9, err_msg=name)
    inside = np.nextafter(series["edges"][-1], 0)  # on an edge: the upper bin; beyond the ends: the last
    for name, values, weights in (("share", readings, np.full(500, 1 / 500)), ("expected", every, chances)):
        counted, _ = np.histogram((values + 1e-8).clip(series["edges"][0], inside), series["edges"], weights=weights)
        np.testing.assert_allclose(series[name], counted, rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("p", [0.1, 0.5])
def test_a_linear_reading_keeps_its_mean_and_layer_norm_does_not(site, p):
    for scaling in ("train", "test"):
        series = MaskLab(site=site, p=p, scaling=scaling).series
        difference = abs(series["mean_exact"] - series["evaluation"])
        assert difference > 0.01 if site == "residual" else difference < 1e-12
    bare = MaskLab(site=site, p=p, scaling="none").series
    assert abs(bare["mean_exact"] - bare["evaluation"]) > 0.01


@pytest.mark.parametrize("site", SITES)
def test_masks_are_fair_independent_and_what_is_shown(site):
    kept = uniform(7, np.arange(20_000)[:, None], np.arange(N)) >= 0.3
    assert stats.binomtest(int(kept.sum()), kept.size, 0.7).pvalue > 1e-4
    together = np.corrcoef(kept.T) - np.eye(N)
    assert np.abs(together).max() < 5 / np.sqrt(20_000)
    series = MaskLab(site=site, p=0.3, seed=7).series
    assert np.array_equal(series["kept"], kept[: len(series["kept"])])
    np.testing.assert_allclose(series["after"], kept[0] * series["before"] / 0.7)
    assert series["now"] == series["readings"][0] == reading(site, series["after"])


@pytest.mark.parametrize("site", SITES)
def test_nothing_falls_off_the_axis(site):
    """The axis stands still while sliders move, so it has to hold every reading there is."""
    for p in (0.05, 0.5):
        for spread in (0.0, 1.0, 3.0):
            values = reading(site, EVERY_MASK * entries(site, spread) / (1 - p))
            series = MaskLab(site=site, p=p, spread=spread).series
            assert series["edges"][0] <= values.min() and values.max() <= series["edges"][-1]
            assert series["share"].sum() == pytest.approx(1) == pytest.approx(series["expected"].sum())


def test_bins_at_the_ends_take_what_lies_beyond():
    low, width, count = BINS["attention"]
    values = np.array([low - 9, low + 0.5 * width, low + (count - 1.5) * width, low + (count - 0.5) * width, 99])
    found = shares(values, np.array([0.1, 0.2, 0.3, 0.05, 0.35]), "attention")
    assert found == pytest.approx([0.3, *[0] * (count - 3), 0.3, 0.4])


def test_the_default_shows_the_surprise():
    series = MaskLab().series
    assert series["before"].sum() == pytest.approx(1) and series["now"] < 0.5
    assert series["kept"][0].tolist() == [0, 1, 1, 1, 1, 1, 1, 1] and series["before"].argmax() == 0


# ---- rely


@pytest.mark.parametrize("state", random_states(RelyLab, 40, 11), ids=str)
def test_rely_lab_finds_the_least_error_over_all_masks(state):
    """Least squares by SciPy on all 256 masked copies of each example, weighted by their probabilities."""
    series, p = RelyLab.compute(**state), state["p"]
    if state["examples"] == "fresh":
        assert series["on_learned"] == pytest.approx(series["on_new"])
        assert series["weights"] == pytest.approx(1 / (9 + 2 * p / (1 - p)))  # by hand: eight equal weights
        return
    at = np.arange(int(state["examples"]))
    signal = normal(state["seed"], 0, at)
    units = np.stack([signal + normal(state["seed"], 1 + j, at) for j in range(8)], 1)
    masks = np.array(list(product([0, 1], repeat=8)))
    roots = np.sqrt([np.prod([1 - p if one else p for one in mask]) for mask in masks])[:, None, None]
    copies = (roots * masks[:, None] * units / (1 - p)).reshape(-1, 8)
    weights = linalg.lstsq(copies, (roots[..., 0] * signal).ravel())[0]
    np.testing.assert_allclose(series["weights"], weights, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(series["bare"], linalg.lstsq(units, signal)[0], rtol=1e-6, atol=1e-7)
    learned = ((signal - units @ weights) ** 2).sum() / (signal**2).sum()
    assert series["on_learned"] == pytest.approx(learned, rel=1e-6)
    assert series["best_new"] == series["new_at"].min() == series["new_at"][round(series["best"] / 0.05)]
    at_rate = RelyLab.compute(**state | {"p": 0.4})
    assert (series["learned_at"][8], series["new_at"][8]) == pytest.approx((at_rate["on_learned"], at_rate["on_new"]))
    assert (series["smallest"], series["negative"]) == pytest.approx((weights.min(), (weights < 0).sum()))
    assert series["largest"] == pytest.approx(abs(weights).max())


def test_the_error_on_new_examples_is_what_many_of_them_give():
    rng = np.random.default_rng(0)
    signal = rng.standard_normal(400_000)
    units = signal[:, None] + rng.standard_normal((400_000, 8))
    for p in (0.0, 0.3):
        series = RelyLab(p=p).series
        assert ((signal - units @ series["weights"]) ** 2).mean() == pytest.approx(series["on_new"], rel=0.02)


# ---- sites

ALL_NO = dict.fromkeys(PLACES, "no")


def test_agreement_is_counted():
    mine = ALL_NO | {"embedding": "yes", "attention": "yes", "stream": "yes"}
    series = SitesLab(**mine, source="paper").series
    assert (series["hits"], series["misses"], series["false_alarms"]) == (1, 2, 2)
    assert series["verdict"].tolist() == [1, 0, 3, 2, 3, 0, 2]
    hidden = SitesLab(**mine).series
    assert (hidden["n_placed"], hidden["n_has"]) == (3, 0) and not hidden["verdict"].any()
    outside = SitesLab(**mine, source="torch").series
    assert outside["verdict"][0] == 4 and outside["hits"] == 1


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


@pytest.mark.parametrize("source", SOURCES)
def test_who_places_as_the_source_has_all_right(source):
    rates = SOURCES[source].rates
    series = SitesLab(**(ALL_NO | dict.fromkeys(rates, "yes")), source=source).series
    assert (series["hits"], series["misses"], series["false_alarms"]) == (len(rates), 0, 0)
    assert set(rates) <= set(SOURCES[source].covers) <= set(PLACES)


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
