"""What Python's tools see of a lab: signatures, help, types, observers, links; and errors that say what was meant."""

from __future__ import annotations

import inspect
import pydoc
import sys
import warnings
from collections import Counter
from subprocess import run
from typing import Literal

import ipywidgets
import pytest
import traitlets
from book_cases import ROOT
from lab_cases import LABS, defaults, random_states
from whyformer.questions.why_sqrt_dk import ScaleLab

every_lab = pytest.mark.parametrize("lab", LABS.values(), ids=LABS)


@every_lab
def test_the_signature_has_every_control_with_its_default_and_can_be_called(lab):
    parameters = inspect.signature(lab).parameters
    assert list(parameters) == [*lab.controls(), "size"]
    called = lab(**{name: one.default for name, one in parameters.items()})
    assert called.state == defaults(lab) and all(one.annotation is not one.empty for one in parameters.values())


@pytest.mark.filterwarnings("ignore:Widget:DeprecationWarning")  # help asks for all that a widget has
@every_lab
def test_help_says_what_each_control_is_and_what_it_allows(lab):
    told = pydoc.render_doc(lab, renderer=pydoc.plaintext)
    for name, control in lab.controls().items():
        assert f"{name} = {control.default_value!r}" in told
        assert f"    {control.about()}: {control.explained()}." in lab.__doc__.splitlines()
        assert inspect.getdoc(getattr(lab, name)) == f"{control.about()}: {control.explained()}."


def test_a_choice_is_explained_by_its_labels():
    assert ScaleLab.divisor.explained() == "one of '1' (not divided), 'sqrt' (÷ √dₖ), 'd_k' (÷ dₖ)"
    assert inspect.signature(ScaleLab).parameters["divisor"].annotation == Literal["1", "sqrt", "d_k"]


def test_every_lab_has_a_name_of_its_own():
    assert Counter(lab.__name__ for lab in LABS.values()).most_common(1)[0][1] == 1


@every_lab
def test_an_unknown_name_is_refused_and_what_was_meant_is_named(lab):
    one, name = lab(), next(iter(lab.controls()))
    with pytest.raises(AttributeError, match=f"did you mean '{name}'.*its controls are {name}"):
        setattr(one, f"{name}x", 1)
    with pytest.raises(TypeError, match=f"did you mean '{name}'.*allowed are {name}"):
        lab(**{f"{name}x": 1})
    with pytest.raises(traitlets.TraitError, match="size"):
        lab(size="huge")
    assert one.state == defaults(lab)
    one.layout = {"width": "50%"}  # what every widget has


@every_lab
def test_state_can_be_observed_and_linked_and_set(lab):
    one, heard = lab(), []
    one.observe(heard.append, "state")
    (other,) = random_states(lab, 1, 8)
    changed = {name: value for name, value in other.items() if value != defaults(lab)[name]}
    for name, value in changed.items():
        before = one.state
        setattr(one, name, value)
        assert heard[-1]["new"] == one.state and heard[-1]["old"] == before
    assert len(heard) == len(changed) > 0
    one.state = {}
    heard.clear()
    one.state = defaults(lab)
    assert one.state == defaults(lab) and [change["old"] for change in heard] == [other], "all at once"
    two = lab()
    traitlets.link((one, "state"), (two, "state"))
    two.state = other
    assert one.state == two.state == other
    setattr(one, next(iter(changed)), defaults(lab)[next(iter(changed))])
    assert one.state == two.state != other


def test_a_state_that_is_not_allowed_changes_nothing():
    lab = ScaleLab()
    for wrong, told in (
        ({"d_k": 64, "rho": 3}, "rho must be a number"),
        ({"d_k": 64, "dk": 3}, "no control 'dk'; did you mean 'd_k'"),
        ([64], "must be a dict of controls"),
    ):
        with pytest.raises(traitlets.TraitError, match=told):
            lab.state = wrong
    assert lab.state == defaults(ScaleLab)


@every_lab
def test_dir_shows_what_a_user_needs(lab):
    shown = {name for name in dir(lab()) if not name.startswith("_")}
    assert {*lab.controls(), "state", "series", "table", "svg", "observe"} <= shown
    assert len(shown - {*lab.controls()}) < 20 and not shown & {
        "cases",
        "said",
        "places",
        "formerly",
        "clamped",
        "names",
    }


def test_a_long_list_says_where_all_of_it_stands():
    with pytest.raises(
        traitlets.TraitError, match=r"one of the \d+ whole numbers .*; ScaleLab.d_k.values has all; got 0"
    ):
        ScaleLab(d_k=0)
    assert len(ScaleLab.d_k.values) > 12


def linked(kind, value):
    slider = ipywidgets.FloatText(value=0)
    lab = ScaleLab(d_k=8)
    kind((slider, "value"), (lab, "d_k")) if kind is traitlets.dlink else kind((lab, "d_k"), (slider, "value"))
    slider.value = value
    return lab, slider


@pytest.mark.parametrize(("value", "nearest"), [(9000, 4096), (-3, 1), (33, 32), (64, 64)])
@pytest.mark.parametrize("kind", [traitlets.link, traitlets.dlink])
def test_a_linked_value_becomes_the_nearest_that_is_allowed(kind, value, nearest):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lab, slider = linked(kind, value)
    assert lab.d_k == nearest and slider.value == (nearest if kind is traitlets.link else value)


def test_the_other_side_of_a_link_is_told_the_nearest_value_each_time():
    """In both orders, and through what the link turns it into."""
    slider, half, lab = ipywidgets.IntSlider(64, 1, 9000), ipywidgets.FloatText(), ScaleLab()
    traitlets.link((slider, "value"), (lab, "d_k"))
    traitlets.link((lab, "d_k"), (half, "value"), transform=(lambda d_k: d_k / 2, lambda shown: shown * 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for value in (77, 33, 9000, 78):
            slider.value = value
            assert slider.value == lab.d_k == 2 * half.value != value
            half.value = value / 2
            assert slider.value == lab.d_k == 2 * half.value != value


def test_a_lab_that_is_linked_takes_the_nearest_from_the_start():
    slider, lab = ipywidgets.IntSlider(9000, 0, 9000), ScaleLab()
    with pytest.warns(UserWarning, match="so it is 4096"):
        traitlets.link((slider, "value"), (lab, "d_k"))
    assert lab.d_k == slider.value == 4096


def test_that_a_linked_value_was_not_allowed_is_said_once():
    with pytest.warns(UserWarning) as told:
        lab, slider = linked(traitlets.link, 9000)
        slider.value = 5000
        slider.value = 64
    assert lab.d_k == 64 and len(told) == 1
    assert "ScaleLab: d_k must be one of" in str(told[0].message) and "so it is 4096" in str(told[0].message)


def test_a_front_end_may_send_what_is_not_allowed():
    lab = ScaleLab()
    with pytest.warns(UserWarning, match="so it is 0.9"):
        lab.set_state({"rho": 3})
    assert lab.rho == 0.9
    with pytest.raises(traitlets.TraitError):
        lab.rho = 3


CODE = """from whyformer.questions.why_sqrt_dk import ScaleLab
lab = ScaleLab(d_k=64, divisor="sqrt", size="small")
reveal_type(lab.d_k)
reveal_type(lab.state)
ScaleLab(d_k="64")
lab.rho = "much"
"""


@pytest.mark.thorough  # mypy reads the libraries, too
def test_a_type_checker_knows_what_a_lab_takes(tmp_path):
    (tmp_path / "mine.py").write_text(CODE, encoding="utf-8")
    ran = run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "mine.py"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    told = {int(line.split(":")[1]): line.partition(": ")[2] for line in ran.stdout.splitlines() if "mine.py:" in line}
    assert sorted(told) == [3, 4, 5, 6], ran.stdout + ran.stderr
    assert '"int"' in told[3] and "dict[str, Any]" in told[4]
    assert 'expected "int"' in told[5] and 'variable has type "float"' in told[6]
    assert (ROOT / "code/whyformer/py.typed").exists()
