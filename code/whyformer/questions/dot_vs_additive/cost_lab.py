"""The cost lab: what the scores of n queries for n keys take, as a matrix product and pair by pair.

Twin: ``cost_lab.ts``. The times are those of ``whyformer.evidence.score_cost``, measured once, on one machine.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from whyformer import evidence
from whyformer.evidence.score_cost import D_K, WAYS, N
from whyformer.lab import Lab, Listed, Step
from whyformer.lab.lab import Series

MIB = 4 / 2**20  # single precision


@cache
def data() -> dict[str, Any]:
    """Milliseconds for each way, by d_k (rows) and n (columns)."""
    return {"milliseconds": evidence.read("score_cost")["milliseconds"]}


def compute(*, n: int, d_k: int) -> Series:
    r"""Counts, memory and measured times of :math:`n^2` scores between ``n`` queries and n keys of length ``d_k``.

    Ways: the dot product as one product of matrices (dot), one query at a time (dot_by_query), pair by pair
    (dot_by_pair); the additive score :math:`a^\top \tanh(q + k)` with all pairs at once (additive), with a ReLU for
    tanh (additive_relu), one query at a time (additive_by_query).

    * ``n_of`` (5,): 32, 64, ... 512
    * ``ms_dot``, ``ms_dot_by_query``, ``ms_dot_by_pair``, ``ms_additive``, ``ms_additive_relu``,
      ``ms_additive_by_query`` (5,): measured milliseconds at this d_k, for each n
    * ``times_dot_by_query``, ``times_dot_by_pair``, ``times_additive``, ``times_additive_relu``,
      ``times_additive_by_query``: how many times as long as dot, at the chosen n; ``tanh_over_relu``: additive against
      additive_relu
    * ``products``: multiplications, :math:`n^2 d_k`, for either score; ``tanhs``: as many, for the additive one alone
    * ``mib_scores``, ``mib_pairs``, ``mib_query``: of the scores; of the array of n × n × d_k; of one of n × d_k
    """
    at, row = N.index(n), D_K.index(d_k)
    ms = {way: np.array(data()["milliseconds"][way][row]) for way in WAYS}
    return {
        "n_of": np.array(N, float),
        **{f"ms_{way}": times for way, times in ms.items()},
        **{f"times_{way}": times[at] / ms["dot"][at] for way, times in ms.items() if way != "dot"},
        "tanh_over_relu": ms["additive"][at] / ms["additive_relu"][at],
        "products": float(n * n * d_k),
        "tanhs": float(n * n * d_k),
        "mib_scores": MIB * n**2,
        "mib_pairs": MIB * n**2 * d_k,
        "mib_query": MIB * n * d_k,
    }


class CostLab(Lab):
    """What the scores of all pairs cost, multiplied or added: operations, numbers held, measured times."""

    title = "Cost lab"
    hint = ""
    sentence = (
        "With {n} queries and {n} keys of dₖ = {d_k}, each score takes {products:,.0f} multiplications. On one machine "
        "the additive score took {times_additive:.0f} times as long as the matrix product, and held {mib_pairs:.3g} "
        "MiB of tanh."
    )
    columns = ("n_of", "ms_dot", "ms_dot_by_query", "ms_dot_by_pair", "ms_additive", "ms_additive_by_query")
    row = "number of tokens"
    compute = staticmethod(compute)
    data = staticmethod(data)

    steps = (
        Step(
            "Each score takes {products:,.0f} multiplications. But the values of tanh fill {d_k} sheets, and the dot "
            "products fill one.",
            asks="A sheet has a number for each pair. Choose another n or dₖ. How many sheets does each score hold?",
            told_at={"n": 256},
            when=("products == tanhs", "mib_pairs >= 16 * mib_scores"),
            shows=("sheets", "bill"),
            narrow=2,
            controls=("n", "d_k"),
        ),
        Step(
            "With {n} tokens the additive score took {times_additive:.0f} times as long as the matrix product. This is "
            "one machine and NumPy: other machines differ.",
            asks="Measured times, for 512 tokens. Choose a short text, of 64 tokens or fewer. How many times as long "
            "does the additive score take there?",
            moved=("n <= 64",),
            told_at={"n": 64},
            when=("times_additive > 20",),
            shows=("by way", "how to read"),
            controls=("n", "d_k"),
        ),
        Step(
            "The dot products took {times_dot_by_pair:.0f} times as long pair by pair, and there is no tanh in them. "
            "Most of the factor of {times_additive:.0f} of the additive score is the lost matrix product.",
            asks="The dot products pair by pair have no tanh. Choose another n or dₖ. Are they fast?",
            told_at={"n": 256},
            cases=(
                (
                    ("times_additive < 60",),
                    "The dot products took {times_dot_by_pair:.0f} times as long pair by pair as in one matrix "
                    "product, and there is no tanh in them.",
                ),
            ),
            when=("times_dot_by_pair > 15", "times_additive >= 60"),
            shows=("by way", "how to read"),
            controls=("n", "d_k"),
        ),
        Step(
            "With a ReLU the additive score still took {times_additive_relu:.0f} times as long as the matrix product. "
            "tanh makes a factor of {tanh_over_relu:.1f}.",
            asks="A ReLU is cheaper than tanh. Choose another n or dₖ. Is the additive score fast with a ReLU?",
            told_at={"n": 256},
            when=("times_additive_relu > 12", "tanh_over_relu > 1.2", "tanh_over_relu < times_additive_relu"),
            shows=("by way", "how to read"),
            controls=("n", "d_k"),
        ),
        Step(
            "The sheets of tanh take {mib_pairs:.3g} MiB. If the text has half as many tokens, they take a quarter.",
            asks="At dₖ = 64, bring the sheets of tanh under 2 MiB.",
            moved=("mib_pairs < 2", "d_k == 64"),
            told_at={"n": 64},
            when=("mib_pairs > 0",),
            shows=("sheets", "bill"),
            narrow=1,
            controls=("n", "d_k"),
        ),
        Step(
            "One query at a time the dot product took {times_dot_by_query:.1f} times as long as in one matrix product, "
            "and the additive score {times_additive_by_query:.0f} times: in 2015 there was less to lose.",
            asks="A recurrent decoder has one query at a time. Choose another n or dₖ. How long does each score take "
            "then?",
            told_at={"n": 256},
            when=("times_dot_by_query > 1.5", "times_dot_by_query < times_additive_by_query"),
            shows=("by way", "how to read"),
            controls=("n", "d_k"),
        ),
    )

    n: Listed = Listed(default=512, values=list(N), label="tokens n")
    d_k: Listed = Listed(default=64, values=list(D_K), label="dₖ")
