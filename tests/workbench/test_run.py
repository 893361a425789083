"""Training through the public door: it learns, says what it did, and refuses what cannot be."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from whyformer import progress as bars
from whyformer.progress import Bar
from whyformer.workbench import EXPERIMENTS, Arm, Experiment, train
from whyformer.workbench.run import _rate

QUICK = Experiment(
    "quick", "Does it copy?", "copy", Arm("with", positions="none"), Arm("without", positions="none", residual=False),
    steps=60, every=20, tested=50, rate=1e-2, seeds=2,
)  # fmt: skip


@pytest.fixture(scope="module")
def run():
    return train(QUICK)


def test_a_short_run_learns(run):
    found = run.summary()
    assert found.loc["with", "least"] > 0.95 and found.loc["with", "to 90 %"] <= 60
    first = run.curves[(run.curves["arm"] == "with") & (run.curves["step"] == 0)]
    assert first["accuracy"].max() < 0.4


def test_curves_have_a_row_for_each_measured_step(run):
    assert list(run.curves) == ["arm", "seed", "step", "loss", "accuracy", "largest"]
    assert len(run.curves) == 2 * 2 * 4 and sorted(set(run.curves["step"])) == [0, 20, 40, 60]
    assert run.curves["largest"].between(0.1, 1).all() and run.curves["accuracy"].between(0, 1).all()


def test_the_last_step_is_measured_too():
    found = train(QUICK.change(steps=25), seeds=1)
    assert sorted(set(found.curves["step"])) == [0, 20, 25]


def test_it_is_the_same_every_time_and_seeds_are_their_own(run):
    pd.testing.assert_frame_equal(train(QUICK, seeds=[0, 1]).curves, run.curves)
    one = train(QUICK, seeds=[1]).curves
    pd.testing.assert_frame_equal(one, run.curves[run.curves["seed"] == 1].reset_index(drop=True))


def test_steps_to(run):
    found = run.steps_to(0.9)
    assert list(found.index) == ["with", "without"] and list(found.columns) == [0, 1]
    curve = run.curves[(run.curves["arm"] == "with") & (run.curves["seed"] == 0)]
    assert found.loc["with", 0] == curve[curve["accuracy"] >= 0.9]["step"].iloc[0]
    never = train(QUICK.change(steps=1), seeds=2).steps_to(1.0)
    assert never.shape == (2, 2) and never.isna().all(axis=None)
    with pytest.raises(ValueError, match="above 0"):
        run.steps_to(0)


def test_maps_are_weights_of_each_head_on_one_example():
    found = train(QUICK.change(heads=2, layers=3, steps=2), seeds=1)
    for arm in ("with", "without"):
        assert found.maps[arm].shape == (3, 2, 10, 10) and found.example[arm].shape == (10, 1)
        np.testing.assert_allclose(found.maps[arm].sum(-1), 1)


@pytest.mark.parametrize("column", ["accuracy", "loss", "largest"])
def test_the_plot_shows_every_seed_the_mean_and_chance(run, column):
    figure = run.plot(column)
    (axis,) = figure.axes
    guess = column != "largest"
    assert len(axis.lines) == 2 * (2 + 1) + guess
    thin = [line for line in axis.lines if line.get_linewidth() < 1]
    assert len(thin) == 4 and {line.get_linestyle() for line in axis.lines} == {"-", "--", *":" * guess}
    mean = run.curves[run.curves["arm"] == "with"].groupby("step")[column].mean()
    np.testing.assert_allclose(axis.lines[2].get_ydata(), mean)
    if guess:
        assert axis.lines[-1].get_ydata()[0] == pytest.approx({"accuracy": 0.1, "loss": np.log(10)}[column])
    assert "<svg" in figure.svg()


def test_a_plot_of_something_else_is_refused(run):
    with pytest.raises(ValueError, match="accuracy, loss, largest"):
        run.plot("speed")


def test_a_run_that_overflows_is_shown_as_such():
    found = train(QUICK.change(rate=1e200, steps=40), seeds=1)
    assert found.summary()["diverged"].tolist() == [1, 1]
    last = found.curves[found.curves["step"] == 40]
    assert last[["loss", "accuracy", "largest"]].isna().all(axis=None)
    assert not found.curves[found.curves["step"] == 0].isna().any(axis=None)


def test_warm_up_lets_the_rate_grow():
    rates = [_rate(QUICK, Arm(warm_up=4), step) for step in range(6)]
    assert rates == pytest.approx([0.0025, 0.005, 0.0075, 0.01, 0.01, 0.01])
    assert _rate(QUICK, Arm(), 0) == QUICK.rate


# ---- changing one thing


def test_change():
    e = EXPERIMENTS["divisor"]
    wide = e.change(d_k=256, steps=200)
    assert wide.steps == 200 and [arm.d_k for arm, _ in wide.arms()] == [256] * 3 and e.steps != 200
    assert [arm.divisor for arm, _ in wide.arms()] == ["sqrt", "1", "d_k"]
    other = e.change(without=e.without.change(heads=2))
    assert other.without.heads == 2 and other.part == e.part
    assert dataclasses.replace(e, seeds=3) == e.change(seeds=3)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"depth": 3}, "no setting 'depth'; there is .*d_model"),
        ({"divisor": "d_k"}, "the arms differ in divisor"),
        ({"task": "sort"}, "kv, reverse, previous, copy"),
        ({"rescue_task": "sort"}, "rescue_task"),
        ({"steps": 0}, "steps must be a whole number, 1 or more"),
        ({"seeds": True}, "seeds must be a whole number"),
        ({"batch": 2.5}, "batch .* 2.5"),
        ({"rate": 0}, "rate must be a number above 0"),
        ({"rate": float("inf")}, "rate"),
        ({"part": "sqrt"}, "part must be an Arm"),
        ({"without": Arm("÷ √dₖ")}, "different names"),
        ({"heads": 0}, "heads must be a whole number, 1 or more"),
        ({"warm_up": -1}, "warm_up .* 0 or more"),
        ({"d_k": 1.5}, "d_k"),
        ({"norm": "both"}, '"pre", "post", "none"'),
        ({"residual": 1}, "True or False"),
    ],
)
def test_what_cannot_be_is_refused_with_what_is_allowed(change, words):
    with pytest.raises(ValueError, match=words):
        EXPERIMENTS["divisor"].change(**change)


def test_an_arm_refuses_too():
    with pytest.raises(ValueError, match="multiple of heads"):
        Arm(d_model=16, heads=3)
    with pytest.raises(ValueError, match="heads times d_k must be d_model = 16; got 2 times 5"):
        Arm(matrices="none", heads=2, d_k=5)
    with pytest.raises(ValueError, match="d_ff must be a whole number, 0 or more"):
        Arm(d_ff=-1)
    with pytest.raises(ValueError, match="some words"):
        Arm("")
    with pytest.raises(ValueError, match="d_k must be even; got 5"):
        Arm(positions="rotary", d_k=5)
    with pytest.raises(ValueError, match="no setting 'divsor'"):
        Arm().change(divsor="1")
    assert Arm(d_model=12, heads=3).head_size == 4 and Arm(d_model=12).hidden == 24 and Arm(d_ff=0).hidden == 0


@pytest.mark.parametrize("seeds", [0, -1, True, [], [1, 1], [0.5], "12", [-1]])
def test_seeds(seeds):
    with pytest.raises(ValueError, match="seeds"):
        train(QUICK, seeds=seeds)


def test_train_refuses_what_is_no_experiment():
    with pytest.raises(ValueError, match="EXPERIMENTS"):
        train("divisor")


# ---- interrupted


def test_training_that_is_interrupted_returns_what_it_has(monkeypatch, run):
    steps, honest = [], Bar.step

    def stop(self, words, count=1):
        honest(self, words, count)
        steps.append(words)
        if len(steps) == 85:  # in the second arm, after its measures at 0 and 20
            raise KeyboardInterrupt

    monkeypatch.setattr(Bar, "step", stop)
    with pytest.warns(UserWarning, match="interrupted at without, step 25: the run has what was measured"):
        found = train(QUICK)
    assert not found.finished and run.finished
    whole = run.curves[(run.curves["arm"] == "with") | (run.curves["step"] <= 20)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found.curves, whole)
    assert found.summary().loc["without", "mean"] == whole[whole["step"] == 20]["accuracy"].iloc[-2:].mean()
    assert len(found.plot().axes[0].lines) == 7 and "interrupted" in repr(found)
    steps[:] = [""] * 70
    with pytest.warns(UserWarning):
        first = train(QUICK)
    assert set(first.curves["arm"]) == {"with"} and first.summary()["mean"].isna().tolist() == [False, True]
    assert len(first.plot().axes[0].lines) == 4


def test_before_anything_is_measured_an_interrupt_is_one(monkeypatch):
    monkeypatch.setattr("whyformer.workbench.run._measured", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        train(QUICK)


# ---- as one writes it


def test_numpys_numbers_are_numbers(run):
    assert QUICK.change(d_k=np.int64(16), steps=np.int32(60)) == QUICK.change(d_k=16)
    assert type(Arm(heads=np.int64(2)).heads) is int
    for seeds in (np.arange(2), np.int64(2), pd.Series([0, 1])):
        found = train(QUICK, seeds=seeds)
        assert found.seeds == (0, 1) and {type(seed) for seed in found.seeds} == {int}
        pd.testing.assert_frame_equal(found.curves, run.curves)
    with pytest.raises(ValueError, match="whole number"):
        Arm(d_k=np.float64(16))


def test_a_slip_is_told_what_was_meant():
    with pytest.raises(ValueError, match="^there is no setting 'dk'; did you mean 'd_k'\\?$"):
        QUICK.change(dk=16)
    with pytest.raises(
        KeyError, match="no experiment 'divsor'; did you mean 'divisor'\\? there are divisor, one_matrix"
    ):
        EXPERIMENTS["divsor"]
    assert EXPERIMENTS.get("divsor") is None


def test_what_is_shown_of_them_is_short(run):
    assert repr(run).startswith("Run('quick', 2 seeds: accuracy with ") and len(repr(run)) < 80
    assert repr(QUICK) == "Experiment('quick': with, without; task 'copy', 60 steps, 2 seeds)"
    assert repr(Arm("one", heads=4)) == "Arm('one', heads=4)" and eval(repr(QUICK.part)) == QUICK.part


# ---- the bar


def test_a_bar_in_a_terminal_shows_after_two_seconds_and_goes(monkeypatch, capsys):
    clock = iter([0.0, 1.0, 5.0, 5.01, 9.0])
    monkeypatch.setattr(bars.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(bars.sys.stdout, "isatty", lambda: True, raising=False)
    with Bar(8) as bar:
        bar.step("one")
        assert capsys.readouterr().out == ""
        bar.step("two")
        out = capsys.readouterr().out
        assert "██████·" in out and "two, 15 s left" in out
        bar.step("three")  # too soon after the last change
        assert capsys.readouterr().out == ""
    assert capsys.readouterr().out.strip("\r ") == ""


def test_a_bar_in_a_notebook_is_a_widget_that_closes(monkeypatch):
    clock = iter([0.0, 5.0, 9.0])
    monkeypatch.setattr(bars.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(bars, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda shown: None)
    with Bar(4) as bar:
        bar.step("one")
        progress, label = bar.widget.children
        assert (progress.value, progress.max) == (1, 4) and label.value == "one, 15 s left"
        bar.step("two")
        assert progress.value == 2
    assert bar.widget.comm is None  # closed


def test_no_bar_where_nobody_looks(monkeypatch, capsys):
    monkeypatch.setattr(bars, "PATIENCE", 0)
    for shown in (True, False):
        with Bar(2, shown) as bar:
            bar.step("one")
    assert capsys.readouterr().out == "" and not bars.in_notebook()
