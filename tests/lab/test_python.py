"""The Python side of the labs: declarations, errors, tables, pictures, HTML."""

from __future__ import annotations

import html
import inspect
import json
import re
import string
import sys
from base64 import b64decode
from fnmatch import fnmatchcase
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from lab_cases import BAD, LABS, Bracketed, Tree, defaults, lively, random_states
from picture_svg import SVG, drawn
from traitlets import TraitError
from whyformer.lab import Choice, Lab, words
from whyformer.lab.host import still
from whyformer.lab.lab import PAGES, _shared, with_margin
from whyformer.questions.softmax_saturation import GapLab, SaturationLab
from whyformer.questions.why_sqrt_dk import ScaleLab

#: What a picture is made of.
DRAWN = {"svg", "style", "g", "path", "text", "image", "a"}

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
def test_the_documentation_of_compute_names_all_that_goes_in_and_comes_out(lab):
    told = inspect.getdoc(lab.compute)
    assert [name for name in lab.controls() if not re.search(rf"\b{name}\b", told)] == []
    names = re.findall(r"``([\w*]+)``", told)  # ``median_*`` stands for several
    series = lab.compute(**defaults(lab))
    assert [name for name in series if not any(fnmatchcase(name, one) for one in names)] == []
    assert [one for one in names if "*" in one and not any(fnmatchcase(name, one) for name in series)] == []


@every_lab
def test_a_sentence_names_what_is_there(lab):
    series = lab.compute(**defaults(lab))
    numbers = {name for name, value in series.items() if np.ndim(value) == 0}
    gaps = {name for _, name, _, _ in string.Formatter().parse(lab.sentence) if name}
    assert gaps == words.gaps_of(lab.sentence) <= set(lab.controls()) | numbers


@every_lab
def test_a_table_has_the_main_series_and_follows_the_state(lab):
    one = lab()
    before = one.table()
    assert isinstance(before, pd.DataFrame) and tuple(before.columns) == lab.columns
    assert len(before) == np.shape(one.series[lab.columns[0]])[-1] > 1 and before.notna().all(axis=None)
    tables = []
    for state in random_states(lab, 6, 11):
        for name, value in state.items():
            setattr(one, name, value)
        tables.append(one.table())
    assert not all(table.equals(before) for table in tables)


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


def test_numbers_of_numpy_are_numbers():
    assert ScaleLab(d_k=np.int64(64), rho=np.float64(0.5)).state["d_k"] == 64
    assert type(ScaleLab(d_k=64.0).d_k) is int
    assert SaturationLab(logits=np.array([1.0, 2.0])).logits == [1.0, 2.0]


# ---- pictures and HTML


@every_lab
def test_the_picture_shows_the_state_and_stands_by_itself(lab):
    first, second = (lab(**state).svg() for state in random_states(lab, 2, 11))
    assert first != second and first.startswith("<svg ")
    for picture in (first, second):
        root = ElementTree.fromstring(picture)
        assert root.find(f"{SVG}style") is not None and not re.search(r"url\((?!.?data:)", picture)
        assert re.search(r"prefers-color-scheme: ?dark", picture)
        assert not [e for e in root.iter() if e.tag.removeprefix(SVG) not in DRAWN]


def test_a_picture_is_as_wide_as_asked():
    root = ElementTree.fromstring(GapLab().svg(width=500))
    assert root.get("width") == "500" and root.get("viewBox").startswith("0 0 500 ")


@every_lab
def test_every_word_goes_through_the_lookup(lab, bracketed):
    assert lab().description.startswith("⟦")
    for name, control in lab.controls().items():
        if isinstance(control, Choice) and name in words.gaps_of(lab.sentence):
            assert f"⟦{control.options[control.default_value]}⟧" in lab().description
    engine = still._engine()
    engine.eval("WhyformerStill.use_catalogue((text) => `⟦${text}⟧`)")
    try:
        shown = ["".join(text.itertext()) for text in drawn(lab()).iter(f"{SVG}text")]
    finally:
        engine.eval("WhyformerStill.use_catalogue((text) => text)")
    measured = lab.data() if lab.data else {}
    tokens = {token for one in measured.values() if "tokens" in one for token in one["tokens"]}
    inside = 0  # a sentence that is broken into lines is one
    bare = []
    for text in shown:
        if re.search("[A-Za-z]{2}", text) and "⟦" not in text and not inside and text not in tokens:
            bare.append(text)  # not said by a model, but by a lab
        inside = max(0, inside + text.count("⟦") - text.count("⟧"))
    assert not bare, f"not looked up: {bare}"


def check_html(text: str, lab: Lab) -> None:
    tree = Tree(text)
    tags = [tag for tag, _ in tree.found]
    assert tags[:4] == ["whyformer-lab", "script", "figure", "svg"] and tags[-1] == "figcaption"
    assert set(tags[4:-1]) <= DRAWN
    (_, element), (_, script), _, (_, picture), *drawn, _ = tree.found
    assert set(element) - {"formerly"} == {"name", "size"} and set(script) == {"type"}
    assert picture["aria-label"] == tree.texts["figcaption"] == lab.description
    assert not [name for _, attributes in drawn for name in attributes if name.startswith("on")]
    assert all(tag != "image" or each["href"].startswith("data:image/png") for tag, each in drawn)
    payload = json.loads(tree.texts["script"])
    assert payload == {"declaration": lab.declaration(), "state": lab.state, "size": lab.size}


@every_lab
def test_html_for_a_page_a_picture_for_a_notebook_and_the_widget_view_for_both(lab, monkeypatch):
    one = lab(**random_states(lab, 1, 5)[0])
    data, _ = one._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == one.model_id
    assert data["text/plain"] == repr(one)
    ((tag, image),) = Tree(data["text/html"]).found
    assert (tag, image["alt"]) == ("img", one.description)
    picture, alone = b64decode(image["src"].removeprefix("data:image/svg+xml;base64,")).decode(), one.svg()
    bare = re.compile("<style>.*?</style>", re.DOTALL)
    assert bare.sub("", picture) == with_margin(bare.sub("", alone)) and 'viewBox="-12 0 724 ' in picture
    assert "font-face" in alone and "font-face" not in picture
    monkeypatch.setenv(PAGES, "1")
    there = one._repr_mimebundle_()[0]
    check_html(there["text/html"], one)
    assert there["image/svg+xml"] == picture
    assert eval(repr(one), {lab.__name__: lab}).state == one.state


def test_the_bundle_is_sent_once_and_each_lab_says_where_it_is(monkeypatch):
    one, other = ScaleLab(), GapLab()
    assert one.model_id != other.model_id and one._shared == other._shared == _shared().model_id
    assert "export default WhyformerLabs.anywidget" in _shared().script and ".wf-live" in _shared().style
    assert all(len(json.dumps(lab.get_state(), default=str)) < 20_000 for lab in (one, other))
    before = _shared()
    before.close()
    assert ScaleLab().model_id and _shared() is not before and _shared().comm is not None
    monkeypatch.setitem(sys.modules, "marimo", object())
    assert len(str(ScaleLab()._esm)) > 20_000 and ".wf-live" in str(ScaleLab()._css)


def test_what_a_notebook_keeps_of_a_lab_is_small():
    sizes = [sum(len(str(one)) for one in lab()._repr_mimebundle_()[0].values()) for lab in LABS.values()]
    assert np.median(sizes) <= 40_000 and max(sizes) <= 70_000, sorted(sizes)


@every_lab
def test_without_anything_to_draw_with_a_lab_is_shown_and_its_picture_says_what_is_missing(lab, monkeypatch):
    monkeypatch.setattr(still, "find_spec", lambda name: None)
    still.possible.cache_clear()
    still._started.cache_clear()
    one = lab()
    try:
        data, _ = one._repr_mimebundle_()
        assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/plain"}
        assert "<svg" not in one.html() and f"<figcaption>{html.escape(one._opening(told=False)[1])}" in one.html()
        with pytest.raises(ModuleNotFoundError, match=r'pip install "whyformer\[pictures\]"'):
            one.svg()
    finally:
        monkeypatch.undo()
        still.possible.cache_clear()
    assert "<svg" in one.html()


def test_hostile_words_stay_words():
    evil = "</script><img src=x onerror=alert(1)>\"'&<!--<script>\u2028]]>"

    class Evil(GapLab):
        title = hint = evil
        sentence = evil + " {a}"
        presets = {evil: {"a": 1}}
        steps = ()

    check_html(Evil().html(), Evil())
