"""What each experiment says one will have seen: over five seeds ranges do not overlap, and the rescue rescues."""

import numpy as np
import pytest
from whyformer.workbench import EXPERIMENTS, TASKS, train
from whyformer.workbench.engine import build, initial


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["divisor", "one_matrix"])  # test_twins.py has all, as a page trains them
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


def at_the_start(arm, task_name):
    """Size of what each sub-layer reads, the largest weight of each layer, and the share of right answers."""
    task, found = TASKS[task_name], []
    for seed in range(5):
        batch = task.held_out(seed, 100)
        run = build(arm, task, initial(arm, task, seed)).forward(batch.tokens)
        sizes = [np.sqrt((read**2).mean()) for _, read, _ in run.steps]
        largest = [weights.max(-1).mean() for weights in run.weights]
        found.append((sizes, largest, (run.logits.argmax(-1) == batch.answers).mean()))
    return (np.array(each) for each in zip(*found, strict=True))


def test_what_the_page_says_of_the_start():
    for name in EXPERIMENTS:
        for arm, task in EXPERIMENTS[name].arms():
            _, _, right = at_the_start(arm, task)
            assert right.mean() < 0.15, (name, arm)  # as good as guessing
    divided, undivided, by_d_k = (at_the_start(*arm) for arm in EXPERIMENTS["divisor"].arms())
    largest = [found[1].mean() for found in map(list, (divided, undivided, by_d_k))]
    assert largest[1] > 0.8 and 1 / 9 < largest[2] < 0.15
    _, without, _ = EXPERIMENTS["residual"].arms()
    assert (list(at_the_start(*without))[1][:, 3] < 0.11).all()  # ten tokens: a tenth each
    normed, bare, small = (list(at_the_start(*arm)) for arm in EXPERIMENTS["norm"].arms())
    assert (normed[0] < 1.01).all() and (bare[0][:, -1] > 5 * bare[0][:, 0]).all() and (small[0] < 2).all()
    assert (bare[1][:, -1] > 0.9).all()


def test_without_projections_a_token_keeps_most_of_its_weight_unless_scores_are_small():
    kept = {}
    for arm, name in EXPERIMENTS["projections"].arms():
        task, found = TASKS[name], []
        for seed in range(5):
            run = build(arm, task, initial(arm, task, seed)).forward(task.held_out(seed, 100).tokens)
            found.append(run.weights[0])
        weights = np.array(found)
        prefer_themselves = (weights.argmax(-1) == np.arange(10)).mean()
        assert prefer_themselves == 1 if arm.matrices == "none" else prefer_themselves < 0.2
        kept[arm.matrices, arm.divisor] = np.diagonal(weights, axis1=-2, axis2=-1).mean()
    assert kept["none", "sqrt"] > 0.85 and kept["none", "d_k"] < 0.25


def test_one_head_has_as_many_parameters_as_two_and_there_is_nothing_but_attention():
    two, one, deep = (initial(arm, TASKS[name], 0) for arm, name in EXPERIMENTS["heads"].arms())
    assert {name: a.shape for name, a in two.items()} == {name: a.shape for name, a in one.items()}
    assert not {name for name in deep if "up" in name or "position" in name}
