"""The checks of the exercises' answers. The students' edition does not have this file."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from whyformer.proof import Numbers, check, holds
from whyformer.questions.layer_norm.exercises import check_half, check_largest, check_layer_norm, check_members


@check
def the_members() -> Numbers:
    """We counted the numbers of one feature in such a batch, and the features of a token."""
    batch = np.zeros((32, 20, 512))
    holds(check_members.judge(batch[..., 0].size).right)
    return {"640": batch[..., 0].size, "512": batch[0, 0].size}


@check
def the_largest() -> Numbers:
    """We normalised the token."""
    x = np.array([1.0, 2.0, 3.0, 6.0])
    largest = ((x - x.mean()) / x.std()).max()
    holds(check_largest.judge(largest).right)
    return {"3": x.mean(), "1.604": largest}


def my_layer_norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """The function of the solution."""
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    return np.asarray(gain * centred / np.sqrt(variance + 1e-5) + bias)


@check
def the_function() -> Numbers:
    """We gave the function of the solution to the check of the exercise, and one with a mean over everything."""
    with redirect_stdout(StringIO()):
        holds(bool(check_layer_norm(my_layer_norm)))
        holds(not check_layer_norm(lambda x, gain, bias: gain * (x - x.mean()) / x.std() + bias))
    return {}


@check
def the_half() -> Numbers:
    """We tried all depths up to 100 in the formula."""
    depths = np.arange(1, 101)
    found = depths[np.isclose(np.sqrt(3 / (2 + depths)), 1 / 2)]
    holds(check_half.judge(int(found[0])).right)
    return {"10": found[0]}
