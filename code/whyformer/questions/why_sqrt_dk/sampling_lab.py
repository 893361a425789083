"""The sampling lab: the histogram of many dot products, and the normal curve that it approaches.

Twin: ``sampling_lab.ts``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from whyformer.lab import Choice, Lab, Listed, Seed, Step
from whyformer.lab.lab import Series
from whyformer.maths.random import bits, uniform
from whyformer.maths.softmax import Array, Integers

D_K = [*range(1, 33), *(2**octave * part // 16 for octave in range(5, 8) for part in range(17, 33))]
LOW, HIGH = -5.0, 6.0  # of the histogram, in units of sqrt(d_k), the same for every state
BIN = 0.2

# For one component of q and one of k: mean and variance of their product, its excess kurtosis, and the step of the
# grid that the product lives on (0: continuous).
PRODUCTS = {
    "normal": (0.0, 1.0, 6.0, 0),
    "uniform": (0.0, 1.0, 0.24, 0),
    "sign": (0.0, 1.0, -2.0, 2),
    "bernoulli": (1 / 4, 3 / 16, -2 / 3, 1),
}
_CHUNK = 2_000_000


def products(distribution: str, seed: int, pair: Integers, component: Integers) -> Array:
    """q_i k_i for independent components q_i and k_i of the chosen distribution; arguments broadcast.

    Each pair of vectors is one stream of the generator. ``normal``: q_i and k_i are the two normals of one Box-Muller
    step. ``uniform``: on (-sqrt 3, sqrt 3), variance 1. ``sign``: -1 or 1. ``bernoulli``: 0 or 1, mean 1/2 left in.
    """
    if distribution == "normal":
        radius2 = -2 * np.log(uniform(seed, pair, 2 * component))
        angle = 2 * np.pi * uniform(seed, pair, 2 * component + 1)
        return radius2 * np.cos(angle) * np.sin(angle)
    if distribution == "uniform":
        q = 2 * uniform(seed, pair, 2 * component) - 1
        k = 2 * uniform(seed, pair, 2 * component + 1) - 1
        return 3 * q * k
    word = bits(seed, pair, component)
    q, k = (word >> np.uint32(31)).astype(float), ((word >> np.uint32(30)) & np.uint32(1)).astype(float)
    return q * k if distribution == "bernoulli" else (2 * q - 1) * (2 * k - 1)


def bin_edges(distribution: str, d_k: int) -> Array:
    """Edges of the bins for q.k / sqrt(d_k): 0.2 wide, or for values on a grid the nearest whole number of steps."""
    step = PRODUCTS[distribution][3]
    if step == 0:
        return LOW + BIN * np.arange(round((HIGH - LOW) / BIN) + 1)
    unit = step / np.sqrt(d_k)
    width = unit * max(1, round(BIN / unit))
    start = (-d_k - step / 2) / np.sqrt(d_k)  # half a step below the smallest value, so that no value is on an edge
    first = np.ceil((LOW - start) / width)
    return start + width * np.arange(first, np.floor((HIGH - start) / width) + 1)


@lru_cache(maxsize=1)  # a lab that is shown asks for its state several times
def _dots(distribution: str, d_k: int, n_pairs: int, seed: int) -> Array:
    """q.k for each pair, block by block."""
    dots = np.empty(n_pairs)
    block = _CHUNK // d_k
    component = np.arange(d_k)
    for start in range(0, n_pairs, block):
        pair = np.arange(start, min(start + block, n_pairs))
        dots[pair] = products(distribution, seed, pair[:, None], component).sum(1)
    dots.flags.writeable = False
    return dots


def compute(*, distribution: str, d_k: int, n_pairs: int, seed: int) -> Series:
    r"""Draws ``n_pairs`` independent pairs (q, k), and compares the moments of q.k with theory.

    ``distribution`` is that of the components, all independent; ``d_k`` products are added up; ``seed`` chooses the
    draw. One product has mean m, variance v and excess kurtosis e (see ``PRODUCTS``), so q.k has :math:`d_k m`,
    :math:`d_k v` and :math:`e / d_k`, and q.k / sqrt(d_k) has mean :math:`\sqrt{d_k}\, m` and variance v.

    * ``edges`` (bins + 1,), ``density`` (bins,): histogram of q.k / sqrt(d_k) from about -5 to 6; its area is the share
      of the pairs that fall there. That of q.k has edges sqrt(d_k) times as far, and is so many times lower
    * ``mean``, ``variance``, ``spread``, ``excess_kurtosis``: of q.k, over the pairs; the spread is the standard
      deviation; ``scaled_mean``, ``scaled_variance``, ``scaled_spread``: of q.k / sqrt(d_k); ``peak``: the highest
      ``density``
    * ``expected_mean``, ``expected_variance``, ``expected_spread``, ``expected_excess_kurtosis``,
      ``expected_scaled_mean``, ``expected_scaled_variance``: what theory says of the same; ``expected_peak``: of the
      normal density with these moments
    """
    dots = _dots(distribution, d_k, n_pairs, seed)
    mean = dots.mean()
    deviation2 = (dots - mean) ** 2
    variance = deviation2.mean()
    one_mean, one_variance, one_excess, _ = PRODUCTS[distribution]
    edges = bin_edges(distribution, d_k)
    counts, _ = np.histogram(dots / np.sqrt(d_k), edges)
    density = counts / (n_pairs * (edges[1] - edges[0]))
    return {
        "edges": edges,
        "density": density,
        "peak": density.max(),
        "mean": mean,
        "variance": variance,
        "spread": np.sqrt(variance),
        "excess_kurtosis": (deviation2**2).mean() / variance**2 - 3,
        "scaled_mean": mean / np.sqrt(d_k),
        "scaled_variance": variance / d_k,
        "scaled_spread": np.sqrt(variance / d_k),
        "expected_mean": one_mean * d_k,
        "expected_variance": one_variance * d_k,
        "expected_spread": np.sqrt(one_variance * d_k),
        "expected_excess_kurtosis": one_excess / d_k,
        "expected_scaled_mean": one_mean * np.sqrt(d_k),
        "expected_scaled_variance": one_variance,
        "expected_peak": 1 / np.sqrt(2 * np.pi * one_variance),
    }


class SamplingLab(Lab):
    """Histograms of q.k and of q.k / sqrt(d_k) over many independent pairs, on one axis."""

    title = "Sampling lab"
    hint = ""
    sentence = (
        "Over {n_pairs:,d} pairs at dₖ = {d_k} the variance of q·k is {variance:.3g} (theory {expected_variance:.3g}); "
        "divided by √dₖ it is {scaled_variance:.3f} (theory {expected_scaled_variance:.3f})."
    )
    columns = ("density",)
    row = "bin"
    compute = staticmethod(compute)

    steps = (
        Step(
            "q·k becomes wider: if it adds up {d_k} products of variance 1, its standard deviation is {spread:.1f}. If "
            "we divide by √dₖ, it stays near 1: here it is {scaled_spread:.2f}.",
            asks="Drag dₖ to 64. Which of the two becomes wider, and which keeps its width?",
            moved=("d_k >= 48",),
            told_at={"d_k": 64},
            cases=(
                (
                    ("d_k == 1",),
                    "With one product √dₖ is 1 and divides nothing: both have the standard deviation {spread:.2f}.",
                ),
            ),
            when=(
                *("spread > 0.93 * expected_spread", "spread < 1.07 * expected_spread"),
                *("scaled_spread > 0.93", "scaled_spread < 1.07"),
            ),
            shows=("densities",),
            controls=("d_k",),
        ),
        Step(
            "At dₖ = {d_k} the standard deviation of q·k is {spread:.2g}. It grows like √dₖ, so it is half as large as "
            "at 64 if there are a quarter of the products, 16.",
            asks="Make the wide one half as wide: find the dₖ at which the standard deviation of q·k is 4.",
            state={"d_k": 64},
            moved=("spread > 3.8", "spread < 4.2"),
            told_at={"d_k": 16},
            when=("spread > 0.93 * expected_spread", "spread < 1.07 * expected_spread", "distribution == 'normal'"),
            shows=("densities",),
            controls=("d_k",),
        ),
        Step(
            "The width is still {scaled_spread:.2f}, but a single product is no bell: it is often near 0, so its spike "
            "leaves the picture, and its tails are long.",
            asks="Drag dₖ down to 1. Does it keep its width? Does it stay a bell?",
            state={"d_k": 64},
            moved=("d_k == 1",),
            told_at={"d_k": 1},
            cases=(
                (
                    ("d_k >= 32",),
                    "If a score adds up as many as {d_k} products, the histogram is close to the normal curve in grey.",
                ),
                (
                    ("d_k >= 2",),
                    "If a score adds up {d_k} products, its width divided by √dₖ is still {scaled_spread:.2f}, but its "
                    "peak is higher than that of the normal curve in grey.",
                ),
            ),
            when=("peak > 1.8 * expected_peak", "excess_kurtosis > 3", "scaled_spread > 0.93", "scaled_spread < 1.07"),
            shows=("densities",),
            controls=("d_k",),
        ),
        Step(
            "If components are 0 or 1, the division keeps the width, {scaled_spread:.2f}. But they have the mean ½, "
            "and the centre is at {scaled_mean:.2g}: it moves to the right like √dₖ.",
            asks="Choose components 0 or 1, then move dₖ. Does the division keep the width? Does it keep the centre?",
            state={"d_k": 64},
            moved=("distribution == 'bernoulli'",),
            told_at={"distribution": "bernoulli"},
            cases=(
                (
                    ("distribution != 'bernoulli'",),
                    "If components have mean 0, the centre stays at 0 and the division keeps the width, "
                    "{scaled_spread:.2f}. Components that are 0 or 1 have another mean.",
                ),
            ),
            when=(
                *("scaled_spread > 0.41", "scaled_spread < 0.46"),
                *("scaled_mean > 0.9 * expected_scaled_mean", "scaled_mean < 1.1 * expected_scaled_mean"),
            ),
            shows=("densities",),
            controls=("distribution", "d_k"),
        ),
    )

    d_k: Listed = Listed(default=4, values=D_K, label="dₖ", help="how many products are added up")
    distribution: Choice = Choice(
        default="normal",
        options={"normal": "normal", "uniform": "uniform", "sign": "−1 or 1", "bernoulli": "0 or 1, mean left in"},
        label="components are",
    )
    n_pairs: Listed = Listed(
        default=10_000, values=[1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000], label="pairs (q, k)"
    )
    seed: Seed = Seed(default=1, label="draw", help="which random pairs")
