"""Cases of which ``make test`` tries some and ``make test-all`` the rest."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

#: Labs with every kind of control (``lab/test_links`` says so), and one whose sentence depends on what happened.
LABS_OF_EVERY_KIND = (
    *("softmax_saturation/saturation", "why_sqrt_dk/scale", "no_projections/plane"),
    "framework/follow",
)


def some(cases: Iterable[str], first: Iterable[str] = LABS_OF_EVERY_KIND) -> list:
    """All cases, of which those that are not among the first are thorough."""
    at_once = set(first)
    return [
        pytest.param(case, marks=() if case in at_once else pytest.mark.thorough, id=str(case)[:40]) for case in cases
    ]
