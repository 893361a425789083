"""The Python side of the labs: declarations, errors, tables, figures, HTML; their numbers against independent ones."""

from __future__ import annotations

import io
import json
import re
import string

import numpy as np
import pandas as pd
import pytest
from lab_cases import BAD, LABS, Bracketed, Tree, defaults, drawn, lively, random_states
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.stats import bernoulli, ks_2samp
from traitlets import TraitError
from whyformer import vouch
from whyformer.lab import Choice, Lab, Seed, figure_style, words
from whyformer.maths import expectations
from whyformer.maths.moments import dot_excess_kurtosis
from whyformer.maths.random import normal
from whyformer.questions.softmax_saturation import GapLab, SaturationLab
from whyformer.questions.why_sqrt_dk import SamplingLab, ScaleLab, law, sampling_lab

every_lab = pytest.mark.parametrize("lab", LABS.values(), ids=LABS)


@pytest.fixture
def bracketed():
    words.use_catalogue(Bracketed())
    yield
    words.use_catalogue({})


# ---- declarations


@every_lab
def test_declaration_is_whole(lab):
    declaration = lab.declaration()
    assert json.loads(json.dumps(declaration, allow_nan=False)) == declaration
    assert declaration["title"] and declaration["sentence"] and declaration["name"] == lab.slug
    assert all(control["label"] for control in declaration["controls"])
    computed = lab.compute.__kwdefaults__ or {}
    names = lab.compute.__code__.co_varnames[: lab.compute.__code__.co_kwonlyargcount]
    assert not computed and set(names) == set(lab.controls())
    for control in declaration["controls"]:
        assert lab.controls()[control["name"]].coerce(control["default"]) == control["default"]
    for preset in lab.presets.values():
        assert lab(**preset).state.items() >= preset.items()


@every_lab
def test_sentence_and_columns_name_what_is_there(lab):
    series = lab.compute(**defaults(lab))
    numbers = {name for name, value in series.items() if np.ndim(value) == 0}
    gaps = {name for _, name, _, _ in string.Formatter().parse(lab.sentence) if name}
    assert gaps == words.gaps_of(lab.sentence) <= set(lab.controls()) | numbers
    table = lab().table()
    assert isinstance(table, pd.DataFrame) and tuple(table.columns) == lab.columns and len(table)
    assert all(np.array_equal(table[name], series[name]) for name in lab.columns)


@every_lab
def test_random_states_are_allowed_and_give_finite_numbers_and_a_new_sentence(lab):
    said = set()
    for state in random_states(lab, 12, 3):
        one = lab(**state)
        assert one.state == state
        assert all(np.isfinite(value).all() for value in one.series.values())
        said.add(one.description)
    assert len(said) > 6 and not any("{" in sentence or "nan" in sentence for sentence in said)


@every_lab
def test_what_is_handed_out_can_be_changed_without_harm(lab):
    one = lab(**lively(lab))
    series = one.series
    before = {name: np.copy(value) for name, value in series.items()}
    for value in series.values():
        if isinstance(value, np.ndarray) and value.flags.writeable:
            value.fill(-1)
    for value in one.state.values():
        if isinstance(value, list):
            value.clear()
    assert one.state == lively(lab)
    assert all(np.array_equal(before[name], value) for name, value in lab(**lively(lab)).series.items())


# ---- errors


@pytest.mark.parametrize(("slug", "name", "value"), BAD, ids=str)
def test_a_bad_value_is_refused_and_the_error_says_what_is_allowed(slug, name, value):
    lab = LABS[slug]
    with pytest.raises(TraitError) as at_birth:
        lab(**{name: value})
    one = lab(**lively(lab))
    with pytest.raises(TraitError) as later:
        setattr(one, name, value)
    for error in (at_birth, later):
        message = str(error.value)
        assert name in message and repr(value) in message and lab.controls()[name].allowed() in message
    assert one.state == lively(lab)


@every_lab
def test_an_unknown_argument_is_refused_and_the_known_ones_are_named(lab):
    with pytest.raises(TypeError, match="unknown argument 'dk'") as error:
        lab(dk=512)
    assert all(name in str(error.value) for name in lab.controls())
    with pytest.raises(TraitError, match="size"):
        lab(size="huge")


def test_numbers_of_numpy_are_numbers():
    assert ScaleLab(d_k=np.int64(64), rho=np.float64(0.5)).state["d_k"] == 64
    assert type(ScaleLab(d_k=64.0).d_k) is int
    assert SaturationLab(logits=np.array([1.0, 2.0])).logits == [1.0, 2.0]


# ---- figures and HTML


def pixels(figure: Figure) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="raw", dpi=80, facecolor="white")
    return out.getvalue()


@every_lab
def test_figure_shows_the_state(lab):
    first, second = (lab(**state).figure() for state in random_states(lab, 2, 11))
    assert isinstance(first, Figure) and first.axes
    assert pixels(first) != pixels(second)


@every_lab
def test_figure_looks_the_same_wherever_it_is_saved(lab):
    outside = pixels(lab().figure())
    with figure_style():
        assert pixels(lab().figure()) == outside


@every_lab
def test_every_word_goes_through_the_lookup(lab, bracketed):
    assert lab().description.startswith("⟦")
    for name, control in lab.controls().items():
        if isinstance(control, Choice) and name in words.gaps_of(lab.sentence):
            assert f"⟦{control.options[control.default_value]}⟧" in lab().description
    shown = [text.get_text() for text in lab().figure().findobj(Text) if text.get_visible()]
    measured = lab.data() if lab.data else {}
    tokens = {token for one in measured.values() if "tokens" in one for token in one["tokens"]}
    bare = [
        text
        for text in shown
        if re.search("[A-Za-z]{2}", text) and "⟦" not in text and text not in tokens  # said by a model, not by a lab
    ]
    assert not bare, f"not looked up: {bare}"


def check_html(lab: Lab) -> None:
    tree = Tree(lab.html())
    assert [tag for tag, _ in tree.found] == ["whyformer-lab", "script", "figure", "img", "figcaption"]
    (_, element), (_, script), _, (_, image), _ = tree.found
    assert set(element) == {"name", "size"} and set(script) == {"type"} and set(image) == {"src", "alt"}
    assert image["alt"] == tree.texts["figcaption"] == lab.description and image["src"].startswith("data:image/")
    payload = json.loads(tree.texts["script"])
    assert payload == {"declaration": lab.declaration(), "state": lab.state, "size": lab.size}


@every_lab
def test_html_and_widget_view_stand_side_by_side(lab):
    one = lab(**random_states(lab, 1, 5)[0])
    check_html(one)
    data = one._repr_mimebundle_()[0]
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == one.model_id
    assert data["text/html"] == one.html() and data["text/plain"] == repr(one)
    assert eval(repr(one), {lab.__name__: lab}).state == one.state
    assert "export default WhyformerLabs.anywidget" in one._esm and ".wf-live" in one._css


def test_hostile_words_stay_words():
    evil = "</script><img src=x onerror=alert(1)>\"'&<!--<script>\u2028]]>"

    class Evil(GapLab):
        title = hint = evil
        sentence = evil + " {a}"
        presets = {evil: {"a": 1}}

    check_html(Evil())


# ---- numbers


@pytest.mark.parametrize("related", ["one", "all"])
def test_raising_d_k_extends_the_same_vectors(related):
    q, noise = normal(3, 0, np.arange(4096)), normal(3, np.arange(1, 17)[:, None], np.arange(4096))
    rho = np.full(16, 0.6) if related == "all" else np.array([0.6] + [0.0] * 15)
    keys = rho[:, None] * q + np.sqrt(1 - rho[:, None] ** 2) * noise
    for d_k in (1, 2, 7, 64, 68, 512, 4096):
        series = ScaleLab(d_k=d_k, rho=0.6, related=related, seed=3).series
        assert np.allclose(series["scores_unscaled"], keys[:, :d_k] @ q[:d_k], rtol=0, atol=1e-9)
        assert np.array_equal(q[:d_k], normal(3, 0, np.arange(d_k)))


LAW_CASES = [
    (2, 0.0, "one", "gradient_q"), (16, 0.5, "one", "gradient_q"), (8, 0.9, "all", "gradient_q"),
    (32, 0.0, "all", "entropy"), (5, 0.7, "one", "largest_weight"), (12, 0.3, "all", "largest_entry"),
]  # fmt: skip


@pytest.mark.parametrize(("n_keys", "rho", "related", "quantity"), LAW_CASES)
def test_law_is_that_of_real_vectors(n_keys, rho, related, quantity):
    """A quantile of 200 draws has that share of any other draws below it, up to five standard errors."""
    draws = 1000
    found = law.law(n_keys, rho, related, quantity)
    for d_k in (1, 4, 128):
        real = drawn(d_k, n_keys, rho, related, quantity, draws, seed=d_k)
        column = law.LAW_D_K.index(d_k)
        for name, share in (("low", 0.1), ("mid", 0.5), ("high", 0.9)):
            value = found[name][:, column, None]
            error = np.sqrt(share * (1 - share) * (1 / law.N_DRAWS + 1 / draws))
            below = (real < value * (1 - 1e-12)).mean(1)  # less than `up_to` where many draws tie, such as at weight 1
            up_to = (real < value * (1 + 1e-12)).mean(1)
            assert (below - 5 * error < share).all() and (share < up_to + 5 * error).all(), (d_k, name)
        error = real.std(1) * np.sqrt(1 / law.N_DRAWS + 1 / draws)
        assert (abs(found["mean"][:, column] - real.mean(1)) < 5 * error + 1e-12).all(), d_k


VECTORS = [(1, 3, 0.4, "one"), (3, 8, 0.0, "all"), (65, 8, 0.8, "all")]


@pytest.mark.parametrize(("d_k", "n_keys", "rho", "related"), VECTORS)
def test_rows_of_the_law_are_distributed_as_real_vectors(d_k, n_keys, rho, related):
    """Four thousand rows against as many real draws: the two-sample test of Kolmogorov and Smirnov."""
    rows = law.rows(77, 0, 4000, [d_k], n_keys)
    real = drawn(d_k, n_keys, rho, related, "gradient_q", 4000, seed=1)
    for divisor, one in zip((1, d_k**0.5, d_k), real, strict=True):
        gradient = law.query_gradient(rows, law.correlations(rho, related, n_keys), np.full((1, 1, 1), divisor))
        assert ks_2samp(gradient.ravel(), one).pvalue > 1e-5


def test_batches_for_w_q_are_root_mean_squares_over_queries():
    single, batch = (law.law(8, 0.0, "one", quantity) for quantity in ("gradient_q", "gradient_w_q"))
    real = drawn(64, 8, 0.0, "one", "gradient_q", 3200, seed=9)[:, :3200].reshape(3, 100, 32)
    rms = np.sqrt((real**2).mean(-1))
    independent = law.N_DRAWS / law.N_QUERIES  # batches that share no draw
    column = law.LAW_D_K.index(64)
    assert (abs(batch["mean"][:, column] - rms.mean(1)) < 5 * rms.std(1) * np.sqrt(1 / independent + 1 / 100)).all()
    assert (batch["high"] - batch["low"] < single["high"] - single["low"])[1].all()  # scaled


@pytest.fixture(scope="module")
def unscaled_scores():
    """Four thousand rows of 64 scores at d_k = 4096, of another seed than the law's."""
    rows = law.rows(5, 0, 4000, [4096], 64)
    return (np.sqrt(rows.length2) * rows.noise)[:, 0]


@pytest.mark.parametrize("n_keys", [4, 16, 64])
def test_law_meets_the_closed_forms(n_keys, unscaled_scores):
    """Closed forms leave terms of relative order 1/s out, here s = 64; samples lie within five standard errors."""
    s = 64.0
    sharp, flat = expectations.sharp_limits(n_keys, s), expectations.flat_limits(n_keys, 1 / s)
    forms = {"largest_entry": sharp.max_entry, "entropy": sharp.entropy, "largest_weight": 1 - sharp.missing_weight}
    for quantity, wanted in forms.items():
        values = law.measure(quantity, unscaled_scores[:, :n_keys])
        left_out = min(wanted, abs(1 - wanted)) / s
        assert abs(values.mean() - wanted) < 5 * values.std() / np.sqrt(len(values)) + left_out
        mean = law.law(n_keys, 0.0, "one", quantity)["mean"][0, -1]
        assert abs(mean - wanted) < 5 * values.std() / np.sqrt(law.N_DRAWS) + left_out
    assert abs(law.law(n_keys, 0.0, "one", "entropy")["mean"][2, -1] - flat.entropy) < 5 / s**2 / np.sqrt(law.N_DRAWS)


@pytest.mark.parametrize("distribution", sampling_lab.PRODUCTS)
def test_moments_of_the_sampling_lab_are_those_of_theory(distribution):
    kurtosis = {"normal": 3.0, "uniform": 9 / 5, "sign": 1.0}
    n = 100_000
    for d_k in (4, 32, 256):
        series = SamplingLab(d_k=d_k, distribution=distribution, n_pairs=n, seed=8).series
        mean, variance, excess = 0.0, float(d_k), None
        if distribution in kurtosis:
            excess = dot_excess_kurtosis(d_k, kurtosis[distribution], kurtosis[distribution])
        else:
            mean, variance, one_excess = d_k / 4, d_k * 3 / 16, float(bernoulli(1 / 4).stats("k"))
            excess = one_excess / d_k
        expected = [series[f"expected_{name}"] for name in ("mean", "variance", "excess_kurtosis")]
        assert np.allclose(expected, [mean, variance, excess], rtol=1e-12)
        assert abs(series["mean"] - mean) < 5 * np.sqrt(variance / n)
        assert abs(series["variance"] - variance) < 5 * variance * np.sqrt((excess + 2) / n)
        assert abs(series["excess_kurtosis"] - excess) < 5 * np.sqrt(24 / n) * (1 + 10 * abs(excess))
        assert np.isclose(series["scaled_variance"] * d_k, series["variance"])


@pytest.mark.parametrize("state", random_states(SamplingLab, 20, 4), ids=str)
def test_histogram_holds_no_more_than_all(state):
    series = SamplingLab.compute(**state)
    width = np.diff(series["edges"])
    assert np.allclose(width, width[0]) and (series["density"] >= 0).all()
    assert (series["density"] * width).sum() <= 1 + 1e-12


def test_another_seed_is_another_draw():
    assert isinstance(ScaleLab.controls()["seed"], Seed)
    first, second = (ScaleLab(seed=seed).series["scores_unscaled"] for seed in (1, 2))
    assert not np.isclose(first, second).any()


# ---- vouch


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.071", 0.0714), ("0.07", 0.0749), ("28 %", 0.2849), ("28\u00a0%", 0.28), ("28%", 0.275), ("\u22120.5", -0.45),
     ("2.78e-8", 2.784e-8), ("1e6", 1.4e6), ("512", 512), ("0.5", 0.45)],
)  # fmt: skip
def test_vouch_accepts_what_rounds_to_the_text(text, value):
    vouch(text, value)
    vouch(text, np.float64(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.071", 0.0716), ("0.07", 0.0751), ("28 %", 28), ("28 %", 0.286), ("0.5", -0.5), ("2.78e-8", 2.78e-7),
     ("1.00", 1.006), ("0", float("nan")), ("0", float("inf"))],
)  # fmt: skip
def test_vouch_refuses_what_does_not(text, value):
    with pytest.raises(AssertionError, match="the text says"):
        vouch(text, value)


def test_vouch_within_and_bad_texts():
    vouch("0.07", 0.0849, within=1.5)
    with pytest.raises(AssertionError):
        vouch("0.07", 0.0851, within=1.5)
    for text in ("", "about 3", "1/2", "3 %%", "1.", "nan", "0,5"):
        with pytest.raises(ValueError, match="is not a number as printed"):
            vouch(text, 1.0)
