"""Tables count as the pictures do, from 1."""

from __future__ import annotations

import numpy as np
import pytest
from lab_cases import LABS
from whyformer.questions.layer_norm import PlacementLab
from whyformer.questions.no_projections import PlaneLab


@pytest.mark.parametrize("lab", LABS.values(), ids=LABS)
def test_rows_count_from_1_and_say_what_they_are(lab):
    table = lab().table()
    assert [*table.index] == [*range(1, len(table) + 1)] and table.index.name == lab.row


def test_a_place_in_a_column_counts_as_the_rows_do():
    one = PlaneLab(lengths=[0.7, 2.6, 1.2, 1.0])
    table, weights = one.table(), one.series["weights"]
    assert [*table.best] == [*(weights.argmax(1) + 1)] and set(table.best) <= set(table.index)
    assert np.array_equal(one.series["best"], weights.argmax(1)), "series are arrays, and count from 0"


def test_the_placement_lab_s_table_has_the_median_draw_and_counts_layers_as_the_picture_does():
    lab = PlacementLab(n_layers=3)
    assert [*lab.table().index] == [1, 2, 3] and lab.table().index.name == "layer"
    assert lab.table().gradient_pre[2] == sorted(lab.series["gradient_pre"][:, 1])[2]  # of five draws
    lab.quantity = "stream"
    assert [*lab.table().index] == [0, 1, 2, 3], "layer 0 is what enters the first"
