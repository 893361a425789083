"""What each experiment says one will have seen: over five seeds ranges do not overlap, and the rescue rescues."""

import pytest
from whyformer.workbench import EXPERIMENTS, train


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_effect_is_there_and_the_rescue_rescues(name):
    experiment = EXPERIMENTS[name]
    found = train(experiment, progress=False).summary()
    part, without = found.loc[experiment.part.name], found.loc[experiment.without.name]
    assert part["least"] > without["most"], found
    assert experiment.rescue is not None
    assert found.loc[experiment.rescue.name, "least"] > without["most"], found
    assert (found["diverged"] == 0).all()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_arms_differ_in_the_part_alone_and_what_is_seen_is_said(name):
    experiment = EXPERIMENTS[name]
    assert experiment.name == name and experiment.question.endswith("?") and experiment.seen
    differ = [f for f in vars(experiment.part) if getattr(experiment.part, f) != getattr(experiment.without, f)]
    assert len(differ) == 2 and differ[0] == "name"
    assert experiment.rescue is not None
    for field in differ[1:]:
        missing = getattr(experiment.rescue, field) == getattr(experiment.without, field)
        assert missing or name == "divisor"  # whose second switch is another divisor
