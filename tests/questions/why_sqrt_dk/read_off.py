"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

BY = ("unscaled", "scaled", "overscaled")


def arriving(c):
    """A reader sees when runs arrive where each run has its dot, and where losses cross 1."""
    return ["arrived", "curves"] if c["quantity"] == "loss" else "arrived"


READ_OFF = {
    "sampling": {
        "expected_spread": "spread",
        "scaled_mean": "density",
        "expected_scaled_mean": "density",
        "peak": "density",
        "expected_peak": "density",
        "excess_kurtosis": ["excess_kurtosis", "density"],
    },
    "trained_scores": {
        "least_spread": "head_spread",
        "most_spread": "head_spread",
        "moved_percent": "moved",
        "least_largest": "weights",
        "first_weight": "weights",
        "first_length": "value_length",
        "entropy_mean": "weights",
        "log_n": "weights",
    },
    "training": {
        **{f"step_{by}": arriving for by in BY},
        **{f"first_{by}": "curves" for by in BY},
        **{f"seeds_{by}": "arrived" for by in ("unscaled", "scaled")},
    },
    "scale": {
        "largest_unscaled": "panel weights",
        "largest_scaled": "panel weights",
        "spread_unscaled": "walks",
        "spread_scaled": "walks",
        "level": "panel weights",
        "mid_unscaled": "panel medians",
        "mid_scaled": "panel medians",
    },
}
