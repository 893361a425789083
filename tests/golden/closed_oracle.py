"""Expectations and moments: integrals and sums over whole distributions, in mpmath and in exact fractions.

Nothing here uses the closed form that it is meant to check: a limit constant is an integral over the gap of the two
best keys, a variance is a sum over all outcomes of a discrete distribution.
"""

from fractions import Fraction
from itertools import product

import mpmath
from mpmath import mp, mpf
from softmax_oracle import numbers, weights_of

ORACLE = "mpmath, 50 digits (quadrature, derivatives); exact fractions (moments)"
VERSION = mpmath.__version__

KEYS = (2, 3, 10, 64, 512, 4096, 100_000, 1_000_000)
SHARP = [(2, 5.0), (10, 512**0.5), (64, 8.0), (512, 22.627416997969522), (4096, 11.313708498984761)]
FLAT = [(2, 0.1), (3, 0.25), (10, 0.3), (512, 1.0), (4096, 2.0), (37_000, 1.0)]


def nodes(end, per_unit):
    """For trapezoidal sums: over the whole line their error falls faster than any power of the step."""
    return [mpf(i) / per_unit for i in range(-end * per_unit, end * per_unit + 1)]


def normal_mean(f, s=1):
    """E f(x) for x normal with mean 0 and standard deviation s."""
    return mp.fsum(f(s * x) * mp.npdf(x) for x in nodes(24, 8)) / 8


def expected_maxima():
    """The integral of x n phi(x) Phi(x)^(n-1) for all n in KEYS."""
    table = [(x, mp.npdf(x), mp.ncdf(x)) for x in nodes(16, 64)]
    return {n: mp.fsum(x * n * density * cdf ** (n - 1) for x, density, cdf in table) / 64 for n in KEYS}


def two_keys(gap):
    """What a row is when only its two best keys matter; names as in SharpLimits."""
    p = 1 / (1 + mp.exp(-gap))
    q = 1 / (1 + mp.exp(gap))
    return {
        "max_entry": p * q,
        "spectral_norm": 2 * p * q,
        "frobenius_squared": 4 * (p * q) ** 2,
        "missing_weight": q,
        "entropy": -p * mp.log(p) - q * mp.log(q),
    }


def sharp(maxima):
    """The gap of the two best keys has density m_n / s at zero: integrate over the gap."""
    edges = [0, 1, 4, 16, 64, 200]
    integrals = {key: mp.quad(lambda g, key=key: two_keys(g)[key], edges) for key in two_keys(mpf(0))}
    cases = []
    for n, s in SHARP:
        cases.append({"n": n, "s": s, **{key: maxima[n] / mpf(s) * value for key, value in integrals.items()}})
    return cases


def entropy_curvature(n):
    """Second derivative of the entropy of softmax((t, 0, ..., 0)) at t = 0."""

    def entropy(t):
        total = mp.exp(t) + n - 1
        return mp.log(total) - t * mp.exp(t) / total

    return mp.diff(entropy, 0, 2)


def flat():
    """Entropy to second order by its curvature; the many-key forms by the law of large numbers over the keys."""
    cases = []
    for n, s in FLAT:
        total = normal_mean(mp.exp, s)
        tilt = normal_mean(lambda z: z * mp.exp(z), s) / total
        squares = normal_mean(lambda z: mp.exp(2 * z), s) / total**2
        second = mp.log(n) + mpf(s) ** 2 / 2 * n * entropy_curvature(n)
        effective = n * total * mp.exp(-tilt)
        cases.append({"n": n, "s": s, "entropy": second, "effective_keys": effective, "sum_of_squares": squares / n})
    return cases


def two_normal_keys(s):
    """Exact expectations for n = 2: the gap is the size of a normal number of standard deviation s sqrt(2)."""
    width = mp.sqrt(2) * s
    edges = [0, 1, 4, 16, 64, 200] if width > 10 else [0, 4 * width, 16 * width]
    return {"s": s} | {
        key: mp.quad(lambda g, key=key: two_keys(g)[key] * 2 * mp.npdf(g, 0, width), edges) for key in two_keys(mpf(0))
    }


def needles():
    """The weight of the first of n keys at (gap, 0, ..., 0), noise averaged in the sum; SSMax and row norms as gaps."""
    cases = [(n, 5.0, 0.0) for n in (10, 100, 1000, 10**6)]
    cases += [(n, float(0.43 * 5 * mp.log(n)), 0.0) for n in (10, 100, 1000, 10**6)]
    cases += [(n, float(n / mp.sqrt(n - 1)), 0.0) for n in (10, 64)]
    cases += [(2, 0.0, 0.0), (512, 6.5, 1.0), (512, 0.0, 2.0), (131_072, 12.0, 0.5), (10, -30.0, 0.0), (10, 300.0, 1.0)]
    weights = []
    for n, gap, s in cases:
        noise = normal_mean(mp.exp, s) if s else mpf(1)
        top = mp.exp(mpf(gap))
        weights.append({"n": n, "gap": gap, "s": s, "weight": top / (top + (n - 1) * noise)})
    gaps = []
    for n, s in ((2, 1.0), (10, 0.0), (512, 1.0), (131_072, 1.0), (10**6, 2.5)):
        noise = normal_mean(mp.exp, s) if s else mpf(1)
        half = mp.findroot(lambda g, n=n, noise=noise: mp.exp(g) / (mp.exp(g) + (n - 1) * noise) - 0.5, mp.log(n) + s)
        gaps.append({"n": n, "s": s, "gap": half})
    return {"weights": weights, "gaps": gaps}


def one_ahead():
    """The third weight of softmax((a, a, 2 a))."""
    places = [0.0, 1.0, 10.0, 100.0, float(mp.log(2)), float(mp.log(198)), 5.0, 17.0, 37.0, 355.0, 1000.0]
    return [{"a": a, "weight": weights_of([a, a, 2 * a])[2]} for a in places]


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def moments_of(outcomes):
    """Mean vector and covariance of a vector that takes each of the outcomes with the same chance."""
    axes = range(len(outcomes[0]))
    centre = [mean(x[i] for x in outcomes) for i in axes]
    cov = [[mean((x[i] - centre[i]) * (x[j] - centre[j]) for x in outcomes) for j in axes] for i in axes]
    return centre, cov


def variance(values):
    values = list(values)
    return mean(v * v for v in values) - mean(values) ** 2


def floats(values):
    return [floats(v) for v in values] if isinstance(values, list) else float(values)


VECTORS = {  # q and k, each uniform on these outcomes
    "skewed": ([(1, 0, 2), (0, -1, 3), (4, 1, -1)], [(2, 2, 1), (-1, 0, 0), (0, 3, -2), (1, 1, 1)]),
    "one_dimension": ([(0,), (3,)], [(1,), (2,), (-5,)]),
    "signs": (list(product((-1, 1), repeat=3)), list(product((-1, 1), repeat=3))),
    "both_equal_signs": ([(1,) * 4, (-1,) * 4], [(1,) * 4, (-1,) * 4]),
    "fixed_query": ([(3, 4)], list(product((-1, 1), repeat=2))),
    "shifted": (list(product((0, 2), repeat=2)), list(product((-3, 1), repeat=2))),
}
COMPONENTS = {  # components of mean 0, each uniform on these outcomes
    "signs": (-1, 1),
    "three": (-1, 0, 1),
    "heavy": (-3, 0, 0, 0, 0, 0, 0, 3),
    "steps": (-5, -3, -1, 1, 3, 5),
}


def kurtosis(values):
    values = list(values)
    return mean(v**4 for v in values) / mean(v * v for v in values) ** 2


def moments():
    vectors = {}
    for name, (q, k) in VECTORS.items():
        (mean_q, cov_q), (mean_k, cov_k) = moments_of(q), moments_of(k)
        exact = variance(sum(a * b for a, b in zip(x, y, strict=True)) for x, y in product(q, k))
        case = {"mean_q": mean_q, "cov_q": cov_q, "mean_k": mean_k, "cov_k": cov_k, "variance": exact}
        vectors[name] = {key: floats(value) for key, value in case.items()}
    tails = []
    for (d, q), k in product(((1, "signs"), (1, "heavy"), (2, "three"), (3, "signs")), COMPONENTS):
        single = [a * b for a, b in product(COMPONENTS[q], COMPONENTS[k])]
        dots = [sum(terms) for terms in product(single, repeat=d)] if len(single) ** d < 20_000 else None
        if dots:
            excess = kurtosis(dots) - 3
            case = {"d_k": d, "q": kurtosis(COMPONENTS[q]), "k": kurtosis(COMPONENTS[k]), "excess": excess}
            tails.append({key: value if key == "d_k" else float(value) for key, value in case.items()})
    return {"vectors": vectors, "excess_kurtosis": tails}


def plain(value):
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value if isinstance(value, int) else numbers(value)


def golden():
    with mp.workdps(50):
        maxima = expected_maxima()
        return plain(
            {
                "expected_maximum": maxima,
                "uniform_norm": {n: mp.sqrt(n - 1) / n for n in KEYS},  # n entries (n - 1)/n^2, the others -1/n^2
                "critical_std": {n: mp.sqrt(2 * mp.log(n)) for n in KEYS},
                "sharp": sharp(maxima),
                "flat": flat(),
                "two_normal_keys": {"flat": two_normal_keys(0.02), "sharp": two_normal_keys(400.0)},
                "needles": needles(),
                "one_ahead": one_ahead(),
                "moments": moments(),
            }
        )
