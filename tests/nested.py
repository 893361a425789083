"""Nested numbers compared: dictionaries and lists of what was computed with what a file or an oracle has."""

from __future__ import annotations

import numpy as np

ROUNDED = {"rtol": 6e-4, "atol": 1e-9}  # the files keep four significant digits


def close(stored, computed, **tolerance):
    """Every number of a nested structure, without one left out on either side."""
    if isinstance(computed, dict):
        assert set(stored) == set(computed)
        for key in computed:
            close(stored[key], computed[key], **tolerance)
    elif isinstance(computed, list) and isinstance(computed[0], dict):
        for one, other in zip(stored, computed, strict=True):
            close(one, other, **tolerance)
    else:
        np.testing.assert_allclose(np.asarray(stored, float), np.asarray(computed, float), **(ROUNDED | tolerance))
