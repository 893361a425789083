"""The gradients of fresh post-norm stacks, first layer and last: a sample measured again, and how it is made."""

import numpy as np
import pytest
from whyformer import evidence
from whyformer.evidence import depth
from whyformer.questions.layer_norm import stacks


def test_a_sample_is_what_the_file_says():
    found = evidence.read("depth")
    assert found["widths"] == list(depth.WIDTHS) and len(found["first_over_last"][0]) == depth.STACKS
    again = depth.measured(widths=(16,))["first_over_last"][0]
    np.testing.assert_allclose(found["first_over_last"][0], again, rtol=6e-4)


def test_one_ratio_is_that_of_the_stacks_of_the_chapter():
    drawn = stacks.drawn(32, True, stacks=1, d=64, n=16, n_heads=2, seed=3)
    gradient = stacks.gradients("post", drawn)[0]
    assert depth.ratio(64, 3) == pytest.approx(gradient[0] / gradient[-1])
