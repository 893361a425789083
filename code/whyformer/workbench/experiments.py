"""The experiments as data. What each says in ``seen`` was measured in a page, over seeds 0 to 4.

Every browser gets the same numbers; in Python the numbers of arms that do not learn may differ in the second digit,
since training enlarges what rounding begins.

Left out, since ranges overlap: warm-up for post-norm in six layers, 0.86 [0.28, 1.00] with 150 steps of it and 0.87
[0.36, 1.00] without.
"""

from __future__ import annotations

from whyformer.lab.signed import meant
from whyformer.workbench.experiment import Arm, Experiment


class Named(dict[str, Experiment]):
    """Experiments by name. Another name raises ``KeyError``, which says what was meant and what there is."""

    def __missing__(self, name: object) -> Experiment:
        raise KeyError(f"there is no experiment {name!r}; {meant(str(name), [*self])}there are {', '.join(self)}")


_LOOKUP = Arm("÷ √dₖ", d_model=32, d_k=64, positions="none")
_TWO = Arm("two matrices")
_VIEWS = Arm("projections", d_model=32)
_WISHES = Arm("two heads", heads=2, d_model=32, d_ff=0, positions="none")
_FOUR = Arm("residual path", layers=4)
_SIX = Arm("pre-norm", layers=6)
_PLACES = Arm("positions")
_ROTARY = Arm("rotary positions", positions="rotary", heads=4, d_k=8)

#: experiments by name; each says in ``seen`` what five seeds of it showed, as mean [least, most] accuracy
EXPERIMENTS = Named(
    (one.name, one)
    for one in (
        Experiment(
            "divisor",
            "Scores are divided by √dₖ. Does a little model learn to look things up if they are not?",
            "kv",
            _LOOKUP,
            _LOOKUP.change(name="not divided", divisor="1"),
            _LOOKUP.change(name="÷ dₖ", divisor="d_k"),
            seen="After 300 steps all seeds are at 1.00 if scores are divided by √dₖ. If they are not divided, it is "
            "0.78 [0.65, 0.94]; before the first step the largest weight is then 0.87 in the mean, and 0.33 if "
            "they are divided. The surprise is that ÷ dₖ is at 1.00 too, and reaches 90 % some 40 steps later. "
            "After 1,000 steps it is 0.89 [0.83, 0.94] if scores are not divided, and 1.00 for the others.",
        ),
        Experiment(
            "one_matrix",
            "Queries and keys have a matrix each. Is one matrix for both enough?",
            "previous",
            _TWO,
            _TWO.change(name="one matrix", matrices="one"),
            _TWO.change(name="one matrix, four heads", matrices="one", heads=4),
            seen="After 300 steps all seeds are at 1.00 with two matrices. With one matrix it is 0.72 [0.70, 0.80], "
            "since scores are then the same both ways. One matrix with four heads is at 0.98 [0.90, 1.00], and "
            "takes twice as long to reach 90 %. After 1,000 steps one matrix is still at 0.72 [0.70, 0.80], and "
            "with four heads it is at 1.00.",
        ),
        Experiment(
            "projections",
            "Queries and keys are tokens times a matrix. Are the tokens themselves enough?",
            "reverse",
            _VIEWS,
            _VIEWS.change(name="no projections", matrices="none"),
            _VIEWS.change(name="no projections, ÷ dₖ", matrices="none", divisor="d_k"),
            tested=100,
            seen="After 300 steps all seeds are at 1.00 with projections. If tokens are queries and keys, it is 0.12 "
            "[0.09, 0.16], hardly better than a guess. If their scores are divided by dₖ, and not by √dₖ, all "
            "seeds are at 1.00. The surprise comes after 1,000 steps: all three are at 1.00 in all seeds.",
        ),
        Experiment(
            "heads",
            "Two values are asked for at once. Does one head as wide as two get both?",
            "two_values",
            _WISHES,
            _WISHES.change(name="one head", heads=1),
            _WISHES.change(name="one head, two layers", heads=1, layers=2),
            seen="After 300 steps all seeds are at 1.00 with two heads. With one head it is 0.56 [0.53, 0.59], little "
            "more than one value of the two. With one head in each of two layers all seeds are at 1.00. After "
            "1,000 steps one head is still at 0.56 [0.55, 0.56].",
        ),
        Experiment(
            "residual",
            "Each sub-layer is added to what went in. Do four layers learn if it is not?",
            "reverse",
            _FOUR,
            _FOUR.change(name="no residual path", residual=False),
            _FOUR.change(name="none, one layer", residual=False, layers=1),
            tested=100,
            seen="After 300 steps four layers are at 1.00 in all seeds with the residual path, and at 0.21 [0.19, "
            "0.22] without it. One layer does not need it: it is at 1.00 in all seeds. After 1,000 steps four "
            "layers without it are at 0.23 [0.21, 0.25].",
        ),
        Experiment(
            "norm",
            "Every sub-layer has a LayerNorm. Do six layers learn without any?",
            "reverse",
            _SIX,
            _SIX.change(name="no norm", norm="none"),
            _SIX.change(name="no norm, small start", norm="none", start="small"),
            steps=200,
            tested=100,
            seen="After 200 steps six layers are at 1.00 in all seeds with pre-norm, and at 0.12 [0.12, 0.14] without "
            "a norm, little more than chance. If the last matrix of each sub-layer starts at 1/√(2L) of its "
            "size, no norm is needed: it is 1.00 [0.99, 1.00]. After 1,000 steps it is 0.16 [0.13, 0.18] without "
            "a norm, and 0.99 [0.97, 1.00] with the small start.",
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
            seen="After 300 steps the digits backwards are at 1.00 in all seeds with learned positions, and at 0.26 "
            "[0.23, 0.29] without. To copy, positions are not needed: all seeds are at 1.00. After 1,000 steps "
            "the digits backwards without positions are at 0.27 [0.24, 0.29].",
        ),
        Experiment(
            "longer_texts",
            "If a little model trains on ten digits at a time, can it do its job on twenty?",
            "longer",
            _ROTARY,
            _ROTARY.change(name="learned positions", positions="learned"),
            _ROTARY.change(name="learned, trained on twenty", positions="learned"),
            "twenty",
            tested=100,
            seen="After 300 steps all seeds are at 1.00 on twenty digits with rotary positions, and at 0.53 [0.51, "
            "0.54] with learned ones, which are right on the first ten and guess the rest. If learned positions "
            "train on twenty digits, they do it too: all seeds are at 1.00. After 1,000 steps learned positions "
            "are still at 0.53 [0.51, 0.54].",
        ),
    )
)
