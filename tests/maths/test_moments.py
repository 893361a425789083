"""Expectations at the ends of the allowed range; their values are in test_golden."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from whyformer import maths

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("gap, wanted", [(-800, 0), (800, 1), (-1e308, 0), (1e308, 1), (-705, np.exp(-705) / 9)])
def test_needle_weight_at_extreme_gaps(gap, wanted):
    assert_allclose(maths.needle_weight(10, gap), wanted, rtol=1e-12)


@pytest.mark.parametrize("s", [1e-150, 26.0, 27.0, 1e100])
def test_limits_at_extreme_standard_deviations(s):
    assert not np.isnan(maths.sharp_limits(10, s)).any()
    assert not np.isnan(maths.flat_limits(10, s)).any()
