"""The best rates and the flat starts: samples of the file trained again, every best inside its grid."""

import numpy as np
import pytest
from whyformer import evidence
from whyformer.evidence import rates, retrieval


def median(arrived):
    return np.median([np.inf if step is None else step for step in arrived])


@pytest.mark.parametrize("name", ["16 sqrt 0.01 0.04", "64 d_k 0.02 0.08"])
def test_a_pair_of_rates_arrives_when_the_file_says(name):
    """Two seeds again. Rounding grows along a run, but these arrive within some fifty steps."""
    d_k, divisor, rate, rate_v = name.split()
    stored = evidence.read("rates")["arrived"][name]
    faster = (1, 1, float(rate_v) / float(rate))
    for seed in (0, 3):
        run = retrieval.train(int(d_k), divisor, float(rate), seed, 120, faster=faster, until_arrived=True)
        assert run.arrived == stored[seed]


def test_seeds_are_left_out_when_the_median_is_lost(monkeypatch):
    asked = []

    def never(d_k, divisor, rate, seed, *given, **named):
        asked.append(seed)
        return retrieval.Run(None, None, [], [], [], [])

    monkeypatch.setattr(retrieval, "train", never)
    assert rates.arrivals((16, "sqrt", 0.02, 0.08)) == ("16 sqrt 0.02 0.08", [None] * 3)
    assert asked == [0, 1, 2]


@pytest.mark.parametrize("flat", rates.FLAT)
def test_a_flat_start_arrives_when_the_file_says(flat, monkeypatch):
    monkeypatch.setattr(rates, "SEEDS", (3,))
    name, arrived = rates.flat_arrivals((16, flat, 0.01))
    assert arrived == [evidence.read("rates")["flat"][name][3]]


def test_a_flat_start_has_a_small_spread_and_the_two_ways_to_it_agree():
    """Entropy of the first rows: nearly ln 32 from a flat start, less from the usual one."""
    usual = retrieval.train(64, "sqrt", 1e-3, 0, steps=1).entropy[0]
    by_d_k = retrieval.train(64, "d_k", 1e-3, 0, steps=1).entropy[0]
    smaller = retrieval.train(64, "sqrt", 1e-3, 0, steps=1, spread=1 / 8).entropy[0]
    assert by_d_k == pytest.approx(smaller, rel=1e-9)
    assert np.log(32) - by_d_k < 0.02 < 0.3 < np.log(32) - usual


def test_every_best_pair_lies_inside_its_grid():
    """A neighbour on each side is slower or as slow: the best rates are not those of the edge."""
    arrived = evidence.read("rates")["arrived"]
    for (divisor, d_k), (own, values) in rates.GRIDS.items():
        steps = np.array([[median(arrived[f"{d_k} {divisor} {q:g} {v:g}"]) for v in values] for q in own])
        best_q, best_v = np.unravel_index(steps.argmin(), steps.shape)
        assert 0 < best_q < len(own) - 1 and 0 < best_v < len(values) - 1, (divisor, d_k, steps)


def test_all_pairs_are_there():
    found = evidence.read("rates")
    assert set(found["arrived"]) == {f"{d} {v} {q:g} {w:g}" for d, v, q, w in rates.pairs()}
    assert set(found["flat"]) == {f"{d} {f} {q:g}" for d in rates.D_K for f in rates.FLAT for q in rates.FLAT_RATES}
    for arrived in found["arrived"].values():
        assert len(arrived) == len(retrieval.SEEDS) or arrived.count(None) == rates.HALF
