"""The labs on measured numbers against PyTorch and the files of evidence: trained scores and training."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from lab_cases import random_states
from whyformer import evidence
from whyformer.questions.why_sqrt_dk import TrainedScoresLab, TrainingLab


@pytest.mark.parametrize("state", random_states(TrainedScoresLab, 15, 2), ids=str)
def test_trained_scores_lab_is_what_pytorch_computes(state):
    series = TrainedScoresLab.compute(**state)
    (opened,) = (one for one in evidence.opened() if one.text == TrainedScoresLab.text.options[state["text"]])
    raw, lower = (
        torch.from_numpy(part[state["layer"] - 1, state["head"] - 1]) for part in (opened.scores, opened.values)
    )
    divisors = {"": 32 ** state["power"], "_trained": math.sqrt(32)}
    maps = {}
    for name, divisor in divisors.items():
        maps[name] = torch.softmax(raw / divisor, -1)
        np.testing.assert_allclose(series[f"weights{name}"], maps[name], rtol=1e-9)
        np.testing.assert_allclose(series[f"entropy{name}"], torch.special.entr(maps[name]).sum(-1), atol=1e-12)
        jacobians = torch.diag_embed(maps[name]) - maps[name][:, :, None] * maps[name][:, None]
        norm = torch.linalg.matrix_norm(jacobians).mean()
        assert series[f"jacobian_norm{name}"] == pytest.approx(float(norm), abs=1e-12)
    assert series["divisor"] == pytest.approx(divisors[""])
    assert series["spread"] == pytest.approx(float((raw / divisors[""]).std(correction=0)))
    spreads = torch.from_numpy(opened.scores / divisors[""]).std(dim=(2, 3), correction=0).flatten()
    np.testing.assert_allclose(series["head_spread"], spreads, rtol=1e-12)
    assert (series["least_spread"], series["most_spread"]) == pytest.approx(
        (float(spreads.min()), float(spreads.max()))
    )
    assert series["first_weight"] == pytest.approx(float(maps[""][:, 0].mean()))
    assert series["least_largest"] == pytest.approx(float(maps[""].amax(1).min()))
    assert series["entropy_mean"] == pytest.approx(sum(series["entropy"]) / len(opened.tokens))
    assert series["log_n"] == pytest.approx(math.log(len(opened.tokens)))
    lengths, before, after = lower.norm(dim=1), maps["_trained"] @ lower, maps[""] @ lower
    unit = lengths.quantile(0.5)
    np.testing.assert_allclose(series["value_length"], lengths / unit, rtol=1e-12)
    assert series["first_length"] == pytest.approx(float(lengths[0] / unit))
    assert series["output_length"] == pytest.approx(float((before / unit).norm() / math.sqrt(len(before))))
    np.testing.assert_allclose(series["output"], before.norm(dim=1) / unit, rtol=1e-9)
    np.testing.assert_allclose(series["moved"], (after - before).norm(dim=1) / unit, atol=1e-12)
    assert series["moved_percent"] == pytest.approx(float(100 * (after - before).norm() / before.norm()), abs=1e-9)


@pytest.mark.parametrize("state", random_states(TrainingLab, 12, 3), ids=str)
def test_training_lab_shows_the_runs_of_the_file(state):
    """Curves to half of what a packed number can tell apart, arrivals exactly; medians are the third of five."""
    series, stored = TrainingLab.compute(**state), evidence.read("training")
    rates, recorded = (
        ["0.0003", "0.001", "0.003", "0.01"],
        {"gradient": "gradient_q"}.get(state["quantity"], state["quantity"]),
    )
    kept = np.log if state["quantity"] == "gradient" else np.asarray
    assert series["step"].tolist() == stored["steps"]
    for i, (name, divisor) in enumerate({"unscaled": "1", "scaled": "sqrt", "overscaled": "d_k"}.items()):
        runs = {r: [stored["runs"][f"{state['d_k']} {divisor} {r} {seed}"] for seed in range(5)] for r in rates}
        curves = kept([run[recorded] for run in runs[state["rate"]]])
        error = 0.51 * np.abs(kept([[run[recorded] for run in row] for row in runs.values()])).max() / 32767
        np.testing.assert_allclose(kept(series["curves"][i]), curves, rtol=0, atol=error)
        np.testing.assert_allclose(kept(series[f"median_{name}"]), np.sort(curves, axis=0)[2], rtol=0, atol=error)
        assert series[f"first_{name}"] == series[f"median_{name}"][0]
        arrived = [[run["arrived"] or 0 for run in row] for row in runs.values()]
        assert series["arrived"][i].tolist() == arrived
        arrival = [sorted(step or 1500 for step in row)[2] for row in arrived]
        assert series["arrival"][i].tolist() == arrival
        at = rates.index(state["rate"])
        assert (series[f"seeds_{name}"], series[f"step_{name}"]) == (sum(map(bool, arrived[at])), arrival[at])
