"""The saturation lab: drag the logits, and see weights, Jacobian and what is left of a gradient.

Twin: ``saturation_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Number, Step, Vector
from whyformer.lab.lab import Series
from whyformer.maths.softmax import (
    Array,
    softmax,
    softmax_jacobian,
    softmax_jacobian_max,
    softmax_jacobian_norm,
    softmax_vjp,
)

#: One logit leads by 7.
AHEAD = [8, 0, 1, -1, 0]
UPSTREAM = {"largest": "raise the largest", "second": "raise the runner-up", "alternate": "up, down, up, …"}


def upstream_gradient(kind: str, logits: Array) -> Array:
    """A gradient of length 1 at the weights: at the largest logit, the second largest (ties: the first), or ± all."""
    if kind == "alternate":
        return np.where(np.arange(len(logits)) % 2 == 0, 1.0, -1.0) / np.sqrt(len(logits))
    order = np.argsort(-logits, kind="stable")
    chosen = np.zeros(len(logits))
    chosen[order[0 if kind == "largest" else 1]] = 1.0
    return chosen


def compute(*, logits: list[float], temperature: float, offset: float, upstream: str) -> Series:
    r"""Weights, Jacobian, and an upstream gradient pulled back, for n logits.

    :math:`y = \operatorname{softmax}((z + b) / T)` with ``logits`` z, ``offset`` b and ``temperature`` T. The gradient
    u that arrives at the weights has length 1: at the largest logit (``upstream="largest"``), at the second largest
    (``"second"``), or up and down in turn (``"alternate"``). At the logits it is :math:`J^\top u / T`.

    * ``weights`` (n,): y; ``jacobian`` (n, n): :math:`J = \operatorname{diag}(y) - y y^\top`, that of the softmax alone
    * ``upstream_gradient``, ``downstream_gradient`` (n,): u, and what reaches the logits; ``left``: its length
    * ``largest_weight``: at most 1; ``largest_entry``: of J, at most 1/4; ``jacobian_norm``: Frobenius, at most 1/2
    """
    dragged = np.array(logits, float)
    z = (dragged + offset) / temperature
    arriving = upstream_gradient(upstream, dragged)
    downstream = softmax_vjp(z, arriving) / temperature
    weights = softmax(z)
    return {
        "weights": weights,
        "jacobian": softmax_jacobian(z),
        "upstream_gradient": arriving,
        "downstream_gradient": downstream,
        "largest_weight": weights.max(),
        "largest_entry": softmax_jacobian_max(z),
        "jacobian_norm": softmax_jacobian_norm(z),
        "left": np.linalg.norm(downstream),
    }


class SaturationLab(Lab):
    """Drag logits; see the weights, the Jacobian, and what is left of a gradient."""

    title = "Saturation lab"
    hint = (
        "Pull the first bar to 10: the Jacobian fades to the colour of the page. Then pull a second bar level with it."
    )
    sentence = (
        "At temperature {temperature:.2f} the largest weight is {largest_weight:.4f}, the largest Jacobian entry "
        "{largest_entry:.2g}, its norm {jacobian_norm:.2g}, and {left:.2g} of an upstream gradient of length 1 is left."
    )
    columns = ("weights", "upstream_gradient", "downstream_gradient")
    row = "logit"
    presets = {
        "all equal": {"logits": [0, 0, 0, 0, 0], "offset": 0, "temperature": 1},
        "one ahead": {"logits": [8, 0, 1, -1, 0], "offset": 0, "temperature": 1},
        "two tied at the top": {"logits": [8, 8, 1, -1, 0], "offset": 0, "temperature": 1},
        "(1000, 1000, 1000)": {"logits": [0, 0, 0], "offset": 1000, "temperature": 1},
    }
    compute = staticmethod(compute)
    steps = (
        Step(
            "One logit is far ahead: it has {largest_weight:.1%} of the weight, and of a gradient of length 1 only "
            "{left:.2%} is left.",
            asks="Drag the first bar up to 8. What is left of the gradient?",
            moved=("largest_weight > 0.99",),
            told_at={"logits": AHEAD},
            cases=(
                (
                    ("largest_weight < 0.9",),
                    "No logit is far ahead: the largest weight is {largest_weight:.0%}, and {left:.0%} of the gradient "
                    "is left.",
                ),
            ),
            when=("largest_weight >= 0.9", "left < 0.13"),
            shows=("gradient", "logits", "weights"),
            narrow=3,
            controls=("logits",),
        ),
        Step(
            "A temperature above 1 shrinks every gap: at {temperature:.3g} the largest weight is {largest_weight:.0%}, "
            "and {left:.1%} of the gradient is left. At temperature 1 it is 0.2 %.",
            asks="One logit leads by 7. Raise the temperature to 5. Does the gradient come back?",
            state={"logits": AHEAD},
            moved=("temperature >= 3",),
            told_at={"temperature": 5},
            cases=(
                (
                    ("temperature < 1",),
                    "A temperature below 1 widens every gap: at {temperature:.3g} only {left:.2g} of the gradient is "
                    "left.",
                ),
                (("temperature == 1",), "At temperature 1 only {left:.1%} of the gradient is left."),
            ),
            when=("temperature > 1", "left > 0.002"),
            shows=("gradient", "logits", "weights"),
            narrow=3,
            controls=("temperature",),
        ),
        Step(
            "If {offset:.0f} is added to every logit, the weights stay the same, and {left:.1%} of the gradient is "
            "left, as before. Only gaps count.",
            asks="One logit leads by 7. Add 1000 to every logit. What is left of the gradient now?",
            state={"logits": AHEAD},
            moved=("offset >= 500",),
            told_at={"offset": 1000},
            when=("left > 0.0019", "left < 0.0021"),
            shows=("gradient", "logits", "weights"),
            narrow=3,
            controls=("offset",),
        ),
        Step(
            "Only {left:.1%} of the gradient is left. More is left if another bar comes near the largest one.",
            asks="Leave the first bar where it is, and drag another until a quarter of the gradient is left.",
            state={"logits": AHEAD},
            moved=("left > 0.25",),
            told_at={"logits": [8, 7.9, 1, -1, 0]},
            cases=(
                (
                    ("left > 0.25",),
                    "{left:.0%} of the gradient is left, since no bar is far ahead any more. What counts is the lead "
                    "of the largest bar, and not how large it is.",
                ),
            ),
            when=("left <= 0.25",),
            shows=("gradient", "logits", "weights"),
            narrow=2,
            controls=("logits",),
        ),
        Step(
            "The largest weight is {largest_weight:.1%}, and {left:.1%} of the gradient is left. If two bars are level "
            "at the top and far ahead of the others, 35 % is left.",
            asks="Drag the second bar level with the first, to 8. What is left of the gradient?",
            state={"logits": AHEAD},
            moved=("largest_weight < 0.53", "left > 0.34"),
            told_at={"logits": [8, 8, 1, -1, 0]},
            cases=(
                (
                    ("largest_weight < 0.53", "left > 0.34"),
                    "Two bars are level at the top and have nearly half of the weight each: {left:.0%} of the gradient "
                    "is left. A large logit does no harm; a large lead does.",
                ),
            ),
            when=("left >= 0",),
            shows=("gradient", "logits", "weights"),
            narrow=3,
            controls=("logits",),
        ),
    )

    logits: Vector = Vector(
        default=[2, 0, 1, -1, 0], min=-10, max=10, step=0.1, min_length=2, max_length=12,
        label="logits", help="drag a bar, or choose it with Tab and use the arrow keys",
    )  # fmt: skip
    temperature: Number = Number(
        default=1.0, min=0.5, max=5.0, step=0.05, label="temperature", help="the logits are divided by it"
    )
    offset: Number = Number(
        default=0.0, min=0.0, max=1000.0, step=10.0, label="add to every logit", help="a shift that all share"
    )
    upstream: Choice = Choice(default="largest", options=UPSTREAM, label="upstream gradient")
