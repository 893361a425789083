"""A page of experiments, opened as a file."""

from pathlib import Path

import pytest
from playwright.sync_api import Page
from whyformer.workbench import Experiment
from workbench_cases import written


@pytest.fixture
def bench(visit, tmp_path: Path):
    def go(*experiments: Experiment, first: str = "", **options) -> Page:
        return visit(written(tmp_path, *experiments, first=first).as_uri(), **options)

    return go
