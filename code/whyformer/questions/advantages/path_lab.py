"""The path lab: what of a gradient comes back to a token far away, step by step or in one hop.

Twin: ``path_lab.ts``.
"""

from __future__ import annotations

import numpy as np

from whyformer.lab import Choice, Lab, Number, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths import softmax
from whyformer.maths.random import normal
from whyformer.maths.softmax import Array

N, D, DRAWS = 50, 12, 21  # steps, length of the state, runs drawn
LOW, MIDDLE, HIGH = 2, 10, 18  # of the 21 in order: the 17 in the middle lie between the first and the last of these
UNITS = {"loud": "0.5", "quiet": "0.1", "tiny": "0.05", "none": "no tanh"}
SIZES = {"loud": 0.5, "quiet": 0.1, "tiny": 0.05, "none": 0.0}  # of the inputs
MATRICES = {"normal": "random numbers", "rotation": "a rotation"}


def drawn(seed: int) -> tuple[Array, Array, Array, Array]:
    """Matrices (21, 12, 12), inputs (50, 21, 12), unit vectors (21, 12), scores (21, 50); one stream for each."""
    streams = 4 * np.arange(DRAWS)[:, None] + np.arange(4)
    counts = D * D, N * D, D, N
    matrices, inputs, arriving, scores = (normal(seed, streams[:, [i]], np.arange(n)) for i, n in enumerate(counts))
    arriving = arriving / np.linalg.norm(arriving, axis=1, keepdims=True)
    return matrices.reshape(DRAWS, D, D), inputs.reshape(DRAWS, N, D).swapaxes(0, 1), arriving, scores


def rotation(matrices: Array) -> Array:
    """Orthonormal rows (draws, d, d), by the method of Gram and Schmidt from the first row on; some also mirror."""
    q, r = np.linalg.qr(np.swapaxes(matrices, 1, 2))
    return np.swapaxes(q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None], 1, 2)


def backwards(w: Array, inputs: Array, arriving: Array, unit: str, gate: float) -> Array:
    """Lengths (50, draws) of the gradient of u . h_n with respect to the state so many steps back.

    w: (draws, d, d), inputs: (50, draws, d), arriving: (draws, d), the unit vectors u.
    """
    h = np.zeros_like(arriving)
    slopes = []
    for x in inputs:
        new = (w @ h[..., None])[..., 0] + SIZES[unit] * x
        if unit != "none":
            new = np.tanh(new)
        slopes.append(np.ones_like(new) if unit == "none" else 1 - new**2)
        h = gate * h + (1 - gate) * new
    lengths, u = [np.ones(len(w))], arriving
    for slope in slopes[:0:-1]:
        u = gate * u + (1 - gate) * ((slope * u)[:, None] @ w)[:, 0]
        lengths.append(np.linalg.norm(u, axis=1))
    return np.array(lengths)


def middle(values: Array) -> Array:
    """(3, m): of (m, 21) values the third smallest, the median, the third largest."""
    return np.sort(values, axis=1)[:, [LOW, MIDDLE, HIGH]].T


def compute(*, scale: float, matrix: str, unit: str, gate: float, lead: float, seed: int) -> Series:
    r"""What of a unit gradient at the last of 50 tokens comes back to the token that stands so many steps before it.

    The recurrent network is :math:`h_t = f h_{t-1} + (1 - f)\,\varphi(W h_{t-1} + x_t)`, its state has length 12. f is
    ``gate``, 0 for a plain RNN. :math:`\varphi` is tanh, with independent normal inputs x_t of standard deviation 0.5
    (``unit="loud"``), 0.1 (``"quiet"``) or 0.05 (``"tiny"``), or nothing (``"none"``). W is
    ``scale`` times a matrix with independent normal entries of variance 1/12 (``matrix="normal"``), which keeps
    squared lengths on average, or times an orthogonal one (``"rotation"``). The gradient of
    :math:`u^\top h_n` for a random unit vector u is carried back through the Jacobians
    :math:`f I + (1 - f) \operatorname{diag}(\varphi') W`.

    For attention the text begins with the token that is looked for, as many steps back. Its value gets the gradient
    times its weight. The scores are independent and standard normal, and its own is raised by ``lead``. There are 21
    draws of each, which ``seed`` chooses.

    * ``distance`` (50,): 0 to 49 steps back
    * ``recurrence``, ``attention`` (3, 50): the third smallest, the median and the third largest of 21 draws
    * ``end_recurrence``, ``end_attention``: the medians 49 steps back; ``orders``: powers of ten between the third
      smallest and the third largest gradient of the recurrence there; ``per_step``: the factor that, 49 times, makes
      its median; ``uniform``: 1/50
    """
    matrices, inputs, arriving, scores = drawn(seed)
    w = scale * (matrices / np.sqrt(D) if matrix == "normal" else rotation(matrices))
    recurrence = middle(backwards(w, inputs, arriving, unit, gate))
    raised = scores + lead * (np.arange(N) == 0)
    weights = np.array([softmax(raised[:, : n + 1])[:, 0] for n in range(N)])
    attention = middle(weights)
    end = recurrence[:, -1]
    return {
        "distance": np.arange(N, dtype=float),
        "recurrence": recurrence,
        "attention": attention,
        "end_recurrence": end[1],
        "end_attention": attention[1, -1],
        "orders": np.log10(end[2] / end[0]),
        "per_step": end[1] ** (1 / (N - 1)),
        "uniform": 1 / N,
    }


class PathLab(Lab):
    """A gradient on its way back through 49 steps of a recurrence, and through one hop of attention."""

    title = "Path lab"
    hint = ""
    sentence = (
        "49 steps back the recurrence leaves {end_recurrence:.2g}, a factor of {per_step:.2f} a step, with "
        "{orders:.1f} powers of ten between the draws. Attention leaves {end_attention:.2g}."
    )
    columns = ("distance", "recurrence", "attention")
    row = "distance"
    compute = staticmethod(compute)

    steps = (
        Step(
            "If the inputs have size 0.5, {end_recurrence:.1g} of a gradient is left after 49 steps. Attention, in one "
            "hop, leaves {end_attention:.2g}.",
            asks="The inputs have size 0.05. Follow the line of the recurrence to 49 steps back. Now make the inputs "
            "ten times as large. What is left there?",
            moved=("unit == 'loud'",),
            told_at={"unit": "loud"},
            cases=(
                (
                    ("unit == 'tiny'",),
                    "If the inputs have size 0.05, {end_recurrence:.1g} of a gradient is left after 49 steps: the "
                    "slopes of tanh are nearly 1.",
                ),
                (
                    ("unit == 'quiet'",),
                    "If the inputs have size 0.1, {end_recurrence:.1g} of a gradient is left after 49 steps. Larger "
                    "inputs leave less.",
                ),
                (
                    ("unit == 'none'",),
                    "Without tanh {end_recurrence:.1g} of a gradient is left in the median of 21 draws. The draws lie "
                    "powers of ten apart.",
                ),
            ),
            when=("end_recurrence < 1e-4", "unit == 'loud'", "scale == 1"),
            shows=("far",),
            controls=("unit",),
        ),
        Step(
            "If the inputs have size 0.1, {end_recurrence:.1g} is left. Where the input of tanh is small, its slope is "
            "nearly 1.",
            asks="Inputs of size 0.5 leave almost nothing. Make them smaller. Where does the gradient come back?",
            state={"unit": "loud"},
            moved=("unit != 'loud'",),
            told_at={"unit": "quiet"},
            cases=(
                (
                    ("unit == 'loud'",),
                    "If the inputs have size 0.5, {end_recurrence:.1g} of a gradient is left after 49 steps.",
                ),
                (
                    ("unit == 'tiny'",),
                    "If the inputs have size 0.05, {end_recurrence:.1g} is left. Where the input of tanh is small, its "
                    "slope is nearly 1.",
                ),
                (
                    ("unit == 'none'",),
                    "Without tanh every slope is 1, and {end_recurrence:.1g} is left in the median of 21 draws.",
                ),
            ),
            when=("unit == 'quiet'", "end_recurrence < 0.1"),
            shows=("far",),
            controls=("unit",),
        ),
        Step(
            "At a scale of {scale:.2f} the median is {end_recurrence:.2g}. A larger scale of W brings it back, but "
            "single draws still lie {orders:.1f} powers of ten apart.",
            asks="The inputs have size 0.5 again. With the scale of W alone, bring the median above a hundredth.",
            state={"unit": "loud"},
            moved=("end_recurrence > 0.01", "gate == 0", "unit == 'loud'", "matrix == 'normal'"),
            told_at={"scale": 1.8},
            cases=(
                (
                    ("end_recurrence <= 0.01",),
                    "At a scale of {scale:.2f} the median is {end_recurrence:.1g}. A larger scale of W brings it back, "
                    "but single draws still lie powers of ten apart.",
                ),
            ),
            when=("orders > 0.5", "matrix == 'normal'"),
            shows=("far",),
            controls=("scale", "seed"),
        ),
        Step(
            "All of it comes back: a rotation keeps every length, and without tanh nothing else shrinks it.",
            asks="There is no tanh now. Take a rotation for W in place of random numbers. What comes back?",
            state={"unit": "none"},
            moved=("matrix == 'rotation'",),
            told_at={"matrix": "rotation"},
            cases=(
                (
                    ("matrix == 'normal'",),
                    "Random numbers keep squared lengths on average, but single draws lie {orders:.1f} powers of ten "
                    "apart after 49 steps.",
                ),
                (
                    ("scale != 1",),
                    "At a scale of {scale:.2f} each step multiplies the gradient by that: {end_recurrence:.1g} comes "
                    "back.",
                ),
            ),
            when=("end_recurrence > 0.999999", "end_recurrence < 1.000001", "orders < 0.000001"),
            shows=("far",),
            controls=("matrix", "scale"),
        ),
        Step(
            "A gate of {gate:.2f} brings back {end_recurrence:.0%} of the gradient. Attention brings back "
            "{end_attention:.1%} if no key stands out.",
            asks="Let a share f of the state stay at each step. How large must f be, so that more comes back than "
            "through attention with nearly equal weights?",
            state={"unit": "loud"},
            moved=("end_recurrence > end_attention",),
            told_at={"gate": 0.99},
            cases=(
                (
                    ("end_recurrence <= end_attention",),
                    "A gate of {gate:.2f} brings back {end_recurrence:.1g} of the gradient, less than attention does. "
                    "It has to stay very nearly open, at each of 49 steps.",
                ),
            ),
            when=("end_recurrence > end_attention", "lead == 0"),
            shows=("near",),
            controls=("gate",),
        ),
        Step(
            "Attention brings back {end_attention:.0%}, its weight: the score of that token has to lead all others, "
            "and the lead has to be learned.",
            asks="The gate is 0.99. Let attention bring back more than it does.",
            state={"unit": "loud", "gate": 0.99},
            moved=("end_attention > end_recurrence", "gate == 0.99"),
            told_at={"lead": 8},
            cases=(
                (
                    ("end_attention <= end_recurrence",),
                    "Attention brings back its weight, {end_attention:.1%}, and the gate {end_recurrence:.0%}. A score "
                    "that leads all others by more has a larger weight.",
                ),
            ),
            when=("end_attention > end_recurrence",),
            shows=("near",),
            controls=("lead",),
        ),
    )

    scale: Number = Number(default=1.0, min=0.5, max=1.8, step=0.05, label="scale of W")
    unit: Choice = Choice(default="tiny", options=UNITS, label="inputs of tanh")
    matrix: Choice = Choice(default="normal", options=MATRICES, label="W is made of")
    gate: Number = Number(
        default=0.0, min=0.0, max=0.99, step=0.01, label="gate f", help="share of the old state that stays"
    )
    lead: Number = Number(
        default=0.0, min=0.0, max=10.0, step=0.5, label="lead", help="what the score of that token is raised by"
    )
    seed: Seed = Seed(default=1, label="draw", help="which 21 draws")
