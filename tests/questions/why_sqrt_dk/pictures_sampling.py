"""What the sampling lab shows: two histograms on one axis, each with the normal curve of theory and a ruler."""

from __future__ import annotations

import numpy as np
from pictures import Axis, Histogram, Line, Plot, Segments, Text, Texts
from scipy.stats import norm
from whyformer.lab.words import t


def by(which, c):
    return np.sqrt(c["d_k"]) if which == "divided" else 1


def mean_of(which, s, c):
    """Of the products of 0 or 1, a quarter each."""
    return c["d_k"] / 4 / by(which, c) if c["distribution"] == "bernoulli" else 0


def spread_of(which, s, c):
    return np.sqrt(c["d_k"] * (3 / 16 if c["distribution"] == "bernoulli" else 1)) / by(which, c)


def from_to(c):
    return (-8, 40) if c["distribution"] == "bernoulli" else (-24, 24)


def words_beside(which, s, c):
    if which == "not divided":
        name, mean, spread = "q·k", t("{v:.3g}", v=s["mean"]), s["spread"]
    else:
        name, mean, spread = "q·k / √dₖ", t("{v:.2f}", v=s["scaled_mean"]), s["scaled_spread"]
    if c["distribution"] != "bernoulli":
        return [t("{name}: σ = {v:.2f}", name=name, v=spread)]
    words = t("{name}: mean {mean}, σ = {v:.2f}", name=name, mean=mean, v=spread)
    return [words + " →" if mean_of(which, s, c) > 40 else words]


def occurrence(which, look):
    """How often each score occurs: the sample, the theory, and one standard deviation on both sides of the mean."""

    def stretch(c):
        return np.sqrt(c["d_k"]) / by(which, c)

    def grid(s, c):
        return np.linspace(*from_to(c), 481)

    def edge(side):
        return lambda s, c: [mean_of(which, s, c) + side * spread_of(which, s, c)]

    def height(s, c):
        """A normal curve one standard deviation from its mean."""
        return [norm.pdf(1) / spread_of(which, s, c)]

    return {
        f"{which}: sample": Histogram(
            "score", look=look, edges=lambda s, c: s["edges"] * stretch(c), y=lambda s, c: s["density"] / stretch(c)
        ),
        f"{which}: theory": Line(
            "soft", look=look, x=grid, y=lambda s, c: norm.pdf(grid(s, c), mean_of(which, s, c), spread_of(which, s, c))
        ),
        f"{which}: ruler": Segments("score", look=["thick", *look], x1=edge(-1), y1=height, x2=edge(1), y2=height),
        f"{which}: words": Texts("score", y=height, texts=lambda s, c: words_beside(which, s, c)),
    }


def moments(s, c):
    def row(name, sample, theory, form, digits):
        return [name, t(f"{{v:{form}}}", v=s[sample]), t(f"{{v:{digits}}}", v=s[theory])]

    return [
        *["this sample", "theory"],
        *row("mean of q·k", "mean", "expected_mean", ".3f", ".3g"),
        *row("variance of q·k", "variance", "expected_variance", ".2f", ".4g"),
        *row("variance of q·k / √dₖ", "scaled_variance", "expected_scaled_variance", ".4f", ".4g"),
        *row("excess kurtosis", "excess_kurtosis", "expected_excess_kurtosis", ".3f", ".3g"),
    ]


SAMPLING = {
    "densities": Plot(
        title="How often a score occurs; grey: the normal curve of theory; rulers: standard deviation σ",
        x=Axis(lambda s, c: from_to(c)[0], lambda s, c: from_to(c)[1], label="score"),
        y=Axis(0, lambda s, c: 1.25 * norm.pdf(0) / spread_of("divided", s, c), ticks=()),
        marks={**occurrence("not divided", ["dashed"]), **occurrence("divided", [])},
    ),
    "moments": Text(moments),
}
