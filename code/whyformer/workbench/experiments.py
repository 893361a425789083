"""The experiments as data."""

from __future__ import annotations

from whyformer.workbench.experiment import Arm, Experiment

_LOOKUP = Arm("÷ √dₖ", d_model=32, d_k=64, positions="none")
_TWO = Arm("two matrices")
_FOUR = Arm("residual path", layers=4)
_SIX = Arm("pre-norm", layers=6)
_LATE = Arm("warm-up", layers=6, norm="post", warm_up=150)
_PLACES = Arm("positions")

EXPERIMENTS = {
    one.name: one
    for one in (
        Experiment(
            "divisor",
            "Scores are divided by √dₖ. Does a little model learn to look things up if they are not?",
            "kv",
            _LOOKUP,
            _LOOKUP.change(name="÷ 1", divisor="1"),
            _LOOKUP.change(name="÷ dₖ", divisor="d_k"),
        ),
        Experiment(
            "one_matrix",
            "Queries and keys have a matrix each. Would one for both do?",
            "previous",
            _TWO,
            _TWO.change(name="one matrix", matrices="one"),
            _TWO.change(name="one matrix, four heads", matrices="one", heads=4),
        ),
        Experiment(
            "residual",
            "Each sub-layer is added to what went in. Do four layers learn if it is not?",
            "reverse",
            _FOUR,
            _FOUR.change(name="no residual path", residual=False),
            _FOUR.change(name="none, one layer", residual=False, layers=1),
            tested=100,
        ),
        Experiment(
            "norm",
            "Every sub-layer has a LayerNorm. Do six layers learn without any?",
            "reverse",
            _SIX,
            _SIX.change(name="no norm", norm="none"),
            _SIX.change(name="no norm, small start", norm="none", start="small"),
            tested=100,
        ),
        Experiment(
            "warm_up",
            "With the norm after the sum, the rate has to grow slowly at first. Does it?",
            "reverse",
            _LATE,
            _LATE.change(name="no warm-up", warm_up=0),
            _SIX.change(name="no warm-up, pre-norm"),
            tested=100,
        ),
        Experiment(
            "positions",
            "Attention does not know where a token stands. Can it say ten digits backwards?",
            "reverse",
            _PLACES,
            _PLACES.change(name="no positions", positions="none"),
            _PLACES.change(name="no positions, copy", positions="none"),
            "copy",
            tested=100,
        ),
    )
}
