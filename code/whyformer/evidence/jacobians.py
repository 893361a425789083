"""Hard rows, or their Jacobians: which of the two makes learning slow?

The lookup task of ``retrieval``, divided by sqrt(d_k), with the spread of the scores at the start and the softmax
Jacobian that the gradient passes taken apart. A Jacobian of hard rows is that of the scores times sqrt(d_k), one of
soft rows that of the scores over it; Adam does not feel the factor itself. W_Q and W_K learn at a rate in proportion to
their start, so hard rows with their own Jacobians are the head that is not divided (``training``), and soft rows with
theirs are the divided one.
"""

from __future__ import annotations

from whyformer.evidence import retrieval
from whyformer.evidence.retrieval import SEEDS

D_K, ROOT, RATES, ALLOWED = 64, 8.0, (0.001, 0.003), 1000
#: standard deviation of the scores at the start, and what the scores are multiplied by for the Jacobian
ARMS = {"hard rows, Jacobians of soft": (ROOT, 1 / ROOT), "soft rows, Jacobians of hard": (1.0, ROOT)}


def arrivals(job: tuple[str, float]) -> tuple[str, list[int | None]]:
    """When the runs of an arm arrive, by seed, under the name "arm, rate". None: not in ALLOWED steps."""
    arm, rate = job
    spread, back = ARMS[arm]
    more = spread**0.5  # so much larger do W_Q and W_K start
    runs = (
        retrieval.train(
            D_K, "sqrt", rate, seed, ALLOWED, spread=spread, back=back, faster=(more, more, 1), until_arrived=True
        )
        for seed in SEEDS
    )
    return f"{arm}, {rate:g}", [run.arrived for run in runs]
