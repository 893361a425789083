"""Packing: numbers as integers with a scale for each row, given back as exactly as the integers allow."""

import base64

import numpy as np
from whyformer.evidence.packing import packed, unpacked


def test_packing_gives_back_what_went_in():
    values = np.random.default_rng(0).standard_normal((2, 3, 50)) * 10.0 ** np.arange(-2, 1)[:, None]
    for kind in ("<i2", "i1"):
        found = packed(values, kind)
        back = unpacked(found, kind)
        assert back.shape == values.shape
        assert (np.abs(back - values) <= 0.5001 * np.array(found["scale"])[..., None]).all()


def test_a_packed_scale_is_as_fine_as_its_integers_allow():
    """The largest entry takes nearly the largest integer: a coarser scale would lose digits, a finer one overflow."""
    values = np.random.default_rng(1).uniform(-7, 7, (2, 2, 400))
    for kind, most in (("<i2", 32767), ("i1", 127)):
        found = packed(values, kind)
        assert (np.abs(unpacked(found, kind) - values).max(-1) <= 0.502 * np.abs(values).max(-1) / most).all()
        integers = np.frombuffer(base64.b64decode(found["base64"]), kind).reshape(2, 2, -1)
        assert (np.abs(integers.astype(int)).max(-1) >= 0.998 * most - 1).all()
