"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "rows": {
        **{f"logit_{which}": "logits" for which in ("best", "nearest")},
        **{f"distance_{which}": ["distances", "nearest"] for which in ("best", "nearest")},
        "n_can_win": "share",
        "moved_encoder": "panel moves",
        "moved_output": "panel moves",
    },
    "traffic": {
        "rows_in": "from_input",
        "rows_out": "from_output",
        "rows_both": "both",
        "absent": "reads",
        "small": "from_output",
        "large": "from_output",
        "output_longer": ("from_input", "from_output"),
        "read_output_longer": ("from_input", "from_output"),
    },
}
