"""Softmax and what is made from it, by the definitions as printed, in mpmath.

700 digits, because diag(y) - y y^T is used as it stands: at a gap of 700 the weight 1 - y is 1e-304, and its square
must still have 50 digits left.
"""

import math

import mpmath
from mpmath import mp, mpf

DIGITS = 700
ORACLE = f"mpmath, {DIGITS} digits, definitions as printed"
VERSION = mpmath.__version__

INF = math.inf
BIG = 1e308
CASES = {
    "spread": {
        "two": [0.5, -0.75],
        "three": [0.1, 0.2, 0.3],
        "seven": [1.7, -0.4, 0.33, 2.9, -1.1, 0.05, 0.6],
        "dyadic": [1.25, -0.5, 3.0, 0.0, 2.125, -4.75],
        "eighty": [((37 * i) % 80) / 16 for i in range(80)],
        "tiny_gaps": [1.0, 1.0 + 2**-50, 1.0 - 2**-50, 1.0],
        "tiny_logits": [1e-308, 0.0, -1e-308],
    },
    "ties": {
        "two_zeros": [0.0, 0.0],
        "three_equal": [-7.5, -7.5, -7.5],
        "ten_zeros": [0.0] * 10,
        "sixty_four_zeros": [0.0] * 64,
        "one_ahead": [1.0, 1.0, 2.0],
        "two_ahead": [100.0, 200.0, 200.0],
        "two_ahead_near": [-3.0, 0.0, -20.0, 0.0],
        "three_ahead": [0.0, -40.0, 0.0, -60.0, 0.0],
        "thousand": [1000.0, 1000.0, 1000.0],
    },
    "saturated": {
        **{f"gap_{gap:g}": [0.0, -gap] for gap in (15.0, 30.0, 37.5, 50.0, 90.0, 200.0, 350.0, 380.0, 500.0, 700.0)},
        **{f"three_gap_{gap:g}": [-gap, 0.0, -gap - 1.5] for gap in (25.0, 60.0, 400.0, 690.0)},
        "ladder": [-700.0, 0.0, -350.0, -36.0, -80.0, -35.5],
        "many_behind": [0.0] + [-45.0 - i / 8 for i in range(39)],
        "shifted": [-1234.5, -1300.0, -1299.0],
    },
    "huge": {
        "one": [BIG, -BIG, 0.0],
        "tie": [BIG, BIG, -BIG],
        "tie_below": [-BIG, -BIG],
        "largest": [1.7976931348623157e308, -1.7976931348623157e308],
        "float32": [2.0**127, -(2.0**127), 2.0**127],
        "next_to": [1e15, 1e15 + 1, 1e15 - 2],
        "float32_next_to": [2.0**22, 2.0**22 + 1, 2.0**22 - 3],
    },
    "single": {"zero": [0.0], "large": [BIG], "small": [-745.0]},
    "masked": {
        "first": [-INF, 0.0, 1.0],
        "but_one": [-INF, 3.5, -INF],
        "all": [-INF, -INF, -INF],
        "single": [-INF],
        "saturated": [-INF, 0.0, -400.0, -INF, -402.0],
        "huge": [-INF, BIG, -BIG, BIG],
        "at_top_zero": [0.0, -INF, 0.0, -INF, 0.0],
    },
}
PROBABILITIES = {
    "even": [0.25] * 4,
    "uneven": [0.5, 0.3, 0.15, 0.05],
    "zeros": [0.0, 1.0, 0.0],
    "with_zero": [0.0, 0.625, 0.375],
    "tiny": [1.0, 1e-300, 1e-12],
    "masked": [0.0, 0.0],
}


def number(x):
    """The nearest float, or its name where JSON has none."""
    if isinstance(x, float):
        return x if math.isfinite(x) else str(x)
    if mp.isinf(x):
        return str(float(x))
    if x == 0 or mp.mag(x) < -1100:
        return 0.0
    value = float(mp.nstr(x, 25))
    return value if math.isfinite(value) else str(value)


def numbers(values):
    return [numbers(v) for v in values] if isinstance(values, list) else number(values)


def weights_of(logits):
    if max(logits) == -INF:
        return [mpf(0)] * len(logits)
    e = [mpf(0) if z == -INF else mp.exp(mpf(z)) for z in logits]
    total = mp.fsum(e)
    return [v / total for v in e]


def entropy_of(p):
    return -mp.fsum(v * mp.log(v) for v in p if v)


def describe(logits):
    n = len(logits)
    y = weights_of(logits)
    jacobian = [[y[i] * ((i == j) - y[j]) for j in range(n)] for i in range(n)]
    upstream = [(-1) ** i * (1 + i * i) / 8 for i in range(n)]
    case = {
        "logits": logits,
        "softmax": y,
        "log_softmax": [mp.log(v) if v else -mp.inf for v in y],
        "entropy": entropy_of(y),
        "jacobian_max": max(abs(v) for r in jacobian for v in r),
        "jacobian_norm": mp.sqrt(mp.fsum(v * v for r in jacobian for v in r)),
        "upstream": upstream,
        "vjp": [mp.fsum(jacobian[i][j] * upstream[i] for i in range(n)) for j in range(n)],
        "jacobian": jacobian,
    }
    if n > 10:  # the file stays small; these are all implied by the rest
        for key in ("log_softmax", "upstream", "vjp", "jacobian"):
            del case[key]
    return {key: numbers(value) for key, value in case.items()}


def golden():
    with mp.workdps(DIGITS):
        regimes = {regime: {k: describe(z) for k, z in cases.items()} for regime, cases in CASES.items()}
        given = {k: {"weights": p, "entropy": number(entropy_of(list(map(mpf, p))))} for k, p in PROBABILITIES.items()}
    return {"logits": regimes, "weights": given}
