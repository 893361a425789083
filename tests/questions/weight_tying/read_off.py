"""What a reader reads each number of a step's sentence off (``tests/phone.py`` has the rules)."""

READ_OFF = {
    "rows": {
        **{f"logit_{which}": "logits" for which in ("best", "nearest")},
        **{f"distance_{which}": ["distances", "nearest"] for which in ("best", "nearest")},
        "n_can_win": "share",
        "moved_encoder": "panel moves",
        "moved_output": "panel moves",
    },
}
