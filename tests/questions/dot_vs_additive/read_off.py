"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "cost": {
        **{number: "panel bill" for number in ("products", "tanhs")},
        "times_additive": ("ms_additive", "ms_dot"),
        "times_additive_relu": ("ms_additive_relu", "ms_dot"),
        "tanh_over_relu": ("times_additive", "times_additive_relu"),
        "times_dot_by_pair": ("ms_dot_by_pair", "ms_dot"),
        "times_dot_by_query": ("ms_dot_by_query", "ms_dot"),
        "times_additive_by_query": ("ms_additive_by_query", "ms_dot"),
        **{f"mib_{which}": "panel sheets" for which in ("scores", "pairs")},
    },
    "spread": {
        "largest_additive": "weights_additive",
        "expected_divided": "law_divided",
        "expected_additive": "law_additive",
        "times_dot": ("law_raw", "law_divided"),
        "times_additive": "law_additive",
    },
}
