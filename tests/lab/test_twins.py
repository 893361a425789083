"""Every lab computes the same in TypeScript, from the shipped bundle, as in Python: in V8, and some in each browser."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from lab_cases import LABS, corner_states, drags, random_states
from some import LABS_OF_EVERY_KIND, some
from twins import differences, differences_on
from whyformer.lab.host import still
from whyformer.maths.random import bits


@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize(("count", "moves"), [(10, 2), pytest.param(60, 6, marks=pytest.mark.thorough)])
def test_series_and_sentence_are_the_same_in_both_languages(name, count, moves):
    lab = LABS[name]
    states = [*random_states(lab, count, 2017), *corner_states(lab), *drags(lab, moves, 1706)]
    found = differences(lab, states, still.computed(lab.declaration(), states))
    assert not found, "\n".join(found[:12])


@pytest.mark.parametrize("name", some(LABS))
def test_an_element_shows_what_python_computes(name, visit, lab_pages):
    lab, page = LABS[name], visit(lab_pages[name])
    states = [*random_states(lab, 6, 1706), *corner_states(lab)[:4]]
    found = differences_on(page, lab, states)
    assert not found, "\n".join(found[:12])


@pytest.mark.parametrize("name", LABS_OF_EVERY_KIND)
def test_series_that_were_handed_out_can_be_changed_without_harm(name, visit, lab_pages):
    page = visit(lab_pages[name])
    page.evaluate("""(name) => {
      const lab = document.querySelector(`whyformer-lab[name="${name}"]`);
      for (const value of Object.values(lab.series)) if (typeof value !== "number") value.fill(7);
    }""", name)  # fmt: skip
    assert not differences_on(page, LABS[name], corner_states(LABS[name])[:2])


def test_hash_integers_are_equal_bit_for_bit(visit, lab_pages):
    page = visit(lab_pages["softmax_saturation/gap"])
    edge = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x9E3779B9, 0x61C88647, 0xFFFFFFFE, 0xFFFFFFFF]
    many = np.random.default_rng(5).integers(0, 2**32, (20_000, 3))
    triples = np.concatenate([np.array(list(product(edge, repeat=3))), many])
    got = page.evaluate("(all) => all.map(([a, b, c]) => WhyformerLabs.bits(a, b, c))", triples.tolist())
    assert got == bits(*triples.T).tolist()


def test_every_typescript_lab_has_a_python_twin(visit, lab_pages):
    page = visit(lab_pages["softmax_saturation/gap"])
    assert sorted(page.evaluate("[...WhyformerLabs.labs.keys()]")) == sorted(LABS)
