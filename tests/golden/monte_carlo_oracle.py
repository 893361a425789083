"""Averages over rows of random scores, by textbook NumPy, for the tables of the book.

The draws come from RandomState, whose stream is frozen, so that the tests can repeat them with the package.
"""

import numpy as np

ORACLE = "NumPy float64 on rows of RandomState(seed).standard_normal; errors are standard errors"
VERSION = np.__version__

# (n, s) -> what the book prints, as printed; the name "median_x" is the median of x.
ROWS = {10: 60_000, 64: 12_000, 512: 2_000, 4096: 300}
# fmt: off
TABLE = {
    (10, "0.3"): {},
    (10, "1"): {"norm": "0.348", "median_norm": "0.347", "max_entry": "0.206", "median_max_entry": "0.208",
                "entropy": "1.924", "max_weight": "0.320", "median_max_weight": "0.296"},
    (10, "1.5"): {"norm": "0.354"},
    (10, "sqrt10"): {"median_max_entry": "0.213"},
    (10, "8"): {"norm": "0.159", "median_norm": "0.076", "max_entry": "0.087", "median_max_entry": "0.043",
                "entropy": "0.344", "max_weight": "0.866", "median_max_weight": "0.955", "above_99": "0.34"},
    (10, "10"): {"median_max_entry": "0.019", "entry_above_10": "0.30"},
    (10, "sqrt512"): {"norm": "0.064", "median_norm": "1.8e-4", "max_entry": "0.033", "median_max_entry": "9.3e-5",
                      "entropy": "0.115", "max_weight": "0.953", "median_max_weight": "0.9999", "above_99": "0.72",
                      "norm_squared": "0.0215", "entry_above_10": "0.14", "entry_above_1": "0.28"},
    (64, "1"): {"norm": "0.184", "median_norm": "0.180", "max_entry": "0.094", "median_max_entry": "0.087",
                "entropy": "3.685", "max_weight": "0.107", "median_max_weight": "0.096"},
    (64, "3"): {"norm": "0.308"},
    (64, "8"): {"norm": "0.209", "median_norm": "0.194", "max_entry": "0.122", "median_max_entry": "0.118",
                "entropy": "0.573", "max_weight": "0.795", "median_max_weight": "0.863"},
    (64, "sqrt512"): {"norm": "0.093", "median_norm": "3.6e-3", "max_entry": "0.049", "median_max_entry": "1.9e-3",
                      "entropy": "0.182", "max_weight": "0.927", "median_max_weight": "0.998"},
    (512, "1"): {"norm": "0.071", "median_norm": "0.070", "max_entry": "0.026", "median_max_entry": "0.023",
                 "entropy": "5.742", "max_weight": "0.0266", "median_max_weight": "0.0238"},
    (512, "2"): {"entropy": "4.390", "max_weight": "0.142", "median_max_weight": "0.113"},
    (512, "4"): {"entropy": "2.064", "max_weight": "0.464", "median_max_weight": "0.417"},
    (512, "4.5"): {"norm": "0.290"},
    (512, "8"): {"norm": "0.242", "median_norm": "0.278", "max_entry": "0.148", "median_max_entry": "0.178",
                 "entropy": "0.819", "max_weight": "0.729", "median_max_weight": "0.764", "above_99": "0.11"},
    (512, "sqrt512"): {"norm": "0.115", "median_norm": "0.015", "max_entry": "0.062", "median_max_entry": "8.2e-3",
                       "entropy": "0.243", "max_weight": "0.906", "median_max_weight": "0.992", "above_99": "0.52"},
    (4096, "1"): {"norm": "0.026", "entropy": "7.818", "max_weight": "0.0058", "median_max_weight": "0.0053"},
    (4096, "5.5"): {"norm": "0.283"},
    (4096, "8"): {"entropy": "1.059", "max_weight": "0.673", "median_max_weight": "0.683"},
    (4096, "sqrt128"): {"norm_squared": "0.0752"},
}
# fmt: on


def std(name):
    return float(np.sqrt(float(name[4:]))) if name.startswith("sqrt") else float(name)


def quantities(scores):
    """By name, one number for each row; each row is sorted, so the largest weight is the last."""
    z = np.sort(scores, -1)
    e = np.exp(z - z[:, -1:])
    total = e.sum(-1)
    y = e / total[:, None]
    missing = e[:, :-1].sum(-1) / total  # 1 - y_max without the subtraction
    square = y * y
    pairs = (square[:, 1:] * np.cumsum(square, -1)[:, :-1]).sum(-1)  # sum over i < j of y_i^2 y_j^2
    diagonal = (square[:, :-1] * (1 - y[:, :-1]) ** 2).sum(-1) + (y[:, -1] * missing) ** 2
    entry = y[:, -1] * missing
    return {
        "norm": np.sqrt(diagonal + 2 * pairs),
        "norm_squared": diagonal + 2 * pairs,
        "max_entry": entry,
        "max_weight": y[:, -1],
        "missing_weight": missing,
        "entropy": np.log(total) - (y * (z - z[:, -1:])).sum(-1),
        "sum_of_squares": square.sum(-1),
        "above_99": (y[:, -1] > 0.99).astype(float),
        "entry_above_10": (entry > 0.1).astype(float),
        "entry_above_1": (entry > 0.01).astype(float),
    }


def summary(values):
    """Mean, its standard error, median, and the ranks five standard errors below and above the median."""
    ordered = np.sort(values)
    rows = len(ordered)
    reach = 2.5 * np.sqrt(rows)
    low, high = (float(ordered[int(np.clip(rows / 2 + d, 0, rows - 1))]) for d in (-reach, reach))
    return {
        "mean": float(ordered.mean()),
        "error": float(ordered.std() / np.sqrt(rows)),
        "median": float(np.median(ordered)),
        "median_range": [low, high],
    }


def case(n, s, printed):
    rows = ROWS[n]
    scores = np.random.RandomState(n).standard_normal((rows, n)) * std(s)
    results = {name: summary(values) for name, values in quantities(scores).items()}
    return {"n": n, "s": std(s), "rows": rows, "seed": n, "printed": printed, **results}


def golden():
    return {"rows": {f"{n} keys, s {s}": case(n, s, printed) for (n, s), printed in TABLE.items()}}
