"""The labs on saturation against 60-digit arithmetic (mpmath): nothing is lost where a softmax has saturated."""

from __future__ import annotations

import numpy as np
import pytest
from lab_cases import corner_states, random_states
from mpmath import exp, fsum, mp, mpf, sqrt
from numpy.testing import assert_allclose
from whyformer.questions.softmax_saturation import GapLab, SaturationLab
from whyformer.questions.softmax_saturation.gap_lab import GRID

SHARP = {"rtol": 1e-12, "atol": 1e-300}


@pytest.fixture(autouse=True)
def sixty_digits():
    with mp.workdps(60):
        yield


def exact_softmax(z: list[mpf]) -> list[mpf]:
    powers = [exp(value) for value in z]
    return [power / fsum(powers) for power in powers]


def doubles(values) -> np.ndarray:
    return np.array([float(value) for value in values])


@pytest.mark.parametrize("state", [*random_states(SaturationLab, 25, 6), *corner_states(SaturationLab)], ids=str)
def test_saturation_lab_is_exact(state):
    series, logits = SaturationLab.compute(**state), state["logits"]
    n, temperature = len(logits), mpf(state["temperature"])
    # The reader's number and offset are added as doubles: what is lost there is the lab's lesson, not an error.
    y = exact_softmax([mpf(float(value + state["offset"])) / temperature for value in logits])
    jacobian = [[y[i] * (1 - y[i]) if i == j else -y[i] * y[j] for j in range(n)] for i in range(n)]
    if state["upstream"] == "alternate":
        arriving = [(-1) ** i / sqrt(n) for i in range(n)]
    else:  # ties: the first
        order = sorted(range(n), key=lambda i: -logits[i])
        chosen = order[0] if state["upstream"] == "largest" else order[1]
        arriving = [mpf(i == chosen) for i in range(n)]
    left = [fsum(jacobian[i][j] * arriving[j] for j in range(n)) / temperature for i in range(n)]
    error = 1e-12 + 2e-16 * max(abs(value + state["offset"]) for value in logits) / state["temperature"]
    near = {"rtol": 20 * error, "atol": 1e-300}
    assert_allclose(series["weights"], doubles(y), **near)
    assert_allclose(np.ravel(series["jacobian"]), doubles(entry for row in jacobian for entry in row), **near)
    assert_allclose(series["upstream_gradient"], doubles(arriving), **SHARP)
    size = doubles([fsum(abs(jacobian[i][j] * arriving[j]) for j in range(n)) / temperature for i in range(n)])
    assert (abs(series["downstream_gradient"] - doubles(left)) <= 40 * error * size + 1e-300).all()
    assert_allclose(series["largest_weight"], float(max(y)), **near)
    assert_allclose(series["largest_entry"], float(max(value * (1 - value) for value in y)), **near)
    norm = sqrt(fsum(entry**2 for row in jacobian for entry in row))
    assert_allclose(series["jacobian_norm"], float(norm), **near)
    assert_allclose(series["left"], float(sqrt(fsum(value**2 for value in left))), rtol=200 * error, atol=1e-300)


@pytest.mark.parametrize("a", [0, 0.01, 1, 3.5, 12])
def test_gap_lab_is_exact(a):
    series = GapLab.compute(a=a)
    families = (lambda a: (a, a, 2 * a), lambda a: (a, 2 * a, 2 * a), lambda a: (mpf(1000), mpf(1000), 1000 + a))
    for family, logits in enumerate(families):
        # In the third family 1000 + a is a double before it is a logit.
        rounded = [mpf(float(1000 + x)) - 1000 if family == 2 else mpf(float(x)) for x in (*GRID, a)]
        third = [exact_softmax(logits(x))[2] for x in rounded]
        slope = [y * (1 - y) for y in third]
        rows = series["curve"].reshape(3, -1), series["slope"].reshape(3, -1)
        assert_allclose(rows[0][family], doubles(third[:-1]), **SHARP)
        assert_allclose(rows[1][family], doubles(slope[:-1]), **SHARP)
        assert_allclose(series["y3"][family], float(third[-1]), **SHARP)
        assert_allclose(series["derivative"][family], float(slope[-1]), **SHARP)
        name = ("gap", "tied", "shifted")[family]
        assert_allclose(series[f"derivative_{name}"], float(slope[-1]), **SHARP)
        if family < 2:
            assert_allclose(series[f"y3_{name}"], float(third[-1]), **SHARP)
